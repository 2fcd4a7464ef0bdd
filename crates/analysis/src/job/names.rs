//! Files, layouts and functions by numbers that hold in all parts of a job.

use super::{FileId, Media, OpId};
use crate::Meter;
use crate::time_category::TimeCategory;
use hashbrown::HashTable;
use iota_calls::{Effects, Kind, Layer};
use iota_trace::lustre::Layout;
use iota_trace::read::Op;
use iota_trace::text;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, OnceLock};

/// Files of the job, each path once, in the order in which the parts name them: numbers are the same whenever the trace
/// is read.
#[derive(Debug)]
pub struct Files {
    text: Vec<u8>,
    /// Where each path ends.
    ends: Vec<usize>,
    layouts: HashMap<FileId, Arc<[u8]>>,
    /// Found by the path, which stands in `text` alone.
    ids: HashTable<FileId>,
    hasher: RandomState,
    media: OnceLock<Media>,
}

/// Layouts of the job, each once.
#[derive(Debug, Default)]
pub struct Layouts {
    all: Vec<Arc<[u8]>>,
    ids: HashMap<Arc<[u8]>, u32>,
}

impl Layouts {
    pub(super) fn enter(&mut self, layout: &[u8]) -> Arc<[u8]> {
        if let Some((known, _)) = self.ids.get_key_value(layout) {
            return known.clone();
        }
        let layout: Arc<[u8]> = layout.into();
        self.all.push(layout.clone());
        self.ids.insert(layout.clone(), self.all.len() as u32);
        layout
    }

    pub(super) fn find(&self, layout: &[u8]) -> u32 {
        self.ids.get(layout).copied().unwrap_or(0)
    }

    /// The layout of a number that [`Ids::layout`] gave.
    #[inline(always)]
    pub fn get(&self, id: u32) -> Option<Layout<'_>> {
        let at = id.checked_sub(1)?;
        self.all.get(at as usize).map(|layout| Layout(layout))
    }
}

/// Functions of the job.
#[derive(Debug)]
pub struct Ops {
    all: Vec<Function>,
    /// By name, layer, kind and effects.
    ids: HashMap<(Vec<u8>, [u8; 3]), OpId>,
}

/// A function that was called.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name; empty where the trace has lost it.
    pub name: Vec<u8>,
    /// What it does.
    pub kind: Kind,
    /// What the time of its calls goes into; `None` for what is no I/O.
    pub class: Option<TimeCategory>,
    /// `iota_calls::Layer`.
    pub layer: u8,
    /// What it does to handles, and how its result counts.
    pub effects: Effects,
    /// How many bytes a call of it moves.
    pub meter: Meter,
    /// Whether its calls count: it works on descriptors or streams, which what layers above them move comes down to, or is
    /// of a layer that was asked for alone.
    pub is_io: bool,
    /// Whether it is of a library above descriptors and streams.
    pub is_library: bool,
    /// Whether the time of its calls is I/O, of whatever layer: it is no function that the user named, is no server's, and
    /// starts or ends no process.
    pub does_io: bool,
    /// Whether it only asks for attributes of a file.
    pub is_query: bool,
}

impl Files {
    pub(super) fn new() -> Files {
        Files {
            text: Vec::new(),
            ends: vec![0],
            layouts: HashMap::new(),
            ids: HashTable::new(),
            hasher: RandomState::new(),
            media: OnceLock::new(),
        }
    }

    pub(super) fn enter(&mut self, path: &[u8]) -> FileId {
        if let Some(known) = self.find(path) {
            return known;
        }
        let id = self.ends.len() as FileId;
        self.text.extend_from_slice(path);
        self.ends.push(self.text.len());
        let Files {
            text, ends, hasher, ..
        } = self;
        let hash = |id: &FileId| hasher.hash_one(of(text, ends, *id));
        self.ids.insert_unique(hash(&id), id, hash);
        id
    }

    /// The first one stands.
    pub(super) fn set_layout(&mut self, file: FileId, layout: Arc<[u8]>) {
        self.layouts.entry(file).or_insert(layout);
    }

