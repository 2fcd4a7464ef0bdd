//! The program and the libraries that are loaded, as the dynamic linker has them.

use core::ffi::{CStr, c_char, c_int, c_void};
use libc::dl_phdr_info;

/// Calls `each` with every object, until it returns true. The dynamic linker holds its list meanwhile: nothing may be
/// opened there.
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

/// The name of the nth library, not counting the program itself.
pub fn name(nth: usize) -> Option<&'static CStr> {
    let (mut left, mut found) = (nth, None);
    for_each(|info| {
        // SAFETY: null, or a string.
        let named = !info.dlpi_name.is_null() && unsafe { *info.dlpi_name } != 0;
        if named && left == 0 {
            // SAFETY: the dynamic linker's, as long as the library is loaded.
            found = Some(unsafe { CStr::from_ptr(info.dlpi_name) });
        }
        left = left.wrapping_sub(usize::from(named));
        found.is_some()
    });
    found
}

/// What an object's dynamic section says of its symbols, and of the places where their addresses go.
#[derive(Default)]
struct Dynamic {
    symbols: usize,
    names: usize,
    places: [Table; 2],
}

/// A table of places, by its address and its bytes.
#[derive(Clone, Copy, Default)]
struct Table {
    at: usize,
    size: usize,
}

/// `Elf64_Rela`; the symbol's number is the upper half of `info`.
#[repr(C)]
struct Place {
    offset: u64,
    info: u64,
    addend: i64,
}

// <elf.h>
const DT_PLTRELSZ: i64 = 2;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_RELA: i64 = 7;
const DT_RELASZ: i64 = 8;
const DT_JMPREL: i64 = 23;

impl Dynamic {
    fn of(info: &dl_phdr_info) -> Option<Dynamic> {
        // SAFETY: as many headers as it says.
        let mut headers = (0..info.dlpi_phnum as usize).map(|i| unsafe { &*info.dlpi_phdr.add(i) });
        let section = headers.find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let base = info.dlpi_addr as usize;
        // The dynamic linker adds the base, but for what it cannot write to.
        let address = |value: usize| match value < base {
            true => value.wrapping_add(base),
            false => value,
        };
        let mut entry = base.wrapping_add(section.p_vaddr as usize) as *const [i64; 2];
        let mut dynamic = Dynamic::default();
        loop {
            // SAFETY: the table ends with an entry of zeros.
            let [tag, value] = unsafe { *entry };
            let [table, calls] = &mut dynamic.places;
            match tag {
                0 => break,
                DT_STRTAB => dynamic.names = address(value as usize),
                DT_SYMTAB => dynamic.symbols = address(value as usize),
                DT_RELA => table.at = address(value as usize),
                DT_RELASZ => table.size = value as usize,
                DT_JMPREL => calls.at = address(value as usize),
                DT_PLTRELSZ => calls.size = value as usize,
                _ => (),
            }
            entry = entry.wrapping_add(1);
        }
        (dynamic.symbols != 0 && dynamic.names != 0).then_some(dynamic)
    }

    /// Calls `each` with the name of every symbol that the object wants an address of.
    fn for_each_name(&self, each: &mut impl FnMut(&'static CStr)) {
        for table in self.places.iter().filter(|table| table.at != 0) {
            for n in 0..table.size / size_of::<Place>() {
                // SAFETY: inside the table.
                let place = unsafe { &*(table.at as *const Place).add(n) };
                let symbol = (place.info >> 32) as usize;
                if symbol != 0 {
                    // SAFETY: the object's own number of a symbol, and its name, which ends with NUL.
                    each(unsafe {
                        let entry = &*(self.symbols as *const libc::Elf64_Sym).add(symbol);
                        CStr::from_ptr((self.names as *const c_char).add(entry.st_name as usize))
                    });
                }
            }
        }
    }
}

/// Calls `each` with the name of every symbol that an object of this process wants an address of; perhaps more than once.
pub fn for_each_import(mut each: impl FnMut(&'static CStr)) {
    for nth in 0usize.. {
        let (mut left, mut dynamic, mut is_there) = (nth, None, false);
        for_each(|info| {
            is_there = left == 0;
            if is_there {
                dynamic = Dynamic::of(info);
            }
            left = left.wrapping_sub(1);
            is_there
        });
        if !is_there {
            return;
        }
        if let Some(dynamic) = dynamic {
            dynamic.for_each_name(&mut each);
        }
    }
}
