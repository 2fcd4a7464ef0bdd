//! What is known of variables: asked once for each, and again after the file was changed.

use crate::GLOBAL;
use crate::asks::{DIMENSIONS, Library, NAME, PATH, VariableInfo};
use crate::files::OpenFile;
use core::ffi::{CStr, c_int};
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering::*};
use iota_runtime::library::{self, Thread};

/// Variables that are remembered. A power of two.
const ROOM: usize = 2048;
/// How many places a variable may take.
const NEAR: usize = 32;
/// The key of a place that is being filled: no variable has it.
const TAKEN: u64 = 1;
/// Unlimited dimensions of a variable that are followed.
const UNLIMITED: usize = 4;

/// What is known of a variable.
#[derive(Clone, Copy, Default)]
pub struct Variable {
    /// The id of its name, with that of its group; 0: not known.
    pub name: u64,
    /// Its dimensions; none: not known.
    pub dimensions: Option<usize>,
    /// Bytes of an element in the file.
    pub stored: u64,
    /// Elements along the dimensions that are not unlimited.
    fixed: u64,
    /// Elements of a chunk.
    pub chunk: u64,
    /// A dimension is unlimited.
    pub is_record: bool,
    /// Their numbers, and 1 more.
    unlimited: [c_int; UNLIMITED],
}

/// A place of a variable. Two threads may fill it at the same time only with the same.
struct VariableEntry {
    key: AtomicU64,
    /// Of which opening, and since which change of the file; of 0 only the access is known.
    opened: AtomicU32,
    version: AtomicU32,
    part: AtomicU32,
    name: AtomicU32,
    dimensions: AtomicU32,
    is_collective: AtomicBool,
    is_record: AtomicBool,
    stored: AtomicU64,
    fixed: AtomicU64,
    chunk: AtomicU64,
    unlimited: [AtomicI32; UNLIMITED],
}

/// Dimensions of a variable of which they are not known.
const UNKNOWN: u32 = u32::MAX;

static PLACES: [VariableEntry; ROOM] = [const {
    VariableEntry {
        key: AtomicU64::new(0),
        opened: AtomicU32::new(0),
        version: AtomicU32::new(0),
        part: AtomicU32::new(0),
        name: AtomicU32::new(0),
        dimensions: AtomicU32::new(0),
        is_collective: AtomicBool::new(false),
        is_record: AtomicBool::new(false),
        stored: AtomicU64::new(0),
        fixed: AtomicU64::new(0),
        chunk: AtomicU64::new(0),
        unlimited: [const { AtomicI32::new(0) }; UNLIMITED],
    }
}; ROOM];

/// A number for a variable: that of its opening, its group, and its own.
fn key(file: &OpenFile, ncid: c_int, varid: c_int) -> u64 {
    let (group, opened) = (ncid as u16, file.version().0);
    u64::from(opened) << 40 ^ u64::from(group) << 24 ^ (varid as u32 as u64).wrapping_add(2)
}

fn near(key: u64) -> impl Iterator<Item = &'static VariableEntry> {
    let first = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize;
    (0..NEAR).filter_map(move |i| PLACES.get(first.wrapping_add(i) & (ROOM - 1)))
}

fn find(file: &OpenFile, ncid: c_int, varid: c_int) -> Option<&'static VariableEntry> {
    let key = key(file, ncid, varid);
    let place = near(key).find(|place| place.key.load(Acquire) == key)?;
    (place.opened.load(Relaxed) == file.version().0).then_some(place)
}

/// A place of its own; if all are taken, the first of another file.
fn made(file: &OpenFile, ncid: c_int, varid: c_int) -> Option<&'static VariableEntry> {
    if let Some(place) = find(file, ncid, varid) {
        return Some(place);
    }
    let (key, opened) = (key(file, ncid, varid), file.version().0);
    let taken = |place: &VariableEntry, old| {
        let taken = place.key.compare_exchange(old, TAKEN, Acquire, Relaxed);
        taken.is_ok()
    };
    let free = || near(key).find(|place| taken(place, 0));
    let other = || {
        near(key).find(|place| {
            let old = place.key.load(Relaxed);
            old > TAKEN && place.opened.load(Relaxed) != opened && taken(place, old)
        })
    };
    let place = free().or_else(other)?;
    place.opened.store(opened, Relaxed);
    place.part.store(0, Relaxed);
    place.is_collective.store(false, Relaxed);
    place.key.store(key, Release);
    Some(place)
}

/// Whether transfers of a variable, or of all, are collective.
pub fn is_collective(file: &OpenFile, ncid: c_int, varid: c_int) -> bool {
    let is = |varid| find(file, ncid, varid).is_some_and(|place| place.is_collective.load(Relaxed));
    is(varid) || is(GLOBAL)
}

/// `nc_var_par_access` has worked.
pub fn set_access(file: &OpenFile, ncid: c_int, varid: c_int, is_collective: bool) {
    if let Some(place) = made(file, ncid, varid) {
        place.is_collective.store(is_collective, Relaxed);
    }
}

