//! Operation numbers: an index in the table, valid within one build. Traces carry names.

use crate::{COUNT, Call, Effects, FORMS, Kind, Layer, TABLE};

/// The number of an operation; 0 is none
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Op(pub u16);

/// What a trace says of an operation
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpInfo {
    /// The function's name
    pub name: &'static str,
    /// The software level of the function
    pub layer: Layer,
    /// What the function does: reads, writes, opens, ...
    pub kind: Kind,
    /// What else readers must know
    pub effects: Effects,
}

impl Op {
    /// No operation
    pub const NONE: Op = Op(0);

    /// What traces say of it; None for a number that no row has
    pub fn info(self) -> Option<OpInfo> {
        let index = usize::from(self.0);
        let before = PACKED.get(index.checked_sub(1)?)?;
        let own = PACKED.get(index)?;
        Some(OpInfo {
            name: NAMES.get(usize::from(before.end)..usize::from(own.end))?,
            layer: own.layer,
            kind: own.kind,
            effects: own.effects,
        })
    }

    /// Its row. A running tracer uses [`Op::info`], which does not drag the whole table in
    pub fn call(self) -> Option<&'static Call> {
        if self == Op::NONE {
            None
        } else {
            TABLE.get(usize::from(self.0))
        }
    }

    /// The operation of a function; for constants: `const OPEN: Op = Op::of("open")` fails to build when no row has it
    pub const fn of(name: &str) -> Op {
        let mut index = 1;
        while index < crate::COUNT {
            let own = TABLE[index].name;
            if own.len() == name.len() && same(own.as_bytes(), name.as_bytes()) {
                return Op(index as u16);
            }
            index += 1;
        }
        panic!("no row of the table has this name")
    }
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// What a running tracer needs of a row of [`TABLE`], and no more: the rest of the table stays out of the traced program.
/// Without pointers, which the dynamic linker would have to put in place in every process.
#[derive(Clone, Copy)]
struct Packed {
    /// Where its name ends in [`NAMES`]; it begins where the one before ends
    end: u16,
    layer: Layer,
    kind: Kind,
    effects: Effects,
}

static PACKED: [Packed; COUNT] = packed(&TABLE);

/// All names, one behind the other
const NAMES: &str = match core::str::from_utf8(&BYTES) {
    Ok(names) => names,
    Err(_) => panic!("names are ASCII"),
};
static BYTES: [u8; LENGTH] = names(&TABLE);

const LENGTH: usize = length(&TABLE);

const fn length(rows: &[Call]) -> usize {
    let (mut sum, mut index) = (0, 0);
    while index < rows.len() {
        sum += rows[index].name.len();
        index += 1;
    }
    assert!(sum <= u16::MAX as usize);
    sum
}

const fn names<const N: usize>(rows: &[Call]) -> [u8; N] {
    let (mut all, mut index) = ([0; N], 0);
    let mut rest: &mut [u8] = &mut all;
    while index < rows.len() {
        let name = rows[index].name.as_bytes();
        let (own, behind) = rest.split_at_mut(name.len());
        own.copy_from_slice(name);
        rest = behind;
        index += 1;
    }
    all
}

const fn packed<const N: usize>(rows: &[Call; N]) -> [Packed; N] {
    let mut all = [Packed {
        end: 0,
        layer: Layer::User,
        kind: Kind::Other,
        effects: Effects::NONE,
    }; N];
    let (mut end, mut index) = (0, 0);
    while index < N {
        let row = &rows[index];
        end += row.name.len();
        all[index] = Packed {
            end: end as u16,
            layer: row.layer,
            kind: row.kind,
            effects: row.effects(),
        };
        index += 1;
    }
    all
}

/// FNV-1a of 128 bits, of words instead of bytes, over all that [`OpInfo`] and [`FORMS`] say
pub(crate) const fn fingerprint() -> u64 {
    let (mut sum, mut index) = (mixed_all(OFFSET_BASIS, NAMES), 0);
    while index < COUNT {
        let row = &PACKED[index];
        let said = u32::from_le_bytes([row.layer as u8, row.kind as u8, row.effects.byte(), 0]);
        sum = mixed(sum, (said as u128) << 16 | row.end as u128);
        index += 1;
    }
    let sum = forms(sum);
    (sum >> 64 ^ sum) as u64
}

const fn forms(mut sum: u128) -> u128 {
    let mut index = 0;
    while index < FORMS.len() {
        let form = &FORMS[index];
        sum = mixed_all(sum, form.name);
        let mut field = 0;
        while field < form.fields.len() {
            let one = &form.fields[field];
            sum = mixed(mixed_all(sum, one.name), one.unit as u128);
            field += 1;
        }
        index += 1;
    }
    sum
}

const fn mixed_all(sum: u128, name: &str) -> u128 {
    let (mut sum, mut rest) = (mixed(sum, name.len() as u128), name.as_bytes());
    while let Some((word, behind)) = rest.split_first_chunk() {
        sum = mixed(sum, u128::from_le_bytes(*word));
        rest = behind;
    }
    let mut last = [0; 16];
    last.split_at_mut(rest.len()).0.copy_from_slice(rest);
    mixed(sum, u128::from_le_bytes(last))
}

const OFFSET_BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;

const fn mixed(sum: u128, word: u128) -> u128 {
    (sum ^ word).wrapping_mul(0x0100_0000_0000_0000_0000_013b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_the_information_of_the_table() {
        assert_eq!(Op::NONE.info(), None);
        assert_eq!(Op(COUNT as u16).info(), None);
        for (op, call) in crate::rows() {
            let info = OpInfo {
                name: call.name,
                layer: call.layer,
                kind: call.kind,
                effects: call.effects(),
            };
            assert_eq!(op.info(), Some(info));
        }
    }
}
