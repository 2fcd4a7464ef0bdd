//! A process as it stands in the trace: what is known of it, its names and blocks, its end.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::FileExt;

use crate::block::{Header, Ids};
use crate::clock::{Anchor, TICK};
use crate::names::{self, Op};
use crate::part::{End, Process, source};
use crate::read::{Form, Group};
use crate::{Nanos, Record};

/// Ticks of step 0: half of all, so that times before the start have a number too.
pub const ORIGIN: u64 = 1 << 62;

/// What is known of a process besides its calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessFacts {
    /// Ranks of the job.
    pub size: u32,
    /// The parent.
    pub ppid: u32,
    /// The node.
    pub host: Vec<u8>,
    /// Path of the program.
    pub exe: Vec<u8>,
    /// Its arguments, a NUL after each.
    pub argv: Vec<u8>,
    /// Its working directory.
    pub cwd: Vec<u8>,
    /// The batch system's job id.
    pub job: Vec<u8>,
    /// Version of what wrote the trace.
    pub version: Vec<u8>,
    /// Where the calls come from.
    pub flavour: Vec<u8>,
    /// Calls that are known to be missing.
    pub lost: u64,
    /// Calls that were left out on purpose.
    pub filtered: u64,
    /// Why it ended, see [`crate::part::reason`].
    pub reason: u8,
}

/// A process.
pub struct ProcessDraft {
    pub ids: Ids,
    pub about: ProcessFacts,
    pub files: HashMap<Vec<u8>, u32>,
    /// Ids given.
    named: u32,
    pub layouts: HashMap<u32, Vec<u8>>,
    pub ops: HashMap<(Vec<u8>, [u8; 3]), u16>,
    pub forms: Vec<Form>,
    pub texts: HashMap<Vec<u8>, u32>,
    /// Names that no block holds yet.
    pub unwritten: Vec<NewName>,
    pub threads: BTreeMap<u32, Vec<Record>>,
    /// Its blocks in the spool.
    pub blocks: Vec<(u64, u32)>,
    /// Tells it from other processes of the same id: made of its rank, of how many had the id before, and of its blocks, so
    /// that what is converted twice is the same process.
    identity: u64,
    pub calls: u64,
    /// The end of the last, in ns since the job's start.
    pub last: i64,
}

/// A name that no block holds yet.
pub enum NewName {
    File(u32, Vec<u8>),
    Layout(u32, Vec<u8>),
    Op(u16, [u8; 3], Vec<u8>),
    Form(u16, Form),
    Text(u32, Vec<u8>),
}

impl NewName {
    /// Bytes of the name itself.
    pub fn len(&self) -> usize {
        match self {
            NewName::File(_, name)
            | NewName::Layout(_, name)
            | NewName::Op(.., name)
            | NewName::Text(_, name) => name.len(),
            NewName::Form(_, form) => {
                let fields = form.fields.iter().map(|(_, name)| name.len() + 4);
                form.name.len() + fields.sum::<usize>()
            }
        }
    }

    /// `false`: it did not fit.
    pub fn put<'n>(&'n self, to: &mut names::NamesWriter<'_, 'n>) -> bool {
        match self {
            NewName::File(id, path) => to.file(*id, path),
            NewName::Layout(file, layout) => to.layout(*file, layout),
            NewName::Form(id, form) => {
                let fields = form.fields.iter();
                let fields = fields.map(|(unit, name)| (*unit as u8, &name[..]));
                to.form_of(*id, &form.name, fields)
            }
            NewName::Text(id, text) => to.text(*id, text),
            NewName::Op(id, [layer, kind, effects], name) => {
                let op = Op {
                    name,
                    layer: *layer,
                    kind: *kind,
                    effects: *effects,
                };
                to.op(*id, op)
            }
        }
    }
}

impl ProcessDraft {
    /// Without calls and names; so many of these ids were before.
    pub fn new(ids: Ids, namesakes: u64, about: ProcessFacts) -> ProcessDraft {
        ProcessDraft {
            ids,
            about,
            files: HashMap::new(),
            named: 0,
            layouts: HashMap::new(),
            ops: HashMap::new(),
            forms: Vec::new(),
            texts: HashMap::new(),
            unwritten: Vec::new(),
            threads: BTreeMap::new(),
            blocks: Vec::new(),
            identity: u64::from(ids.rank) ^ namesakes.wrapping_mul(0x9E37_79B1),
            calls: 0,
            last: 0,
        }
    }

    /// Gives a path an id.
    pub fn name(&mut self, path: Vec<u8>) -> u32 {
        self.named += 1;
        self.unwritten.push(NewName::File(self.named, path.clone()));
        self.files.insert(path, self.named);
        self.named
    }

    /// Its next block stands in the spool at `at`.
    pub fn append(&mut self, at: u64, block: &[u8]) {
        // As FNV does; the checksum stands for the block.
        let sum = Header::parse(block).map_or(0, |header| header.crc);
        self.identity = (self.identity ^ u64::from(sum)).wrapping_mul(0x100_0000_01b3);
        self.blocks.push((at, block.len() as u32));
    }

    /// Writes it as a segment.
    pub fn write<W: Write>(&self, spool: &File, start: Nanos, to: &mut Group<W>) -> io::Result<()> {
        to.part(self.ids, |part| {
            part.add_block(&self.begin(start)?)?;
            for (at, len) in &self.blocks {
                let mut block = vec![0; *len as usize];
                spool.read_exact_at(&mut block, *at)?;
                part.add_block(&block)?;
            }
            part.add_block(&self.end(start)?)
        })
    }

    fn begin(&self, start: Nanos) -> io::Result<Vec<u8>> {
        let about = &self.about;
        let process = Process {
            version: &about.version,
            size: about.size,
            ppid: about.ppid,
            host: &about.host,
            exe: &about.exe,
            argv: &about.argv,
            cwd: &about.cwd,
            job: &about.job,
            flavour: &about.flavour,
            start: anchor(start, 0),
            rate: 1_000_000_000,
            source: source::MONOTONIC,
            step: TICK,
            random: self.identity as u32 | 1,
            ..Process::default()
        };
        let texts = [&about.host, &about.exe, &about.argv, &about.cwd, &about.job];
        let room = texts.iter().map(|text| text.len()).sum::<usize>() + (1 << 11);
        framed(room, |out| process.write(self.ids, out))
    }

    fn end(&self, start: Nanos) -> io::Result<Vec<u8>> {
        let about = &self.about;
        let end = End {
            captured: self.calls,
            filtered: about.filtered,
            lost: about.lost,
            end: anchor(start, self.last),
            reason: about.reason,
            ..End::default()
        };
        framed(1 << 10, |out| end.write(self.ids, out))
    }
}

fn anchor(start: Nanos, elapsed: i64) -> Anchor {
    let elapsed = elapsed.max(0) as u64;
    Anchor {
        ticks: ORIGIN + elapsed,
        monotonic: elapsed,
        realtime: (start.0 as u64).wrapping_add(elapsed),
    }
}

fn framed(room: usize, write: impl FnOnce(&mut [u8]) -> Option<usize>) -> io::Result<Vec<u8>> {
    let mut block = vec![0; room];
    let len = write(&mut block).ok_or_else(too_small)?;
    block.truncate(len);
    Ok(block)
}

/// A name or a block found no room.
pub fn too_small() -> io::Error {
    io::Error::new(
        ErrorKind::InvalidInput,
        "a name or a block is longer than the format allows",
    )
}