/// The name of a variable if it is known; 0 for the file itself.
pub fn name(file: Option<&OpenFile>, ncid: c_int, varid: c_int) -> u64 {
    let known = || {
        let file = file.filter(|_| varid != GLOBAL)?;
        let place = find(file, ncid, varid)?;
        place.known(file).map(|variable| variable.name)
    };
    known().unwrap_or(0)
}

/// What is known of a variable that a call has just used.
pub fn of(
    library: Library,
    thread: &Thread,
    file: &OpenFile,
    ncid: c_int,
    varid: c_int,
) -> Variable {
    let place = made(file, ncid, varid);
    if let Some(known) = place.and_then(|place| place.known(file)) {
        return known;
    }
    let asked = library::quietly(thread, || ask(library, ncid, varid));
    let Some((info, mut variable)) = asked else {
        return Variable::default();
    };
    variable.name = full_name(library, thread, ncid, &info);
    if let Some(place) = place {
        place.fill(file, &variable);
    }
    variable
}

fn ask(library: Library, ncid: c_int, varid: c_int) -> Option<(VariableInfo, Variable)> {
    let info = library.variable(ncid, varid)?;
    let mut variable = Variable {
        stored: library.size(ncid, info.kind),
        fixed: 1,
        chunk: library.chunk(ncid, varid, info.dimensions),
        ..Variable::default()
    };
    if info.dimensions > DIMENSIONS {
        return Some((info, variable));
    }
    variable.dimensions = Some(info.dimensions);
    let mut unlimited = variable.unlimited.iter_mut();
    for id in info.ids.iter().take(info.dimensions) {
        if library.is_unlimited(ncid, *id) {
            variable.is_record = true;
            if let Some(place) = unlimited.next() {
                *place = id.wrapping_add(1);
            }
        } else {
            let length = library.length(ncid, *id)?;
            variable.fixed = variable.fixed.wrapping_mul(length);
        }
    }
    Some((info, variable))
}

/// The name with that of the group before it, if that is not the root.
fn full_name(library: Library, thread: &Thread, ncid: c_int, info: &VariableInfo) -> u64 {
    let mut path = [0; PATH + NAME];
    let Some((group, _)) = path.split_first_chunk_mut::<PATH>() else {
        return 0;
    };
    let mut length = library::quietly(thread, || library.group(ncid, group)).unwrap_or(0);
    if length > 0 && group.get(length.wrapping_sub(1)) != Some(&b'/') {
        if let Some(slash) = group.get_mut(length) {
            *slash = b'/';
        }
        length = length.wrapping_add(1);
    }
    let name = CStr::from_bytes_until_nul(&info.name)
        .unwrap_or_default()
        .to_bytes();
    let behind = path.get_mut(length..).unwrap_or_default();
    for (to, from) in behind.iter_mut().zip(name) {
        *to = *from;
    }
    let all = length.wrapping_add(name.len());
    library::text(thread, path.get(..all).unwrap_or(name)).into()
}

impl Variable {
    /// All its elements now. What an unlimited dimension has may stand in a file that other ranks have open: then it is not
    /// asked for.
    pub fn elements(
        &self,
        library: Library,
        thread: &Thread,
        file: &OpenFile,
        ncid: c_int,
    ) -> Option<u64> {
        self.dimensions?;
        if self.is_record && file.is_shared() && !library.is_parallel {
            return None;
        }
        let mut unlimited = self.unlimited.iter().filter(|id| **id > 0);
        library::quietly(thread, || {
            unlimited.try_fold(self.fixed, |all, id| {
                Some(all.wrapping_mul(library.length(ncid, id.wrapping_sub(1))?))
            })
        })
    }
}

impl VariableEntry {
    /// What is known, if it still holds and this part has the name.
    fn known(&self, file: &OpenFile) -> Option<Variable> {
        let holds = self.part.load(Acquire) == library::part().wrapping_add(1)
            && self.version.load(Relaxed) == file.version().1;
        let dimensions = self.dimensions.load(Relaxed);
        let mut unlimited = [0; UNLIMITED];
        for (to, from) in unlimited.iter_mut().zip(&self.unlimited) {
            *to = from.load(Relaxed);
        }
        holds.then(|| Variable {
            name: self.name.load(Relaxed).into(),
            dimensions: (dimensions != UNKNOWN).then_some(dimensions as usize),
            stored: self.stored.load(Relaxed),
            fixed: self.fixed.load(Relaxed),
            chunk: self.chunk.load(Relaxed),
            is_record: self.is_record.load(Relaxed),
            unlimited,
        })
    }

    fn fill(&self, file: &OpenFile, variable: &Variable) {
        self.part.store(0, Relaxed);
        self.version.store(file.version().1, Relaxed);
        self.name.store(variable.name as u32, Relaxed);
        let dimensions = variable.dimensions.map_or(UNKNOWN, |count| count as u32);
        self.dimensions.store(dimensions, Relaxed);
        self.stored.store(variable.stored, Relaxed);
        self.fixed.store(variable.fixed, Relaxed);
        self.chunk.store(variable.chunk, Relaxed);
        self.is_record.store(variable.is_record, Relaxed);
        for (to, from) in self.unlimited.iter().zip(variable.unlimited) {
            to.store(from, Relaxed);
        }
        self.part.store(library::part().wrapping_add(1), Release);
    }
}
