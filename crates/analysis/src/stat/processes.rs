//! What is kept of threads, processes and hosts.

use super::{Packed, Stat, Sums, THREADS, Tally, ThreadStat};
use crate::Process;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What a process did, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessStat {
    /// Its host's number in the job.
    pub host: u32,
    /// Its rank.
    pub rank: u32,
    /// Its id on its host.
    pub pid: u32,
    /// Sums.
    pub tally: Packed<Tally>,
}

impl ProcessStat {
    fn key(&self) -> (u32, u32, u32) {
        (self.rank, self.host, self.pid)
    }
}

/// What all processes of a host did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostStat {
    /// Sums.
    pub tally: Tally,
    /// How many processes.
    pub processes: u64,
}

impl HostStat {
    fn merge(&mut self, more: &HostStat) {
        self.tally.merge(&more.tally);
        self.processes += more.processes;
    }
}

impl Stat {
    /// All calls of a part of a process have come.
    pub(super) fn process(&mut self, process: &Process, threads: &BTreeMap<u32, Tally>) {
        let mut tally = Tally::default();
        threads.values().for_each(|thread| tally.merge(thread));
        let host = HostStat {
            tally: tally.clone(),
            processes: u64::from(process.is_first),
        };
        self.hosts.entry(process.host).or_default().merge(&host);
        self.parts.push((process.part, Sums::of(&tally)));
        self.processes.push(ProcessStat {
            host: process.host,
            rank: process.rank,
            pid: process.pid,
            tally: Packed::new(tally),
        });
    }

    pub(super) fn threads(&mut self, process: &Process, threads: BTreeMap<u32, Tally>) {
        let threads = threads.into_iter().map(|(thread, tally)| ThreadStat {
            rank: process.rank,
            pid: process.pid,
            thread,
            tally: Packed::new(tally),
        });
        self.threads.extend(threads);
        self.prune(2 * THREADS);
    }

    pub(super) fn merge_processes(
        &mut self,
        threads: Vec<ThreadStat>,
        processes: Vec<ProcessStat>,
        hosts: BTreeMap<u32, HostStat>,
    ) {
        self.threads.extend(threads);
        self.processes.extend(processes);
        for (host, stat) in hosts {
            self.hosts.entry(host).or_default().merge(&stat);
        }
        self.prune(2 * THREADS);
    }

    /// Keeps the threads and processes that waited longest, if there are more than `limit`.
    fn prune(&mut self, limit: usize) {
        if self.threads.len() > limit {
            let key = |of: &ThreadStat| {
                let time = Reverse(of.tally.get().all_time());
                (time, of.rank, of.pid, of.thread)
            };
            self.threads.sort_by_cached_key(key);
            self.threads.truncate(THREADS);
        }
        if self.processes.len() > limit {
            let all = self.processes_joined();
            self.processes = all;
            self.processes
                .sort_by_cached_key(|of| (Reverse(of.tally.get().all_time()), of.key()));
            self.processes.truncate(THREADS);
        }
    }

    /// In order, each once.
    pub(super) fn processes_joined(&self) -> Vec<ProcessStat> {
        let mut all = self.processes.clone();
        all.sort_by_key(ProcessStat::key);
        all.dedup_by(|more, first| {
            let is_same = more.key() == first.key();
            if is_same {
                first.tally.change(|tally| tally.merge(&more.tally.get()));
            }
            is_same
        });
        all
    }
}
