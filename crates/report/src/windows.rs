//! What files, functions and ranks did in each moment, so that tables can follow the time that plots show.

use crate::places::{Pick, Places};
use iota_analysis::sums::{add, add_each};
use iota_analysis::{Accumulator, ByNumber, Call, FileId, Process};
use iota_plot::aggregates::bins::Stretch;
use iota_plot::aggregates::{Bins, Way, transfers};
use serde::Serialize;

/// Calls, bytes and time of each row in each moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rows {
    #[serde(skip)]
    columns: usize,
    /// Calls that began.
    calls: Vec<u64>,
    /// Bytes read.
    read: Vec<u64>,
    /// Bytes written.
    written: Vec<u64>,
    /// Time that threads waited for calls that no other encloses; of functions that of all calls.
    time: Vec<u64>,
}

impl Rows {
    fn new(rows: usize, columns: usize) -> Rows {
        let zeros = || vec![0; rows * columns];
        Rows {
            columns,
            calls: zeros(),
            read: zeros(),
            written: zeros(),
            time: zeros(),
        }
    }

    #[inline(always)]
    fn called(&mut self, row: usize, when: &Stretch) {
        if let Some(bin) = when.begins() {
            self.calls[row * self.columns + bin] += 1;
        }
    }

    #[inline(always)]
    fn moved(&mut self, row: usize, when: &Stretch, way: Way, bytes: u64) {
        let row = row * self.columns;
        let cells = match way {
            Way::Read => &mut self.read,
            Way::Write => &mut self.written,
        };
        when.spread(bytes, |bin, some| add(&mut cells[row + bin], some));
    }

    #[inline(always)]
    fn waited(&mut self, row: usize, when: &Stretch, elapse: u64) {
        let (row, cells) = (row * self.columns, &mut self.time);
        when.spread(elapse, |bin, some| add(&mut cells[row + bin], some));
    }

    fn merge(&mut self, later: &Rows) {
        add_each(&mut self.calls, &later.calls);
        add_each(&mut self.read, &later.read);
        add_each(&mut self.written, &later.written);
        add_each(&mut self.time, &later.time);
    }
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
    /// Rows of files by their numbers.
    pub row_of_file: ByNumber<usize>,
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
    fn file(&self, file: FileId) -> Option<usize> {
        self.row_of_file.get(&file).copied()
    }
}

/// Figures of each row for each window of time.
#[derive(Clone, Debug)]
pub struct Windows<'l> {
    layout: &'l Layout,
    /// The row of the rank whose calls come.
    rank: usize,
    /// A row for each file.
    pub files: Rows,
    /// A row for each function.
    pub ops: Rows,
    /// A row for each rank.
    pub ranks: Rows,
    /// Where bytes were moved.
    pub places: Places<'l>,
}

impl<'l> Windows<'l> {
    /// Nothing yet.
    pub fn new(layout: &'l Layout) -> Windows<'l> {
        let columns = layout.time.count;
        Windows {
            layout,
            rank: 0,
            files: Rows::new(layout.files.len(), columns),
            ops: Rows::new(layout.ops.len(), columns),
            ranks: Rows::new(layout.ranks.count, columns),
            places: Places::new(layout),
        }
    }
}

impl Accumulator for Windows<'_> {
    fn part(&mut self, process: &Process) {
        self.rank = self.layout.ranks.at(process.rank.into());
    }

    #[inline(always)]
    fn add(&mut self, call: &Call) {
        if call.function.class.is_none() {
            return;
        }
        let layout = self.layout;
        let when = layout.time.stretch(call.start, call.end);
        let file = layout.file(call.file);
        let op = layout.row_of_op.get(usize::from(call.op));
        let op = op.copied().flatten();
        let rank = Some(self.rank);
        let (counts, waits) = (call.is_io(), call.is_waited_for());
        let rows = [
            (&mut self.files, file, counts, waits),
            (&mut self.ops, op, true, true),
            (&mut self.ranks, rank, counts, waits),
        ];
        for (rows, row, counts, waits) in rows {
            let Some(row) = row else { continue };
            if waits {
                rows.waited(row, &when, call.elapse());
            }
            if counts {
                rows.called(row, &when);
            }
        }
        self.bytes(call, &when, (op, counts));
    }

    fn merge(&mut self, later: Self) {
        self.files.merge(&later.files);
        self.ops.merge(&later.ops);
        self.ranks.merge(&later.ranks);
        self.places.merge(&later.places);
    }
}

impl Windows<'_> {
    #[inline(always)]
    fn bytes(&mut self, call: &Call, when: &Stretch, (op, counts): (Option<usize>, bool)) {
        for side in transfers(call) {
            let file = self.layout.file(side.file);
            if let Some(row) = file.filter(|_| counts) {
                self.places.moved(row, when, &side);
            }
            for (rows, row) in [
                (&mut self.files, file.filter(|_| counts)),
                (&mut self.ops, op),
                (&mut self.ranks, Some(self.rank).filter(|_| counts)),
            ] {
                if let Some(row) = row {
                    rows.moved(row, when, side.way, side.bytes);
                }
            }
        }
    }
}
