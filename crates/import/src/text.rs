//! Lines of `iota text`, short or with all columns. Of short ones paths of descriptors are found again by the calls
//! that opened them.

use crate::builder::Builder;
use crate::details;
use crate::format::Format;
use crate::lines::{Lines, nanos, number, path, span, wrong};
use iota_calls::{Counts, Effects, Handles, Kind, Layer};
use iota_trace::read::Op;
use iota_trace::write::PartId;
use iota_trace::{Event, Second, errno, flags, lustre, text};
use std::collections::HashMap;

/// TAB-separated lines
pub struct Text;

impl Format for Text {
    fn knows(&self, line: &[u8]) -> bool {
        line.starts_with(b"# task\tstart\telapse") || TextLine::parse(line).is_ok()
    }

    fn read(&self, lines: &mut Lines, to: &mut Builder) -> anyhow::Result<()> {
        let (mut tasks, mut commands) = (Tasks::default(), 0);
        lines.each(|line| {
            if let Some(comment) = line.strip_prefix(b"#") {
                return Ok(fact(comment.trim_ascii(), &mut commands, to));
            }
            match TextLine::parse(line) {
                Ok(line) => tasks.call(&line, to),
                Err(cause) => Ok(Err(cause)),
            }
        })
    }
}

/// A line of the head
fn fact(comment: &[u8], commands: &mut u32, to: &mut Builder) -> Result<(), String> {
    let Some(colon) = comment.windows(2).position(|two| two == b": ") else {
        if let Some(version) = comment.strip_prefix(b"iota ") {
            to.about.version = version
                .split(|byte| *byte == b',')
                .next()
                .unwrap_or_default()
                .to_vec();
        }
        return Ok(());
    };
    let (key, value) = (&comment[..colon], &comment[colon + 2..]);
    let words: Vec<&[u8]> = value.split(|byte| *byte == b' ').collect();
    match key {
        b"start" => {
            let start = nanos("time", words[0])?;
            to.start.get_or_insert(start);
        }
        b"hosts" => to.about.host = path(value).unwrap_or_default(),
        // Of several programs nobody knows which ranks ran which.
        b"command" => {
            *commands += 1;
            to.about.argv = if *commands == 1 {
                arguments(value)
            } else {
                Vec::new()
            };
        }
        b"ranks" => {
            let of = words.last().ok_or("no number of ranks")?;
            to.about.size = number("number of ranks", of)?;
        }
        b"calls" => {
            let lost = words
                .iter()
                .position(|word| *word == b"lost")
                .and_then(|at| words.get(at.checked_sub(1)?));
            to.lose(lost.map_or(Ok(0), |lost| number("number of calls", lost))?);
        }
        _ => {}
    }
    Ok(())
}

/// A command line as it is printed: words, some of them in single quotes
fn arguments(command: &[u8]) -> Vec<u8> {
    let (mut argv, mut quoted, mut bytes) = (Vec::new(), false, command.iter());
    while let Some(byte) = bytes.next() {
        match byte {
            b'\'' => quoted = !quoted,
            b'\\' if !quoted && bytes.as_slice().first() == Some(&b'\'') => {
                argv.extend(bytes.next());
            }
            b' ' if !quoted => argv.push(0),
            _ => argv.push(*byte),
        }
    }
    let mut argv = path(&argv).unwrap_or_default();
    argv.push(0);
    argv
}

/// A line's fields
struct TextLine<'l> {
    task: u32,
    span: (i64, i64),
    offset: i64,
    op: &'l [u8],
    ret: i64,
    subject: &'l [u8],
    layout: &'l [u8],
    long: Option<Long<'l>>,
}

/// What a line with all columns has more
struct Long<'l> {
    length: u64,
    thread: u32,
    errno: u16,
    layer: u8,
    id: u64,
    parent: u64,
    path: &'l [u8],
    second: &'l [u8],
    pid: u32,
    details: &'l [u8],
}

impl<'l> TextLine<'l> {
    fn parse(line: &'l [u8]) -> Result<TextLine<'l>, String> {
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b'\t').collect();
        let [task, start, elapse, offset, op, ret, subject, more @ ..] = &fields[..] else {
            return Err(format!(
                "{} fields between TABs instead of 7 or 17",
                fields.len()
            ));
        };
        let long = match more {
            [] | [_] => None,
            [_, long @ ..] => Some(Long::parse(long)?),
        };
        let (start, elapse) = (nanos("time", start)?, nanos("time", elapse)?);
        Ok(TextLine {
            task: number("task", task)?,
            span: span(Some(start), start.checked_add(elapse))?,
            offset: number("offset", offset)?,
            op,
            ret: number("result", ret)?,
            subject,
            layout: more.first().copied().unwrap_or(b"-"),
            long,
        })
    }
}

