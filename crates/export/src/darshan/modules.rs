//! The records of the modules that count: one for each rank and file.

use super::counted::counts;
use super::log::{Log, Module, Packed};
use super::record::{self, Record};
use crate::dxt::file_id;
use crate::job::{Job, Row};
use crate::transfer;
use iota_analysis::{FileId, Media, NO_FILE};
use iota_calls::Layer;
use iota_trace::Printable;
use std::collections::{BTreeMap, BTreeSet};

/// Modules that count, by layer
const COUNTING: [(Module, Layer); 3] = [
    (Module::Posix, Layer::Posix),
    (Module::Mpiio, Layer::MpiIo),
    (Module::Stdio, Layer::Stdio),
];

/// Their records
pub struct Modules {
    records: [Packed; 3],
    files: BTreeSet<FileId>,
}

/// What a rank did with each file on each layer
type OfRank = BTreeMap<(usize, FileId), Record>;

impl Modules {
    /// Of all calls
    pub fn of(job: &Job) -> anyhow::Result<Modules> {
        let mut modules = Modules {
            records: [Packed::new(), Packed::new(), Packed::new()],
            files: BTreeSet::new(),
        };
        let media = job.all.files.media();
        for parts in job.ranks() {
            let mut of_rank = OfRank::new();
            job.of_rank(parts, |row| {
                take(job, &media, row, &mut of_rank);
                Ok(())
            })?;
            let rank = parts.first().map_or(0, |part| part.rank());
            for ((place, file), record) in &of_rank {
                modules.files.insert(*file);
                let id = file_id(job.all.files.path(*file));
                let bytes = laid_out(*place, id, rank, record);
                modules.records[*place].put(&bytes)?;
            }
        }
        Ok(modules)
    }

    /// Whether a module has records
    pub fn has(&self, module: Module) -> bool {
        let counting = COUNTING.iter().zip(&self.records);
        let mut of_it = counting.filter(|((one, ..), _)| *one == module);
        of_it.any(|(_, records)| !records.is_empty())
    }

    /// The names of all files
    pub fn names(&self, job: &Job) -> Vec<u8> {
        let mut names = Vec::new();
        for file in &self.files {
            let path = job.all.files.path(*file);
            names.extend(file_id(path).to_le_bytes());
            names.extend(Printable(path).to_string().bytes());
            names.push(0);
        }
        names
    }

    /// Writes them, and how files lie on Lustre
    pub fn write(self, job: &Job, log: &mut Log) -> anyhow::Result<()> {
        let [posix, mpiio, stdio] = self.records;
        log.module(Module::Posix, posix)?;
        log.module(Module::Mpiio, mpiio)?;
        let mut lustre = Packed::new();
        for file in &self.files {
            lustre.put(&striping(job, *file))?;
        }
        log.module(Module::Lustre, lustre)?;
        log.module(Module::Stdio, stdio)
    }
}

fn take(job: &Job, media: &Media, row: &Row, of_rank: &mut OfRank) {
    let layer = row.call.function.layer;
    let place = COUNTING.iter().position(|(_, one)| *one as u8 == layer);
    let Some(place) = place.filter(|_| counts(media, row)) else {
        return;
    };
    let mut is_transfer = false;
    for one in transfer::anywhere(row, COUNTING[place].1) {
        let record = of_rank.entry((place, one.file)).or_default();
        record.transfer(row, &one);
        is_transfer = true;
    }
    if record::is_named(row, &["rename", "renameat", "renameat2"]) {
        let from = file_id(job.all.files.path(row.call.file));
        for (file, from) in [(row.call.file, None), (row.call.second, Some(from))] {
            // A path below a directory that the tracer does not know
            if file != NO_FILE {
                of_rank.entry((place, file)).or_default().rename(row, from);
            }
        }
    } else if !is_transfer {
        of_rank.entry((place, row.call.file)).or_default().call(row);
    }
}

/// The bytes of a record
fn laid_out(place: usize, id: u64, rank: u32, record: &Record) -> Vec<u8> {
    let (counters, times) = match COUNTING[place].0 {
        Module::Posix => (posix(record), times(record)),
        Module::Mpiio => (mpiio(record), times(record)),
        _ => (stdio(record), times_of_stream(record)),
    };
    let mut bytes = id.to_le_bytes().to_vec();
    bytes.extend(i64::from(rank).to_le_bytes());
    bytes.extend(counters.iter().flat_map(|counter| counter.to_le_bytes()));
    bytes.extend(times.iter().flat_map(|time| time.to_le_bytes()));
    bytes
}

