//! What the user asked for, read once from the environment. Nothing in it can stop the host: what cannot be read is
//! reported in the log, and the default holds.

use super::environment::{number, variable};
use super::log;
use super::texts::{self, Kept};
use crate::sys::{self, Once, Starting};
use core::ffi::CStr;
use iota_calls::Layer;
use iota_trace::glob;

/// Bytes of one variable, with its NUL.
const ROOM: usize = 4096;
/// The same for the functions that the user names.
const PROBES: usize = 16 << 10;
const _: () = assert!(7 * ROOM + PROBES < texts::ALL / 2);
/// Arguments of a call on the stack: so many bytes are passed on, unless the user says more or less.
const PROBE_STACK: u64 = 1024;
const MOST_PROBE_STACK: u64 = 64 << 10;
/// Bytes of sealed blocks that a process holds before they spill to its file.
const BUFFER: u64 = 16 << 20;
/// The same when flushing: the source's 1 MB.
const FLUSH: u64 = 1 << 20;
/// How long the ranks wait for each other at the end before each leaves its part.
const DEADLINE_MS: u64 = 20_000;

/// Of which files the layout on Lustre is recorded (`IOTA_LUSTRE`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Layouts {
    /// Of none.
    Off,
    /// Of files on Lustre.
    On,
    /// FUSE file systems are asked as well.
    Probe,
}

/// The settings of this process.
pub struct Settings {
    /// False under `IOTA_ENABLE=0`.
    pub enabled: bool,
    /// Each task keeps a file of its own.
    pub flush: bool,
    /// Lines instead of blocks.
    pub text: bool,
    /// Parts are joined at the end.
    pub gather: bool,
    /// Whose layouts are recorded.
    pub layouts: Layouts,
    /// Calls of MPI-IO are recorded.
    pub mpiio: bool,
    /// It is recorded from where calls are made.
    pub stacks: bool,
    /// Layers whose calls are not recorded, by their numbers: a bit of each.
    pub left_out: u16,
    /// Bytes of sealed blocks that are held.
    pub buffer: u64,
    /// How long to wait for all ranks.
    pub deadline_ms: u64,
    /// Bytes of a call's arguments on the stack that a probe passes on.
    pub probe_stack: usize,
    /// Only files that match are traced; empty: all.
    pub files: Kept,
    /// Files that match are not traced.
    pub exclude: Kept,
    /// Where the trace goes, as given.
    pub output: Kept,
    /// The file that the processes of a run share, as `iota run` gives it.
    pub shared: Kept,
    /// Directory of the spool, as given.
    pub spool: Kept,
    /// Functions whose calls are recorded.
    pub probe: Kept,
    /// The file of patches for functions that no slot leads to, as `iota run` gives it.
    pub patches: Kept,
    /// Functions of Python whose calls are recorded.
    pub python_probe: Kept,
}

/// All zero before it is read, so that it takes no room in the program's file.
#[unsafe(link_section = ".bss.iota_start")]
static SETTINGS: Once<Settings> = Once::new(Settings {
    enabled: false,
    flush: false,
    text: false,
    gather: false,
    layouts: Layouts::Off,
    mpiio: false,
    stacks: false,
    left_out: 0,
    buffer: 0,
    deadline_ms: 0,
    probe_stack: 0,
    files: Kept::NONE,
    exclude: Kept::NONE,
    output: Kept::NONE,
    shared: Kept::NONE,
    spool: Kept::NONE,
    probe: Kept::NONE,
    patches: Kept::NONE,
    python_probe: Kept::NONE,
});

/// The settings.
#[inline(always)]
pub fn get() -> &'static Settings {
    SETTINGS.get()
}

/// Reads the environment.
pub fn start(starting: &mut Starting) {
    texts::begin(starting);
    log::start(starting, variable(c"IOTA_LOG").unwrap_or_default());
    let settings = read(starting);
    SETTINGS.set(starting, settings);
}

#[inline(never)]
fn read(starting: &mut Starting) -> Settings {
    let flush = switch(c"IOTA_FLUSH", false);
    let held = if flush { FLUSH } else { BUFFER };
    let (gather, deadline_ms) = gathering();
    let stack = size(c"IOTA_PROBE_STACK", PROBE_STACK).min(MOST_PROBE_STACK);
    // A program that has more rights than its user must not write where that user says, not even by default.
    let enabled = switch(c"IOTA_ENABLE", true) && !sys::is_privileged();
    Settings {
        enabled,
        flush,
        text: variable(c"IOTA_FORMAT").is_some_and(is_text),
        gather,
        layouts: layouts(),
        mpiio: switch(c"IOTA_MPIIO", true),
        stacks: switch(c"IOTA_STACKS", false),
        left_out: left_out(),
        buffer: size(c"IOTA_BUFFER", held).max(FLUSH),
        deadline_ms,
        probe_stack: stack.next_multiple_of(16) as usize,
        files: patterns(c"IOTA_FILES", ROOM, starting),
        exclude: patterns(c"IOTA_EXCLUDE", ROOM, starting),
        output: text(c"IOTA_OUTPUT", ROOM, starting),
        shared: text(c"IOTA_SHARED", ROOM, starting),
        spool: text(c"IOTA_SPOOL", ROOM, starting),
        probe: patterns(c"IOTA_PROBE", PROBES, starting),
        patches: text(c"IOTA_PATCHES", ROOM, starting),
        python_probe: patterns(c"IOTA_PYTHON_PROBE", ROOM, starting),
    }
}

