//! A call as accumulators see it, and several that are alike.

use crate::{FileId, Function, Ids, Media, Medium, Moved, NO_FILE, ObjectId, OpId, SiteId, TaskId};
use iota_calls::Kind;
use iota_trace::lustre::Layout;
use iota_trace::read::Form;
use iota_trace::{Details, Event, decode, flags};
use serde::{Deserialize, Serialize};

/// The process that called: one part of the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// The part's place in [`iota_trace::read::Trace::parts`].
    pub part: u32,
    /// Rank in MPI_COMM_WORLD; 0 without MPI.
    pub rank: u32,
    /// What sharing and balance count it by: its rank, or, in a job without ranks, its process.
    pub task: TaskId,
    /// Its process id on its node.
    pub pid: u32,
    /// Its host's number in the job.
    pub host: u32,
    /// How many of its threads have calls.
    pub threads: u32,
    /// Whether no earlier part is of the same process.
    pub is_first: bool,
    /// The launch of an MPI program that it is of: collective calls are of processes of one.
    pub launch: u32,
}

/// One call.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// What the trace says of it; its times are clock steps, its ids those of the part.
    pub event: &'a Event,
    /// Who called.
    pub process: &'a Process,
    /// Before the call, in ns since the job's start.
    pub start: i64,
    /// After the call.
    pub end: i64,
    /// The file's number in the job; [`crate::NO_FILE`]: none, or its name was lost.
    pub file: FileId,
    /// That of the second file of a call on two.
    pub second: FileId,
    /// The dataset, variable or attribute that its details name. Where details are not read it is not known.
    pub object: ObjectId,
    /// From where it was made.
    pub site: SiteId,
    /// The function's number in the job.
    pub op: OpId,
    /// What is known of the function.
    pub function: &'a Function,
    /// Bytes that the call moved.
    pub moved: Moved,
    /// How its file lay on Lustre.
    pub layout: Option<Layout<'a>>,
}

impl Call<'_> {
    /// How long it took, in ns.
    #[inline(always)]
    pub fn elapse(&self) -> u64 {
        self.end.wrapping_sub(self.start).max(0) as u64
    }

    /// What it does.
    #[inline(always)]
    pub fn kind(&self) -> Kind {
        self.function.kind
    }

    /// Whether it counts: it is one of descriptors or streams, which what layers above them move comes down to. Where other
    /// layers were asked for alone ([`crate::Job::counting`]), it is one of these.
    #[inline(always)]
    pub fn is_io(&self) -> bool {
        self.function.is_io
    }

    /// Whether it read or wrote a file, however many bytes.
    #[inline(always)]
    pub fn is_transfer(&self) -> bool {
        matches!(self.function.kind, Kind::Read | Kind::Write)
    }

    /// Whether it moved bytes from one file to another.
    #[inline(always)]
    pub fn copies(&self) -> bool {
        self.moved.read > 0 && self.moved.written > 0
    }

    /// What one that copies did to each of its files.
    pub fn sides(&self) -> [(FileId, Moved); 2] {
        let Moved { read, written } = self.moved;
        let (from, to) = (Moved { read, written: 0 }, Moved { read: 0, written });
        match self.writes_first() {
            true => [(self.file, to), (self.second, from)],
            false => [(self.file, from), (self.second, to)],
        }
    }

    /// Whether the first file of one that copies is the one written to: of `sendfile` alone.
    pub fn writes_first(&self) -> bool {
        self.function.name.starts_with(b"sendfile")
    }

    /// Whether the call said that it failed.
    #[inline(always)]
    pub fn failed(&self) -> bool {
        self.event.errno != 0
    }

    /// Whether it failed because there is no such file.
    #[inline(always)]
    pub fn found_nothing(&self) -> bool {
        /// As every Linux has them.
        const ENOENT: u16 = 2;
        const ENOTDIR: u16 = 20;
        matches!(self.event.errno, ENOENT | ENOTDIR)
    }

    /// Whether a call encloses it that may count. (Calls of libraries do not, beside those of descriptors and streams.)
    #[inline(always)]
    pub fn is_enclosed(&self) -> bool {
        self.event.parent != 0 && (!self.is_under_library() || self.function.is_library)
    }

    /// Whether the call that encloses it is one of a library above descriptors and streams.
    #[inline(always)]
    pub fn is_under_library(&self) -> bool {
        self.event.flags & flags::UNDER_LIBRARY != 0
    }

    /// Whether all calls that enclose it are of functions that the user named.
    #[inline(always)]
    pub fn is_only_under_probes(&self) -> bool {
        self.event.flags & flags::UNDER_PROBE != 0
    }

    /// Whether MPI made it for itself, in MPI_Init or MPI_Finalize.
    #[inline(always)]
    pub fn is_startup(&self) -> bool {
        self.event.flags & flags::MPI_STARTUP != 0
    }

    /// Whether it is an asynchronous transfer, which no thread waits for.
    #[inline(always)]
    pub fn is_asynchronous(&self) -> bool {
        self.event.flags & flags::ASYNCHRONOUS != 0
    }

    /// Whether it is what the program itself waited for: an I/O call, of whatever layer, that no other I/O call encloses. The
    /// times of these of a thread do not overlap.
    #[inline(always)]
    pub fn is_outermost(&self) -> bool {
        let is_alone = self.event.parent == 0 || self.is_only_under_probes();
        self.function.does_io && is_alone && !self.is_asynchronous()
    }

    /// Whether the thread waited for it, and no call that counts encloses it: the times of such calls of a thread do not
    /// overlap, and their sum is the time that the thread spent in I/O.
    #[inline(always)]
    pub fn is_waited_for(&self) -> bool {
        let counts = self.function.is_io || !self.function.is_library;
        counts && !self.is_enclosed() && !self.is_asynchronous()
    }
}

