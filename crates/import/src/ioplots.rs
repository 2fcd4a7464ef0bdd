//! The log of ioplots: `rank op offset length start_time end_time`, of one file that it does not name.

use crate::builder::Builder;
use crate::format::Format;
use crate::lines::{Lines, nanos, number, span, wrong};
use iota_calls::{Kind, Layer};
use iota_trace::Event;
use std::collections::HashMap;

/// Lines of six fields
pub struct Ioplots {
    /// The path of the file, where that is known
    pub file: Option<String>,
}

/// Later times are moments since 1970, not since some start.
const EPOCH: i64 = 300_000_000 * 1_000_000_000;

struct LogLine {
    rank: u32,
    is_write: bool,
    offset: i64,
    length: u64,
    start: i64,
    end: i64,
}

impl Format for Ioplots {
    fn knows(&self, line: &[u8]) -> bool {
        parse(line).is_ok_and(|line| line.is_some())
    }

    fn read(&self, lines: &mut Lines, to: &mut Builder) -> anyhow::Result<()> {
        let path = self
            .file
            .clone()
            .unwrap_or_else(|| name_of(lines.name()))
            .into_bytes();
        let mut ranks = HashMap::new();
        lines.each(|line| {
            let line = match parse(line) {
                Ok(Some(line)) => line,
                Ok(None) => return Ok(Ok(())),
                Err(cause) => return Ok(Err(cause)),
            };
            let start = *to
                .start
                .get_or_insert(if line.start > EPOCH { line.start } else { 0 });
            let from = |time: i64| time.checked_sub(start);
            let (start, end) = match span(from(line.start), from(line.end)) {
                Ok(span) => span,
                Err(cause) => return Ok(Err(cause)),
            };
            let part = to.part(line.rank, line.rank + 1);
            let (file, read, write) = *ranks.entry(line.rank).or_insert_with(|| {
                let read = to.op(part, b"pread64", Layer::Posix, Kind::Read);
                let write = to.op(part, b"pwrite64", Layer::Posix, Kind::Write);
                (to.file(part, &path), read, write)
            });
            let event = Event {
                start,
                end,
                ret: line.length as i64,
                offset: line.offset,
                length: line.length,
                thread: line.rank + 1,
                file,
                fd: -1,
                op: if line.is_write { write } else { read },
                ..Event::default()
            };
            to.call(part, event)?;
            Ok(Ok(()))
        })
    }
}

/// The log's own name without its ending stands for the file's.
fn name_of(log: &str) -> String {
    let name = log.rsplit('/').next().unwrap_or(log);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    format!("/{}", if stem.is_empty() { name } else { stem })
}

/// Nothing of an empty line, or of one that begins with `#`
fn parse(line: &[u8]) -> Result<Option<LogLine>, String> {
    let fields: Vec<&[u8]> = line
        .split(|byte| byte.is_ascii_whitespace())
        .filter(|f| !f.is_empty())
        .collect();
    let [rank, op, offset, length, start, end] = fields[..] else {
        return match fields.first() {
            None | Some([b'#', ..]) => Ok(None),
            _ => Err(format!(
                "{} fields instead of rank, op, offset, length, start and end",
                fields.len()
            )),
        };
    };
    let line = LogLine {
        rank: number("rank", rank)?,
        is_write: match op {
            b"w" | b"W" => true,
            b"r" | b"R" => false,
            _ => return Err(wrong("r or w", op)),
        },
        offset: number("offset", offset)?,
        length: number::<i64>("length", length)?
            .try_into()
            .map_err(|_| wrong("length", length))?,
        start: nanos("time", start)?,
        end: nanos("time", end)?,
    };
    match line.end >= line.start && line.rank < u32::MAX {
        true => Ok(Some(line)),
        false => Err("ends before it starts".to_owned()),
    }
}
