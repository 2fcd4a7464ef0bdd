//! The units, and the one that suits a value.

/// Units of sizes, each 1024 times the one before.
pub const BYTES: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/// Units of time and how many nanoseconds each has. Longer times are shown in minutes and hours.
pub const TIMES: [(f64, &str); 4] = [(1.0, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s")];

/// Minutes and hours, as axes have them.
pub(crate) const LONG: [(f64, &str); 2] = [(60e9, "min"), (3600e9, "h")];

const COUNTS: [(f64, &str); 4] = [(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G")];

/// A unit: how much of the smallest it is, and its name.
pub type Scale = (f64, &'static str);

/// The unit of sizes in which this many bytes have one digit or more before the point.
pub fn byte_scale(size: f64) -> Scale {
    let units = (0..).zip(BYTES);
    pick(size, units.map(|(n, name)| (1024f64.powi(n), name)))
}

/// The same of nanoseconds; ten minutes are minutes, ten hours hours.
pub fn time_scale(size: f64) -> Scale {
    let long = LONG.iter().rev().find(|(factor, _)| size >= factor * 10.0);
    long.copied().unwrap_or_else(|| pick(size, TIMES))
}

/// The same of a number of things.
pub fn count_scale(size: f64) -> Scale {
    match size < 1e4 {
        true => COUNTS[0],
        false => pick(size, COUNTS),
    }
}

pub(crate) fn pick(size: f64, units: impl IntoIterator<Item = Scale>) -> Scale {
    let mut units = units.into_iter();
    let first = units.next().unwrap_or((1.0, ""));
    let fits = units.take_while(|(factor, _)| size >= *factor);
    fits.last().unwrap_or(first)
}

/// Three digits, without zeros that say nothing, and the unit.
pub fn short(value: f64, (factor, name): Scale) -> String {
    let text = digits(value / factor);
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    joined(text, name)
}

/// A number and its unit: `10 ms`, but `10k`, because a count has none.
pub fn joined(number: &str, unit: &str) -> String {
    match COUNTS.iter().any(|count| count.1 == unit) {
        true => format!("{number}{unit}"),
        false => format!("{number} {unit}"),
    }
}

/// Three digits at least, and no more than are known
pub fn digits(value: f64) -> String {
    let places = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.places$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_suit_their_values() {
        let time = [1.0, 999.0, 2e3, 3e9, 700e9, 40000e9].map(|ns| time_scale(ns).1);
        assert_eq!(time, ["ns", "ns", "us", "s", "min", "h"]);
        let size = [0.0, 1.0, 1024.0, 1e30].map(|bytes| byte_scale(bytes).1);
        assert_eq!(size, ["B", "B", "KiB", "EiB"]);
        assert_eq!([10.0, 2e4, 2e6].map(|n| count_scale(n).1), ["", "k", "M"]);
    }

    #[test]
    fn zeros_that_say_nothing_are_left_out() {
        let texts = [
            short(65536.0, byte_scale(65536.0)),
            short(500e6, time_scale(1e9)),
            short(20000.0, count_scale(20000.0)),
            short(7.0, count_scale(7.0)),
        ];
        assert_eq!(texts, ["64 KiB", "0.5 s", "20k", "7"]);
    }
}
