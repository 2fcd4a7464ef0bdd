//! Figures in words.

use iota_analysis::stat::{ClassTimes, Spread};
use iota_quantity::{self as units, share, time};

/// What time went into
pub fn times(of: &ClassTimes) -> String {
    let kinds = [
        ("reading", of.read),
        ("writing", of.write),
        ("syncing", of.sync),
        ("metadata", of.meta),
        ("asynchronous transfers", of.wait),
    ];
    let phrases = kinds.iter().filter(|(_, time)| *time > 0);
    let phrases = phrases.map(|(kind, part)| format!("{} {kind}", share(*part, of.total)));
    format!(
        "{}: {}",
        time(of.total),
        phrases.collect::<Vec<_>>().join(", ")
    )
}

/// Bytes by time, if there was any
pub fn rate(moved: u64, time: u64, how: &str) -> String {
    let rate = units::rate(moved, time).filter(|_| moved > 0);
    rate.map_or(String::new(), |rate| format!(", {rate} {how}"))
}

/// Least, median and most, each as a share of `whole` if that is not 0
pub fn spread(of: &Spread, whole: i64, text: impl Fn(u64) -> String) -> String {
    let phrase = |value, rank: String| match (whole.max(0) as u64, &rank[..]) {
        (0, "") => text(value),
        (0, rank) => format!("{} ({rank})", text(value)),
        (whole, "") => format!("{} ({})", text(value), share(value, whole)),
        (whole, rank) => format!("{} ({}, {rank})", text(value), share(value, whole)),
    };
    let rank = |rank| format!("rank {rank}");
    format!(
        "min {}, median {}, max {}",
        phrase(of.min, rank(of.min_rank)),
        phrase(of.median, String::new()),
        phrase(of.max, rank(of.max_rank))
    )
}
