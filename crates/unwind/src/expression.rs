//! Expressions of DWARF, as far as rules have them: those of the kernel's signal frames, and of linkers' stubs.

use crate::cursor::Cursor;
use crate::{Memory, Registers};

/// Numbers that an expression holds at most.
const DEPTH: usize = 16;

/// What an expression comes to.
pub fn evaluate<M: Memory>(
    cursor: &mut Cursor<M>,
    memory: &M,
    registers: &Registers,
    first: Option<usize>,
) -> Option<usize> {
    let mut stack = Stack {
        values: [0; DEPTH],
        count: 0,
    };
    if let Some(first) = first {
        stack.push(first)?;
    }
    while !cursor.is_done() {
        one(cursor, memory, registers, &mut stack)?;
    }
    stack.pop()
}

struct Stack {
    values: [usize; DEPTH],
    count: usize,
}

impl Stack {
    fn push(&mut self, value: usize) -> Option<()> {
        *self.values.get_mut(self.count)? = value;
        self.count = self.count.wrapping_add(1);
        Some(())
    }

    fn pop(&mut self) -> Option<usize> {
        self.count = self.count.checked_sub(1)?;
        self.values.get(self.count).copied()
    }

    /// The value that so many are above.
    fn pick(&self, above: usize) -> Option<usize> {
        let at = self.count.checked_sub(above)?.checked_sub(1)?;
        self.values.get(at).copied()
    }

    fn both(&mut self, of: impl FnOnce(usize, usize) -> usize) -> Option<()> {
        let (second, first) = (self.pop()?, self.pop()?);
        self.push(of(first, second))
    }
}

fn one<M: Memory>(
    cursor: &mut Cursor<M>,
    memory: &M,
    registers: &Registers,
    stack: &mut Stack,
) -> Option<()> {
    let signed = |of: usize| of as isize;
    let operation = cursor.byte()?;
    match operation {
        0x03 | 0x0e => {
            let value = cursor.fixed::<8>()?;
            stack.push(value as usize)
        }
        0x06 => {
            let at = stack.pop()?;
            stack.push(memory.word(at)?)
        }
        0x08 => {
            let value = cursor.fixed::<1>()?;
            stack.push(value as usize)
        }
        0x09 => {
            let value = cursor.fixed::<1>()?;
            stack.push(value as i8 as usize)
        }
        0x0a => {
            let value = cursor.fixed::<2>()?;
            stack.push(value as usize)
        }
        0x0b => {
            let value = cursor.fixed::<2>()?;
            stack.push(value as i16 as usize)
        }
        0x0c => {
            let value = cursor.fixed::<4>()?;
            stack.push(value as usize)
        }
        0x0d => {
            let value = cursor.fixed::<4>()?;
            stack.push(value as i32 as usize)
        }
        0x10 => {
            let value = cursor.unsigned()?;
            stack.push(value as usize)
        }
        0x11 => {
            let value = cursor.signed()?;
            stack.push(value as usize)
        }
        0x12 => stack.push(stack.pick(0)?),
        0x13 => stack.pop().map(drop),
        0x14 => stack.push(stack.pick(1)?),
        0x16 => {
            let (second, first) = (stack.pop()?, stack.pop()?);
            stack.push(second)?;
            stack.push(first)
        }
        0x1a => stack.both(|a, b| a & b),
        0x1c => stack.both(usize::wrapping_sub),
        0x1e => stack.both(usize::wrapping_mul),
        0x21 => stack.both(|a, b| a | b),
        0x22 => stack.both(usize::wrapping_add),
        0x23 => {
            let (more, value) = (cursor.unsigned()?, stack.pop()?);
            stack.push(value.wrapping_add(more as usize))
        }
        0x24 => stack.both(|a, b| a.wrapping_shl(b as u32)),
        0x25 => stack.both(|a, b| a.wrapping_shr(b as u32)),
        0x29 => stack.both(|a, b| (a == b).into()),
        0x2a => stack.both(|a, b| (signed(a) >= signed(b)).into()),
        0x2b => stack.both(|a, b| (signed(a) > signed(b)).into()),
        0x2c => stack.both(|a, b| (signed(a) <= signed(b)).into()),
        0x2d => stack.both(|a, b| (signed(a) < signed(b)).into()),
        0x2e => stack.both(|a, b| (a != b).into()),
        0x30..=0x4f => stack.push(usize::from(operation & 0x1f)),
        0x70..=0x8f => {
            let offset = cursor.signed()?;
            let register = registers.get(usize::from(operation.wrapping_sub(0x70)));
            stack.push(register.wrapping_add(offset as usize))
        }
        0x92 => {
            let (register, offset) = (cursor.unsigned()?, cursor.signed()?);
            let value = registers.get(usize::try_from(register).ok()?);
            stack.push(value.wrapping_add(offset as usize))
        }
        0x96 => Some(()),
        _ => None,
    }
}
