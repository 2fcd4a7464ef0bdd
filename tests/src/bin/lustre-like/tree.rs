//! Files and directories in memory.

use crate::layouts;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::ops::{Index, IndexMut};

const ROOT: u64 = 1;
const ASKED: u64 = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    File,
    Directory,
}

pub struct Node {
    pub kind: Kind,
    pub data: Vec<u8>,
    name: String,
    /// Where its first object lies, and how many; none before it has objects.
    objects: Option<layouts::Objects>,
    asked: u32,
}

pub struct Tree {
    nodes: Vec<Node>,
    names: BTreeMap<(u64, OsString), u64>,
}

impl Tree {
    pub fn new() -> Tree {
        let mut tree = Tree {
            nodes: Vec::new(),
            names: BTreeMap::new(),
        };
        let root = tree.make(0, OsStr::new(""), Kind::Directory);
        let asked = tree.make(root, OsStr::new(".asked"), Kind::File);
        assert_eq!((root, asked), (ROOT, ASKED));
        tree
    }

    pub fn find(&self, parent: u64, name: &OsStr) -> Option<u64> {
        self.names.get(&(parent, name.to_owned())).copied()
    }

    pub fn make(&mut self, parent: u64, name: &OsStr, kind: Kind) -> u64 {
        self.nodes.push(Node {
            kind,
            data: Vec::new(),
            name: name.to_string_lossy().into_owned(),
            objects: None,
            asked: 0,
        });
        let ino = self.nodes.len() as u64;
        self.enter(parent, name, ino);
        ino
    }

    pub fn enter(&mut self, parent: u64, name: &OsStr, ino: u64) {
        self.names.insert((parent, name.to_owned()), ino);
    }

    pub fn remove(&mut self, parent: u64, name: &OsStr) -> Option<u64> {
        self.names.remove(&(parent, name.to_owned()))
    }

    pub fn rename(&mut self, from: (u64, &OsStr), to: (u64, &OsStr)) {
        if let Some(ino) = self.remove(from.0, from.1) {
            self.enter(to.0, to.1, ino);
        }
    }

    pub fn children(&self, parent: u64) -> impl Iterator<Item = (&OsStr, u64)> {
        let here = self.names.iter().filter(move |((of, _), _)| *of == parent);
        here.map(|((_, name), ino)| (name.as_os_str(), *ino))
    }

    /// The file gets objects, if it has none.
    pub fn give_objects(&mut self, ino: u64) {
        let objects = layouts::usual(&self[ino].name, ino);
        self[ino].objects.get_or_insert(objects);
    }

    /// Takes a wish for a layout, which comes too late where there are objects.
    pub fn lay_out(&mut self, ino: u64, wish: &[u8]) -> Result<(), i32> {
        if self[ino].objects.is_some() {
            return Err(libc::EEXIST);
        }
        let objects = layouts::wished(wish, ino).ok_or(libc::EINVAL)?;
        self[ino].objects = Some(objects);
        Ok(())
    }

    /// The layout that somebody asked for.
    pub fn asked(&mut self, ino: u64) -> Option<Vec<u8>> {
        let node = &mut self[ino];
        node.asked += 1;
        let (name, length) = (&node.name, node.data.len() as u64);
        node.objects
            .as_ref()
            .map(|objects| layouts::layout(name, length, objects))
    }

    /// Writes `.asked` anew when it is opened.
    pub fn update(&mut self, ino: u64) {
        if ino == ASKED {
            let mut text = String::new();
            for node in self.nodes.iter().filter(|node| node.asked > 0) {
                let _ = writeln!(text, "{} {}", node.name, node.asked);
            }
            self[ino].data = text.into_bytes();
        }
    }
}

impl Index<u64> for Tree {
    type Output = Node;

    fn index(&self, ino: u64) -> &Node {
        &self.nodes[ino as usize - 1]
    }
}

impl IndexMut<u64> for Tree {
    fn index_mut(&mut self, ino: u64) -> &mut Node {
        &mut self.nodes[ino as usize - 1]
    }
}
