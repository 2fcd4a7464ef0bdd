//! Calls of file servers, from traces of their own, joined to the calls of a job that caused them.
//!
//! A server's call belongs to a read or a write of the job if it moves some of the same bytes of the same file, in the same
//! direction. Which file of the job a server's file is, [`exports`] finds out, or the user says. By how much the clocks
//! differ, [`clock`] finds out. Where a server worked while the call lasted, the call waited for it. Where it worked
//! before or after, a cache lay between them: the bytes are the call's, but the time is nobody's.

mod clock;
mod data_files;
mod exports;
mod figures;
mod finding;
mod gluster;
mod latest;
mod tie;
mod transfers;

pub use exports::Export;
pub use figures::ServerRow;
pub use tie::{ServerWork, Servers};
pub use transfers::{CallKey, RangeTransfer, ServerCall};

use crate::{Job, Pass};
use clock::ClockOffset;
use data_files::data_files;
use exports::{FileMap, ServerFile};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use tie::{Cause, Tie};
use transfers::{RangeTransfers, ServerTransfer};

/// Why traces of servers cannot be joined to a job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinFault {
    /// No file of a server is one of the job.
    #[error(
        "no server moved bytes of a file of the job; give where the servers keep it, as in --export /srv/brick=/mnt/volume"
    )]
    NoFile,
}

/// What servers did for a job.
#[derive(Clone, Debug, Default)]
pub struct ServerTies {
    /// What servers did for the calls, by call.
    work: Vec<ServerWork>,
    /// That of each call.
    by_call: HashMap<CallKey, Range<usize>>,
    transfers: Vec<ServerTransfer>,
    ties: Vec<Option<Tie>>,
    /// Calls of the job, which ties name by their places.
    calls: Vec<RangeTransfer>,
    /// Of servers, by their numbers.
    names: Vec<String>,
    clocks: Vec<ClockOffset>,
}

impl ServerTies {
    /// Ties the calls of servers to calls of the job that a pass reads.
    ///
    /// # Errors
    /// Where no file is common to them.
    pub fn of(
        (job, pass): (&Job, &Pass),
        servers: &[Job],
        exports: &[Export],
    ) -> Result<ServerTies, JoinFault> {
        let mut ties = ServerTies::default();
        let data: Vec<Vec<bool>> = servers.iter().map(data_files).collect();
        let mut found = Vec::new();
        for (server, data) in servers.iter().zip(&data) {
            found.push(Pass::of(server).run(|| RangeTransfers::on(data)));
        }
        let files: Vec<Vec<ServerFile>> = servers
            .iter()
            .zip(&found)
            .map(|(server, found)| gluster::files(server, found))
            .collect();
        let map = FileMap::of(job, servers, &files, exports);
        if map.is_empty() {
            return Err(JoinFault::NoFile);
        }
        let wanted = map.client_files(job.files.len() + 1);
        ties.calls = pass.run(|| RangeTransfers::on(&wanted)).all;
        for (at, (server, found)) in servers.iter().zip(found).enumerate() {
            ties.add(job, (at, server), &map, found.all);
        }
        ties.ties = tie::ties(&ties.calls, &ties.transfers, &ties.clocks);
        ties.work = tie::work(&ties.transfers, &ties.ties);
        let mut start = 0;
        for of_call in ties.work.chunk_by(|a, b| a.call == b.call) {
            let end = start + of_call.len();
            let key = ties.calls[of_call[0].call as usize].key;
            ties.by_call.insert(key, start..end);
            start = end;
        }
        Ok(ties)
    }

    /// Takes the transfers of one trace of servers, in the job's files and the job's time.
    fn add(
        &mut self,
        job: &Job,
        (at, server): (usize, &Job),
        map: &FileMap,
        all: Vec<RangeTransfer>,
    ) {
        let ahead = server.trace.start().0.wrapping_sub(job.trace.start().0);
        let mut by_host: BTreeMap<u32, Vec<ServerTransfer>> = BTreeMap::new();
        let mut numbers: HashMap<(u32, usize), u32> = HashMap::new();
        for transfer in all {
            let Some(place) = map.place(at, transfer.file) else {
                continue;
            };
            let number = *numbers
                .entry((transfer.host, place.export))
                .or_insert_with(|| {
                    self.number(map.name(place.export, host(server, transfer.host)))
                });
            let of_host = by_host.entry(transfer.host).or_default();
            of_host.push(ServerTransfer {
                server: number,
                transfer: RangeTransfer {
                    file: place.file,
                    offset: transfer.offset.saturating_add(place.shift),
                    start: transfer.start.wrapping_add(ahead),
                    end: transfer.end.wrapping_add(ahead),
                    ..transfer
                },
            });
        }
        for (number, mut of_host) in by_host {
            let is_same = matches!(job.hosts(), [only] if only == host(server, number));
            let clock = match is_same {
                true => ClockOffset::SAME,
                false => clock::offset(&self.calls, &of_host),
            };
            for one in &mut of_host {
                one.transfer.start = one.transfer.start.wrapping_add(clock.nanos);
                one.transfer.end = one.transfer.end.wrapping_add(clock.nanos);
                self.clocks[one.server as usize] = clock;
            }
            self.transfers.extend(of_host);
        }
    }

    /// The number of a server, by its name.
    fn number(&mut self, name: String) -> u32 {
        let known = self.names.iter().position(|known| *known == name);
        let number = known.unwrap_or_else(|| {
            self.names.push(name);
            self.clocks.push(ClockOffset::UNKNOWN);
            self.names.len() - 1
        });
        number as u32
    }

    /// What servers did for a call.
    pub fn for_call(&self, key: CallKey) -> Servers {
        Servers::of(self.work_for(key))
    }

    /// The same by server.
    pub fn work_for(&self, key: CallKey) -> &[ServerWork] {
        let range = self.by_call.get(&key).cloned().unwrap_or_default();
        &self.work[range]
    }

    /// The calls of servers on files of the job, in the order in which their traces have them.
    pub fn calls(&self) -> impl Iterator<Item = ServerCall> {
        self.transfers
            .iter()
            .zip(&self.ties)
            .map(|(of, tie)| ServerCall {
                server: of.server,
                transfer: of.transfer,
                cause: tie.map(|tie| self.calls[tie.call as usize].key),
                is_cached: tie.is_some_and(|tie| tie.cause == Cause::Cached),
            })
    }

    /// The names of servers, by their numbers.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of a server.
    pub fn name(&self, server: u32) -> &str {
        self.names.get(server as usize).map_or("", String::as_str)
    }
}

/// The name of a host.
fn host<'j>(job: &'j Job, number: u32) -> &'j [u8] {
    job.hosts().get(number as usize).map_or(b"", Vec::as_slice)
}
