//! What the time of calls goes into.

use iota_calls::{Kind, Layer};
use serde::{Deserialize, Serialize};

/// What a call's time goes into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeCategory {
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Waiting for storage.
    Sync,
    /// Opening, closing, seeking, names, attributes, mappings.
    Meta,
    /// Starting asynchronous transfers, and waiting for them.
    Wait,
}

impl TimeCategory {
    /// How many there are.
    pub const COUNT: usize = 5;

    /// That of a function; `None` for what is no I/O.
    pub(crate) fn of(kind: Kind, layer: u8) -> Option<TimeCategory> {
        match kind {
            Kind::Read => Some(TimeCategory::Read),
            Kind::Write => Some(TimeCategory::Write),
            // `fflush` hands a stream's buffer to the kernel; nothing waits for storage.
            Kind::Sync if layer == Layer::Stdio as u8 => Some(TimeCategory::Write),
            Kind::Sync => Some(TimeCategory::Sync),
            Kind::Process => None,
            Kind::Wait => Some(TimeCategory::Wait),
            _ => Some(TimeCategory::Meta),
        }
    }

    /// Of one that moves bytes.
    #[inline(always)]
    pub fn way(self) -> Option<Direction> {
        match self {
            TimeCategory::Read => Some(Direction::Read),
            TimeCategory::Write => Some(Direction::Write),
            TimeCategory::Sync | TimeCategory::Meta | TimeCategory::Wait => None,
        }
    }
}

/// A direction of transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// From files.
    Read,
    /// To files.
    Write,
}

impl Direction {
    /// What the time goes into.
    #[inline(always)]
    pub fn class(self) -> TimeCategory {
        match self {
            Direction::Read => TimeCategory::Read,
            Direction::Write => TimeCategory::Write,
        }
    }
}
