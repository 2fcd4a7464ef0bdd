//! Arrows: from the call of each rank in a collective to the reads and writes that aggregators made for it, and from these to
//! the calls of file servers.

use super::proto::Message;
use iota_analysis::servers::CallKey;

/// Ranks that have an arrow each; of more there is one line through all that belongs together.
const EACH: u32 = 64;
/// The field of TrackEvent that has the numbers of arrows.
const FLOWS: u32 = 47;

/// A collective call, as a rank takes part in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collective {
    /// Its number; 0: none.
    pub id: u64,
    /// Whether all ranks of the job take part, and how many these are.
    pub all: Option<u32>,
}

impl Collective {
    /// None.
    pub const NONE: Collective = Collective { id: 0, all: None };

    /// One of a launch, of so many ranks, in a job of `of`.
    pub fn new((number, launch): (u64, u32), ranks: u64, of: u32) -> Collective {
        let id = match number {
            0 => 0,
            number => number.wrapping_add(u64::from(launch) << 32),
        };
        let all = (ranks == u64::from(of) && of <= EACH).then_some(of);
        Collective { id, all }
    }

    /// Has a rank's call begin its arrow.
    pub fn call(self, rank: u32, event: &mut Message) {
        if self.id != 0 {
            let rank = self.all.map_or(u32::MAX, |_| rank);
            event.fixed(FLOWS, mixed(self.id, rank));
        }
    }

    /// Has a read or write below it end the arrows.
    pub fn transfer(self, event: &mut Message) {
        match self.all {
            Some(ranks) if self.id != 0 => (0..ranks).for_each(|rank| self.call(rank, event)),
            _ => self.call(u32::MAX, event),
        }
    }
}

/// The arrow from a call of the job to the nth call of a server that worked for it
pub fn to_server(call: CallKey, nth: u64, event: &mut Message) {
    let thread = u64::from(call.part) << 32 | u64::from(call.thread);
    let call = mixed(thread, call.id as u32) ^ call.id >> 32;
    event.fixed(FLOWS, mixed(call, nth.min(u64::from(EACH)) as u32));
}

/// The arrows from a call of the job to so many calls of servers
pub fn to_servers(call: CallKey, count: u64, event: &mut Message) {
    (0..count.min(u64::from(EACH) + 1)).for_each(|nth| to_server(call, nth, event));
}

/// The number of a rank's arrow
fn mixed(id: u64, rank: u32) -> u64 {
    let sum = id ^ (u64::from(rank) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (sum ^ sum >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) | 1
}
