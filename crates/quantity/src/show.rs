//! Numbers as people read them.

use crate::units::{Scale, TIMES, byte_scale, digits, pick};

/// `1234567` as `1,234,567`
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What more digits than three would round up to belongs to the next unit.
const FULL: f64 = 999.5;

/// Bytes in powers of 1024, three digits
pub fn bytes(n: u64) -> String {
    match byte_scale(n as f64 * (1024.0 / FULL)) {
        (_, "B") => format!("{n} B"),
        scale => three(n as f64, scale),
    }
}

/// Nanoseconds in the unit that suits them, three digits
pub fn nanos(n: i64) -> String {
    let (size, sign) = (n.unsigned_abs() as f64, if n < 0 { "-" } else { "" });
    match pick(size * (1000.0 / FULL), TIMES) {
        (_, "ns") => format!("{n} ns"),
        _ if size >= 600e9 => format!("{sign}{}", clock((size / 1e9) as u64)),
        scale => format!("{sign}{}", three(size, scale)),
    }
}

fn three(value: f64, (factor, name): Scale) -> String {
    format!("{} {name}", digits(value / factor))
}

/// The same of a length of time
pub fn time(ns: u64) -> String {
    nanos(ns.try_into().unwrap_or(i64::MAX))
}

/// Seconds as `1:02:03`
fn clock(seconds: u64) -> String {
    format!(
        "{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// A share as a percentage
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    format!("{:.1} %", part as f64 * 100.0 / whole as f64)
}

/// Bytes in a time in nanoseconds, as a rate; `None` where no time passed
pub fn rate(n: u64, nanos: u64) -> Option<String> {
    let rate = n as f64 * 1e9 / nanos as f64;
    (nanos > 0).then(|| format!("{}/s", bytes(rate as u64)))
}

/// MB/s as users of the load generator know it: 2^20 bytes by a time in nanoseconds; `None` where no time passed
pub fn mb_per_s(n: u64, nanos: u64) -> Option<f64> {
    (nanos > 0).then(|| n as f64 / (1 << 20) as f64 / (nanos as f64 / 1e9))
}

/// Ranks: few by their numbers, `0, 2`, more by how many they are
pub fn ranks(ranks: &[u32]) -> String {
    match ranks.len() {
        0 => "-".to_owned(),
        1..=4 => {
            let numbers: Vec<String> = ranks.iter().map(u32::to_string).collect();
            numbers.join(", ")
        }
        n => many(n as u64, "rank"),
    }
}

/// Ascending numbers as ranges
pub fn ranges(numbers: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    ranges
}

/// Ranges as `0-3,7`
pub fn listed(ranges: &[(u64, u64)]) -> String {
    let texts = ranges.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    texts.collect::<Vec<_>>().join(",")
}

/// `1 rank`, `2 ranks`, `2 processes`, `2 copies`
pub fn many(n: u64, what: &str) -> String {
    format!(
        "{} {}",
        count(n),
        if n == 1 {
            what.to_owned()
        } else {
            plural(what)
        }
    )
}

fn plural(what: &str) -> String {
    match what.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if what.ends_with('s') || what.ends_with("sh") => format!("{what}es"),
        _ => format!("{what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped() {
        let texts = [0, 999, 1000, 1234567, u64::MAX].map(count);
        assert_eq!(
            texts,
            [
                "0",
                "999",
                "1,000",
                "1,234,567",
                "18,446,744,073,709,551,615"
            ]
        );
    }

    #[test]
    fn bytes_have_three_digits() {
        let texts = [0, 999, 1000, 1024, 4096, 1 << 20, 1023 << 20, u64::MAX].map(bytes);
        let expected = [
            "0 B", "999 B", "0.98 KiB", "1.00 KiB", "4.00 KiB", "1.00 MiB", "1.00 GiB", "16.0 EiB",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn times_take_their_unit() {
        let texts = [
            0,
            -7,
            999,
            1000,
            1_500_000,
            59_990_000_000,
            3_723_000_000_000,
        ]
        .map(nanos);
        assert_eq!(
            texts,
            [
                "0 ns", "-7 ns", "999 ns", "1.00 us", "1.50 ms", "60.0 s", "1:02:03"
            ]
        );
    }

    #[test]
    fn few_ranks_are_listed_by_number() {
        let texts = [&[][..], &[3], &[0, 1, 2, 5], &[0, 1, 2, 3, 4]].map(ranks);
        assert_eq!(texts, ["-", "3", "0, 1, 2, 5", "5 ranks"]);
        assert_eq!(time(u64::MAX), nanos(i64::MAX));
    }

    #[test]
    fn rates_are_bytes_a_second() {
        let second = 1_000_000_000;
        assert_eq!(rate(1 << 21, 2 * second).as_deref(), Some("1.00 MiB/s"));
        assert_eq!(rate(1, 0), None);
    }

    #[test]
    fn one_is_singular() {
        let counts = [
            (1, "rank"),
            (0, "rank"),
            (2, "process"),
            (1000, "copy"),
            (2, "day"),
        ];
        let texts = counts.map(|(n, what)| many(n, what));
        let expected = ["1 rank", "0 ranks", "2 processes", "1,000 copies", "2 days"];
        assert_eq!(texts, expected);
    }
}
