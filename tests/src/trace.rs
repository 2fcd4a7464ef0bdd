//! What a trace says, in a form that tests read easily.

use iota_trace::part::flavour;
use iota_trace::read::{Options, Timed, Trace as Reader};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A call as the trace holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function.
    pub op: Arc<str>,
    /// `iota_calls::Layer` as a number.
    pub layer: u8,
    /// What it returned.
    pub ret: i64,
    /// Its errno, 0 when it succeeded.
    pub errno: i32,
    /// The descriptor, -1 for none.
    pub fd: i32,
    /// The path; empty for none.
    pub path: Arc<[u8]>,
    /// The second path; empty for none.
    pub second_path: Arc<[u8]>,
    /// Position before the call, -1 for none.
    pub offset: i64,
    /// The second offset, -1 for none.
    pub second_offset: i64,
    /// What was asked for.
    pub length: u64,
    /// `whence` of a seek, or the size of items.
    pub whence: u16,
    /// Thread.
    pub thread: u32,
    /// Number within the thread.
    pub id: u64,
    /// Number of the enclosing call, 0 for none.
    pub parent: u64,
    /// When it began, in ns since the start of the job.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// `iota_trace::flags`.
    pub flags: u16,
    /// What it says beyond that, as `iota text -v` prints it; empty for nothing.
    pub details: String,
}

/// A process, from one start of the tracer to its end.
#[derive(Clone, Debug)]
pub struct Part {
    /// Rank in MPI_COMM_WORLD.
    pub rank: u32,
    /// Process id.
    pub pid: u32,
    /// Ranks in the job, as the process knew.
    pub size: u32,
    /// The node.
    pub host: String,
    /// The program.
    pub exe: String,
    /// Its system calls were followed from outside.
    pub is_followed: bool,
    /// The calls, all threads, in the order in which they ended.
    pub calls: Vec<Call>,
    /// Its end block, when it has one.
    pub end: Option<iota_trace::part::End>,
}

/// The parts of some trace files.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Parts by rank, then by time.
    pub parts: Vec<Part>,
    /// The start of the job, in ns since 1970.
    pub start: i64,
    /// What the reader found damaged.
    pub problems: Vec<String>,
}

impl Trace {
    /// Reads files, or a folder of them, as one trace.
    pub fn read(path: &Path) -> Trace {
        Trace::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The same, where there may be nothing.
    ///
    /// # Errors
    /// What the reader says then.
    pub fn open(path: &Path) -> Result<Trace, String> {
        let reader =
            Reader::open(&[path.into()], Options::default()).map_err(|error| error.to_string())?;
        let parts = reader.parts().iter().map(Part::read).collect();
        let problems = reader
            .problems()
            .into_iter()
            .map(|problem| problem.to_string());
        Ok(Trace {
            parts,
            start: reader.start().0,
            problems: problems.collect(),
        })
    }

    /// How many calls a file says it holds, without reading them.
    pub fn captured(path: &Path) -> u64 {
        let reader = Reader::open(&[path.into()], Options::default())
            .unwrap_or_else(|error| panic!("{error}"));
        reader.parts().iter().map(|part| part.event_count()).sum()
    }

    /// All calls of all parts.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.parts.iter().flat_map(|part| &part.calls)
    }

    /// The only part there is.
    pub fn only(&self) -> &Part {
        assert_eq!(self.parts.len(), 1, "one process makes one part");
        &self.parts[0]
    }

    /// How many calls of an op there are.
    pub fn count(&self, op: &str) -> usize {
        self.calls().filter(|call| &*call.op == op).count()
    }

    /// Fails unless nothing is damaged, lost or unfinished.
    pub fn assert_whole(&self) {
        assert_eq!(self.problems, Vec::<String>::new(), "problems of the trace");
        self.parts.iter().for_each(Part::assert_whole);
    }
}

impl Part {
    fn read(part: &iota_trace::read::Part) -> Part {
        let process = part.process();
        let fields = process.as_ref().map(|process| process.fields());
        let names = part.names();
        let names = Names::of(&names);
        Part {
            rank: part.rank(),
            pid: part.pid(),
            size: fields.as_ref().map_or(0, |fields| fields.size),
            host: String::from_utf8_lossy(part.host()).into_owned(),
            is_followed: part.has_flavour(flavour::FOLLOWED),
            exe: fields.map_or(String::new(), |fields| {
                String::from_utf8_lossy(fields.exe).into_owned()
            }),
            calls: part.events().map(|event| names.call(&event)).collect(),
            end: part.end().copied(),
        }
    }

    /// The calls between the markers that `begin()` and `end()` of program.h leave.
    pub fn between_markers(&self) -> &[Call] {
        let marker = |name: &str| {
            let is_it = |call: &Call| &*call.op == "access" && call.path.ends_with(name.as_bytes());
            let found = self.calls.iter().position(is_it);
            found.unwrap_or_else(|| panic!("no call on {name} among {} calls", self.calls.len()))
        };
        let (begin, end) = (marker("test-begins"), marker("test-ends"));
        &self.calls[begin + 1..end]
    }

