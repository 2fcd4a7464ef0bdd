//! What the headers of an ELF file say that is mapped.

use super::memory::Pages;
use iota_unwind::Memory;

/// Of a file.
pub struct Headers {
    /// What is added to its addresses.
    pub bias: usize,
    /// Where its table for unwinding is; 0: it has none.
    pub unwinding: usize,
    /// What the linker computed from its contents.
    pub build_id: BuildId,
}

/// A build id; empty: there is none.
#[derive(Clone, Copy, Default)]
pub struct BuildId {
    bytes: [u8; MOST],
    length: u8,
}

/// Bytes of a build id at most.
const MOST: usize = 32;

impl BuildId {
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length.into()).unwrap_or_default()
    }
}

impl Headers {
    /// Those of the file that is mapped at `base`.
    pub fn read(memory: &Pages, base: usize) -> Option<Headers> {
        /// `PT_LOAD`, `PT_NOTE`, `PT_GNU_EH_FRAME`
        const LOADED: u32 = 1;
        const NOTES: u32 = 4;
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
        let (mut bias, mut unwinding, mut build_id) = (None, 0, BuildId::default());
        for n in 0..count {
            let mut segment = [0; SEGMENT];
            let at = offset.wrapping_add(n.wrapping_mul(SEGMENT));
            if !memory.read(base.wrapping_add(at), &mut segment) {
                return None;
            }
            let (words, _) = segment.as_chunks::<8>();
            let word = |n: usize| words.get(n).map_or(0, |bytes| usize::from_ne_bytes(*bytes));
            // Offset in the file, address, size in the file, alignment.
            match word(0) as u32 {
                LOADED if bias.is_none() && word(1) == 0 => bias = Some(base.wrapping_sub(word(2))),
                // Notes are in the first pages of the file, which are mapped as they are there.
                NOTES if build_id.length == 0 => {
                    let range = (base.wrapping_add(word(1)), word(4));
                    build_id = find_build_id(memory, range, word(6)).unwrap_or_default();
                }
                UNWINDING => unwinding = word(2),
                _ => {}
            }
        }
        let bias = bias?;
        Some(Headers {
            bias,
            unwinding: match unwinding {
                0 => 0,
                address => bias.wrapping_add(address),
            },
            build_id,
        })
    }
}

/// The build id among the notes in a range, which are aligned to 4 or 8 bytes.
fn find_build_id(memory: &Pages, (at, size): (usize, usize), align: usize) -> Option<BuildId> {
    /// `NT_GNU_BUILD_ID`; a note begins with the sizes of name and contents, and its kind.
    const KIND: u32 = 3;
    const HEAD: usize = 12;
    let (mut at, end) = (at, at.checked_add(size.min(4096))?);
    let padded = |size: u32| (size as usize).next_multiple_of(if align == 8 { 8 } else { 4 });
    while at.wrapping_add(HEAD) <= end {
        let mut head = [0; HEAD + 4];
        if !memory.read(at, &mut head) {
            return None;
        }
        let (words, _) = head.as_chunks::<4>();
        let word = |n: usize| words.get(n).map_or(0, |bytes| u32::from_ne_bytes(*bytes));
        let (name, length, kind) = (word(0), word(1), word(2));
        let contents = at.wrapping_add(HEAD).wrapping_add(padded(name));
        if kind == KIND && name == 4 && words.get(3) == Some(b"GNU\0") {
            let mut found = BuildId::default();
            let bytes = found.bytes.get_mut(..length as usize)?;
            if !memory.read(contents, bytes) {
                return None;
            }
            found.length = length as u8;
            return Some(found);
        }
        at = contents.checked_add(padded(length))?;
    }
    None
}
