//! One run of the micro program.

use iota_tests::{Program, Trace, Way};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task<'d> {
    /// The loop.
    pub op: &'static str,
    /// How many threads make calls.
    pub threads: u32,
    /// Calls in all threads together.
    pub calls: u64,
    /// Times single calls.
    pub latency: bool,
    /// `IOTA_FLUSH`.
    pub flush: bool,
    /// `IOTA_LUSTRE=probe`.
    pub probes: bool,
    /// Where, if not in memory.
    pub directory: Option<&'d Path>,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Result {
    /// What the program printed.
    pub printed: BTreeMap<String, f64>,
    /// CPU time after main, ns.
    pub after_main: f64,
    /// Bytes of all trace files.
    pub trace_bytes: f64,
    /// Events in them.
    pub events: f64,
    /// Most memory that was seen, KiB.
    pub memory: f64,
}

/// Runs it in a fresh directory in memory.
pub fn run(task: Task<'_>, way: Way) -> Result {
    let place = BenchDir::new();
    let program = Program::new("bench.c").flags("-O2");
    let mut command = Command::new(program.executable(way));
    command.args([task.op, &task.threads.to_string(), &task.calls.to_string()]);
    command
        .args(task.latency.then_some("latency"))
        .current_dir(task.directory.unwrap_or(&place.0))
        .env("IOTA_OUTPUT", place.0.join("run"));
    if task.flush {
        command.env("IOTA_FLUSH", "1");
    }
    if task.probes {
        command.env("IOTA_LUSTRE", "probe");
    }
    if way == Way::Preload {
        command.env("LD_PRELOAD", program.shared_object());
    }
    let child = command
        .stdout(Stdio::piped())
        .spawn()
        .expect("it was just built");
    let mut result = wait(child);
    (result.trace_bytes, result.events) = place.trace();
    result
}

/// Waits for the child, watching its memory.
fn wait(mut child: Child) -> Result {
    let status = format!("/proc/{}/status", child.id());
    let mut memory = 0.0f64;
    let usage = loop {
        memory = memory.max(high_water(&status));
        match reaped(child.id()) {
            Some(usage) => break usage,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let mut text = String::new();
    let mut stdout = child.stdout.take().expect("piped");
    std::io::Read::read_to_string(&mut stdout, &mut text).expect("text");
    let pairs = text
        .split_whitespace()
        .filter_map(|pair| pair.split_once('='));
    let printed: BTreeMap<String, f64> = pairs
        .filter_map(|(key, value)| Some((key.into(), value.parse().ok()?)))
        .collect();
    let before = *printed
        .get("cpu")
        .unwrap_or_else(|| panic!("it printed: {text}"));
    Result {
        after_main: usage - before,
        memory,
        printed,
        ..Result::default()
    }
}

fn high_water(status: &str) -> f64 {
    let text = std::fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0.0)
}

/// CPU time of the child in ns, once it has ended.
fn reaped(pid: u32) -> Option<f64> {
    waited(pid, libc::WNOHANG).map(|usage| cpu(&usage))
}

/// What a child used, when it has ended.
pub fn ended(pid: u32) -> libc::rusage {
    waited(pid, 0).expect("a child of ours")
}

/// CPU time in ns.
pub fn cpu(usage: &libc::rusage) -> f64 {
    let times = [usage.ru_utime, usage.ru_stime];
    let nanos = times.map(|time| time.tv_sec as f64 * 1e9 + time.tv_usec as f64 * 1e3);
    nanos.iter().sum()
}

fn waited(pid: u32, options: i32) -> Option<libc::rusage> {
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: both places are ours; the child is not waited for elsewhere.
    let ended = unsafe { libc::wait4(pid as i32, &mut status, options, usage.as_mut_ptr()) };
    if ended == 0 {
        return None;
    }
    assert!(
        libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0,
        "what is measured ended with status {status:#x}"
    );
    // SAFETY: zero is valid, and wait4 has filled it.
    Some(unsafe { usage.assume_init() })
}

/// A directory in memory, gone afterwards.
pub struct BenchDir(PathBuf);

impl BenchDir {
    /// Makes it in /dev/shm, or in the directory for temporary files.
    pub fn new() -> BenchDir {
        let memory = PathBuf::from("/dev/shm");
        let base = if memory.is_dir() {
            memory
        } else {
            std::env::temp_dir()
        };
        let path = base.join(format!("iota-bench-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("/dev/shm is writable");
        BenchDir(path)
    }

    /// Its path.
    pub fn path(&self) -> &std::path::Path {
        &self.0
    }

    /// Bytes and events of what was traced.
    fn trace(&self) -> (f64, f64) {
        let entries = std::fs::read_dir(&self.0).expect("our own").flatten();
        let files =
            entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "iota"));
        let files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
        let bytes = files
            .iter()
            .map(|file| file.metadata().expect("our own").len())
            .sum::<u64>();
        let events = files.iter().map(|file| Trace::captured(file)).sum::<u64>();
        (bytes as f64, events as f64)
    }
}

impl Drop for BenchDir {
    fn drop(&mut self) {
        // What cannot be removed is no failure of the measurement.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
