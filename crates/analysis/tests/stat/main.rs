//! What `iota stat` is made of, against a model that sorts everything and computes it plainly.

#[path = "../../../cli/tests/common/trace.rs"]
#[allow(dead_code, reason = "shared with the command's tests")]
mod trace;

mod model;

use iota_analysis::stat::{By, Facts, Further, Options, Partial, Report, Sort, Stat, Tally};
use iota_analysis::thresholds::Thresholds;
use iota_analysis::{Accumulator, Call, Filter, Job, Pass, Process, Share};
use iota_trace::read::{self, Trace};
use model::{Plain, file, plain, processes, shared, tally, union};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn open(file: &tempfile::NamedTempFile) -> Trace {
    Trace::open(&[file.path().to_owned()], read::Options::default()).unwrap()
}

fn options() -> Options {
    Options {
        by: By::ALL.to_vec(),
        top: 0,
        sort: Sort::Name,
        thresholds: Thresholds::default(),
        is_filtered: false,
    }
}

fn report(job: &Job, stat: &Stat) -> serde_json::Value {
    serde_json::to_value(Report::of(
        stat,
        &Facts::of(job, [stat]),
        Further::default(),
        &options(),
    ))
    .unwrap()
}

/// Takes runs call by call.
struct OneByOne(Stat);

impl Accumulator for OneByOne {
    fn part(&mut self, process: &Process) {
        self.0.part(process);
    }

    fn thread(&mut self, thread: u32) {
        self.0.thread(thread);
    }

    fn add(&mut self, call: &Call) {
        self.0.add(call);
    }

    fn merge(&mut self, later: OneByOne) {
        self.0.merge(later.0);
    }

