//! The columns of a table of calls, one row a call: what CSV and Parquet have in common. docs/TABLES.md describes them.

use crate::text::task::Call;
use iota_trace::read::Op;
use iota_trace::{Second, errno, flags, text};

/// A column
pub struct Column {
    /// Its name, which is no word of SQL
    pub name: &'static str,
    /// What its values count; empty for names and numbers that count nothing
    pub unit: &'static str,
    /// Its value in a row
    pub value: Value,
    /// What its values are like
    pub habit: Habit,
}

/// How a column's value is had from a call
pub enum Value {
    /// A number
    Number(fn(&Call) -> i64),
    /// A text, the same for the same key within a process; none for key 0
    Text(fn(&Call) -> u32, for<'c> fn(&Call<'c>, &mut Vec<u8>)),
}

/// What values are like from row to row, which says how they are stored best
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Habit {
    /// The same few over and over
    Few,
    /// Each a little more than the last
    Growing,
    /// Of one size, otherwise unforeseen
    Spread,
}

use Habit::{Few, Growing, Spread};
use Value::{Number, Text};

/// All of them, in their order
pub const COLUMNS: &[Column] = &[
    column(
        "rank",
        "",
        Number(|call| call.source.part.rank().into()),
        Few,
    ),
    column(
        "host",
        "",
        Text(|_| 1, |call, to| text::path(to, call.source.part.host())),
        Few,
    ),
    column("pid", "", Number(|call| call.source.part.pid().into()), Few),
    column(
        "thread",
        "",
        Number(|call| call.timed.event.thread.into()),
        Few,
    ),
    column("id", "", Number(|call| call.timed.event.id as i64), Growing),
    column(
        "parent",
        "",
        Number(|call| call.timed.event.parent as i64),
        Few,
    ),
    column("ts", "ns", Number(|call| call.timed.start.0), Growing),
    column("dur", "ns", Number(|call| call.timed.elapse().0), Spread),
    column(
        "layer",
        "",
        Text(of_op, |call, to| plain(to, layer(call.op()))),
        Few,
    ),
    column(
        "kind",
        "",
        Text(of_op, |call, to| plain(to, kind(call.op()))),
        Few,
    ),
    column(
        "op",
        "",
        Text(of_op, |call, to| text::path(to, name(call.op()))),
        Few,
    ),
    column(
        "path",
        "",
        Text(
            |call| call.timed.event.file,
            |call, to| path(call, to, call.timed.event.file),
        ),
        Few,
    ),
    column(
        "off",
        "bytes",
        Number(|call| call.timed.event.offset),
        Spread,
    ),
    column(
        "len",
        "bytes",
        Number(|call| call.timed.event.length as i64),
        Few,
    ),
    column("ret", "", Number(|call| call.timed.event.ret), Few),
    column(
        "bytes_read",
        "bytes",
        Number(|call| call.moved().read as i64),
        Few,
    ),
    column(
        "bytes_written",
        "bytes",
        Number(|call| call.moved().written as i64),
        Few,
    ),
    column(
        "errno",
        "",
        Text(
            |call| call.timed.event.errno.into(),
            |call, to| error(call, to),
        ),
        Few,
    ),
    column("fd", "", Number(|call| call.timed.event.fd.into()), Few),
    column(
        "path2",
        "",
        Text(
            |call| second(call).file,
            |call, to| path(call, to, second(call).file),
        ),
        Few,
    ),
    column("fd2", "", Number(|call| second(call).fd.into()), Few),
    column("off2", "bytes", Number(|call| second(call).offset), Few),
    column(
        "whence",
        "",
        Number(|call| call.timed.event.whence.into()),
        Few,
    ),
    column(
        "flags",
        "",
        Number(|call| call.timed.event.flags.into()),
        Few,
    ),
    column(
        "stripe",
        "",
        Text(stripe_key, |call, to| plain_bytes(to, stripe(call))),
        Few,
    ),
];

const fn column(name: &'static str, unit: &'static str, value: Value, habit: Habit) -> Column {
    Column {
        name,
        unit,
        value,
        habit,
    }
}

/// A call's op id is not 0.
fn of_op(call: &Call) -> u32 {
    call.timed.event.op.into()
}

fn name<'c>(op: Option<Op<'c>>) -> &'c [u8] {
    op.map_or(b"", |op| op.name)
}

fn layer(op: Option<Op>) -> &'static str {
    text::layer(op.map_or(u8::MAX, |op| op.layer))
}

/// A kind in a word; numbers are those of the format
pub fn kind(op: Option<Op>) -> &'static str {
    const KINDS: [&str; 10] = [
        "other", "open", "close", "read", "write", "seek", "sync", "meta", "map", "process",
    ];
    let kind = op.map_or(0, |op| usize::from(op.kind));
    KINDS.get(kind).copied().unwrap_or("other")
}

fn path(call: &Call, to: &mut Vec<u8>, file: u32) {
    text::path(to, call.path(file));
}

fn error(call: &Call, to: &mut Vec<u8>) {
    let number = call.timed.event.errno;
    match errno::name(number) {
        Some(name) => plain(to, name),
        None => plain(to, &number.to_string()),
    }
}

fn second(call: &Call) -> Second {
    match call.timed.event.flags & flags::MORE {
        0 => Second::NONE,
        _ => call.timed.event.second,
    }
}

fn stripe<'c>(call: &Call<'c>) -> &'c [u8] {
    let file = call.timed.event.file;
    call.source.names.stripe(file).unwrap_or_default()
}

fn stripe_key(call: &Call) -> u32 {
    match stripe(call) {
        [] => 0,
        _ => call.timed.event.file,
    }
}

fn plain(to: &mut Vec<u8>, text: &str) {
    to.extend_from_slice(text.as_bytes());
}

fn plain_bytes(to: &mut Vec<u8>, bytes: &[u8]) {
    text::path(to, bytes);
}

/// The texts of one column of one process, each made once
pub struct Texts<T> {
    by_key: Vec<Option<T>>,
}

/// Keys from here on are not remembered: none of a sound trace is so large.
const KEPT: usize = 1 << 22;

impl<T: Clone> Texts<T> {
    /// None yet
    pub fn new() -> Texts<T> {
        Texts { by_key: Vec::new() }
    }

    /// Another process begins
    pub fn forget(&mut self) {
        self.by_key.clear();
    }

    /// That of a key
    pub fn get(&mut self, key: u32, make: impl FnOnce() -> T) -> T {
        let key = key as usize;
        if key >= KEPT {
            return make();
        }
        if self.by_key.len() <= key {
            self.by_key.resize(key + 1, None);
        }
        self.by_key[key].get_or_insert_with(make).clone()
    }
}
