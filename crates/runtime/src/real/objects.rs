//! The program and the libraries that are loaded, as the dynamic linker has them.

use crate::sys;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ops::Range;
use iota_trace::fnv::Fnv;
use libc::dl_phdr_info;

/// Calls `each` with every object, until it returns true. The dynamic linker holds its list meanwhile: nothing may be
/// opened or asked of it there. Another thread that opens something waits for the list, and holds what `dladdr` and `dlsym`
/// wait for.
fn for_each(mut each: impl FnMut(&dl_phdr_info) -> bool) {
    unsafe extern "C" fn one<F: FnMut(&dl_phdr_info) -> bool>(
        info: *mut dl_phdr_info,
        _: usize,
        each: *mut c_void,
    ) -> c_int {
        // SAFETY: the dynamic linker's object, and what is passed below.
        let (each, info) = unsafe { (&mut *each.cast::<F>(), &*info) };
        each(info).into()
    }
    fn start<F: FnMut(&dl_phdr_info) -> bool>(each: &mut F) {
        // SAFETY: `one` has the type that is asked for, and takes `each` as what it is.
        unsafe { libc::dl_iterate_phdr(Some(one::<F>), (&raw mut *each).cast()) };
    }
    start(&mut each);
}

/// Does this while no object is loaded, and no other thread does the same.
pub fn exclusively<R>(act: impl FnOnce() -> R) -> Option<R> {
    let (mut act, mut result) = (Some(act), None);
    for_each(|_| {
        result = act.take().map(|act| act());
        true
    });
    result
}

/// The name of the nth library, not counting the program itself.
pub fn name(nth: usize) -> Option<&'static CStr> {
    let (mut left, mut found) = (nth, None);
    for_each(|info| {
        let own = own_name(info);
        if left == 0 {
            found = own;
        }
        left = left.wrapping_sub(usize::from(own.is_some()));
        found.is_some()
    });
    found
}

/// The name of the library in which an address lies; None: it is in the program, or in no object.
pub fn name_of(address: usize) -> Option<&'static CStr> {
    of_object(address, own_name)
}

/// The name of an object that has one.
fn own_name(info: &dl_phdr_info) -> Option<&'static CStr> {
    if info.dlpi_name.is_null() {
        return None;
    }
    // SAFETY: the dynamic linker's, as long as the object is loaded.
    let name = unsafe { CStr::from_ptr(info.dlpi_name) };
    (!name.is_empty()).then_some(name)
}

/// What an object's dynamic section says of its symbols, and of the places where their addresses go.
#[derive(Clone, Copy)]
pub struct Object {
    pub base: usize,
    pub symbols: usize,
    pub names: usize,
    /// Bytes of all names.
    names_size: usize,
    /// The GNU hash table; 0 without one.
    pub hash: usize,
    /// The number of each symbol's version; 0 without versions.
    pub versions: usize,
    /// The versions that the object defines; 0 for none.
    pub defined: usize,
    /// The versions that it wants of others; 0 for none.
    pub needed: usize,
    /// Where among the names its own is; 0 without one.
    pub soname: usize,
    /// Stands for another library, which the dynamic linker looks into first.
    pub is_filter: bool,
    places: [SymbolTable; 2],
    /// So many places at the start of the first table want no symbol.
    relative: usize,
}

/// A table of places, by its address and its bytes.
#[derive(Clone, Copy)]
struct SymbolTable {
    at: usize,
    size: usize,
}

/// `Elf64_Rela`; the symbol's number is the upper half of `info`.
#[repr(C)]
struct Relocation {
    offset: u64,
    info: u64,
    addend: i64,
}

// <elf.h>
const PF_R: u32 = 4;
const DT_PLTRELSZ: i64 = 2;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_RELA: i64 = 7;
const DT_RELASZ: i64 = 8;
const DT_STRSZ: i64 = 10;
const DT_SONAME: i64 = 14;
const DT_JMPREL: i64 = 23;
const DT_GNU_HASH: i64 = 0x6fff_fef5;
const DT_VERSYM: i64 = 0x6fff_fff0;
const DT_RELACOUNT: i64 = 0x6fff_fff9;
const DT_VERDEF: i64 = 0x6fff_fffc;
const DT_VERNEED: i64 = 0x6fff_fffe;
const DT_AUXILIARY: i64 = 0x7fff_fffd;
const DT_FILTER: i64 = 0x7fff_ffff;

impl Object {
    pub const NONE: Object = Object {
        base: 0,
        symbols: 0,
        names: 0,
        names_size: 0,
        hash: 0,
        versions: 0,
        defined: 0,
        needed: 0,
        soname: 0,
        is_filter: false,
        places: [SymbolTable { at: 0, size: 0 }; 2],
        relative: 0,
    };

