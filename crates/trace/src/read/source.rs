//! One file, read at positions: a file that shrinks meanwhile ends early, it never kills the reader.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::descriptor::TraceFile;
use super::error::{Error, Problem, Problems};
use super::place;
use super::unpack::{Kept, unpacked};
use crate::block::{Check, HEADER_SIZE, Header, MAGIC, VERSION, kind};

/// Bytes read at once where much is read; no header is longer.
const PIECE: usize = 1 << 16;
/// No payload that is held in memory is longer.
const MAX_PAYLOAD: u32 = 1 << 26;

/// A file of a trace.
#[derive(Debug)]
pub(super) struct Source {
    pub path: Arc<Path>,
    pub len: u64,
    pub problems: Problems,
    bytes: Bytes,
}

/// Where the bytes are.
#[derive(Debug)]
enum Bytes {
    File(TraceFile),
    /// They are those of a pack's parts.
    Pack {
        file: Arc<Source>,
        at: u64,
        header: Header,
        kept: Kept,
    },
}

/// A stretch of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub start: u64,
    pub end: u64,
}

impl Source {
    pub fn open(path: &Path, problems: Problems) -> Result<Source, Error> {
        let io = |cause| Error::Io {
            file: path.to_owned(),
            offset: 0,
            cause,
        };
        let (descriptor, len) = TraceFile::open(path).map_err(io)?;
        Ok(Source {
            path: path.into(),
            len,
            problems,
            bytes: Bytes::File(descriptor),
        })
    }

    /// The parts of the pack that begins at `at`, as a file of their own.
    pub fn of_pack(file: &Arc<Source>, at: u64, header: Header) -> Option<Source> {
        let mut source = Source {
            path: file.path.clone(),
            len: 0,
            problems: file.problems.clone(),
            bytes: Bytes::Pack {
                file: file.clone(),
                at,
                header,
                kept: Kept::default(),
            },
        };
        source.len = source.parts()?.len() as u64;
        Some(source)
    }

    /// All that there is in a pack.
    fn parts(&self) -> Option<Arc<Vec<u8>>> {
        let Bytes::Pack {
            file,
            at,
            header,
            kept,
        } = &self.bytes
        else {
            return None;
        };
        kept.get(|| {
            let mut buffer = Vec::new();
            unpacked(file.payload(*at, header, &mut buffer)?)
        })
    }

    pub fn problem(&self, offset: u64, cause: impl Into<String>) {
        self.tell(offset, cause.into(), false);
    }

    /// A part has no end.
    pub fn unended(&self, offset: u64, cause: String) {
        self.tell(offset, cause, true);
    }

    fn tell(&self, offset: u64, cause: String, is_unended: bool) {
        // Of what is compressed only the pack has a place in the file.
        let offset = match self.bytes {
            Bytes::File(_) => offset,
            Bytes::Pack { at, .. } => at,
        };
        self.problems.add(Problem {
            file: self.path.to_path_buf(),
            offset,
            cause,
            is_unended,
        });
    }

