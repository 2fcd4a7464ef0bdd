//! Traces of calls of MPI-IO and of what they caused, made to measure.

use iota_calls::{self as calls, Effects, Kind, Layer, Unit};
use iota_trace::names::Op;
use iota_trace::read::Form;
use iota_trace::write::{PartId, ProcessFacts, Writer};
use iota_trace::{Details, Event, Nanos};
use std::collections::BTreeMap;

/// A trace under way
pub struct Tree {
    writer: Writer,
    parts: BTreeMap<u32, PartId>,
    /// The number of the next call of each rank that was given none
    next: BTreeMap<u32, u64>,
    size: u32,
    hosts: u32,
    /// How many jobs ran before it, each for a minute
    before: u32,
    /// Whether each rank has a job id of its own
    has_ids: bool,
}

/// A call of MPI-IO
#[derive(Clone, Copy)]
pub struct Mpi<'a> {
    pub op: &'a str,
    pub rank: u32,
    /// 0: the next
    pub id: u64,
    pub parent: u64,
    pub thread: u32,
    pub start: i64,
    pub end: i64,
    pub file: &'a str,
    pub offset: i64,
    /// Asked for and moved
    pub bytes: u64,
    pub errno: u16,
    pub flags: u16,
    pub collective: u64,
    pub ranks: u64,
    pub begun: u64,
    /// Where it began, if elsewhere: thread and number
    pub began: (u32, u64),
    pub hints: &'a str,
    /// Those that an open was given
    pub asked: &'a str,
    /// Sizes of etype and filetype, extent of the latter
    pub view: [u64; 3],
}

/// A call below
#[derive(Clone, Copy)]
pub struct Sub<'a> {
    pub op: &'a str,
    pub rank: u32,
    pub id: u64,
    pub parent: u64,
    pub thread: u32,
    pub start: i64,
    pub end: i64,
    pub file: &'a str,
    pub offset: i64,
    pub bytes: u64,
    pub flags: u16,
    /// What caused it, if it says so: thread and number
    pub cause: (u32, u64),
}

/// A call of another layer above descriptors
#[derive(Clone, Copy)]
pub struct Upper<'a> {
    pub op: &'a str,
    pub layer: Layer,
    pub kind: Kind,
    pub rank: u32,
    pub id: u64,
    pub parent: u64,
    pub thread: u32,
    pub start: i64,
    pub end: i64,
    pub file: &'a str,
    pub bytes: u64,
    pub flags: u16,
    /// What it names, if anything
    pub object: &'a str,
    /// What else its details say
    pub says: &'a [(&'a str, u64)],
    pub words: &'a [(&'a str, &'a str)],
}

pub const UPPER: Upper<'static> = Upper {
    op: "H5Dwrite",
    layer: Layer::Hdf5,
    kind: Kind::Write,
    rank: 0,
    id: 0,
    parent: 0,
    thread: 1,
    start: 0,
    end: 0,
    file: "/scratch/shared",
    bytes: 0,
    flags: 0,
    object: "",
    says: &[],
    words: &[],
};

/// A call of a function that a user named
pub const USER: Upper<'static> = Upper {
    op: "write_checkpoint_",
    layer: Layer::User,
    kind: Kind::Other,
    file: "",
    ..UPPER
};

pub const MPI: Mpi<'static> = Mpi {
    op: "MPI_File_write_at",
    rank: 0,
    id: 0,
    parent: 0,
    thread: 1,
    start: 0,
    end: 0,
    file: "/scratch/shared",
    offset: 0,
    bytes: 0,
    errno: 0,
    flags: 0,
    collective: 0,
    ranks: 0,
    begun: 0,
    began: (0, 0),
    hints: "",
    asked: "",
    view: [0; 3],
};

pub const SUB: Sub<'static> = Sub {
    op: "pwrite64",
    rank: 0,
    id: 0,
    parent: 0,
    thread: 1,
    start: 0,
    end: 0,
    file: "/scratch/shared",
    offset: 0,
    bytes: 0,
    flags: 0,
    cause: (0, 0),
};

