//! Servers that keep the job waiting longer than others.

use super::ServerTies;
use super::tie::work;
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
        let mut servers = vec![Waited::default(); self.names.len()];
        let work = work(&self.transfers, &self.ties);
        for of in &work {
            let server = &mut servers[of.server as usize];
            add(&mut server.bytes, of.bytes);
            add(&mut server.time, of.time);
        }
        let used = servers.iter().filter(|of| of.bytes > 0).count();
        if used < 2 {
            return Vec::new();
        }
        let all = Waited {
            bytes: sum(servers.iter().map(|of| of.bytes)),
            time: sum(servers.iter().map(|of| of.time)),
        };
        let others = |at: usize| Waited {
            bytes: all.bytes.saturating_sub(servers[at].bytes),
            time: all.time.saturating_sub(servers[at].time),
        };
        // What the slowest rank would save if this server took `time` for its bytes.
        let saved = |at: usize, time_of: &dyn Fn(u64, u64) -> u64| {
            let mut by_task: HashMap<TaskId, u64> = HashMap::new();
            for of_call in work.chunk_by(|a, b| a.call == b.call) {
                let Some(own) = of_call.iter().find(|of| of.server as usize == at) else {
                    continue;
                };
                let others = of_call.iter().filter(|of| of.server as usize != at);
                let next = others.map(|of| of.time).max().unwrap_or(0);
                let then = time_of(own.time, own.bytes).max(next);
                let task = self.calls[own.call as usize].task;
                add(
                    by_task.entry(task).or_default(),
                    own.time.saturating_sub(then),
                );
            }
            by_task.into_values().max().unwrap_or(0)
        };
        let select = || {
            let files = self.transfers.iter();
            let file = files.map(|of| (of.transfer.length, of.transfer.file)).max();
            let file = file.map_or(crate::NO_FILE, |(_, file)| file);
            Select::default().file(job.files.path(file)).text()
        };
        let mut found = Vec::new();
        let slow = (0..servers.len()).filter(|at| {
            let (own, others) = (&servers[*at], others(*at));
            let like_others = others.time_for(own.bytes);
            thresholds.little.is_reached(own.bytes)
                && thresholds.little.is_reached(others.bytes)
                && thresholds.slow_server.is_reached(own.time, like_others)
        });
        if let Some((cost, at)) = slow
            .map(|at| {
                let others = others(at);
                (saved(at, &|_, bytes| others.time_for(bytes)), at)
            })
            .max()
        {
            let (own, others) = (&servers[at], others(at));
            found.push(Finding {
                kind: "slow-server",
                cost,
                what: "one file server takes longer for its bytes than the others".to_owned(),
                evidence: format!(
                    "{} took {} for each MiB, the others {}; calls of the job waited {} for it",
                    self.names[at],
                    time(own.time_for(1 << 20)),
                    time(others.time_for(1 << 20)),
                    time(own.time),
                ),
                advice: "Look at this server's disk, memory and network, and at what else it serves. Until it is mended, \
                    keep files of the job off it.",
                select: select(),
            });
        }
        let most = (0..servers.len()).max_by_key(|at| servers[*at].bytes);
        let mean = all.bytes / servers.len().max(1) as u64;
        if let Some(at) = most.filter(|at| {
            thresholds.little.is_reached(servers[*at].bytes)
                && thresholds.server_bytes.is_reached(servers[*at].bytes, mean)
        }) {
            let own = servers[at].bytes;
            found.push(Finding {
                kind: "server-imbalance",
                cost: saved(at, &|time, _| portion(time, mean, own)),
                what: "one file server moves most of the bytes".to_owned(),
                evidence: format!(
                    "{} moved {} of the {} that calls of the job waited for; there are {}",
                    self.names[at],
                    bytes(own),
                    bytes(all.bytes),
                    many(servers.len() as u64, "server"),
                ),
                advice: "Spread the file over more servers (more or smaller stripes or shards), or the files over them.",
                select: select(),
            });
        }
        found
    }
}