    /// Fills `buffer` as far as the file goes; a read error counts as its end and is reported.
    pub fn read(&self, offset: u64, buffer: &mut [u8]) -> usize {
        let mut filled = 0;
        while filled < buffer.len() {
            let rest = &mut buffer[filled..];
            match self.read_some(rest, offset + filled as u64) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.problem(offset + filled as u64, format!("cannot be read: {error}"));
                    break;
                }
            }
        }
        filled
    }

    /// Why something that was to be copied was not.
    pub fn ends(&self) -> io::Error {
        io::Error::other(format!("{} ends while it is copied", self.path.display()))
    }

    fn read_some(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if let Bytes::File(descriptor) = &self.bytes {
            return descriptor.read_at(&self.path, buffer, offset);
        }
        let parts = self.parts().unwrap_or_default();
        let rest = parts.get(offset as usize..).unwrap_or_default();
        let length = buffer.len().min(rest.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }

    /// The header at `offset`, if one of this version could stand there and its block ends within `end`.
    pub fn header(&self, offset: u64, end: u64) -> Option<Header> {
        let mut bytes = [0; HEADER_SIZE];
        self.read(offset, &mut bytes);
        let header = Header::parse(&bytes)?;
        let fits = offset.checked_add(header.block_len())? <= end;
        (fits && header.version == VERSION && usize::from(header.header_len) >= HEADER_SIZE)
            .then_some(header)
    }

    /// The payload of a block, if it is what was written.
    pub fn payload<'b>(
        &self,
        offset: u64,
        header: &Header,
        buffer: &'b mut Vec<u8>,
    ) -> Option<&'b [u8]> {
        if header.payload_len > MAX_PAYLOAD {
            return None;
        }
        place::set(&self.path, offset);
        buffer.resize(header.block_len() as usize, 0);
        let read = self.read(offset, buffer);
        let (head, payload) = buffer.split_at(usize::from(header.header_len));
        (read == head.len() + payload.len() && Check::new(head).with(payload).holds(header))
            .then_some(payload)
    }

    /// Whether a block of any length is what was written, without holding it in memory.
    pub fn whole(&self, offset: u64, header: &Header) -> bool {
        let end = offset + header.block_len();
        let mut piece = vec![0; PIECE.min(header.block_len() as usize)];
        if self.read(offset, &mut piece) < piece.len() {
            return false;
        }
        let (head, first) = piece.split_at(usize::from(header.header_len));
        let mut check = Check::new(head).with(first);
        let mut at = offset + piece.len() as u64;
        while at < end {
            let want = PIECE.min((end - at) as usize);
            if self.read(at, &mut piece[..want]) < want {
                return false;
            }
            check = check.with(&piece[..want]);
            at += want as u64;
        }
        check.holds(header)
    }

    /// The first place from `from` on where the magic stands.
    fn find_magic(&self, from: u64, end: u64) -> Option<u64> {
        let mut piece = vec![0; PIECE.min(end.saturating_sub(from) as usize)];
        let mut at = from;
        while at + MAGIC.len() as u64 <= end {
            let want = PIECE.min((end - at) as usize);
            let read = self.read(at, &mut piece[..want]);
            if let Some(found) = piece[..read]
                .windows(MAGIC.len())
                .position(|four| four == MAGIC)
            {
                return Some(at + found as u64);
            }
            if read < want {
                return None;
            }
            // The magic may lie across the pieces.
            at += (want - (MAGIC.len() - 1)) as u64;
        }
        None
    }

    /// The first whole block from `from` on.
    pub fn find_block(&self, from: u64, end: u64) -> Option<(u64, Header)> {
        let mut at = from;
        loop {
            at = self.find_magic(at, end)?;
            match self.header(at, end) {
                Some(header) if self.whole(at, &header) => return Some((at, header)),
                _ => at += 1,
            }
        }
    }

    /// What is wrong with the block that should stand at `offset`.
    pub fn cause(&self, offset: u64, end: u64) -> String {
        let mut bytes = [0; HEADER_SIZE];
        let read = self.read(
            offset,
            &mut bytes[..HEADER_SIZE.min((end - offset) as usize)],
        );
        match Header::parse(&bytes[..read]) {
            None if read < HEADER_SIZE => "the file is cut off within a block's header".into(),
            None => "a block should start here and does not: the file is damaged".into(),
            Some(header) if header.version != VERSION => {
                format!(
                    "a block of format version {}: from another iota, or damaged",
                    header.version
                )
            }
            Some(header) if header.block_len() > end - offset => {
                "the file is cut off within a block".into()
            }
            Some(header) if self.whole(offset, &header) => {
                "what a block says makes no sense, though its checksum matches".into()
            }
            Some(_) => "a block's checksum does not match: the file is damaged".into(),
        }
    }
}

/// The blocks of a region by their headers. Where none stands as it should, the damage is reported and the
/// next whole block is looked for.
pub(super) struct Walk<'a> {
    source: &'a Source,
    at: u64,
    end: u64,
    /// The block before: where this one's place was learnt, for what it is worth.
    before: Option<u64>,
    /// Kinds of blocks that are taken by their headers.
    believed: &'static [u8],
}

impl<'a> Walk<'a> {
    fn of(source: &'a Source, region: Region, believed: &'static [u8]) -> Self {
        Walk {
            source,
            at: region.start,
            end: region.end,
            before: None,
            believed,
        }
    }

    /// For who reads, and so checks, all names and events: the headers are enough to find them.
    pub fn new(source: &'a Source, region: Region) -> Self {
        Walk::of(source, region, &[kind::NAMES, kind::EVENTS])
    }

    /// For who reads one kind of block. All others are checked here: of what is passed over nobody else would see that
    /// its kind is damaged.
    pub fn for_events(source: &'a Source, region: Region) -> Self {
        Walk::of(source, region, &[kind::EVENTS])
    }

    /// The same for names.
    pub fn for_names(source: &'a Source, region: Region) -> Self {
        Walk::of(source, region, &[kind::NAMES])
    }

    /// Of a region of which nothing vouches for anything.
    pub fn suspicious(source: &'a Source, region: Region) -> Self {
        Walk::of(source, region, &[])
    }

    /// The block last returned is damaged: its length is not to be believed either.
    pub fn distrust(&mut self, offset: u64) {
        self.source
            .problem(offset, self.source.cause(offset, self.end));
        self.seek(offset + 1);
    }

    fn seek(&mut self, from: u64) {
        self.before = None;
        self.at = self
            .source
            .find_block(from, self.end)
            .map_or(self.end, |(at, _)| at);
    }
}

impl Iterator for Walk<'_> {
    type Item = (u64, Header);

    fn next(&mut self) -> Option<(u64, Header)> {
        while self.at < self.end {
            let at = self.at;
            match self.source.header(at, self.end) {
                Some(header) if self.believes(at, &header) => {
                    self.before = Some(at);
                    self.at = at + header.block_len();
                    return Some((at, header));
                }
                // Either this block is damaged, or the length of the one before.
                _ => match self.before {
                    Some(before) if !self.sound(before) => self.distrust(before),
                    _ => self.distrust(at),
                },
            }
        }
        None
    }
}

impl Walk<'_> {
    fn believes(&self, offset: u64, header: &Header) -> bool {
        self.believed.contains(&header.kind) || self.source.whole(offset, header)
    }

    fn sound(&self, offset: u64) -> bool {
        let header = self.source.header(offset, self.end);
        header.is_some_and(|header| self.source.whole(offset, &header))
    }
}