/// Layers above MPI-IO that the user does not want.
fn left_out() -> u16 {
    let switches = [
        (c"IOTA_HDF5", Layer::Hdf5),
        (c"IOTA_NETCDF", Layer::Netcdf),
        (c"IOTA_PNETCDF", Layer::Pnetcdf),
    ];
    let off = switches.iter().filter(|(name, _)| !switch(name, true));
    off.fold(0, |bits, (_, layer)| bits | 1 << *layer as u16)
}

fn layouts() -> Layouts {
    match variable(c"IOTA_LUSTRE") {
        None | Some(b"" | b"1") => Layouts::On,
        Some(b"0") => Layouts::Off,
        Some(b"probe") => Layouts::Probe,
        Some(value) => {
            log::line(&[
                b"IOTA_LUSTRE=",
                value,
                b": neither 0, 1 nor `probe`; ignored",
            ]);
            Layouts::On
        }
    }
}

/// Whether the ranks gather their parts, and how long they wait for each other.
fn gathering() -> (bool, u64) {
    match variable(c"IOTA_GATHER") {
        None => (true, DEADLINE_MS),
        Some(b"parts") => (false, DEADLINE_MS),
        Some(value) => match number(value) {
            Some(seconds) => (true, seconds.saturating_mul(1000)),
            None => {
                log::line(&[
                    b"IOTA_GATHER=",
                    value,
                    b": neither `parts` nor a number of seconds; waiting 20 s",
                ]);
                (true, DEADLINE_MS)
            }
        },
    }
}

fn is_text(value: &[u8]) -> bool {
    if value != b"text" && value != b"binary" {
        log::line(&[
            b"IOTA_FORMAT=",
            value,
            b": neither `text` nor `binary`; writing binary",
        ]);
    }
    value == b"text"
}

/// Keeps what a variable says, if that is shorter than `most` bytes: the program may change it.
fn text(name: &CStr, most: usize, starting: &mut Starting) -> Kept {
    let value = variable(name).unwrap_or_default();
    if value.is_empty() {
        return Kept::NONE;
    }
    if value.len() >= most {
        let most = log::number(most.wrapping_sub(1) as i64);
        let most = most.bytes();
        log::line(&[name.to_bytes(), b": longer than ", most, b" bytes; ignored"]);
        return Kept::NONE;
    }
    texts::keep(starting, value)
}

fn patterns(name: &CStr, most: usize, starting: &mut Starting) -> Kept {
    for pattern in glob::each(variable(name).unwrap_or_default()) {
        let fault: &[u8] = match glob::check(pattern) {
            Ok(()) => continue,
            Err(glob::Fault::OpenBracket) => b": a `[` without `]`; matches nothing",
            Err(glob::Fault::LoneBackslash) => b": a lone `\\` at the end; matches nothing",
        };
        log::line(&[name.to_bytes(), b": pattern ", pattern, fault]);
    }
    text(name, most, starting)
}

fn switch(name: &CStr, default: bool) -> bool {
    match variable(name) {
        None | Some(b"") => default,
        Some(b"0" | b"no" | b"off" | b"false") => false,
        Some(b"1" | b"yes" | b"on" | b"true") => true,
        Some(value) => {
            log::line(&[name.to_bytes(), b"=", value, b": neither 0 nor 1; ignored"]);
            default
        }
    }
}

fn size(name: &CStr, default: u64) -> u64 {
    match variable(name) {
        None | Some(b"") => default,
        Some(value) => number(value).unwrap_or_else(|| {
            log::line(&[
                name.to_bytes(),
                b"=",
                value,
                b": not a size (bytes, or with k, m, g); using the default",
            ]);
            default
        }),
    }
}

/// True when the user named the files to trace.
#[inline(always)]
pub fn selects() -> bool {
    !get().files.is_empty()
}

/// True when a path is to be traced.
pub fn wanted(path: &[u8]) -> bool {
    let settings = get();
    (!selects() || glob::any(settings.files.bytes(), path))
        && !glob::any(settings.exclude.bytes(), path)
}
