//! What the next event of a thread is expected to be, learnt from those before it in the block.
//!
//! Both sides run [`Model::event`] over the same events and so hold the same expectations; nothing here
//! depends on what a call means, only on what followed what. All state is plain data: zeroed is new.
//! State is changed where it stands, a field at a time: copying it whole stalls on the stores before.
//!
//! Where a loop goes on as it did, [`Model::repeating`] says so, and either side may leave out the model
//! until it ends: nothing is to be told but the times.

use super::{Side, column, main, rare};
use crate::event::{widen, widen_parent};
use crate::record::flags;
use crate::{Event, Record, Second};

mod ahead;
mod calls;
mod descriptor;
mod key;

pub use ahead::{Loop, Next};
pub use key::{KEYS, Key, Keys};

use calls::Calls;
use descriptor::{Descriptors, Lengths};

/// The state of one block.
#[repr(C)]
pub struct Model {
    keys: Keys,
    /// The key that last followed the two before it.
    next: [u8; 256],
    /// How calls nest, by key and key before.
    nesting: [Nesting; 256],
    lengths: Lengths,
    descriptors: Descriptors,
    calls: Calls,
    /// The keys of the last event and of the one before.
    before: [u8; 2],
    next_file: u32,
    /// When the last event ended.
    end: i64,
    known_second: KnownSecond,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Nesting {
    place: i32,
    inside: bool,
}

/// The last second half of an event, and its offset less that of the one before.
#[repr(C)]
struct KnownSecond(Second, i64);

/// A place in a table of at most 65536.
#[inline(always)]
fn hash(a: u32, b: u32) -> usize {
    let mixed = a.wrapping_mul(0x9E37_79B1) ^ b.wrapping_mul(0x85EB_CA77);
    (mixed.wrapping_mul(0xC2B2_AE3D) >> 16) as usize
}

/// A place in a table of 256 for a pair of keys.
#[inline(always)]
fn pair(a: u8, b: u8) -> usize {
    usize::from(a.wrapping_mul(37) ^ b)
}

impl Model {
    /// The state before the first block.
    pub const NEW: Model = Model {
        keys: Keys::NEW,
        next: [0; 256],
        nesting: [Nesting {
            place: 0,
            inside: false,
        }; 256],
        lengths: Lengths::NEW,
        descriptors: Descriptors::NEW,
        calls: Calls::NEW,
        before: [0; 2],
        next_file: 0,
        end: 0,
        known_second: KnownSecond(
            Second {
                file: 0,
                fd: 0,
                offset: 0,
                arg: 0,
            },
            0,
        ),
    };

    /// Starts a block, in the state before the first: the time, call number and file number that the first event is told against.
    pub fn start(&mut self, end: i64, call: u64, file: u32) {
        self.end = end;
        self.next_file = file;
        self.calls.start(call);
    }

    /// The next event: its fields from `e` when encoding, to be filled in when decoding.
    #[inline(always)]
    pub fn event<S: Side>(&mut self, side: &mut S, e: &mut Event) {
        side.begin();
        let at = self.key(side, e);
        let key = self.keys.at(at);
        let descriptor = self.descriptors.of(e.fd);
        let quiet = key.steady && descriptor.place() == key.place;
        if quiet && side.as_before(key, e) {
            key.offset(side, e, descriptor.position);
            descriptor.position = key.after(e.offset, descriptor.position);
        } else {
            self.lengths.length(side, e, key, at);
            key.offset(side, e, descriptor.position);
            key.ret(side, e);
            side.begin_rare();
            key.file(side, e, descriptor.file(), &mut self.next_file);
            key.rarities(side, e);
            if e.flags & flags::MORE != 0 {
                e.second = self.known_second.fields(side, e.second);
            }
            side.end_rare();
            key.learn(e);
            descriptor.learn(e);
        }
        let nesting = &mut self.nesting[pair(self.before[0], at)];
        let enclosing = number(side, e, nesting, &mut self.calls);
        side.end();
        match enclosing {
            Some(first) => around(side, e, self.end, first),
            None => key.times(side, e, self.end),
        }
        self.calls.started(e.start);
        self.end = e.end;
        self.before = [at, self.before[0]];
    }

    /// The op and the descriptor, and the place of the key that stands for both.
    #[inline(always)]
    fn key<S: Side>(&mut self, side: &mut S, e: &mut Event) -> u8 {
        let last = self.before[0];
        let next = &mut self.next[pair(last, self.before[1])];
        let fd = self.keys.get(last).fd();
        if let Some((op, fd)) = side.key(&self.keys, *next, fd, (e.op, e.fd)) {
            *next = self.keys.enter(op, fd, last);
        }
        let key = self.keys.get(*next);
        (e.op, e.fd) = (key.op(), key.fd());
        *next
    }

