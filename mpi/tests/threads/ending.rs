//! What closes a node's segment.

use iota_mpi::ending::Index;
use iota_mpi::gather::Ending;
use iota_mpi::plan::{Node, Unit};

/// What closes the segments of parts that are those of a trace, and of others.
pub enum Close {
    Index,
    Lines,
}

impl Ending for Close {
    fn length(&self, units: usize) -> u64 {
        match self {
            Close::Index => Index.length(units),
            Close::Lines => Lines.length(units),
        }
    }

    fn write(&self, node: Node<'_>, to: &mut [u8]) -> Option<usize> {
        match self {
            Close::Index => Index.write(node, to),
            Close::Lines => Lines.write(node, to),
        }
    }
}

/// An ending that tells what it closes.
pub struct Lines;

impl Ending for Lines {
    fn length(&self, parts: usize) -> u64 {
        10 * parts as u64
    }

    fn write(&self, node: Node<'_>, to: &mut [u8]) -> Option<usize> {
        let lines: String = node
            .units(0)
            .flat_map(Unit::shares)
            .map(|s| format!("{:4}{:6}", s.rank, s.length % 1_000_000))
            .collect();
        to.get_mut(..lines.len())?.copy_from_slice(lines.as_bytes());
        Some(lines.len())
    }
}
