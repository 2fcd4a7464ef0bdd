//! Numbers with units, as people give them.

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

const BYTES: [(&str, i64); 5] = [
    ("", 1),
    ("k", 1 << 10),
    ("m", 1 << 20),
    ("g", 1 << 30),
    ("t", 1 << 40),
];
const TIMES: [(&str, i64); 8] = [
    ("", 1_000_000_000),
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

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
        let find = |units: &[(&str, i64)], unit: &str| {
            units
                .iter()
                .find(|known| known.0 == unit)
                .map(|known| known.1)
        };
        match self {
            Quantity::Count => find(&[("", 1)], unit),
            Quantity::Time => find(&TIMES, unit),
            Quantity::Bytes => {
                let plain = unit
                    .strip_suffix("ib")
                    .or(unit.strip_suffix('b'))
                    .or(unit.strip_suffix('i'));
                find(&BYTES, plain.unwrap_or(unit))
            }
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

/// Whole numbers exactly; of others what a double holds.
fn scaled(number: &str, unit: i64) -> Option<i64> {
    if let Ok(whole) = number.parse::<i64>() {
        return whole.checked_mul(unit);
    }
    let scaled = number.parse::<f64>().ok()? * unit as f64;
    (scaled.is_finite() && scaled.abs() < i64::MAX as f64).then_some(scaled.round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_taken() {
        let bytes = ["0", "1_000", "4k", "4KiB", "1.5m", "2GB", "-1"]
            .map(|text| Quantity::Bytes.read(text));
        assert_eq!(bytes, [0, 1000, 4096, 4096, 3 << 19, 2 << 30, -1].map(Some));
        let times =
            ["1", "0.5", "10ms", "3 us", "7ns", "2min", "1h"].map(|text| Quantity::Time.read(text));
        let expected = [
            1_000_000_000,
            500_000_000,
            10_000_000,
            3_000,
            7,
            120_000_000_000,
            3_600_000_000_000,
        ];
        assert_eq!(times, expected.map(Some));
    }

    #[test]
    fn other_things_are_refused() {
        for text in ["", "k", "1x", "1kk", "--1", "9999999t", "1e5", "nan", "inf"] {
            assert_eq!(Quantity::Bytes.read(text), None, "{text}");
        }
        assert_eq!(Quantity::Count.read("1k"), None);
    }
}
