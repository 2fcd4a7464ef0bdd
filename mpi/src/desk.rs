//! The ranks of a job that is on one node, in memory that they share. Whoever waits there sleeps until it is woken: a
//! step takes no turn of ranks that spin in MPI, where there are more ranks than processors.
//!
//! Each rank has a box, in which it lays one message at a time, for one rank or for all. Who takes the message as the
//! last one empties the box.

use crate::group::{GatherError, Group, GroupRank, Result};
use crate::plan::word;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

/// Bytes that a box holds; a longer message is laid there piece by piece.
pub const ROOM: usize = 32 * 1024;

/// The message is for all ranks.
const ALL: u32 = u32::MAX;

/// What a rank has to say: zeros at first.
#[repr(C, align(64))]
pub struct Outbox {
    /// Even: empty. Odd: there is a message. Grows by one each time.
    turn: AtomicU32,
    to: AtomicU32,
    /// How many ranks have not taken it yet.
    left: AtomicU32,
    length: AtomicU32,
    words: [AtomicU64; ROOM / 8],
}

impl Default for Outbox {
    /// As good as zeroed memory.
    fn default() -> Outbox {
        Outbox {
            turn: AtomicU32::new(0),
            to: AtomicU32::new(0),
            left: AtomicU32::new(0),
            length: AtomicU32::new(0),
            words: [const { AtomicU64::new(0) }; ROOM / 8],
        }
    }
}

impl Outbox {
    fn is_full(turn: u32) -> bool {
        !turn.is_multiple_of(2)
    }

    fn write(&self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        let mut words = self.words.iter();
        for (to, from) in words.by_ref().zip(chunks.by_ref()) {
            to.store(word(from), Relaxed);
        }
        let rest = chunks.remainder();
        let last = self.words.get(bytes.len() / 8);
        if let Some(last) = last.filter(|_| !rest.is_empty()) {
            let mut padded = [0; 8];
            padded
                .iter_mut()
                .zip(rest)
                .for_each(|(to, from)| *to = *from);
            last.store(u64::from_ne_bytes(padded), Relaxed);
        }
    }

    fn read(&self, bytes: &mut [u8]) {
        for (to, from) in bytes.chunks_mut(8).zip(&self.words) {
            let from = from.load(Relaxed).to_ne_bytes();
            to.iter_mut().zip(from).for_each(|(to, from)| *to = from);
        }
    }
}

/// How a rank sleeps, and wakes others.
pub trait Bell {
    /// Sleeps while `word` is `value`, or not so long. `again`: so often it slept for this word before.
    fn wait(&mut self, word: &AtomicU32, value: u32, again: u32);
    /// Wakes all who sleep there.
    fn ring(&mut self, word: &AtomicU32);
}

/// A rank among the others. They meet only here: what one says the others must want to hear.
pub struct Desk<'b, B> {
    boxes: &'b [Outbox],
    rank: u32,
    /// Rank 0's turn in which this rank last took a message for all.
    heard: u32,
    bell: B,
}

impl<'b, B: Bell> Desk<'b, B> {
    /// The rank of this number; each rank has one of the boxes.
    pub fn new(boxes: &'b [Outbox], rank: u32, bell: B) -> Self {
        Desk {
            boxes,
            rank,
            heard: 0,
            bell,
        }
    }

