//! What the user asked for, read once from the environment. Nothing in it can stop the host: what cannot be read is
//! reported in the log, and the default holds.

use super::environment::{number, variable};
use super::log;
use crate::sys::{self, Once, Starting, Text};
use core::ffi::CStr;
use iota_calls::Layer;
use iota_trace::glob;

/// Room for one variable.
const ROOM: usize = 4096;
/// Room for the functions that the user names.
const PROBES: usize = 16 << 10;
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
    /// Only files that match are traced; empty: all.
    pub files: Text<ROOM>,
    /// Files that match are not traced.
    pub exclude: Text<ROOM>,
    /// Each task keeps a file of its own.
    pub flush: bool,
    /// Bytes of sealed blocks that are held.
    pub buffer: u64,
    /// Where the trace goes, as given.
    pub output: Text<ROOM>,
    /// The file that the processes of a run share, as `iota run` gives it.
    pub shared: Text<ROOM>,
    /// Directory of the spool, as given.
    pub spool: Text<ROOM>,
    /// Lines instead of blocks.
    pub text: bool,
    /// Parts are joined at the end.
    pub gather: bool,
    /// How long to wait for all ranks.
    pub deadline_ms: u64,
    /// Whose layouts are recorded.
    pub layouts: Layouts,
    /// Calls of MPI-IO are recorded.
    pub mpiio: bool,
    /// Layers whose calls are not recorded, by their numbers: a bit of each.
    pub left_out: u16,
    /// Functions whose calls are recorded.
    pub probe: Text<PROBES>,
    /// The file of patches for functions that no slot leads to, as `iota run` gives it.
    pub patches: Text<ROOM>,
    /// Bytes of a call's arguments on the stack that a probe passes on.
    pub probe_stack: usize,
    /// Functions of Python whose calls are recorded.
    pub python_probe: Text<ROOM>,
}

/// All zero before it is read, so that it takes no room in the program's file.
static SETTINGS: Once<Settings> = Once::new(Settings {
    enabled: false,
    files: Text::EMPTY,
    exclude: Text::EMPTY,
    flush: false,
    buffer: 0,
    output: Text::EMPTY,
    shared: Text::EMPTY,
    spool: Text::EMPTY,
    text: false,
    gather: false,
    deadline_ms: 0,
    layouts: Layouts::Off,
    mpiio: false,
    left_out: 0,
    probe: Text::EMPTY,
    patches: Text::EMPTY,
    probe_stack: 0,
    python_probe: Text::EMPTY,
});

/// The settings.
#[inline(always)]
pub fn get() -> &'static Settings {
    SETTINGS.get()
}

/// Reads the environment.
pub fn start(starting: &mut Starting) {
    log::start(starting, variable(c"IOTA_LOG").unwrap_or_default());
    SETTINGS.change(starting, read);
}

fn read(settings: &mut Settings) {
    // A program that has more rights than its user must not write where that user says, not even by default.
    settings.enabled = switch(c"IOTA_ENABLE", true) && !sys::is_privileged();
    copy(c"IOTA_FILES", &mut settings.files);
    copy(c"IOTA_EXCLUDE", &mut settings.exclude);
    check_patterns(c"IOTA_FILES", &settings.files);
    check_patterns(c"IOTA_EXCLUDE", &settings.exclude);
    settings.flush = switch(c"IOTA_FLUSH", false);
    let held = if settings.flush { FLUSH } else { BUFFER };
    settings.buffer = size(c"IOTA_BUFFER", held).max(FLUSH);
    copy(c"IOTA_OUTPUT", &mut settings.output);
    copy(c"IOTA_SHARED", &mut settings.shared);
    copy(c"IOTA_SPOOL", &mut settings.spool);
    settings.text = variable(c"IOTA_FORMAT").is_some_and(is_text);
    read_gather(settings);
    settings.layouts = layouts();
    settings.mpiio = switch(c"IOTA_MPIIO", true);
    settings.left_out = left_out();
    copy(c"IOTA_PROBE", &mut settings.probe);
    check_patterns(c"IOTA_PROBE", &settings.probe);
    copy(c"IOTA_PATCHES", &mut settings.patches);
    copy(c"IOTA_PYTHON_PROBE", &mut settings.python_probe);
    check_patterns(c"IOTA_PYTHON_PROBE", &settings.python_probe);
    let stack = size(c"IOTA_PROBE_STACK", PROBE_STACK).min(MOST_PROBE_STACK);
    settings.probe_stack = stack.next_multiple_of(16) as usize;
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

fn read_gather(settings: &mut Settings) {
    (settings.gather, settings.deadline_ms) = (true, DEADLINE_MS);
    match variable(c"IOTA_GATHER") {
        None => {}
        Some(b"parts") => settings.gather = false,
        Some(value) => match number(value) {
            Some(seconds) => settings.deadline_ms = seconds.saturating_mul(1000),
            None => log::line(&[
                b"IOTA_GATHER=",
                value,
                b": neither `parts` nor a number of seconds; waiting 20 s",
            ]),
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

fn copy<const N: usize>(name: &CStr, to: &mut Text<N>) {
    if let Some(value) = variable(name) {
        to.push(value);
        if !to.is_whole() {
            let most = log::number(N.wrapping_sub(1) as i64);
            let most = most.bytes();
            log::line(&[name.to_bytes(), b": longer than ", most, b" bytes; ignored"]);
            to.truncate(0);
        }
    }
}

fn check_patterns<const N: usize>(name: &CStr, patterns: &Text<N>) {
    for pattern in glob::each(patterns.bytes()) {
        let fault: &[u8] = match glob::check(pattern) {
            Ok(()) => continue,
            Err(glob::Fault::OpenBracket) => b": a `[` without `]`; matches nothing",
            Err(glob::Fault::LoneBackslash) => b": a lone `\\` at the end; matches nothing",
        };
        log::line(&[name.to_bytes(), b": pattern ", pattern, fault]);
    }
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
