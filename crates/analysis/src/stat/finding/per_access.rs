//! Files that are opened for little or nothing.

use crate::stat::Tally;
use crate::sums::{add, portion};
use crate::time_category::TimeCategory;

/// Files that are opened for a transfer or two, together.
#[derive(Default)]
pub(super) struct PerAccess {
    pub files: u64,
    pub opens: u64,
    pub again: u64,
    pub transfers: u64,
    pub cost: u64,
}

impl PerAccess {
    pub fn add(&mut self, of: &Tally) {
        self.files += 1;
        self.opens += of.opens;
        self.again += of.again;
        self.transfers += transfers(of);
        add(&mut self.cost, cost(of));
    }
}

/// Opens of files that are closed again, and nothing is done with them.
#[derive(Default)]
pub(super) struct Unused {
    pub files: u64,
    pub opens: u64,
    pub time: u64,
}

impl Unused {
    pub fn is_unused(of: &Tally) -> bool {
        of.opens > 0 && transfers(of) == 0 && of.uses == 0
    }

    pub fn add(&mut self, of: &Tally) {
        if Unused::is_unused(of) {
            self.files += 1;
            self.opens += of.opens;
            add(&mut self.time, of.time[TimeCategory::Meta as usize]);
        }
    }
}

pub(super) fn transfers(of: &Tally) -> u64 {
    of.calls[TimeCategory::Read as usize] + of.calls[TimeCategory::Write as usize]
}

/// Opening, closing and queries, as far as one open were enough.
pub(super) fn cost(of: &Tally) -> u64 {
    portion(of.time[TimeCategory::Meta as usize], of.again, of.opens)
}
