//! Figures with names: what the object of `--json` is made of.
//!
//! Times are nanoseconds, moments nanoseconds since the job's start, sizes bytes, throughputs bytes a second.

use super::SyncPoints;
use super::paths::{Folded, PathRow};
use crate::servers::ServerRow;
use crate::stat::Finding;
use crate::{TaskId, TaskKind};
use serde::Serialize;
use std::collections::BTreeMap;

/// All that `iota layers` says.
#[derive(Clone, Debug, Serialize)]
pub struct LayerReport {
    /// The version of the keys.
    pub version: u32,
    /// The layer whose calls they are.
    pub layer: &'static str,
    /// Over all calls.
    pub total: Totals,
    /// What could save time, the most first.
    pub findings: Vec<Finding>,
    /// How many more there are, which cost less than is worth a line.
    #[serde(skip)]
    pub minor: u64,
    /// Calls that nobody called, and what they called, over all layers.
    pub tree: Vec<PathRow>,
    /// What is not known of these.
    pub tree_folded: Folded,
    /// By function, those with the most time first.
    pub ops: Vec<LayerRow>,
    /// By file.
    pub files: Vec<LayerRow>,
    /// By dataset, variable or attribute.
    pub objects: Vec<LayerRow>,
    /// By rank.
    pub ranks: Vec<RankRow>,
    /// Collective calls, those that lasted longest first.
    pub collectives: Vec<CollectiveRow>,
    /// Single calls, the longest first.
    pub calls: Vec<CallRow>,
    /// File servers whose traces were joined.
    pub servers: Vec<ServerRow>,
    /// How many rows there are in all: functions, files, ranks, collectives, calls, objects, servers.
    pub counts: [u64; 7],
    /// What is not exact, and how far.
    pub limits: Exactness,
    /// The rank that others waited for longest.
    #[serde(skip)]
    pub late: Option<RankRow>,
    /// When ranks came together.
    #[serde(skip)]
    pub sync_points: SyncPoints,
    /// Time of each task in collective calls.
    #[serde(skip)]
    pub together: BTreeMap<TaskId, u64>,
}

/// Over all calls.
#[derive(Clone, Debug, Serialize)]
pub struct Totals {
    /// Ranks, or processes of a job without ranks, with calls of the layer.
    pub ranks: u64,
    /// Which of the two.
    #[serde(skip)]
    pub task: TaskKind,
    /// Sums.
    #[serde(flatten)]
    pub figures: Figures,
    /// Time that ranks waited in collective calls for the last one.
    pub waiting: u64,
    /// The same of the rank that waited longest.
    #[serde(skip)]
    pub longest_waiting: u64,
}

/// What a number of calls comes to; times in ns, bytes, bytes a second.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Figures {
    /// Calls.
    pub calls: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that were collective.
    pub collective: u64,
    /// Those that only began a transfer.
    pub in_flight: u64,
    /// Bytes asked for by transfers.
    pub asked: u64,
    /// Bytes read.
    #[serde(rename = "bytes_read")]
    pub read: u64,
    /// Bytes written.
    #[serde(rename = "bytes_written")]
    pub written: u64,
    /// Time that threads spent in the functions.
    pub time: u64,
    /// From start to completion of calls that only began a transfer.
    pub flight_time: u64,
    /// Client latency of these.
    pub flight_client: u64,
    /// Time inside the MPI library: calls minus their sub-calls.
    pub library: u64,
    /// Client latency: sub-calls in sequence; the union where they overlap.
    pub client: u64,
    /// Times of all sub-calls.
    pub client_sum: u64,
    /// Calls whose sub-calls overlap.
    pub overlapping: u64,
    /// Server latency.
    pub server: u64,
    /// Sub-calls.
    pub sub_calls: u64,
    /// Those that read or write.
    pub sub_transfers: u64,
    /// Bytes that these read in the files of the calls.
    pub sub_read: u64,
    /// Bytes that they wrote.
    pub sub_written: u64,
    /// Bytes that they moved in other files.
    pub sub_elsewhere: u64,
    /// Sub-calls that are tied by file and time.
    pub inferred: u64,
    /// Bytes below over bytes above; none where no byte moved above.
    pub amplification: Option<f64>,
    /// Calls that wrote, and under which the file was read.
    pub read_first: u64,
    /// Bytes that were read for them.
    pub read_first_bytes: u64,
    /// Throughput of transfers: the sum over threads that ran in parallel.
    pub rate_sum: u64,
    /// By the time in which at least one was under way.
    pub rate_wall: u64,
    /// That time.
    pub wall: u64,
    /// How far it may be too long at each call that overlaps others; 0: it is exact.
    pub wall_resolution: u64,
    /// The same two of sub-calls.
    pub sub_rate_sum: u64,
    /// By wall time.
    pub sub_rate_wall: u64,
}

