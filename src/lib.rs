//! The hooks, and what the dynamic linker is asked for them. This is compiled once, and scripts/assemble.sh makes both
//! libraries of it. One row of the table makes each hook; build.rs renders them.
//!
//! - Link time, in the archive: GNU ld's `--wrap=x` sends a program's calls of `x` to `__wrap_x`, the hook, and `__real_x` in
//!   it to the `x` that the program meant.
//! - Run time, in the shared object, for LD_PRELOAD and for dynamic links: the hook has the public name, which calls from any
//!   library reach, and `__wrap_x` of wraps.txt leads there. Its `__real_x` is the next definition that the dynamic linker has.
#![no_std]

mod shared;

mod hooks {
    #![allow(
        unused,
        nonstandard_style,
        unreachable_code,
        clippy::style,
        clippy::complexity,
        clippy::missing_safety_doc,
        clippy::upper_case_acronyms,
        reason = "rendered code: its rows differ in what they need"
    )]
    include!(concat!(env!("OUT_DIR"), "/hooks.rs"));

    /// What shapes ask of the C library, past the hooks.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn iota_real_ftello64(stream: *mut FILE) -> off64_t {
        // SAFETY: the caller's stream goes on.
        unsafe { real::ftello64(stream) }
    }
}

extern crate iota_hdf5 as _;
extern crate iota_mpi as _;
extern crate iota_netcdf as _;

/// Only for the compiler: nothing here panics, and a test looks for it in the libraries.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    iota_runtime::real::leave()
}
