//! What figures must reach before they are a finding: one table, which docs/STAT.md shows and `--threshold` changes.

use iota_quantity::{Quantity, bytes, count, time};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A part of a whole, in hundredths of a percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part(u32);

/// So many times, in hundredths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times(u32);

/// A number of things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count(u64);

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bytes(u64);

/// A length of time, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Time(u64);

/// What can be given as a threshold.
trait Value: Sized + fmt::Display {
    /// What to write, for somebody who wrote something else.
    const EXAMPLE: &'static str;
    fn read(text: &str) -> Option<Self>;
}

/// A threshold that a text could not be read as.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ThresholdFault {
    /// Not of the form NAME=VALUE.
    #[error("expected NAME=VALUE, as in small-bytes=1m")]
    Form,
    /// There is none of this name.
    #[error("there is no threshold `{name}`; the thresholds are {}", names())]
    Name {
        /// What was given.
        name: String,
    },
    /// It is no value of this threshold.
    #[error("{name} is {example}")]
    Value {
        /// The threshold.
        name: &'static str,
        /// What could be given.
        example: &'static str,
    },
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// As it is given.
    pub name: &'static str,
    /// Unless another is given.
    pub default: String,
    /// The findings that depend on it.
    pub findings: &'static str,
    /// What must reach it.
    pub meaning: &'static str,
}

macro_rules! thresholds {
    ($($field:ident $name:literal: $kind:ident = $default:literal, $findings:literal, $meaning:literal;)*) => {
        /// All thresholds.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Thresholds {
            $(#[doc = $meaning] pub $field: $kind,)*
        }

        impl Default for Thresholds {
            fn default() -> Thresholds {
                Thresholds { $($field: $kind($default),)* }
            }
        }

        impl Thresholds {
            /// The table.
            pub fn rows() -> Vec<Threshold> {
                vec![$(Threshold {
                    name: $name,
                    default: $kind($default).to_string(),
                    findings: $findings,
                    meaning: $meaning,
                },)*]
            }

            /// Sets one, as `NAME=VALUE` has it.
            ///
            /// # Errors
            /// There is none of this name, or the value is not one that it can have.
            pub fn set(&mut self, text: &str) -> Result<(), ThresholdFault> {
                let (name, value) = text.split_once('=').ok_or(ThresholdFault::Form)?;
                match name.trim() {
                    $($name => self.$field = read($name, value)?,)*
                    name => return Err(ThresholdFault::Name { name: name.to_owned() }),
                }
                Ok(())
            }
        }
    };
}

