//! Phases of I/O: stretches of the run in which tasks read, or write, more than on average, between pauses.
//!
//! A bin of time belongs to a phase where the time of all tasks in such calls is at least the average over the run. What
//! tells a pause from a gap within a phase is not a fixed time: the lengths of all gaps are sorted, and the longer ones
//! begin where one is most times as long as the one before it.

use super::activity::Activity;
use crate::sums::{per_second, sum};
use crate::time_category::Direction;
use iota_quantity::{bytes, many, time};
use serde::Serialize;

/// Phases hold at least this part of the time in such calls, in percent.
const HELD: u64 = 80;
/// They last no longer than this part of the run, in percent.
const LASTING: u64 = 75;
/// What has less than this part of the time of the longest is none, nor has what takes less of the time in I/O, in percent.
const NEGLIGIBLE: u64 = 5;
/// A pause is at least so many times as long as a gap within a phase.
const LONGER: usize = 2;
/// Phases are periodic where their intervals are on average off the mean by less than this part of it, in percent.
const REGULAR: u64 = 20;
/// Bins that a phase must have, for half of all phases, so that its rate is known.
const MEASURED: usize = 4;

/// A stretch of the run in which tasks read, or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Phase {
    /// When it begins.
    pub start: u64,
    /// How long it lasts.
    pub duration: u64,
    /// Time in it in which any task was in such a call.
    pub busy: u64,
    /// Bytes that moved.
    pub bytes: u64,
    #[serde(skip)]
    time: u64,
    #[serde(skip)]
    bins: usize,
}

/// All phases of one direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Phases {
    /// Whether tasks read or write in them.
    pub class: &'static str,
    /// The part of the time in such calls that is in phases.
    pub share_of_time: f64,
    /// From the start of one to the start of the next, where they are periodic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<u64>,
    /// In the order of time.
    pub phases: Vec<Phase>,
}

impl Phases {
    /// Those of a direction; none where tasks read or write all the time, or hardly ever.
    pub(super) fn of(activity: &Activity, way: Direction) -> Option<Phases> {
        let (times, bytes) = (activity.times(way), activity.bytes(way));
        let (sums, busy): (Vec<u64>, Vec<u64>) = (times.sums().collect(), times.busy().collect());
        let all = sum(sums.iter().copied());
        let of_io = sum(activity.busy().sums());
        if bytes.iter().all(|bytes| *bytes == 0) || !reaches(all, NEGLIGIBLE, of_io) {
            return None;
        }
        let least = (all / sums.len() as u64).max(1);
        let width = times.width();
        let phase = |(from, to): (usize, usize)| Phase {
            start: from as u64 * width,
            duration: (to - from) as u64 * width,
            busy: sum(busy[from..to].iter().copied()),
            bytes: sum(bytes[from..to].iter().copied()),
            time: sum(sums[from..to].iter().copied()),
            bins: to - from,
        };
        let runs = runs(&sums, least);
        // The first and the last bin may be busy for a part only; pauses have at least two.
        let whole = |(from, to): (usize, usize)| {
            let begins = from > 0 && sums[from - 1] > 0;
            let ends = sums.get(to).is_some_and(|sum| *sum > 0);
            (from - usize::from(begins), to + usize::from(ends))
        };
        let mut phases: Vec<Phase> = between_pauses(&runs).map(whole).map(phase).collect();
        let longest = phases.iter().map(|phase| phase.time).max()?;
        phases.retain(|phase| reaches(phase.time, NEGLIGIBLE, longest));
        let held = sum(phases.iter().map(|phase| phase.time));
        let lasting = phases.iter().map(|phase| phase.bins).sum::<usize>();
        let are_phases = reaches(held, HELD, all) && lasting * 100 <= sums.len() * LASTING as usize;
        are_phases.then(|| Phases {
            class: match way {
                Direction::Read => "read",
                Direction::Write => "write",
            },
            share_of_time: held as f64 / all as f64,
            period: period(&phases),
            phases,
        })
    }

    /// A figure of a phase that half of all have no more of.
    pub fn median(&self, figure: impl Fn(&Phase) -> u64) -> u64 {
        median(self.phases.iter().map(figure).collect())
    }

    /// What they are, in words: a line on when, and one on how fast.
    pub fn lines(&self) -> Vec<String> {
        let (count, first) = (self.phases.len() as u64, self.phases[0]);
        let each = if count > 1 { " each" } else { "" };
        let when = match self.period {
            Some(period) => format!(", every {}", time(period)),
            None => format!(", from {}", time(first.start)),
        };
        let mut lines = vec![format!(
            "{}: {} of {}{when}, with {:.0} % of its time",
            self.activity(),
            many(count, "phase"),
            time(self.median(|phase| phase.duration)),
            self.share_of_time * 100.0,
        )];
        if self.are_measured() {
            let size = bytes(self.median(|phase| phase.bytes));
            let rates = match count {
                1 => rate(first.rate()),
                _ => self.rates(),
            };
            lines.push(format!("{size}{each}, {rates}"));
        }
        lines
    }

    fn rates(&self) -> String {
        let rates = || self.phases.iter().map(Phase::rate);
        format!(
            "{} in the first, {} in half of them, {} at least, {} at most",
            rate(self.phases[0].rate()),
            rate(self.median(Phase::rate)),
            rate(rates().min().unwrap_or(0)),
            rate(rates().max().unwrap_or(0)),
        )
    }

    /// `reading` or `writing`.
    pub fn activity(&self) -> &'static str {
        match self.class {
            "read" => "reading",
            _ => "writing",
        }
    }

    /// Whether they last long enough for their rates to be known.
    pub fn are_measured(&self) -> bool {
        self.median(|phase| phase.bins as u64) >= MEASURED as u64
    }
}

