//! Sizes and latencies of calls, how one goes with the other, and the calls that took much longer than others of their size.

use super::Transfer;
use super::bins::log;
use iota_analysis::stat::{Direction, TimeCategory};
use iota_analysis::sums::{add, add_each};
use iota_analysis::{Call, FileId};

/// The slowest of each power of two that are kept.
const SLOWEST: usize = 4;
/// A call is a straggler that takes so many times as long as half of the others of its size.
const FAR: f64 = 10.0;

/// A call that took long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SlowCall {
    /// In ns.
    pub elapse: u64,
    /// In ns since the job's start.
    pub start: i64,
    /// Whose.
    pub rank: u32,
    /// Which file.
    pub file: FileId,
    /// What it moved.
    pub bytes: u64,
    /// Which way.
    pub way: Direction,
}

/// Histograms by [`log`] bins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Transfers by size, each way.
    pub calls: [Vec<u64>; 2],
    /// Their bytes.
    pub bytes: [Vec<u64>; 2],
    /// Calls by latency, each class.
    pub latencies: [Vec<u64>; TimeCategory::COUNT],
    /// Transfers by size, then by latency.
    pub both: Vec<u32>,
    slowest: Vec<Vec<SlowCall>>,
}

impl Default for Sizes {
    fn default() -> Sizes {
        let bins = || vec![0; log::COUNT];
        Sizes {
            calls: [bins(), bins()],
            bytes: [bins(), bins()],
            latencies: std::array::from_fn(|_| bins()),
            both: vec![0; log::COUNT * log::COUNT],
            slowest: vec![Vec::new(); 64],
        }
    }
}

impl Sizes {
    #[inline(always)]
    pub(super) fn took(&mut self, call: &Call, class: TimeCategory) {
        self.latencies[class as usize][log::at(call.elapse())] += 1;
    }

    #[inline(always)]
    pub(super) fn moved(&mut self, call: &Call, side: &Transfer) {
        let (bin, way) = (log::at(side.bytes), side.way as usize);
        self.calls[way][bin] += 1;
        add(&mut self.bytes[way][bin], side.bytes);
        let both = &mut self.both[bin * log::COUNT + log::at(call.elapse())];
        *both = both.saturating_add(1);
        let slowest = &mut self.slowest[bin / 4];
        if slowest.len() < SLOWEST || slowest[SLOWEST - 1].elapse <= call.elapse() {
            let new = SlowCall {
                elapse: call.elapse(),
                start: call.start,
                rank: call.process.task,
                file: side.file,
                bytes: side.bytes,
                way: side.way,
            };
            keep(slowest, new);
        }
    }

    pub(super) fn merge(&mut self, later: Sizes) {
        let sum = |to: &mut Vec<u64>, from: &Vec<u64>| add_each(to, from);
        self.calls
            .iter_mut()
            .zip(&later.calls)
            .for_each(|(to, from)| sum(to, from));
        self.bytes
            .iter_mut()
            .zip(&later.bytes)
            .for_each(|(to, from)| sum(to, from));
        self.latencies
            .iter_mut()
            .zip(&later.latencies)
            .for_each(|(to, from)| sum(to, from));
        self.both
            .iter_mut()
            .zip(&later.both)
            .for_each(|(to, from)| *to = to.saturating_add(*from));
        for (to, from) in self.slowest.iter_mut().zip(later.slowest) {
            from.into_iter().for_each(|new| keep(to, new));
        }
    }

    /// Calls that took at least ten times as long as half of those of about their size, the slowest first.
    pub fn stragglers(&self) -> Vec<SlowCall> {
        let mut found: Vec<SlowCall> = Vec::new();
        for (power, slowest) in self.slowest.iter().enumerate() {
            let typical = self.median(power);
            let far = |call: &&SlowCall| call.elapse as f64 >= typical * FAR;
            found.extend(slowest.iter().filter(far));
        }
        found.sort_unstable_by(|one, other| other.cmp(one));
        found
    }

    /// The median latency of transfers of a power of two bytes: where its bin ends.
    fn median(&self, power: usize) -> f64 {
        let rows = self.both[power * 4 * log::COUNT..][..4 * log::COUNT].chunks(log::COUNT);
        let mut sums = vec![0u64; log::COUNT];
        for row in rows {
            sums.iter_mut()
                .zip(row)
                .for_each(|(to, from)| *to += u64::from(*from));
        }
        log::start(place(&sums, 0.5) + 1)
    }
}

/// The bin by which a share of all has come.
pub fn place(bins: &[u64], share: f64) -> usize {
    let all: u64 = bins.iter().sum();
    let wanted = ((all as f64 * share).ceil() as u64).max(1);
    let mut seen = 0;
    let reached = bins.iter().position(|bin| {
        seen += bin;
        seen >= wanted
    });
    reached.unwrap_or(0)
}

fn keep(slowest: &mut Vec<SlowCall>, new: SlowCall) {
    slowest.push(new);
    slowest.sort_unstable_by(|one, other| other.cmp(one));
    slowest.truncate(SLOWEST);
}