    fn process_complete(&mut self, process: &Process) {
        self.0.process_complete(process);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_model_agrees(processes in processes(), unit in 1u64..60, threads in 1usize..4) {
        let file = file(&processes);
        let trace = open(&file);
        let job = Job::in_units_of(&trace, unit);
        let stat = Pass::of(&job).threads(threads).run(|| Stat::new(&job));
        let calls = plain(&trace);
        let all: Vec<&Plain> = calls.iter().collect();

        let mut by_rank: BTreeMap<u32, Vec<&Plain>> = BTreeMap::new();
        let mut by_file: BTreeMap<&str, Vec<&Plain>> = BTreeMap::new();
        for part in trace.parts() {
            by_rank.entry(part.rank()).or_default();
        }
        for call in &calls {
            by_rank.get_mut(&call.rank).unwrap().push(call);
            if call.op != "fork" {
                by_file.entry(&call.file).or_default().push(call);
            }
        }
        prop_assert_eq!(stat.tasks.len(), by_rank.len());
        for ((rank, found), (expected_rank, calls)) in stat.tasks.iter().zip(&by_rank) {
            prop_assert_eq!(rank, expected_rank);
            let of_rank = trace.parts().iter().filter(|part| part.rank() == *rank);
            let processes: BTreeSet<_> = of_rank.map(|part| part.pid()).collect();
            prop_assert_eq!(found.processes, processes.len() as u64);
            prop_assert_eq!(found.tally.get().into_owned(), tally(calls));
            // Of one process with one thread it is exact.
            let parts: BTreeSet<_> = calls.iter().map(|call| (call.part, call.thread)).collect();
            if parts.len() == 1 {
                prop_assert_eq!(found.busy, union(calls.iter().copied()));
            }
            prop_assert!(found.busy >= union(calls.iter().copied()));
        }
        prop_assert_eq!(stat.files.len(), by_file.len());
        for (id, found) in &stat.files {
            let path = if *id == 0 { "-" } else { std::str::from_utf8(job.files.path(*id)).unwrap() };
            let (calls, found) = (&by_file[path], found.get());
            prop_assert_eq!(&found.tally, &tally(calls), "{}", path);
            let ranks: BTreeSet<u32> = calls.iter().map(|call| call.rank).collect();
            prop_assert_eq!(found.tasks as usize, ranks.len());
            if *id != 0 {
                prop_assert_eq!((found.overwritten().bytes, found.exchanged().bytes), shared(calls));
            }
        }
        let threads: BTreeSet<_> = all.iter().filter(|call| call.op != "fork").map(|call| (call.part, call.thread)).collect();
        prop_assert_eq!(stat.threads.len(), threads.len());
        let (busy, width) = stat.union();
        let exact = union(calls.iter());
        prop_assert!(busy >= exact && busy <= exact + 2 * width * calls.len() as u64, "{} {}", busy, exact);
        for (op, found) in job.ops.all().iter().zip(&stat.ops) {
            let of_op: Vec<&Plain> = calls.iter().filter(|call| call.op.as_bytes() == op.name).collect();
            prop_assert_eq!(found.as_ref().map_or(0, |op| op.calls), of_op.len() as u64);
            let longest = of_op.iter().map(|call| (call.end - call.start) as u64).max().unwrap_or(0);
            prop_assert_eq!(found.as_ref().map_or(0, |op| op.latencies.max), longest);
        }
    }

    #[test]
    fn runs_are_their_calls(processes in processes(), unit in 1u64..200) {
        let file = file(&processes);
        let trace = open(&file);
        let job = Job::in_units_of(&trace, unit);
        let runs = Pass::of(&job).run(|| Stat::new(&job));
        let calls = Pass::of(&job).run(|| OneByOne(Stat::new(&job))).0;
        prop_assert_eq!(report(&job, &runs), report(&job, &calls));
    }

    #[test]
    fn shares_are_the_whole_to_the_digit(processes in processes(), unit in 1u64..60, count in 1u64..6) {
        let file = file(&processes);
        let trace = open(&file);
        let job = Job::in_units_of(&trace, unit);
        let whole = Pass::of(&job).run(|| Stat::new(&job));
        let mut shares = Vec::new();
        for index in (0..count).rev() {
            let share = Share { index, count };
            let found = Pass::of(&job).share(share).run_share(|| Stat::new(&job));
            let facts = Facts::of(&job, found.values());
            let partial = Partial { share, traces: vec![], filter: vec![], thresholds: Thresholds::default(), facts, problems: vec![], found };
            shares.push(Partial::decoded(&partial.encoded()).unwrap());
        }
        let (joined, first) = Partial::join(shares).unwrap();
        let merged = serde_json::to_value(Report::of(&joined, &first.facts, Further::default(), &options())).unwrap();
        prop_assert_eq!(merged, report(&job, &whole));
    }

    #[test]
    fn a_filter_is_as_good_as_less_trace(processes in processes(), unit in 1u64..60) {
        let file = file(&processes);
        let trace = open(&file);
        let job = Job::in_units_of(&trace, unit);
        let filter: Filter = "class=write,rank=1-2,file=/shared/*".parse().unwrap();
        let stat = Pass::of(&job).only(&filter).run(|| Stat::new(&job));
        let calls = plain(&trace);
        let wanted = calls.iter().filter(|call| call.op == "pwrite64" && call.rank > 0 && call.file.starts_with("/shared"));
        let wanted: Vec<&Plain> = wanted.collect();
        let mut found = Tally::default();
        stat.tasks.iter().for_each(|(_, rank)| found.merge(&rank.tally.get()));
        prop_assert_eq!(found, tally(&wanted));
    }

    #[test]
    fn shares_that_were_changed_are_refused(processes in processes(), at in 0.0f64..1.0, bit in 0u8..8) {
        let file = file(&processes);
        let trace = open(&file);
        let job = Job::of(&trace);
        let found = Pass::of(&job).run_share(|| Stat::new(&job));
        let facts = Facts::of(&job, found.values());
        let partial = Partial { share: Share::WHOLE, traces: vec![], filter: vec![], thresholds: Thresholds::default(), facts, problems: vec![], found };
        let mut bytes = partial.encoded();
        let at = (at * bytes.len() as f64) as usize;
        prop_assert!(Partial::decoded(&bytes[..at]).is_err());
        bytes[at] ^= 1 << bit;
        prop_assert!(Partial::decoded(&bytes).is_err());
    }
}
