//! Events as DFTracer writes them: Chrome's JSON, one on a line, with the names of files and nodes in metadata that
//! events refer to by a hash. Its tools (dftracer_stats, dftracer_view, the analyzer) index what is compressed with gzip.
//!
//! <https://dftracer.readthedocs.io>; times are ns, which a line of metadata says (`time_metric`).

use super::dxt::file_id;
use super::{Format, PIECE, STRETCH};
use crate::job::{Encoder, Job, Row};
use flate2::Compression;
use flate2::write::GzEncoder;
use iota_analysis::{FileId, NO_FILE};
use iota_calls::Kind;
use iota_output::OutputFile;
use iota_trace::Printable;
use std::collections::HashMap;
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

    fn write(&self, job: &Job, to: &mut OutputFile) -> anyhow::Result<()> {
        let (events, is_packed, start) =
            (AtomicU64::new(1), self.is_packed, job.all.trace.start().0);
        to.put(&packed(b"[\n".to_vec(), is_packed)?)?;
        let lines = |_| EventLines {
            bytes: Vec::new(),
            is_packed,
            start,
            events: &events,
            written: HashMap::new(),
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

struct EventLines<'e> {
    bytes: Vec<u8>,
    is_packed: bool,
    /// Of the job, in ns since 1970
    start: i64,
    /// Numbers events, of all threads that write
    events: &'e AtomicU64,
    /// The hashes of what these lines have names of: the kind of name, and what it is of
    written: HashMap<(&'static str, u64), String>,
}

impl EventLines<'_> {
    /// The hash of a name that events refer to, which these lines get if they do not have it yet
    fn hash(&mut self, row: &Row, kind: &'static str, key: u64, name: &[u8]) -> String {
        if let Some(hash) = self.written.get(&(kind, key)) {
            return hash.clone();
        }
        let hash = format!("{:016x}", file_id(name));
        self.tell(row, kind, &Printable(name).to_string(), &hash);
        self.written.insert((kind, key), hash.clone());
        hash
    }

    fn tell(&mut self, row: &Row, kind: &str, name: &str, value: &str) {
        let line = format!(
            "{{\"name\":\"{kind}\",\"cat\":\"dftracer\",{},\"ph\":\"M\",\"args\":{{\"hhash\":\"{:016x}\",\"name\":{},\"value\":\"{value}\"}}}}\n",
            who(row),
            file_id(row.part.host()),
            quoted(name),
        );
        self.bytes.extend_from_slice(line.as_bytes());
    }

    /// The node, with the unit of times
    fn host(&mut self, row: &Row) -> String {
        let process = u64::from(row.call.process.part);
        let is_new = !self.written.contains_key(&("HH", process));
        let hash = self.hash(row, "HH", process, row.part.host());
        if is_new {
            self.tell(row, "CM", "time_metric", "NS");
        }
        hash
    }

    /// What an event says beside its times
    fn args(&mut self, row: &Row) -> String {
        let (call, event) = (&row.call, row.call.event);
        let mut args = format!("\"hhash\":\"{}\"", self.host(row));
        for (key, file) in files(row) {
            let hash = self.hash(row, "FH", u64::from(file), row.path(file));
            args += &format!(",\"{key}\":\"{hash}\"");
        }
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
}

/// The files of a call that are known, by what events call them
fn files(row: &Row) -> impl Iterator<Item = (&'static str, FileId)> {
    let both = [("fhash", row.call.file), ("fhash2", row.call.second)];
    both.into_iter().filter(|(_, file)| *file != NO_FILE)
}

fn who(row: &Row) -> String {
    let (pid, thread) = (row.call.process.pid, row.call.event.thread);
    format!("\"pid\":{pid},\"tid\":{thread}")
}

/// A text in JSON
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl Encoder for EventLines<'_> {
    type Piece = Vec<u8>;

    fn add(&mut self, row: &Row) -> anyhow::Result<()> {
        let (call, args) = (&row.call, self.args(row));
        let line = format!(
            "{{\"id\":{},\"name\":{},\"cat\":\"{}\",{},\"ts\":{},\"dur\":{},\"ph\":\"X\",\"args\":{{{}}}}}\n",
            self.events.fetch_add(1, Relaxed),
            quoted(&Printable(&call.function.name).to_string()),
            call.function.layer_name(),
            who(row),
            self.start.saturating_add(call.start),
            call.elapse(),
            args,
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
