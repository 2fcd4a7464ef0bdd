//! A trace in pieces of equal work, cut the same way whenever it is read.

use iota_trace::read::Stretch;
use std::ops::Range;

/// A stretch of a part, of which a unit of work has one or more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    /// The part.
    pub part: u32,
    /// What of it.
    pub stretch: Stretch,
}

/// All units, in the order of parts.
#[derive(Debug)]
pub(crate) struct Units {
    /// A unit is full when it has so many events.
    full: u64,
    stretches: Vec<Unit>,
    /// Where each unit ends in `stretches`.
    ends: Vec<usize>,
    events: u64,
    /// Events of the unit that is being filled.
    filling: u64,
    /// The units that each part has a stretch in.
    parts: Vec<Range<u64>>,
}

impl Units {
    /// Enough to make the cost of a unit small, and few enough to keep all cores busy.
    pub const EVENTS: u64 = 1 << 19;

    /// None yet.
    pub fn of(full: u64) -> Units {
        Units {
            full,
            stretches: Vec::new(),
            ends: Vec::new(),
            events: 0,
            filling: 0,
            parts: Vec::new(),
        }
    }

    /// The next part; each stretch but its last has enough events to fill a unit.
    pub fn add(&mut self, part: usize, stretches: Vec<(Stretch, u64)>) {
        let first = self.ends.len() as u64;
        for (stretch, events) in stretches {
            self.stretches.push(Unit {
                part: part as u32,
                stretch,
            });
            self.events += events;
            self.filling += events;
            if self.filling >= self.full {
                self.finish();
            }
        }
        let open = u64::from(self.ends.last() != Some(&self.stretches.len()));
        self.parts.push(first..self.ends.len() as u64 + open);
    }

    /// Ends the unit that is being filled.
    pub fn finish(&mut self) {
        let end = self.stretches.len();
        if self.ends.last().copied().unwrap_or(0) < end {
            self.ends.push(end);
        }
        self.filling = 0;
    }

    pub fn len(&self) -> u64 {
        self.ends.len() as u64
    }

    pub fn events(&self) -> u64 {
        self.events
    }

    pub fn get(&self, unit: u64) -> &[Unit] {
        let unit = unit as usize;
        let start = unit.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.stretches[start..self.ends[unit]]
    }

    /// The units that hold a part.
    pub fn of_part(&self, part: u32) -> &Range<u64> {
        &self.parts[part as usize]
    }
}