// Parts are in hundredths of a percent, times in hundredths.
thresholds! {
    worth "worth": Part = 200, "all", "cost, as a part of the run, or, with --where, of the time of these calls";
    few "few-calls": Count = 100, "small-reads, small-writes, random-reads, random-writes, unaligned-writes, rereads, rewrites, metadata, failed-lookups, unused-opens, idle-seeks, stall, small-chunks, grown-by-record", "calls that the finding is about";
    small_bytes "small-bytes": Bytes = 65_536, "small-reads, small-writes, small-chunks, independent-metadata", "a transfer or a chunk of fewer bytes is small";
    small "small-share": Part = 1_000, "small-reads, small-writes", "small transfers";
    random "random-share": Part = 2_000, "random-reads, random-writes", "random transfers";
    unaligned "unaligned-share": Part = 5_000, "unaligned-writes", "unaligned writes";
    aligned "aligned-bytes": Bytes = 4_096, "unaligned-writes", "an offset that is not a multiple of it is unaligned";
    again "again-times": Times = 150, "rereads, rewrites", "how often each byte is moved on average";
    metadata "metadata-share": Part = 2_000, "metadata", "metadata, of the time in calls of descriptors and streams";
    lookups "lookups-share": Part = 2_000, "failed-lookups", "lookups that find nothing, of the metadata calls";
    opens "again-opens": Count = 10, "repeated-opens, open-per-access", "opens of a file that the process had opened before";
    accesses "open-accesses": Times = 200, "open-per-access", "transfers for each open, at most";
    unused "unused-share": Part = 2_000, "unused-opens", "opens of files with which nothing is done, of all opens";
    crowd "directory-files": Count = 10_000, "crowded-directory", "files of a directory that are opened";
    seeks "idle-share": Part = 1_000, "idle-seeks", "idle seeks";
    sync "sync-share": Part = 1_000, "sync", "syncing, of the time in calls of descriptors and streams";
    imbalance "imbalance": Times = 1_50, "imbalance, node-imbalance", "time of a rank, as a multiple of the mean; of the ranks of a node, as a multiple of that of the others";
    one_rank "one-rank-share": Part = 9_000, "one-rank", "bytes of one rank";
    stall "stall-times": Times = 10_000, "stall", "time of a call, as a multiple of the 99th percentile";
    stall_time "stall-time": Time = 1_000_000, "stall", "time of a call";
    phases "few-phases": Count = 4, "slow-phases", "phases of reading or of writing";
    slow_phase "phase-times": Times = 200, "slow-phases", "time of a phase for its bytes, as a multiple of the median";
    phase_time "phase-time": Time = 100_000_000, "slow-phases", "what slow phases take longer than the median, together";
    calls "independent-calls": Count = 32, "independent", "independent transfers of a file";
    independent "independent-share": Part = 5_000, "independent", "independent transfers, of all transfers of the file";
    mpiio_bytes "mpiio-bytes": Bytes = 1_048_576, "independent, no-collective-buffering", "a transfer of fewer bytes is small for MPI-IO";
    own "own-share": Part = 5_000, "no-collective-buffering", "collective transfers that ranks carry out for themselves";
    pieces "rank-pieces": Times = 200, "no-collective-buffering", "pieces of each rank in such a transfer, more than";
    aggregated "collective-bytes": Bytes = 4_194_304, "few-aggregators", "bytes of a collective call";
    ranks_each "aggregator-ranks": Count = 32, "few-aggregators", "ranks for which one aggregator is enough";
    sub_calls "sub-calls-share": Part = 5_000, "few-aggregators", "sub-calls, of the time of collective calls";
    reads_first "reads-first-share": Part = 1_000, "read-before-write", "bytes that writes read, of those that they write";
    late "late-share": Part = 1_000, "late-ranks", "waiting, of the time in MPI-IO";
    ranks "few-ranks": Count = 4, "few-aggregators, opened-by-all, independent-metadata, opened-for-attributes, one-rank, node-imbalance", "ranks that take part";
    little "few-bytes": Bytes = 1_048_576, "chunk-cache, chunk-shape, fill-values, conversion, slow-phases, slow-server, server-imbalance", "bytes that were read, filled or converted, that a server moved, or that half of all phases move";
    chunk_cache "chunk-times": Times = 400, "chunk-cache, chunk-shape", "bytes read below, as a multiple of those asked for";
    lookups_each "rank-reads": Times = 800, "independent-metadata", "reads of metadata by each rank";
    extents "extents-share": Part = 5_000, "grown-by-record", "calls of H5Dset_extent, of the writes";
    conversion "conversion-share": Part = 5_000, "conversion", "transfers that convert, of those of the dataset";
    fill "fill-share": Part = 5_000, "fill-values", "bytes of fill values, of those that are written later";
    slow_server "server-times": Times = 200, "slow-server", "time of a server for its bytes, as a multiple of that of the others";
    server_bytes "server-share": Times = 200, "server-imbalance", "bytes of a server, as a multiple of the mean";
    attributes_each "rank-attributes": Times = 400, "opened-for-attributes", "attributes that each rank reads, at most";
    attributes "attribute-calls": Count = 1_000, "many-attributes", "calls on attributes of a file";
    attribute_bytes "attribute-bytes": Bytes = 4_096, "many-attributes", "an attribute of fewer bytes is small";
}

fn read<V: Value>(name: &'static str, text: &str) -> Result<V, ThresholdFault> {
    let example = V::EXAMPLE;
    V::read(text.trim()).ok_or(ThresholdFault::Value { name, example })
}

fn names() -> String {
    let names: Vec<&str> = Thresholds::rows().iter().map(|row| row.name).collect();
    names.join(", ")
}

impl Part {
    /// What every part reaches.
    pub const NONE: Part = Part(0);

    /// Whether a part of a whole reaches it, which nothing never does.
    pub fn is_reached(self, part: u64, whole: u64) -> bool {
        part > 0 && u128::from(part) * 10_000 >= u128::from(whole) * u128::from(self.0)
    }
}

impl Times {
    /// Whether a number is so many times another, or more, which nothing never is.
    pub fn is_reached(self, more: u64, less: u64) -> bool {
        more > 0 && u128::from(more) * 100 >= u128::from(less) * u128::from(self.0)
    }

    /// Whether a number is so many times another, or less.
    pub fn is_kept(self, more: u64, less: u64) -> bool {
        u128::from(more) * 100 <= u128::from(less) * u128::from(self.0)
    }

