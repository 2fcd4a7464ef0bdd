//! Axes: what stands at which places, in units that people read.

use iota_quantity::{Scale, byte_scale, count_scale, joined, short, time_scale};

/// What is measured along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Time,
    /// Bytes, in powers of 1024.
    Bytes,
    /// Bytes a second.
    Rate,
    /// A number of something.
    Count,
    /// Numbers that are names: ranks, OSTs.
    Index,
    /// Shares from 0 to 1.
    Share,
}

/// An axis from `from` to `to`.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The text beside the axis.
    pub label: String,
    /// What it measures.
    pub unit: Unit,
    /// The value at its beginning.
    pub from: f64,
    /// The value at its end.
    pub to: f64,
    /// Whether equal steps are equal factors.
    pub is_log: bool,
    /// Whether values and label are written.
    pub is_labelled: bool,
    /// Whether an upright axis goes down.
    pub is_down: bool,
    /// What stands at its values, where these are no numbers.
    pub names: Vec<Tick>,
}

/// A value and how it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where.
    pub value: f64,
    /// What.
    pub text: String,
}

impl Axis {
    /// A linear axis; one without any length gets some.
    pub fn new(label: impl Into<String>, unit: Unit, from: f64, to: f64) -> Axis {
        let to = if to > from { to } else { from + 1.0 };
        Axis {
            label: label.into(),
            unit,
            from,
            to,
            is_log: false,
            is_labelled: true,
            is_down: false,
            names: Vec::new(),
        }
    }

    /// The same with names in the place of numbers.
    #[must_use]
    pub fn named(self, names: impl Iterator<Item = (f64, String)>) -> Axis {
        let names = names.map(|(value, text)| Tick { value, text });
        Axis {
            names: names.collect(),
            ..self
        }
    }

    /// A logarithmic one.
    pub fn log(label: impl Into<String>, unit: Unit, from: f64, to: f64) -> Axis {
        let from = from.max(f64::MIN_POSITIVE);
        Axis {
            is_log: true,
            ..Axis::new(label, unit, from, to.max(from * 2.0))
        }
    }

    /// The same without values and label.
    #[must_use]
    pub fn silent(self) -> Axis {
        Axis {
            is_labelled: false,
            ..self
        }
    }

    /// The same upside down.
    #[must_use]
    pub fn down(self) -> Axis {
        Axis {
            is_down: true,
            ..self
        }
    }

    /// Where a value lies, from 0 to 1.
    pub fn place(&self, value: f64) -> f64 {
        let share = self.share(value);
        if self.is_down { 1.0 - share } else { share }
    }

    fn share(&self, value: f64) -> f64 {
        let share = if self.is_log {
            (value.max(self.from) / self.from).ln() / (self.to / self.from).ln()
        } else {
            (value - self.from) / (self.to - self.from)
        };
        share.clamp(0.0, 1.0)
    }

    /// Some `about` values at round places.
    pub fn ticks(&self, about: usize) -> Vec<Tick> {
        if !self.names.is_empty() {
            let each = self.names.len().div_ceil(about.max(2));
            return self.names.iter().step_by(each).cloned().collect();
        }
        if self.is_log {
            return self.log_ticks(about);
        }
        let mut step = self.step(about.max(2));
        if matches!(self.unit, Unit::Index | Unit::Count) {
            step = step.max(1.0);
        }
        let (first, last) = ((self.from / step).ceil(), (self.to / step).floor());
        let count = (last - first).clamp(0.0, 1000.0) as u64;
        let values = (0..=count).map(|n| (first + n as f64) * step);
        values.map(|value| self.tick(value, step)).collect()
    }

    fn tick(&self, value: f64, step: f64) -> Tick {
        let text = match self.unit {
            Unit::Time => scaled(value, step, time_scale(self.to), ""),
            // Not 0.06 MiB, but 64 KiB.
            Unit::Bytes => scaled(value, step, byte_scale(self.to.min(step * 4096.0)), ""),
            Unit::Rate => scaled(value, step, byte_scale(self.to.min(step * 4096.0)), "/s"),
            Unit::Count => scaled(value, step, count_scale(self.to), ""),
            Unit::Index => format!("{value:.0}"),
            Unit::Share => format!("{:.0} %", value * 100.0),
        };
        Tick { value, text }
    }

    /// A round step.
    fn step(&self, about: usize) -> f64 {
        let raw = (self.to - self.from) / about as f64;
        let (unit, steps): (f64, &[f64]) = match self.unit {
            Unit::Bytes | Unit::Rate => {
                let unit = 1024f64.powf(raw.log2().div_euclid(10.0)).max(1.0);
                return unit * round(raw / unit);
            }
            _ => (10f64.powf(raw.log10().floor()), &[1.0, 2.0, 5.0, 10.0]),
        };
        let fits = steps.iter().find(|step| **step * unit >= raw * 0.999);
        fits.map_or(raw, |step| step * unit)
    }

