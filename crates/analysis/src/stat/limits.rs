//! What thresholds decide while calls are counted.

use crate::thresholds::Thresholds;
use serde::{Deserialize, Serialize};

/// What is counted of a call.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Ranges of a file that are kept exactly.
    pub ranges: usize,
    /// Transfers of fewer bytes are small.
    pub small: u64,
    /// What offsets should be multiples of: pages, blocks or stripes of file systems.
    pub alignment: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::of(&Thresholds::default())
    }
}

impl Limits {
    /// As far as thresholds set them.
    pub fn of(thresholds: &Thresholds) -> Limits {
        Limits {
            ranges: 64,
            small: thresholds.small_bytes.get(),
            alignment: thresholds.aligned.get().max(1),
        }
    }

    /// Where calls of streams begin says nothing of where their buffers do.
    #[inline(always)]
    pub fn of_calls(self, are_of_streams: bool) -> Limits {
        match are_of_streams {
            true => Limits {
                alignment: 1,
                ..self
            },
            false => self,
        }
    }

    #[inline(always)]
    pub fn is_aligned(self, offset: i64) -> bool {
        // Every call passes here, and a division takes as long as all else that is done for it.
        match self.alignment.is_power_of_two() {
            true => offset as u64 & (self.alignment - 1) == 0,
            false => (offset as u64).is_multiple_of(self.alignment),
        }
    }
}
