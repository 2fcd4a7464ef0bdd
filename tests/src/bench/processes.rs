//! What a short process costs: commands that start many of them, bare and under `iota run`, in the same rounds.

use crate::figures::median;
use iota_tests::{Build, Scratch, limited, root};
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

/// Each: what it is, what makes its files, the script.
const WORK: [(&str, &str, &str); 3] = [
    (
        "make -j2, 100 processes",
        "for file in $(grep -LE 'mpi|hdf5|netcdf|aio|uring|lustre' $PROGRAMS/*.c | head -33); do cp $file .; done; \
         cp $PROGRAMS/*.h .; \
         printf 'all: $(patsubst %%.c,%%.o,$(wildcard *.c))\\n%%.o: %%.c\\n\\tcc -O2 -c -o $@ $<\\n' >Makefile",
        "make -s -B -j2",
    ),
    (
        "the same, files of a line",
        "i=0; while [ $i -lt 33 ]; do i=$((i+1)); \
         printf '#include <stdio.h>\\nint f%d(void) { return printf(\"%d\"); }\\n' $i $i >f$i.c; done; \
         printf 'all: $(patsubst %%.c,%%.o,$(wildcard *.c))\\n%%.o: %%.c\\n\\tcc -O1 -c -o $@ $<\\n' >Makefile",
        "make -s -B -j2",
    ),
    (
        "tar | tar, 2,000 files",
        "mkdir from to; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); echo $i >from/$i; done; \
         head -c 64m /dev/zero >from/large",
        "i=0; while [ $i -lt 3 ]; do tar cf - from | tar xf - -C to; i=$((i+1)); done",
    ),
];

/// Milliseconds of a tree, and its page faults.
#[derive(Clone, Copy)]
struct Spent {
    processor: f64,
    wall: f64,
    faults: f64,
}

/// A row for each tree: medians.
pub fn text(rounds: usize) -> String {
    let mut text = String::from(
        "\nShort processes: ms of processor time bare, added by iota run; wall time, times the bare one; page faults bare, added\n",
    );
    for (name, processes, script) in TREES {
        let all: Vec<_> = (0..rounds).map(|_| round("", script)).collect();
        // Of each process: the median bare, and of what is added.
        let each = |take: fn(&Spent) -> f64| {
            let bare = all.iter().map(|(bare, _)| take(bare));
            let added = all.iter().map(|(bare, traced)| take(traced) - take(bare));
            [bare.collect(), added.collect()].map(|all| median(all) / f64::from(processes))
        };
        let [processor, added] = each(|spent| spent.processor);
        let [faults, added_faults] = each(|spent| spent.faults);
        let wall = ratio(&all);
        writeln!(
            text,
            "{name:<22} {processor:>8.2} {added:>+8.2} (goal 0.4) {wall:>8.2}x {faults:>8.0} {added_faults:>+8.0}"
        )
        .expect("text has room");
    }
    for (name, prepare, script) in WORK {
        let all: Vec<_> = (0..rounds).map(|_| round(prepare, script)).collect();
        let bare = median(all.iter().map(|(bare, _)| bare.wall).collect());
        writeln!(
            text,
            "{name:<26} wall time {bare:.0} ms bare, {:.2}x (goal 1.10)",
            ratio(&all)
        )
        .expect("text has room");
    }
    text
}

fn ratio(all: &[(Spent, Spent)]) -> f64 {
    let each = all.iter().map(|(bare, traced)| traced.wall / bare.wall);
    median(each.collect())
}

fn round(prepare: &str, script: &str) -> (Spent, Spent) {
    let scratch = Scratch::new();
    let programs = root().join("tests/programs");
    let mut prepared = Command::new("sh");
    spent(
        prepared.args(["-c", prepare]).env("PROGRAMS", programs),
        &scratch,
    );
    let bare = spent(Command::new("sh").args(["-c", script]), &scratch);
    let mut iota = Command::new(Build::first().iota());
    let iota = iota.args(["run", "-q", "-o", "t.iota", "--", "sh", "-c", script]);
    (bare, spent(iota, &scratch))
}

fn spent(command: &mut Command, scratch: &Scratch) -> Spent {
    let ((processor, faults), began) = (of_children(), Instant::now());
    let ran = limited(
        command.current_dir(scratch.path()),
        b"",
        Duration::from_secs(600),
    );
    assert_eq!(ran.code(), 0, "{command:?}: {}", ran.errors());
    let wall = began.elapsed().as_secs_f64() * 1e3;
    let (processor_now, faults_now) = of_children();
    Spent {
        processor: processor_now - processor,
        wall,
        faults: faults_now - faults,
    }
}

/// Processor time of all children so far, in milliseconds, and their page faults.
fn of_children() -> (f64, f64) {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the call fills `usage`, for which zero is valid too.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr());
        usage.assume_init()
    };
    let millis = |time: libc::timeval| time.tv_sec as f64 * 1e3 + time.tv_usec as f64 / 1e3;
    let processor = millis(usage.ru_utime) + millis(usage.ru_stime);
    (processor, usage.ru_minflt as f64)
}
