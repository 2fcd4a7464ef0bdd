//! Streams that had no call lately, packed. A call of theirs begins a stream anew, which is joined to the one here.

use super::packed::Packed;
use super::stream::{Key, Stream};
use crate::FileId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

/// Streams in the order of their keys.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Idle(BTreeMap<Key, Packed<Stream>>);

impl Idle {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The files that they are of.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        self.0.keys().map(|key| key.file)
    }

    /// Puts a stream away, behind what is here of it.
    pub fn put(&mut self, stream: Stream, most: usize) {
        match self.0.entry(stream.key) {
            Entry::Vacant(place) => drop(place.insert(Packed::new(stream))),
            Entry::Occupied(mut known) => known.get_mut().change(|known| known.join(stream, most)),
        }
    }

    /// Takes in streams that go on later.
    pub fn merge(&mut self, later: Idle, most: usize) {
        if self.0.is_empty() {
            *self = later;
            return;
        }
        for (key, stream) in later.0 {
            match self.0.entry(key) {
                Entry::Vacant(place) => drop(place.insert(stream)),
                Entry::Occupied(_) => self.put(stream.into_value(), most),
            }
        }
    }

    /// Whether there are any of a part.
    pub fn has(&self, part: u32) -> bool {
        self.0.range(bounds(part)).next().is_some()
    }

    /// Takes those of a part away.
    pub fn of_part(&mut self, part: u32) -> impl Iterator<Item = Stream> + use<> {
        let Range { start, end } = bounds(part);
        let mut taken = self.0.split_off(&start);
        self.0.append(&mut taken.split_off(&end));
        taken.into_values().map(Packed::into_value)
    }
}

/// The keys that a part may have.
fn bounds(part: u32) -> Range<Key> {
    let first = |part| Key {
        part,
        ..Key::default()
    };
    first(part)..first(part.saturating_add(1))
}
