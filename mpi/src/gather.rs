//! One file for the job. Every rank of every node runs [`Gathering::run`] once, after all have agreed to.
//!
//! Promises: a leader holds one piece and its node's table and nothing that grows with the job; no rank of a node is
//! sent for before its turn; all ranks return the same answer, so that either the whole trace stands in the output or
//! there is no output and every rank still has its part. Trouble on one rank never keeps another waiting: it goes on
//! through all messages, and stands in the verdict.

pub use crate::parties::{Ending, Name, Output, Part};

use crate::clocks::{self, Offset};
use crate::group::{GatherError, Group, GroupRank, Groups, Result};
use crate::packing::Packing;
use crate::plan::{self, Extent, Node, word};
use crate::segment::{Segment, Turn};
use iota_trace::deflate::LAST;

/// One rank's side of the gathering. `piece` and `table` are as long as [`crate::plan::MemoryNeed`] says.
pub struct Gathering<'a, G, P, O, E, C> {
    /// The rank in MPI_COMM_WORLD.
    pub rank: u32,
    /// The process.
    pub pid: u32,
    /// The other ranks.
    pub groups: &'a mut Groups<G>,
    /// What this rank gives.
    pub part: Packing<'a, P>,
    /// Where it goes; used by leaders.
    pub output: &'a mut O,
    /// What closes a segment.
    pub ending: E,
    /// CLOCK_MONOTONIC in nanoseconds.
    pub now: C,
    /// The output, once it is known: zeros before.
    pub name: &'a mut Name,
    /// Room for one piece.
    pub piece: &'a mut [u8],
    /// Room for the node's shares, on a leader.
    pub table: &'a mut [u8],
}

impl<G: Group, P: Part, O: Output, E: Ending, C: Fn() -> u64> Gathering<'_, G, P, O, E, C> {
    /// Gathers. On trouble, of whatever rank, all ranks have the same answer.
    pub fn run(&mut self) -> Result<()> {
        let clock = self.tell_clock();
        let packed = self.part.pack(&mut self.groups.node);
        let share = self.part.share(self.rank, self.pid);
        let gathered = self.groups.node.gather(&share.to_bytes(), self.table);
        let done = match self.groups.leaders {
            Some(_) => self.lead(),
            None => self.follow(share.length),
        };
        let verdict = self.verdict(clock.and(packed).and(gathered).and(done));
        if verdict.is_err() && self.is_first() {
            self.output.remove();
        }
        verdict
    }

    fn is_first(&self) -> bool {
        self.groups
            .leaders
            .as_ref()
            .is_some_and(|leaders| leaders.place().rank == 0)
    }

    fn tell_clock(&mut self) -> Result<()> {
        let base = self.part.base();
        let measured = match &mut self.groups.leaders {
            Some(leaders) => clocks::measure(leaders, &self.now, base),
            None => Ok(Offset::default()),
        };
        let mut bytes = measured.unwrap_or(Offset::UNKNOWN).to_bytes();
        let sent = self.groups.node.broadcast(&mut bytes);
        self.part.set_clock(Offset::from_bytes(&bytes).plus(base));
        measured.and(sent)
    }

    fn lead(&mut self) -> Result<()> {
        let length = Node::new(self.table).length(|units| self.ending.length(units));
        let base = self.sum_before(length);
        let opened = self.open(length);
        let mut segment =
            Segment::new(self.output, self.piece, base.unwrap_or(0), base.and(opened));
        for unit in Node::new(self.table).units(base.unwrap_or(0)) {
            let pack = unit.pack();
            pack.iter().for_each(|pack| segment.put(&pack.head()));
            for (member, extent) in unit.parts() {
                match member {
                    0 => segment.copy(&mut self.part, extent),
                    _ => segment.fetch(&mut self.groups.node, member, extent),
                }
            }
            pack.iter().for_each(|_| segment.put(&LAST));
        }
        segment.close(&self.ending, Node::new(self.table))
    }

    fn sum_before(&mut self, length: u64) -> Result<u64> {
        self.groups
            .leaders
            .as_mut()
            .map_or(Ok(0), |leaders| leaders.sum_before(length))
    }

    /// Has every leader that will write open the same file, or none. Where no rank has a part there is no file.
    fn open(&mut self, length: u64) -> Result<()> {
        let Some(leaders) = &mut self.groups.leaders else {
            return Ok(());
        };
        let longest = leaders.greatest(length);
        if longest == Ok(0) {
            return Ok(());
        }
        let GroupRank { rank, size } = leaders.place();
        let first = rank == 0;
        let created = if first {
            let stripes = plan::stripes(size, longest.unwrap_or(0));
            self.output.create(self.name, stripes)
        } else {
            Ok(())
        };
        let sent = leaders.broadcast(self.name);
        let opened = if first || length == 0 || sent.is_err() {
            Ok(())
        } else {
            self.output.open(self.name)
        };
        worst(leaders, created.and(sent).and(opened))
    }

    fn follow(&mut self, length: u64) -> Result<()> {
        if length == 0 {
            return Ok(());
        }
        let mut turn = [0; Turn::BYTES];
        self.groups.node.receive_late(0, &mut turn)?;
        match Turn::from_bytes(turn) {
            Turn::Stop => Ok(()),
            Turn::Send(offset) => self.send_part(Extent { offset, length }),
        }
    }

    /// Sends the whole part even when it cannot be read: the leader waits for it.
    fn send_part(&mut self, extent: Extent) -> Result<()> {
        let mut whole = Ok(());
        for piece in extent.pieces() {
            let bytes = self
                .piece
                .get_mut(..piece.length as usize)
                .unwrap_or_default();
            if !self
                .part
                .read_at(piece.offset.wrapping_sub(extent.offset), bytes)
            {
                whole = Err(GatherError::PART);
            }
            self.groups.node.send(0, bytes)?;
        }
        whole
    }

    fn verdict(&mut self, mine: Result<()>) -> Result<()> {
        let mut verdict = worst(&mut self.groups.node, mine);
        if let Some(leaders) = &mut self.groups.leaders {
            verdict = worst(leaders, verdict);
        }
        let mut bytes = code(verdict).to_ne_bytes();
        self.groups.node.broadcast(&mut bytes)?;
        self.groups.node.broadcast(self.name)?;
        decode(word(&bytes))
    }
}

/// The same answer for the whole group: everybody's trouble, if anybody has some.
fn worst(group: &mut impl Group, mine: Result<()>) -> Result<()> {
    decode(group.greatest(code(mine))?)
}

fn code(result: Result<()>) -> u64 {
    result.err().map_or(0, |GatherError(errno)| {
        u64::from(errno.unsigned_abs().max(1))
    })
}

fn decode(code: u64) -> Result<()> {
    if code == 0 {
        Ok(())
    } else {
        Err(GatherError(code as i32))
    }
}