impl<'l> Long<'l> {
    fn parse(fields: &[&'l [u8]]) -> Result<Long<'l>, String> {
        let [
            length,
            thread,
            error,
            layer,
            call,
            parent,
            path,
            second,
            pid,
            details @ ..,
        ] = fields
        else {
            return Err(format!(
                "{} fields between TABs instead of 7 or 17",
                fields.len() + 8
            ));
        };
        Ok(Long {
            length: number("length", length)?,
            thread: number("thread", thread)?,
            errno: error_number(error)?,
            layer: (0..=u8::MAX)
                .find(|n| Layer::of(*n).is_some() && text::layer(*n).as_bytes() == *layer)
                .unwrap_or(u8::MAX),
            id: call_number(call)?,
            parent: call_number(parent)?,
            path,
            second,
            pid: number("process", pid)?,
            details: details.first().copied().unwrap_or_default(),
        })
    }
}

fn error_number(field: &[u8]) -> Result<u16, String> {
    let name = std::str::from_utf8(field).ok();
    let name = name.and_then(errno::any_number);
    match name {
        Some((known, _)) => Ok(known),
        None if field == b"-" => Ok(0),
        None => number("name of an error", field),
    }
}

/// `thread.number`
fn call_number(field: &[u8]) -> Result<u64, String> {
    if field == b"-" {
        return Ok(0);
    }
    let digits = field
        .rsplit(|byte| *byte == b'.')
        .next()
        .unwrap_or_default();
    number("number of a call", digits)
}

fn layout(field: &[u8]) -> Option<Vec<u8>> {
    lustre::parse(std::str::from_utf8(field).ok()?)
}

/// What is known of tasks while their lines come
#[derive(Default)]
struct Tasks {
    /// Paths by task and descriptor
    open: HashMap<(u32, i64), Vec<u8>>,
}

impl Tasks {
    fn call(&mut self, line: &TextLine, to: &mut Builder) -> anyhow::Result<Result<(), String>> {
        let pid = line
            .long
            .as_ref()
            .map_or(line.task.saturating_add(1), |long| long.pid);
        let part = to.part(line.task, pid);
        let function = to.function(line.op);
        let opens = function.is_some_and(|op| op.kind == Kind::Open as u8);
        let fd: Option<i32> = number("descriptor", line.subject).ok().filter(|_| !opens);
        let found = match (&line.long, fd) {
            (Some(long), Some(_)) => path(long.path),
            (None, Some(fd)) => self.open.get(&(line.task, fd.into())).cloned(),
            (_, None) => path(line.subject),
        };
        if fd.is_none() && found.as_ref().is_some_and(|path| path.is_empty()) {
            return Ok(Err(wrong("path or descriptor", line.subject)));
        }
        if line.long.is_none() {
            self.learn(line, function, fd, found.as_deref());
        }
        let mut file = to.file(part, &found.unwrap_or_default());
        if let Some(layout) = layout(line.layout).filter(|_| file != 0) {
            file = to.layout(part, file, &layout);
        }
        let column = line.long.as_ref().map_or(&b""[..], |long| long.details);
        let details = match details::parse(column) {
            Ok(details) => details,
            Err(cause) => return Ok(Err(cause)),
        };
        let mut event = event(line, part, fd.unwrap_or(-1), file, to);
        event.flags |= details.flags;
        event.whence = details
            .whence
            .unwrap_or_else(|| least_item(function, &event));
        if event.flags & flags::MORE != 0 {
            event.second.offset = details.second_offset.unwrap_or(-1);
            if let Some(path) = &details.second_path {
                event.second.file = to.file(part, path);
            }
        }
        let forms = details.forms.into_iter().map(|form| to.details(part, form));
        let details: Vec<_> = forms.collect();
        to.detailed_call(part, event, &details)?;
        Ok(Ok(()))
    }

    /// Follows descriptors, where lines do not tell their paths.
    fn learn(
        &mut self,
        line: &TextLine,
        function: Option<Op>,
        fd: Option<i32>,
        path: Option<&[u8]>,
    ) {
        let Some(function) = function else {
            return;
        };
        let (kind, effects) = (Kind::of(function.kind), Effects::of_byte(function.effects));
        let makes = kind == Kind::Open || effects.handles == Handles::Duplicates;
        match path {
            _ if kind == Kind::Close => {
                self.open.remove(&(line.task, fd.unwrap_or(-1).into()));
            }
            Some(path) if makes && line.ret >= 0 => {
                self.open.insert((line.task, line.ret), path.to_owned());
            }
            _ => {}
        }
    }
}

/// The size of items of which no more is known than that they have a byte; 0 for a call that moves no items
fn least_item(function: Option<Op>, event: &Event) -> u16 {
    let counts = function.map(|function| Effects::of_byte(function.effects).counts);
    u16::from(counts == Some(Counts::Items) && event.ret > 0)
}

fn event(line: &TextLine, part: PartId, fd: i32, file: u32, to: &mut Builder) -> Event {
    let mut event = Event {
        start: line.span.0,
        end: line.span.1,
        ret: line.ret,
        offset: line.offset,
        thread: line.task.saturating_add(1),
        file,
        fd,
        ..Event::default()
    };
    let Some(long) = &line.long else {
        event.op = to.op(part, line.op, Layer::Posix, Kind::Other);
        // What was asked for is not known; as much as came, at least.
        event.length = line.ret.max(0) as u64;
        return event;
    };
    event.op = to.op_of(part, line.op, long.layer);
    (event.length, event.thread, event.errno) = (long.length, long.thread, long.errno);
    (event.id, event.parent) = (long.id, long.parent);
    if let Some(second) = path(long.second) {
        event.flags |= flags::MORE;
        event.second = match number("descriptor", long.second) {
            Ok(fd) => Second { fd, ..Second::NONE },
            Err(_) => Second {
                file: to.file(part, &second),
                ..Second::NONE
            },
        };
    }
    event
}
