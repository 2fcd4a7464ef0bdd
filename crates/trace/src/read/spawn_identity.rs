//! To whom a process belongs.

use crate::part::Process;

/// What a process says of those that it belongs to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SpawnIdentity {
    /// Its parent.
    pub parent: u32,
    /// What the ranks of its world have in common; 0: nobody spawned it.
    pub world: u32,
    /// Whether the launcher said who spawned it, and gave each world a number of its own.
    pub is_from_launcher: bool,
    /// How many ranks that are.
    pub size: u32,
    /// When it started, in ns since 1970 by the clock of its node.
    pub start: u64,
}

impl SpawnIdentity {
    pub(super) fn of(process: &Process) -> SpawnIdentity {
        SpawnIdentity {
            parent: process.ppid,
            world: process.world,
            is_from_launcher: !process.spawner.is_empty(),
            size: process.size,
            start: process.start.realtime,
        }
    }
}