    /// The next event, if it is a steady call and `record` is as expected in all but its times.
    #[inline(always)]
    pub fn foretells(&self, record: &Record, calls: u64) -> Option<Foretold> {
        let at = self.next[pair(self.before[0], self.before[1])];
        let key = self.keys.get(at);
        if !key.steady || !key.is_like(record) || !self.descriptors.holds(key.place) {
            return None;
        }
        let nesting = self.nesting[pair(self.before[0], at)];
        let (offset, place) = (
            key.next_offset(self.descriptors.get(key.fd()).position),
            nesting.place.into(),
        );
        let (id, outer) = self.calls.look(place)?;
        let parent = if nesting.inside { outer } else { 0 };
        // Where there is none to be inside of, the habit ends, which takes the long way.
        let as_expected = nesting.inside == (parent != 0)
            && record.offset == offset
            && widen(record.id, calls) == id
            && widen_parent(record.parent, calls) == parent;
        if as_expected {
            Some(Foretold { at, offset, place })
        } else {
            None
        }
    }

    /// Learns of an event that was foretold what [`Model::event`] would have learnt.
    #[inline(always)]
    pub fn pass<S: Side>(&mut self, side: &mut S, foretold: Foretold, e: &mut Event) {
        let key = self.keys.at(foretold.at);
        let descriptor = self.descriptors.of(key.fd());
        descriptor.position = key.after(foretold.offset, descriptor.position);
        match self.calls.take(foretold.place).1 {
            Some(first) => around(side, e, self.end, first),
            None => key.times(side, e, self.end),
        }
        self.calls.started(e.start);
        self.end = e.end;
        self.before = [foretold.at, self.before[0]];
    }
}

/// An event that is as expected.
pub struct Foretold {
    at: u8,
    offset: i64,
    place: i64,
}

/// The call's number, and that of the call that encloses it: the innermost open one, or none. Returns the
/// start of the first call in it, if it encloses calls before it.
#[inline(always)]
fn number<S: Side>(
    side: &mut S,
    e: &mut Event,
    nesting: &mut Nesting,
    calls: &mut Calls,
) -> Option<i64> {
    let place = calls.place(e.id);
    let place = side.field(main::ID, column::ID, nesting.place.into(), 0, place);
    nesting.place = place as i32;
    let (id, enclosing) = calls.take(place);
    e.id = id;
    let expected = if nesting.inside {
        calls.distance(id)
    } else {
        0
    };
    let actual = if e.parent == 0 {
        0
    } else {
        id.wrapping_sub(e.parent) as i64
    };
    let distance = side.field(main::PARENT, column::PARENT, expected, 0, actual);
    e.parent = if distance == 0 {
        0
    } else {
        id.wrapping_sub(distance as u64)
    };
    nesting.inside = distance != 0;
    enclosing
}

/// The times of a call that encloses those before it: little more than theirs.
#[inline(always)]
fn around<S: Side>(side: &mut S, e: &mut Event, before: i64, first: i64) {
    let first = if first == i64::MAX { before } else { first };
    e.start = first.wrapping_sub(side.always(column::LEAD, first.wrapping_sub(e.start)));
    e.end = before.wrapping_add(side.always(column::TAIL, e.end.wrapping_sub(before)));
}

impl KnownSecond {
    #[cold]
    fn fields<S: Side>(&mut self, side: &mut S, more: Second) -> Second {
        let Second {
            file,
            fd,
            offset,
            arg,
        } = self.0;
        let file = side.rare(
            rare::SECOND_FILE,
            column::SECOND_FILE,
            file.into(),
            file.into(),
            more.file.into(),
        ) as u32;
        let fd = side.rare(
            rare::SECOND_FD,
            column::SECOND_FD,
            fd.into(),
            0,
            more.fd.into(),
        ) as i32;
        let next = offset.wrapping_add(self.1);
        let offset = side.rare(
            rare::SECOND_OFFSET,
            column::SECOND_OFFSET,
            next,
            next,
            more.offset,
        );
        let arg = side.rare(
            rare::ARG,
            column::ARG,
            arg as i64,
            arg as i64,
            more.arg as i64,
        ) as u64;
        self.1 = offset.wrapping_sub(self.0.offset);
        self.0 = Second {
            file,
            fd,
            offset,
            arg,
        };
        self.0
    }
}
