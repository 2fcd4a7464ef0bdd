//! Perfetto's trace, for ui.perfetto.dev and `trace_processor`: a track for each thread, calls within the calls that
//! caused them, arrows from collective calls to what was done for them, tracks of file servers, the bandwidth of the job as
//! counters. Field numbers are those of perfetto's `protos/perfetto/trace`.
//!
//! Calls come when they end; a track must hear of them as they began. So those that others enclose wait for these.

mod annotations;
mod bandwidth;
mod flows;
mod process_numbers;
mod proto;
mod servers;
mod tracks;

use super::{Format, STRETCH};
use crate::job::Job;
use bandwidth::Bandwidth;
use iota_analysis::servers::ServerTies;
use iota_output::OutputFile;
use process_numbers::ProcessNumbers;
use proto::packet;
use tracks::Tracks;

/// Slices and counters, and what file servers did
pub struct Perfetto<'s> {
    /// If there are traces of them
    pub servers: Option<&'s ServerTies>,
}

impl Format for Perfetto<'_> {
    fn bytes_per_call(&self) -> u64 {
        110
    }

    fn is_text(&self) -> bool {
        false
    }

    fn write(&self, job: &Job, to: &mut OutputFile) -> anyhow::Result<()> {
        let bandwidth = Bandwidth::new(job.all.duration);
        let start = job.all.trace.start().0.max(0) as u64;
        let shown = ProcessNumbers::of(job);
        to.put(&clocks(start))?;
        let ranks = job.all.ranks;
        let tracks =
            |stretch| Tracks::new(stretch, (start, ranks), &bandwidth, &shown, self.servers);
        job.encode(STRETCH, tracks, |piece| to.put(&piece))?;
        if let Some(ties) = self.servers {
            to.put(&servers::tracks(ties, job, start))?;
        }
        to.put(&counters(start, &bandwidth))
    }
}

/// Says that times are those of the day
fn clocks(start: u64) -> Vec<u8> {
    const REALTIME: u64 = 1;
    const BOOTTIME: u64 = 6;
    packet(1, |packet| {
        packet.message(packet::CLOCK_SNAPSHOT, |snapshot| {
            for clock in [REALTIME, BOOTTIME] {
                snapshot.message(1, |reading| {
                    reading.number(1, clock).number(2, start);
                });
            }
        });
    })
}

fn counters(start: u64, bandwidth: &Bandwidth) -> Vec<u8> {
    let [read, written] = bandwidth.rates();
    let (mut out, mut uuid) = (Vec::new(), 0);
    for (name, rates) in [("read, bytes/s", read), ("written, bytes/s", written)] {
        uuid += 1;
        out.extend(packet(1, |packet| {
            packet.message(packet::TRACK_DESCRIPTOR, |track| {
                track.number(1, uuid).bytes(2, name.as_bytes());
                track.message(8, |counter| {
                    counter.bytes(6, b"bytes/s");
                });
            });
        }));
        for (at, rate) in rates {
            out.extend(packet(1, |packet| {
                packet.number(packet::TIMESTAMP, start + at);
                packet.message(packet::TRACK_EVENT, |event| {
                    event.number(9, 4).number(11, uuid).number(30, rate);
                });
            }));
        }
    }
    out
}
