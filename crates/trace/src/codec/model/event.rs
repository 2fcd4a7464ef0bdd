//! The next event: told to an encoder or by a decoder, and learnt from.

use super::hash::pair;
use super::nesting::{around, number};
use super::state::Model;
use crate::codec::side::Side;
use crate::event::{widen, widen_parent};
use crate::record::flags;
use crate::{Event, Record};

impl Model {
    /// The next event: its fields from `e` when encoding, to be filled in when decoding.
    #[inline(always)]
    pub fn event<S: Side>(&mut self, side: &mut S, e: &mut Event) {
        side.begin();
        let at = self.key(side, e);
        let key = self.keys.at(at);
        let descriptor = if S::BRANCHLESS {
            self.descriptors.of_branchless(e.fd)
        } else {
            self.descriptors.of(e.fd)
        };
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
        self.calls.note_start(e.start);
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
            *next = self.keys.enter(op, fd, last, S::BRANCHLESS);
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
        self.calls.note_start(e.start);
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
