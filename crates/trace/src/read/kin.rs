//! To whom a process belongs.

use crate::part::Process;

/// What a process says of those that it belongs to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kin {
    /// Its parent.
    pub parent: u32,
    /// What the ranks of its world have in common; 0: nobody spawned it.
    pub world: u32,
    /// How many ranks that are.
    pub size: u32,
}

impl Kin {
    pub(super) fn of(process: &Process) -> Kin {
        Kin {
            parent: process.ppid,
            world: process.world,
            size: process.size,
        }
    }
}
