//! What is known of files and objects that the program has open, by their ids.

use crate::{Naming, hid_t};
use core::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering::*};
use iota_runtime::library::{self, FileId};

/// Ids open at once at most, of which records say all without asking again. A power of two.
const ROOM: usize = 2048;
/// How many places an id may take.
const NEAR: usize = 16;
/// The id of a place that is being filled; no id is negative.
const TAKEN: hid_t = -1;

/// A file, or an object in one.
pub struct Object {
    id: AtomicI64,
    library: AtomicU32,
    /// In which part file and texts have these ids.
    part: AtomicU32,
    file: AtomicU32,
    /// Its path in the file.
    name: AtomicU32,
    naming: AtomicU32,
    /// A hash of the name by which HDF5 has opened the file.
    opened_as: AtomicU64,
    /// Of a dataset: 1 once the rest is known.
    is_described: AtomicU32,
    layout: AtomicU32,
    filters: AtomicU32,
    /// Of an attribute, which has a fixed number.
    elements: AtomicU64,
    stored: AtomicU64,
    chunk: AtomicU64,
    /// The type of the last transfer, its size, and whether it differs from the dataset's.
    memory_type: AtomicI64,
    element: AtomicU64,
    is_converted: AtomicU32,
}

static OBJECTS: [Object; ROOM] = [const {
    Object {
        id: AtomicI64::new(0),
        library: AtomicU32::new(0),
        part: AtomicU32::new(0),
        file: AtomicU32::new(0),
        name: AtomicU32::new(0),
        naming: AtomicU32::new(0),
        opened_as: AtomicU64::new(0),
        is_described: AtomicU32::new(0),
        layout: AtomicU32::new(0),
        filters: AtomicU32::new(0),
        elements: AtomicU64::new(0),
        stored: AtomicU64::new(0),
        chunk: AtomicU64::new(0),
        memory_type: AtomicI64::new(0),
        element: AtomicU64::new(0),
        is_converted: AtomicU32::new(0),
    }
}; ROOM];

#[inline(always)]
fn first_place(id: hid_t) -> usize {
    (id as usize).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40 & (ROOM - 1)
}

fn near(id: hid_t) -> impl Iterator<Item = &'static Object> {
    let first = first_place(id);
    (0..NEAR).filter_map(move |i| OBJECTS.get(first.wrapping_add(i) & (ROOM - 1)))
}

/// What is known of an id of a library.
#[inline(always)]
pub fn find(library: u32, id: hid_t) -> Option<&'static Object> {
    let first = OBJECTS.get(first_place(id))?;
    if first.is(library, id) {
        return Some(first);
    }
    find_further(library, id)
}

#[inline(never)]
fn find_further(library: u32, id: hid_t) -> Option<&'static Object> {
    near(id).find(|object| object.is(library, id))
}

/// It has been closed.
pub fn forget(library: u32, id: hid_t) {
    if let Some(object) = find(library, id) {
        object.id.store(0, Release);
    }
}

/// The library has closed all.
pub fn forget_all(library: u32) {
    let all = OBJECTS.iter();
    for object in all.filter(|object| object.library.load(Relaxed) == library) {
        let id = object.id.load(Relaxed);
        if id > 0 {
            // Another thread may have put another id here.
            let _ = object.id.compare_exchange(id, 0, Release, Relaxed);
        }
    }
}

/// What is learnt of an id.
pub struct ObjectInfo {
    pub library: u32,
    pub id: hid_t,
    pub file: FileId,
    pub name: u32,
    pub naming: Naming,
    pub opened_as: u64,
}

