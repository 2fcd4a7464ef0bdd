//! The link-time flavour: GNU ld's `--wrap=x` sends a program's calls of `x` to `__wrap_x` here, and `__real_x` here to
//! the `x` that the program meant. One row of the table makes each of them; build.rs renders the rows.
#![no_std]

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

/// Only for the compiler: nothing here panics, and a test looks for it in the archive.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    iota_runtime::real::leave()
}
