//! A log of Darshan, read as its headers lay it out (include/darshan-log-format.h of version 3.2).

use crate::common::trace::{Part, call, process};
use crate::common::tree::{MPI, Mpi, Tree};
use crate::common::{Dir, small};
use flate2::read::ZlibDecoder;
use iota_trace::part::Process;
use iota_trace::{Record, flags};
use std::io::Read;

const HEADER: usize = 360;

/// A log, taken apart
pub struct Log {
    bytes: Vec<u8>,
}

impl Log {
    pub fn of(dir: &Dir, trace: &str) -> Log {
        dir.run(["convert", trace, "-o", "run.darshan"]).whole();
        let bytes = std::fs::read(dir.file("run.darshan")).unwrap();
        Log { bytes }
    }

    fn number(&self, at: usize) -> usize {
        u64::from_le_bytes(self.bytes[at..at + 8].try_into().unwrap()) as usize
    }

    /// What the header says is in a region: the names, or what a module has
    fn region(&self, nth: usize) -> Vec<u8> {
        let (start, length) = (self.number(24 + 16 * nth), self.number(32 + 16 * nth));
        self.unpacked(start, start + length)
    }

    fn unpacked(&self, start: usize, end: usize) -> Vec<u8> {
        let mut unpacked = Vec::new();
        if start < end {
            let mut stream = ZlibDecoder::new(&self.bytes[start..end]);
            stream.read_to_end(&mut unpacked).unwrap();
        }
        unpacked
    }

    pub fn module(&self, module: usize) -> Vec<i64> {
        numbers(&self.region(1 + module))
    }

    fn version(&self, module: usize) -> u32 {
        let at = 24 + 16 * 17 + 4 * module;
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().unwrap())
    }
}

fn numbers(bytes: &[u8]) -> Vec<i64> {
    let (numbers, rest) = bytes.as_chunks();
    assert!(rest.is_empty());
    numbers
        .iter()
        .map(|number| i64::from_le_bytes(*number))
        .collect()
}

#[test]
fn the_header_says_where_everything_is() {
    let dir = Dir::new().with("run.iota", &small(2));
    let log = Log::of(&dir, "run.iota");
    assert_eq!(&log.bytes[..8], b"3.21\0\0\0\0");
    assert_eq!(log.number(8), 6_567_223);
    assert_eq!(log.number(16), 0, "zlib, complete");
    let job = log.unpacked(HEADER, log.number(24));
    let head = numbers(&job[..40]);
    assert_eq!((head[3], head[4]), (2, 77), "ranks and job");
    let text = String::from_utf8_lossy(&job[1064..]);
    assert_eq!(text.trim_end_matches('\0'), "./flash -n 64\nUNKNOWN\t/");
    let names = log.region(0);
    let (mut names, mut found) = (&names[..], Vec::new());
    while let Some((id, rest)) = names.split_at_checked(8) {
        let end = rest.iter().position(|byte| *byte == 0).unwrap();
        found.push((
            numbers(id)[0],
            String::from_utf8_lossy(&rest[..end]).into_owned(),
        ));
        names = &rest[end + 1..];
    }
    let paths: Vec<&str> = found.iter().map(|(_, path)| &path[..]).collect();
    assert_eq!(paths, ["/scratch/run/out.0", "/scratch/run/out.1"]);
    let posix = log.module(1);
    assert_eq!(posix.len(), 2 * 88, "a record of 704 bytes for each rank");
    let records = posix.chunks(88).map(|record| (record[0], record[1]));
    let ids = found.iter().map(|(id, _)| *id).zip(0..);
    assert!(records.eq(ids), "the ids of the names, and ranks");
    let versions = [1, 2, 7, 8, 9, 10].map(|module| log.version(module));
    assert_eq!(versions, [4, 0, 0, 0, 1, 0], "of modules with records");
}

/// darshan_log_get_job of version 3.4 and later wants more than 1,080 bytes, and reads no more than 4,096.
#[test]
fn the_job_of_a_short_or_a_long_command_can_be_read() {
    for length in [1, 5, 6, 3020, 3021, 3022, 5000] {
        let argv = vec![b'x'; length];
        let process = Process {
            argv: &argv,
            ..process(1, 0)
        };
        let mut part = Part::of(0, &process);
        part.file(1, b"/data/a");
        part.calls(&[moved("pwrite64", 1, 0, 8, 10_000)]);
        let dir = Dir::new().with("run.iota", &part.finish());
        let log = Log::of(&dir, "run.iota");
        let job = log.unpacked(HEADER, log.number(24));
        assert_eq!(job.len(), 4096, "{length}");
        let text = String::from_utf8_lossy(&job[1064..]);
        let command = text.trim_end_matches('\0').strip_suffix("\nUNKNOWN\t/");
        assert_eq!(command.map(str::len), Some(length.min(3021)), "{length}");
    }
}

fn moved(op: &'static str, id: u32, offset: i64, length: u64, start: u64) -> Record {
    Record {
        ret: length as i64,
        length,
        offset,
        id,
        file: 1,
        fd: 3,
        ..call(op, start, 1000)
    }
}

