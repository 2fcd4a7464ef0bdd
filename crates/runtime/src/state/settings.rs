//! What the user asked for, read once from the environment. Nothing in it can stop the host: what cannot be read is
//! reported in the log, and the default holds.

use super::environment::{number, variable};
use super::log;
use crate::sys::{self, Once, Starting, Text};
use core::ffi::CStr;
use iota_calls::Layer;
use iota_trace::glob;

/// Bytes of one variable, with its NUL.
const ROOM: usize = 4096;
/// The same for the functions that the user names.
const PROBES: usize = 16 << 10;
/// Room for all of them, one behind the other: each page that is touched costs a short program something.
const ALL: usize = 7 * ROOM + PROBES + 1;
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

/// What a variable says.
pub struct Wish {
    /// Where it stands in [`Settings::texts`].
    at: usize,
    length: usize,
}

impl Wish {
    const NONE: Wish = Wish { at: 0, length: 0 };

    /// The bytes, without NUL.
    pub fn bytes(&self) -> &'static [u8] {
        let end = self.at.wrapping_add(self.length);
        let all = get().texts.bytes();
        all.get(self.at..end).unwrap_or_default()
    }

    /// As a C string.
    pub fn c_str(&self) -> &'static CStr {
        let end = self.at.wrapping_add(self.length).wrapping_add(1);
        let own = get().texts.bytes().get(self.at..end);
        own.filter(|_| !self.is_empty())
            .and_then(|own| CStr::from_bytes_with_nul(own).ok())
            .unwrap_or(c"")
    }

    /// True when it says nothing.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}

/// The settings of this process.
#[repr(C)]
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
    /// Layers whose calls are not recorded, by their numbers: a bit of each.
    pub left_out: u16,
    /// Bytes of sealed blocks that are held.
    pub buffer: u64,
    /// How long to wait for all ranks.
    pub deadline_ms: u64,
    /// Bytes of a call's arguments on the stack that a probe passes on.
    pub probe_stack: usize,
    /// Only files that match are traced; empty: all.
    pub files: Wish,
    /// Files that match are not traced.
    pub exclude: Wish,
    /// Where the trace goes, as given.
    pub output: Wish,
    /// The file that the processes of a run share, as `iota run` gives it.
    pub shared: Wish,
    /// Directory of the spool, as given.
    pub spool: Wish,
    /// Functions whose calls are recorded.
    pub probe: Wish,
    /// The file of patches for functions that no slot leads to, as `iota run` gives it.
    pub patches: Wish,
    /// Functions of Python whose calls are recorded.
    pub python_probe: Wish,
    texts: Text<ALL>,
}

/// All zero before it is read, so that it takes no room in the program's file.
static SETTINGS: Once<Settings> = Once::new(Settings {
    enabled: false,
    flush: false,
    text: false,
    gather: false,
    layouts: Layouts::Off,
    mpiio: false,
    left_out: 0,
    buffer: 0,
    deadline_ms: 0,
    probe_stack: 0,
    files: Wish::NONE,
    exclude: Wish::NONE,
    output: Wish::NONE,
    shared: Wish::NONE,
    spool: Wish::NONE,
    probe: Wish::NONE,
    patches: Wish::NONE,
    python_probe: Wish::NONE,
    texts: Text::EMPTY,
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
    let texts = &mut settings.texts;
    settings.files = patterns(c"IOTA_FILES", ROOM, texts);
    settings.exclude = patterns(c"IOTA_EXCLUDE", ROOM, texts);
    settings.output = text(c"IOTA_OUTPUT", ROOM, texts);
    settings.shared = text(c"IOTA_SHARED", ROOM, texts);
    settings.spool = text(c"IOTA_SPOOL", ROOM, texts);
    settings.probe = patterns(c"IOTA_PROBE", PROBES, texts);
    settings.patches = text(c"IOTA_PATCHES", ROOM, texts);
    settings.python_probe = patterns(c"IOTA_PYTHON_PROBE", ROOM, texts);
    settings.flush = switch(c"IOTA_FLUSH", false);
    let held = if settings.flush { FLUSH } else { BUFFER };
    settings.buffer = size(c"IOTA_BUFFER", held).max(FLUSH);
    settings.text = variable(c"IOTA_FORMAT").is_some_and(is_text);
    read_gather(settings);
    settings.layouts = layouts();
    settings.mpiio = switch(c"IOTA_MPIIO", true);
    settings.left_out = left_out();
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

/// Keeps what a variable says, if that is shorter than `most` bytes: the program may change it.
fn text(name: &CStr, most: usize, texts: &mut Text<ALL>) -> Wish {
    let value = variable(name).unwrap_or_default();
    if value.is_empty() {
        return Wish::NONE;
    }
    if value.len() >= most {
        let most = log::number(most.wrapping_sub(1) as i64);
        let most = most.bytes();
        log::line(&[name.to_bytes(), b": longer than ", most, b" bytes; ignored"]);
        return Wish::NONE;
    }
    let (at, length) = (texts.bytes().len(), value.len());
    texts.push(value).push(b"\0");
    Wish { at, length }
}

fn patterns(name: &CStr, most: usize, texts: &mut Text<ALL>) -> Wish {
    for pattern in glob::each(variable(name).unwrap_or_default()) {
        let fault: &[u8] = match glob::check(pattern) {
            Ok(()) => continue,
            Err(glob::Fault::OpenBracket) => b": a `[` without `]`; matches nothing",
            Err(glob::Fault::LoneBackslash) => b": a lone `\\` at the end; matches nothing",
        };
        log::line(&[name.to_bytes(), b": pattern ", pattern, fault]);
    }
    text(name, most, texts)
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
