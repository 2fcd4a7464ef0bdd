//! Traces that are given together must be parts of one run: figures that add up several would be of nothing.

use crate::names;
use anyhow::bail;
use iota_quantity::nanos;
use iota_trace::read::{Part, Trace, files};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// What one of the traces says of its run
struct Given<'t> {
    path: &'t Path,
    /// In ns since the start of all that was given
    began: i64,
    ended: i64,
    /// The jobs that its processes name
    jobs: BTreeSet<Vec<u8>>,
}

/// Refuses traces of which one was complete before another began, unless they are of one job of the batch system or of
/// one launch of MPI
pub fn must_be_one(paths: &[PathBuf], trace: &Trace) -> anyhow::Result<()> {
    let [_, _, ..] = paths else { return Ok(()) };
    let mut of_path: HashMap<PathBuf, usize> = HashMap::new();
    for (at, path) in paths.iter().enumerate() {
        let of_one = files(std::slice::from_ref(path));
        of_path.extend(of_one.into_iter().map(|file| (file, at)));
    }
    let mut parts: Vec<Vec<&Part>> = vec![Vec::new(); paths.len()];
    for part in trace.parts() {
        if let Some(at) = of_path.get(part.file()) {
            parts[*at].push(part);
        }
    }
    let given = paths
        .iter()
        .zip(&parts)
        .filter(|(_, parts)| !parts.is_empty());
    let mut given: Vec<Given> = given.map(|(path, parts)| Given::of(path, parts)).collect();
    given.sort_by_key(|one| one.began);
    let mut runs: Vec<Given> = Vec::new();
    for one in given {
        match runs.iter_mut().find(|run| run.is_run_of(&one)) {
            Some(run) => run.take(one),
            None => runs.push(one),
        }
    }
    let [first, .., last] = &runs[..] else {
        return Ok(());
    };
    bail!(
        "{} and {} are of different runs: one ended {} before the other began; give the traces of one run, or compare two with iota diff",
        names::path(first.path),
        names::path(last.path),
        nanos(last.began.saturating_sub(first.ended)),
    )
}

impl<'t> Given<'t> {
    fn of(path: &'t Path, parts: &[&Part]) -> Given<'t> {
        let began = parts.iter().map(|part| part.time(0)).min();
        let ended = |part: &&Part| {
            let ended = part.ended().or(part.span().map(|(_, last)| last));
            ended.map_or(i64::MAX, |ended| ended.0)
        };
        let job = |part: &&Part| part.process().map(|block| block.fields().job.to_vec());
        Given {
            path,
            began: began.map_or(i64::MIN, |began| began.0),
            ended: parts.iter().map(ended).max().unwrap_or(i64::MAX),
            jobs: parts.iter().filter_map(job).collect(),
        }
    }

    /// Whether one that did not begin before it is of the same run
    fn is_run_of(&self, later: &Given) -> bool {
        later.began <= self.ended || !self.jobs.is_disjoint(&later.jobs)
    }

    fn take(&mut self, later: Given) {
        self.ended = self.ended.max(later.ended);
        self.jobs.extend(later.jobs);
    }
}
