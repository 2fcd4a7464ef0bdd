//! Who this process is in its job: its number, its rank, its program, its clock.

use super::texts::{self, Kept};
use super::{clock, environment, spawns};
use crate::sys::{self, Once, Starting, Text};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};
use iota_trace::block::Ids;
use iota_trace::{Clock, Nanos, Step};

/// No rank is known.
const NONE: u32 = u32::MAX;

static RANK: AtomicU32 = AtomicU32::new(NONE);
static SIZE: AtomicU32 = AtomicU32::new(1);
static PID: AtomicU32 = AtomicU32::new(0);
/// For how many ns ranks were waited for that did not come, and how many of them are known not to be traced.
static WAITED: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];
static PARTS: AtomicU32 = AtomicU32::new(0);
/// True in the process that was started, false in one that it forked.
static IS_MAIN: AtomicBool = AtomicBool::new(true);

/// A path.
pub type Path = Text<{ libc::PATH_MAX as usize }>;

/// What does not change while the process runs.
pub struct Facts {
    /// When it started.
    pub start: clock::Anchor,
    /// Ticks in a second.
    pub rate: u64,
    /// Another one in each process, forked ones too.
    pub random: u32,
    /// What it has in common with the ranks that MPI_Comm_spawn started together with it; 0: it was not started so.
    pub world: u32,
    /// Who called MPI_Comm_spawn, where the launcher tells.
    pub spawner: Kept,
    pub job: Kept,
    pub arguments: Kept,
    pub program: Kept,
    pub directory: Kept,
}

#[unsafe(link_section = ".bss.iota_start")]
static FACTS: Once<Facts> = Once::new(Facts {
    start: clock::Anchor {
        ticks: 0,
        monotonic: 0,
        realtime: 0,
    },
    rate: 0,
    program: Kept::NONE,
    arguments: Kept::NONE,
    directory: Kept::NONE,
    job: Kept::NONE,
    random: 0,
    world: 0,
    spawner: Kept::NONE,
});
static STEP: Once<Step> = Once::new(Step::new(0, 0));
/// Learns who this process is.
pub fn start(starting: &mut Starting, is_main: bool) {
    PID.store(sys::process_id(), Relaxed);
    PARTS.store(0, Relaxed);
    IS_MAIN.store(is_main, Relaxed);
    if is_main {
        RANK.store(environment::launched_rank().unwrap_or(NONE), Relaxed);
    }
    spawns::forget();
    let now = clock::anchor();
    STEP.set(starting, Step::new(now.ticks, clock::step()));
    FACTS.change(starting, |facts| {
        facts.start = now;
        facts.random = random(now);
    });
    if is_main {
        read_program(starting);
    }
    texts::begin_own(starting, is_main);
    read_place(starting);
}

/// A number that no other process has. Where the kernel gives none, id and clocks tell processes apart.
fn random(now: clock::Anchor) -> u32 {
    let random = sys::random().unwrap_or(now.ticks) ^ now.realtime;
    (random ^ random >> 32) as u32
}

/// Learns the rate of the clock, as far as the time since the start tells.
pub fn measure_rate(starting: &mut Starting) {
    FACTS.change(starting, |facts| facts.rate = rate(facts.start));
}

/// Bytes of the program's path, of its arguments, of its directory.
const MOST: usize = 2048;

/// What a forked child has in common with its parent.
#[inline(never)]
fn read_program(starting: &mut Starting) {
    let (world, spawner) = match environment::spawner() {
        Some(spawner) => (environment::launch(), keep(starting, spawner, 64)),
        None => (0, Kept::NONE),
    };
    let link = |room: &mut [u8]| sys::read_link(c"/proc/self/exe", room).map_or(0, <[u8]>::len);
    let program = match texts::filled(starting, MOST, link) {
        none if none.is_empty() => texts::keep(starting, b"unknown"),
        program => program,
    };
    let arguments = match arguments() {
        [] => texts::filled(starting, MOST - 1, read_arguments),
        known => keep(starting, known, MOST),
    };
    FACTS.change(starting, |facts| {
        (facts.world, facts.spawner) = (world, spawner);
        (facts.program, facts.arguments) = (program, arguments);
    });
}

