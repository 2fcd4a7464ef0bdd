//! Probes start when the tracer has started: in the shared object, because only there calls go by way of slots, and only
//! there programs of Python run.

use iota_runtime::probe::{self, Stubs};
use iota_runtime::stacks;
use iota_runtime::sys::Starting;

unsafe extern "C" {
    /// The stubs of c-shim/probe.
    static iota_probe_stubs: u8;
    static iota_probe_asking: u8;
    static iota_probe_inner: u8;
}

/// From one stub to the next.
const SIZE: usize = 16;

#[unsafe(no_mangle)]
extern "C" fn iota_probe_start() {
    probe::start(Stubs {
        start: (&raw const iota_probe_stubs).addr(),
        size: SIZE,
        asking: (&raw const iota_probe_asking).addr(),
        inner: (&raw const iota_probe_inner).addr(),
    });
    // SAFETY: in the library's constructor, and the tracer has started.
    let mut starting = unsafe { Starting::new() };
    probe::start_python(&mut starting);
    stacks::start_python(&mut starting);
}