impl Tree {
    /// Of a job of so many ranks on so many nodes
    pub fn new(size: u32, hosts: u32) -> Tree {
        Tree {
            writer: Writer::new(tempfile::tempfile().unwrap()),
            parts: BTreeMap::new(),
            next: BTreeMap::new(),
            size,
            hosts,
            before: 0,
            has_ids: false,
        }
    }

    /// The same of a later job
    pub fn after(self, before: u32) -> Tree {
        Tree { before, ..self }
    }

    /// The same, each rank of which was started by an `iota run` of its own
    pub fn with_ids(self) -> Tree {
        Tree {
            has_ids: true,
            ..self
        }
    }

    fn part(&mut self, rank: u32) -> PartId {
        let about = ProcessFacts {
            size: self.size,
            host: format!("node{}", rank % self.hosts).into_bytes(),
            exe: b"/home/u/app/flash".into(),
            job: match self.has_ids {
                true => rank.to_string().into_bytes(),
                false => Vec::new(),
            },
            ..ProcessFacts::default()
        };
        let (writer, pid) = (&mut self.writer, 4000 + 100 * self.before + rank);
        *self
            .parts
            .entry(rank)
            .or_insert_with(|| writer.part(rank, pid, about))
    }

    /// The number of a rank's next call
    pub fn number(&mut self, rank: u32, given: u64) -> u64 {
        let next = self.next.entry(rank).or_insert(1);
        let id = if given == 0 { *next } else { given };
        *next = (*next).max(id) + 1;
        id
    }

    /// Details of the tracer's form; fields that are not named are 0
    fn form(&mut self, part: PartId, form: calls::Form, named: &[(&str, u64)]) -> Details {
        let info = form.info().unwrap();
        let is_known = |name: &str| info.fields.iter().any(|field| field.name == name);
        assert!(named.iter().all(|(name, _)| is_known(name)), "{named:?}");
        let value = |name: &str| named.iter().find(|(known, _)| *known == name);
        let values = info.fields.iter().map(|field| value(field.name));
        let values: Vec<u64> = values.map(|named| named.map_or(0, |(_, n)| *n)).collect();
        let fields = info.fields.iter();
        let fields = fields.map(|field| (field.unit, field.name.as_bytes().to_owned()));
        let form = Form {
            name: info.name.as_bytes().to_owned(),
            fields: fields.collect(),
        };
        Details::new(self.writer.form(part, form), &values)
    }

    /// A call of MPI-IO; returns its number
    pub fn mpi(&mut self, call: &Mpi) -> u64 {
        let part = self.part(call.rank);
        let id = self.number(call.rank, call.id);
        let (name, kind) = (call.op, kind(call.op));
        let mut named = vec![("ranks", call.ranks), ("collective", call.collective)];
        let form = match kind {
            _ if name.ends_with("set_view") => {
                let [etype, filetype, span] = call.view;
                named.extend([("etype", etype), ("filetype", filetype), ("span", span)]);
                named.push(("hints", self.text(part, call.hints)));
                calls::Form::MPIIO_VIEW
            }
            Kind::Open => {
                named.push(("hints", self.text(part, call.hints)));
                named.push(("asked", self.text(part, call.asked)));
                calls::Form::MPIIO_OPEN
            }
            _ => {
                let (thread, number) = call.began;
                named.extend([("extent", call.bytes), ("begun", call.begun)]);
                named.extend([("thread", thread.into()), ("call", number)]);
                calls::Form::MPIIO
            }
        };
        let details = self.form(part, form, &named);
        let file = self.writer.file(part, call.file.as_bytes());
        let event = Event {
            start: call.start,
            end: call.end,
            ret: if call.errno == 0 {
                call.bytes as i64
            } else {
                -1
            },
            offset: call.offset,
            length: call.bytes,
            id,
            parent: call.parent,
            thread: call.thread,
            file,
            fd: -1,
            op: self.op(part, name, Layer::MpiIo, kind),
            errno: call.errno,
            flags: call.flags,
            ..Event::default()
        };
        self.writer.detailed_call(part, &event, &[details]).unwrap();
        id
    }