/// It has been opened. If there is no place, one that another id has is taken: ids that were closed by the library itself
/// would stay for ever.
pub fn remember(learnt: &ObjectInfo) -> Option<&'static Object> {
    forget(learnt.library, learnt.id);
    let take = |object: &&Object, from| {
        let taken = object.id.compare_exchange(from, TAKEN, Acquire, Relaxed);
        taken.is_ok()
    };
    let free = near(learnt.id).find(|object| take(object, 0));
    let object = free.or_else(|| {
        let first = OBJECTS.get(first_place(learnt.id));
        first.filter(|object| {
            let id = object.id.load(Relaxed);
            id != TAKEN && take(object, id)
        })
    })?;
    object.library.store(learnt.library, Relaxed);
    object.part.store(library::part(), Relaxed);
    object.file.store(learnt.file.id(), Relaxed);
    object.name.store(learnt.name, Relaxed);
    let naming = match learnt.naming {
        Naming::Unnamed => 0,
        Naming::Named => 1,
        Naming::Attribute => 2,
    };
    object.naming.store(naming, Relaxed);
    object.opened_as.store(learnt.opened_as, Relaxed);
    object.is_described.store(0, Relaxed);
    object.memory_type.store(0, Relaxed);
    object.id.store(learnt.id, Release);
    Some(object)
}

/// What a dataset or attribute is like.
#[derive(Clone, Copy, Default)]
pub struct Dataset {
    /// Of an attribute.
    pub elements: u64,
    pub stored: u64,
    pub layout: u32,
    pub chunk: u64,
    pub filters: u32,
}

/// The type of a transfer: its size in memory, and whether it differs from the dataset's.
#[derive(Clone, Copy, Default)]
pub struct Element {
    pub size: u64,
    pub is_converted: bool,
}

impl Object {
    #[inline(always)]
    fn is(&self, library: u32, id: hid_t) -> bool {
        self.id.load(Acquire) == id && id > 0 && self.library.load(Relaxed) == library
    }

    /// Whether this part has its names.
    #[inline(always)]
    pub fn is_of_part(&self) -> bool {
        self.part.load(Relaxed) == library::part()
    }

    /// How the program opened it.
    pub fn naming(&self) -> Naming {
        match self.naming.load(Relaxed) {
            1 => Naming::Named,
            2 => Naming::Attribute,
            _ => Naming::Unnamed,
        }
    }

    /// Its file, if this part has its name.
    #[inline(always)]
    pub fn file(&self) -> FileId {
        if self.is_of_part() {
            FileId::from_id(self.file.load(Relaxed))
        } else {
            FileId::NONE
        }
    }

    /// Its path in the file, likewise.
    #[inline(always)]
    pub fn name(&self) -> u32 {
        if self.is_of_part() {
            self.name.load(Relaxed)
        } else {
            0
        }
    }

    /// The file, if that is the one which HDF5 has opened by a name of this hash.
    pub fn file_opened_as(&self, hash: u64) -> Option<FileId> {
        let is_same = self.opened_as.load(Relaxed) == hash && self.is_of_part();
        is_same.then(|| self.file())
    }

    /// What the dataset is like, if that is known.
    #[inline(always)]
    pub fn dataset(&self) -> Option<Dataset> {
        (self.is_described.load(Acquire) != 0).then(|| Dataset {
            elements: self.elements.load(Relaxed),
            stored: self.stored.load(Relaxed),
            layout: self.layout.load(Relaxed),
            chunk: self.chunk.load(Relaxed),
            filters: self.filters.load(Relaxed),
        })
    }

    pub fn describe(&self, dataset: Dataset) {
        self.elements.store(dataset.elements, Relaxed);
        self.stored.store(dataset.stored, Relaxed);
        self.layout.store(dataset.layout, Relaxed);
        self.chunk.store(dataset.chunk, Relaxed);
        self.filters.store(dataset.filters, Relaxed);
        self.is_described.store(1, Release);
    }

    /// What is known of this type as that of a transfer.
    #[inline(always)]
    pub fn element(&self, memory_type: hid_t) -> Option<Element> {
        (self.memory_type.load(Acquire) == memory_type).then(|| Element {
            size: self.element.load(Relaxed),
            is_converted: self.is_converted.load(Relaxed) != 0,
        })
    }

    pub fn set_element(&self, memory_type: hid_t, element: Element) {
        self.memory_type.store(0, Release);
        self.element.store(element.size, Relaxed);
        self.is_converted
            .store(element.is_converted.into(), Relaxed);
        self.memory_type.store(memory_type, Release);
    }
}
