//! Collective calls: what all ranks of a launch did in one of them, known by its number.
//!
//! To say who came last all ranks' calls must be kept. If there are too many, every other collective is left out, by its
//! number, then every other of the rest, and so on: those that are kept are kept whole, whoever reads which rank.

use super::Node;
use crate::sums::sum;
use crate::{FileId, OpId};
use std::collections::HashMap;

/// Calls of ranks that are kept.
const MOST: usize = 1 << 20;

/// A rank's share in a collective call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankShare {
    /// The rank.
    pub rank: u32,
    /// When it came.
    pub start: i64,
    /// When it was done.
    pub end: i64,
    /// Whether it only began there: it did not wait for the others.
    pub flying: bool,
    /// Bytes that it moved through MPI.
    pub bytes: u64,
    /// Bytes that its own sub-calls read and wrote.
    pub below: [u64; 2],
    /// How many of these were reads or writes, if they moved bytes of its file.
    pub transfers: u64,
    /// Client latency.
    pub client: u64,
    /// Server latency.
    pub server: u64,
}

/// What was heard of a collective call.
#[derive(Clone, Debug)]
pub struct Gathered {
    /// The function.
    pub op: OpId,
    /// The file.
    pub file: FileId,
    /// Ranks that should take part.
    pub ranks: u32,
    /// Those that did.
    pub shares: Vec<RankShare>,
}

/// All that are kept.
#[derive(Clone, Debug, Default)]
pub struct Collectives {
    /// By the launches that they are of and their numbers.
    pub all: HashMap<(u32, u64), Gathered>,
    /// One in two to the power of this is kept.
    pub level: u32,
    kept: usize,
    most: Option<usize>,
}

impl Collectives {
    /// With room for so many calls of ranks.
    pub fn with_room(most: usize) -> Collectives {
        Collectives {
            most: Some(most),
            ..Collectives::default()
        }
    }

    /// A rank's share in one.
    pub fn add(&mut self, node: &Node) {
        let below = node.bytes_below();
        let share = RankShare {
            rank: node.rank,
            start: node.start,
            end: node.end,
            flying: node.begun.is_some(),
            bytes: node.bytes(),
            below,
            transfers: if below == [0, 0] {
                0
            } else {
                node.below.transfers.iter().sum()
            },
            client: node.below.client(),
            server: node.below.server,
        };
        self.put(
            (node.launch, node.collective),
            (node.op, node.file, node.ranks),
            share,
        );
    }

    fn put(&mut self, id: (u32, u64), (op, file, ranks): (OpId, FileId, u32), share: RankShare) {
        if !kept(id, self.level) {
            return;
        }
        let gathered = self.all.entry(id).or_insert_with(|| Gathered {
            op,
            file,
            ranks,
            shares: Vec::new(),
        });
        gathered.shares.push(share);
        self.kept += 1;
        self.thin();
    }

    /// Takes in what was heard elsewhere.
    pub fn merge(&mut self, more: Collectives) {
        self.level = self.level.max(more.level);
        for (id, gathered) in more.all {
            self.kept += gathered.shares.len();
            match self.all.get_mut(&id) {
                Some(known) => known.shares.extend(gathered.shares),
                None => drop(self.all.insert(id, gathered)),
            }
        }
        self.sift();
        self.thin();
    }

    fn thin(&mut self) {
        while self.kept > self.most.unwrap_or(MOST) && self.level < 63 {
            self.level += 1;
            self.sift();
        }
    }

    fn sift(&mut self) {
        let level = self.level;
        if level > 0 {
            self.all.retain(|id, _| kept(*id, level));
            self.kept = self.all.values().map(|one| one.shares.len()).sum();
        }
    }
}

fn kept((_, id): (u32, u64), level: u32) -> bool {
    let mixed = id.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ mixed >> 32).trailing_zeros() >= level
}

/// Who waited in a collective call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectiveWait {
    /// The rank that came last; of several the lowest.
    pub last: u32,
    /// When.
    pub arrival: i64,
    /// When the first came.
    pub first: i64,
    /// Sum over ranks of the time from their arrival to the last one's, in ns, but not longer than their calls.
    pub cost: u64,
}

impl Gathered {
    /// Who waited for whom; `None` where nobody waits, or nobody is known to come.
    pub fn waiting(&self) -> Option<CollectiveWait> {
        let blocked = || self.shares.iter().filter(|share| !share.flying);
        let last = blocked().max_by_key(|share| (share.start, std::cmp::Reverse(share.rank)))?;
        let first = blocked().map(|share| share.start).min()?;
        Some(CollectiveWait {
            last: last.rank,
            arrival: last.start,
            first,
            cost: sum(blocked().map(|share| share.waited(last.start))),
        })
    }

    /// Ranks whose own sub-calls read or wrote the file.
    pub fn aggregators(&self) -> Vec<u32> {
        let doers = self.shares.iter().filter(|share| share.transfers > 0);
        let mut ranks: Vec<u32> = doers.map(|share| share.rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    /// From the first arrival to the last completion, in ns since the job's start.
    pub fn span(&self) -> (i64, i64) {
        let start = self.shares.iter().map(|share| share.start).min();
        let end = self.shares.iter().map(|share| share.end).max();
        (start.unwrap_or(0), end.unwrap_or(0))
    }
}

impl RankShare {
    /// How long it waited for who came at `arrival`.
    pub fn waited(&self, arrival: i64) -> u64 {
        let until = arrival.min(self.end);
        until.wrapping_sub(self.start).max(0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(rank: u32) -> RankShare {
        RankShare {
            rank,
            start: i64::from(rank),
            end: 100,
            flying: false,
            bytes: 1,
            below: [0, 0],
            transfers: 0,
            client: 0,
            server: 0,
        }
    }

    /// What a rank has of all collectives, with room for so many of its calls.
    fn of_rank(rank: u32, room: usize) -> Collectives {
        let mut all = Collectives::with_room(room);
        for id in 1..=5000 {
            all.put((0, id), (0, 0, 3), share(rank));
        }
        all
    }

    #[test]
    fn collectives_that_are_kept_are_kept_whole() {
        let mut all = of_rank(0, 10_000);
        assert_eq!((all.level, all.all.len()), (0, 5000));
        // A rank with less room leaves out more, and so do those that it is joined with.
        all.merge(of_rank(1, 1000));
        all.merge(of_rank(2, 10_000));
        assert!((3..=4).contains(&all.level), "{}", all.level);
        assert!((100..1000).contains(&all.all.len()), "{}", all.all.len());
        for one in all.all.values() {
            assert_eq!(one.shares.len(), 3);
            assert_eq!(
                one.waiting().map(|waiting| (waiting.last, waiting.cost)),
                Some((2, 3))
            );
        }
    }
}
