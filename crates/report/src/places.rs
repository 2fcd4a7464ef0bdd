//! Where in files bytes were moved, of a few that can be picked.

use crate::layout::{Layout, Pick};
use iota_analysis::FileId;
use iota_analysis::sums::{add, add_each};
use iota_plot::aggregates::bins::Stretch;
use iota_plot::aggregates::{Bins, Direction, Focus, Plan, Survey, Transfer};

/// Files that can be picked beside those that the picture shows first.
const FILES: usize = 5;
/// Rows of each.
const ROWS: usize = 40;

/// Those of the files with a row of which most bytes were moved to or from known places, but the one in focus.
pub fn picks(survey: &Survey, plan: &Plan, files: &[FileId]) -> Vec<Pick> {
    let is_other = |file: &FileId| plan.focus != Focus::File(*file);
    let known = files.iter().filter(|file| is_other(file));
    let known = known.filter_map(|file| Some((survey.files.get(file)?, *file)));
    let mut known: Vec<_> = known.filter(|(of, _)| of.placed > 0).collect();
    known.sort_by_key(|(of, file)| (std::cmp::Reverse(of.bytes[0] + of.bytes[1]), *file));
    known.truncate(FILES);
    let pick = |(of, file): (&iota_plot::aggregates::OfFile, FileId)| Pick {
        file,
        offsets: Bins::over(0, of.end.max(1), ROWS),
    };
    known.into_iter().map(pick).collect()
}

/// Bytes read and written by offset and time.
pub type Cells = [Vec<u64>; 2];

/// Cells of each file that can be picked.
#[derive(Clone, Debug)]
pub struct Places<'l> {
    layout: &'l Layout,
    pub cells: Vec<Cells>,
}

impl<'l> Places<'l> {
    pub fn new(layout: &'l Layout) -> Places<'l> {
        let columns = layout.time.count;
        let zeros = |pick: &Pick| vec![0; pick.offsets.count * columns];
        let cells = layout.picks.iter();
        let cells = cells.map(|pick| [zeros(pick), zeros(pick)]).collect();
        Places { layout, cells }
    }

    /// Bytes that a call moved; `row` is that of the file.
    #[inline(always)]
    pub fn moved(&mut self, row: usize, when: &Stretch, side: &Transfer) {
        let (Some(pick), Some(offset)) = (self.layout.pick_of_row[row], side.offset) else {
            return;
        };
        let (columns, bins) = (self.layout.time.count, self.layout.picks[pick].offsets);
        let cells = &mut self.cells[pick][(side.way == Direction::Write) as usize];
        let until = offset.saturating_add_unsigned(side.bytes);
        bins.spread(offset, until, side.bytes, |row, some| {
            when.spread(some, |bin, some| add(&mut cells[row * columns + bin], some));
        });
    }

    pub fn merge(&mut self, later: &Places) {
        for (to, from) in self.cells.iter_mut().zip(&later.cells) {
            add_each(&mut to[0], &from[0]);
            add_each(&mut to[1], &from[1]);
        }
    }
}
