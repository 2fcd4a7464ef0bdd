//! Functions of the object that the kernel gives every program.

use super::objects::{Object, first};
use crate::sys;
use core::ffi::{CStr, c_void};
use core::ptr;

/// The address of one; null: there is no such object, or it has no such function.
pub fn function(name: &CStr) -> *const c_void {
    let at = sys::object_of_the_kernel();
    if at == 0 {
        return ptr::null();
    }
    let file = ptr::with_exposed_provenance::<libc::Elf64_Ehdr>(at);
    // SAFETY: an object, whose start is its file header.
    let (file, mut info): (_, libc::dl_phdr_info) = unsafe { (&*file, core::mem::zeroed()) };
    info.dlpi_phdr = ptr::with_exposed_provenance(at.wrapping_add(file.e_phoff as usize));
    info.dlpi_phnum = file.e_phnum;
    info.dlpi_addr = at.wrapping_sub(first(&info)) as u64;
    Object::of(&info).map_or(ptr::null(), |object| find(&object, name))
}

fn find(object: &Object, name: &CStr) -> *const c_void {
    // The names lie behind the symbols.
    let bytes = object.names.saturating_sub(object.symbols);
    for number in 1..bytes / size_of::<libc::Elf64_Sym>() {
        // SAFETY: a symbol of the object.
        let symbol = unsafe { &*(object.symbols as *const libc::Elf64_Sym).add(number) };
        // SAFETY: its own number of a name.
        let own = unsafe { object.name(symbol.st_name as usize) };
        if symbol.st_value != 0 && own == name {
            let at = object.base.wrapping_add(symbol.st_value as usize);
            return ptr::with_exposed_provenance(at);
        }
    }
    ptr::null()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "no objects are loaded")]
    fn the_kernel_has_one_that_tells_the_time() {
        let name = if cfg!(target_arch = "x86_64") {
            c"__vdso_clock_gettime"
        } else {
            c"__kernel_clock_gettime"
        };
        assert!(!function(name).is_null() || sys::object_of_the_kernel() == 0);
        assert!(function(c"__vdso_clock_get").is_null());
    }
}
