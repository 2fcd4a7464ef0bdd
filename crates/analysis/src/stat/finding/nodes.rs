//! How nodes share the time in I/O.

use super::Rules;
use crate::filter::Select;
use crate::stat::{Finding, THREADS};
use iota_quantity::{many, time};
use std::collections::BTreeMap;

/// The time in I/O that half of a node's ranks have no more of.
struct NodeTime {
    host: u32,
    time: u64,
    ranks: u64,
}

impl Rules<'_> {
    /// A node whose ranks are longer in I/O than those of others.
    pub(super) fn node_imbalance(&self) -> Option<Finding> {
        let nodes = self.nodes();
        let slowest = nodes.iter().max_by_key(|node| node.time)?;
        let others = nodes.iter().filter(|node| node.host != slowest.host);
        let (ranks, sum) = others.fold((0, 0u128), |(ranks, sum), node| {
            (
                ranks + node.ranks,
                sum + u128::from(node.time) * u128::from(node.ranks),
            )
        });
        let typical = (sum / u128::from(ranks.max(1))) as u64;
        let is_uneven = typical > 0 && self.thresholds.imbalance.is_reached(slowest.time, typical);
        let host = self.facts.hosts.get(slowest.host as usize)?;
        is_uneven.then(|| Finding {
            kind: "node-imbalance",
            cost: slowest.time - typical,
            what: format!(
                "ranks on {} are in I/O {:.1} times as long as those on other nodes",
                self.facts.host(slowest.host),
                slowest.time as f64 / typical as f64,
            ),
            evidence: format!(
                "half of {} there for {} or more, the others for {}",
                many(slowest.ranks, "rank"),
                time(slowest.time),
                time(typical),
            ),
            advice: "Compare the nodes: their link, mounts, memory for the page cache, and what else runs there; see \
                `iota stat --by host`. Run it again without this node.",
            select: Select::default().host(host).on_storage().text(),
        })
    }

    /// Nodes with enough ranks; none where there are not several, or not all processes are known.
    fn nodes(&self) -> Vec<NodeTime> {
        if self.facts.tasks.are_processes() || self.stat.processes.len() >= THREADS {
            return Vec::new();
        }
        let mut of_ranks: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for process in &self.stat.processes {
            let time = of_ranks.entry((process.host, process.rank)).or_default();
            *time = time.saturating_add(process.tally.get().time_from_top());
        }
        // What an aggregator does in a collective call, it does for all.
        for ((_, rank), time) in &mut of_ranks {
            let together = self.tree.and_then(|tree| tree.together.get(rank));
            *time = time.saturating_sub(together.copied().unwrap_or(0));
        }
        let mut nodes: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        for ((host, _), time) in of_ranks {
            nodes.entry(host).or_default().push(time);
        }
        let node = |(host, mut times): (u32, Vec<u64>)| {
            times.sort_unstable();
            let (time, ranks) = (times[(times.len() - 1) / 2], times.len() as u64);
            NodeTime { host, time, ranks }
        };
        let nodes = nodes.into_iter().map(node);
        let is_enough = |node: &NodeTime| self.thresholds.ranks.is_reached(node.ranks);
        let nodes: Vec<NodeTime> = nodes.filter(is_enough).collect();
        match nodes.len() {
            0 | 1 => Vec::new(),
            _ => nodes,
        }
    }
}
