//! Quantities as people read them.

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

/// Bytes in powers of 1024, three digits
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let (mut value, mut unit) = (n as f64, 0);
    while value >= 999.5 && unit < UNITS.len() - 1 {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{n} B")
    } else {
        format!("{} {}", digits(value), UNITS[unit])
    }
}

/// Nanoseconds in the unit that suits them, three digits
pub fn nanos(n: i64) -> String {
    let size = n.unsigned_abs() as f64;
    let sign = if n < 0 { "-" } else { "" };
    let (value, unit) = match size {
        s if s < 999.5 => return format!("{n} ns"),
        s if s < 999.5e3 => (s / 1e3, "us"),
        s if s < 999.5e6 => (s / 1e6, "ms"),
        s if s < 600e9 => (s / 1e9, "s"),
        s => return format!("{sign}{}", clock((s / 1e9) as u64)),
    };
    format!("{sign}{} {unit}", digits(value))
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

/// Three digits at least, and no more than are known
pub fn digits(value: f64) -> String {
    let places = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.places$}")
}

/// A share as a percentage
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    format!("{:.1} %", part as f64 * 100.0 / whole as f64)
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

/// `1 rank`, `2 ranks`
pub fn many(n: u64, what: &str) -> String {
    let plural = match n {
        1 => "",
        _ if what.ends_with('s') => "es",
        _ => "s",
    };
    format!("{} {what}{plural}", count(n))
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
    fn few_ranks_are_told_by_number() {
        let texts = [&[][..], &[3], &[0, 1, 2, 5], &[0, 1, 2, 3, 4]].map(ranks);
        assert_eq!(texts, ["-", "3", "0, 1, 2, 5", "5 ranks"]);
        assert_eq!(time(u64::MAX), nanos(i64::MAX));
    }

    #[test]
    fn one_is_singular() {
        let texts = [many(1, "rank"), many(0, "rank"), many(2, "process")];
        assert_eq!(texts, ["1 rank", "0 ranks", "2 processes"]);
    }
}