/// Bytes below over bytes above.
pub type Amplification = Option<f64>;

/// A function, file or object.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LayerRow {
    /// Its name or path.
    pub name: String,
    /// Of an object: its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Bytes of a chunk of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk: Option<u64>,
    /// Of a file or object: processes that used it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<u32>,
    /// Those of them that read or wrote below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregators: Option<u32>,
    /// Hints in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hints: Option<String>,
    /// Sums.
    #[serde(flatten)]
    pub figures: Figures,
}

/// A rank.
#[derive(Clone, Debug, Serialize)]
pub struct RankRow {
    /// Which; of a job without ranks the id of the process.
    pub rank: u32,
    /// Sums.
    #[serde(flatten)]
    pub figures: Figures,
    /// Time that it waited for others in collective calls.
    pub waited: u64,
    /// Collective calls to which it came last,
    pub last: u64,
    /// and what that cost all others.
    pub cost: u64,
    /// Collective calls in which it read or wrote below.
    pub aggregated: u64,
}

/// A collective call.
#[derive(Clone, Debug, Serialize)]
pub struct CollectiveRow {
    /// Its number.
    pub id: String,
    /// The function.
    pub op: String,
    /// The file.
    pub file: String,
    /// Ranks that took part, and of how many.
    pub ranks: u64,
    /// Ranks of the communicator; 0: not known.
    pub of: u32,
    /// When the first came, since the job's start.
    pub start: i64,
    /// From there to the end of the last.
    pub time: u64,
    /// Longest call: equation (1).
    pub longest: u64,
    /// Longest client latency.
    pub client: u64,
    /// Longest server latency.
    pub server: u64,
    /// The rank that came last; none where nobody waits.
    pub last: Option<u32>,
    /// How long after the first.
    pub spread: u64,
    /// What all others waited for it, together.
    pub waiting: u64,
    /// Ranks that read or wrote below.
    pub aggregators: Vec<u32>,
    /// Bytes above.
    pub bytes: u64,
    /// Bytes that aggregators read.
    pub sub_read: u64,
    /// Bytes that they wrote.
    pub sub_written: u64,
    /// Bytes below over bytes above.
    pub amplification: Amplification,
    /// Throughput: the sum over ranks: equation (2).
    pub rate_sum: u64,
    /// By time.
    pub rate_wall: u64,
}

/// A single call.
#[derive(Clone, Debug, Serialize)]
pub struct CallRow {
    /// Its rank,
    pub rank: u32,
    /// thread
    pub thread: u32,
    /// and number there.
    #[serde(rename = "id")]
    pub call: u64,
    /// The function.
    pub op: String,
    /// The file.
    pub file: String,
    /// Its dataset, variable or attribute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Since the job's start.
    pub start: i64,
    /// Latency of the MPI layer: from start to completion.
    #[serde(rename = "dur")]
    pub time: u64,
    /// Whether it only began a transfer.
    pub in_flight: bool,
    /// The collective call that it is part of.
    pub collective: Option<String>,
    /// First byte; none: not known.
    #[serde(rename = "off")]
    pub offset: Option<i64>,
    /// Bytes from the first to the last; 0: not known.
    pub extent: u64,
    /// Bytes moved.
    pub bytes: u64,
    /// Inside the MPI library; none of transfers in flight.
    pub library: Option<u64>,
    /// Client latency.
    pub client: u64,
    /// Whether sub-calls overlap, and the latency is that of their union.
    pub overlaps: bool,
    /// Server latency.
    pub server: u64,
    /// Sub-calls.
    pub sub_calls: u64,
    /// Bytes that they read.
    pub sub_read: u64,
    /// Bytes that they wrote.
    pub sub_written: u64,
}

/// What is not exact, and how far.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Exactness {
    /// One of so many collective calls is among the collectives and counts for waiting; 1: all.
    pub collectives_one_in: u64,
    /// Collective calls that are.
    pub collectives_kept: u64,
    /// Calls of the layer inside others, which count for these.
    pub nested: u64,
    /// Calls whose callers are not in the trace.
    pub orphans: u64,
    /// Sub-calls on files of MPI-IO that name no call and were let go before the calls in flight were all known.
    pub lost: u64,
}
