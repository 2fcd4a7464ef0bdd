//! Real programs: the SQLite shell, fio and FLASH-IO, as tests/real has linked them. They work as ever, the bytes that
//! the trace has for a file are the bytes of the file, and the kernel saw the same calls.

use iota_tests::{
    Build, Call, Case, Program, Ran, SQL, Trace, Way, canonical, machine::IO_URING,
    machine::STRACE, mpi_is_wanted, static_mpi, strace, wanted,
};
use std::collections::BTreeMap;

/// The program in the first build, once it is there.
fn real(name: &str) -> Option<Program> {
    let program = Program::real(name, Build::first());
    let is_there = program.executable(Way::Static).exists();
    wanted(
        name,
        is_there,
        "run tests/real/build.sh (it needs dpkg-dev and Debian's source packages)",
    )
    .then_some(program)
}

/// What a format may leave out between a header and aligned data, which no write then covers.
const ALIGNMENT: i64 = 4096;

/// The extents of all writes reach the end of the file, and leave out no more than `holes` bytes.
fn assert_covered(ran: &Ran, name: &str, holes: i64) {
    let size = ran
        .work()
        .join(name)
        .metadata()
        .unwrap_or_else(|error| panic!("{name}: {error}"))
        .len() as i64;
    let trace = ran.trace();
    let end = format!("/{name}");
    let writes = trace
        .calls()
        .filter(|call| call.writes() && call.ret > 0 && call.path.ends_with(end.as_bytes()));
    let mut extents: Vec<(i64, i64)> = writes.map(|call| call.extent()).collect();
    extents.sort_unstable();
    let (mut reached, mut missing) = (0, 0);
    for (from, to) in extents {
        missing += (from - reached).max(0);
        reached = reached.max(to);
    }
    assert!(
        reached == size && missing <= holes,
        "{name}: {size} bytes, written to {reached}, {missing} left out"
    );
}

/// SQLite's own test of its speed: every statement's result goes into a hash, and the database is checked at the end.
fn sqlite_test_suite(way: Way) {
    let Some(program) = real("speedtest1") else {
        return;
    };
    let case = Case::of(program).args("--size 5 --verify data.db").way(way);
    let (bare, ran) = (case.run_bare().succeeded(), case.run().succeeded());
    let last = |ran: &Ran| ran.stdout().lines().last().map(String::from);
    assert!(last(&bare).is_some_and(|hash| hash.starts_with("Verification Hash")));
    assert_eq!(last(&ran), last(&bare));
    let contents = |ran: &Ran| std::fs::read(ran.work().join("data.db")).expect("it wrote it");
    assert!(
        contents(&ran) == contents(&bare),
        "the same database, to the byte"
    );
    ran.trace().assert_whole();
}

#[test]
fn sqlite_tests_itself_dynamic() {
    sqlite_test_suite(Way::Dynamic);
}

#[test]
fn sqlite_tests_itself_static() {
    sqlite_test_suite(Way::Static);
}

#[test]
fn sqlite_tests_itself_preloaded() {
    sqlite_test_suite(Way::Preload);
}

/// Every function of the program, but for the few whose first instructions do not allow it, and those of its libraries.
#[test]
fn sqlite_tests_itself_with_a_probe_before_each_function() {
    let Some(program) = real("speedtest1") else {
        return;
    };
    let case = Case::of(program)
        .args("--size 1 --verify data.db")
        .seconds(300);
    let bare = case.run_bare().succeeded();
    let probes = "[d-z]*,[A-Z_]*,[abc]*";
    let iota = Build::first().iota();
    let probed = format!("{} run --quiet --probe {probes} --", iota.display());
    let ran = case.under(&probed).run().succeeded();
    let last = |ran: &Ran| ran.stdout().lines().last().map(String::from);
    assert_eq!(last(&ran), last(&bare));
    let contents = |ran: &Ran| std::fs::read(ran.work().join("data.db")).expect("it wrote it");
    assert!(
        contents(&ran) == contents(&bare),
        "the same database, to the byte"
    );
    let log = ran.log();
    let patched = log.matches("by its first instructions").count();
    assert!(patched > 1000, "{patched}");
}

