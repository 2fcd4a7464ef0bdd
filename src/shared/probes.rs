//! Probes start when the tracer has started: in the shared object, because only there calls go by way of slots.

use iota_runtime::probe::{self, Stubs};

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
    probe::start_python();
}
