//! Which line an instruction is on.

use crate::layout::{BYTES, TableKind};
use iota_unwind::Memory;

/// Bytes of a table that are read at most.
const MOST: usize = 1 << 20;

/// The bytes of a table.
pub struct Table<'m, M> {
    memory: &'m M,
    at: usize,
    end: usize,
}

impl<'m, M: Memory> Table<'m, M> {
    /// Those of a `bytes` object.
    pub fn new(memory: &'m M, object: usize) -> Option<Self> {
        let length = memory.word(object.wrapping_add(BYTES.0))?.min(MOST);
        let at = object.wrapping_add(BYTES.1);
        let end = at.checked_add(length)?;
        Some(Table { memory, at, end })
    }

    fn peek(&self) -> Option<u8> {
        let mut byte = [0];
        (self.at < self.end && self.memory.read(self.at, &mut byte)).then_some(byte[0])
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at = self.at.wrapping_add(1);
        Some(byte)
    }

    /// Six bits a byte, the lowest first; the seventh says that more follow.
    fn number(&mut self) -> Option<u32> {
        let (mut number, mut shift) = (0u32, 0u32);
        loop {
            let byte = self.byte()?;
            number |= u32::from(byte & 63).checked_shl(shift).unwrap_or(0);
            shift = shift.saturating_add(6);
            if byte & 64 == 0 {
                return Some(number);
            }
        }
    }

    /// The lowest bit is the sign.
    fn signed(&mut self) -> Option<i32> {
        let number = self.number()?;
        let size = (number >> 1) as i32;
        Some(if number & 1 != 0 {
            size.wrapping_neg()
        } else {
            size
        })
    }
}

/// The line of an instruction in the code whose first line is `first`.
pub fn line<M: Memory>(
    kind: TableKind,
    table: Table<M>,
    first: i32,
    instruction: u32,
) -> Option<i32> {
    match kind {
        TableKind::Pairs => of_pairs(table, first, instruction),
        TableKind::Ranges => of_ranges(table, first, instruction),
        TableKind::Entries => of_entries(table, first, instruction),
    }
}

fn of_pairs<M: Memory>(mut table: Table<M>, first: i32, instruction: u32) -> Option<i32> {
    let (mut line, mut at) = (first, 0u32);
    while let (Some(bytes), Some(lines)) = (table.byte(), table.byte()) {
        at = at.wrapping_add(bytes.into());
        if at > instruction {
            break;
        }
        line = line.wrapping_add((lines as i8).into());
    }
    Some(line)
}

fn of_ranges<M: Memory>(mut table: Table<M>, first: i32, instruction: u32) -> Option<i32> {
    /// A range without a line.
    const NONE: i8 = -128;
    let (mut line, mut end) = (first, 0u32);
    while let (Some(bytes), Some(lines)) = (table.byte(), table.byte()) {
        end = end.wrapping_add(bytes.into());
        let lines = lines as i8;
        if lines != NONE {
            line = line.wrapping_add(lines.into());
        }
        if instruction < end {
            return (lines != NONE).then_some(line);
        }
    }
    None
}

fn of_entries<M: Memory>(mut table: Table<M>, first: i32, instruction: u32) -> Option<i32> {
    let (mut line, mut end) = (first, 0u32);
    while let Some(head) = table.byte() {
        let has_line = match head >> 3 & 15 {
            15 => false,
            13 | 14 => {
                line = line.wrapping_add(table.signed()?);
                true
            }
            code @ 10..=12 => {
                line = line.wrapping_add(i32::from(code) - 10);
                true
            }
            _ => true,
        };
        // So many instructions of two bytes
        end = end.wrapping_add(2 * (u32::from(head & 7) + 1));
        if instruction < end {
            return has_line.then_some(line);
        }
        // The rest is columns.
        while table.peek().is_some_and(|byte| byte & 128 == 0) {
            table.byte();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;
    use proptest::prelude::*;

    fn at(kind: TableKind, bytes: &[u8], instruction: u32) -> Option<i32> {
        let mut memory = Fake::default();
        let object = memory.bytes(bytes);
        let table = Table::new(&memory, object).expect("a table");
        line(kind, table, 1, instruction)
    }

    /// What compilers of these versions made of
    ///
    /// ```text
    /// def g(x):
    ///     a = x(1)
    ///     (300 lines of nothing)
    ///     b = x(
    ///       2)
    ///     return (a,
    ///       b)
    /// ```
    #[test]
    fn tables_of_compilers() {
        let pairs = [
            0, 1, 8, 127, 0, 127, 0, 47, 2, 1, 2, 255, 4, 2, 2, 1, 2, 255,
        ];
        let ranges = [
            8, 1, 0, 127, 0, 127, 2, 47, 2, 1, 4, 255, 2, 2, 2, 1, 4, 255,
        ];
        for (kind, table) in [(TableKind::Pairs, pairs), (TableKind::Ranges, ranges)] {
            let lines = [0, 7, 8, 10, 12, 15, 16, 18, 20, 22].map(|of| at(kind, &table, of));
            let expected = [2, 2, 303, 304, 303, 303, 305, 306, 305, 305];
            assert_eq!(lines, expected.map(Some), "{kind:?}");
        }
        assert_eq!(at(TableKind::Ranges, &ranges, 24), None, "beyond the code");
        let entries = [
            128, 0, 217, 8, 9, 136, 33, 139, 4, 128, 65, 241, 90, 9, 0, 9, 10, 216, 6, 7, 243, 3,
            1, 9, 9, 128, 65, 224, 12, 13, 216, 6, 7, 240, 3, 1, 12, 9, 240, 0, 1, 5, 9,
        ];
        let line = |of| at(TableKind::Entries, &entries, of);
        let lines = [0, 2, 17, 18, 22, 24, 33, 34, 36, 38, 41].map(line);
        let expected = [1, 2, 2, 303, 304, 303, 303, 305, 306, 305, 305];
        assert_eq!(lines, expected.map(Some));
        assert_eq!(line(42), None, "beyond the code");
        let without = [128, 0, 250];
        assert_eq!(at(TableKind::Entries, &without, 2), None);
    }

    proptest! {
        #[test]
        fn any_table_ends(bytes: Vec<u8>, instruction: u32) {
            for kind in [TableKind::Pairs, TableKind::Ranges, TableKind::Entries] {
                at(kind, &bytes, instruction);
            }
        }
    }
}
