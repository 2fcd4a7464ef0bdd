//! The trace that logs become: processes by rank and number, functions by name.

use crate::details::{FormDetails, Value};
use anyhow::Context;
use iota_calls::{Effects, Kind, Layer, Op as Function, rows};
use iota_trace::lustre::blob;
use iota_trace::read::{Form, Op};
use iota_trace::write::{PartId, ProcessFacts, Writer, Written};
use iota_trace::{Details, Event, Nanos};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};

/// `lmm_pattern` of stripes
const RAID0: u32 = 1;

/// How a file lies on Lustre, as far as logs tell
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stripes {
    /// Bytes of each
    pub length: u32,
    /// How many
    pub count: u16,
    /// Where they are
    pub osts: Vec<u32>,
}

/// A trace under way
pub struct Builder {
    /// As people read it
    output: String,
    writer: Writer,
    parts: HashMap<(u32, u32), PartId>,
    /// What every process gets
    pub about: ProcessFacts,
    /// The moment that times count from, in ns since 1970, once it is known
    pub start: Option<i64>,
    /// Those that iota traces, by name
    functions: HashMap<&'static [u8], Op<'static>>,
    lost: u64,
    calls: HashMap<(PartId, u32), u64>,
}

impl Builder {
    /// An empty one; blocks wait in the spool
    pub fn new(spool: File, output: String) -> Builder {
        Builder {
            output,
            writer: Writer::new(spool),
            parts: HashMap::new(),
            about: ProcessFacts {
                version: env!("CARGO_PKG_VERSION").into(),
                flavour: b"converted".to_vec(),
                size: 1,
                ..ProcessFacts::default()
            },
            start: None,
            functions: rows()
                .filter_map(|(op, _)| op_of(op))
                .map(|op| (op.name, op))
                .collect(),
            lost: 0,
            calls: HashMap::new(),
        }
    }

    /// A process that is known already, or a new one
    pub fn part(&mut self, rank: u32, pid: u32) -> PartId {
        let (writer, about) = (&mut self.writer, &self.about);
        let part = self.parts.entry((rank, pid));
        *part.or_insert_with(|| writer.part(rank, pid, about.clone()))
    }

    /// The process of this number has ended: another one has it next.
    pub fn forget(&mut self, rank: u32, pid: u32) {
        self.parts.remove(&(rank, pid));
    }

    /// What is known of a process
    pub fn about(&mut self, part: PartId) -> &mut ProcessFacts {
        self.writer.about(part)
    }

    /// A function that iota traces
    pub fn function(&self, name: &[u8]) -> Option<Op<'static>> {
        self.functions.get(name).copied()
    }

    /// A function; of one that iota does not trace, layer and kind are as said
    pub fn op(&mut self, part: PartId, name: &[u8], layer: Layer, kind: Kind) -> u16 {
        let op = self.function(name).unwrap_or(Op {
            name,
            layer: layer as u8,
            kind: kind as u8,
            effects: Effects::of_kind(kind).byte(),
        });
        self.writer.op(part, op)
    }

    /// A function of a layer that the log names
    pub fn op_of(&mut self, part: PartId, name: &[u8], layer: u8) -> u16 {
        let known = self.function(name).filter(|known| known.layer == layer);
        let op = known.unwrap_or(Op {
            name,
            layer,
            kind: Kind::Other as u8,
            effects: Effects::NONE.byte(),
        });
        self.writer.op(part, op)
    }

    /// A function that does as this one, under another name
    pub fn op_as(&mut self, part: PartId, name: &[u8], function: Function) -> u16 {
        match op_of(function) {
            Some(op) => self.writer.op(part, Op { name, ..op }),
            None => self.op(part, name, Layer::User, Kind::Other),
        }
    }

    /// A path's number in a process
    pub fn file(&mut self, part: PartId, path: &[u8]) -> u32 {
        self.writer.file(part, path)
    }

    /// How a file lies on Lustre
    pub fn layout(&mut self, part: PartId, file: u32, layout: &[u8]) -> u32 {
        self.writer.layout(part, file, layout)
    }

    /// The same of a file in stripes of one kind
    pub fn stripes(&mut self, part: PartId, file: u32, stripes: &Stripes) -> u32 {
        let layout = blob::plain(RAID0, stripes.length, stripes.count, &stripes.osts, None);
        self.layout(part, file, &layout)
    }

    /// A call; one without a number gets its thread's next
    pub fn call(&mut self, part: PartId, event: Event) -> anyhow::Result<()> {
        self.detailed_call(part, event, &[])
    }

    /// The numbers that stand for details
    pub fn details(&mut self, part: PartId, details: FormDetails) -> Details {
        let form = Form {
            name: details.form,
            fields: details.fields,
        };
        let form = self.writer.form(part, form);
        let number = |value| match value {
            Value::Number(number) => number,
            Value::Text(text) => self.writer.text(part, &text).into(),
        };
        let numbers: Vec<u64> = details.values.into_iter().map(number).collect();
        Details::new(form, &numbers)
    }

    /// A call with details
    pub fn detailed_call(
        &mut self,
        part: PartId,
        mut event: Event,
        details: &[Details],
    ) -> anyhow::Result<()> {
        if event.id == 0 {
            let calls = self.calls.entry((part, event.thread)).or_insert(0);
            *calls += 1;
            event.id = *calls;
        }
        let written = self.writer.detailed_call(part, &event, details);
        written.with_context(|| self.output.clone())
    }

    /// So many calls should be there, and are not
    pub fn lose(&mut self, calls: u64) {
        self.lost = self.lost.saturating_add(calls);
    }

    /// Writes the trace
    pub fn finish(mut self, out: impl Write) -> io::Result<Written> {
        // A trace has a process.
        let first = match self.parts.iter().min() {
            Some((_, first)) => *first,
            None => self.part(0, 1),
        };
        let about = self.writer.about(first);
        about.lost = about.lost.saturating_add(self.lost);
        let start = Nanos(self.start.unwrap_or(0));
        let mut out = io::BufWriter::with_capacity(1 << 20, out);
        let written = self.writer.finish(start, &mut out)?;
        out.flush()?;
        Ok(written)
    }
}

fn op_of(op: Function) -> Option<Op<'static>> {
    op.info().map(Op::from)
}
