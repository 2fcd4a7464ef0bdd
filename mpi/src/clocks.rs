//! How far a rank's clock is from rank 0's, by ping-pong between the leaders along the [tree]: the smallest of some
//! round trips bounds the error. What is compared is CLOCK_MONOTONIC, which all ranks of a node read alike (nothing
//! verifies that), so that a leader measures for its whole node.
//!
//! A rank's clock is its CLOCK_MONOTONIC plus a base of its own, which makes the time of day of its start out of it.
//!
//! [tree]: crate::tree

use crate::group::{Group, Result};
use crate::plan::word;
use crate::tree::{self, Meeting};

/// Round trips of one measurement.
const ROUND_TRIPS: u32 = 10;

/// One clock minus another.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Offset {
    /// In nanoseconds.
    pub offset: i64,
    /// By how much that may be wrong, in nanoseconds.
    pub error: u64,
}

impl Offset {
    /// Nothing was measured.
    pub const UNKNOWN: Offset = Offset {
        offset: 0,
        error: u64::MAX,
    };
    /// Bytes of an offset in a message.
    pub const BYTES: usize = 16;

    /// As it travels.
    pub fn to_bytes(self) -> [u8; Offset::BYTES] {
        let mut bytes = [0; Offset::BYTES];
        for (to, word) in bytes
            .chunks_exact_mut(8)
            .zip([self.offset as u64, self.error])
        {
            to.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }

    /// The offset in a message.
    pub fn from_bytes(bytes: &[u8]) -> Offset {
        let mut words = bytes.chunks_exact(8).map(word);
        let mut next = || words.next().unwrap_or(0);
        Offset {
            offset: next() as i64,
            error: next(),
        }
    }

    /// The same with something known added.
    pub fn plus(self, offset: i64) -> Offset {
        self.then(Offset { offset, error: 0 })
    }

    fn then(self, further: Offset) -> Offset {
        Offset {
            offset: self.offset.wrapping_add(further.offset),
            error: self.error.saturating_add(further.error),
        }
    }
}

/// This node's CLOCK_MONOTONIC minus rank 0's clock, whose base is leader 0's `base`: every hop of the tree by itself,
/// all hops of a round at once, then the sums from the root down. `now` is CLOCK_MONOTONIC.
pub fn measure(leaders: &mut impl Group, now: impl Fn() -> u64, base: i64) -> Result<Offset> {
    let me = leaders.place();
    let rounds = tree::rounds(me.size);
    let mut hop = Offset::default();
    for round in 0..rounds {
        match tree::rendezvous(me, round) {
            Some(Meeting::Parent(parent)) => hop = ask(leaders, parent, &now)?,
            Some(Meeting::Child(child)) => answer(leaders, child, &now)?,
            None => {}
        }
    }
    let mut whole = Offset::default().plus(base.wrapping_neg());
    for round in (0..rounds).rev() {
        match tree::rendezvous(me, round) {
            Some(Meeting::Parent(parent)) => whole = hear(leaders, parent)?.then(hop),
            Some(Meeting::Child(child)) => leaders.send(child, &whole.to_bytes())?,
            None => {}
        }
    }
    Ok(whole)
}

fn hear(leaders: &mut impl Group, parent: u32) -> Result<Offset> {
    let mut bytes = [0; Offset::BYTES];
    leaders.receive(parent, &mut bytes)?;
    Ok(Offset::from_bytes(&bytes))
}

/// This leader's clock minus its parent's.
fn ask(leaders: &mut impl Group, parent: u32, now: &impl Fn() -> u64) -> Result<Offset> {
    let mut best = Offset {
        offset: 0,
        error: u64::MAX,
    };
    for _ in 0..ROUND_TRIPS {
        let mut theirs = [0; 8];
        let sent = now();
        leaders.send(parent, &theirs)?;
        leaders.receive(parent, &mut theirs)?;
        let half = now().wrapping_sub(sent) / 2;
        if half < best.error {
            let middle = sent.wrapping_add(half);
            best = Offset {
                offset: middle.wrapping_sub(word(&theirs)) as i64,
                error: half,
            };
        }
    }
    // An odd nanosecond was cut off.
    best.error = best.error.saturating_add(1);
    Ok(best)
}

fn answer(leaders: &mut impl Group, child: u32, now: &impl Fn() -> u64) -> Result<()> {
    for _ in 0..ROUND_TRIPS {
        leaders.receive(child, &mut [0; 8])?;
        leaders.send(child, &now().to_ne_bytes())?;
    }
    Ok(())
}
