//! Sums in cells: ranks over time, offsets over time.

use super::bins::Stretch;
use super::{Plan, Transfer, TransferMark};
use iota_analysis::stat::TimeCategory;
use iota_analysis::sums::{add, add_each, sum};

/// Bytes and times by rank and time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankTime {
    columns: usize,
    /// Where the row begins of the rank whose calls come.
    row: usize,
    bytes: [Vec<u64>; 2],
    busy: [Vec<u64>; TimeCategory::COUNT],
}

impl RankTime {
    pub(super) fn new(plan: &Plan) -> RankTime {
        let cells = plan.time.count * plan.ranks.count;
        RankTime {
            columns: plan.time.count,
            row: 0,
            bytes: [vec![0; cells], vec![0; cells]],
            busy: std::array::from_fn(|_| vec![0; cells]),
        }
    }

    /// The calls that follow are of this rank.
    pub(super) fn of_rank(&mut self, plan: &Plan, rank: u32) {
        self.row = plan.ranks.at(rank.into()) * self.columns;
    }

    #[inline(always)]
    pub(super) fn moved(&mut self, when: &Stretch, side: &Transfer) {
        let (row, bytes) = (self.row, &mut self.bytes[side.way as usize]);
        when.spread(side.bytes, |bin, some| add(&mut bytes[row + bin], some));
    }

    #[inline(always)]
    pub(super) fn waited(&mut self, when: &Stretch, class: TimeCategory, elapse: u64) {
        let (row, busy) = (self.row, &mut self.busy[class as usize]);
        when.spread(elapse, |bin, some| add(&mut busy[row + bin], some));
    }

    pub(super) fn merge(&mut self, later: RankTime) {
        self.bytes
            .iter_mut()
            .zip(&later.bytes)
            .for_each(|(to, from)| add_each(to, from));
        self.busy
            .iter_mut()
            .zip(&later.busy)
            .for_each(|(to, from)| add_each(to, from));
    }

    /// Bytes read and written in each cell, rank by rank.
    pub fn bytes(&self) -> &[Vec<u64>; 2] {
        &self.bytes
    }

    /// Nanoseconds in each class in each cell, rank by rank.
    pub fn busy(&self) -> &[Vec<u64>; TimeCategory::COUNT] {
        &self.busy
    }

    /// Sums over ranks of one of these.
    pub fn by_time(&self, cells: &[u64]) -> Vec<u64> {
        let mut sums = vec![0; self.columns];
        cells
            .chunks(self.columns.max(1))
            .for_each(|row| add_each(&mut sums, row));
        sums
    }

    /// Sums over time of one of these.
    pub fn by_rank(&self, cells: &[u64]) -> Vec<u64> {
        cells
            .chunks(self.columns.max(1))
            .map(|row| sum(row.iter().copied()))
            .collect()
    }
}

/// Bytes by offset and time, and whose they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offsets {
    /// Bytes read and written in each cell, offset by offset.
    pub bytes: [Vec<u64>; 2],
    /// Transfers that touched each cell.
    pub calls: Vec<u64>,
    /// The sum of their ranks.
    pub ranks: Vec<u64>,
}

impl Offsets {
    pub(super) fn new(plan: &Plan) -> Offsets {
        let cells = match plan.wants.offsets {
            true => plan.time.count * plan.offsets.count,
            false => 0,
        };
        Offsets {
            bytes: [vec![0; cells], vec![0; cells]],
            calls: vec![0; cells],
            ranks: vec![0; cells],
        }
    }

    /// The bytes are spread over the offsets, each row's over the time.
    #[inline(always)]
    pub(super) fn add(&mut self, plan: &Plan, mark: &TransferMark, when: &Stretch) {
        let columns = plan.time.count;
        let rows = plan.offsets.stretch(mark.offset, mark.until());
        match (rows.only(), when.only()) {
            (Some(row), Some(column)) => self.touch(row * columns + column, mark, mark.bytes),
            _ => rows.spread(mark.bytes, |row, some| {
                when.spread(some, |column, some| {
                    self.touch(row * columns + column, mark, some);
                });
            }),
        }
    }

    #[inline(always)]
    fn touch(&mut self, cell: usize, mark: &TransferMark, bytes: u64) {
        add(&mut self.bytes[mark.way as usize][cell], bytes);
        self.calls[cell] += 1;
        self.ranks[cell] += u64::from(mark.rank);
    }

    pub(super) fn merge(&mut self, later: Offsets) {
        self.bytes
            .iter_mut()
            .zip(&later.bytes)
            .for_each(|(to, from)| add_each(to, from));
        add_each(&mut self.calls, &later.calls);
        add_each(&mut self.ranks, &later.ranks);
    }
}
