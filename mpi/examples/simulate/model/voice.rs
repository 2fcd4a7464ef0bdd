//! What a rank hears from the others, who are not there.

use super::{Load, Machine};
use iota_mpi::clocks::Offset;
use iota_mpi::group::{Group, GroupRank, Result};
use iota_mpi::plan::Share;
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// A group as one of its members sees it.
pub struct Model {
    pub machine: Rc<Machine>,
    pub load: Rc<Cell<Load>>,
    pub leaders: bool,
    pub node: u32,
    pub place: GroupRank,
    pub broadcasts: u64,
    pub greatest: u64,
}

impl Model {
    fn note(&self, bytes: usize, change: impl FnOnce(&mut Load)) {
        let mut load = self.load.get();
        load.bytes += bytes as u64;
        change(&mut load);
        self.load.set(load);
        self.machine.pass();
    }

    fn call(&self, bytes: usize) {
        let leaders = self.leaders;
        let levels = self.place.size.next_power_of_two().trailing_zeros();
        self.note(bytes, |load| {
            *if leaders {
                &mut load.leader_calls
            } else {
                &mut load.node_calls
            } += 1;
            load.inside += u64::from(levels);
        });
    }

    /// The ranks of the world at both ends.
    fn road(&self, from: u32, to: u32) -> (u32, u32, bool) {
        let first = self.machine.members(self.node).start;
        if self.leaders {
            (from, to, true)
        } else {
            (first + from, first + to, false)
        }
    }

    fn is_ping(&self, bytes: &[u8]) -> bool {
        self.leaders && bytes.len() == 8
    }

    fn balance(&self, road: (u32, u32, bool), bytes: i64) {
        *self
            .machine
            .said
            .borrow_mut()
            .balance
            .entry(road)
            .or_default() += bytes;
    }
}

impl Group for Model {
    fn place(&self) -> GroupRank {
        self.place
    }

    fn send(&mut self, to: u32, bytes: &[u8]) -> Result<()> {
        let road = self.road(self.place.rank, to);
        self.balance(road, bytes.len() as i64);
        self.note(bytes.len(), |load| load.sent += 1);
        // What is small and goes to a rank that runs later: a turn, how much there is to refer to, or an offset going down
        // the tree; not what only says when it was sent.
        if bytes.len() <= Offset::BYTES && to > self.place.rank && !self.is_ping(bytes) {
            let kept = &mut self.machine.said.borrow_mut().kept;
            kept.entry(road).or_default().push_back(bytes.to_vec());
        }
        Ok(())
    }

    fn receive(&mut self, from: u32, bytes: &mut [u8]) -> Result<()> {
        let road = self.road(from, self.place.rank);
        self.balance(road, -(bytes.len() as i64));
        self.note(bytes.len(), |load| load.received += 1);
        if self.is_ping(bytes) {
            bytes.copy_from_slice(&self.machine.clock(from).to_ne_bytes());
            return Ok(());
        }
        let kept = &mut self.machine.said.borrow_mut().kept;
        if let Some(kept) = kept.get_mut(&road).and_then(VecDeque::pop_front) {
            bytes.copy_from_slice(&kept);
        }
        Ok(())
    }

    fn broadcast(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.call(bytes.len());
        let key = ((!self.leaders).then_some(self.node), self.broadcasts);
        self.broadcasts += 1;
        let mut said = self.machine.said.borrow_mut();
        if self.place.rank == 0 {
            said.broadcasts.insert(key, bytes.to_vec());
        } else {
            bytes.copy_from_slice(&said.broadcasts[&key]);
        }
        Ok(())
    }

    fn gather(&mut self, mine: &[u8], all: &mut [u8]) -> Result<()> {
        assert!(!self.leaders);
        self.call(mine.len().max(all.len()));
        let members = self.machine.members(self.node);
        let me = members.start + self.place.rank;
        assert_eq!(mine, self.machine.share(me).to_bytes());
        for (to, rank) in all.chunks_exact_mut(Share::BYTES).zip(members) {
            to.copy_from_slice(&self.machine.share(rank).to_bytes());
        }
        Ok(())
    }

    fn sum_before(&mut self, value: u64) -> Result<u64> {
        self.call(8);
        assert!(self.leaders);
        assert_eq!(value, self.machine.segment(self.node));
        Ok(self.machine.bases[self.node as usize])
    }

    /// The first among the leaders asks for the longest segment; all others ask for trouble.
    fn greatest(&mut self, value: u64) -> Result<u64> {
        self.call(8);
        self.greatest += 1;
        if self.leaders && self.greatest == 1 {
            assert!(value <= self.machine.longest);
            return Ok(self.machine.longest);
        }
        assert_eq!(value, 0);
        Ok(0)
    }
}
