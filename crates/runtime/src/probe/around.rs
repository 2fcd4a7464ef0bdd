//! What is to be known before the first call of a probed function.

use crate::stacks::extent;

unsafe extern "C" {
    /// Looks at the processor for the trampoline (c-shim/probe.c). A virtual machine takes its time for that.
    safe fn iota_probe_look();
}

/// Asks for it.
pub fn look() {
    iota_probe_look();
    extent::start();
}
