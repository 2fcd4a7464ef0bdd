//! The writing side: collects the symbols of all columns in the order in which a decoder wants them,
//! counts them, and writes the raw bits beside them.

use super::bits::{BitReader, BitWriter, Position};
use super::collected::{Counts, FULL, Symbols};
use super::model::{Key, Keys};
use super::pace::Pace;
use super::plain::{SYMBOL, note_number, note_symbol};
use super::side::Side;
use super::symbols::{column, key, main, mask};
use super::token::{TOKENS, split};
use super::told::Sink;
use super::zigzag::zigzag;
use crate::Event;

#[inline(always)]
fn symbol_of(column: usize, token: u32) -> usize {
    column.wrapping_mul(TOKENS).wrapping_add(token as usize)
}

pub struct Encoder<'a> {
    symbols: &'a mut Symbols,
    counts: &'a mut Counts,
    raw: BitWriter<'a>,
    state: State,
}

/// How far it has come.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct State {
    /// Whether the block is told in plain numbers; then `count` and all places are in bytes of notes.
    pub is_plain: bool,
    /// A note found no room.
    is_short: bool,
    count: usize,
    /// Events as expected since the last that was not, and where that is to be told.
    run: u32,
    run_at: usize,
    in_run: bool,
    main: u32,
    main_at: usize,
    rare: u32,
    rare_at: usize,
}

impl State {
    /// Nothing is told.
    pub const NEW: State = State::of(false);

    /// The same for a block in plain numbers, or not.
    pub const fn of(is_plain: bool) -> State {
        State {
            is_plain,
            is_short: false,
            count: 0,
            run: 0,
            run_at: 0,
            in_run: false,
            main: 0,
            main_at: 0,
            rare: 0,
            rare_at: 0,
        }
    }

    /// Whether there may be no room for 256 records more.
    pub fn is_full(&self) -> bool {
        self.is_plain && self.count > FULL
    }
}

impl<'a> Encoder<'a> {
    /// Goes on from a state, of which the first is `(State::NEW, Position::NEW)`.
    pub fn resume(
        symbols: &'a mut Symbols,
        counts: &'a mut Counts,
        raw: &'a mut [u8],
        (state, place): (State, Position),
    ) -> Self {
        let mut raw = BitWriter::new(raw);
        raw.go_on(place);
        Encoder {
            symbols,
            counts,
            raw,
            state,
        }
    }

    /// Number of symbols, or bytes of notes, and bytes of raw bits.
    pub fn finish(mut self) -> Option<(usize, usize)> {
        if self.state.run > 0 {
            self.end_run();
        }
        let raw = self.raw.finish()?;
        (!self.state.is_short).then_some((self.state.count, raw))
    }

    /// Events may follow that are as expected: how many, until that has to be told.
    #[inline(always)]
    pub fn begin_run(&mut self) -> usize {
        if !self.state.in_run {
            self.state.in_run = true;
            self.state.run_at = self.reserve();
        }
        mask::LONGEST.wrapping_sub(self.state.run) as usize
    }

    /// So many were as expected.
    #[inline(always)]
    pub fn lengthen_run(&mut self, events: usize) {
        self.state.run = self.state.run.wrapping_add(events as u32);
        match self.state.run {
            // None came: nothing is to be told, and nothing has been since.
            0 => (self.state.count, self.state.in_run) = (self.state.run_at, false),
            mask::LONGEST => self.end_run(),
            _ => {}
        }
    }

    /// The next event is as expected; its times follow.
    #[inline(always)]
    pub fn pass(&mut self) {
        self.state.main = 0;
        self.begin_run();
        self.lengthen_run(1);
    }

    /// The same for a while; what it comes to is to be given back.
    pub fn part(&mut self) -> Encoder<'_> {
        let (symbols, counts, raw) = (&mut *self.symbols, &mut *self.counts, self.raw.part());
        Encoder {
            symbols,
            counts,
            raw,
            state: self.state,
        }
    }

    /// What it has come to.
    pub fn state(&self) -> (State, Position) {
        (self.state, self.raw.place())
    }

    /// Goes on where another came to.
    pub fn go_on(&mut self, (state, raw): (State, Position)) {
        self.state = state;
        self.raw.go_on(raw);
    }

    /// Whether the last event was as expected, but perhaps for its offset.
    #[inline(always)]
    pub fn foretold(&self) -> bool {
        self.state.main & !(main::OFFSET | main::EXTENTS) == 0
    }

    #[inline(always)]
    fn end_run(&mut self) {
        self.set(
            self.state.run_at,
            column::MASK,
            mask::RUN.wrapping_add(self.state.run),
        );
        self.state.run = 0;
        self.state.in_run = false;
    }

    #[inline(always)]
    fn reserve(&mut self) -> usize {
        let at = self.state.count;
        let length = if self.state.is_plain { SYMBOL } else { 1 };
        self.state.count = at.wrapping_add(length);
        at
    }

    #[inline(always)]
    fn set(&mut self, at: usize, column: usize, token: u32) {
        if self.state.is_plain {
            return note_symbol(self.symbols.0.as_flattened_mut(), at, column, token);
        }
        let symbol = symbol_of(column, token);
        self.symbols.0[usize::from(at as u16)] = (symbol as u16).to_le_bytes();
        self.counts.add(symbol);
    }

    #[inline(always)]
    fn symbol(&mut self, column: usize, token: u32) {
        let at = self.reserve();
        self.set(at, column, token);
    }

    #[inline(always)]
    fn number(&mut self, column: usize, v: u64) {
        if self.state.is_plain {
            return self.plain_number(column, v);
        }
        let (token, bits, raw) = split(v);
        self.symbol(column, token);
        self.raw.put(raw, bits);
    }

    fn plain_number(&mut self, column: usize, v: u64) {
        let notes = self.symbols.0.as_flattened_mut();
        match note_number(notes, self.state.count, column, v) {
            Some(length) => self.state.count = self.state.count.wrapping_add(length),
            None => self.state.is_short = true,
        }
    }

    /// The same where it does not have to be fast, but small.
    #[cold]
    fn rare_number(&mut self, column: usize, v: u64) {
        self.number(column, v);
    }

    /// How another key than the expected one is told.
    #[cold]
    fn other_key(&mut self, keys: &Keys, expected: u8, fd: i32, actual: (u16, i32)) {
        self.state.main |= main::KEY;
        let same_op = keys.get(expected).op() == actual.0;
        match keys.find(actual.0, actual.1) {
            Some(at) => self.symbol(column::KEY, at.into()),
            None if same_op && actual.1 == fd => self.symbol(column::KEY, key::SAME_FD),
            None if same_op => {
                self.symbol(column::KEY, key::SAME_OP);
                self.rare_number(column::FD, zigzag(actual.1.into()));
            }
            None => {
                self.symbol(column::KEY, key::NEW);
                self.rare_number(column::OP, u64::from(actual.0));
                self.rare_number(column::FD, zigzag(actual.1.into()));
            }
        }
    }
}