/// Each figure worked out by hand from what darshan-posix.c does.
#[test]
fn counters_are_those_of_darshan() {
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/data/a");
    part.calls(&[
        moved("pwrite64", 1, 0, 100, 10_000),
        moved("pwrite64", 2, 100, 101, 12_000),
        moved("pwrite64", 3, 8192, 101, 14_000),
        moved("pread64", 4, 4096, 2000, 16_000),
        moved("pread64", 5, 0, 2000, 18_000),
        moved("pwrite64", 6, 50, 8, 20_000),
    ]);
    let dir = Dir::new().with("run.iota", &part.finish());
    let posix = Log::of(&dir, "run.iota").module(1);
    let counters = &posix[2..71];
    let at = |places: std::ops::Range<usize>| &counters[places];
    assert_eq!(at(3..5), [2, 4], "reads, writes");
    assert_eq!(at(14..18), [4000, 310, 6095, 8292], "bytes, highest bytes");
    assert_eq!(at(18..20), [0, 1], "consecutive");
    assert_eq!(at(20..22), [1, 2], "sequential");
    assert_eq!(counters[22], 2, "switches");
    assert_eq!(at(25..27), [2, 4096], "not aligned, alignment");
    assert_eq!(at(29..39), [0, 0, 2, 0, 0, 0, 0, 0, 0, 0], "sizes of reads");
    assert_eq!(
        at(39..49),
        [2, 2, 0, 0, 0, 0, 0, 0, 0, 0],
        "sizes of writes"
    );
    assert_eq!(at(49..57), [7991, 0, 0, 0, 1, 0, 0, 0], "strides");
    assert_eq!(at(57..65), [2000, 101, 100, 8, 2, 2, 1, 1], "sizes");
    let times: Vec<f64> = posix[71..]
        .iter()
        .map(|time| f64::from_bits(*time as u64))
        .collect();
    let near = |nth: usize, wanted: f64| (times[nth] - wanted).abs() < 1e-9;
    assert!(
        near(8, 2e-6) && near(9, 4e-6),
        "time of reads and writes: {times:?}"
    );
    assert!(
        near(11, 1e-6) && near(5, times[1] + 3e-6),
        "longest, last read: {times:?}"
    );
}

#[test]
fn transfers_are_segments_writes_first() {
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/data/a");
    part.calls(&[
        moved("pread64", 1, 4096, 7, 10_000),
        moved("pwrite64", 2, 8, 9, 20_000),
    ]);
    let dir = Dir::new().with("run.iota", &part.finish());
    let dxt = Log::of(&dir, "run.iota").module(9);
    // id, rank, shared, eight words of the node's name, writes, reads
    assert_eq!((dxt.len(), &dxt[11..13]), (13 + 2 * 4, &[1, 1][..]));
    assert_eq!((&dxt[13..15], &dxt[17..19]), (&[8, 9][..], &[4096, 7][..]));
    let took = f64::from_bits(dxt[16] as u64) - f64::from_bits(dxt[15] as u64);
    assert!((took - 1e-6).abs() < 1e-12);
}

#[test]
fn stripes_are_in_the_module_of_lustre() {
    let mut part = Part::new(0, 1, 0);
    let layout = iota_trace::lustre::blob::plain(1, 1 << 20, 2, &[12, 40], None);
    part.file(1, b"/lustre/a").layout(1, &layout);
    part.calls(&[
        moved("pwrite64", 1, 1 << 20, 8, 10_000),
        moved("pwrite64", 2, 5, 8, 20_000),
    ]);
    let dir = Dir::new().with("run.iota", &part.finish());
    let log = Log::of(&dir, "run.iota");
    assert_eq!(log.module(7)[1..], [-1, -1, -1, 12, 1 << 20, 2, 12, 40]);
    assert_eq!(
        log.module(1)[2 + 25..][..2],
        [1, 1 << 20],
        "aligned to stripes"
    );
}

#[test]
fn names_are_escaped() {
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/data/\x1b[31mred");
    part.calls(&[moved("pwrite64", 1, 0, 8, 10_000)]);
    let dir = Dir::new().with("run.iota", &part.finish());
    let names = Log::of(&dir, "run.iota").region(0);
    assert_eq!(&names[8..], b"/data/\\x1b[31mred\0");
}

#[test]
fn it_needs_a_file() {
    let dir = Dir::new().with("run.iota", &small(1));
    let said = dir.run(["convert", "run.iota", "--to", "darshan", "-o", "-"]);
    assert!(said.failed().contains("give the name of a file with -o"));
}

/// Where a shared file pointer was is not known; what moved is.
#[test]
fn transfers_at_shared_pointers_count() {
    let mut tree = Tree::new(2, 1);
    for (op, rank, bytes) in [
        ("MPI_File_write_shared", 0, 1000),
        ("MPI_File_write_shared", 1, 1000),
        ("MPI_File_write_ordered", 0, 500),
    ] {
        tree.mpi(&Mpi {
            op,
            rank,
            offset: -1,
            bytes,
            ..MPI
        });
    }
    let dir = Dir::new().with("run.iota", &tree.finish());
    let mpiio = Log::of(&dir, "run.iota").module(2);
    let (first, second) = mpiio.split_at(mpiio.len() / 2);
    let counted = |of: &[i64]| (of[2 + 3], of[2 + 5], of[2 + 15]);
    assert_eq!(
        counted(first),
        (1, 1, 1500),
        "independent, collective, bytes"
    );
    assert_eq!(counted(second), (1, 0, 1000));
}

#[test]
fn every_record_has_the_name_of_a_file() {
    let rename = Record {
        id: 1,
        file: 1,
        flags: flags::MORE,
        ..call("rename", 10_000, 1000)
    };
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/data/a");
    part.calls(&[rename, Record::more(0, -1, -1, 0)]);
    let dir = Dir::new().with("run.iota", &part.finish());
    let log = Log::of(&dir, "run.iota");
    let names = log.region(0);
    assert_eq!(names.get(8..), Some(&b"/data/a\0"[..]));
    assert_eq!(log.module(1)[..1], numbers(&names[..8]));
    assert_eq!(log.module(1).len(), 2 + 69 + 17);
}