    /// The number of a path.
    pub fn find(&self, path: &[u8]) -> Option<FileId> {
        let hash = self.hasher.hash_one(path);
        self.ids.find(hash, |id| self.path(*id) == path).copied()
    }

    /// The path of a number; empty for [`NO_FILE`].
    pub fn path(&self, id: FileId) -> &[u8] {
        of(&self.text, &self.ends, id)
    }

    /// How a file lies on Lustre.
    pub fn layout(&self, id: FileId) -> Option<Layout<'_>> {
        self.layouts.get(&id).map(|layout| Layout(layout))
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What they are on.
    pub fn media(&self) -> Media {
        let media = || Media::of(self.all().map(|(_, path)| path));
        self.media.get_or_init(media).clone()
    }

    /// Numbers and paths.
    pub fn all(&self) -> impl Iterator<Item = (FileId, &[u8])> {
        (1..self.ends.len() as FileId).map(|id| (id, self.path(id)))
    }
}

/// A path among all.
fn of<'t>(text: &'t [u8], ends: &[usize], id: FileId) -> &'t [u8] {
    let id = id as usize;
    match id.checked_sub(1) {
        Some(before) if id < ends.len() => &text[ends[before]..ends[id]],
        _ => b"",
    }
}

impl Ops {
    pub(super) fn new() -> Ops {
        let lost = Function {
            name: Vec::new(),
            kind: Kind::Other,
            layer: u8::MAX,
            effects: Effects::NONE,
            meter: Meter::NONE,
            class: TimeCategory::of(Kind::Other, u8::MAX),
            is_io: false,
            is_library: false,
            does_io: true,
            is_query: false,
        };
        Ops {
            all: vec![lost],
            ids: HashMap::new(),
        }
    }

    pub(super) fn enter(&mut self, op: Op) {
        let next = self.all.len();
        let key = key(op);
        if next > usize::from(OpId::MAX) || self.ids.contains_key(&key) {
            return;
        }
        self.ids.insert(key, next as OpId);
        self.all.push(Function {
            name: op.name.to_owned(),
            kind: Kind::of(op.kind),
            class: TimeCategory::of(Kind::of(op.kind), op.layer),
            layer: op.layer,
            effects: Effects::of_byte(op.effects),
            meter: Meter::of(op),
            is_io: op.layer == Layer::Posix as u8 || op.layer == Layer::Stdio as u8,
            is_library: Layer::of(op.layer).is_some_and(Layer::is_library),
            does_io: does_io(op),
            is_query: is_query(&op),
        });
    }

    /// Has those counted that are asked for, if none of descriptors and streams are.
    pub(super) fn count(&mut self, asked: impl Fn(&Function) -> bool) {
        if !self
            .all
            .iter()
            .any(|function| function.is_io && asked(function))
        {
            for function in &mut self.all {
                function.is_io = asked(function);
                function.does_io = function.is_io;
            }
        }
    }

    pub(super) fn find(&self, op: Op) -> Option<OpId> {
        self.ids.get(&key(op)).copied()
    }

    /// All functions by their numbers; the first stands for calls whose function the trace has lost.
    pub fn all(&self) -> &[Function] {
        &self.all
    }

    /// A function.
    #[inline(always)]
    pub fn get(&self, id: OpId) -> &Function {
        &self.all[usize::from(id)]
    }
}

fn is_query(op: &Op) -> bool {
    let asks = |word: &[u8]| op.name.windows(word.len()).any(|part| part == word);
    asks(b"stat") || asks(b"access")
}

fn does_io(op: Op) -> bool {
    let is_of_user_or_server = matches!(Layer::of(op.layer), Some(Layer::User | Layer::Server));
    !is_of_user_or_server && Kind::of(op.kind) != Kind::Process
}

fn key(op: Op) -> (Vec<u8>, [u8; 3]) {
    (op.name.to_owned(), [op.layer, op.kind, op.effects])
}

impl Function {
    /// Its layer's name.
    pub fn layer_name(&self) -> &'static str {
        text::layer(self.layer)
    }
}
