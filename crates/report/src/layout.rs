//! Which rows the tables of a page have.

use iota_analysis::FileId;
use iota_plot::aggregates::Bins;

/// A file that can be picked.
#[derive(Clone, Debug)]
pub struct Pick {
    pub file: FileId,
    pub offsets: Bins,
}

/// Which rows there are.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Moments.
    pub time: Bins,
    /// Ranks, several in a row if they are many.
    pub ranks: Bins,
    /// Files that have a row.
    pub files: Vec<FileId>,
    /// Functions that have a row, by their numbers.
    pub ops: Vec<u16>,
    /// Rows of files by their numbers, up to the last that has one.
    pub row_of_file: Vec<Option<u8>>,
    /// Rows of functions by their numbers.
    pub row_of_op: Vec<Option<usize>>,
    /// Files whose offsets can be picked.
    pub picks: Vec<Pick>,
    /// Which of these a file with a row is.
    pub pick_of_row: Vec<Option<usize>>,
}

impl Layout {
    /// The row of a file.
    #[inline(always)]
    pub fn file(&self, file: FileId) -> Option<usize> {
        let row = self.row_of_file.get(file as usize).copied().flatten();
        row.map(usize::from)
    }
}
