//! Instructions of aarch64, all of 32 bits.

use super::body::{Body, Displaced, LOOP, PLACE, SHORT, TABLE};
use super::reference::{Reference, ReferenceKind};
use iota_trace::patches::{Fixup, WORDS};

const BTI_C: u32 = 0xd503_245f;
const PACIASP: u32 = 0xd503_233f;
const PACIBSP: u32 = 0xd503_237f;
const JUMP: u32 = 0x1400_0000;

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word))
}

/// What an instruction does, as far as its place decides it
#[derive(Debug, PartialEq, Eq)]
enum InstructionKind {
    Plain,
    Jump(i64),
    Call(i64),
    Conditional(i64),
    /// `adr`, `adrp`, `ldr` of a literal
    Relative,
    Return,
    IndirectJump,
}

/// The bits of a number from `low` on, with its sign, in words
fn distance(word: u32, low: u32, bits: u32) -> i64 {
    i64::from((word << (32 - low - bits)) as i32 >> (32 - bits)) * 4
}

fn kind(word: u32) -> InstructionKind {
    match word {
        _ if word & 0xfc00_0000 == JUMP => InstructionKind::Jump(distance(word, 0, 26)),
        _ if word & 0xfc00_0000 == 0x9400_0000 => InstructionKind::Call(distance(word, 0, 26)),
        // b.cond, bc.cond; cbz, cbnz; tbz, tbnz
        _ if word & 0xff00_0000 == 0x5400_0000 => {
            InstructionKind::Conditional(distance(word, 5, 19))
        }
        _ if word & 0x7e00_0000 == 0x3400_0000 => {
            InstructionKind::Conditional(distance(word, 5, 19))
        }
        _ if word & 0x7e00_0000 == 0x3600_0000 => {
            InstructionKind::Conditional(distance(word, 5, 14))
        }
        _ if word & 0x1f00_0000 == 0x1000_0000 => InstructionKind::Relative,
        _ if word & 0x3b00_0000 == 0x1800_0000 => InstructionKind::Relative,
        _ if word & 0xfeff_f000 == 0xd61f_0000 => InstructionKind::IndirectJump,
        _ if word & 0xfeff_f000 == 0xd65f_0000 => InstructionKind::Return,
        // Calls by a register; system calls, breakpoints
        _ if word & 0xfe00_0000 == 0xd600_0000 => InstructionKind::Relative,
        _ if word & 0xff00_0000 == 0xd400_0000 => InstructionKind::Relative,
        _ => InstructionKind::Plain,
    }
}

/// What the instructions refer to
pub fn references(address: u64, bytes: &[u8], keep: &mut impl FnMut(Reference)) {
    let mut page = None;
    for (n, word) in words(bytes).enumerate() {
        let from = address + 4 * n as u64;
        let (by, way) = match kind(word) {
            InstructionKind::Jump(by) | InstructionKind::Conditional(by) => {
                (by, ReferenceKind::Jump)
            }
            InstructionKind::Call(by) => (by, ReferenceKind::Call),
            _ => {
                let to = pair(&mut page, from, word);
                let way = ReferenceKind::Address;
                to.into_iter()
                    .for_each(|to| keep(Reference { from, to, way }));
                continue;
            }
        };
        let to = from.wrapping_add_signed(by);
        keep(Reference { from, to, way });
    }
}

/// `adrp` and the `add` behind it
fn pair(page: &mut Option<(u32, u64)>, from: u64, word: u32) -> Option<u64> {
    if word & 0x9f00_0000 == 0x9000_0000 {
        let high = distance(word, 5, 19) | i64::from(word >> 29 & 3);
        *page = Some((word & 31, (from & !0xfff).wrapping_add_signed(high << 12)));
        return None;
    }
    let (register, page) = page.take()?;
    let is_add = word & 0xffc0_0000 == 0x9100_0000 && word >> 5 & 31 == register;
    is_add.then(|| page + u64::from(word >> 10 & 0xfff))
}

