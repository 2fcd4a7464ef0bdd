//! Jobs of one program, or of one user, together.

use crate::row::JobRow;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What jobs have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupBy {
    /// What ran.
    Program,
    /// Whose they are.
    User,
}

/// Jobs that have it in common. Times are in ns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupRow {
    /// What they have in common.
    pub name: String,
    /// How many.
    pub jobs: u64,
    /// Time in I/O, of all ranks or processes of all jobs.
    pub io_time: u64,
    /// Half of the jobs spend no more of their run in I/O, half no less.
    pub share_of_run: f64,
    /// Bytes that were read.
    pub bytes_read: u64,
    /// Bytes that were written.
    pub bytes_written: u64,
    /// What the jobs could save at most, by the finding of each that costs most.
    pub finding_cost: u64,
    /// The finding that costs most in all of them together; empty: there is none.
    pub finding: String,
    /// How much longer the later half of the jobs ran than the earlier half: medians of jobs with as many ranks as most have,
    /// divided. None: fewer than four.
    pub slower: Option<f64>,
}

/// The groups of some jobs, those that could save most first.
pub fn groups(jobs: &[JobRow], by: GroupBy) -> Vec<GroupRow> {
    let mut all: BTreeMap<&str, Vec<&JobRow>> = BTreeMap::new();
    for job in jobs {
        let name = match by {
            GroupBy::Program => &job.program,
            GroupBy::User => &job.user,
        };
        all.entry(name).or_default().push(job);
    }
    let mut rows: Vec<GroupRow> = all
        .into_iter()
        .map(|(name, jobs)| of(name, &jobs))
        .collect();
    rows.sort_by_key(|row| Reverse((row.finding_cost, row.io_time)));
    rows
}

fn of(name: &str, jobs: &[&JobRow]) -> GroupRow {
    let sum = |of: fn(&JobRow) -> u64| jobs.iter().map(|job| of(job)).fold(0, u64::saturating_add);
    let mut costs: BTreeMap<&str, u64> = BTreeMap::new();
    for job in jobs.iter().filter(|job| !job.finding.is_empty()) {
        let cost = costs.entry(&job.finding).or_default();
        *cost = cost.saturating_add(job.finding_cost);
    }
    let worst = costs.into_iter().max_by_key(|(_, cost)| *cost);
    let mut shares: Vec<f64> = jobs.iter().map(|job| job.share_of_run).collect();
    shares.sort_by(f64::total_cmp);
    GroupRow {
        name: name.to_owned(),
        jobs: jobs.len() as u64,
        io_time: sum(|job| job.io_time),
        share_of_run: shares[(shares.len() - 1) / 2],
        bytes_read: sum(|job| job.bytes_read),
        bytes_written: sum(|job| job.bytes_written),
        finding_cost: sum(|job| job.finding_cost),
        finding: worst.map_or_else(String::new, |(kind, _)| kind.to_owned()),
        slower: slower(jobs),
    }
}

fn slower(jobs: &[&JobRow]) -> Option<f64> {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    jobs.iter()
        .for_each(|job| *counts.entry(job.ranks).or_default() += 1);
    let (ranks, _) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let mut alike: Vec<&&JobRow> = jobs.iter().filter(|job| job.ranks == ranks).collect();
    alike.sort_by_key(|job| job.start);
    if alike.len() < 4 {
        return None;
    }
    let (earlier, later) = alike.split_at(alike.len() / 2);
    let median = |some: &[&&JobRow]| {
        let mut all: Vec<u64> = some.iter().map(|job| job.duration).collect();
        all.sort_unstable();
        all[(all.len() - 1) / 2]
    };
    let (before, after) = (median(earlier), median(later));
    (before > 0).then(|| after as f64 / before as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(program: &str, start: i64, duration: u64, finding: &str, finding_cost: u64) -> JobRow {
        JobRow {
            program: program.to_owned(),
            start,
            duration,
            ranks: 4,
            finding: finding.to_owned(),
            finding_cost,
            share_of_run: duration as f64 / 100.0,
            io_time: duration,
            ..JobRow::default()
        }
    }

    #[test]
    fn programs_by_what_they_could_save() {
        let mut odd = job("slow", 9, 9000, "", 0);
        odd.ranks = 8;
        let jobs = [
            job("once", 1, 10, "", 0),
            job("slow", 4, 30, "small-writes", 5),
            job("slow", 1, 10, "small-writes", 5),
            job("slow", 2, 10, "metadata", 7),
            job("slow", 3, 30, "", 0),
            odd,
        ];
        let rows = groups(&jobs, GroupBy::Program);
        let names: Vec<_> = rows.iter().map(|row| (&*row.name, row.jobs)).collect();
        assert_eq!(names, [("slow", 5), ("once", 1)]);
        assert_eq!(
            (rows[0].finding_cost, &*rows[0].finding),
            (17, "small-writes")
        );
        assert_eq!(rows[0].slower, Some(3.0), "of those with four ranks");
        assert_eq!((rows[0].share_of_run, rows[1].slower), (0.3, None));
        assert_eq!(groups(&jobs, GroupBy::User).len(), 1);
    }
}
