//! The archive: rendered hooks, and nothing else.
#![no_std]

#[allow(non_camel_case_types, non_snake_case, non_upper_case_globals, dead_code, unused)]
mod hooks {
    include!(env!("IOTA_HOOKS"));
}

pub use iota_runtime::{iota_resolved, iota_seen};

#[unsafe(no_mangle)]
pub extern "C" fn iota_start() {}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
