//! What many calls of MPI-IO come to.

use super::{Node, Spans};
use crate::sums::{add, per_second, sum};
use iota_calls::Kind;

/// Sums over calls.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    /// Calls.
    pub calls: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that were collective.
    pub collective: u64,
    /// Those that only began a transfer.
    pub flying: u64,
    /// Those that read or write, by way.
    pub transfers: [u64; 2],
    /// Those of these that were independent.
    pub independent: Independent,
    /// Bytes asked for.
    pub asked: u64,
    /// Bytes read and written.
    pub moved: [u64; 2],
    /// Time that threads spent in the functions.
    pub time: u64,
    /// That of collective calls.
    pub together: u64,
    /// The longest.
    pub longest: u64,
    /// From start to completion of those that only began a transfer.
    pub flight: u64,
    /// Client latencies of those.
    pub flight_client: u64,
    /// Time inside the MPI library, of all but these.
    pub library: u64,
    /// Client latencies.
    pub client: u64,
    /// Times of all sub-calls one after another.
    pub client_sum: u64,
    /// Calls whose sub-calls overlap.
    pub overlapping: u64,
    /// Server latencies.
    pub server: u64,
    /// Sub-calls.
    pub sub_calls: u64,
    /// Those that read or write.
    pub sub_transfers: [u64; 2],
    /// Bytes that these read and wrote in the files of the calls.
    pub below: [u64; 2],
    /// Bytes that they read and wrote in other files.
    pub elsewhere: [u64; 2],
    /// Sub-calls that are tied by file and time.
    pub inferred: u64,
    /// Reads and writes below calls that are no transfers, nor end something.
    pub meta: [Independent; 2],
    /// Calls that write, and read before.
    pub read_first: ReadFirst,
    /// Throughput, summed over all that ran in parallel: bytes a second.
    pub rate: u64,
    /// The same of sub-calls.
    pub rate_below: u64,
    /// Spans of those that read or write, summed up for `rate`.
    spans: u64,
    clients: u64,
    /// Bytes that moved below those.
    under: u64,
    /// When one of those was under way.
    pub wall: Spans,
    /// When sub-calls of those were under way.
    pub wall_below: Spans,
}

/// Transfers that are not collective.
#[derive(Clone, Copy, Debug, Default)]
pub struct Independent {
    /// How many.
    pub calls: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Time that threads spent in them.
    pub time: u64,
}

impl Independent {
    fn merge(&mut self, more: Independent) {
        self.calls += more.calls;
        add(&mut self.bytes, more.bytes);
        add(&mut self.time, more.time);
    }
}

/// Calls that write, under which the file was read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadFirst {
    /// How many.
    pub calls: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// Time of the reads.
    pub time: u64,
}

impl Sum {
    /// One call, of a job that lasted so long.
    pub fn add(&mut self, node: &Node, duration: i64) {
        self.calls += 1;
        self.failed += u64::from(node.failed);
        self.collective += u64::from(node.together);
        add(&mut self.time, node.in_call());
        if node.together {
            add(&mut self.together, node.in_call());
        }
        self.longest = self.longest.max(node.span());
        add(&mut self.asked, node.asked);
        add(&mut self.moved[0], node.moved.read);
        add(&mut self.moved[1], node.moved.written);
        if node.begun.is_some() {
            self.flying += 1;
            add(&mut self.flight, node.span());
            add(&mut self.flight_client, node.below.client());
        }
        add(&mut self.library, node.library().unwrap_or(0));
        self.below(node);
        self.transfer(node, duration);
    }