    /// Fails unless the end block is there, agrees with the events and counts nothing as lost.
    pub fn assert_whole(&self) {
        let end = self
            .end
            .unwrap_or_else(|| panic!("rank {} has no end block", self.rank));
        assert_eq!(end.lost, 0, "lost calls of rank {}", self.rank);
        assert_eq!(
            end.captured,
            self.calls.len() as u64,
            "captured calls of rank {}",
            self.rank
        );
        assert_eq!(end.errors, 0, "errors of the tracer in rank {}", self.rank);
        if let Some(call) = self.calls.iter().find(|call| *call.path == *NAMELESS) {
            panic!(
                "a call on a file without a name, rank {}: {call}",
                self.rank
            );
        }
    }

    /// Bytes that calls wrote to each file, by its path.
    pub fn written(&self) -> BTreeMap<Arc<[u8]>, u64> {
        let mut sums = BTreeMap::new();
        for call in self.calls.iter().filter(|call| call.writes()) {
            *sums.entry(call.path.clone()).or_default() += call.ret.max(0) as u64;
        }
        sums
    }
}

impl Call {
    /// A POSIX call that moves bytes to a file, and returns how many.
    pub fn writes(&self) -> bool {
        const WRITES: [&str; 5] = ["write", "pwrite", "writev", "pwritev", "pwritev2"];
        let plain = |from: &'static str| self.op.strip_prefix(from);
        let request = plain("io_prep_").or_else(|| plain("io_uring_prep_"));
        let name =
            crate::canonical(request.map_or(&self.op, |name| name.trim_end_matches("_fixed")));
        WRITES.contains(&name.as_str())
    }

    /// The number that a field of its details holds; None where it has no such field, or nothing in it.
    pub fn detail(&self, field: &str) -> Option<u64> {
        let (_, behind) = self.details.split_once(&format!("{field}="))?;
        let value = behind.split([' ', '}']).next()?;
        match value.strip_prefix("0x") {
            Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok(),
            None => value.parse().ok(),
        }
    }

    /// A transfer of MPI-IO that moves bytes to a file.
    pub fn writes_by_mpiio(&self) -> bool {
        self.op.starts_with("MPI_File_") && self.op.contains("write") && !self.op.ends_with("_end")
    }

    /// Whether MPI-IO made it.
    pub fn is_mpiio(&self) -> bool {
        self.layer == iota_calls::Layer::MpiIo as u8
    }

    /// Whether it is one of a library above descriptors and streams.
    pub fn is_of_library(&self) -> bool {
        iota_calls::Layer::of(self.layer).is_some_and(iota_calls::Layer::is_library)
    }

    /// The bytes that it touched: from, to.
    pub fn extent(&self) -> (i64, i64) {
        (self.offset, self.offset + self.ret.max(0))
    }
}

impl std::fmt::Display for Call {
    fn fmt(&self, to: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Call {
            op,
            ret,
            errno,
            fd,
            offset,
            length,
            path,
            ..
        } = self;
        let path = path.escape_ascii();
        write!(
            to,
            "{op} = {ret} errno {errno} fd {fd} offset {offset} length {length} path {path}"
        )
    }
}

/// The path of a file whose name is not in the trace.
const NAMELESS: &[u8] = b"(no name in the trace)";

/// The names of a part, shared by its calls.
struct Names<'n> {
    all: &'n iota_trace::read::Names,
    files: BTreeMap<u32, Arc<[u8]>>,
    ops: BTreeMap<u16, (Arc<str>, u8)>,
    none: Arc<[u8]>,
}

impl Names<'_> {
    fn of(names: &iota_trace::read::Names) -> Names<'_> {
        let op = |(id, op): (u16, iota_trace::read::Op)| {
            (id, (String::from_utf8_lossy(op.name).into(), op.layer))
        };
        Names {
            all: names,
            files: names.files().map(|(id, path)| (id, path.into())).collect(),
            ops: names.ops().map(op).collect(),
            none: [].into(),
        }
    }

    fn file(&self, id: u32) -> Arc<[u8]> {
        match id {
            0 => self.none.clone(),
            _ => self
                .files
                .get(&id)
                .cloned()
                .unwrap_or_else(|| NAMELESS.into()),
        }
    }

    fn call(&self, timed: &Timed) -> Call {
        let event = &timed.event;
        let (op, layer) = self
            .ops
            .get(&event.op)
            .unwrap_or_else(|| panic!("no name for op {}", event.op));
        let mut details = Vec::new();
        self.all.put_details(&timed.details, &mut details);
        Call {
            op: op.clone(),
            layer: *layer,
            ret: event.ret,
            errno: event.errno.into(),
            fd: event.fd,
            path: self.file(event.file),
            second_path: self.file(event.second.file),
            offset: event.offset,
            second_offset: event.second.offset,
            length: event.length,
            whence: event.whence,
            thread: event.thread,
            id: event.id,
            parent: event.parent,
            start: timed.start.0,
            end: timed.end.0,
            flags: event.flags,
            details: String::from_utf8_lossy(&details).into_owned(),
        }
    }
}
