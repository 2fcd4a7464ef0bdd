//! Servers that keep the job waiting longer than others.

use super::{ServerTies, ServerWork};
use crate::filter::Select;
use crate::stat::Finding;
use crate::sums::{add, portion, sum};
use crate::thresholds::Thresholds;
use crate::{Job, TaskId};
use iota_quantity::{bytes, many, time};
use std::collections::HashMap;

/// What a server did while calls of the job waited for it.
#[derive(Clone, Copy, Debug, Default)]
struct Waited {
    bytes: u64,
    time: u64,
}

impl Waited {
    /// Time for so many bytes.
    fn time_for(&self, bytes: u64) -> u64 {
        match self.bytes {
            0 => 0,
            all => portion(self.time, bytes, all),
        }
    }
}

impl ServerTies {
    /// All findings on servers.
    pub fn findings(&self, job: &Job, thresholds: &Thresholds) -> Vec<Finding> {
        let rules = ServerRules::of(self, job, thresholds);
        match rules.servers.iter().filter(|of| of.bytes > 0).count() {
            0 | 1 => Vec::new(),
            _ => [rules.slow(), rules.imbalance()]
                .into_iter()
                .flatten()
                .collect(),
        }
    }
}

struct ServerRules<'a> {
    ties: &'a ServerTies,
    job: &'a Job<'a>,
    thresholds: &'a Thresholds,
    servers: Vec<Waited>,
    all: Waited,
}

impl<'a> ServerRules<'a> {
    fn of(ties: &'a ServerTies, job: &'a Job, thresholds: &'a Thresholds) -> ServerRules<'a> {
        let mut servers = vec![Waited::default(); ties.names.len()];
        for of in &ties.work {
            let server = &mut servers[of.server as usize];
            add(&mut server.bytes, of.waited_bytes);
            add(&mut server.time, of.waited);
        }
        let all = Waited {
            bytes: sum(servers.iter().map(|of| of.bytes)),
            time: sum(servers.iter().map(|of| of.time)),
        };
        ServerRules {
            ties,
            job,
            thresholds,
            servers,
            all,
        }
    }

    /// All servers but one.
    fn others(&self, at: usize) -> Waited {
        let own = &self.servers[at];
        Waited {
            bytes: self.all.bytes.saturating_sub(own.bytes),
            time: self.all.time.saturating_sub(own.time),
        }
    }

    /// What the rank that waits most for a server would save, if it took `time_of` its work.
    fn saved(&self, at: usize, time_of: impl Fn(&ServerWork) -> u64) -> u64 {
        let mut by_task: HashMap<TaskId, u64> = HashMap::new();
        for of_call in self.ties.work.chunk_by(|a, b| a.call == b.call) {
            let Some(own) = of_call.iter().find(|of| of.server as usize == at) else {
                continue;
            };
            // The call waits for the slowest of its servers.
            let others = of_call.iter().filter(|of| of.server as usize != at);
            let next = others.map(|of| of.waited).max().unwrap_or(0);
            let saved = own.waited.saturating_sub(time_of(own).max(next));
            let task = self.ties.calls[own.call as usize].task;
            add(by_task.entry(task).or_default(), saved);
        }
        by_task.into_values().max().unwrap_or(0)
    }

    /// Calls on the file of which a server's call moves most.
    fn select(&self) -> String {
        let transfers = self.ties.transfers.iter().map(|of| &of.transfer);
        let file = transfers.max_by_key(|of| of.length).map(|of| of.file);
        let path = self.job.files.path(file.unwrap_or(crate::NO_FILE));
        Select::default().file(path).text()
    }

    fn slow(&self) -> Option<Finding> {
        let little = self.thresholds.little;
        let is_slow = |at: &usize| {
            let (own, others) = (&self.servers[*at], self.others(*at));
            little.is_reached(own.bytes.min(others.bytes))
                && self
                    .thresholds
                    .slow_server
                    .is_reached(own.time, others.time_for(own.bytes))
        };
        let cost = |at| {
            let others = self.others(at);
            (self.saved(at, |own| others.time_for(own.waited_bytes)), at)
        };
        let slow = (0..self.servers.len()).filter(is_slow);
        let (cost, at) = slow.map(cost).max()?;
        let (own, others) = (&self.servers[at], self.others(at));
        Some(Finding {
            kind: "slow-server",
            cost,
            what: "one file server takes longer for its bytes than the others".to_owned(),
            evidence: format!(
                "{} took {} for each MiB, the others {}; calls of the job waited {} for it",
                self.ties.names[at],
                time(own.time_for(1 << 20)),
                time(others.time_for(1 << 20)),
                time(own.time),
            ),
            advice: "Look at this server's disk, memory and network, and at what else it serves. Until it is mended, \
                keep files of the job off it.",
            select: self.select(),
        })
    }

    fn imbalance(&self) -> Option<Finding> {
        let count = self.servers.len() as u64;
        let at = (0..self.servers.len()).max_by_key(|at| self.servers[*at].bytes)?;
        let (own, mean) = (self.servers[at].bytes, self.all.bytes / count.max(1));
        let is_found = self.thresholds.little.is_reached(own)
            && self.thresholds.server_bytes.is_reached(own, mean);
        is_found.then(|| Finding {
            kind: "server-imbalance",
            cost: self.saved(at, |of| portion(of.waited, mean, own)),
            what: "one file server moves most of the bytes".to_owned(),
            evidence: format!(
                "{} moved {} of the {} that calls of the job waited for; there are {}",
                self.ties.names[at],
                bytes(own),
                bytes(self.all.bytes),
                many(count, "server"),
            ),
            advice: "Spread the file over more servers (more or smaller stripes or shards), or the files over them.",
            select: self.select(),
        })
    }
}
