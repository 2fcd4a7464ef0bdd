//! The program and its libraries, as the kernel has mapped them: no question to the dynamic linker, which may be waiting for
//! the very thread that asks.

use super::elf::{BuildId, Headers};
use super::memory::Pages;
use crate::sys::{File, Text};

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
    build_id: BuildId,
    /// Whether a stack has it.
    is_used: bool,
    /// One more than the last part that has its build id.
    part: u32,
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

    /// A stack has the object in which an instruction is.
    pub fn mark(&mut self, place: usize) {
        let all = self.all.get_mut(..self.count).unwrap_or_default();
        if let Some(of) = all.iter_mut().find(|of| of.holds(place)) {
            of.is_used = true;
        }
    }

    /// The build ids of objects that stacks have, each as `path`, a tab, `=` and hexadecimal digits. Each is given once for a
    /// part.
    pub fn build_ids<const N: usize>(
        &mut self,
        part: u32,
        text: &mut Text<N>,
        mut give: impl FnMut(&[u8]),
    ) {
        let part = part.wrapping_add(1);
        for nth in 0..self.count {
            let Some(of) = self.all.get_mut(nth) else {
                return;
            };
            if !of.is_used || core::mem::replace(&mut of.part, part) == part {
                continue;
            }
            let of = *of;
            let name = self.name(&of);
            if of.build_id.bytes().is_empty() || !name.starts_with(b"/") {
                continue;
            }
            text.clear();
            text.push(name).push(b"\t=");
            for byte in of.build_id.bytes() {
                let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or('0') as u8;
                text.push(&[digit(byte >> 4), digit(byte & 15)]);
            }
            give(text.bytes());
        }
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
            && let Some(headers) = Headers::read(memory, first.0)
        {
            *place = MappedObject {
                start,
                end,
                bias: headers.bias,
                header: headers.unwinding,
                name: first.1,
                build_id: headers.build_id,
                is_used: false,
                part: 0,
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