/// What was read elsewhere, told in codes.
impl Sink for Encoder<'_> {
    fn symbol(&mut self, column: usize, symbol: u32) {
        Encoder::symbol(self, column, symbol);
    }

    fn number(&mut self, column: usize, number: u64) {
        Encoder::number(self, column, number);
    }

    fn times(&mut self, raw: &mut BitReader, bits: u32) {
        self.raw.copy(raw, bits);
    }
}

impl Side for Encoder<'_> {
    const BRANCHLESS: bool = false;

    #[inline(always)]
    fn begin(&mut self) {
        self.state.main = 0;
        self.state.main_at = self.reserve();
    }

    #[inline(always)]
    fn key(
        &mut self,
        keys: &Keys,
        expected: u8,
        fd: i32,
        actual: (u16, i32),
    ) -> Option<(u16, i32)> {
        if keys.get(expected).is(actual.0, actual.1) {
            return None;
        }
        self.other_key(keys, expected, fd, actual);
        Some(actual)
    }

    #[inline(always)]
    fn as_before(&mut self, key: &Key, e: &mut Event) -> bool {
        key.describes(e)
    }

    #[inline(always)]
    fn field(&mut self, bit: u32, column: usize, expected: i64, base: i64, actual: i64) -> i64 {
        if actual != expected {
            self.state.main |= bit;
            self.number(column, zigzag(actual.wrapping_sub(base)));
        }
        actual
    }

    #[inline(always)]
    fn offset(&mut self, expected: i64, length: u64, actual: i64) -> i64 {
        if actual != expected {
            let off = actual.wrapping_sub(expected);
            let extents = off.checked_div(length as i64).unwrap_or(0);
            if extents.wrapping_mul(length as i64) == off {
                self.state.main |= main::EXTENTS;
                self.number(column::EXTENTS, zigzag(extents));
            } else {
                self.state.main |= main::OFFSET;
                self.number(column::OFFSET, zigzag(off));
            }
        }
        actual
    }

    #[inline(always)]
    fn begin_rare(&mut self) {
        self.state.rare = 0;
        self.state.rare_at = self.reserve();
    }

    #[inline(always)]
    fn rare(&mut self, bit: u32, column: usize, expected: i64, base: i64, actual: i64) -> i64 {
        if actual != expected {
            self.state.rare |= bit;
            self.rare_number(column, zigzag(actual.wrapping_sub(base)));
        }
        actual
    }

    #[inline(always)]
    fn end_rare(&mut self) {
        if self.state.rare == 0 {
            self.state.count = self.state.rare_at;
        } else {
            self.state.main |= main::RARE;
            self.set(self.state.rare_at, column::RARE, self.state.rare);
        }
    }

    #[inline(always)]
    fn actual(&self, find: impl FnOnce() -> i64) -> i64 {
        find()
    }

    #[inline(always)]
    fn end(&mut self) {
        if self.state.main == 0 {
            // No field follows the mask, and none its run.
            self.state.count = self.state.main_at;
            self.begin_run();
            self.lengthen_run(1);
        } else {
            if self.state.run > 0 {
                self.end_run();
            }
            self.set(self.state.main_at, column::MASK, self.state.main);
        }
    }

    #[inline(always)]
    fn always(&mut self, column: usize, actual: i64) -> i64 {
        self.number(column, actual as u64);
        actual
    }

    #[inline(always)]
    fn times(&mut self, pace: &mut Pace, gap: i64, time: i64) -> (i64, i64) {
        self.raw.times(pace, gap, time);
        (gap, time)
    }

    #[inline(always)]
    fn young_times(&mut self, pace: &mut Pace, gap: i64, time: i64) -> (i64, i64) {
        self.raw.young_times(pace, gap, time);
        (gap, time)
    }
}
