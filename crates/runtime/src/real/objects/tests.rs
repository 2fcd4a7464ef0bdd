use super::*;

#[test]
#[cfg_attr(miri, ignore = "no objects are loaded")]
fn an_address_is_in_the_object_that_dladdr_tells() {
    let mut value = 0u8;
    let (program, library) = (around as *const c_void, libc::read as *const c_void);
    for address in [program, library] {
        let mut info = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: it fills `info`, for which zero is valid too.
        let info = unsafe {
            assert!(libc::dladdr(address, info.as_mut_ptr()) != 0);
            info.assume_init()
        };
        assert_eq!(around(address.addr()).start, info.dli_fbase.addr());
        // SAFETY: a name that ends with NUL.
        let name = unsafe { CStr::from_ptr(info.dli_fname) };
        let is_library = address == library;
        assert_eq!(name_of(address.addr()), is_library.then_some(name));
    }
    let nowhere = (&raw mut value).addr();
    assert_eq!((around(nowhere), name_of(nowhere)), (0..0, None));
}
