//! Events from one form into another: what is read of them is told on, as it comes.

use super::bits::BitReader;
use super::decoder::{Source, Times};
use super::pace::Pace;

/// Takes what is read of events.
pub trait Sink {
    fn symbol(&mut self, column: usize, symbol: u32);
    fn number(&mut self, column: usize, number: u64);
    /// So many bits of times, which come next in `raw`.
    fn times(&mut self, raw: &mut BitReader, bits: u32);
}

/// Reads events, and tells all that it reads.
pub struct Told<'a, 's, F, S> {
    from: F,
    /// All of its raw bits.
    raw: &'a [u8],
    to: &'s mut S,
}

impl<'a, 's, F: Source, S: Sink> Told<'a, 's, F, S> {
    pub fn new(from: F, raw: &'a [u8], to: &'s mut S) -> Self {
        Told { from, raw, to }
    }

    /// The bits go on as they are: not every writer need have said the times as ours does.
    #[inline(always)]
    fn tell_times(&mut self, read: impl FnOnce(&mut F) -> Times) -> Times {
        let before = self.from.place();
        let times = read(&mut self.from);
        let bits = self.from.place().wrapping_sub(before);
        let mut raw = BitReader::behind(self.raw, before);
        self.to.times(&mut raw, bits as u32);
        times
    }
}

impl<F: Source, S: Sink> Source for Told<'_, '_, F, S> {
    fn place(&self) -> usize {
        self.from.place()
    }

    fn symbol(&mut self, column: usize) -> u32 {
        let symbol = self.from.symbol(column);
        self.to.symbol(column, symbol);
        symbol
    }

    fn number(&mut self, column: usize) -> u64 {
        let number = self.from.number(column);
        self.to.number(column, number);
        number
    }

    fn times(&mut self, pace: &mut Pace) -> Times {
        self.tell_times(|from| from.times(pace))
    }

    fn young_times(&mut self, pace: &mut Pace) -> Times {
        self.tell_times(|from| from.young_times(pace))
    }

    fn exhausted(&self) -> bool {
        self.from.exhausted()
    }
}
