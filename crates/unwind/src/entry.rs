//! The entries of `.eh_frame`: what functions have in common (CIE), and what one of them has for itself (FDE).

use crate::Memory;
use crate::cursor::Cursor;
use core::ops::Range;

/// How to unwind a function.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its instructions.
    pub code: Range<usize>,
    /// Rules for its first instruction,
    pub initial: Range<usize>,
    /// and those for all others.
    pub rules: Range<usize>,
    /// By what advances are multiplied,
    pub code_factor: u64,
    /// and offsets.
    pub data_factor: i64,
    /// The register of the return address.
    pub return_register: usize,
    /// Whether the frame is one that the kernel made for a signal handler.
    pub is_signal: bool,
    /// How addresses are written.
    pub encoding: u8,
}

/// Bytes of a length.
const LENGTH: usize = 4;
/// A length of 64 bits follows: nobody writes that.
const EXTENDED: u64 = 0xffff_ffff;
/// Nothing of a CIE is longer.
const MOST: usize = 1 << 16;

/// The entry at an address.
pub fn read(memory: &impl Memory, at: usize) -> Option<Entry> {
    let mut fde = body(memory, at)?;
    let own = fde.at;
    let distance = fde.fixed::<4>()? as usize;
    // 0 is the mark of a CIE.
    let common = own.wrapping_sub((distance > 0).then_some(distance)?);
    let mut entry = read_common(memory, common)?;
    let begin = fde.encoded(entry.encoding)?;
    let length = fde.encoded(entry.encoding & 0x0f)?;
    entry.code = begin..begin.wrapping_add(length);
    if entry.is_augmented {
        let bytes = fde.unsigned()?;
        fde.skip(bytes)?;
    }
    Some(Entry {
        code: entry.code,
        rules: fde.at..fde.end,
        ..entry.common
    })
}

fn body<M: Memory>(memory: &M, at: usize) -> Option<Cursor<'_, M>> {
    let mut cursor = Cursor::new(memory, at, at.wrapping_add(LENGTH));
    let length = cursor.fixed::<4>()?;
    let is_entry = length > 0 && length < EXTENDED;
    let start = at.wrapping_add(LENGTH);
    is_entry.then(|| Cursor::new(memory, start, start.wrapping_add(length as usize)))
}

/// A CIE, and what only reading its FDEs needs.
struct Common {
    common: Entry,
    code: Range<usize>,
    encoding: u8,
    is_augmented: bool,
}

fn read_common(memory: &impl Memory, at: usize) -> Option<Common> {
    let mut cie = body(memory, at)?;
    if cie.end.wrapping_sub(cie.at) > MOST || cie.fixed::<4>()? != 0 {
        return None;
    }
    let version = cie.byte().filter(|version| matches!(version, 1 | 3))?;
    let mut letters = [0; 8];
    let mut count = 0usize;
    loop {
        let letter = cie.byte()?;
        if letter == 0 {
            break;
        }
        *letters.get_mut(count)? = letter;
        count = count.wrapping_add(1);
    }
    let (code_factor, data_factor) = (cie.unsigned()?, cie.signed()?);
    let return_register = match version {
        1 => u64::from(cie.byte()?),
        _ => cie.unsigned()?,
    } as usize;
    let (mut encoding, mut is_signal, is_augmented) = (0, false, letters[0] == b'z');
    if is_augmented {
        let length = cie.unsigned()?;
        let end = cie.at.checked_add(usize::try_from(length).ok()?)?;
        for letter in letters.iter().skip(1).take_while(|letter| **letter != 0) {
            match letter {
                b'R' => encoding = cie.byte()?,
                b'S' => is_signal = true,
                b'L' => drop(cie.byte()?),
                b'P' => {
                    let how = cie.byte()?;
                    cie.encoded(how & 0x0f)?;
                }
                b'B' | b'G' => {}
                _ => break,
            }
        }
        cie.at = end;
    } else if count > 0 {
        return None;
    }
    Some(Common {
        common: Entry {
            code: 0..0,
            initial: cie.at..cie.end,
            rules: 0..0,
            code_factor,
            data_factor,
            return_register,
            is_signal,
            encoding,
        },
        code: 0..0,
        encoding,
        is_augmented,
    })
}
