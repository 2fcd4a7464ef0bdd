//! A node's segment on its way into the output: part after part goes through one buffer, which mirrors one aligned
//! piece of the file, and leaves it when the piece is full.

use crate::gather::{Ending, Output, Part};
use crate::group::{GatherError, Group, Result};
use crate::plan::{Extent, Node, PIECE, word};

/// What a leader says to a rank whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// Send your part, which begins at this offset of the output: it tells where to cut.
    Send(u64),
    /// Send nothing; there is no output any more.
    Stop,
}

impl Turn {
    /// Bytes of a turn in a message.
    pub const BYTES: usize = 8;

    /// As it travels.
    pub fn to_bytes(self) -> [u8; Turn::BYTES] {
        match self {
            Turn::Send(offset) => offset,
            Turn::Stop => u64::MAX,
        }
        .to_ne_bytes()
    }

    /// The turn in a message.
    pub fn from_bytes(bytes: [u8; Turn::BYTES]) -> Turn {
        match word(&bytes) {
            u64::MAX => Turn::Stop,
            offset => Turn::Send(offset),
        }
    }
}

/// The segment, on its leader.
pub struct Segment<'a, O> {
    output: &'a mut O,
    /// Byte i belongs to an offset that is i modulo [`PIECE`].
    piece: &'a mut [u8],
    /// Where the bytes begin that are not written yet, and where they end.
    waiting: Extent,
    state: Result<()>,
}

impl<'a, O: Output> Segment<'a, O> {
    /// A segment that begins at `base`; nothing is written when `state` is trouble already.
    pub fn new(
        output: &'a mut O,
        piece: &'a mut [u8],
        base: u64,
        state: Result<()>,
    ) -> Segment<'a, O> {
        Segment {
            output,
            piece,
            waiting: Extent {
                offset: base,
                length: 0,
            },
            state,
        }
    }

    /// Takes bytes that are neither of a part nor of the end.
    pub fn put(&mut self, mut bytes: &[u8]) {
        let offset = self.waiting.end();
        let length = bytes.len() as u64;
        for piece in (Extent { offset, length }).pieces() {
            let (now, later) = bytes
                .split_at_checked(piece.length as usize)
                .unwrap_or_default();
            self.room(piece)
                .iter_mut()
                .zip(now)
                .for_each(|(to, from)| *to = *from);
            self.filled(piece);
            bytes = later;
        }
    }

    /// Takes the leader's own part.
    pub fn copy(&mut self, part: &mut impl Part, extent: Extent) {
        for piece in extent.pieces() {
            if self.state.is_err() {
                return;
            }
            let whole = part.read_at(piece.offset.wrapping_sub(extent.offset), self.room(piece));
            self.note(if whole {
                Ok(())
            } else {
                Err(GatherError::PART)
            });
            self.filled(piece);
        }
    }

    /// Has a rank of the node send its part. After trouble the pieces under way are taken, and dropped.
    pub fn fetch(&mut self, node: &mut impl Group, member: u32, extent: Extent) {
        let turn = if self.state.is_ok() {
            Turn::Send(extent.offset)
        } else {
            Turn::Stop
        };
        let sent = node.send(member, &turn.to_bytes());
        self.note(sent);
        if turn == Turn::Stop || sent.is_err() {
            return;
        }
        for piece in extent.pieces() {
            let received = node.receive(member, self.room(piece));
            self.note(received);
            self.filled(piece);
        }
    }

    /// Writes what waits, then what closes the segment.
    pub fn close(mut self, ending: &impl Ending, node: Node<'_>) -> Result<()> {
        self.flush();
        if node.count() != 0 && self.state.is_ok() {
            let written = self.write_ending(ending, node);
            self.note(written);
        }
        let closed = self.output.close();
        self.state.and(closed)
    }

    fn write_ending(&mut self, ending: &impl Ending, node: Node<'_>) -> Result<()> {
        let offset = self.waiting.offset;
        let length = ending
            .write(node, self.piece)
            .ok_or(GatherError(libc::EOVERFLOW))? as u64;
        for piece in (Extent { offset, length }).pieces() {
            let from = piece.offset.wrapping_sub(offset) as usize;
            let bytes = self
                .piece
                .get(from..)
                .and_then(|rest| rest.get(..piece.length as usize));
            self.output
                .write_at(bytes.unwrap_or_default(), piece.offset)?;
        }
        Ok(())
    }

    fn room(&mut self, piece: Extent) -> &mut [u8] {
        let from = (piece.offset % PIECE) as usize;
        let rest = self.piece.get_mut(from..).unwrap_or_default();
        rest.get_mut(..piece.length as usize).unwrap_or_default()
    }

    fn filled(&mut self, piece: Extent) {
        self.waiting.length = self.waiting.length.wrapping_add(piece.length);
        if self.waiting.end().is_multiple_of(PIECE) {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let waiting = self.waiting;
        self.waiting = Extent {
            offset: waiting.end(),
            length: 0,
        };
        if self.state.is_err() || waiting.length == 0 {
            return;
        }
        let from = (waiting.offset % PIECE) as usize;
        let bytes = self
            .piece
            .get(from..)
            .and_then(|rest| rest.get(..waiting.length as usize));
        let written = self
            .output
            .write_at(bytes.unwrap_or_default(), waiting.offset);
        self.note(written);
    }

    /// The first trouble stays.
    fn note(&mut self, result: Result<()>) {
        self.state = self.state.and(result);
    }
}
