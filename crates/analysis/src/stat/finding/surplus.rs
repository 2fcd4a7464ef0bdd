//! Bytes that were moved again.

use crate::FileId;
use crate::stat::{FileStat, Step};
use crate::sums::add;
use crate::time_category::TimeCategory;

/// Bytes that were moved again, of all files together and of the one that has most.
#[derive(Clone, Copy, Default)]
pub(super) struct Surplus {
    pub bytes: u64,
    pub file: FileId,
    pub most: u64,
    pub tasks: u32,
}

impl Surplus {
    pub fn add(&mut self, id: FileId, file: &FileStat, class: TimeCategory) {
        let way = class as usize;
        if !may_be_again(file, way) {
            return;
        }
        let surplus = file.tally.placed[way].saturating_sub(file.distinct(class));
        add(&mut self.bytes, surplus);
        if surplus > self.most {
            (self.file, self.most, self.tasks) = (id, surplus, file.tasks);
        }
    }
}

/// Who moves bytes again goes back, begins anew, or is not alone.
pub(super) fn may_be_again(file: &FileStat, way: usize) -> bool {
    let steps = &file.tally.steps[way];
    file.tasks > 1 || steps[Step::First as usize] > 1 || steps[Step::Random as usize] > 0
}
