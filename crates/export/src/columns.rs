//! The columns of a table of calls, one row a call: what CSV, Parquet and Arrow have in common. docs/TABLES.md describes them.

use super::job::{Job, Row};
use anyhow::bail;
use iota_calls::Layer;
use iota_trace::{Printable, Second, errno, flags};

/// A column
pub struct Column {
    /// Its name, which is no word of SQL
    pub name: &'static str,
    /// What its values count; empty for names and numbers that count nothing
    pub unit: &'static str,
    /// Its value in a row
    pub value: Value,
    /// What its values are like
    pub variety: Variety,
}

/// How a column's value is had from a call
pub enum Value {
    /// A number
    Number(fn(&Row) -> i64),
    /// A text, the same for the same key; none for key 0
    Text(fn(&Row) -> u32, fn(&Row, &mut Vec<u8>)),
}

/// What values are like from row to row, which says how they are stored best
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Variety {
    /// The same ones over and over, more or less
    Few,
    /// Each near the last, or like no other
    Growing,
}

use Value::{Number, Text};
use Variety::{Few, Growing};

/// All of them, in their order
#[rustfmt::skip]
const COLUMNS: &[Column] = &[
    column("rank", "", Number(|row| row.call.process.rank.into()), Few),
    column("host", "", Text(|row| row.call.process.part + 1, |row, to| Printable(row.part.host()).put(to)), Few),
    column("pid", "", Number(|row| row.call.process.pid.into()), Few),
    column("thread", "", Number(|row| row.call.event.thread.into()), Few),
    column("id", "", Number(|row| row.call.event.id as i64), Growing),
    column("parent", "", Number(|row| row.call.event.parent as i64), Few),
    column("start", "ns", Number(|row| row.call.start), Growing),
    column("dur", "ns", Number(|row| row.call.elapse() as i64), Few),
    column("layer", "", Text(op, |row, to| plain(to, row.call.function.layer_name())), Few),
    column("class", "", Text(op, |row, to| plain(to, row.call.kind().name())), Few),
    column("op", "", Text(op, |row, to| Printable(&row.call.function.name).put(to)), Few),
    column("file_id", "", Number(|row| row.call.file.into()), Few),
    column("path", "", Text(|row| row.call.file, |row, to| Printable(row.path(row.call.file)).put(to)), Few),
    column("object", "", Text(|row| row.call.object, |row, to| Printable(row.object(row.call.object)).put(to)), Few),
    column("off", "bytes", Number(|row| row.call.event.offset), Growing),
    column("len", "bytes", Number(|row| row.call.event.length as i64), Few),
    column("ret", "", Number(|row| row.call.event.ret), Few),
    column("bytes_read", "bytes", Number(|row| row.call.moved.read as i64), Few),
    column("bytes_written", "bytes", Number(|row| row.call.moved.written as i64), Few),
    column("errno", "", Text(failure, error), Few),
    column("fd", "", Number(|row| row.call.event.fd.into()), Few),
    column("path2", "", Text(second, |row, to| Printable(row.path(second(row))).put(to)), Few),
    column("fd2", "", Number(|row| more(row).fd.into()), Few),
    column("off2", "bytes", Number(|row| more(row).offset), Few),
    column("whence", "", Number(|row| row.call.event.whence.into()), Few),
    column("flags", "", Number(|row| row.call.event.flags.into()), Few),
    column("collective", "", Number(|row| row.mpi(b"collective") as i64), Few),
    column("ranks", "", Number(|row| row.mpi(b"ranks") as i64), Few),
    column("extent", "bytes", Number(|row| row.mpi(b"extent") as i64), Few),
    column("begun", "ns", Number(|row| row.mpi(b"begun") as i64), Few),
    column("site", "", Text(|row| row.call.site, |row, to| to.extend(row.site(row.call.site).bytes())), Few),
    column("lustre", "", Text(|row| row.layout(), layout), Few),
];

/// Those of these names, in the order of the names; all, if there are none
///
/// # Errors
///
/// No column has such a name, or a name is given twice.
pub fn named(names: &[String]) -> anyhow::Result<Vec<&'static Column>> {
    if names.is_empty() {
        return Ok(COLUMNS.iter().collect());
    }
    let mut named: Vec<&Column> = Vec::new();
    for name in names {
        match COLUMNS.iter().find(|column| column.name == name) {
            None => {
                let all: Vec<_> = COLUMNS.iter().map(|column| column.name).collect();
                bail!(
                    "--columns: there is no column {name}; they are {}",
                    all.join(", ")
                )
            }
            Some(column) if named.iter().any(|one| one.name == column.name) => {
                bail!("--columns: {name} stands there twice")
            }
            Some(column) => named.push(column),
        }
    }
    Ok(named)
}

/// What no column says, for a file's metadata
pub(crate) fn facts(columns: &[&Column], job: &Job) -> impl Iterator<Item = (String, String)> {
    let start = job.all.trace.start().0.to_string();
    let facts = [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("start_ns_since_1970", start),
    ];
    let facts = facts.map(|(key, value)| (format!("iota.{key}"), value));
    let units = columns.iter().filter(|column| !column.unit.is_empty());
    let units = units.map(|column| (format!("iota.unit.{}", column.name), column.unit.to_owned()));
    facts.into_iter().chain(units)
}

/// Names that columns had before, and have now
pub const RENAMED: [(&str, &str); 2] = [("ts", "start"), ("file", "file_id")];

const fn column(name: &'static str, unit: &'static str, value: Value, variety: Variety) -> Column {
    Column {
        name,
        unit,
        value,
        variety,
    }
}

/// A number that is not 0
fn op(row: &Row) -> u32 {
    u32::from(row.call.op) + 1
}

/// Numbers of MPI's classes mean something else than the system's
fn failure(row: &Row) -> u32 {
    let is_class = row.call.function.layer == Layer::MpiIo as u8;
    match row.call.event.errno {
        0 => 0,
        number => u32::from(number) | u32::from(is_class) << 16,
    }
}

fn error(row: &Row, to: &mut Vec<u8>) {
    let number = row.call.event.errno;
    match errno::of_layer(row.call.function.layer, number) {
        Some(name) => plain(to, name),
        None => plain(to, &number.to_string()),
    }
}

fn more(row: &Row) -> Second {
    match row.call.event.flags & flags::MORE {
        0 => Second::NONE,
        _ => row.call.event.second,
    }
}

fn second(row: &Row) -> u32 {
    match row.call.event.flags & flags::MORE {
        0 => 0,
        _ => row.call.second,
    }
}

fn layout(row: &Row, to: &mut Vec<u8>) {
    if let Some(layout) = row.call.layout {
        to.extend(layout.text());
    }
}

fn plain(to: &mut Vec<u8>, text: &str) {
    to.extend_from_slice(text.as_bytes());
}

/// Texts of one column, those of the latest keys
pub(crate) struct Texts<T> {
    by_key: Vec<Option<(u32, T)>>,
}

/// Of keys that are equal in their low bits the latest one's text is remembered.
const KEPT: usize = 1 << 12;

impl<T: Clone> Texts<T> {
    /// None yet
    pub fn new() -> Texts<T> {
        Texts { by_key: Vec::new() }
    }

    /// That of a key
    pub fn get(&mut self, key: u32, make: impl FnOnce() -> T) -> T {
        let at = key as usize % KEPT;
        if self.by_key.len() <= at {
            self.by_key.resize(at + 1, None);
        }
        match &self.by_key[at] {
            Some((known, text)) if *known == key => text.clone(),
            _ => self.by_key[at].insert((key, make())).1.clone(),
        }
    }
}
