//! A thread and what it shares with others: descriptors, directory, program.

use super::args;
use super::line::Call;
use super::sizes::Size;
use crate::builder::Builder;
use iota_trace::write::PartId;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A thread
#[derive(Clone)]
pub struct Thread {
    pid: u32,
    pub open: Rc<RefCell<BTreeMap<i32, Descriptor>>>,
    pub directory: Rc<RefCell<Vec<u8>>>,
    program: Rc<RefCell<Program>>,
    /// An earlier process had its number, and no call of this one is in the trace yet.
    takes_number: Rc<Cell<bool>>,
}

/// Path and arguments of what a process runs
#[derive(Clone, Default)]
struct Program {
    exe: Vec<u8>,
    argv: Vec<u8>,
}

#[derive(Clone)]
pub struct Descriptor {
    pub description: Rc<Description>,
    pub ends_at_exec: bool,
    /// When the call ended that made it
    pub since: i64,
}

/// What descriptors share
pub struct Description {
    pub path: Rc<[u8]>,
    /// Where it is known
    pub position: Cell<Option<i64>>,
    pub appends: Cell<bool>,
    /// Of the file
    pub size: Size,
}

/// What a child shares with its parent, or has a copy of
fn inherited<T: Clone>(of_parent: Rc<RefCell<T>>, is_shared: bool) -> Rc<RefCell<T>> {
    match is_shared {
        true => of_parent,
        false => Rc::new(RefCell::new(of_parent.borrow().clone())),
    }
}

fn has(flags: &[u8], flag: &[u8]) -> bool {
    flags.windows(flag.len()).any(|some| some == flag)
}

impl Thread {
    /// One that nobody made
    pub fn alone(pid: u32) -> Thread {
        Thread {
            pid,
            open: Rc::default(),
            directory: Rc::default(),
            program: Rc::default(),
            takes_number: Rc::default(),
        }
    }

    /// One that it made
    pub fn child(self, flags: &[u8], child: u32) -> Thread {
        let has = |flag| has(flags, flag);
        let is_thread = has(b"CLONE_THREAD");
        Thread {
            pid: if is_thread { self.pid } else { child },
            open: inherited(self.open, has(b"CLONE_FILES")),
            directory: inherited(self.directory, has(b"CLONE_FS")),
            program: inherited(self.program, is_thread),
            takes_number: match is_thread {
                true => self.takes_number,
                false => Rc::default(),
            },
        }
    }

    /// It has a copy of its own of what it shared until now.
    pub fn unshares(&mut self, flags: &[u8]) {
        let has = |flag| has(flags, flag);
        self.open = inherited(self.open.clone(), !has(b"CLONE_FILES"));
        self.directory = inherited(self.directory.clone(), !has(b"CLONE_FS"));
    }

    /// Its number is that of a thread or process that has ended.
    pub fn takes_number_of(&self, ended: u32) {
        self.takes_number
            .set(self.takes_number.get() || self.pid == ended);
    }

    /// Its process in the trace, with what it runs now
    pub fn part(&self, to: &mut Builder) -> PartId {
        if self.takes_number.take() {
            to.forget(0, self.pid);
        }
        let part = to.part(0, self.pid);
        let (about, program) = (to.about(part), self.program.borrow());
        if about.argv != program.argv {
            about.argv.clone_from(&program.argv);
            about.exe.clone_from(&program.exe);
        }
        part
    }

    /// Goes on as another program
    pub fn becomes(&self, call: &Call) {
        self.open
            .borrow_mut()
            .retain(|_, descriptor| !descriptor.ends_at_exec);
        let exe = call
            .args
            .first()
            .and_then(|path| args::string(path))
            .unwrap_or_default();
        let list = call.args.get(1).and_then(|list| list.strip_prefix(b"["));
        let (words, _) = args::split(list.unwrap_or_default());
        let words = words
            .into_iter()
            .map(|word| word.strip_suffix(b"]").unwrap_or(word));
        let argv = words
            .filter_map(args::string)
            .flat_map(|word| [word, vec![0]]);
        *self.program.borrow_mut() = Program {
            exe,
            argv: argv.flatten().collect(),
        };
    }
}

impl Descriptor {
    pub fn of(path: Rc<[u8]>, position: Option<i64>, size: Size) -> Descriptor {
        let description = Rc::new(Description {
            path,
            position: Cell::new(position),
            appends: Cell::new(false),
            size,
        });
        Descriptor {
            description,
            ends_at_exec: false,
            since: i64::MIN,
        }
    }
}
