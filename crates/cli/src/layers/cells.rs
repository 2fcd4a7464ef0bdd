//! Cells of the tables.

use iota_quantity::bytes;

/// A number, or nothing to tell
pub(super) fn some(value: u64, text: impl Fn(u64) -> String) -> String {
    match value {
        0 => "-".to_owned(),
        value => text(value),
    }
}

pub(super) fn rate(value: u64) -> String {
    some(value, |value| format!("{}/s", bytes(value)))
}
