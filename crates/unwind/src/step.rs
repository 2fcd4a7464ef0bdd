//! From a frame to that of its caller.

use crate::cursor::Cursor;
use crate::registers::{STACK, unsigned};
use crate::row::{End, Row, Rows, Rule};
use crate::{COUNT, Memory, Registers, entry, expression, header};
use core::mem::MaybeUninit;

/// Instructions whose rules are remembered, a power of two.
const KNOWN: usize = 128;

/// What a step needs of memory: as large as some pages, so that it has no place on a stack.
pub struct Unwinder {
    rows: Rows,
    /// Registers of the frame that is left.
    before: Registers,
    known: [CachedRules; KNOWN],
}

/// The rules of an instruction.
struct CachedRules {
    /// The instruction, and the table in which its function was found; 0: none.
    key: (usize, usize),
    row: Row,
    return_register: usize,
    is_signal: bool,
}

impl Unwinder {
    /// Makes one in place, that remembers nothing.
    pub fn begin(at: &mut MaybeUninit<Unwinder>) {
        let at = at.as_mut_ptr();
        // SAFETY: the fields of what is there for one, each written once.
        unsafe {
            Rows::begin(&raw mut (*at).rows);
            (&raw mut (*at).before).write(Registers::NONE);
            let first = (&raw mut (*at).known).cast::<CachedRules>();
            for place in 0..KNOWN {
                first.add(place).write(CachedRules {
                    key: (0, 0),
                    row: Row::FIRST,
                    return_register: 0,
                    is_signal: false,
                });
            }
        }
    }

    /// Where the rules of an instruction stand: as remembered, or found in the tables of its object.
    fn rules(&mut self, memory: &impl Memory, header: usize, place: usize) -> Option<usize> {
        let at =
            place.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (usize::BITS - KNOWN.trailing_zeros());
        let known = self.known.get_mut(at)?;
        if known.key != (place, header) {
            let entry = entry::read(memory, header::find(memory, header, place)?)?;
            if !entry.code.contains(&place) {
                return None;
            }
            known.key = (0, 0);
            known.row = *self.rows.find(memory, &entry, place)?;
            known.return_register = entry.return_register;
            known.is_signal = entry.is_signal;
            known.key = (place, header);
        }
        Some(at)
    }
}

/// What a step found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Where the return address stands; none: in a register.
    pub return_at: Option<usize>,
    /// The end of the frame that was left: the caller's stack pointer.
    pub end: usize,
}

/// Goes from the frame that `registers` are of to its caller's. `header` is the `.eh_frame_hdr` of the object in which the
/// frame's instruction is. None at the end of the stack, and where there are no rules: `registers` are worth nothing then.
pub fn step(
    unwinder: &mut Unwinder,
    memory: &impl Memory,
    header: usize,
    registers: &mut Registers,
) -> Option<Caller> {
    unwinder.before = *registers;
    let at = unwinder.rules(memory, header, registers.inside())?;
    let (known, before) = (unwinder.known.get(at)?, &unwinder.before);
    let row = &known.row;
    let end = match row.end {
        End::Register(register, offset) => registers.get(register).wrapping_add(offset as usize),
        End::Value(from, to) => {
            let mut cursor = Cursor::new(memory, from, to);
            expression::evaluate(&mut cursor, memory, registers, None)?
        }
    };
    let mut return_at = None;
    for number in 0..COUNT {
        let rule = row.rule(number);
        let (at, value) = match rule {
            Rule::Same => continue,
            Rule::Undefined if number == known.return_register => return None,
            Rule::Undefined => continue,
            Rule::Offset(offset) => stored(memory, end.wrapping_add(offset as usize))?,
            Rule::At(from, to) => {
                let mut cursor = Cursor::new(memory, from, to);
                let at = expression::evaluate(&mut cursor, memory, before, Some(end))?;
                stored(memory, at)?
            }
            Rule::Distance(offset) => (None, end.wrapping_add(offset as usize)),
            Rule::Register(other) => (None, before.get(other)),
            Rule::Value(from, to) => {
                let mut cursor = Cursor::new(memory, from, to);
                (
                    None,
                    expression::evaluate(&mut cursor, memory, before, Some(end))?,
                )
            }
        };
        if number == known.return_register {
            return_at = at;
        }
        if let Some(place) = registers.values.get_mut(number) {
            *place = value;
        }
    }
    // Unless a rule says otherwise, the frame's end is the caller's stack pointer.
    if row.rule(STACK) == Rule::Same
        && let Some(stack) = registers.values.get_mut(STACK)
    {
        *stack = end;
    }
    registers.place = unsigned(registers.get(known.return_register));
    registers.is_exact = known.is_signal;
    (registers.place != 0).then_some(Caller { return_at, end })
}

