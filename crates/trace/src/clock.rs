//! From clock ticks to the clock's own steps when writing, from steps to nanoseconds when reading.

/// Nanoseconds; of a time, since the start of the job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Nanos(pub i64);

/// Where `Step::new` gets a step of one tick from.
pub const TICK: u64 = 65536;

/// Counts ticks in steps: many time stamp counters advance by dozens of ticks at once, and what
/// lies between is no information, only bytes.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Half a step before step 0.
    origin: u64,
    /// Steps in 2^64 ticks; 0 where a shift says it.
    inverse: u64,
    /// The power of two of ticks that a step is.
    shift: u32,
}

impl Step {
    /// `origin` is the ticks of step 0, `step` the length of a step in 1/65536 ticks, at least one tick.
    pub const fn new(origin: u64, step: u64) -> Step {
        let step = if step < TICK { TICK } else { step };
        let is_power = step.is_power_of_two();
        let inverse = if is_power {
            0
        } else {
            quotient((TICK as u128) << 64, step) as u64
        };
        Step {
            origin: origin.wrapping_sub(step / (2 * TICK)),
            inverse,
            shift: (step / TICK).trailing_zeros(),
        }
    }

    /// The nearest step. Monotone in `ticks`, negative before the origin.
    #[inline(always)]
    pub fn steps(&self, ticks: u64) -> i64 {
        let ticks = ticks.wrapping_sub(self.origin) as i64;
        if self.inverse == 0 {
            return ticks >> (self.shift & 63);
        }
        // The signed product with the inverse as a signed number, which is 2^64 too little where that is negative.
        let high = (i128::from(ticks).wrapping_mul(i128::from(self.inverse as i64)) >> 64) as i64;
        let more = if self.inverse >> 63 != 0 { ticks } else { 0 };
        high.wrapping_add(more)
    }
}

/// One moment by three clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Anchor {
    /// The clock that stamps events.
    pub ticks: u64,
    /// CLOCK_MONOTONIC in ns.
    pub monotonic: u64,
    /// CLOCK_REALTIME in ns since 1970.
    pub realtime: u64,
}

/// How far a process' clock is from rank 0's, as measured at finalize.
///
/// A process' clock is `start.realtime + (CLOCK_MONOTONIC - start.monotonic)`, which no adjustment of the
/// time of day disturbs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offset {
    /// This process' clock minus rank 0's at the end anchor, in ns.
    pub nanos: i64,
    /// Half the round trip of the best exchange: the offset is right within this many ns.
    pub error: u64,
    /// How much faster this clock runs than rank 0's, in 10^-12; 0 where it was not measured.
    pub drift: i64,
}

/// Steps of a part to nanoseconds since 1970, by the part's anchors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    base: i64,
    scale: i64,
}

/// Binary places of `Clock::scale`: exact to 0.01 ns over an hour of 10 ns steps.
const PLACES: u32 = 44;

impl Clock {
    /// The clock of a part that says nothing of it: a step is taken for a nanosecond.
    pub const UNKNOWN: Clock = Clock {
        base: 0,
        scale: 1 << PLACES,
    };

    /// `step` in 1/65536 ticks, `rate` in ticks per second, which serves where there is no end anchor.
    pub fn new(start: Anchor, end: Option<Anchor>, rate: u64, step: u64) -> Clock {
        let (nanos, ticks) = span(start, end).unwrap_or((1_000_000_000, rate.max(1)));
        let numerator =
            (u128::from(nanos) << (PLACES - 16)).saturating_mul(u128::from(step.max(TICK)));
        let scale = quotient(numerator, ticks);
        Clock {
            base: start.realtime as i64,
            scale: scale.min(i64::MAX as u128) as i64,
        }
    }

    /// The same on rank 0's clock. `end` is the end anchor in ns since 1970 by this clock.
    #[must_use]
    pub fn corrected(self, offset: Offset, end: Nanos) -> Clock {
        let since = end.0.wrapping_sub(self.base);
        let drift = drifted(since, offset.drift);
        let slow = drifted(self.scale, offset.drift);
        Clock {
            base: self.base.wrapping_sub(offset.nanos).wrapping_add(drift),
            scale: self.scale.wrapping_sub(slow).max(1),
        }
    }

    /// Nanoseconds since 1970 at a step.
    #[inline]
    pub fn nanos(&self, steps: i64) -> Nanos {
        let scaled = i128::from(steps)
            .wrapping_mul(i128::from(self.scale))
            .wrapping_add(1 << (PLACES - 1));
        Nanos(self.base.wrapping_add((scaled >> PLACES) as i64))
    }
}

