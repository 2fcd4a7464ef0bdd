//! Quantities as they are typed and shown.

use std::time::Duration;

/// `4096`, `4k`, `1m`, `2g`, `1t`, in powers of 1024; `4KiB` and `4kb` mean the same.
///
/// # Errors
/// It is no number of bytes, or one beyond 2^64.
pub fn bytes(text: &str) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let number = lower.trim_end_matches("ib").trim_end_matches('b');
    let (digits, factor) = match number.chars().last() {
        Some('k') => (&number[..number.len() - 1], 1 << 10),
        Some('m') => (&number[..number.len() - 1], 1 << 20),
        Some('g') => (&number[..number.len() - 1], 1 << 30),
        Some('t') => (&number[..number.len() - 1], 1 << 40),
        _ => (number, 1),
    };
    let value = digits.parse::<u64>().ok();
    let value = value.and_then(|value| value.checked_mul(factor));
    value.ok_or_else(|| "not a number of bytes, such as 65536, 64k, 1m or 2g".to_owned())
}

/// `10`, `1.5`, `10s`, `500ms`, `20us`, `2m`, `1h`; seconds without a unit.
///
/// # Errors
/// It is no time that is finite and not negative.
pub fn duration(text: &str) -> Result<Duration, String> {
    let at = text.find(|c: char| c.is_ascii_alphabetic());
    let (number, unit) = text.split_at(at.unwrap_or(text.len()));
    let scale = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "us" => 1e-6,
        "ns" => 1e-9,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => f64::NAN,
    };
    let seconds = number.trim().parse::<f64>().unwrap_or(f64::NAN) * scale;
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| "not a time, such as 10, 1.5s, 500ms, 20us or 2m".to_owned())
}

/// Bytes in powers of 1024, three digits.
pub fn show_bytes(n: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if n < 1024 {
        return format!("{n} B");
    }
    let (mut value, mut unit) = (n as f64 / 1024.0, 0);
    while value >= 999.5 && unit < UNITS.len() - 1 {
        value /= 1024.0;
        unit += 1;
    }
    let places = if value < 9.995 {
        2
    } else {
        usize::from(value < 99.95)
    };
    format!("{value:.places$} {}", UNITS[unit])
}

/// `1234567` as `1,234,567`.
pub fn show_count(n: u64) -> String {
    let digits = n.to_string();
    let group = |(at, digit): (usize, char)| {
        let comma = at > 0 && (digits.len() - at).is_multiple_of(3);
        comma.then_some(',').into_iter().chain([digit])
    };
    digits.chars().enumerate().flat_map(group).collect()
}

/// MB/s as the manual page has it: 2^20 bytes, by a time in nanoseconds; `None` where no time passed.
pub fn rate(bytes: u64, nanos: u64) -> Option<f64> {
    (nanos > 0).then(|| bytes as f64 / (1 << 20) as f64 / (nanos as f64 / 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_take_suffixes() {
        let texts = ["0", "65536", "64k", "64K", "1m", "2GiB", "4kb", "1t"].map(|t| bytes(t).ok());
        let expected = [0, 65536, 65536, 65536, 1 << 20, 2 << 30, 4096, 1 << 40].map(Some);
        assert_eq!(texts, expected);
        for bad in ["", "k", "-1", "1.5m", "1x", "99999999999g"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times_take_units() {
        let texts = ["10", "1.5s", "500ms", "20us", "2m", "1h"].map(|t| duration(t).unwrap());
        assert_eq!(
            texts.map(|time| time.as_micros()),
            [
                10_000_000,
                1_500_000,
                500_000,
                20,
                120_000_000,
                3_600_000_000
            ]
        );
        for bad in ["", "s", "-1", "1 day", "inf", "nan"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_are_shown_short() {
        assert_eq!(
            [0, 999, 1000, 1234567].map(show_count),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(
            [1, 1 << 20, 1023 << 20].map(show_bytes),
            ["1 B", "1.00 MiB", "1.00 GiB"]
        );
        assert_eq!(
            (rate(1 << 20, 1_000_000_000), rate(1, 0)),
            (Some(1.0), None)
        );
    }
}
