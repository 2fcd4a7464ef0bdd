//! What the process is in its job, and the end of its part: the interface for `mpi/`.

use crate::bytes::{Once, Text};
use crate::output::{self, Path};
pub use crate::part::Sealed;
use crate::{clock, log, settings, spool, start, sys, thread};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};
use iota_trace::block::Ids;
use iota_trace::part::{Process, flavour};
use iota_trace::{Clock, Nanos, Step};

/// No rank is known.
const NONE: u32 = u32::MAX;

static RANK: AtomicU32 = AtomicU32::new(NONE);
static SIZE: AtomicU32 = AtomicU32::new(1);
static PID: AtomicU32 = AtomicU32::new(0);
static PARTS: AtomicU32 = AtomicU32::new(0);
static KEEP_SPOOL: AtomicBool = AtomicBool::new(false);
/// Calls of the part that had been recorded when MPI had shut itself down.
static SHUTDOWN: AtomicU64 = AtomicU64::new(u64::MAX);
/// True in the process that was started, false in one that it forked.
static IS_MAIN: AtomicBool = AtomicBool::new(true);

/// What does not change while the process runs.
struct Facts {
    start: clock::Anchor,
    rate: u64,
    program: Path,
    arguments: Text<2048>,
    directory: Path,
    job: Text<256>,
}

static FACTS: Once<Facts> = Once::new(Facts {
    start: clock::Anchor {
        ticks: 0,
        monotonic: 0,
        realtime: 0,
    },
    rate: 0,
    program: Text::EMPTY,
    arguments: Text::EMPTY,
    directory: Text::EMPTY,
    job: Text::EMPTY,
});
static STEP: Once<Step> = Once::new(Step::new(0, 0));
/// Where the job's trace was written to.
static WRITTEN: Once<Path> = Once::new(Text::EMPTY);

/// Learns who this process is.
///
/// # Safety
/// Only while the tracer starts.
pub unsafe fn start(is_main: bool) {
    PID.store(sys::process_id(), Relaxed);
    PARTS.store(0, Relaxed);
    KEEP_SPOOL.store(false, Relaxed);
    SHUTDOWN.store(u64::MAX, Relaxed);
    IS_MAIN.store(is_main, Relaxed);
    if is_main {
        RANK.store(settings::launched_rank().unwrap_or(NONE), Relaxed);
    }
    // SAFETY: the caller's.
    let facts = unsafe { FACTS.start() };
    facts.start = clock::anchor();
    // SAFETY: the caller's.
    unsafe { *STEP.start() = Step::new(facts.start.ticks, clock::step()) };
    read_facts(facts);
    // SAFETY: the caller's.
    unsafe {
        output::start(facts.program.bytes());
        WRITTEN.start().truncate(0);
    }
    facts.rate = rate(facts.start);
}

fn read_facts(facts: &mut Facts) {
    let mut buf = [0u8; 2048];
    facts.program.truncate(0);
    facts
        .program
        .push(sys::read_link(c"/proc/self/exe", &mut buf).unwrap_or(b"unknown"));
    facts.directory.truncate(0);
    facts
        .directory
        .push(sys::working_directory(&mut buf).unwrap_or_default());
    facts.job.truncate(0);
    settings::job(&mut facts.job);
    facts.arguments.truncate(0);
    let file = sys::File::open(c"/proc/self/cmdline", libc::O_RDONLY);
    let length = file.and_then(|file| file.read(&mut buf)).unwrap_or(0);
    facts.arguments.push(buf.get(..length).unwrap_or_default());
}

/// Ticks in a second, as far as the time since `start` tells.
fn rate(start: clock::Anchor) -> u64 {
    if clock::source() == clock::Source::Monotonic {
        return 1_000_000_000;
    }
    let now = clock::anchor();
    let ticks = u128::from(now.ticks.wrapping_sub(start.ticks)).wrapping_mul(1_000_000_000);
    let nanos = u128::from(now.monotonic.wrapping_sub(start.monotonic));
    ticks.checked_div(nanos).unwrap_or(1_000_000_000) as u64
}

/// Composes the Process block and keeps it in the spool.
pub fn describe() {
    let (facts, settings) = (FACTS.get(), settings::get());
    // SAFETY: zero is valid for plain arrays.
    let mut host = unsafe { core::mem::zeroed() };
    let process = Process {
        version: env!("CARGO_PKG_VERSION").as_bytes(),
        size: SIZE.load(Relaxed),
        ppid: sys::parent_id(),
        host: sys::host_name(&mut host),
        exe: facts.program.bytes(),
        argv: facts.arguments.bytes(),
        cwd: facts.directory.bytes(),
        output: output::base().bytes(),
        job: facts.job.bytes(),
        start: facts.start.into(),
        rate: facts.rate,
        source: clock::source() as u8,
        step: clock::step(),
        files: settings.files.bytes(),
        exclude: settings.exclude.bytes(),
        flavour: flavour(),
    };
    let ids = Ids {
        rank: rank().unwrap_or(0),
        pid: pid(),
        thread: pid(),
    };
    let mut block = [0u8; 24 << 10];
    if let Some(length) = process.write(ids, &mut block) {
        spool::describe(block.get(..length).unwrap_or_default());
    }
}