/// POSIX_COUNTERS of darshan-posix-log-format.h. Addresses of buffers are not in a trace: none is said to be unaligned.
fn posix(r: &Record) -> Vec<i64> {
    let mut counters = vec![
        r.opens,
        0,
        r.duplicates,
        r.read.count,
        r.written.count,
        r.seeks,
        r.stats,
        r.maps,
        r.syncs,
        r.data_syncs,
        r.renamed,
        r.renamed_to,
        r.renamed_from as i64,
        r.mode,
        r.read.bytes,
        r.written.bytes,
        r.read.highest,
        r.written.highest,
        r.read.consecutive,
        r.written.consecutive,
        r.read.sequential,
        r.written.sequential,
        r.switches,
        0,
        0,
        r.unaligned,
        r.alignment,
        r.read.longest_size(),
        r.written.longest_size(),
    ];
    counters.extend(r.read.sizes.iter().chain(&r.written.sizes));
    counters.extend(r.strides.most().iter().chain(&r.sizes.most()));
    counters.extend(NO_RANKS);
    counters
}

/// MPIIO_COUNTERS of darshan-mpiio-log-format.h
fn mpiio(r: &Record) -> Vec<i64> {
    let mpi = &r.mpi;
    let pairs = [mpi.independent, mpi.collective, mpi.split, mpi.nonblocking];
    let mut counters = vec![r.opens - mpi.collective_opens, mpi.collective_opens];
    counters.extend(pairs.iter().flatten());
    counters.extend([
        r.syncs,
        mpi.hints,
        mpi.views,
        r.mode,
        r.read.bytes,
        r.written.bytes,
        r.switches,
        r.read.longest_size(),
        r.written.longest_size(),
    ]);
    counters.extend(r.read.sizes.iter().chain(&r.written.sizes));
    counters.extend(r.sizes.most());
    counters.extend(NO_RANKS);
    counters
}

/// STDIO_COUNTERS of darshan-stdio-log-format.h
fn stdio(r: &Record) -> Vec<i64> {
    let mut counters = vec![
        r.opens,
        r.of_descriptors,
        r.read.count,
        r.written.count,
        r.seeks,
        r.syncs,
        r.written.bytes,
        r.read.bytes,
        r.read.highest,
        r.written.highest,
    ];
    counters.extend(NO_RANKS);
    counters
}

/// The fastest and the slowest rank, which records of all ranks have
const NO_RANKS: [i64; 4] = [0; 4];
/// The same of their times, and variances
const NO_TIMES: [f64; 4] = [0.0; 4];

/// POSIX_F_COUNTERS, MPIIO_F_COUNTERS
fn times(r: &Record) -> Vec<f64> {
    let (read, written) = (&r.read.busy, &r.written.busy);
    let four = [&r.open, read, written, &r.close];
    let starts = four.iter().map(|busy| busy.start());
    let ends = four.iter().map(|busy| busy.end());
    let sums = [
        read.time(),
        written.time(),
        r.meta.time(),
        r.read.longest(),
        r.written.longest(),
    ];
    starts.chain(ends).chain(sums).chain(NO_TIMES).collect()
}

/// STDIO_F_COUNTERS
fn times_of_stream(r: &Record) -> Vec<f64> {
    let (read, written) = (&r.read.busy, &r.written.busy);
    let four = [&r.open, &r.close, written, read];
    let sums = [r.meta.time(), written.time(), read.time()];
    let starts = four.iter().map(|busy| busy.start());
    let ends = four.iter().map(|busy| busy.end());
    sums.into_iter()
        .chain(starts)
        .chain(ends)
        .chain(NO_TIMES)
        .collect()
}

/// LUSTRE_COUNTERS of darshan-lustre-log-format.h, and the OSTs; nothing for a file elsewhere. How many servers there are
/// a trace does not know.
fn striping(job: &Job, file: FileId) -> Vec<u8> {
    let layout = job.all.files.layout(file);
    let Some(part) = layout.and_then(|layout| layout.main()) else {
        return Vec::new();
    };
    let osts: Vec<i64> = part.osts().map(i64::from).collect();
    let first = osts.first().copied().unwrap_or(-1);
    let path = job.all.files.path(file);
    let counters = [
        -1,
        -1,
        first,
        i64::from(part.stripe_size),
        osts.len() as i64,
    ];
    let head = [file_id(path) as i64, -1];
    let all = head.iter().chain(&counters).chain(&osts);
    all.flat_map(|number| number.to_le_bytes()).collect()
}
