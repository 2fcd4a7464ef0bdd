//! The file: a header, then regions, each a stream of zlib: the job, the names of files, and the modules' records.

use crate::job::Job;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use iota_analysis::processes::command;
use iota_output::OutputFile;
use iota_trace::read::Part;
use std::io::Write;
use std::os::unix::fs::FileExt;

const VERSION: &[u8; 8] = b"3.21\0\0\0\0";
const MAGIC: i64 = 6_567_223;
/// Modules for which the header has room
const MODULES: usize = 16;
/// Bytes of the header: what comes first, the regions of names and modules, the modules' versions
const HEADER: usize = 24 + 16 + MODULES * 16 + MODULES * 4;
/// Bytes of the job's record, with command and mounted file systems behind it. The record is always as long: Darshan's
/// reader refuses one that is not longer than its own structure, to which later versions have added fields.
const JOB: usize = 4096;
const METADATA: usize = 1024;
/// Compressed bytes that wait
const PIECE: usize = 1 << 20;

/// A module, by its number
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Module {
    Posix = 1,
    Mpiio = 2,
    Lustre = 7,
    Stdio = 8,
    DxtPosix = 9,
    DxtMpiio = 10,
}

impl Module {
    /// Of its records
    fn version(self) -> u32 {
        match self {
            Module::Posix => 4,
            Module::Mpiio => 3,
            Module::Lustre => 1,
            Module::Stdio => 2,
            Module::DxtPosix => 1,
            Module::DxtMpiio => 2,
        }
    }
}

/// A region in memory
pub struct Packed {
    stream: ZlibEncoder<Vec<u8>>,
    is_empty: bool,
}

impl Packed {
    /// Nothing yet
    pub fn new() -> Packed {
        Packed {
            stream: ZlibEncoder::new(Vec::new(), Compression::default()),
            is_empty: true,
        }
    }

    /// More of it
    pub fn put(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.is_empty &= bytes.is_empty();
        Ok(self.stream.write_all(bytes)?)
    }

    /// Whether nothing was put into it
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// What is compressed of it already
    fn ready(&mut self) -> &mut Vec<u8> {
        self.stream.get_mut()
    }

    fn finish(self) -> anyhow::Result<Vec<u8>> {
        Ok(if self.is_empty {
            Vec::new()
        } else {
            self.stream.finish()?
        })
    }
}

/// Where a region is
#[derive(Clone, Copy, Default)]
struct Region {
    start: u64,
    length: u64,
}

/// The file that is being written
pub struct Log<'t> {
    to: &'t mut OutputFile,
    at: u64,
    names: Region,
    modules: [Region; MODULES],
    versions: [u32; MODULES],
    /// The module whose region is being written
    open: Option<(Module, u64, Packed)>,
}

impl<'t> Log<'t> {
    /// Leaves room for the header
    pub fn begin(to: &'t mut OutputFile) -> anyhow::Result<Log<'t>> {
        to.put(&[0; HEADER])?;
        Ok(Log {
            to,
            at: HEADER as u64,
            names: Region::default(),
            modules: [Region::default(); MODULES],
            versions: [0; MODULES],
            open: None,
        })
    }

    /// Who ran, when, and the command; file systems are not known
    pub fn job(&mut self, job: &Job) -> anyhow::Result<()> {
        let mut packed = Packed::new();
        packed.put(&job_record(job))?;
        self.region(packed).map(drop)
    }

    /// The names by id
    pub fn names(&mut self, names: &[u8]) -> anyhow::Result<()> {
        let mut packed = Packed::new();
        packed.put(names)?;
        self.names = self.region(packed)?;
        Ok(())
    }

    /// All records of a module
    pub fn module(&mut self, module: Module, records: Packed) -> anyhow::Result<()> {
        let region = self.region(records)?;
        self.note(module, region);
        Ok(())
    }

    /// The records of a module follow
    pub fn open(&mut self, module: Module) {
        self.open = Some((module, self.at, Packed::new()));
    }

    /// More of them
    pub fn put(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let Some((_, _, packed)) = &mut self.open else {
            return Ok(());
        };
        packed.put(bytes)?;
        let ready = packed.ready();
        if ready.len() >= PIECE {
            self.to.put(ready)?;
            self.at += ready.len() as u64;
            ready.clear();
        }
        Ok(())
    }

    /// That was the last of them
    pub fn close(&mut self) -> anyhow::Result<()> {
        let Some((module, start, packed)) = self.open.take() else {
            return Ok(());
        };
        self.region(packed)?;
        let length = self.at - start;
        self.note(module, Region { start, length });
        Ok(())
    }

    /// Writes the header
    pub fn end(self) -> anyhow::Result<()> {
        let written = self.to.file().write_all_at(&self.header(), 0);
        written.map_err(|error| self.to.failure(error))
    }

    fn region(&mut self, packed: Packed) -> anyhow::Result<Region> {
        let (start, bytes) = (self.at, packed.finish()?);
        self.to.put(&bytes)?;
        self.at += bytes.len() as u64;
        let length = bytes.len() as u64;
        Ok(Region { start, length })
    }

    /// A module without records is not there
    fn note(&mut self, module: Module, region: Region) {
        if region.length > 0 {
            self.modules[module as usize] = region;
            self.versions[module as usize] = module.version();
        }
    }

    fn header(&self) -> Vec<u8> {
        let mut header = VERSION.to_vec();
        header.extend(MAGIC.to_le_bytes());
        // Compressed with zlib; no module ran out of memory.
        header.extend([0; 8]);
        for region in std::iter::once(&self.names).chain(&self.modules) {
            header.extend(region.start.to_le_bytes());
            header.extend(region.length.to_le_bytes());
        }
        header.extend(
            self.versions
                .iter()
                .flat_map(|version| version.to_le_bytes()),
        );
        header
    }
}

/// The user is not in a trace, nor are file systems: one line stands for all of them.
fn job_record(job: &Job) -> Vec<u8> {
    let trace = job.all.trace;
    let process = trace.parts().first().and_then(Part::process);
    let fields = process
        .as_ref()
        .map(|process| process.fields())
        .unwrap_or_default();
    let pid = trace
        .parts()
        .first()
        .map_or(0, |part| i64::from(part.pid()));
    let start = trace.start().0;
    let end = start.saturating_add(job.all.duration);
    let numbers = [
        -1,
        start.div_euclid(1_000_000_000),
        end.div_euclid(1_000_000_000),
        i64::from(fields.size.max(1)),
        digits(fields.job).unwrap_or(pid),
    ];
    let mut record: Vec<u8> = numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let metadata = format!("lib_ver=iota-{}\n", env!("CARGO_PKG_VERSION"));
    record.extend(metadata.bytes());
    record.resize(numbers.len() * 8 + METADATA, 0);
    let mounts = "\nUNKNOWN\t/";
    let room = JOB - record.len() - mounts.len() - 1;
    let command = command(fields.argv).replace('\n', " ");
    record.extend(command.bytes().take(room));
    record.extend(mounts.bytes());
    record.resize(JOB, 0);
    record
}

/// The number that a job id begins with
fn digits(job: &[u8]) -> Option<i64> {
    let digits = job.iter().take_while(|byte| byte.is_ascii_digit()).count();
    str::from_utf8(&job[..digits]).ok()?.parse().ok()
}
