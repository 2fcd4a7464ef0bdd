//! The rules of an instruction: where the frame ends, and where the caller's registers are.

use crate::cursor::Cursor;
use crate::entry::Entry;
use crate::{COUNT, Memory};
use core::ops::Range;

/// Where the caller has a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Where it is.
    Same,
    /// Nowhere.
    Undefined,
    /// In memory, so far from the frame's end.
    Offset(i64),
    /// It is the frame's end and so many bytes.
    Distance(i64),
    /// In another register.
    Register(usize),
    /// In memory, where an expression says, which begins and ends here.
    At(usize, usize),
    /// It is what an expression comes to.
    Value(usize, usize),
}

/// The frame's end: the stack pointer before the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A register, and so many bytes.
    Register(usize, i64),
    /// What an expression comes to.
    Value(usize, usize),
}

/// Rules.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub end: End,
    pub rules: [Rule; COUNT],
}

impl Row {
    /// Before anything is said.
    pub const FIRST: Row = Row {
        end: End::Register(0, 0),
        rules: [Rule::Same; COUNT],
    };

    /// The rule of a register that there is.
    pub fn rule(&self, register: usize) -> Rule {
        self.rules.get(register).copied().unwrap_or(Rule::Undefined)
    }

    fn set(&mut self, register: u64, rule: Rule) {
        let place = usize::try_from(register).ok();
        if let Some(place) = place.and_then(|at| self.rules.get_mut(at)) {
            *place = rule;
        }
    }

    fn move_end(&mut self, offset: i64) -> Option<()> {
        match &mut self.end {
            End::Register(_, known) => {
                *known = offset;
                Some(())
            }
            End::Value(..) => None,
        }
    }
}

/// Rows that are remembered at once.
pub const REMEMBERED: usize = 6;

/// Where rows are kept while the rules of a function are gone through: too much for somebody else's stack.
#[derive(Debug)]
pub struct Rows {
    /// The rules as far as they are known.
    pub row: Row,
    initial: Row,
    remembered: [Row; REMEMBERED],
    depth: usize,
}

impl Rows {
    /// Makes some in place, row by row: all of them at once would go over the stack.
    ///
    /// # Safety
    /// There is room for them at `at`.
    pub unsafe fn begin(at: *mut Rows) {
        // SAFETY: the fields of what is there, each written once.
        unsafe {
            (&raw mut (*at).row).write(Row::FIRST);
            (&raw mut (*at).initial).write(Row::FIRST);
            let first = (&raw mut (*at).remembered).cast::<Row>();
            (0..REMEMBERED).for_each(|place| first.add(place).write(Row::FIRST));
            (&raw mut (*at).depth).write(0);
        }
    }

    /// Finds the rules for an instruction of the function.
    pub fn find(&mut self, memory: &impl Memory, entry: &Entry, place: usize) -> Option<&Row> {
        self.row = Row::FIRST;
        self.initial = Row::FIRST;
        self.depth = 0;
        let mut at = entry.code.start;
        self.apply(memory, &entry.initial, entry, (&mut at, place))?;
        self.initial = self.row;
        self.apply(memory, &entry.rules, entry, (&mut at, place))?;
        Some(&self.row)
    }

    /// Instructions up to an advance beyond the place.
    fn apply(
        &mut self,
        memory: &impl Memory,
        instructions: &Range<usize>,
        entry: &Entry,
        (at, place): (&mut usize, usize),
    ) -> Option<()> {
        let mut cursor = Cursor::new(memory, instructions.start, instructions.end);
        while !cursor.is_done() && *at <= place {
            self.one(&mut cursor, entry, at)?;
        }
        Some(())
    }