    pub(super) fn of(info: &dl_phdr_info) -> Option<Object> {
        let section = headers(info).find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let base = info.dlpi_addr as usize;
        // The dynamic linker adds the base, but for what it cannot write to.
        let address = |value: usize| match value < base {
            true => value.wrapping_add(base),
            false => value,
        };
        let mut entry = base.wrapping_add(section.p_vaddr as usize) as *const [i64; 2];
        let mut object = Object {
            base,
            ..Object::NONE
        };
        loop {
            // SAFETY: the table ends with an entry of zeros.
            let [tag, value] = unsafe { *entry };
            let value = value as usize;
            let [table, calls] = &mut object.places;
            match tag {
                0 => break,
                DT_STRTAB => object.names = address(value),
                DT_STRSZ => object.names_size = value,
                DT_SYMTAB => object.symbols = address(value),
                DT_GNU_HASH => object.hash = address(value),
                DT_VERSYM => object.versions = address(value),
                DT_VERDEF => object.defined = address(value),
                DT_VERNEED => object.needed = address(value),
                DT_SONAME => object.soname = value,
                DT_AUXILIARY | DT_FILTER => object.is_filter = true,
                DT_RELA => table.at = address(value),
                DT_RELASZ => table.size = value,
                DT_RELACOUNT => object.relative = value,
                DT_JMPREL => calls.at = address(value),
                DT_PLTRELSZ => calls.size = value,
                _ => (),
            }
            entry = entry.wrapping_add(1);
        }
        (object.symbols != 0 && object.names != 0).then_some(object)
    }

    /// One of its names.
    ///
    /// # Safety
    /// The object's own number of it.
    pub unsafe fn name(&self, number: usize) -> &'static CStr {
        // SAFETY: among the object's names, each of which ends with NUL.
        unsafe { CStr::from_ptr((self.names as *const c_char).add(number)) }
    }

    /// Whether a symbol that it wants of others has a name which begins so, or perhaps another name does. `None`: it does
    /// not tell which they are.
    pub fn wants_any(&self, beginning: &[u8]) -> Option<bool> {
        if self.hash == 0 {
            return None;
        }
        // SAFETY: the second word of the table is the first symbol that is in it; undefined ones come before.
        let first = unsafe { *(self.hash as *const u32).add(1) } as usize;
        let symbol = size_of::<libc::Elf64_Sym>();
        let end = match first > 1 {
            true => first,
            // GNU ld says 1 if nothing is in the table, whatever comes before. The names lie behind the symbols.
            false => self.names.checked_sub(self.symbols)? / symbol,
        };
        let symbols = self.symbols as *const libc::Elf64_Sym;
        let begins = |number: usize| {
            // SAFETY: a symbol, or what is between the symbols and their names.
            let name = unsafe { &*symbols.add(number) }.st_name as usize;
            let at = (self.names as *const u8).wrapping_add(name);
            // SAFETY: inside the names, the last of which ends with NUL, up to the first byte that is another.
            let is_at = |(n, byte): (usize, &u8)| unsafe { *at.add(n) } == *byte;
            name < self.names_size && beginning.iter().enumerate().all(is_at)
        };
        Some((1..end).any(begins))
    }

    /// Calls `each` with every place where the address of a symbol goes.
    pub fn for_each_place(&self, mut each: impl FnMut(&Relocated)) {
        let [table, calls] = self.places;
        for (table, first) in [(table, self.relative), (calls, 0)] {
            for n in first..table.size / size_of::<Relocation>() {
                // SAFETY: inside the table.
                let place = unsafe { &*(table.at as *const Relocation).add(n) };
                let symbol = (place.info >> 32) as usize;
                if symbol != 0 {
                    each(&Relocated {
                        address: self.base.wrapping_add(place.offset as usize),
                        kind: place.info as u32,
                        addend: place.addend,
                        // SAFETY: the object's own number of a symbol.
                        symbol: unsafe { &*(self.symbols as *const libc::Elf64_Sym).add(symbol) },
                    });
                }
            }
        }
    }
}

/// A place where the address of a symbol goes.
pub struct Relocated<'o> {
    pub address: usize,
    /// `R_X86_64_`, `R_AARCH64_`.
    pub kind: u32,
    pub addend: i64,
    pub symbol: &'o libc::Elf64_Sym,
}

/// An object with its segments.
pub struct Loaded<'i> {
    pub object: Object,
    info: &'i dl_phdr_info,
}

