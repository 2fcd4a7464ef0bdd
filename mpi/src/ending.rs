//! What closes a node's segment: an index of its parts and packs, and a footer, as docs/design/format.md has them.

use crate::gather::Ending;
use crate::plan::{Node, Unit};
use iota_trace::block::Ids;
use iota_trace::part::{FOOTER_SIZE, INDEX_ENTRY_SIZE, INDEX_HEAD_SIZE, PartWriter, Slot};

/// A group is of no process.
const GROUP: Ids = Ids {
    rank: 0,
    pid: 0,
    thread: 0,
};

/// Index and footer.
pub struct Index;

impl Ending for Index {
    fn length(&self, units: usize) -> u64 {
        let entries = (units as u64).wrapping_mul(INDEX_ENTRY_SIZE as u64);
        entries.wrapping_add((INDEX_HEAD_SIZE + FOOTER_SIZE) as u64)
    }

    fn write(&self, node: Node<'_>, to: &mut [u8]) -> Option<usize> {
        let length = self.length(node.count()) as usize;
        let (head, rest) = to
            .get_mut(..length)?
            .split_first_chunk_mut::<INDEX_HEAD_SIZE>()?;
        let (entries, footer) = rest.split_last_chunk_mut::<FOOTER_SIZE>()?;
        let mut writer = PartWriter::new(entries.as_chunks_mut().0);
        for unit in node.units(0) {
            add(&mut writer, unit);
        }
        *head = writer.index(GROUP).0;
        *footer = writer.footer(node.units_length()).encoded(GROUP);
        Some(length)
    }
}

fn add(writer: &mut PartWriter<&mut [Slot]>, unit: Unit<'_>) {
    let length = unit.end().wrapping_sub(unit.offset);
    let events = unit
        .shares()
        .fold(0u64, |sum, share| sum.wrapping_add(share.events));
    match (unit.pack(), unit.shares().next()) {
        (Some(pack), _) => writer.add_pack(pack.parts, unit.offset, length, events),
        (None, Some(share)) => {
            writer.add_segment(share.rank, share.pid, unit.offset, length, events)
        }
        (None, None) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Share;
    use iota_trace::block::{HEADER_SIZE, Header, kind};
    use iota_trace::part::{Entry, Footer};

    fn node(lengths: &[u64]) -> Vec<u8> {
        let shares = (0u32..).zip(lengths).map(|(rank, &length)| Share {
            rank,
            pid: 40 + rank,
            length,
            events: 3,
            ..Share::default()
        });
        shares.flat_map(Share::to_bytes).collect()
    }

    #[test]
    fn an_index_names_the_parts_and_the_footer_finds_the_index() {
        let table = node(&[100, 0, 50]);
        let (node, index, mut room) = (Node::new(&table), Index, [0xee; 1000]);
        let length = index.write(node, &mut room).unwrap();
        assert_eq!(length as u64, index.length(2));
        let header = Header::parse(&room).unwrap();
        assert_eq!((header.kind, header.count), (kind::INDEX, 2));
        let entry = |n: usize| {
            let at = INDEX_HEAD_SIZE + n * INDEX_ENTRY_SIZE;
            Entry::parse(room[at..at + INDEX_ENTRY_SIZE].try_into().unwrap())
        };
        assert_eq!(
            entry(0),
            Entry::Segment {
                rank: 0,
                pid: 40,
                offset: 0,
                len: 100,
                events: 3
            }
        );
        assert_eq!(
            entry(1),
            Entry::Segment {
                rank: 2,
                pid: 42,
                offset: 100,
                len: 50,
                events: 3
            }
        );
        let foot = &room[length - FOOTER_SIZE..length];
        assert_eq!(Header::parse(foot).unwrap().kind, kind::FOOTER);
        let footer = Footer::parse(&foot[HEADER_SIZE..]).unwrap();
        assert_eq!(
            footer,
            Footer {
                len: 150 + length as u64,
                index: 150,
                entries: 2,
                events: 6
            }
        );
    }
}