    fn below(&mut self, node: &Node) {
        let (below, own, all) = (&node.below, node.bytes_below(), node.below.files.of_all());
        add(&mut self.client, below.client());
        add(&mut self.client_sum, below.sum);
        self.overlapping += u64::from(below.overlaps());
        add(&mut self.server, below.server);
        self.sub_calls += below.calls;
        self.inferred += below.inferred;
        for way in 0..2 {
            self.sub_transfers[way] += below.transfers[way];
            add(&mut self.below[way], own[way]);
            add(&mut self.elsewhere[way], all[way].saturating_sub(own[way]));
        }
        if node.kind() == Kind::Write && own[0] > 0 {
            self.read_first.calls += 1;
            add(&mut self.read_first.bytes, own[0]);
            add(&mut self.read_first.time, below.transfer_time[0]);
        }
        if matches!(node.kind(), Kind::Open | Kind::Meta | Kind::Other) {
            for (way, meta) in self.meta.iter_mut().enumerate() {
                meta.calls += below.transfers[way];
                add(&mut meta.bytes, all[way]);
                add(&mut meta.time, below.transfer_time[way]);
            }
        }
    }

    fn transfer(&mut self, node: &Node, duration: i64) {
        let way = match node.kind() {
            Kind::Read => 0,
            Kind::Write => 1,
            _ => return,
        };
        self.transfers[way] += 1;
        if !node.together {
            self.independent.calls += 1;
            add(&mut self.independent.bytes, node.bytes());
            add(&mut self.independent.time, node.in_call());
        }
        add(&mut self.spans, node.span());
        add(&mut self.clients, node.below.client());
        add(&mut self.under, sum(node.bytes_below()));
        self.wall.add(node.start, node.end, duration);
        if let Some((start, end)) = node.below.span {
            self.wall_below.add(start, end, duration);
        }
    }

    /// Time of calls that move nothing.
    pub fn without_transfers(&self) -> u64 {
        self.time.saturating_sub(self.spans)
    }

    /// That these are all calls of a thread, which runs in parallel with others: equation (2).
    pub fn close(&mut self) {
        (self.rate, self.rate_below) = self.rates();
    }

    fn rates(&self) -> (u64, u64) {
        // What a thread has in flight at the same time is not one after another.
        let once = |sum: u64, of: &Spans| match self.flying {
            0 => sum,
            _ => sum.min(of.length().0),
        };
        let above = per_second(sum(self.moved), once(self.spans, &self.wall));
        let clients = once(self.clients, &self.wall_below);
        (above, per_second(self.under, clients))
    }

    /// Takes in calls that ran in parallel with these.
    pub fn merge(&mut self, more: &Sum, duration: i64) {
        self.calls += more.calls;
        self.failed += more.failed;
        self.collective += more.collective;
        self.flying += more.flying;
        self.independent.merge(more.independent);
        add(&mut self.asked, more.asked);
        add(&mut self.time, more.time);
        add(&mut self.together, more.together);
        self.longest = self.longest.max(more.longest);
        add(&mut self.flight, more.flight);
        add(&mut self.flight_client, more.flight_client);
        add(&mut self.library, more.library);
        add(&mut self.client, more.client);
        add(&mut self.client_sum, more.client_sum);
        self.overlapping += more.overlapping;
        add(&mut self.server, more.server);
        self.sub_calls += more.sub_calls;
        self.inferred += more.inferred;
        for way in 0..2 {
            self.transfers[way] += more.transfers[way];
            add(&mut self.moved[way], more.moved[way]);
            self.sub_transfers[way] += more.sub_transfers[way];
            add(&mut self.below[way], more.below[way]);
            add(&mut self.elsewhere[way], more.elsewhere[way]);
        }
        self.read_first.calls += more.read_first.calls;
        add(&mut self.read_first.bytes, more.read_first.bytes);
        add(&mut self.read_first.time, more.read_first.time);
        self.meta[0].merge(more.meta[0]);
        self.meta[1].merge(more.meta[1]);
        add(&mut self.rate, more.rate);
        add(&mut self.rate_below, more.rate_below);
        add(&mut self.spans, more.spans);
        add(&mut self.clients, more.clients);
        add(&mut self.under, more.under);
        self.wall.merge(&more.wall, duration);
        self.wall_below.merge(&more.wall_below, duration);
    }
}