fn sqlite(way: Way) {
    let Some(program) = real("sqlite3") else {
        return;
    };
    let case = Case::of(program).args("data.db").input(SQL).way(way);
    let (bare, ran) = (case.run_bare(), case.run());
    ran.assert_same_as(&bare);
    ran.trace().assert_whole();
    assert_covered(&ran, "data.db", 0);
}

#[test]
fn sqlite_linked_dynamically() {
    sqlite(Way::Dynamic);
}

#[test]
fn sqlite_linked_statically() {
    sqlite(Way::Static);
}

#[test]
fn sqlite_preloaded() {
    sqlite(Way::Preload);
}

/// Calls on a descriptor that libc passes on as they are, one for one.
const PASSED_ON: [&str; 11] = [
    "read",
    "write",
    "pread",
    "pwrite",
    "lseek",
    "fsync",
    "fdatasync",
    "ftruncate",
    "fcntl",
    "close",
    "fallocate",
];

fn count<'a>(names: impl Iterator<Item = String> + 'a) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for name in names.filter(|name| PASSED_ON.contains(&name.as_str())) {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

/// What strace counts on one file of the bare program is what the trace counts.
fn kernel_agrees(case: Case, file: &str) {
    if !STRACE.is_here() {
        return;
    }
    let bare = case
        .clone()
        .way(Way::Bare)
        .under("strace -f -y -qq -o {}/strace")
        .run()
        .succeeded();
    let calls = strace::read(&bare.scratch_file("strace"));
    let on_it = calls.iter().filter(|call| {
        call.args
            .split(',')
            .next()
            .is_some_and(|fd| fd.ends_with(&format!("/{file}>")))
    });
    let kernel = count(on_it.map(|call| call.name.trim_end_matches("64").to_string()));
    assert!(
        kernel.values().sum::<usize>() > 100,
        "strace saw calls: {kernel:?}"
    );
    for way in [Way::Dynamic, Way::Static] {
        let trace = case.clone().way(way).run().succeeded().trace();
        let on_it = trace
            .calls()
            .filter(|call| call.path.ends_with(format!("/{file}").as_bytes()));
        let ours =
            count(on_it.map(|call| canonical(&call.op).trim_start_matches("posix_").to_string()));
        assert_eq!(ours, kernel, "the trace ({way:?}), then strace");
    }
}

#[test]
fn strace_counts_the_same_calls_of_sqlite() {
    let Some(program) = real("sqlite3") else {
        return;
    };
    let case = Case::of(program).args("data.db").input(SQL);
    kernel_agrees(case.clone(), "data.db");
    kernel_agrees(case, "data.db-journal");
}

#[test]
fn strace_counts_the_same_calls_of_fio() {
    let Some(program) = real("fio") else { return };
    kernel_agrees(fio(program, "psync", ""), "data");
}

/// A job whose data is checked when it is read back.
fn fio(program: Program, engine: &str, more: &str) -> Case {
    let job = "--name=job --filename=data --size=2m --bs=4k --rw=randwrite --verify=crc32c --randrepeat=1 --output=report \
        --output-format=json --eta=never --end_fsync=1";
    Case::of(program)
        .args(&format!("{job} --ioengine={engine} {more}"))
        .seconds(120)
}

/// The number behind a key, wherever it first stands in fio's report.
fn reported(ran: &Ran, part: &str, key: &str) -> u64 {
    let text = std::fs::read_to_string(ran.work().join("report")).expect("fio's report");
    let json: serde_json::Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    json["jobs"][0][part][key]
        .as_u64()
        .unwrap_or_else(|| panic!("{part}.{key} in {text}"))
}

fn fio_traced(engine: &str, more: &str) {
    let Some(program) = real("fio") else { return };
    for way in [Way::Dynamic, Way::Static] {
        let ran = fio(program.clone(), engine, more)
            .way(way)
            .run()
            .succeeded();
        let says = reported(&ran, "write", "io_bytes");
        let trace = ran.trace();
        trace.assert_whole();
        let sums = trace.parts.iter().flat_map(|part| part.written());
        let written: u64 = sums
            .filter(|(path, _)| path.ends_with(b"/data"))
            .map(|(_, sum)| sum)
            .sum();
        let size = ran
            .work()
            .join("data")
            .metadata()
            .expect("it wrote it")
            .len();
        // fio does not count the last vectors that it gathered.
        assert!(
            written == says || written == size,
            "fio says {says}, the trace {written}, the file {size} ({engine}, {way:?})"
        );
        assert!(
            written >= 2_000_000,
            "a random order may leave blocks out, but few: {written}"
        );
    }
}

#[test]
fn fio_at_offsets() {
    fio_traced("psync", "");
}

#[test]
fn fio_at_positions() {
    fio_traced("sync", "");
}

#[test]
fn fio_with_vectors() {
    fio_traced("pvsync", "--thread");
}

#[test]
fn fio_with_vectors_and_flags() {
    fio_traced("pvsync2", "--thread");
}

#[test]
fn fio_with_many_vectors() {
    fio_traced("vsync", "--iodepth=4");
}

#[test]
fn fio_by_libaio() {
    fio_traced("libaio", "--iodepth=8");
}

#[test]
fn fio_by_io_uring() {
    if IO_URING.is_here() {
        fio_traced("io_uring", "--iodepth=8");
    }
}

#[test]
fn fio_maps_its_file() {
    let Some(program) = real("fio") else { return };
    let ran = fio(program, "mmap", "").way(Way::Static).run().succeeded();
    let trace = ran.trace();
    trace.assert_whole();
    let maps = trace
        .calls()
        .filter(|call| canonical(&call.op) == "mmap" && call.path.ends_with(b"/data"));
    assert!(maps.count() > 0, "the mapping is traced");
}

/// Times and rates differ from run to run; all else is to be the same.
fn without_times(text: &str) -> String {
    let is_time = |line: &str| {
        line.contains(" sec") || line.trim_start().starts_with(|c: char| c.is_ascii_digit())
    };
    let lines = text
        .lines()
        .filter(|line| !is_time(line))
        .map(|line| format!("{line}\n"));
    lines.collect()
}

fn flash_io(mpi: &str) {
    if let Some((build, _turn)) = mpi_is_wanted(mpi) {
        flash_io_of(build, 2);
        flash_io_of(build, 4);
    }
}

fn flash_io_of(build: &'static Build, ranks: u32) {
    let program = Program::real("flash-io", build).of_mpi();
    let remedy = "run tests/real/build.sh (it needs dpkg-dev, autoconf, libtool and Debian's source packages)";
    if !wanted("flash-io", program.executable(build.way()).exists(), remedy) {
        return;
    }
    let case = Case::on_ranks(program, ranks).args("./flash_").seconds(120);
    let (bare, ran) = (case.run_bare().succeeded(), case.run().succeeded());
    assert_eq!(without_times(&ran.stdout()), without_times(&bare.stdout()));
    assert!(ran.left() == bare.left(), "the files that it wrote");
    ran.trace().assert_whole();
    for name in [
        "flash_ncmpi_chk_0000.nc",
        "flash_ncmpi_plt_cnt_0000.nc",
        "flash_ncmpi_plt_crn_0000.nc",
    ] {
        assert_covered(&ran, name, ALIGNMENT);
        assert_is_below_mpiio(&ran.trace(), name);
    }
}

/// PnetCDF moves the bytes of a file by MPI-IO: each POSIX transfer on it has such a call above it.
fn assert_is_below_mpiio(trace: &Trace, name: &str) {
    let (mut moved, mut above) = (0, 0);
    for part in &trace.parts {
        let on_file = |call: &&Call| call.path.ends_with(name.as_bytes());
        for call in part.calls.iter().filter(on_file) {
            if call.is_mpiio() {
                above += u64::from(call.writes_by_mpiio()) * call.ret as u64;
                continue;
            }
            if call.writes() {
                let is_parent =
                    |other: &&Call| (other.thread, other.id) == (call.thread, call.parent);
                let parent = part.calls.iter().find(is_parent);
                assert!(parent.is_some_and(Call::is_mpiio), "{call}");
                moved += call.ret as u64;
            }
        }
    }
    assert_eq!(moved, above, "{name}: bytes below, and by MPI-IO");
}

#[test]
#[ignore = "make test-static runs it"]
fn flash_io_linked_statically() {
    let (build, _turn) = static_mpi();
    flash_io_of(build, 2);
    flash_io_of(build, 4);
}

#[test]
fn flash_io_on_ranks_of_mpich() {
    flash_io("mpich");
}

#[test]
fn flash_io_on_ranks_of_openmpi() {
    flash_io("openmpi");
}
