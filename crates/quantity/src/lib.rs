//! Quantities as people write and read them, for all commands, pictures and pages: one table of units, one way to round, one
//! way to count.

mod numbered;
mod read;
mod show;
mod units;

pub use numbered::{folded, gaps, rank_ranges};
pub use read::{Quantity, bytes_given, bytes_to_give, time_given};
pub use show::{bytes, count, listed, many, mb_per_s, nanos, ranges, ranks, rate, share, time};
pub use units::{BYTES, Scale, TIMES, byte_scale, count_scale, digits, joined, short, time_scale};
