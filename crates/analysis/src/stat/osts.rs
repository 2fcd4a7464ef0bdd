//! Bytes and time of each OST, estimated from offsets and layouts: docs/LUSTRE.md has the formula and says what it does
//! not see.

use crate::Call;
use crate::sums::{add, portion};
use iota_trace::lustre::{Layout, Target};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Transfers by what held the bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Osts(BTreeMap<Holder, OstStat>);

/// What held bytes: an OST by its index, then the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Holder {
    /// An OST.
    Ost(u32),
    /// A metadata target.
    Mdt,
    /// It is not known which.
    Unknown,
}

/// What one had to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OstStat {
    /// Transfers that touched it.
    pub calls: u64,
    /// Bytes read and written.
    pub bytes: [u64; 2],
    /// Its share in the time that threads waited for them, by bytes.
    pub time: u64,
}

impl Osts {
    /// A transfer of a file that has a layout.
    #[cold]
    pub(super) fn add(&mut self, call: &Call, layout: Layout, waited: u64) {
        let (read, written) = (call.moved.read, call.moved.written);
        let is_write = written > 0;
        let bytes = if is_write { written } else { read };
        let mut shares: Vec<(Holder, u64)> = Vec::new();
        match u64::try_from(call.event.offset) {
            Ok(start) => layout.share(
                start,
                start.saturating_add(bytes),
                is_write,
                |target, bytes| {
                    let holder = Holder::of(target);
                    match shares.iter_mut().find(|(known, _)| *known == holder) {
                        Some((_, sum)) => add(sum, bytes),
                        None => shares.push((holder, bytes)),
                    }
                },
            ),
            Err(_) => shares.push((Holder::Unknown, bytes)),
        }
        let (mut passed, mut shared_out) = (0u64, 0u64);
        for (holder, part) in shares {
            // Cut where the bytes before end, so that the shares add up to the whole.
            add(&mut passed, part);
            let until = portion(waited, passed, bytes);
            let stat = self.0.entry(holder).or_default();
            stat.calls += 1;
            add(&mut stat.bytes[usize::from(is_write)], part);
            add(&mut stat.time, until.saturating_sub(shared_out));
            shared_out = until;
        }
    }

    pub(super) fn merge(&mut self, more: Osts) {
        for (holder, from) in more.0 {
            let to = self.0.entry(holder).or_default();
            to.calls += from.calls;
            add(&mut to.bytes[0], from.bytes[0]);
            add(&mut to.bytes[1], from.bytes[1]);
            add(&mut to.time, from.time);
        }
    }

    /// Those that did something, in order.
    pub fn all(&self) -> impl Iterator<Item = (Holder, &OstStat)> {
        self.0.iter().map(|(holder, stat)| (*holder, stat))
    }
}

impl Holder {
    fn of(target: Target) -> Holder {
        match target {
            Target::Ost(ost) => Holder::Ost(ost),
            Target::Mdt => Holder::Mdt,
            Target::Unknown => Holder::Unknown,
        }
    }
}

impl std::fmt::Display for Holder {
    fn fmt(&self, to: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Holder::Ost(ost) => write!(to, "OST {ost}"),
            Holder::Mdt => write!(to, "MDT"),
            Holder::Unknown => write!(to, "unknown"),
        }
    }
}
