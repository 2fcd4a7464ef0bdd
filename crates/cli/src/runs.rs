//! Traces that are given together must be parts of one run: figures that add up several would be of nothing.

use crate::names;
use anyhow::bail;
use iota_quantity::nanos;
use iota_trace::read::{Part, Trace, files};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// What traces say of their run
struct Given<'t> {
    paths: Vec<&'t Path>,
    /// In ns since the start of all that was given
    began: i64,
    ended: i64,
    /// The jobs that its processes name
    jobs: BTreeSet<Vec<u8>>,
}

/// Refuses traces of which one was complete before another began, unless they are of one job of the batch system or of
/// one launch of MPI
pub fn must_be_one(paths: &[PathBuf], trace: &Trace) -> anyhow::Result<()> {
    let [first, .., last] = &given(paths, trace)[..] else {
        return Ok(());
    };
    bail!(
        "{} and {} are of different runs: one ended {} before the other began; give the traces of one run, compare two with iota diff, or list all with iota jobs",
        names::path(first.paths[0]),
        names::path(last.paths[0]),
        nanos(last.began.saturating_sub(first.ended)),
    )
}

/// Paths by the runs that they are of
pub fn apart(paths: &[PathBuf], trace: &Trace) -> Vec<Vec<PathBuf>> {
    let runs = given(paths, trace);
    match runs.len() {
        0 | 1 => vec![paths.to_owned()],
        _ => runs
            .into_iter()
            .map(|run| run.paths.into_iter().map(Path::to_owned).collect())
            .collect(),
    }
}

/// The runs that some traces are of, in the order in which they began; none of a single trace
fn given<'t>(paths: &'t [PathBuf], trace: &'t Trace) -> Vec<Given<'t>> {
    let [_, _, ..] = paths else { return Vec::new() };
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
    let all = paths
        .iter()
        .zip(&parts)
        .filter(|(_, parts)| !parts.is_empty());
    let mut all: Vec<Given> = all.map(|(path, parts)| Given::of(path, parts)).collect();
    all.sort_by_key(|one| one.began);
    let mut runs: Vec<Given> = Vec::new();
    for one in all {
        match runs.iter_mut().find(|run| run.is_run_of(&one)) {
            Some(run) => run.take(one),
            None => runs.push(one),
        }
    }
    runs
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
            paths: vec![path],
            began: began.map_or(i64::MIN, |began| began.0),
            ended: parts.iter().map(ended).max().unwrap_or(i64::MAX),
            jobs: parts.iter().filter_map(job).collect(),
        }
    }

    /// Whether one that did not begin before it is of the same run
    fn is_run_of(&self, later: &Given) -> bool {
        later.began <= self.ended || !self.jobs.is_disjoint(&later.jobs)
    }

    fn take(&mut self, later: Given<'t>) {
        self.ended = self.ended.max(later.ended);
        self.jobs.extend(later.jobs);
        self.paths.extend(later.paths);
    }
}
