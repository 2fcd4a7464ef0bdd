//! What darshan-dxt-parser prints: transfers by rank and file, whose names stand in lines before them.

use crate::builder::{Builder, Stripes};
use crate::format::Format;
use crate::lines::{Lines, nanos, number, path, span, wrong};
use iota_calls::{Kind, Layer};
use iota_trace::Event;

/// `X_POSIX 0 write 3 0 1048576 0.0123 0.0345`
pub struct Dxt;

/// The file and rank that the lines below are of
#[derive(Default)]
struct Section {
    path: Vec<u8>,
    host: Vec<u8>,
    stripes: Option<Stripes>,
}

impl Format for Dxt {
    fn knows(&self, line: &[u8]) -> bool {
        line.starts_with(b"# DXT, file_id:") || line.starts_with(b"# DXT_POSIX module")
    }

    fn read(&self, lines: &mut Lines, to: &mut Builder) -> anyhow::Result<()> {
        let mut section = Section::default();
        lines.each(|line| {
            let text = line.trim_ascii();
            if text.is_empty() {
                return Ok(Ok(()));
            }
            if let Some(comment) = text.strip_prefix(b"#") {
                return Ok(fact(comment.trim_ascii(), &mut section, to));
            }
            match transfer(text) {
                Ok(transfer) => section.call(transfer, to).map(Ok),
                Err(cause) => Ok(Err(cause)),
            }
        })
    }
}

/// A line that is no transfer
fn fact(comment: &[u8], section: &mut Section, to: &mut Builder) -> Result<(), String> {
    if let Some(fact) = comment.strip_prefix(b"DXT, ") {
        return section.learn(fact);
    }
    let Some(colon) = comment.windows(2).position(|two| two == b": ") else {
        return Ok(());
    };
    let (key, value) = (&comment[..colon], &comment[colon + 2..]);
    match key {
        b"exe" => {
            let words: Vec<&[u8]> = value.split(|byte| *byte == b' ').collect();
            to.about.exe = words.first().map(|word| word.to_vec()).unwrap_or_default();
            to.about.argv = words
                .iter()
                .flat_map(|word| [*word, b"\0"])
                .flatten()
                .copied()
                .collect();
        }
        b"jobid" => to.about.job = value.to_vec(),
        b"nprocs" => to.about.size = number("number of processes", value)?,
        b"start_time" => {
            let start: i64 = number("time", value)?;
            to.start.get_or_insert(start.saturating_mul(1_000_000_000));
        }
        _ => {}
    }
    Ok(())
}

impl Section {
    fn learn(&mut self, fact: &[u8]) -> Result<(), String> {
        let behind = |key: &[u8]| {
            let at = fact.windows(key.len()).position(|some| some == key)?;
            Some(&fact[at + key.len()..])
        };
        if let Some(name) = behind(b"file_name: ") {
            *self = Section {
                path: path(name).unwrap_or_default(),
                ..Section::default()
            };
        } else if let Some(host) = behind(b"hostname: ") {
            self.host = host.to_vec();
        } else if let (Some(length), Some(count)) =
            (behind(b"stripe_size: "), behind(b"stripe_count: "))
        {
            let length = length
                .split(|byte| *byte == b',')
                .next()
                .unwrap_or_default();
            self.stripes = Some(Stripes {
                length: number("stripe size", length)?,
                count: number("stripe count", count)?,
                osts: Vec::new(),
            });
        } else if let (Some(osts), Some(stripes)) = (behind(b"obdidx:"), &mut self.stripes) {
            let osts = osts
                .split(|byte| *byte == b' ')
                .filter(|ost| !ost.is_empty());
            stripes.osts = osts
                .map(|ost| number("OST", ost))
                .collect::<Result<_, _>>()?;
        }
        Ok(())
    }

    fn call(&self, transfer: Transfer, to: &mut Builder) -> anyhow::Result<()> {
        let part = to.part(transfer.rank, transfer.rank + 1);
        if to.about(part).host.is_empty() {
            to.about(part).host.clone_from(&self.host);
        }
        let kind = if transfer.is_write {
            Kind::Write
        } else {
            Kind::Read
        };
        let op = to.op(part, transfer.name(), transfer.layer, kind);
        let mut file = to.file(part, &self.path);
        if let Some(stripes) = self.stripes.as_ref().filter(|_| transfer.segment == 0) {
            file = to.stripes(part, file, stripes);
        }
        let event = Event {
            start: transfer.span.0,
            end: transfer.span.1,
            ret: transfer.length as i64,
            offset: transfer.offset,
            length: transfer.length,
            thread: transfer.rank + 1,
            file,
            fd: -1,
            op,
            ..Event::default()
        };
        to.call(part, event)
    }
}

struct Transfer {
    layer: Layer,
    rank: u32,
    is_write: bool,
    segment: u64,
    offset: i64,
    length: u64,
    span: (i64, i64),
}

impl Transfer {
    fn name(&self) -> &'static [u8] {
        match (self.layer, self.is_write) {
            (Layer::MpiIo, true) => b"MPI_File_write_at",
            (Layer::MpiIo, false) => b"MPI_File_read_at",
            (Layer::Stdio, true) => b"fwrite",
            (Layer::Stdio, false) => b"fread",
            (_, true) => b"pwrite64",
            (_, false) => b"pread64",
        }
    }
}

fn transfer(line: &[u8]) -> Result<Transfer, String> {
    let fields: Vec<&[u8]> = line
        .split(|byte| byte.is_ascii_whitespace())
        .filter(|f| !f.is_empty())
        .collect();
    let [module, rank, op, segment, offset, length, start, end, ..] = fields[..] else {
        return Err(format!(
            "{} fields instead of module, rank, op, segment, offset, length, start and end",
            fields.len()
        ));
    };
    // A file that all ranks share may be listed with none: -1.
    let rank: i64 = number("rank", rank)?;
    Ok(Transfer {
        layer: match module {
            b"X_POSIX" => Layer::Posix,
            b"X_MPIIO" => Layer::MpiIo,
            b"X_STDIO" => Layer::Stdio,
            _ => return Err(wrong("module", module)),
        },
        rank: u32::try_from(rank.max(0))
            .ok()
            .filter(|rank| *rank < u32::MAX)
            .ok_or("no such rank")?,
        is_write: match op {
            b"write" => true,
            b"read" => false,
            _ => return Err(wrong("read or write", op)),
        },
        segment: number("segment", segment)?,
        offset: number("offset", offset)?,
        length: number::<i64>("length", length)?.max(0) as u64,
        span: span(Some(nanos("time", start)?), Some(nanos("time", end)?))?,
    })
}
