//! Columns back to numbers.

use super::dictionary::WIDEST;
use super::form;
use crate::block::MAX_RECORDS;
use crate::bytes::Get;
use crate::columns::bits::{BitReader, word};
use crate::columns::zigzag::unzigzag;

/// Reads the columns of a block.
pub struct Reader<'a> {
    pub bytes: Get<'a>,
    pub bits: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn signed(&mut self) -> Option<i64> {
        self.bytes.varint().map(unzigzag)
    }

    /// Reads a column; returns whether all of its numbers, or all but the first, are the same.
    pub fn column(&mut self, numbers: &mut [i64]) -> Option<bool> {
        let form = self.bytes.u8()?;
        let (is_apart, are_differences) = (form & form::FIRST != 0, form & form::DIFFERENCES != 0);
        let own = form & !(form::FIRST | form::DIFFERENCES);
        if !is_apart && !are_differences {
            return self.of_form(own, numbers);
        }
        let (first, rest) = numbers.split_first_mut()?;
        *first = self.signed()?;
        let is_constant = self.of_form(own, rest)?;
        if !are_differences {
            return Some(is_constant);
        }
        let mut before = *first;
        for number in rest {
            *number = number.wrapping_add(before);
            before = *number;
        }
        Some(false)
    }

    fn of_form(&mut self, form: u8, numbers: &mut [i64]) -> Option<bool> {
        match form {
            form::ZERO => numbers.fill(0),
            form::CONSTANT => numbers.fill(self.signed()?),
            form::PACKED => self.packed(numbers)?,
            form::DICTIONARY => self.dictionary(numbers)?,
            form::BYTES => self.in_bytes(numbers)?,
            form::SIZES => self.of_all_sizes(numbers)?,
            _ => return None,
        }
        Some(form <= form::CONSTANT)
    }

    fn packed(&mut self, numbers: &mut [i64]) -> Option<()> {
        let (base, shift, width) = (
            self.signed()?,
            u32::from(self.bytes.u8()?),
            u32::from(self.bytes.u8()?),
        );
        let exceptions = self.bytes.varint()?;
        if shift > 63 || width > 64 || exceptions > numbers.len() as u64 {
            return None;
        }
        self.unpack(width, numbers)?;
        let mut next = 0usize;
        for _ in 0..exceptions {
            let at = next.checked_add(usize::try_from(self.bytes.varint()?).ok()?)?;
            let number = numbers.get_mut(at)?;
            *number |= self.bytes.varint()?.checked_shl(width)? as i64;
            next = at.wrapping_add(1);
        }
        for number in numbers {
            *number = base.wrapping_add(*number << shift);
        }
        Some(())
    }

    fn dictionary(&mut self, numbers: &mut [i64]) -> Option<()> {
        let (width, count) = (u32::from(self.bytes.u8()?), usize::from(self.bytes.u8()?));
        let mut words = [0; 1 << WIDEST];
        if width > WIDEST || count >= 1 << width {
            return None;
        }
        for word in words.get_mut(..count)? {
            *word = self.signed()?;
        }
        self.unpack(width, numbers)?;
        let mut places = [0u8; MAX_RECORDS];
        let places = places.get_mut(..numbers.len())?;
        let narrow = places.iter_mut().zip(&*numbers);
        narrow.for_each(|(place, number)| *place = *number as u8);
        let mut others = usize::try_from(self.bytes.varint()?).ok()?;
        if others > 0 {
            self.packed(numbers.get_mut(..others)?)?;
        }
        // From the end, so that none of the others is overwritten before it has come to its place.
        let most = (1u8 << width).wrapping_sub(1);
        for (at, place) in places.iter().enumerate().rev() {
            let number = match *place == most {
                true => {
                    others = others.checked_sub(1)?;
                    *numbers.get(others)?
                }
                false => words[usize::from(*place) & ((1 << WIDEST) - 1)],
            };
            *numbers.get_mut(at)? = number;
        }
        (others == 0).then_some(())
    }

    fn in_bytes(&mut self, numbers: &mut [i64]) -> Option<()> {
        let length = usize::try_from(self.bytes.varint()?).ok()?;
        let mut get = Get(self.bytes.bytes(length)?);
        for number in numbers {
            *number = get.varint().map(unzigzag)?;
        }
        get.0.is_empty().then_some(())
    }

    fn of_all_sizes(&mut self, numbers: &mut [i64]) -> Option<()> {
        let sizes = self.bytes.bytes(numbers.len())?;
        let bits = sizes
            .iter()
            .map(|size| u64::from(size.saturating_sub(1)))
            .sum();
        let mut bits = BitReader::new(self.take_bits(bits)?);
        for (number, size) in numbers.iter_mut().zip(sizes) {
            let below = u32::from(size.saturating_sub(1));
            if below > 63 {
                return None;
            }
            let leading = u64::from(*size > 0) << below;
            *number = unzigzag(leading | bits.get_long(below));
        }
        Some(())
    }

    /// The bytes of so many bits.
    fn take_bits(&mut self, bits: u64) -> Option<&'a [u8]> {
        let (own, rest) = self
            .bits
            .split_at_checked(usize::try_from(bits.div_ceil(8)).ok()?)?;
        self.bits = rest;
        Some(own)
    }

    /// Numbers of a width, one behind the other.
    #[inline(never)]
    fn unpack(&mut self, width: u32, numbers: &mut [i64]) -> Option<()> {
        let all = self.bits;
        self.take_bits((numbers.len() as u64).wrapping_mul(width.into()))?;
        if width == 0 {
            numbers.fill(0);
            return Some(());
        }
        let mask = u64::MAX >> (64u32.wrapping_sub(width) & 63);
        let (mut bit, step) = (0usize, width as usize);
        for number in numbers {
            let at = bit >> 3;
            let low = word(all, at) >> (bit & 7);
            // What a word that begins in the middle of a byte lacks of a long number.
            let high = if width > 57 {
                word(all, at.wrapping_add(7)) >> (bit & 7)
            } else {
                0
            };
            *number = ((low & (u64::MAX >> 8) | high << 56) & mask) as i64;
            if width <= 57 {
                *number = (low & mask) as i64;
            }
            bit = bit.wrapping_add(step);
        }
        Some(())
    }
}
