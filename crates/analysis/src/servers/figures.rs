//! What each server did.

use super::ServerTies;
use super::tie::{Cause, union};
use crate::sums::{add, per_second};
use serde::Serialize;

/// A server: a host, and a directory of it. Times in ns, throughputs in bytes a second.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ServerRow {
    /// `host:/directory`.
    pub name: String,
    /// Its reads and writes of files of the job.
    pub calls: u64,
    /// Bytes that they read.
    pub bytes_read: u64,
    /// Bytes that they wrote.
    pub bytes_written: u64,
    /// Time of all of them.
    pub time: u64,
    /// The time in which at least one was under way.
    pub wall: u64,
    /// Bytes divided by that time.
    pub rate: u64,
    /// For how many calls of the job it worked longer than any other server.
    pub slowest: u64,
    /// How many of its calls were made before or after the job's, by a cache.
    pub cached: u64,
    /// How many lie within several calls of the job on the same bytes.
    pub guessed: u64,
    /// How many belong to no call of the job.
    pub untied: u64,
    /// Their bytes.
    pub untied_bytes: u64,
    /// What was added to its times.
    pub clock_offset: i64,
    /// By how much that may be wrong; none where it is not known.
    pub clock_error: Option<u64>,
}

impl ServerTies {
    /// A row for each server, those with the most time first.
    pub fn rows(&self) -> Vec<ServerRow> {
        let mut rows: Vec<ServerRow> = self
            .names
            .iter()
            .zip(&self.clocks)
            .map(|(name, clock)| ServerRow {
                name: name.clone(),
                clock_offset: clock.nanos,
                clock_error: clock.error,
                ..ServerRow::default()
            })
            .collect();
        let mut spans = vec![Vec::new(); rows.len()];
        for (of, tie) in self.transfers.iter().zip(&self.ties) {
            let (row, transfer) = (&mut rows[of.server as usize], &of.transfer);
            row.calls += 1;
            add(&mut row.time, transfer.elapse());
            let moved = match transfer.is_write {
                true => &mut row.bytes_written,
                false => &mut row.bytes_read,
            };
            add(moved, transfer.length);
            match tie.map(|tie| tie.cause) {
                Some(Cause::Within) => {}
                Some(Cause::Guessed) => row.guessed += 1,
                Some(Cause::Cached) => row.cached += 1,
                None => {
                    row.untied += 1;
                    add(&mut row.untied_bytes, transfer.length);
                }
            }
            spans[of.server as usize].push((transfer.start, transfer.end));
        }
        for (row, mut spans) in rows.iter_mut().zip(spans) {
            spans.sort_unstable();
            row.wall = union(spans.into_iter());
            row.rate = per_second(row.bytes_read.saturating_add(row.bytes_written), row.wall);
        }
        for of_call in self.work.chunk_by(|a, b| a.call == b.call) {
            if of_call.len() > 1
                && let Some(slowest) = of_call.iter().max_by_key(|of| of.waited)
                && slowest.waited > 0
            {
                rows[slowest.server as usize].slowest += 1;
            }
        }
        rows.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.name.cmp(&b.name)));
        rows
    }
}