#[inline(never)]
fn read_place(starting: &mut Starting) {
    let mut id = Text::EMPTY;
    environment::job(&mut id);
    let here = |room: &mut [u8]| sys::working_directory(room).map_or(0, <[u8]>::len);
    let directory = texts::filled(starting, MOST, here);
    let job = texts::keep(starting, id.bytes());
    FACTS.change(starting, |facts| {
        (facts.directory, facts.job) = (directory, job);
    });
}

/// As much of a text as fits in so many bytes, with a NUL.
fn keep(starting: &mut Starting, text: &[u8], room: usize) -> Kept {
    let most = room.wrapping_sub(1).min(text.len());
    texts::keep(starting, text.get(..most).unwrap_or_default())
}

unsafe extern "C" {
    /// The program's arguments as they lie in memory, each with its NUL; none before the constructor (c-shim/start.c).
    fn iota_arguments(length: *mut usize) -> *const u8;
}

fn arguments() -> &'static [u8] {
    let mut length = 0;
    // SAFETY: so many bytes, which the kernel put there before the program began, and which stay. Few programs write there,
    // and none before its constructors.
    unsafe {
        let at = iota_arguments(&mut length);
        if length == 0 {
            &[]
        } else {
            core::slice::from_raw_parts(at, length)
        }
    }
}

/// As the kernel tells them: it looks for the process first, which costs more than all of them.
fn read_arguments(room: &mut [u8]) -> usize {
    let file = sys::File::open(c"/proc/self/cmdline", libc::O_RDONLY);
    file.and_then(|file| file.read(room)).unwrap_or(0)
}

/// Ticks in a second, as far as the time since `start` tells.
fn rate(start: clock::Anchor) -> u64 {
    if clock::source() == clock::Source::Monotonic {
        return 1_000_000_000;
    }
    let now = clock::anchor();
    let ticks = u128::from(now.ticks.wrapping_sub(start.ticks)).wrapping_mul(1_000_000_000);
    match now.monotonic.wrapping_sub(start.monotonic) {
        0 => 1_000_000_000,
        nanos => iota_trace::clock::quotient(ticks, nanos) as u64,
    }
}

/// What does not change while the process runs.
pub fn facts() -> &'static Facts {
    FACTS.get()
}

/// The rank in MPI_COMM_WORLD, once it is known.
pub fn rank() -> Option<u32> {
    Some(RANK.load(Relaxed)).filter(|&rank| rank != NONE)
}

/// How many ranks there are.
pub fn size() -> u32 {
    SIZE.load(Relaxed)
}

/// MPI has started: this is our rank, of so many.
pub fn set_rank(rank: u32, size: u32) {
    RANK.store(rank, Relaxed);
    SIZE.store(size, Relaxed);
}

/// How long other ranks were waited for in vain, and how many of them are not traced.
pub fn set_waited(waited: [u64; 2]) {
    for (to, word) in WAITED.iter().zip(waited) {
        to.store(word, Relaxed);
    }
}

/// The same; asked again, nothing.
pub fn take_waited() -> [u64; 2] {
    WAITED.each_ref().map(|word| word.swap(0, Relaxed))
}

/// This process' id.
#[inline(always)]
pub fn pid() -> u32 {
    PID.load(Relaxed)
}

/// When this process started, since 1970.
pub fn start_time() -> Nanos {
    Nanos(FACTS.get().start.realtime as i64)
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

/// Whether the process runs on memory of the one that forked it.
pub fn is_forked() -> bool {
    !IS_MAIN.load(Relaxed)
}

/// One part more is written.
pub fn part_written() {
    PARTS.fetch_add(1, Relaxed);
}

/// Whose a block is, of this thread.
pub fn ids(thread: u32) -> Ids {
    Ids {
        rank: rank().unwrap_or(0),
        pid: pid(),
        thread,
    }
}
