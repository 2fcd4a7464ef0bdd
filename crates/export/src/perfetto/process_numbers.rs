//! Numbers of processes and threads for Perfetto, which takes two processes of one number for one.

use crate::job::{Job, Row};
use iota_trace::read::Part;
use std::collections::{HashMap, HashSet};

/// Beyond these are numbers that no process has: PID_MAX_LIMIT of Linux
const PIDS: u64 = 1 << 22;

/// The numbers that are shown: their own, unless there are several nodes, or two processes with the same number
pub struct ProcessNumbers {
    /// By the part's place in the trace
    pub pids: Vec<u64>,
    /// Numbers that are left for threads of each part; 0: threads keep their own
    threads: u64,
}

impl ProcessNumbers {
    /// Of a trace
    pub fn of(job: &Job) -> ProcessNumbers {
        let parts = job.all.trace.parts();
        let hosts: HashSet<_> = parts.iter().map(Part::host).collect();
        let mut processes = HashMap::new();
        let mut pids = HashMap::new();
        let mut twice = false;
        for (place, part) in parts.iter().enumerate() {
            let of = (part.rank(), part.pid(), part.host());
            processes.entry(of).or_insert(PIDS + place as u64);
            twice |= *pids.entry(part.pid()).or_insert(of) != of;
        }
        let own = hosts.len() <= 1 && !twice;
        let pid = |part: &Part| match own {
            true => part.pid().into(),
            false => processes[&(part.rank(), part.pid(), part.host())],
        };
        let threads = ((1 << 31) - 2 * PIDS) / (parts.len() as u64).max(1);
        ProcessNumbers {
            pids: parts.iter().map(pid).collect(),
            threads: if own { 0 } else { threads },
        }
    }

    /// The number of a part's thread, which is the `nth`
    pub fn thread(&self, row: &Row, nth: u64) -> u64 {
        let (place, thread) = (row.call.process.part as usize, row.call.event.thread);
        match self.threads {
            0 => thread.into(),
            _ if thread == row.call.process.pid => self.pids[place],
            most => 2 * PIDS + place as u64 * most + nth % most,
        }
    }
}
