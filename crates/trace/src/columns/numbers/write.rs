//! Numbers to columns: each in the form in which it is short.

use super::dictionary::Dictionary;
use super::form;
use super::survey::{SAMPLE, Sizes, ValueRange};
use crate::bytes::Put;
use crate::columns::bits::{BitWriter, low};
use crate::columns::zigzag::zigzag;

/// Where columns go: bytes, in which compression may find something, and bits, in which it does not.
pub struct ColumnWriter<'a> {
    pub bytes: Put<'a>,
    pub bits: BitWriter<'a>,
    /// Room to work in.
    pub words: &'a mut Dictionary,
}

impl ColumnWriter<'_> {
    pub fn signed(&mut self, number: i64) {
        self.bytes.varint(zigzag(number));
    }

    /// Writes a column, in whatever form is short. The numbers may be changed meanwhile.
    pub fn column(&mut self, numbers: &mut [i64]) {
        if self.is_constant(numbers) {
            return;
        }
        if let [first, second, others @ ..] = numbers
            && others.iter().all(|number| number == second)
        {
            return self.constant(*first, *second);
        }
        let (own, apart) = (
            ValueRange::of(numbers.iter().copied()),
            ValueRange::of(differences(numbers)),
        );
        if apart.bits().wrapping_add(1) >= own.bits() {
            return self.noise(numbers, &own);
        }
        let first = first(numbers);
        if apart.bits() == 0 {
            self.bytes.u8(form::DIFFERENCES | form::CONSTANT);
            self.signed(first);
            return self.signed(apart.least);
        }
        self.bytes.u8(form::DIFFERENCES | form::PACKED);
        self.signed(first);
        subtract_each(numbers);
        self.packed(numbers.get_mut(1..).unwrap_or_default(), &apart);
    }

    /// Writes a column whose numbers are the same but perhaps for the first.
    pub fn constant(&mut self, first: i64, others: i64) {
        let form = match others {
            0 => form::ZERO,
            _ => form::CONSTANT,
        };
        if first == others {
            self.bytes.u8(form);
        } else {
            self.bytes.u8(form::FIRST | form);
            self.signed(first);
        }
        if others != 0 {
            self.signed(others);
        }
    }

    /// Writes a column of times: noise, of which nothing but its size is looked at.
    pub fn times(&mut self, numbers: &mut [i64]) {
        let range = ValueRange::of(numbers.iter().copied());
        match range.least == range.most {
            true => self.constant(range.least, range.least),
            false => self.noise(numbers, &range),
        }
    }

    fn noise(&mut self, numbers: &mut [i64], range: &ValueRange) {
        if numbers.len() < SAMPLE / 4 || range.bits() < 2 || !self.dictionary(numbers, range) {
            self.bytes.u8(form::PACKED);
            self.packed(numbers, range);
        }
    }

    /// Writes a column as bytes.
    pub fn column_in_bytes(&mut self, numbers: &[i64]) {
        if self.is_constant(numbers) {
            return;
        }
        self.bytes.u8(form::BYTES);
        let length = numbers.iter().fold(0usize, |all, number| {
            all.wrapping_add(varint_length(zigzag(*number)))
        });
        self.bytes.varint(length as u64);
        numbers.iter().for_each(|number| self.signed(*number));
    }

    /// Writes a column of times that have all sizes.
    pub fn times_of_all_sizes(&mut self, numbers: &[i64]) {
        if self.is_constant(numbers) {
            return;
        }
        self.bytes.u8(form::SIZES);
        for number in numbers {
            let number = zigzag(*number);
            let size = 64u32.wrapping_sub(number.leading_zeros());
            self.bytes.u8(size as u8);
            let below = size.saturating_sub(1);
            self.bits.put(low(number, below), below);
        }
        self.bits.fill_byte();
    }

    /// Writes a column whose numbers are all the same.
    fn is_constant(&mut self, numbers: &[i64]) -> bool {
        let first = first(numbers);
        if numbers
            .iter()
            .fold(0, |apart, number| apart | (number ^ first))
            != 0
        {
            return false;
        }
        self.constant(first, first);
        true
    }

    /// Numbers above a base, each in so many bits, and the places and high bits of those that have more.
    fn packed(&mut self, numbers: &mut [i64], range: &ValueRange) {
        let base = range.base(numbers.len());
        let mut any = 0u64;
        for number in &mut *numbers {
            *number = number.wrapping_sub(base);
            any |= *number as u64;
        }
        let shift = any.trailing_zeros() & 63;
        let greatest = 64u32
            .wrapping_sub(any.leading_zeros())
            .saturating_sub(shift);
        let width = Sizes::of(numbers).best_width(shift, greatest);
        let is_above = |number: &&i64| **number as u64 >> shift >> (width & 63) != 0 && width < 64;
        let exceptions = match width < greatest {
            true => numbers.iter().filter(is_above).count(),
            false => 0,
        };
        self.signed(base);
        self.bytes.u8(shift as u8);
        self.bytes.u8(width as u8);
        self.bytes.varint(exceptions as u64);
        if exceptions > 0 {
            self.exceptions(numbers, shift, width);
        }
        self.put_each(numbers, shift, width);
    }

    #[inline(never)]
    fn put_each(&mut self, numbers: &[i64], shift: u32, width: u32) {
        let mut bits = self.bits.part();
        if width > 32 {
            for number in numbers {
                let number = *number as u64 >> shift;
                bits.put(low(number, 32), 32);
                bits.put(
                    low_of_all(number >> 32, width.wrapping_sub(32)),
                    width.wrapping_sub(32),
                );
            }
        } else {
            for number in numbers {
                bits.put(low(*number as u64 >> shift, width), width);
            }
        }
        bits.fill_byte();
        let place = bits.place();
        self.bits.go_on(place);
    }

    /// Writes a column by the places of its most frequent numbers in a dictionary; the others are exceptions, as above.
    fn dictionary(&mut self, numbers: &mut [i64], range: &ValueRange) -> bool {
        if self.words.find(numbers, range).is_none() {
            return false;
        }
        let (width, count) = (self.words.width, self.words.count);
        self.bytes.u8(form::DICTIONARY);
        self.bytes.u8(width as u8);
        self.bytes.u8(count as u8);
        for place in 0..count {
            self.signed(self.words.at(place));
        }
        let exceptions = self.put_places(numbers);
        self.bytes.varint(exceptions as u64);
        if exceptions > 0 {
            let exceptions = numbers.get_mut(..exceptions).unwrap_or_default();
            let range = ValueRange::of(exceptions.iter().copied());
            self.packed(exceptions, &range);
        }
        true
    }

    /// Writes the places of numbers. Those that have none are the first of them then; returns how many these are.
    #[inline(never)]
    fn put_places(&mut self, numbers: &mut [i64]) -> usize {
        let (mut bits, words) = (self.bits.part(), &*self.words);
        let width = words.width;
        let (most, mut exceptions) = (low(u64::MAX, width), 0usize);
        for at in 0..numbers.len() {
            let number = numbers.get(at).copied().unwrap_or(0);
            let place = words.place(number);
            bits.put(place, width);
            if place == most {
                if let Some(place) = numbers.get_mut(exceptions) {
                    *place = number;
                }
                exceptions = exceptions.wrapping_add(1);
            }
        }
        bits.fill_byte();
        let place = bits.place();
        self.bits.go_on(place);
        exceptions
    }

    /// What is above the width: how far each is from the one before, and its high bits.
    #[cold]
    #[inline(never)]
    fn exceptions(&mut self, numbers: &[i64], shift: u32, width: u32) {
        let mut next = 0;
        for (at, number) in (0u64..).zip(numbers) {
            let high = *number as u64 >> shift >> width;
            if high > 0 {
                self.bytes.varint(at.wrapping_sub(next));
                self.bytes.varint(high);
                next = at.wrapping_add(1);
            }
        }
    }
}

fn first(numbers: &[i64]) -> i64 {
    numbers.first().copied().unwrap_or(0)
}

fn differences(numbers: &[i64]) -> impl Iterator<Item = i64> {
    let next = numbers.iter().skip(1);
    numbers.iter().zip(next).map(|(a, b)| b.wrapping_sub(*a))
}

/// Each number but the first becomes its difference from the one before.
fn subtract_each(numbers: &mut [i64]) {
    let mut before = 0;
    for number in numbers {
        (*number, before) = (number.wrapping_sub(before), *number);
    }
}

/// How many bytes a varint has.
fn varint_length(number: u64) -> usize {
    let bits = 64u32.wrapping_sub((number | 1).leading_zeros());
    (bits.wrapping_add(6) / 7) as usize
}

/// The low bits of a number that may be all.
fn low_of_all(number: u64, bits: u32) -> u64 {
    if bits >= 64 {
        number
    } else {
        low(number, bits)
    }
}
