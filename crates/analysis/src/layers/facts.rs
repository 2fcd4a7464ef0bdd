//! How a file was opened and used by MPI-IO.

use super::Sum;
use crate::{Call, CallDetails, TaskId};
use iota_calls::Kind;

/// What is known of a file.
#[derive(Clone, Debug, Default)]
pub struct FileFacts {
    /// Sums over its calls.
    pub sum: Sum,
    /// Processes that used it,
    pub ranks: u32,
    /// those that moved bytes through MPI,
    pub movers: u32,
    /// and those that read or wrote below it.
    pub doers: u32,
    /// The last task that moved bytes.
    pub mover: TaskId,
    /// Ranks of the communicator that opened it, at most.
    pub communicator: u32,
    /// Hints in force, as the first open had them.
    pub hints: Option<Hints>,
    /// Hints that the first such open was given, and that were not in force after it, in words.
    pub ignored: Vec<String>,
    /// Views that were set,
    pub views: u64,
    /// and those of them that have holes.
    pub holes: u64,
    /// Processes that read it below calls that are no transfers.
    pub lookers: u32,
    /// Calls that opened it.
    pub opens: u64,
}

/// Hints of an open file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints(pub String);

impl Hints {
    /// The value of one.
    pub fn get(&self, key: &str) -> Option<&str> {
        let pairs = self.0.split(';').filter_map(|pair| pair.split_once('='));
        let mut known = pairs.filter(|(known, _)| known.trim() == key);
        known.next().map(|(_, value)| value.trim())
    }

    /// Those for MPI that were asked for, and are not among these, or not with this value.
    fn ignored(&self, asked: &Hints) -> Vec<String> {
        let pairs = asked.0.split(';').filter_map(|pair| pair.split_once('='));
        // PnetCDF passes its own hints on.
        let is_of_mpi = |key: &str| !key.starts_with("nc_") && !key.starts_with("pnetcdf_");
        let asked = pairs.filter(|(key, _)| is_of_mpi(key));
        let hints = asked.filter_map(|(key, wanted)| match self.get(key.trim()) {
            Some(value) if value.eq_ignore_ascii_case(wanted.trim()) => None,
            Some(value) => Some(format!("{key}={value} instead of {wanted}")),
            None => Some(format!("{key}={wanted} is not known")),
        });
        hints.collect()
    }
}

impl FileFacts {
    /// What a call says of how its file is opened or seen.
    pub(super) fn opened(&mut self, call: &Call, details: Option<CallDetails>) {
        let Some(fields) = details.and_then(|details| details.form(b"mpiio_")) else {
            return;
        };
        self.communicator = self.communicator.max(fields.number(b"ranks") as u32);
        if call.kind() == Kind::Open && !call.failed() {
            self.opens += 1;
            let hints = fields.text(b"hints");
            if self.hints.is_none() && !hints.is_empty() {
                self.hints = Some(Hints(iota_trace::Printable(hints).to_string()));
            }
            if self.ignored.is_empty() {
                let text = |bytes| Hints(iota_trace::Printable(bytes).to_string());
                self.ignored = text(hints).ignored(&text(fields.text(b"asked")));
            }
        }
        if fields.name() == b"mpiio_view" {
            self.views += 1;
            self.holes += u64::from(fields.number(b"filetype") < fields.number(b"span"));
        }
    }

    /// All calls of a process.
    pub(super) fn take(&mut self, task: TaskId, sum: &Sum, duration: i64) {
        self.ranks += 1;
        if sum.moved != [0, 0] {
            self.movers += 1;
            self.mover = task;
        }
        self.doers += u32::from(sum.below != [0, 0]);
        self.lookers += u32::from(sum.meta[0].calls > 0);
        self.sum.merge(sum, duration);
    }

    /// Takes in what is known from elsewhere.
    pub(super) fn merge(&mut self, more: FileFacts, duration: i64) {
        self.sum.merge(&more.sum, duration);
        self.ranks += more.ranks;
        if more.movers > 0 {
            self.mover = more.mover;
        }
        self.movers += more.movers;
        self.doers += more.doers;
        self.lookers += more.lookers;
        self.communicator = self.communicator.max(more.communicator);
        self.hints = self.hints.take().or(more.hints);
        if self.ignored.is_empty() {
            self.ignored = more.ignored;
        }
        self.views += more.views;
        self.holes += more.holes;
        self.opens += more.opens;
    }
}
