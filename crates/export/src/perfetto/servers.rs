//! Tracks of file servers: their reads and writes, each at the end of an arrow from the call that it worked for.

use super::annotations::{self, Annotations, FUNCTIONS, NEEDS, TEXTS, named, printable};
use super::flows::to_server;
use super::proto::{Message, packet};
use crate::job::Job;
use iota_analysis::servers::{ServerCall, ServerTies};
use std::collections::{HashMap, HashSet};

/// The sequence of their packets, and where their tracks have their numbers; those of processes are smaller
const SEQUENCE: u64 = 1 << 31;
const TRACKS: u64 = 1 << 62;
/// Names of their calls, by interned numbers from 1: reads, writes, and those of caches
const NAMES: [&str; 4] = ["read", "write", "read, cached", "write, cached"];

/// All of them, in a job that began at `start`
pub fn tracks(ties: &ServerTies, job: &Job, start: u64) -> Vec<u8> {
    let mut tracks = ServerTracks {
        out: annotations::begin(SEQUENCE),
        lanes: vec![Vec::new(); ties.names().len()],
        named: HashSet::new(),
    };
    tracks.packet(|packet| {
        packet.number(packet::SEQUENCE_FLAGS, NEEDS);
        packet.message(packet::INTERNED, |interned| {
            (1..)
                .zip(NAMES)
                .for_each(|(iid, name)| named(interned, FUNCTIONS, iid, name.as_bytes()));
        });
    });
    for (track, name) in (0..).zip(ties.names()) {
        let name = format!("server {name}");
        tracks.describe(track_of(track, 0), 0, &printable(name.as_bytes()));
    }
    let mut calls: Vec<ServerCall> = ties.calls().collect();
    calls.sort_by_key(
        |ServerCall {
             server, transfer, ..
         }| { (transfer.start, transfer.end, *server, transfer.offset) },
    );
    let mut served = HashMap::new();
    for call in calls {
        let nth = call.cause.map(|cause| {
            let count: &mut u64 = served.entry(cause).or_default();
            *count += 1;
            (cause, *count - 1)
        });
        let track = tracks.lane(&call);
        let facts = tracks.facts(&call, job);
        let at = |time: i64| start.saturating_add_signed(time);
        tracks.packet(|packet| {
            packet.number(packet::TIMESTAMP, at(call.transfer.start));
            packet.number(packet::SEQUENCE_FLAGS, NEEDS);
            packet.message(packet::TRACK_EVENT, |event| {
                let name = u64::from(call.transfer.is_write) + 2 * u64::from(call.is_cached) + 1;
                event.number(9, 1).number(11, track).number(10, name);
                event.0.extend_from_slice(&facts);
                if let Some((cause, nth)) = nth {
                    to_server(cause, nth, event);
                }
            });
        });
        tracks.packet(|packet| {
            packet.number(packet::TIMESTAMP, at(call.transfer.end));
            packet.message(packet::TRACK_EVENT, |event| {
                event.number(9, 2).number(11, track);
            });
        });
    }
    tracks.out
}

/// The track of a server, or one below it on which calls are that overlap
fn track_of(server: u64, lane: usize) -> u64 {
    TRACKS | server << 32 | lane as u64
}

struct ServerTracks {
    out: Vec<u8>,
    /// When the last call ends on each track below a server's
    lanes: Vec<Vec<i64>>,
    named: HashSet<u64>,
}

impl ServerTracks {
    fn packet(&mut self, fill: impl FnOnce(&mut Message)) {
        self.out.extend(packet(SEQUENCE, fill));
    }

    fn describe(&mut self, track: u64, parent: u64, name: &[u8]) {
        self.packet(|packet| {
            packet.message(packet::TRACK_DESCRIPTOR, |description| {
                description.number(1, track).bytes(2, name);
                if parent != 0 {
                    description.number(5, parent);
                }
            });
        });
    }

    /// The track for a call: one on which nothing else is under way
    fn lane(&mut self, call: &ServerCall) -> u64 {
        let lanes = &mut self.lanes[call.server as usize];
        let (start, end) = (call.transfer.start, call.transfer.end);
        let free = lanes.iter().position(|end| *end <= start);
        let lane = free.unwrap_or(lanes.len());
        match free {
            Some(lane) => lanes[lane] = end,
            None => lanes.push(end),
        }
        let server = call.server.into();
        let track = track_of(server, lane + 1);
        if free.is_none() {
            self.describe(track, track_of(server, 0), b"calls");
        }
        track
    }

    fn facts(&mut self, call: &ServerCall, job: &Job) -> Vec<u8> {
        let transfer = &call.transfer;
        let file = u64::from(transfer.file);
        if self.named.insert(file) {
            let path = printable(job.all.files.path(transfer.file));
            self.packet(|packet| {
                packet.number(packet::SEQUENCE_FLAGS, NEEDS);
                packet.message(packet::INTERNED, |interned| {
                    named(interned, TEXTS, file, &path);
                });
            });
        }
        let mut facts = Annotations::default();
        facts.text(1, file);
        facts.number(2, transfer.offset as i64, true);
        facts.number(7, transfer.length as i64, true);
        facts.0.0
    }
}