impl Loaded<'_> {
    /// The segment of these rights (`PF_`) that an address lies in.
    pub fn segment(&self, address: usize, rights: u32) -> Option<Range<usize>> {
        let of_rights = |header: &&libc::Elf64_Phdr| {
            header.p_type == libc::PT_LOAD && header.p_flags & rights == rights
        };
        let segments = headers(self.info).filter(of_rights);
        let mut ranges = segments.map(|header| range(self.info, header));
        ranges.find(|range| range.contains(&address))
    }

    /// From its first address to its last.
    pub fn range_of_all(&self) -> Range<usize> {
        range_of_all(self.info)
    }

    /// What tells the object's file from others.
    pub fn fingerprint(&self) -> u64 {
        let all = self.info.dlpi_phdr.cast::<u8>();
        let length = (self.info.dlpi_phnum as usize).wrapping_mul(size_of::<libc::Elf64_Phdr>());
        // SAFETY: as many headers as it says.
        let all = unsafe { core::slice::from_raw_parts(all, length) };
        let notes = headers(self.info).filter(|header| header.p_type == libc::PT_NOTE);
        let notes = notes
            .map(|header| range(self.info, header))
            .filter(|notes| {
                let whole = self.segment(notes.start, PF_R);
                whole.is_some_and(|whole| notes.end <= whole.end)
            });
        let start = Fnv::START.and(all);
        let all = notes.fold(start, |sum, notes| {
            // SAFETY: in a segment that can be read.
            sum.and(unsafe { core::slice::from_raw_parts(notes.start as *const u8, notes.len()) })
        });
        all.number()
    }

    /// What the dynamic linker protects against writing when it has filled it.
    pub fn protected(&self) -> Option<Range<usize>> {
        let header = headers(self.info).find(|header| header.p_type == libc::PT_GNU_RELRO)?;
        Some(range(self.info, header))
    }

    /// The object's name; of the program it is empty.
    pub fn name(&self) -> &CStr {
        own_name(self.info).unwrap_or_default()
    }

    /// How many objects were loaded, and how many of them were taken away, so far.
    pub fn changes(&self) -> (u64, u64) {
        (self.info.dlpi_adds, self.info.dlpi_subs)
    }
}

/// From first to last address of the object in which this one lies.
pub fn around(address: usize) -> Range<usize> {
    of_object(address, |info| Some(range_of_all(info))).unwrap_or_default()
}

/// What is asked of the object in which an address lies.
fn of_object<R>(address: usize, ask: impl Fn(&dl_phdr_info) -> Option<R>) -> Option<R> {
    let mut found = None;
    for_each(|info| {
        let is_it = holds(info, address);
        if is_it {
            found = ask(info);
        }
        is_it
    });
    found
}

fn headers(info: &dl_phdr_info) -> impl Iterator<Item = &libc::Elf64_Phdr> {
    // SAFETY: as many headers as it says.
    (0..info.dlpi_phnum as usize).map(|i| unsafe { &*info.dlpi_phdr.add(i) })
}

/// Where a segment is loaded.
fn range(info: &dl_phdr_info, header: &libc::Elf64_Phdr) -> Range<usize> {
    let start = (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
    start..start.wrapping_add(header.p_memsz as usize)
}

/// The segments of an object that are loaded.
fn segments(info: &dl_phdr_info) -> impl Iterator<Item = Range<usize>> {
    let loaded = headers(info).filter(|header| header.p_type == libc::PT_LOAD);
    loaded.map(|header| range(info, header))
}

/// The first address of an object that is not loaded anywhere yet.
pub(super) fn first(info: &dl_phdr_info) -> usize {
    range_of_all(info).start
}

/// From an object's first address to its last.
fn range_of_all(info: &dl_phdr_info) -> Range<usize> {
    let both = |a: Range<usize>, b: Range<usize>| a.start.min(b.start)..a.end.max(b.end);
    segments(info).reduce(both).unwrap_or_default()
}

/// Whether two addresses are in one object.
pub fn are_together(one: usize, other: usize) -> bool {
    let mut are = false;
    for_each(|info| {
        let is_it = holds(info, one);
        are = is_it && holds(info, other);
        is_it
    });
    are
}

/// Calls `each` with every object that has symbols, until it returns true.
pub fn for_each_loaded(mut each: impl FnMut(&Loaded) -> bool) {
    for_each(|info| {
        let object = Object::of(info);
        object.is_some_and(|object| each(&Loaded { object, info }))
    });
}

/// True when the object is loaded where the address lies.
fn holds(info: &dl_phdr_info, address: usize) -> bool {
    segments(info).any(|segment| segment.contains(&address))
}

/// Calls `each` with every object that the dynamic linker searches, in the order in which they were loaded, and whether the
/// address lies in it, until it returns false. One without symbols, and a program that is not the first of all, is none.
pub fn for_each_searched(address: usize, mut each: impl FnMut(Option<&Object>, bool) -> bool) {
    let of_the_kernel = sys::object_of_the_kernel();
    let mut is_first = true;
    for_each(|info| {
        if info.dlpi_addr as usize == of_the_kernel && !is_first {
            return false;
        }
        let is_named = own_name(info).is_some();
        let object = Object::of(info).filter(|_| is_first != is_named);
        is_first = false;
        !each(object.as_ref(), holds(info, address))
    });
}

#[cfg(test)]
mod tests;