unsafe extern "C" {
    /// In the shared object (c-shim/start.c).
    safe fn iota_is_shared() -> bool;
    /// The program is started by a loader, which brings it its libraries.
    safe fn iota_has_loader() -> bool;
}

fn flavour() -> &'static [u8] {
    match (iota_is_shared(), iota_has_loader()) {
        (true, _) => flavour::SHARED,
        (false, true) => flavour::ARCHIVE_IN_DYNAMIC,
        (false, false) => flavour::STATIC,
    }
}

/// The rank in MPI_COMM_WORLD, once it is known.
pub fn rank() -> Option<u32> {
    Some(RANK.load(Relaxed)).filter(|&rank| rank != NONE)
}

/// This process' id.
pub fn pid() -> u32 {
    PID.load(Relaxed)
}

/// When this process started, since 1970.
pub fn start_time() -> Nanos {
    Nanos(FACTS.get().start.realtime as i64)
}

/// This process' clock minus CLOCK_MONOTONIC, in ns.
pub fn clock_base() -> i64 {
    let start = if start::is_active() {
        FACTS.get().start
    } else {
        clock::anchor()
    };
    start.realtime.wrapping_sub(start.monotonic) as i64
}

/// What this thread calls from now on is the tracer's doing and is not recorded.
pub fn silence() {
    if start::is_active() {
        thread::silence();
    }
}

/// What this thread calls is the host's again.
pub fn resume() {
    thread::resume();
}

/// What clock steps mean, as far as is known by now.
pub fn clock() -> Clock {
    let facts = FACTS.get();
    Clock::new(
        facts.start.into(),
        Some(clock::anchor().into()),
        facts.rate,
        clock::step(),
    )
}

/// How stamps become clock steps.
pub fn step() -> Step {
    *STEP.get()
}

/// True until this process, not a forked one, has written a part: its trace exists even without a call.
pub fn is_first() -> bool {
    IS_MAIN.load(Relaxed) && PARTS.load(Relaxed) == 0
}

/// MPI has started: this is our rank.
pub fn attach(rank: u32, size: u32) {
    RANK.store(rank, Relaxed);
    SIZE.store(size, Relaxed);
    if start::ensure() {
        describe();
    }
}

/// The settings, of which `mpi/` needs how to gather.
pub fn settings() -> &'static settings::Settings {
    settings::get()
}

/// True when this rank's part goes into one file with the others'.
pub fn gathers() -> bool {
    let settings = settings::get();
    settings.gather && !settings.flush && !settings.text
}

/// Seals all threads' records; the part is complete and can be read. None when this process is not traced, or has
/// nothing to write.
pub fn seal(reason: start::Reason) -> Option<Sealed> {
    // A child of vfork runs in our memory and must leave it alone.
    if !start::is_active() || sys::process_id() != pid() {
        return None;
    }
    thread::seal_all(reason != start::Reason::Finalize);
    Sealed::new(spool::lock()?, reason)
}

/// A part was written to `path`.
pub fn written(path: &Path) {
    // SAFETY: called by the holder of the arena's guard, who alone reads it.
    let to = unsafe { WRITTEN.start() };
    to.truncate(0);
    to.push(path.bytes());
}

/// One part more is written.
pub fn part_written() {
    PARTS.fetch_add(1, Relaxed);
}

/// The spool holds what could not be written elsewhere; true when it did before.
pub fn keep_spool() -> bool {
    KEEP_SPOOL.swap(true, Relaxed)
}

/// MPI has shut itself down, after the job's trace was gathered. What it called to do so would make a part of each
/// rank, appended to one file by all of them: it is written only together with calls that follow.
pub fn shut_down() {
    if start::is_active() && !WRITTEN.get().is_empty() {
        thread::seal_all(false);
        SHUTDOWN.store(spool::header().captured.load(Relaxed), Relaxed);
    }
}

fn is_shutdown_alone(sealed: &Sealed) -> bool {
    sealed.events() == SHUTDOWN.load(Relaxed) && spool::header().lost.load(Relaxed) == 0
}

/// The process ends: writes what there is, to the job's file where one stands.
pub fn finish(reason: start::Reason) {
    if let Some(sealed) = seal(reason) {
        if is_shutdown_alone(&sealed) {
            let calls = log::number(sealed.events() as i64);
            log::line(&[
                calls.bytes(),
                b" calls that MPI_Finalize made after the gathering are left out",
            ]);
            sealed.release()
        } else if WRITTEN.get().is_empty() || settings::get().text {
            sealed.leave()
        } else {
            sealed.append_to(WRITTEN.get())
        }
    }
    if start::is_active() && sys::process_id() == pid() && !KEEP_SPOOL.load(Relaxed) {
        spool::remove();
    }
}
