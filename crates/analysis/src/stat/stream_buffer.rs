//! What becomes of calls of C streams: the C library gathers small writes in a buffer, and reads ahead into it. So the kernel
//! sees fewer transfers than the program makes, which the trace does not have; they are estimated from the size of the buffer.

use super::tally::Direction;
use serde::{Deserialize, Serialize};

/// The buffer that glibc gives a stream on most file systems, in bytes.
const USUAL: u64 = 4096;

/// The buffer of a stream, and what is in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamBuffer {
    /// As the program set it; none: as glibc does.
    size: Option<u64>,
    /// Bytes that were read ahead, and those that are not written yet.
    held: [u64; 2],
}

/// Bytes of the transfers that a call of a stream needs: at most two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached([u64; 2]);

impl Reached {
    /// Bytes of each.
    pub fn sizes(self) -> impl Iterator<Item = u64> {
        self.0.into_iter().filter(|bytes| *bytes > 0)
    }

    /// How many.
    pub fn transfers(self) -> u64 {
        self.sizes().count() as u64
    }

    /// Those that are smaller than this.
    pub fn below(self, small: u64) -> u64 {
        self.sizes().filter(|bytes| *bytes < small).count() as u64
    }
}

impl StreamBuffer {
    /// The program sets its size; 0: it is switched off.
    pub fn resize(&mut self, bytes: u64) {
        self.size = Some(bytes);
    }

    /// A call moves so many bytes.
    pub fn moved(&mut self, way: Direction, bytes: u64) -> Reached {
        let size = self.size.unwrap_or(USUAL);
        Reached(match (size, way) {
            (0, _) => [bytes, 0],
            (_, Direction::Write) => self.write(bytes, size),
            (_, Direction::Read) => self.read(bytes, size),
        })
    }

    /// The full buffer, and what is long enough to pass it by.
    fn write(&mut self, bytes: u64, size: u64) -> [u64; 2] {
        let held = &mut self.held[Direction::Write as usize];
        let all = held.saturating_add(bytes);
        if all <= size {
            *held = all;
            return [0, 0];
        }
        let (full, rest) = match *held {
            0 => (0, bytes),
            held => (size, all - size.max(held)),
        };
        *held = rest % size;
        [full, rest - rest % size]
    }

    /// What is long enough to pass the buffer by, and a buffer for the rest.
    fn read(&mut self, bytes: u64, size: u64) -> [u64; 2] {
        let ahead = &mut self.held[Direction::Read as usize];
        let Some(rest) = bytes.checked_sub(*ahead).filter(|rest| *rest > 0) else {
            *ahead -= bytes;
            return [0, 0];
        };
        let (direct, rest) = (rest - rest % size, rest % size);
        *ahead = if rest > 0 { size - rest } else { 0 };
        [direct, if rest > 0 { size } else { 0 }]
    }

    /// It is emptied: by a flush, a close, or another position.
    pub fn empty(&mut self) -> Reached {
        let [_, written] = std::mem::take(&mut self.held);
        Reached([written, 0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: u64 = 1 << 16;

    /// Transfers that calls of these lengths need, with the flush at the end.
    fn reached(buffer: &mut StreamBuffer, way: Direction, calls: &[u64]) -> (u64, u64) {
        let mut all: Vec<Reached> = calls
            .iter()
            .map(|bytes| buffer.moved(way, *bytes))
            .collect();
        all.push(buffer.empty());
        (
            all.iter().map(|of| of.transfers()).sum(),
            all.iter().map(|of| of.below(SMALL)).sum(),
        )
    }

    #[test]
    fn small_writes_are_gathered() {
        let mut usual = StreamBuffer::default();
        assert_eq!(reached(&mut usual, Direction::Write, &[8; 1024]), (2, 2));
        // The buffer is filled up first; whole buffers pass it by.
        assert_eq!(
            reached(&mut usual, Direction::Write, &[96, 100_000]),
            (3, 2)
        );
        assert_eq!(reached(&mut usual, Direction::Write, &[1 << 20]), (1, 0));
        assert_eq!(reached(&mut usual, Direction::Write, &[]), (0, 0));
    }

    #[test]
    fn reads_are_made_ahead() {
        let mut usual = StreamBuffer::default();
        assert_eq!(reached(&mut usual, Direction::Read, &[8; 1024]), (2, 2));
        assert_eq!(reached(&mut usual, Direction::Read, &[1 << 20, 10]), (2, 1));
    }

    #[test]
    fn a_program_may_set_another_size() {
        let (mut none, mut large) = (StreamBuffer::default(), StreamBuffer::default());
        none.resize(0);
        large.resize(1 << 20);
        assert_eq!(
            reached(&mut none, Direction::Write, &[8; 1000]),
            (1000, 1000)
        );
        assert_eq!(
            reached(&mut large, Direction::Write, &[1 << 10; 2048]),
            (2, 0)
        );
    }
}
