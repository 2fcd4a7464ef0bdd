//! What the user asked for, read once from the environment. Nothing in it can stop the host: what cannot be read is
//! told in the log, and the default holds.

use crate::bytes::{Once, Text};
use crate::{early, log, lustre, sys};
use core::ffi::{CStr, c_char};
use iota_trace::glob;

/// Room for one variable.
const ROOM: usize = 4096;
/// Bytes of sealed blocks that a process holds before they spill to its file.
const BUFFER: u64 = 16 << 20;
/// The same when flushing: the source's 1 MB.
const FLUSH: u64 = 1 << 20;
/// How long the ranks wait for each other at the end before each leaves its part.
const DEADLINE_MS: u64 = 20_000;

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
    /// Where diagnostics go.
    pub log: Text<ROOM>,
    /// Parts are joined at the end.
    pub gather: bool,
    /// How long to wait for all ranks.
    pub deadline_ms: u64,
    /// Whose layouts are recorded.
    pub lustre: lustre::Wish,
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
    log: Text::EMPTY,
    gather: false,
    deadline_ms: 0,
    lustre: lustre::Wish::Off,
});

/// The settings.
#[inline(always)]
pub fn get() -> &'static Settings {
    SETTINGS.get()
}

unsafe extern "C" {
    safe fn secure_getenv(name: *const c_char) -> *const c_char;
}

/// False while nobody knows what the user wants: the program's earliest code is not traced.
pub fn are_readable() -> bool {
    early::has_environment()
}

/// The value of an environment variable; none for setuid programs. Not kept: the host may change it.
pub fn variable(name: &CStr) -> Option<&'static [u8]> {
    let value = secure_getenv(name.as_ptr());
    if value.is_null() {
        return early::variable(name.to_bytes());
    }
    // SAFETY: a C string of the environment; copied or parsed before the host goes on.
    Some(unsafe { CStr::from_ptr(value) }.to_bytes())
}

/// Reads the environment.
///
/// # Safety
/// Only while the tracer starts.
pub unsafe fn read() {
    // SAFETY: the caller's.
    let settings = unsafe { SETTINGS.start() };
    copy(c"IOTA_LOG", &mut settings.log);
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
    settings.lustre = lustre_wish();
}

fn lustre_wish() -> lustre::Wish {
    match variable(c"IOTA_LUSTRE") {
        None | Some(b"" | b"1") => lustre::Wish::On,
        Some(b"0") => lustre::Wish::Off,
        Some(b"probe") => lustre::Wish::Probe,
        Some(value) => {
            log::line(&[
                b"IOTA_LUSTRE=",
                value,
                b": neither 0, 1 nor `probe`; ignored",
            ]);
            lustre::Wish::On
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

fn copy(name: &CStr, to: &mut Text<ROOM>) {
    if let Some(value) = variable(name) {
        to.push(value);
        if !to.is_whole() {
            log::line(&[name.to_bytes(), b": longer than 4095 bytes; ignored"]);
            to.truncate(0);
        }
    }
}

fn check_patterns(name: &CStr, patterns: &Text<ROOM>) {
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
                b": not a size (bytes, or with k, m, g); the default holds",
            ]);
            default
        }),
    }
}

/// Decimal digits with an optional k, m or g (powers of 1024).
pub fn number(value: &[u8]) -> Option<u64> {
    let (digits, shift) = match value.split_last()? {
        (b'k' | b'K', digits) => (digits, 10),
        (b'm' | b'M', digits) => (digits, 20),
        (b'g' | b'G', digits) => (digits, 30),
        _ => (value, 0),
    };
    let mut sum = 0u64;
    if digits.is_empty() {
        return None;
    }
    for digit in digits {
        let digit = digit.checked_sub(b'0').filter(|d| *d < 10)?;
        sum = sum.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    sum.checked_mul(1 << shift)
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

/// The rank that the launcher gave this process, before or without MPI_Init.
pub fn launched_rank() -> Option<u32> {
    let names = [
        c"PMI_RANK",
        c"PMIX_RANK",
        c"OMPI_COMM_WORLD_RANK",
        c"MV2_COMM_WORLD_RANK",
        c"PALS_RANKID",
        c"ALPS_APP_PE",
        c"JSM_NAMESPACE_RANK",
        c"FLUX_TASK_RANK",
        c"SLURM_PROCID",
    ];
    names
        .iter()
        .find_map(|name| number(variable(name)?))
        .map(|rank| rank as u32)
}

/// The batch system's job, or what names the launch, or the process.
pub fn job(to: &mut Text<256>) {
    let batch = [
        c"SLURM_JOB_ID",
        c"PBS_JOBID",
        c"LSB_JOBID",
        c"FLUX_JOB_ID",
        c"COBALT_JOBID",
        c"JOB_ID",
        c"PMIX_NAMESPACE",
    ];
    match batch
        .iter()
        .find_map(|name| variable(name).filter(|value| !value.is_empty()))
    {
        // A job id becomes part of a file name.
        Some(id) => {
            for &b in id {
                to.push(&[if b == b'/' { b'_' } else { b }]);
            }
        }
        // The ranks of a node have the launcher in common.
        None if launched_rank().is_some() => {
            to.push_number(u64::from(sys::parent_id()));
        }
        None => {
            to.push_number(u64::from(sys::process_id()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn sizes_are_read_and_nonsense_is_not() {
        assert_eq!(number(b"64k"), Some(65_536));
        assert_eq!(number(b"3"), Some(3));
        for nonsense in [&b""[..], b"k", b"-1", b"1.5m", b"99999999999g", b"0x10"] {
            assert_eq!(number(nonsense), None, "{}", nonsense.escape_ascii());
        }
    }
}