    /// As a number.
    pub fn get(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

macro_rules! plain {
    ($($kind:ident)*) => {
        $(impl $kind {
            /// As a number.
            pub fn get(self) -> u64 {
                self.0
            }

            /// Whether a number reaches it.
            pub fn is_reached(self, number: u64) -> bool {
                number >= self.0
            }
        })*
    };
}

plain! { Count Bytes Time }

/// A number in so small parts.
fn in_parts(text: &str, parts: f64) -> Option<u32> {
    let number = text.trim().parse::<f64>().ok()?;
    let is_one = (0.0..=1e5).contains(&number);
    is_one.then(|| (number * parts).round() as u32)
}

fn quantity(quantity: Quantity, text: &str) -> Option<u64> {
    quantity.read(text)?.try_into().ok()
}

impl Value for Part {
    const EXAMPLE: &'static str = "a part, as 5% or 0.05";

    fn read(text: &str) -> Option<Part> {
        let part = match text.strip_suffix('%') {
            Some(percent) => in_parts(percent, 100.0),
            None => in_parts(text, 10_000.0),
        };
        part.filter(|part| *part <= 10_000).map(Part)
    }
}

impl Value for Times {
    const EXAMPLE: &'static str = "a multiple, as 1.5";

    fn read(text: &str) -> Option<Times> {
        in_parts(text, 100.0).map(Times)
    }
}

impl Value for Count {
    const EXAMPLE: &'static str = "a number";

    fn read(text: &str) -> Option<Count> {
        quantity(Quantity::Count, text).map(Count)
    }
}

impl Value for Bytes {
    const EXAMPLE: &'static str = "a number of bytes, as 4096, 64k or 1m";

    fn read(text: &str) -> Option<Bytes> {
        quantity(Quantity::Bytes, text).map(Bytes)
    }
}

impl Value for Time {
    const EXAMPLE: &'static str = "a time, as 2.5 (seconds), 10ms or 3min";

    fn read(text: &str) -> Option<Time> {
        quantity(Quantity::Time, text).map(Time)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{} %", f64::from(self.0) / 100.0)
    }
}

impl fmt::Display for Times {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{}", self.get())
    }
}

impl fmt::Display for Count {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&count(self.0))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&bytes(self.0))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&time(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str) -> Result<Thresholds, ThresholdFault> {
        let mut all = Thresholds::default();
        all.set(text).map(|()| all)
    }

    #[test]
    fn values_have_the_units_of_their_kind() {
        assert_eq!(with("worth=5%").unwrap().worth, Part(500));
        assert_eq!(with("worth = 0.05").unwrap().worth, Part(500));
        assert_eq!(with("worth=0.005").unwrap().worth, Part(50));
        assert_eq!(with("worth=0.25%").unwrap().worth, Part(25));
        assert_eq!(with("few-calls=1").unwrap().few, Count(1));
        assert_eq!(with("small-bytes=1m").unwrap().small_bytes, Bytes(1 << 20));
        assert_eq!(with("imbalance=1.25").unwrap().imbalance, Times(125));
        assert_eq!(with("stall-time=10us").unwrap().stall_time, Time(10_000));
    }

    #[test]
    fn what_is_no_threshold_is_reported() {
        for text in [
            "worth",
            "worth=",
            "worth=101%",
            "worth=-1%",
            "few-calls=-1",
            "few-calls=1k",
            "again-times=x",
        ] {
            assert!(with(text).is_err(), "{text}");
        }
        let message = with("smal=3").unwrap_err().to_string();
        assert!(
            message.contains("`smal`") && message.contains("small-bytes"),
            "{message}"
        );
        let message = with("stall-time=3 days").unwrap_err().to_string();
        assert_eq!(
            message,
            "stall-time is a time, as 2.5 (seconds), 10ms or 3min"
        );
    }

    #[test]
    fn limits_are_reached_exactly() {
        let (tenth, half_more) = (Part(1_000), Times(150));
        assert!(tenth.is_reached(10, 100) && !tenth.is_reached(9, 99));
        assert!(tenth.is_reached(u64::MAX / 10 + 1, u64::MAX) && !tenth.is_reached(0, 0));
        assert!(half_more.is_reached(3, 2) && !half_more.is_reached(299, 200));
        assert!(half_more.is_kept(3, 2) && !half_more.is_kept(301, 200));
    }

    #[test]
    fn the_document_has_the_table() {
        let text = include_str!("../../../docs/STAT.md");
        let begin = text.find("| threshold |").expect("the table");
        let lines = text[begin..].lines().skip(2);
        let document: Vec<&str> = lines.take_while(|line| line.starts_with('|')).collect();
        let line = |row: &Threshold| {
            let findings: Vec<String> = row
                .findings
                .split(", ")
                .map(|kind| format!("`{kind}`"))
                .collect();
            format!(
                "| `{}` | {} | {} | {} |",
                row.name,
                row.default,
                row.meaning,
                findings.join(", ")
            )
        };
        let table: Vec<String> = Thresholds::rows().iter().map(line).collect();
        assert_eq!(document, table);
    }
}