    fn log_ticks(&self, about: usize) -> Vec<Tick> {
        let base: f64 = match self.unit {
            Unit::Bytes | Unit::Rate => 2.0,
            _ => 10.0,
        };
        let (from, to) = (self.from.log(base), self.to.log(base));
        let mut every = ((to - from) / about.max(2) as f64).ceil().max(1.0);
        if base == 2.0 && every > 3.0 {
            every = (every / 5.0).ceil() * 5.0;
        }
        let first = ((from - 1e-9) / every).floor();
        let count = ((to / every + 1e-9).floor() - first).clamp(-1.0, 100.0) as i64;
        let powers = (0..=count).map(|n| base.powf((first + n as f64) * every));
        // Few decades have room for what lies between.
        let between: &[f64] = match base {
            10.0 if (to - from) * 3.0 <= about as f64 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let values = powers.flat_map(|power| between.iter().map(move |times| power * times));
        let (least, most) = (self.from * 0.999, self.to * 1.001);
        let values = values.filter(move |value| (least..=most).contains(value));
        let text = |value| match self.unit {
            Unit::Bytes => bytes(value),
            Unit::Rate => format!("{}/s", bytes(value)),
            Unit::Time => time(value),
            _ => plain(value),
        };
        values
            .map(|value| Tick {
                value,
                text: text(value),
            })
            .collect()
    }
}

/// The power of two at or above, of what is less than 1024.
fn round(value: f64) -> f64 {
    2f64.powf((value * 0.999).log2().ceil().max(0.0))
}

fn scaled(value: f64, step: f64, (factor, unit): Scale, per: &str) -> String {
    let places = (-(step / factor * 1.0001).log10().floor()).clamp(0.0, 9.0) as usize;
    // A step of 0.25 has one place more than its magnitude says.
    let exact = |places: &usize| {
        let scale = 10f64.powi(*places as i32) * step / factor;
        (scale - scale.round()).abs() < 1e-6
    };
    let places = (places..places + 3).find(exact).unwrap_or(places);
    let number = format!("{:.places$}", value / factor);
    match value == 0.0 {
        true => "0".to_owned(),
        false => joined(&number, unit) + per,
    }
}

/// Bytes in three digits at most.
pub fn bytes(value: f64) -> String {
    short(value, byte_scale(value * ROUNDED))
}

/// Nanoseconds in three digits at most.
pub fn time(value: f64) -> String {
    short(value, time_scale(value * ROUNDED))
}

fn plain(value: f64) -> String {
    short(value, count_scale(value))
}

/// What more digits would round up to the next unit belongs to that.
const ROUNDED: f64 = 1.0005;

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis, about: usize) -> Vec<String> {
        axis.ticks(about)
            .into_iter()
            .map(|tick| tick.text)
            .collect()
    }

    #[test]
    fn ticks_are_round() {
        let axis = |unit, to| Axis::new("", unit, 0.0, to);
        assert_eq!(texts(&axis(Unit::Time, 1.1e9), 4), ["0", "0.5 s", "1.0 s"]);
        assert_eq!(
            texts(&axis(Unit::Bytes, 1e6), 4),
            ["0", "256 KiB", "512 KiB", "768 KiB"]
        );
        assert_eq!(texts(&axis(Unit::Index, 2.0), 8), ["0", "1", "2"]);
        assert_eq!(texts(&axis(Unit::Count, 25000.0), 3), ["0", "10k", "20k"]);
        assert_eq!(texts(&axis(Unit::Share, 1.0), 4), ["0 %", "50 %", "100 %"]);
    }

    #[test]
    fn log_ticks_are_powers() {
        let times = Axis::log("", Unit::Time, 100.0, 1e9);
        assert_eq!(
            texts(&times, 8),
            [
                "100 ns", "1 us", "10 us", "100 us", "1 ms", "10 ms", "100 ms", "1 s"
            ]
        );
        let bytes = Axis::log("", Unit::Bytes, 1.0, (1u64 << 30) as f64);
        assert_eq!(
            texts(&bytes, 6),
            ["1 B", "32 B", "1 KiB", "32 KiB", "1 MiB", "32 MiB", "1 GiB"]
        );
    }

    #[test]
    fn no_range_is_too_odd_for_ticks() {
        for to in [0.0, 1e-9, 1.0, 7.0, 1e18, 2e19] {
            for unit in [
                Unit::Time,
                Unit::Bytes,
                Unit::Rate,
                Unit::Count,
                Unit::Index,
            ] {
                assert!(
                    Axis::new("", unit, 0.0, to).ticks(5).len() < 20,
                    "{unit:?} {to}"
                );
                assert!(
                    Axis::log("", unit, 1.0, to).ticks(5).len() < 20,
                    "{unit:?} {to}"
                );
            }
        }
    }
}
