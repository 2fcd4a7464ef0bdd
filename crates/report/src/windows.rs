//! What files, functions and ranks did in each moment, so that tables can follow the time that plots show.

use crate::layout::Layout;
use crate::places::Places;
use iota_analysis::sums::add;
use iota_analysis::{Call, Moved, Process};
use iota_plot::aggregates::bins::Stretch;
use iota_plot::aggregates::{Direction, transfers};
use serde::Serialize;

/// Calls, bytes and time of each row in each moment.
#[derive(Clone, Debug, Serialize)]
#[serde(into = "Columns")]
pub struct Rows {
    columns: usize,
    cells: Vec<Cell>,
}

/// Sums over calls.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    /// Those that began.
    calls: u64,
    /// Bytes read.
    read: u64,
    /// Bytes written.
    written: u64,
    /// Time that threads waited for calls that no other encloses; of functions that of all calls.
    time: u64,
}

/// The same, as the page's program has it.
#[derive(Serialize)]
struct Columns {
    calls: Vec<u64>,
    read: Vec<u64>,
    written: Vec<u64>,
    time: Vec<u64>,
}

impl From<Rows> for Columns {
    fn from(Rows { cells, .. }: Rows) -> Columns {
        let column = |of: fn(&Cell) -> u64| cells.iter().map(of).collect();
        Columns {
            calls: column(|cell| cell.calls),
            read: column(|cell| cell.read),
            written: column(|cell| cell.written),
            time: column(|cell| cell.time),
        }
    }
}

impl Cell {
    #[inline(always)]
    fn add(&mut self, more: &Cell) {
        self.calls += more.calls;
        add(&mut self.read, more.read);
        add(&mut self.written, more.written);
        add(&mut self.time, more.time);
    }
}

impl Rows {
    fn new(rows: usize, columns: usize) -> Rows {
        Rows {
            columns,
            cells: vec![Cell::default(); rows * columns],
        }
    }

    /// Adds what a call did to the moments that it was in.
    #[inline(always)]
    fn add(&mut self, row: usize, when: &Stretch, did: &Cell) {
        let row = row * self.columns;
        match when.only() {
            Some(bin) => self.cells[row + bin].add(did),
            None => self.spread(row, when, did),
        }
    }

    #[inline(never)]
    fn spread(&mut self, row: usize, when: &Stretch, did: &Cell) {
        if let Some(bin) = when.begins() {
            self.cells[row + bin].calls += did.calls;
        }
        let cells = &mut self.cells;
        when.spread(did.read, |bin, some| add(&mut cells[row + bin].read, some));
        when.spread(did.written, |bin, some| {
            add(&mut cells[row + bin].written, some);
        });
        when.spread(did.time, |bin, some| add(&mut cells[row + bin].time, some));
    }

    fn merge(&mut self, later: &Rows) {
        let cells = self.cells.iter_mut().zip(&later.cells);
        cells.for_each(|(to, from)| to.add(from));
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

impl Windows<'_> {
    /// The calls that follow are of this process.
    pub fn part(&mut self, process: &Process) {
        self.rank = self.layout.ranks.at(process.task.into());
    }

    /// A call that has a class, and when it was in [`Layout::time`].
    #[inline(always)]
    pub fn called(&mut self, call: &Call, when: &Stretch) {
        let (layout, Moved { read, written }) = (self.layout, call.moved);
        let did = Cell {
            calls: 1,
            read,
            written,
            time: call.elapse(),
        };
        if let Some(Some(row)) = layout.row_of_op.get(usize::from(call.op)) {
            self.ops.add(*row, when, &did);
        }
        let waited = if call.is_waited_for() { did.time } else { 0 };
        let counted = match call.is_io() {
            true => Cell {
                time: waited,
                ..did
            },
            false => Cell {
                time: waited,
                ..Cell::default()
            },
        };
        self.ranks.add(self.rank, when, &counted);
        if call.copies() {
            self.copied(call, when, &counted);
        } else if let Some(row) = layout.file(call.file) {
            self.files.add(row, when, &counted);
            if call.is_io() {
                for side in transfers(call) {
                    self.places.moved(row, when, &side);
                }
            }
        }
    }

    /// What one that copies did to each of its files.
    #[cold]
    fn copied(&mut self, call: &Call, when: &Stretch, counted: &Cell) {
        if let Some(row) = self.layout.file(call.file) {
            let no_bytes = Cell {
                read: 0,
                written: 0,
                ..*counted
            };
            self.files.add(row, when, &no_bytes);
        }
        for side in transfers(call).filter(|_| call.is_io()) {
            let Some(row) = self.layout.file(side.file) else {
                continue;
            };
            let mut did = Cell::default();
            match side.way {
                Direction::Read => did.read = side.bytes,
                Direction::Write => did.written = side.bytes,
            }
            self.files.add(row, when, &did);
            self.places.moved(row, when, &side);
        }
    }

    pub fn merge(&mut self, later: &Self) {
        self.files.merge(&later.files);
        self.ops.merge(&later.ops);
        self.ranks.merge(&later.ranks);
        self.places.merge(&later.places);
    }
}