impl Phase {
    /// Bytes per second of the time in which any task was in such a call.
    pub fn rate(&self) -> u64 {
        per_second(self.bytes, self.busy)
    }
}

/// `1.20 GiB/s`, for a number of bytes.
pub(super) fn rate(of_second: u64) -> String {
    format!("{}/s", bytes(of_second))
}

fn reaches(part: u64, percent: u64, whole: u64) -> bool {
    u128::from(part) * 100 >= u128::from(whole) * u128::from(percent)
}

fn median(mut all: Vec<u64>) -> u64 {
    all.sort_unstable();
    all.get(all.len().saturating_sub(1) / 2)
        .copied()
        .unwrap_or(0)
}

/// Where bins reach `least`, without a gap: from a bin to the one behind the last.
fn runs(bins: &[u64], least: u64) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in bins.iter().enumerate().filter(|(_, bin)| **bin >= least) {
        match runs.last_mut() {
            Some(last) if last.1 == at => last.1 += 1,
            _ => runs.push((at, at + 1)),
        }
    }
    runs
}

/// The same, with gaps that are no pauses.
fn between_pauses(runs: &[(usize, usize)]) -> impl Iterator<Item = (usize, usize)> {
    let gaps = runs.windows(2).map(|two| two[1].0 - two[0].1);
    let pause = shortest_pause(gaps.collect());
    let parts = runs.chunk_by(move |one, next| next.0 - one.1 < pause);
    parts.map(|part| (part[0].0, part[part.len() - 1].1))
}

/// The first of the longer gaps, where these begin at the greatest step; one bin is the shortest gap that there can be.
fn shortest_pause(mut gaps: Vec<usize>) -> usize {
    gaps.sort_unstable();
    let before = std::iter::once(1).chain(gaps.iter().copied());
    let steps = before.zip(gaps.iter().copied());
    let step = steps.filter(|(before, gap)| gap / before >= LONGER);
    let greatest = step.max_by(|(a, b), (c, d)| (b * c).cmp(&(d * a)));
    greatest.map_or(usize::MAX, |(_, gap)| gap)
}

/// From start to start, if these intervals are alike; there must be two of them.
fn period(phases: &[Phase]) -> Option<u64> {
    let intervals = phases.windows(2).map(|two| two[1].start - two[0].start);
    let intervals: Vec<u64> = intervals.collect();
    let all = sum(intervals.iter().copied());
    let mean = all / (intervals.len() as u64).max(1);
    let distances = sum(intervals.iter().map(|interval| interval.abs_diff(mean)));
    let is_regular = !reaches(distances, REGULAR, all);
    (intervals.len() >= 2 && is_regular).then_some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    /// Writes of a task each: start and length in ms, and bytes.
    fn phases(of: &[(i64, i64, u64)], duration: i64) -> Option<Phases> {
        let mut activity = Activity::new(duration * MS, 4096);
        for &(start, elapse, bytes) in of {
            let (start, end) = (start * MS, (start + elapse) * MS);
            activity.transfer(Direction::Write, &[(start, end)], true, bytes);
        }
        assert_eq!(Phases::of(&activity, Direction::Read), None);
        Phases::of(&activity, Direction::Write)
    }

    #[test]
    fn checkpoints_are_phases() {
        let mut calls = Vec::new();
        for checkpoint in 0..10i64 {
            // The first takes twice as long; each has three calls with little between them, and a line goes to a log.
            let length = if checkpoint == 0 { 200 } else { 100 };
            calls.push((5000 + checkpoint * 10_000, 1, 100));
            for call in 0..3 {
                calls.push((
                    1000 + checkpoint * 10_000 + call * 220,
                    length,
                    1_000_000_000,
                ));
            }
        }
        let found = phases(&calls, 100_000).unwrap();
        assert_eq!((found.class, found.phases.len()), ("write", 10));
        let near = |value: u64, ms: u64| value.abs_diff(ms * MS as u64) < 60 * MS as u64;
        assert!(near(found.period.unwrap(), 10_000), "{found:?}");
        assert!(near(found.phases[0].start, 1000) && near(found.phases[0].duration, 640));
        assert!(near(found.phases[0].busy, 600) && near(found.phases[1].busy, 300));
        assert!(found.share_of_time > 0.99);
        assert!(found.are_measured());
        let rates = found.phases.iter().map(|phase| phase.rate() / 10_000_000);
        let rates: Vec<u64> = rates.collect();
        assert_eq!(
            (rates[0], rates[1], rates[9]),
            (500, 1000, 1000),
            "{found:?}"
        );
        assert_eq!(found.median(|phase| phase.bytes), 3_000_000_000);
    }

    #[test]
    fn steady_writing_has_none() {
        let calls: Vec<_> = (0..5000)
            .map(|n| (n * 20 + n % 7, 5 + n % 11, 1000))
            .collect();
        assert_eq!(phases(&calls, 100_000), None);
        assert_eq!(phases(&[], 1000), None);
        assert_eq!(phases(&[(0, 1000, 1 << 30)], 1000), None);
    }

    #[test]
    fn irregular_phases_have_no_period() {
        let calls = [1000, 9000, 12_000, 60_000].map(|start| (start, 500, 1 << 20));
        let found = phases(&calls, 100_000).unwrap();
        assert_eq!((found.phases.len(), found.period), (4, None));
        let once = phases(&calls[..1], 100_000).unwrap();
        assert_eq!((once.phases.len(), once.period), (1, None));
    }
}
