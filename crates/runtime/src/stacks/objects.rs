//! The program and its libraries, as the kernel has mapped them: no question to the dynamic linker, which may be waiting for
//! the very thread that asks.

use super::memory::Pages;
use crate::sys::{File, Text};
use iota_unwind::Memory;

/// Objects that are remembered.
const MOST: usize = 512;
/// Bytes of all their names.
const NAMES: usize = 64 << 10;
/// Bytes of `/proc/self/maps` that are read at once.
const PIECE: usize = 1024;
/// A line is not longer, unless its path is cut.
const LINE: usize = 512;

/// A part of an object whose bytes are executed.
#[derive(Clone, Copy)]
pub struct MappedObject {
    start: usize,
    end: usize,
    /// What is added to addresses of its file.
    pub bias: usize,
    /// Its `.eh_frame_hdr`; 0: it has none.
    pub header: usize,
    name: (u32, u32),
}

/// Those that were mapped when they were last looked at. Zeros are none.
pub struct MappedObjects {
    count: usize,
    all: [MappedObject; MOST],
    names: Text<NAMES>,
    /// A page in which nothing of an object was found.
    stranger: usize,
    piece: [u8; PIECE],
    line: Text<LINE>,
}

impl MappedObject {
    /// Whether an instruction is in it.
    pub fn holds(&self, place: usize) -> bool {
        (self.start..self.end).contains(&place)
    }
}

impl MappedObjects {
    /// The object in which an instruction is.
    pub fn find(&mut self, memory: &Pages, place: usize) -> Option<MappedObject> {
        const PAGE: usize = 4096;
        let found = self.known(place);
        if found.is_some() || self.stranger == place / PAGE {
            return found;
        }
        self.look(memory);
        let found = self.known(place);
        if found.is_none() {
            self.stranger = place / PAGE;
        }
        found
    }

    fn known(&self, place: usize) -> Option<MappedObject> {
        let all = self.all.get(..self.count).unwrap_or_default();
        let mut holds = all.iter().filter(|of| of.holds(place));
        holds.next().copied()
    }

    /// Its path.
    pub fn name(&self, of: &MappedObject) -> &[u8] {
        let (at, length) = (of.name.0 as usize, of.name.1 as usize);
        let name = self.names.bytes().get(at..at.wrapping_add(length));
        name.unwrap_or_default()
    }

    /// Asks the kernel once more.
    fn look(&mut self, memory: &Pages) {
        (self.count, self.stranger) = (0, 0);
        self.names.clear();
        self.line.clear();
        let Ok(file) = File::open(c"/proc/self/maps", libc::O_RDONLY) else {
            return;
        };
        // Where the file begins whose mappings come now, and the name of which.
        let mut first = (0usize, (0u32, 0u32));
        while let Ok(count @ 1..) = file.read(&mut self.piece) {
            for at in 0..count {
                match self.piece.get(at) {
                    Some(b'\n') | None => {
                        self.mapped(memory, &mut first);
                        self.line.clear();
                    }
                    Some(byte) => drop(self.line.push(&[*byte])),
                }
            }
        }
    }

    /// A line: `start-end rights offset device inode path`.
    fn mapped(&mut self, memory: &Pages, first: &mut (usize, (u32, u32))) {
        let line = self.line.bytes();
        let mut words = line.splitn(6, |byte| *byte == b' ');
        let (Some(range), Some(rights), Some(offset)) = (words.next(), words.next(), words.next())
        else {
            return;
        };
        let path = words
            .nth(2)
            .map_or(&b""[..], |path| path.trim_ascii_start());
        let mut ends = range.split(|byte| *byte == b'-').map(hexadecimal);
        let (Some(start), Some(end)) = (ends.next(), ends.next()) else {
            return;
        };
        if path.is_empty() || path.starts_with(b"[") && path != b"[vdso]" {
            return;
        }
        if hexadecimal(offset) == 0 {
            let at = self.names.bytes().len() as u32;
            self.names.push(path);
            let length = (self.names.bytes().len() as u32).wrapping_sub(at);
            *first = (start, (at, length));
        }
        if rights.get(2) == Some(&b'x')
            && let Some(place) = self.all.get_mut(self.count)
            && let Some((bias, header)) = headers(memory, first.0)
        {
            *place = MappedObject {
                start,
                end,
                bias,
                header,
                name: first.1,
            };
            self.count = self.count.wrapping_add(1);
        }
    }
}

fn hexadecimal(text: &[u8]) -> usize {
    text.iter().fold(0, |number, digit| {
        let value = (*digit as char).to_digit(16).unwrap_or(0);
        number << 4 | value as usize
    })
}

/// What the headers of an ELF file say that is mapped at `base`: what is added to its addresses, and where its table for
/// unwinding is.
fn headers(memory: &Pages, base: usize) -> Option<(usize, usize)> {
    /// `PT_LOAD`, `PT_GNU_EH_FRAME`
    const LOADED: u32 = 1;
    const UNWINDING: u32 = 0x6474_e550;
    /// Bytes of the headers of the file, and of a segment.
    const FILE: usize = 64;
    const SEGMENT: usize = 56;
    let mut file = [0; FILE];
    if !memory.read(base, &mut file) || !file.starts_with(b"\x7fELF\x02") {
        return None;
    }
    let half = |at: usize| {
        let bytes = file.get(at..at.wrapping_add(2))?;
        Some(u16::from_ne_bytes(bytes.try_into().ok()?) as usize)
    };
    let offset = file.get(32..40).and_then(|bytes| bytes.try_into().ok());
    let (offset, count) = (usize::from_ne_bytes(offset?), half(56)?);
    let (mut bias, mut header) = (None, 0);
    for n in 0..count {
        let mut segment = [0; SEGMENT];
        let at = offset.wrapping_add(n.wrapping_mul(SEGMENT));
        if !memory.read(base.wrapping_add(at), &mut segment) {
            return None;
        }
        let (words, _) = segment.as_chunks::<8>();
        let word = |n: usize| words.get(n).map_or(0, |bytes| usize::from_ne_bytes(*bytes));
        // Offset in the file, and address.
        match word(0) as u32 {
            LOADED if bias.is_none() && word(1) == 0 => bias = Some(base.wrapping_sub(word(2))),
            UNWINDING => header = word(2),
            _ => {}
        }
    }
    let bias = bias?;
    let header = if header == 0 {
        0
    } else {
        bias.wrapping_add(header)
    };
    Some((bias, header))
}