/// Calls of a thread one after another that are alike: what [`Call`] tells of the first holds for all, but for times,
/// offsets and the event's number.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The first.
    pub first: Call<'a>,
    /// From one offset to the next; 0 where there is none.
    pub stride: i64,
    /// Start and end of each, in ns since the job's start.
    pub times: &'a [(i64, i64)],
    pub(crate) events: decode::Run<'a>,
}

impl Run<'_> {
    /// The calls one by one.
    #[inline(always)]
    pub fn each(&self, mut each: impl FnMut(&Call)) {
        let mut times = self.times.iter();
        self.events.each(|event| {
            if let Some(&(start, end)) = times.next() {
                each(&Call {
                    event,
                    start,
                    end,
                    ..self.first
                });
            }
        });
    }

    /// How many.
    #[inline(always)]
    pub fn count(&self) -> u64 {
        self.times.len() as u64
    }

    /// How long each took, in ns.
    #[inline(always)]
    pub fn elapses(&self) -> impl Iterator<Item = u64> {
        let elapse = |(start, end): &(i64, i64)| end.wrapping_sub(*start).max(0) as u64;
        self.times.iter().map(elapse)
    }

    /// The offset of each.
    #[inline(always)]
    pub fn offsets(&self) -> impl Iterator<Item = i64> {
        let (first, stride) = (self.first.event.offset, self.stride);
        (0..self.count() as i64).map(move |n| first.wrapping_add(stride.wrapping_mul(n)))
    }
}

/// What a call says of itself beyond its record.
#[derive(Clone, Copy)]
pub struct CallDetails<'a> {
    details: &'a [Details],
    ids: &'a Ids,
}

/// The details of one form.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    form: &'a Form,
    values: &'a [u64],
    ids: &'a Ids,
}

impl<'a> CallDetails<'a> {
    /// Details of a call of a part with these ids.
    pub fn new(details: &'a [Details], ids: &'a Ids) -> CallDetails<'a> {
        CallDetails { details, ids }
    }

    /// Those of each form.
    pub fn all(self) -> impl Iterator<Item = Fields<'a>> {
        let ids = self.ids;
        self.details.iter().filter_map(move |details| {
            let form = ids.form(details.form)?;
            let values = &details.values;
            Some(Fields { form, values, ids })
        })
    }

    /// Those of the first form that has a field.
    pub fn with(self, field: &[u8]) -> Option<Fields<'a>> {
        self.all().find(|fields| fields.has(field))
    }

    /// Those of the first form whose name begins so.
    pub fn form(self, name: &[u8]) -> Option<Fields<'a>> {
        self.all().find(|fields| fields.form.name.starts_with(name))
    }
}

impl<'a> Fields<'a> {
    /// The form's name.
    pub fn name(self) -> &'a [u8] {
        &self.form.name
    }

    /// Whether the form has a field.
    pub fn has(self, name: &[u8]) -> bool {
        self.form.fields.iter().any(|(_, known)| known == name)
    }

    /// The number of a field; 0 where the form has none of this name.
    pub fn number(self, name: &[u8]) -> u64 {
        let field = self.form.fields.iter().position(|(_, known)| known == name);
        field.map_or(0, |at| self.values.get(at).copied().unwrap_or(0))
    }

    /// The text of a field; empty for none.
    pub fn text(self, name: &[u8]) -> &'a [u8] {
        self.ids.text(self.number(name))
    }
}

impl Media {
    /// That of a call. One on two files is on storage if either is.
    #[inline(always)]
    pub fn of_call(&self, call: &Call) -> Medium {
        match self.of_file(call.file) {
            Medium::Storage => Medium::Storage,
            // On a ring, for whatever is asked of it.
            _ if call.kind() == Kind::Wait => Medium::Storage,
            _ if call.second != NO_FILE && self.of_file(call.second) == Medium::Storage => {
                Medium::Storage
            }
            other => other,
        }
    }
}
