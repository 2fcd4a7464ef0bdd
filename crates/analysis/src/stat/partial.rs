//! What was found in a share of a trace, as a file: `iota stat --shard` writes them, `--merge` joins them.
//!
//! A line that says what it is, the checksum of what follows, and the state in postcard's encoding. Only the same version
//! of iota reads it: it lives no longer than it takes to merge.

use super::{Facts, Stat};
use crate::thresholds::Thresholds;
use crate::{Share, ShareResult};
use iota_trace::Printable;
use iota_trace::crc::Crc;
use serde::{Deserialize, Serialize};

/// A share's findings.
#[derive(Debug, Serialize, Deserialize)]
pub struct Partial {
    /// Which share.
    pub share: Share,
    /// Files of the trace, as they were named.
    pub traces: Vec<String>,
    /// The filter.
    pub filter: Vec<String>,
    /// What must be reached for a finding.
    pub thresholds: Thresholds,
    /// What the numbers mean.
    pub facts: Facts,
    /// What was damaged or missing.
    pub problems: Vec<String>,
    /// What was found.
    pub found: ShareResult<Stat>,
}

/// Why there is nothing to be had from a file, or from all of them together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Something else.
    #[error("byte 0: not a share of iota stat; make one with iota stat --shard I/N -o FILE")]
    Foreign,
    /// From another iota.
    #[error(
        "byte 0: written by {found}, this is {ours}; make all shares with the iota that merges them"
    )]
    Version {
        /// As it says.
        found: String,
        /// As this one would.
        ours: String,
    },
    /// Cut off or changed.
    #[error("byte {0}: the share is damaged or incomplete; make it again")]
    Damaged(usize),
    /// Not of the same trace, or of other options.
    #[error(
        "the share is of another trace, or was made with other --where or --threshold, or another N"
    )]
    Other,
    /// Twice the same.
    #[error("share {0} was given twice")]
    Twice(u64),
    /// Not all are there.
    #[error("shares {missing} of {count} are missing")]
    Missing {
        /// Which.
        missing: String,
        /// Of how many.
        count: u64,
    },
}

const ENDS: &[u8] = b"\n";

fn head() -> String {
    format!("iota stat {}, shares 9", env!("CARGO_PKG_VERSION"))
}

impl Partial {
    /// As a file holds it.
    pub fn encoded(&self) -> Vec<u8> {
        // Nothing in it can fail to be written to memory.
        let payload = postcard::to_stdvec(self).unwrap_or_default();
        let checksum = Crc::new().with(&payload).sum();
        [head().as_bytes(), ENDS, &checksum.to_le_bytes(), &payload].concat()
    }

    /// From what a file holds.
    ///
    /// # Errors
    /// The bytes are no share, are one of another version, or are damaged.
    pub fn decoded(bytes: &[u8]) -> Result<Partial, Unreadable> {
        let line = bytes.iter().take(100).position(|byte| *byte == b'\n');
        let line = line
            .filter(|_| bytes.starts_with(b"iota stat "))
            .ok_or(Unreadable::Foreign)?;
        let found = Printable(&bytes[..line]).to_string();
        if found != head() {
            return Err(Unreadable::Version {
                found,
                ours: head(),
            });
        }
        let damaged = Unreadable::Damaged(line + 1);
        let (checksum, payload) = bytes[line + 1..]
            .split_first_chunk()
            .ok_or(damaged.clone())?;
        if Crc::new().with(payload).sum() != u32::from_le_bytes(*checksum) {
            return Err(damaged);
        }
        postcard::from_bytes(payload).map_err(|_| damaged)
    }

    /// All shares of a trace as the whole; with the error, which of them is to blame.
    ///
    /// # Errors
    /// The shares are not of one trace and filter, one is missing, or one is there twice.
    pub fn join(mut shares: Vec<Partial>) -> Result<(Stat, Partial), (Option<usize>, Unreadable)> {
        let order = order(&shares)?;
        debug_assert_eq!(order.len(), shares.len());
        shares.sort_by_key(|share| share.share.index);
        let mut all = shares.into_iter();
        let Some(mut first) = all.next() else {
            return Err((None, Unreadable::Foreign));
        };
        let mut found = vec![std::mem::take(&mut first.found)];
        for share in all {
            first.facts.files.extend(share.facts.files);
            first.facts.objects.extend(share.facts.objects);
            first.facts.sites.extend(share.facts.sites);
            first.problems.extend(share.problems);
            found.push(share.found);
        }
        first.problems.sort();
        first.problems.dedup();
        let stat = ShareResult::join(found).unwrap_or_else(|| Stat::empty(first.facts.duration));
        Ok((stat, first))
    }

    fn same_job(&self, other: &Partial) -> bool {
        let (ours, theirs) = (&self.facts, &other.facts);
        (
            ours.start,
            ours.duration,
            ours.ranks,
            ours.events,
            &ours.ops,
            (&self.filter, self.thresholds),
            self.share.count,
        ) == (
            theirs.start,
            theirs.duration,
            theirs.ranks,
            theirs.events,
            &theirs.ops,
            (&other.filter, other.thresholds),
            other.share.count,
        )
    }
}

/// Their numbers, if each is there once.
fn order(shares: &[Partial]) -> Result<Vec<u64>, (Option<usize>, Unreadable)> {
    let mut seen = Vec::new();
    for (at, share) in shares.iter().enumerate() {
        if !share.same_job(&shares[0]) {
            return Err((Some(at), Unreadable::Other));
        }
        if seen.contains(&share.share.index) {
            return Err((Some(at), Unreadable::Twice(share.share.index)));
        }
        seen.push(share.share.index);
    }
    let count = shares.first().map_or(0, |share| share.share.count);
    let missing: Vec<String> = (0..count)
        .filter(|index| !seen.contains(index))
        .map(|index| index.to_string())
        .collect();
    match missing.is_empty() {
        true => Ok(seen),
        false => Err((
            None,
            Unreadable::Missing {
                missing: missing.join(", "),
                count,
            },
        )),
    }
}