    fn box_of(&self, rank: u32) -> Result<&'b Outbox> {
        self.boxes.get(rank as usize).ok_or(GatherError::MESSAGE)
    }

    fn lay(&mut self, to: u32, readers: u32, bytes: &[u8]) -> Result<()> {
        let own = self.box_of(self.rank)?;
        for bytes in bytes.chunks(ROOM) {
            let turn = self.wait_for(own, |turn| !Outbox::is_full(turn));
            own.write(bytes);
            // With what this rank knew of the turn (`take`).
            own.to.store(to, Release);
            own.left.store(readers, Relaxed);
            own.length.store(bytes.len() as u32, Relaxed);
            own.turn.store(turn.wrapping_add(1), Release);
            self.bell.ring(&own.turn);
        }
        Ok(())
    }

    fn take(&mut self, from: u32, to: u32, bytes: &mut [u8]) -> Result<()> {
        let theirs = self.box_of(from)?;
        let mut whole = Ok(());
        for bytes in bytes.chunks_mut(ROOM) {
            let heard = self.heard;
            let turn = self.wait_for(theirs, |turn| {
                Outbox::is_full(turn)
                    && (to != ALL || turn != heard)
                    && theirs.to.load(Acquire) == to
                    // Else it is the reader of a later turn.
                    && theirs.turn.load(Acquire) == turn
            });
            if to == ALL {
                self.heard = turn;
            }
            if theirs.length.load(Relaxed) as usize == bytes.len() {
                theirs.read(bytes);
            } else {
                whole = Err(GatherError::MESSAGE);
            }
            if theirs.left.fetch_sub(1, AcqRel) == 1 {
                theirs.turn.store(turn.wrapping_add(1), Release);
                self.bell.ring(&theirs.turn);
            }
        }
        whole
    }

    /// Waits until the turn of a box is as wanted.
    fn wait_for(&mut self, of: &Outbox, is_wanted: impl Fn(u32) -> bool) -> u32 {
        let mut again = 0u32;
        loop {
            let turn = of.turn.load(Acquire);
            if is_wanted(turn) {
                return turn;
            }
            self.bell.wait(&of.turn, turn, again);
            again = again.saturating_add(1);
        }
    }

    fn others(&self) -> core::ops::Range<u32> {
        1..self.boxes.len() as u32
    }
}

impl<B: Bell> Group for Desk<'_, B> {
    fn place(&self) -> GroupRank {
        GroupRank {
            rank: self.rank,
            size: self.boxes.len() as u32,
        }
    }

    fn send(&mut self, to: u32, bytes: &[u8]) -> Result<()> {
        self.lay(to, 1, bytes)
    }

    fn receive(&mut self, from: u32, bytes: &mut [u8]) -> Result<()> {
        self.take(from, self.rank, bytes)
    }

    fn broadcast(&mut self, bytes: &mut [u8]) -> Result<()> {
        let readers = self.others().len() as u32;
        match self.rank {
            _ if readers == 0 => Ok(()),
            0 => self.lay(ALL, readers, bytes),
            _ => self.take(0, ALL, bytes),
        }
    }

    fn gather(&mut self, mine: &[u8], all: &mut [u8]) -> Result<()> {
        if self.rank != 0 {
            return self.send(0, mine);
        }
        let mut places = all.chunks_exact_mut(mine.len().max(1));
        let own = places.next().ok_or(GatherError::MESSAGE)?;
        own.copy_from_slice(mine);
        self.others().try_for_each(|from| {
            let place = places.next().ok_or(GatherError::MESSAGE)?;
            self.receive(from, place)
        })
    }

    fn sum_before(&mut self, value: u64) -> Result<u64> {
        let mut sum = [0; 8];
        if let Some(before) = self.rank.checked_sub(1) {
            self.receive(before, &mut sum)?;
        }
        let next = self.rank.wrapping_add(1);
        if self.others().contains(&next) {
            self.send(next, &word(&sum).wrapping_add(value).to_ne_bytes())?;
        }
        Ok(word(&sum))
    }

    fn greatest(&mut self, value: u64) -> Result<u64> {
        let mut most = value.to_ne_bytes();
        if self.rank != 0 {
            self.send(0, &most)?;
        } else {
            for from in self.others() {
                let mut theirs = [0; 8];
                self.receive(from, &mut theirs)?;
                most = word(&most).max(word(&theirs)).to_ne_bytes();
            }
        }
        self.broadcast(&mut most)?;
        Ok(word(&most))
    }
}
