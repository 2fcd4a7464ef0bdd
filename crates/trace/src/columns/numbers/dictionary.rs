//! Columns of which a few numbers are most: a dictionary of these, and the others behind.

use super::survey::{ValueRange, sample};
use crate::columns::bits::low;

/// Numbers by a hash of theirs.
const SLOTS: usize = 256;
/// Bits of a place in a dictionary at most.
pub const WIDEST: u32 = 7;

/// The most frequent numbers of a column: too large for the stack of a signal handler. Plain data, of which zeroed is a
/// valid value.
#[repr(C)]
pub struct Dictionary {
    slots: [DictionarySlot; SLOTS],
    pub count: usize,
    pub width: u32,
    /// The slots, the most frequent first.
    order: [u8; SLOTS],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct DictionarySlot {
    number: i64,
    count: u16,
    /// In the dictionary; all bits are set if it is not there.
    place: u8,
}

impl DictionarySlot {
    const NEW: DictionarySlot = DictionarySlot {
        number: 0,
        count: 0,
        place: u8::MAX,
    };
}

impl Dictionary {
    pub const NEW: Dictionary = Dictionary {
        slots: [DictionarySlot::NEW; SLOTS],
        count: 0,
        width: 0,
        order: [0; SLOTS],
    };

    /// Finds those of a sample; none if the numbers take fewer bits by themselves.
    pub fn find(&mut self, numbers: &[i64], range: &ValueRange) -> Option<()> {
        let base = range.base(numbers.len());
        let Dictionary { slots, order, .. } = self;
        *slots = [DictionarySlot::NEW; SLOTS];
        let (mut all, mut bits, mut seen) = (0u32, 0u32, 0u32);
        for number in sample(numbers) {
            let slot = &mut slots[slot_of(*number)];
            if slot.count == 0 {
                slot.number = *number;
                seen = seen.wrapping_add(1);
            }
            slot.count = slot.count.wrapping_add(u16::from(slot.number == *number));
            all = all.wrapping_add(1);
            let above = number.wrapping_sub(base) as u64;
            bits = bits.wrapping_add(64u32.wrapping_sub(above.leading_zeros()));
            // Noise is soon seen.
            if all == 64 && seen > 40 {
                return None;
            }
        }
        let mut count = 0usize;
        for (nth, slot) in (0..=u8::MAX).zip(&*slots) {
            if slot.count > 1 {
                order[count & (SLOTS - 1)] = nth;
                count = count.wrapping_add(1);
            }
        }
        let order_of = order.get_mut(..count)?;
        sort(order_of, |nth| slots[usize::from(nth)].count);
        let usual = bits.checked_div(all)?.wrapping_add(1);
        let (width, count) = best_dictionary(order_of, slots, all, usual)?;
        for (place, nth) in (0..u8::MAX).zip(order.iter().take(count)) {
            slots[usize::from(*nth)].place = place;
        }
        (self.width, self.count) = (width, count);
        Some(())
    }

    /// The word at a place.
    pub fn at(&self, place: usize) -> i64 {
        let slot = self.order[place & (SLOTS - 1)];
        self.slots[usize::from(slot)].number
    }

    /// The place of a number; all bits are set if it has none.
    #[inline(always)]
    pub fn place(&self, number: i64) -> u64 {
        let slot = &self.slots[slot_of(number)];
        let place = if slot.number == number {
            slot.place
        } else {
            u8::MAX
        };
        low(place.into(), self.width)
    }
}

#[inline(always)]
fn slot_of(number: i64) -> usize {
    (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) as usize >> 56
}

/// The greatest counts first.
fn sort(order: &mut [u8], count: impl Fn(u8) -> u16) {
    for end in 1..order.len() {
        let mut at = end;
        while let Some([before, own]) = at
            .checked_sub(1)
            .and_then(|before| order.get_mut(before..=at))
            && count(*before) < count(*own)
        {
            core::mem::swap(before, own);
            at = at.wrapping_sub(1);
        }
    }
}

/// With which width a dictionary takes the fewest bits, and how many numbers are in it then.
fn best_dictionary(
    order: &[u8],
    slots: &[DictionarySlot; SLOTS],
    all: u32,
    usual: u32,
) -> Option<(u32, usize)> {
    let (mut best, mut least) = (None, all.wrapping_mul(usual));
    let (mut covered, mut taken) = (0u32, 0usize);
    for width in 1..=WIDEST {
        let most = (1usize << width).wrapping_sub(1);
        while taken < most.min(order.len()) {
            covered =
                covered.wrapping_add(slots[usize::from(order[taken & (SLOTS - 1)])].count.into());
            taken = taken.wrapping_add(1);
        }
        let others = all
            .wrapping_sub(covered)
            .wrapping_mul(usual.wrapping_add(2));
        let bits = all
            .wrapping_mul(width)
            .wrapping_add(taken as u32)
            .wrapping_add(others);
        if bits < least {
            (best, least) = (Some((width, taken)), bits);
        }
    }
    best
}
