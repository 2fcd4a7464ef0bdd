//! What slices tell besides their functions, and the names of a sequence.

use super::proto::{Message, packet};
use iota_trace::Printable;

/// Names of what a slice tells besides its function, by their interned numbers from 1
const FACTS: [&str; 12] = [
    "path",
    "off",
    "len",
    "ret",
    "errno",
    "fd",
    "bytes",
    "path2",
    "collective",
    "ranks",
    "extent",
    "site",
];
/// Flags of a packet: it begins a sequence, it needs the interned names of its sequence
const CLEARED: u64 = 1;
pub const NEEDS: u64 = 2;
/// Texts of sites come after those of files and errors.
pub const SITES: u64 = 1 << 60;
/// Fields of InternedData that name slices, and hold texts of facts
pub const FUNCTIONS: u32 = 2;
pub const TEXTS: u32 = 29;

/// The first packet of a sequence: names of what its slices tell
pub fn begin(sequence: u64) -> Vec<u8> {
    packet(sequence, |packet| {
        packet.number(packet::SEQUENCE_FLAGS, CLEARED | NEEDS);
        packet.message(packet::INTERNED, |interned| {
            (1..)
                .zip(FACTS)
                .for_each(|(iid, name)| named(interned, 3, iid, name.as_bytes()));
        });
    })
}

/// Annotations of a slice
#[derive(Default)]
pub struct Annotations(pub Message);

impl Annotations {
    pub fn number(&mut self, name: u64, value: i64, is_there: bool) {
        if is_there {
            self.fact(name, 4, value as u64);
        }
    }

    pub fn text(&mut self, name: u64, iid: u64) {
        self.fact(name, 17, iid);
    }

    fn fact(&mut self, name: u64, field: u32, value: u64) {
        self.0.message(4, |fact| {
            fact.number(1, name).number(field, value);
        });
    }
}

/// A name of a sequence
pub fn named(interned: &mut Message, field: u32, iid: u64, name: &[u8]) {
    interned.message(field, |entry| {
        entry.number(1, iid).bytes(2, name);
    });
}

/// A text without what a terminal obeys
pub fn printable(bytes: &[u8]) -> Vec<u8> {
    Printable(bytes).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::FACTS;

    #[test]
    fn facts_are_in_the_glossary() {
        let page = include_str!("../../../../docs/GLOSSARY.md");
        let is_there = |fact: &str| page.contains(&format!("`{fact}`"));
        assert_eq!(FACTS.into_iter().find(|fact| !is_there(fact)), None);
    }
}
