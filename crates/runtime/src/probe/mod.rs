//! Probes: calls of any function that the user named (`iota run --probe`), whatever its signature.
//!
//! Most programs and libraries find functions of other libraries in slots, which the dynamic linker fills. What a slot of such a
//! function holds is replaced by the address of a stub (c-shim/probe), which leads to [`call`]: it notes the start, has the
//! function called with the same registers and a copy of its arguments on the stack, and notes the end. No return address
//! is changed. A function that is called without a slot is patched at its entry instead ([`patches`]).

mod around;
mod call;
mod island;
mod later;
mod linked;
mod linker;
mod patches;
mod python;
mod region;
mod seen;
mod slots;
mod unwinder;

pub use python::start as start_python;
pub use slots::{Stubs, start};
