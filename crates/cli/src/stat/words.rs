//! Figures in words.

use iota_analysis::stat::Spread;
use iota_quantity::{self as units, share};

/// Bytes by time, if there was any
pub fn rate(moved: u64, time: u64, how: &str) -> String {
    let rate = units::rate(moved, time).filter(|_| moved > 0);
    rate.map_or(String::new(), |rate| format!(", {rate} {how}"))
}

/// Least, median and most, each as a share of `whole` if that is not 0
pub fn spread(of: &Spread, whole: i64, text: impl Fn(u64) -> String) -> String {
    let phrase = |value, task: &str| match (whole.max(0) as u64, task) {
        (0, "") => text(value),
        (0, task) => format!("{} ({task})", text(value)),
        (whole, "") => format!("{} ({})", text(value), share(value, whole)),
        (whole, task) => format!("{} ({}, {task})", text(value), share(value, whole)),
    };
    format!(
        "min {}, median {}, max {}",
        phrase(of.min, &of.min_of),
        phrase(of.median, ""),
        phrase(of.max, &of.max_of)
    )
}