/// A word in memory, and where that is.
fn stored(memory: &impl Memory, at: usize) -> Option<(Option<usize>, usize)> {
    Some((Some(at), memory.word(at)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::STACK;

    /// The process' own memory: what is asked for is there.
    struct OwnMemory;

    impl Memory for OwnMemory {
        fn read(&self, at: usize, to: &mut [u8]) -> bool {
            // SAFETY: the tables of the test's own executable, and its stack.
            unsafe { core::ptr::copy_nonoverlapping(at as *const u8, to.as_mut_ptr(), to.len()) };
            true
        }
    }

    unsafe extern "C" {
        /// Where the linker has put the executable's headers.
        static __ehdr_start: u8;
    }

    /// The `.eh_frame_hdr` of this executable, by its program headers.
    fn own_header() -> usize {
        const UNWINDING: u32 = 0x6474_e550;
        let base = (&raw const __ehdr_start) as usize;
        let half = |at: usize| OwnMemory.word(base + at).unwrap() & 0xffff;
        let first = base + OwnMemory.word(base + 32).unwrap();
        let segments = (0..half(56)).map(|n| first + n * 56);
        let word = |at: usize| OwnMemory.word(at).unwrap();
        let mut found = segments.filter(|at| word(*at) as u32 == UNWINDING);
        base + word(found.next().expect("a table") + 16)
    }

    fn new() -> Box<Unwinder> {
        let mut place = Box::new_uninit();
        Unwinder::begin(&mut place);
        // SAFETY: just begun.
        unsafe { place.assume_init() }
    }

    /// Return addresses from here on, with the ends of frames.
    #[inline(never)]
    fn walk() -> Vec<(usize, usize)> {
        let (mut registers, mut unwinder) = (Registers::NONE, new());
        registers.here();
        let header = own_header();
        let mut all = Vec::new();
        while let Some(caller) = step(&mut unwinder, &OwnMemory, header, &mut registers) {
            assert_eq!(registers.get(STACK), caller.end);
            if let Some(at) = caller.return_at {
                assert_eq!(unsigned(OwnMemory.word(at).unwrap()), registers.place);
            }
            all.push((registers.place, caller.end));
        }
        all
    }

    #[inline(never)]
    fn deep(levels: usize) -> Vec<(usize, usize)> {
        let all = match levels {
            0 => walk(),
            _ => deep(levels - 1),
        };
        std::hint::black_box(all)
    }

    #[test]
    #[cfg_attr(miri, ignore = "it reads its own stack")]
    fn a_stack_has_a_frame_for_each_call() {
        let (few, many) = (deep(0), deep(7));
        assert!(few.len() > 3, "{few:x?}");
        assert_eq!(many.len(), few.len() + 7, "{many:x?}");
        assert!(many.is_sorted_by(|a, b| a.1 < b.1), "{many:x?}");
        // All but the innermost call themselves from the same place.
        let places: Vec<usize> = many[2..8].iter().map(|(place, _)| *place).collect();
        assert!(places.iter().all(|place| *place == places[0]), "{many:x?}");
    }

    /// Memory that holds anything.
    struct Noise<'b>(&'b [u8]);

    impl Memory for Noise<'_> {
        fn read(&self, at: usize, to: &mut [u8]) -> bool {
            let Some(from) = self.0.get(at..at.wrapping_add(to.len())) else {
                return false;
            };
            to.copy_from_slice(from);
            true
        }
    }

    /// A table of one entry, whose rules are these.
    fn table(rules: &[u8]) -> Vec<u8> {
        let cie = [&[0; 4][..], &[1, b'z', b'R', 0, 1, 0x78, 16, 1, 0x1b]].concat();
        let long = |bytes: &[u8]| [&(bytes.len() as u32).to_le_bytes()[..], bytes].concat();
        let mut all = vec![1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 1, 0, 0, 0];
        let (begin, cie_at) = (0i32, all.len() + 8);
        let fde_at = cie_at + 4 + cie.len();
        all.extend(begin.to_le_bytes());
        all.extend((fde_at as i32).to_le_bytes());
        all.extend(long(&cie));
        let own = fde_at + 4;
        let place = (begin - (own as i32 + 4)).to_le_bytes();
        let head = [
            &((own - cie_at) as u32).to_le_bytes()[..],
            &place,
            &4096u32.to_le_bytes(),
            &[0],
        ];
        all.extend(long(&[&head.concat()[..], rules].concat()));
        all.extend([0; 64]);
        all
    }

    #[test]
    fn rules_say_where_the_caller_is() {
        let (bytes, mut unwinder) = (table(&[0x0c, 7, 16, 0x90, 1]), new());
        let mut bytes = bytes;
        let stack = bytes.len();
        bytes.extend([0u8; 8].into_iter().chain(77u64.to_le_bytes()));
        let mut registers = Registers {
            place: 9,
            ..Registers::NONE
        };
        registers.values[7] = stack;
        let caller = step(&mut unwinder, &Noise(&bytes), 0, &mut registers).expect("a caller");
        assert_eq!(
            (caller.end, caller.return_at),
            (stack + 16, Some(stack + 8))
        );
        assert_eq!(registers.place, 77);
    }

    proptest::proptest! {
        #[test]
        fn any_rules_end(rules: Vec<u8>, place in 0usize..5000, stack in 0usize..300) {
            let (bytes, mut unwinder) = (table(&rules), new());
            let mut registers = Registers { place, values: [stack; COUNT], is_exact: true };
            for _ in 0..3 {
                if step(&mut unwinder, &Noise(&bytes), 0, &mut registers).is_none() {
                    break;
                }
            }
        }

        #[test]
        fn any_memory_is_read(mut bytes: Vec<u8>, place: usize) {
            bytes.splice(0..0, [1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 9, 0, 0, 0]);
            let mut registers = Registers { place, ..Registers::NONE };
            let mut unwinder = new();
            let _ = step(&mut unwinder, &Noise(&bytes), 0, &mut registers);
        }
    }
}