/// What a jump at the function's beginning displaces: one instruction
pub fn displace(body: &Body) -> Result<Displaced, &'static str> {
    let all: Vec<_> = words(body.bytes).collect();
    let at = usize::from(all.first() == Some(&BTI_C));
    let Some(&word) = all.get(at) else {
        return Err(SHORT);
    };
    let jumps = |word: &u32| kind(*word) == InstructionKind::IndirectJump;
    // What changes the stack is done once: no table leads back to it.
    if all.iter().skip(at + 1).any(jumps) && !changes_stack(word) {
        return Err(TABLE);
    }
    let address = body.entry + 4 * at as u64;
    let mut code = Vec::new();
    let mut fixups = Vec::new();
    let mut jump = |code: &mut Vec<u8>, target| {
        let place = code.len() as u8;
        fixups.push(Fixup {
            place,
            kind: WORDS,
            from: place,
            target,
        });
        code.extend(JUMP.to_le_bytes());
    };
    match kind(word) {
        // With BTI it marks where calls may lead.
        _ if word == PACIASP || word == PACIBSP => return Err(PLACE),
        InstructionKind::Plain => {
            code.extend(word.to_le_bytes());
            jump(&mut code, address + 4);
        }
        InstructionKind::Return | InstructionKind::IndirectJump => code.extend(word.to_le_bytes()),
        InstructionKind::Jump(0) => return Err(LOOP),
        InstructionKind::Jump(by) => jump(&mut code, address.wrapping_add_signed(by)),
        InstructionKind::Call(_) | InstructionKind::Conditional(_) | InstructionKind::Relative => {
            return Err(PLACE);
        }
    }
    Ok(Displaced {
        at: 4 * at,
        end: 4 * at + 4,
        code,
        fixups,
    })
}

/// `stp`, `str` with a new stack pointer; `sub sp`
fn changes_stack(word: u32) -> bool {
    let is_pair = word & 0x7fc0_03e0 == 0x2980_03e0 || word & 0x3fc0_03e0 == 0x2d80_03e0;
    let is_single = word & 0xffe0_0fe0 == 0xf800_0fe0;
    let is_sub = word & 0xff80_03ff == 0xd100_03ff;
    is_pair || is_single || is_sub
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_that_depend_on_their_place_are_known() {
        // b .; bl .-4; b.ne .+8; cbz x0, .+12; tbnz w1, #3, .-8
        assert_eq!(kind(0x1400_0000), InstructionKind::Jump(0));
        assert_eq!(kind(0x97ff_ffff), InstructionKind::Call(-4));
        assert_eq!(kind(0x5400_0041), InstructionKind::Conditional(8));
        assert_eq!(kind(0xb400_0060), InstructionKind::Conditional(12));
        assert_eq!(kind(0x371f_ffc1), InstructionKind::Conditional(-8));
        // adr x0, .; adrp x0, .; ldr x0, .; ldr q0, .; svc #0; blr x16
        for word in [
            0x1000_0000,
            0x9000_0000,
            0x5800_0000,
            0x9c00_0000,
            0xd400_0001,
            0xd63f_0200,
        ] {
            assert_eq!(kind(word), InstructionKind::Relative, "{word:#x}");
        }
        // ret; retaa; br x16; stp x29, x30, [sp, #-16]!; mov w0, #1; nop
        assert_eq!(kind(0xd65f_03c0), InstructionKind::Return);
        assert_eq!(kind(0xd65f_0bff), InstructionKind::Return);
        assert_eq!(kind(0xd61f_0200), InstructionKind::IndirectJump);
        for word in [0xa9bf_7bfd, 0x5280_0020, 0xd503_201f] {
            assert_eq!(kind(word), InstructionKind::Plain, "{word:#x}");
        }
        assert!(changes_stack(0xa9bf_7bfd) && changes_stack(0xd100_83ff));
        assert!(!changes_stack(0x5280_0020) && !changes_stack(0xa900_7bfd));
    }

    #[test]
    fn addresses_of_functions_are_found() {
        // adrp x0, .+4096; add x0, x0, #16
        let code: Vec<u8> = [0xb000_0000u32, 0x9100_4000].map(u32::to_le_bytes).concat();
        let mut found = Vec::new();
        references(0x1ff8, &code, &mut |one| {
            found.push((one.from, one.to, one.way))
        });
        assert_eq!(found, [(0x1ffc, 0x2010, ReferenceKind::Address)]);
    }
}
