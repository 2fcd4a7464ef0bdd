//! The shared flavour, for LD_PRELOAD and for dynamic links: public names, which calls from any library reach, and the
//! `__wrap_` names of wraps.txt, both over the next definition that the dynamic linker has.
#![no_std]

mod above;
mod mpi;
mod probes;
mod ways;

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

/// Only for the compiler: nothing here panics, and a test looks for it in the library.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    iota_runtime::real::leave()
}