    fn one(
        &mut self,
        cursor: &mut Cursor<impl Memory>,
        entry: &Entry,
        at: &mut usize,
    ) -> Option<()> {
        let scaled = |offset: u64| Rule::Offset((offset as i64).wrapping_mul(entry.data_factor));
        let factored = |offset: i64| offset.wrapping_mul(entry.data_factor);
        let mut advance = |by: u64| {
            let by = by.wrapping_mul(entry.code_factor) as usize;
            *at = at.wrapping_add(by);
            Some(())
        };
        let byte = cursor.byte()?;
        let low = u64::from(byte & 0x3f);
        match byte >> 6 {
            1 => return advance(low),
            2 => {
                let offset = cursor.unsigned()?;
                self.row.set(low, scaled(offset));
                return Some(());
            }
            3 => {
                self.restore(low);
                return Some(());
            }
            _ => {}
        }
        match byte {
            0x00 | 0x2d => {}
            0x01 => *at = cursor.encoded(entry.encoding)?,
            0x02 => return advance(cursor.fixed::<1>()?),
            0x03 => return advance(cursor.fixed::<2>()?),
            0x04 => return advance(cursor.fixed::<4>()?),
            0x05 => {
                let (register, offset) = (cursor.unsigned()?, cursor.unsigned()?);
                self.row.set(register, scaled(offset));
            }
            0x06 => {
                let register = cursor.unsigned()?;
                self.restore(register);
            }
            0x07 => {
                let register = cursor.unsigned()?;
                self.row.set(register, Rule::Undefined);
            }
            0x08 => {
                let register = cursor.unsigned()?;
                self.row.set(register, Rule::Same);
            }
            0x09 => {
                let (register, other) = (cursor.unsigned()?, cursor.unsigned()?);
                self.row
                    .set(register, Rule::Register(usize::try_from(other).ok()?));
            }
            0x0a => {
                *self.remembered.get_mut(self.depth)? = self.row;
                self.depth = self.depth.wrapping_add(1);
            }
            0x0b => {
                self.depth = self.depth.checked_sub(1)?;
                self.row = *self.remembered.get(self.depth)?;
            }
            0x0c => {
                let (register, offset) = (cursor.unsigned()?, cursor.unsigned()?);
                self.row.end = End::Register(usize::try_from(register).ok()?, offset as i64);
            }
            0x0d => {
                let register = usize::try_from(cursor.unsigned()?).ok()?;
                match &mut self.row.end {
                    End::Register(known, _) => *known = register,
                    End::Value(..) => return None,
                }
            }
            0x0e => {
                let offset = cursor.unsigned()?;
                self.row.move_end(offset as i64)?;
            }
            0x0f => {
                let (start, end) = block(cursor)?;
                self.row.end = End::Value(start, end);
            }
            0x10 => {
                let register = cursor.unsigned()?;
                let (start, end) = block(cursor)?;
                self.row.set(register, Rule::At(start, end));
            }
            0x11 => {
                let (register, offset) = (cursor.unsigned()?, cursor.signed()?);
                self.row.set(register, Rule::Offset(factored(offset)));
            }
            0x12 => {
                let (register, offset) = (cursor.unsigned()?, cursor.signed()?);
                let register = usize::try_from(register).ok()?;
                self.row.end = End::Register(register, factored(offset));
            }
            0x13 => {
                let offset = cursor.signed()?;
                self.row.move_end(factored(offset))?;
            }
            0x14 => {
                let (register, offset) = (cursor.unsigned()?, cursor.unsigned()?);
                self.row
                    .set(register, Rule::Distance(factored(offset as i64)));
            }
            0x15 => {
                let (register, offset) = (cursor.unsigned()?, cursor.signed()?);
                self.row.set(register, Rule::Distance(factored(offset)));
            }
            0x16 => {
                let register = cursor.unsigned()?;
                let (start, end) = block(cursor)?;
                self.row.set(register, Rule::Value(start, end));
            }
            0x2e => drop(cursor.unsigned()?),
            0x2f => {
                let (register, offset) = (cursor.unsigned()?, cursor.unsigned()?);
                let offset = factored(offset as i64).wrapping_neg();
                self.row.set(register, Rule::Offset(offset));
            }
            _ => return None,
        }
        Some(())
    }

    fn restore(&mut self, register: u64) {
        let rule = usize::try_from(register).map_or(Rule::Same, |at| self.initial.rule(at));
        self.row.set(register, rule);
    }
}

/// Where an expression begins and ends.
fn block(cursor: &mut Cursor<impl Memory>) -> Option<(usize, usize)> {
    let bytes = cursor.unsigned()?;
    let start = cursor.at;
    cursor.skip(bytes)?;
    Some((start, cursor.at))
}
