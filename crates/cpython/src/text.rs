//! Texts of Python, as UTF-8.

use crate::layout::Layout;
use iota_unwind::Memory;

/// `length` and `state` in a text.
const LENGTH: usize = 16;
const STATE: usize = 32;
/// Characters that are read at most: those of a path.
const MOST: usize = 4096;
/// Bytes that are read at once.
const PIECE: usize = 64;

/// Gives a text piece by piece; what would break a line of a list is a question mark.
pub fn decode(
    memory: &impl Memory,
    layout: &Layout,
    object: usize,
    mut piece: impl FnMut(&[u8]),
) -> Option<()> {
    let length = memory.word(object.wrapping_add(LENGTH))?.min(MOST);
    let state = memory.word(object.wrapping_add(STATE))?;
    // `kind`: bytes of a character; `compact`: they follow; `ascii`
    let (width, is_compact, is_ascii) = (state >> 2 & 7, state >> 5 & 1 != 0, state >> 6 & 1 != 0);
    if !is_compact || !matches!(width, 1 | 2 | 4) {
        return None;
    }
    let mut at = object.wrapping_add(if is_ascii {
        layout.ascii
    } else {
        layout.compact
    });
    let mut left = length.wrapping_mul(width);
    let mut room = [0; PIECE];
    while left > 0 {
        let some = room.get_mut(..left.min(PIECE))?;
        if !memory.read(at, some) {
            return None;
        }
        for character in some.chunks_exact(width) {
            let number = character
                .iter()
                .rev()
                .fold(0u32, |number, byte| number << 8 | u32::from(*byte));
            write(number, &mut piece);
        }
        at = at.wrapping_add(some.len());
        left = left.wrapping_sub(some.len());
    }
    Some(())
}

fn write(number: u32, piece: &mut impl FnMut(&[u8])) {
    match (number, char::from_u32(number)) {
        // A byte of a path that is no UTF-8 (PEP 383)
        (0xDC80..=0xDCFF, _) => piece(&[number as u8]),
        (0..0x20 | 0x7F, _) | (_, None) => piece(b"?"),
        (_, Some(character)) => piece(character.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}
