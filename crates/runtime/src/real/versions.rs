//! The versions of other libraries' symbols that an object was linked with.

use super::objects::Object;
use core::ffi::CStr;

/// `Elf64_Verneed`
#[repr(C)]
struct Needed {
    version: u16,
    count: u16,
    file: u32,
    first: u32,
    next: u32,
}

/// `Elf64_Vernaux`
#[repr(C)]
struct NeededVersion {
    hash: u32,
    flags: u16,
    number: u16,
    name: u32,
    next: u32,
}

impl Object {
    /// The version of a symbol that the object wants an address of; None: any.
    pub fn wanted_version(&self, name: &CStr) -> Option<&'static CStr> {
        let mut number = 0;
        self.for_each_place(|place| {
            let symbol = (&raw const *place.symbol).addr();
            // SAFETY: the object's own number of a name.
            let is_it = unsafe { self.name(place.symbol.st_name as usize) } == name;
            if is_it && self.versions != 0 {
                let nth = symbol.wrapping_sub(self.symbols) / size_of::<libc::Elf64_Sym>();
                // SAFETY: there is one for each symbol.
                number = unsafe { *(self.versions as *const u16).add(nth) } & 0x7fff;
            }
        });
        self.needed_version(number)
    }

    fn needed_version(&self, number: u16) -> Option<&'static CStr> {
        // 0 and 1 are none.
        if self.needed == 0 || number < 2 {
            return None;
        }
        let mut library = self.needed as *const Needed;
        loop {
            // SAFETY: the lists end where the next is at a distance of 0.
            unsafe {
                let (this, mut version) = (&*library, library.byte_add((*library).first as usize));
                loop {
                    let one = &*version.cast::<NeededVersion>();
                    if one.number == number {
                        return Some(self.name(one.name as usize));
                    }
                    if one.next == 0 {
                        break;
                    }
                    version = version.byte_add(one.next as usize);
                }
                if this.next == 0 {
                    return None;
                }
                library = library.byte_add(this.next as usize);
            }
        }
    }
}