    /// A call of another layer above descriptors; returns its number
    pub fn upper(&mut self, call: &Upper) -> u64 {
        let part = self.part(call.rank);
        let id = self.number(call.rank, call.id);
        let mut fields = vec![(Unit::Text as u8, "object", self.text(part, call.object))];
        let says = call.says.iter();
        fields.extend(says.map(|(name, value)| (Unit::Number as u8, *name, *value)));
        for (name, word) in call.words {
            fields.push((Unit::Text as u8, name, self.text(part, word)));
        }
        let form = Form {
            name: b"array".to_vec(),
            fields: fields
                .iter()
                .map(|(unit, name, _)| (Unit::of(*unit), name.as_bytes().to_owned()))
                .collect(),
        };
        let values: Vec<u64> = fields.iter().map(|(.., value)| *value).collect();
        let details = match call.object {
            "" => Vec::new(),
            _ => vec![Details::new(self.writer.form(part, form), &values)],
        };
        let event = Event {
            start: call.start,
            end: call.end,
            ret: call.bytes as i64,
            length: call.bytes,
            offset: -1,
            id,
            parent: call.parent,
            thread: call.thread,
            file: match call.file {
                "" => 0,
                file => self.writer.file(part, file.as_bytes()),
            },
            fd: -1,
            op: self.op(part, call.op, call.layer, call.kind),
            flags: call.flags,
            ..Event::default()
        };
        self.writer.detailed_call(part, &event, &details).unwrap();
        id
    }

    /// A call below; returns its number
    pub fn sub(&mut self, call: &Sub) -> u64 {
        let part = self.part(call.rank);
        let id = self.number(call.rank, call.id);
        let known = calls::find(call.op.as_bytes());
        let (layer, kind) = known.map_or((Layer::Server, Kind::Write), |row| (row.layer, row.kind));
        let details: Vec<Details> = match call.cause {
            (_, 0) => Vec::new(),
            (thread, number) => {
                let named = [("thread", thread.into()), ("call", number)];
                vec![self.form(part, calls::Form::CAUSE, &named)]
            }
        };
        let event = Event {
            start: call.start,
            end: call.end,
            ret: call.bytes as i64,
            offset: call.offset,
            length: call.bytes,
            id,
            parent: call.parent,
            thread: call.thread,
            file: self.writer.file(part, call.file.as_bytes()),
            fd: 3,
            op: self.op(part, call.op, layer, kind),
            flags: call.flags,
            ..Event::default()
        };
        self.writer.detailed_call(part, &event, &details).unwrap();
        id
    }

    fn text(&mut self, part: PartId, text: &str) -> u64 {
        match text {
            "" => 0,
            text => self.writer.text(part, text.as_bytes()).into(),
        }
    }

    fn op(&mut self, part: PartId, name: &str, layer: Layer, kind: Kind) -> u16 {
        let effects =
            calls::find(name.as_bytes()).map_or(Effects::of_kind(kind), |row| row.effects());
        let op = Op {
            name: name.as_bytes(),
            layer: layer as u8,
            kind: kind as u8,
            effects: effects.byte(),
        };
        self.writer.op(part, op)
    }

    /// The trace
    pub fn finish(self) -> Vec<u8> {
        let mut out = Vec::new();
        let start = 1_795_240_800_000_000_000 + 60_000_000_000 * i64::from(self.before);
        self.writer.finish(Nanos(start), &mut out).unwrap();
        out
    }
}

/// What a function does, by its name
fn kind(name: &str) -> Kind {
    match name.trim_start_matches("MPI_File_") {
        name if name.ends_with("_end") || name.starts_with("MPI_") => Kind::Other,
        "open" => Kind::Open,
        "close" => Kind::Close,
        "sync" => Kind::Sync,
        name if name.starts_with("seek") => Kind::Seek,
        name if name.contains("write") => Kind::Write,
        name if name.contains("read") => Kind::Read,
        _ => Kind::Meta,
    }
}
