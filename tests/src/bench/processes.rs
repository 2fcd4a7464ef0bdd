//! What a short process costs: commands that start many of them, bare and under `iota run`, in the same rounds.

use crate::figures::median;
use iota_tests::{Build, Scratch, limited};
use std::fmt::Write;
use std::process::Command;
use std::time::{Duration, Instant};

/// Each: what it is, how many processes it starts, the script.
const TREES: [(&str, u32, &str); 2] = [
    (
        "cat of a small file",
        400,
        "i=0; while [ $i -lt 400 ]; do cat /etc/hostname >/dev/null; i=$((i+1)); done",
    ),
    (
        "forked shells",
        400,
        "i=0; while [ $i -lt 400 ]; do (cd / && : >/dev/null); i=$((i+1)); done",
    ),
];

/// Milliseconds of a tree.
#[derive(Clone, Copy)]
struct Spent {
    processor: f64,
    wall: f64,
}

/// A row for each tree: medians.
pub fn text(rounds: usize) -> String {
    let mut text = String::from(
        "\nShort processes, ms each: processor time bare, added by iota run; wall time, times the bare one\n",
    );
    for (name, processes, script) in TREES {
        let all: Vec<_> = (0..rounds).map(|_| round(script)).collect();
        let each = |number: f64| number / f64::from(processes);
        let bare = each(median(all.iter().map(|(bare, _)| bare.processor).collect()));
        let added = all
            .iter()
            .map(|(bare, traced)| traced.processor - bare.processor);
        let wall = median(
            all.iter()
                .map(|(bare, traced)| traced.wall / bare.wall)
                .collect(),
        );
        let added = each(median(added.collect()));
        writeln!(
            text,
            "{name:<22} {bare:>8.2} {added:>+8.2} (goal 0.4) {wall:>8.2}x"
        )
        .expect("text has room");
    }
    text
}

fn round(script: &str) -> (Spent, Spent) {
    let scratch = Scratch::new();
    let bare = spent(Command::new("sh").args(["-c", script]), &scratch);
    let mut iota = Command::new(Build::first().iota());
    let iota = iota.args(["run", "-q", "-o", "t.iota", "--", "sh", "-c", script]);
    (bare, spent(iota, &scratch))
}

fn spent(command: &mut Command, scratch: &Scratch) -> Spent {
    let (before, began) = (of_children(), Instant::now());
    let ran = limited(
        command.current_dir(scratch.path()),
        b"",
        Duration::from_secs(600),
    );
    assert_eq!(ran.code(), 0, "{command:?}: {}", ran.errors());
    Spent {
        processor: of_children() - before,
        wall: began.elapsed().as_secs_f64() * 1e3,
    }
}

/// Processor time of all children so far, in milliseconds.
fn of_children() -> f64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the call fills `usage`, for which zero is valid too.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr());
        usage.assume_init()
    };
    let millis = |time: libc::timeval| time.tv_sec as f64 * 1e3 + time.tv_usec as f64 / 1e3;
    millis(usage.ru_utime) + millis(usage.ru_stime)
}
