//! Events as DFTracer writes them: Chrome's JSON, one on a line, with the names of files and nodes in metadata that
//! events refer to by a hash. Its tools (dftracer_stats, dftracer_view, the analyzer) index what is compressed with gzip.
//!
//! <https://dftracer.readthedocs.io>; times are ns, which a line of metadata says (`time_metric`).

use super::dxt::file_id;
use super::{Format, PIECE, STRETCH};
use crate::convert::job::{Encoder, Job, Row};
use crate::convert::target::Target;
use crate::names::printable;
use flate2::Compression;
use flate2::write::GzEncoder;
use iota_analysis::{FileId, NO_FILE};
use iota_calls::Kind;
use std::collections::HashSet;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Lines of events
pub struct Dftracer {
    /// Compressed, as its tools want it
    pub is_packed: bool,
}

impl Format for Dftracer {
    fn bytes_per_call(&self) -> u64 {
        if self.is_packed { 20 } else { 180 }
    }

    fn is_text(&self) -> bool {
        !self.is_packed
    }

    fn write(&self, job: &Job, to: &mut Target) -> anyhow::Result<()> {
        let (events, is_packed, start) =
            (AtomicU64::new(1), self.is_packed, job.all.trace.start().0);
        to.put(&packed(b"[\n".to_vec(), is_packed)?)?;
        let lines = |_| Lines {
            bytes: Vec::new(),
            is_packed,
            start,
            events: &events,
            told: HashSet::new(),
        };
        job.encode(STRETCH, lines, |piece| to.put(&piece))?;
        to.put(&packed(b"]\n".to_vec(), is_packed)?)
    }
}

/// As a member of gzip, which may follow one another
fn packed(bytes: Vec<u8>, is_packed: bool) -> anyhow::Result<Vec<u8>> {
    if !is_packed {
        return Ok(bytes);
    }
    let mut member = GzEncoder::new(Vec::new(), Compression::default());
    member.write_all(&bytes)?;
    Ok(member.finish()?)
}

struct Lines<'e> {
    bytes: Vec<u8>,
    is_packed: bool,
    /// Of the job, in ns since 1970
    start: i64,
    /// Numbers events, of all threads that write
    events: &'e AtomicU64,
    /// What these lines have names of: the kind of name, and what it is of
    told: HashSet<(&'static str, u64)>,
}

impl Lines<'_> {
    /// A name that events refer to, unless these lines have it
    fn name(&mut self, row: &Row, kind: &'static str, key: u64, name: &str, value: &str) {
        if !self.told.insert((kind, key)) {
            return;
        }
        let line = format!(
            "{{\"name\":\"{kind}\",\"cat\":\"dftracer\",{},\"ph\":\"M\",\"args\":{{\"hhash\":\"{}\",\"name\":{},\"value\":\"{value}\"}}}}\n",
            who(row),
            hash(row.part.host()),
            quoted(name),
        );
        self.bytes.extend_from_slice(line.as_bytes());
    }

    fn names(&mut self, row: &Row) {
        let (host, process) = (row.part.host(), u64::from(row.call.process.part));
        self.name(row, "HH", process, &printable(host), &hash(host));
        self.name(row, "CM", process, "time_metric", "NS");
        for file in files(row) {
            let path = row.path(file);
            self.name(row, "FH", u64::from(file), &printable(path), &hash(path));
        }
    }
}

/// The files of a call
fn files(row: &Row) -> impl Iterator<Item = FileId> {
    let both = [row.call.file, row.call.second];
    both.into_iter().filter(|file| *file != NO_FILE)
}

fn who(row: &Row) -> String {
    let (pid, thread) = (row.call.process.pid, row.call.event.thread);
    format!("\"pid\":{pid},\"tid\":{thread}")
}

fn hash(name: &[u8]) -> String {
    format!("{:016x}", file_id(name))
}

/// A text in JSON
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// What an event says beside its times
fn args(row: &Row) -> String {
    let (call, event) = (&row.call, row.call.event);
    let mut args = format!("\"hhash\":\"{}\"", hash(row.part.host()));
    let hashes = ["fhash", "fhash2"].into_iter().zip(files(row));
    args.extend(hashes.map(|(key, file)| format!(",\"{key}\":\"{}\"", hash(row.path(file)))));
    args += &format!(",\"rank\":{},\"ret\":{}", call.process.rank, event.ret);
    if call.kind() == Kind::Open {
        args += &format!(
            ",\"flags\":{},\"mode\":{}",
            event.length as u32,
            event.length >> 32
        );
    } else if event.length > 0 {
        args += &format!(",\"count\":{}", event.length);
    }
    if event.offset >= 0 {
        args += &format!(",\"offset\":{}", event.offset);
    }
    if event.errno != 0 {
        args += &format!(",\"errno\":{}", event.errno);
    }
    args
}

impl Encoder for Lines<'_> {
    type Piece = Vec<u8>;

    fn add(&mut self, row: &Row) -> anyhow::Result<()> {
        self.names(row);
        let call = &row.call;
        let line = format!(
            "{{\"id\":{},\"name\":{},\"cat\":\"{}\",{},\"ts\":{},\"dur\":{},\"ph\":\"X\",\"args\":{{{}}}}}\n",
            self.events.fetch_add(1, Relaxed),
            quoted(&printable(&call.function.name)),
            call.function.layer_name(),
            who(row),
            self.start.saturating_add(call.start),
            call.elapse(),
            args(row),
        );
        self.bytes.extend_from_slice(line.as_bytes());
        Ok(())
    }

    fn full(&mut self) -> anyhow::Result<Option<Vec<u8>>> {
        if self.bytes.len() < PIECE {
            return Ok(None);
        }
        packed(std::mem::take(&mut self.bytes), self.is_packed).map(Some)
    }

    fn rest(self) -> anyhow::Result<Option<Vec<u8>>> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        packed(self.bytes, self.is_packed).map(Some)
    }
}