/// `v` times a drift, which is in 10^-12.
fn drifted(v: i64, drift: i64) -> i64 {
    let product = u128::from(v.unsigned_abs()).wrapping_mul(u128::from(drift.unsigned_abs()));
    let share = quotient(product, 1_000_000_000_000) as i64;
    if (v < 0) == (drift < 0) {
        share
    } else {
        share.wrapping_neg()
    }
}

/// Long division by hand: the compiler's is a library call that brings unwinding tables into the program. 0 by 0.
pub const fn quotient(numerator: u128, divisor: u64) -> u128 {
    let (mut quotient, mut rest, mut bit) = (0u128, 0u128, 128u32);
    while bit > 0 && divisor > 0 {
        bit = bit.wrapping_sub(1);
        rest = rest << 1 | (numerator >> bit & 1);
        quotient <<= 1;
        if rest >= divisor as u128 {
            rest = rest.wrapping_sub(divisor as u128);
            quotient |= 1;
        }
    }
    quotient
}

/// The least nanoseconds between two anchors that tell the rate.
const SHORTEST: u64 = 100_000;

/// What the monotonic clock and the stamping clock counted between two anchors; `None`: they say less of the rate than the
/// calibration at the start does.
pub fn span(start: Anchor, end: Option<Anchor>) -> Option<(u64, u64)> {
    let end = end?;
    let nanos = end.monotonic.checked_sub(start.monotonic)?;
    let ticks = end.ticks.checked_sub(start.ticks)?;
    if nanos < SHORTEST || ticks == 0 {
        None
    } else {
        Some((nanos, ticks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_tick_steps_are_exact() {
        let step = Step::new(1000, TICK);
        for ticks in [0, 999, 1000, 1001, u64::MAX, 1 << 63] {
            assert_eq!(step.steps(ticks), ticks.wrapping_sub(1000) as i64);
        }
    }

    #[test]
    fn a_stepping_counter_is_counted_in_steps() {
        // 24.45 ticks a step, read as whole ticks.
        let step = Step::new(7, 1_602_355);
        for n in 0..100_000u64 {
            assert_eq!(step.steps(7 + n * 2445 / 100), n as i64);
        }
    }

    #[test]
    fn division_is_division() {
        for (a, b) in [
            (0, 1),
            (1, 1),
            (u128::MAX, 1),
            (u128::MAX, u64::MAX),
            ((TICK as u128) << 64, 1_602_355),
            (99, 100),
        ] {
            assert_eq!(quotient(a, b), a / u128::from(b));
        }
        assert_eq!(
            (
                drifted(-2_000_000, 1_000_000),
                drifted(2_000_000, 1_500_000)
            ),
            (-2, 3)
        );
    }

    #[test]
    fn steps_are_rounded_and_monotone() {
        for step in [
            TICK,
            TICK + 1,
            TICK * 3 / 2,
            TICK * 2,
            1_602_355,
            TICK * 1000,
        ] {
            let counted = Step::new(1 << 40, step);
            let many = if cfg!(miri) { 3000 } else { 200_000 };
            let all = (0..many).map(|i| counted.steps((1 << 40) - 1000 + i));
            assert!(all.is_sorted(), "step {step}");
            let far = 1u64 << 50;
            let exact = (u128::from(far) << 16) / u128::from(step);
            assert!(
                counted.steps((1 << 40) + far).abs_diff(exact as i64) <= 1,
                "step {step}"
            );
            assert_eq!(counted.steps(1 << 40), 0);
        }
    }

    #[test]
    fn anchors_give_nanoseconds() {
        let start = Anchor {
            ticks: 500,
            monotonic: 10,
            realtime: 1_000_000,
        };
        let end = Anchor {
            ticks: 500 + 2_445_000_000,
            monotonic: 10 + 1_000_000_000,
            realtime: 0,
        };
        let clock = Clock::new(start, Some(end), 1, 1_602_355);
        assert_eq!(clock.nanos(0), Nanos(1_000_000));
        assert_eq!(clock.nanos(100_000_000), Nanos(1_000_000 + 999_999_875));
        assert_eq!(Clock::new(start, None, 2_445_000_000, 1_602_355), clock);
    }

    #[test]
    fn offset_and_drift_are_taken_out() {
        let clock = Clock::new(Anchor::default(), None, 1_000_000_000, TICK);
        let end = Nanos(1_000_000_000);
        let fixed = clock.corrected(
            Offset {
                nanos: 500,
                error: 0,
                drift: 1_000_000,
            },
            end,
        );
        assert_eq!(fixed.nanos(1_000_000_000), Nanos(1_000_000_000 - 500));
        assert_eq!(fixed.nanos(0), Nanos(1000 - 500));
    }
}
