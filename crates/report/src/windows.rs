//! What files, functions and ranks did in each moment, so that tables can follow the time that plots show.

use iota_analysis::{Accumulator, Call, FileId};
use iota_plot::aggregates::{Bins, Way, transfers};
use serde::Serialize;

/// Calls, bytes and time of each row in each moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rows {
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
    fn new(cells: usize) -> Rows {
        let zeros = || vec![0; cells];
        Rows {
            calls: zeros(),
            read: zeros(),
            written: zeros(),
            time: zeros(),
        }
    }

    fn called(&mut self, time: &Bins, row: usize, call: &Call) {
        if time.has(call.start, call.start) {
            self.calls[row * time.count + time.at(call.start)] += 1;
        }
    }

    fn moved(&mut self, time: &Bins, row: usize, call: &Call, way: Way, bytes: u64) {
        let row = row * time.count;
        let cells = match way {
            Way::Read => &mut self.read,
            Way::Write => &mut self.written,
        };
        time.spread(call.start, call.end, bytes, |bin, some| {
            cells[row + bin] += some
        });
    }

    fn waited(&mut self, time: &Bins, row: usize, call: &Call) {
        let (row, cells) = (row * time.count, &mut self.time);
        time.spread(call.start, call.end, call.elapse(), |bin, some| {
            cells[row + bin] += some
        });
    }

    fn merge(&mut self, later: &Rows) {
        let sum = |to: &mut [u64], from: &[u64]| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from)
        };
        sum(&mut self.calls, &later.calls);
        sum(&mut self.read, &later.read);
        sum(&mut self.written, &later.written);
        sum(&mut self.time, &later.time);
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
    pub row_of_file: std::collections::HashMap<FileId, usize>,
    /// Rows of functions by their numbers.
    pub row_of_op: Vec<Option<usize>>,
}

/// Figures of each row for each window of time.
#[derive(Clone, Debug)]
pub struct Windows<'l> {
    layout: &'l Layout,
    /// A row for each file.
    pub files: Rows,
    /// A row for each function.
    pub ops: Rows,
    /// A row for each rank.
    pub ranks: Rows,
}

impl<'l> Windows<'l> {
    /// Nothing yet.
    pub fn new(layout: &'l Layout) -> Windows<'l> {
        let columns = layout.time.count;
        Windows {
            layout,
            files: Rows::new(layout.files.len() * columns),
            ops: Rows::new(layout.ops.len() * columns),
            ranks: Rows::new(layout.ranks.count * columns),
        }
    }
}

impl Accumulator for Windows<'_> {
    fn add(&mut self, call: &Call) {
        if call.function.class.is_none() {
            return;
        }
        let Layout { time, .. } = self.layout;
        let file = self.layout.row_of_file.get(&call.file).copied();
        let op = self
            .layout
            .row_of_op
            .get(usize::from(call.op))
            .copied()
            .flatten();
        let rank = Some(self.layout.ranks.at(call.process.rank.into()));
        let (counts, waits) = (call.is_io(), call.is_waited_for());
        let rows = [
            (&mut self.files, file, counts, waits),
            (&mut self.ops, op, true, true),
            (&mut self.ranks, rank, counts, waits),
        ];
        for (rows, row, counts, waits) in rows {
            let Some(row) = row else { continue };
            if waits {
                rows.waited(time, row, call);
            }
            if counts {
                rows.called(time, row, call);
            }
        }
        if counts {
            self.bytes(call, op, rank);
        }
    }

    fn merge(&mut self, later: Self) {
        self.files.merge(&later.files);
        self.ops.merge(&later.ops);
        self.ranks.merge(&later.ranks);
    }
}

impl Windows<'_> {
    fn bytes(&mut self, call: &Call, op: Option<usize>, rank: Option<usize>) {
        let Layout { time, .. } = self.layout;
        for side in transfers(call) {
            let file = self.layout.row_of_file.get(&side.file).copied();
            for (rows, row) in [
                (&mut self.files, file),
                (&mut self.ops, op),
                (&mut self.ranks, rank),
            ] {
                if let Some(row) = row {
                    rows.moved(time, row, call, side.way, side.bytes);
                }
            }
        }
    }
}
