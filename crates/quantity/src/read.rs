//! Numbers with units, as people give them.

use crate::units::{BYTES, LONG, TIMES};
use std::time::Duration;

/// What a number counts, which says what its units are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Plain numbers.
    Count,
    /// Bytes: `k`, `m`, `g`, `t` are powers of 1024, with `i`, `b` or `ib` behind them or not.
    Bytes,
    /// Time: `ns`, `us`, `ms`, `s`, `min`, `h`; seconds without one.
    Time,
}

impl Quantity {
    /// The number that a text stands for, in bytes or nanoseconds.
    pub fn read(self, text: &str) -> Option<i64> {
        let text = text.trim().to_ascii_lowercase();
        let digits = text
            .find(|c: char| !(c.is_ascii_digit() || ".-+_".contains(c)))
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        scaled(&number.replace('_', ""), self.unit(unit.trim())?)
    }

    fn unit(self, unit: &str) -> Option<i64> {
        match self {
            Quantity::Count => unit.is_empty().then_some(1),
            Quantity::Time => time_unit(unit),
            Quantity::Bytes => byte_unit(unit),
        }
    }

    /// What to write, for somebody who wrote something else.
    pub fn example(self) -> &'static str {
        match self {
            Quantity::Count => "a number",
            Quantity::Bytes => "a number of bytes, as 4096, 64k or 1m",
            Quantity::Time => "a time, as 2.5 (seconds), 10ms or 3min",
        }
    }
}

fn time_unit(unit: &str) -> Option<i64> {
    let unit = match unit {
        "" => "s",
        "m" => "min",
        "\u{b5}s" | "\u{3bc}s" => "us",
        unit => unit,
    };
    let known = TIMES.iter().chain(&LONG).find(|known| known.1 == unit);
    known.map(|(nanos, _)| *nanos as i64)
}

fn byte_unit(unit: &str) -> Option<i64> {
    let plain = unit
        .strip_suffix("ib")
        .or(unit.strip_suffix('b'))
        .or(unit.strip_suffix('i'))
        .unwrap_or(unit);
    let is = |name: &&str| name.trim_end_matches("iB").eq_ignore_ascii_case(plain);
    match plain {
        "" => Some(1),
        _ => BYTES[1..]
            .iter()
            .position(is)
            .map(|at| 1 << (10 * (at + 1))),
    }
}

/// Bytes as [`Quantity::Bytes`] reads them, in as few letters as there are.
pub fn bytes_to_give(bytes: u64) -> String {
    let fits = |power: &u32| bytes > 0 && bytes.is_multiple_of(1 << (10 * power));
    match (1..BYTES.len() as u32).rev().find(fits) {
        Some(power) => {
            let unit = &BYTES[power as usize][..1];
            format!("{}{}", bytes >> (10 * power), unit.to_ascii_lowercase())
        }
        None => bytes.to_string(),
    }
}

/// Whole numbers exactly; of others what a double holds.
fn scaled(number: &str, unit: i64) -> Option<i64> {
    if let Ok(whole) = number.parse::<i64>() {
        return whole.checked_mul(unit);
    }
    let scaled = number.parse::<f64>().ok()? * unit as f64;
    (scaled.is_finite() && scaled.abs() < i64::MAX as f64).then_some(scaled.round() as i64)
}

/// Bytes as an option takes them.
///
/// # Errors
/// It is no number of bytes, or a negative one.
pub fn bytes_given(text: &str) -> Result<u64, String> {
    given(Quantity::Bytes, text)
}

/// A length of time as an option takes it.
///
/// # Errors
/// It is no time, or a negative one.
pub fn time_given(text: &str) -> Result<Duration, String> {
    given(Quantity::Time, text).map(Duration::from_nanos)
}

fn given(what: Quantity, text: &str) -> Result<u64, String> {
    let number = what.read(text).and_then(|number| number.try_into().ok());
    number.ok_or_else(|| format!("not {}", what.example()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_taken() {
        let texts = ["0", "1_000", "4k", "4KiB", "1.5m", "2GB", "-1", "1t", "2e"];
        let expected = [0, 1000, 4096, 4096, 3 << 19, 2 << 30, -1, 1 << 40, 2 << 60];
        assert_eq!(
            texts.map(|text| Quantity::Bytes.read(text)),
            expected.map(Some)
        );
        let texts = [
            "1", "0.5", "10ms", "3 us", "3\u{b5}s", "7ns", "2min", "2m", "1h",
        ];
        let expected = [
            1_000_000_000,
            500_000_000,
            10_000_000,
            3_000,
            3_000,
            7,
            120_000_000_000,
            120_000_000_000,
            3_600_000_000_000,
        ];
        assert_eq!(
            texts.map(|text| Quantity::Time.read(text)),
            expected.map(Some)
        );
    }

    #[test]
    fn what_is_to_be_given_is_read_again() {
        let sizes = [0, 1, 1000, 65_536, 5 << 20, 1 << 40];
        let texts = ["0", "1", "1000", "64k", "5m", "1t"];
        assert_eq!(sizes.map(bytes_to_give), texts);
        assert_eq!(texts.map(bytes_given), sizes.map(Ok));
    }

    #[test]
    fn other_things_are_refused() {
        for text in ["", "k", "1x", "1kk", "--1", "9999999t", "1e5", "nan", "inf"] {
            assert_eq!(Quantity::Bytes.read(text), None, "{text}");
        }
        assert_eq!(Quantity::Count.read("1k"), None);
        for text in ["-1", "", "99999999999g"] {
            assert!(bytes_given(text).is_err(), "{text}");
            assert!(time_given(&format!("{text} day")).is_err(), "{text}");
        }
        assert_eq!(time_given("1.5s"), Ok(Duration::from_millis(1500)));
    }
}
