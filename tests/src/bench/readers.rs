//! What reading costs: calls a second of processor time and peak memory, of each command on the same synthetic trace.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Commands, the first one being what the others are compared with.
const COMMANDS: [(&str, &[&str]); 2] = [("info", &["info"]), ("stat", &["stat"])];

/// What a command took.
struct Reading {
    name: &'static str,
    /// Calls in a second of one core.
    rate: f64,
    /// Peak memory, MB.
    memory: f64,
    /// Seconds from begin to end.
    wall: f64,
}

/// Measures with `IOTA_BENCH_CALLS` calls (100 million) of 1000 ranks, and prints a line for each command and one of JSON.
pub fn measure() {
    let Some(synthetic) = std::env::var_os("IOTA_SYNTHETIC").map(PathBuf::from) else {
        eprintln!("reading is not measured: IOTA_SYNTHETIC names no generator; make bench does");
        return;
    };
    let calls = std::env::var("IOTA_BENCH_CALLS")
        .ok()
        .and_then(|calls| calls.parse().ok())
        .unwrap_or(100_000_000u64);
    let place = iota_tests::root().join("build/bench");
    std::fs::create_dir_all(&place).expect("build/ is writable");
    let trace = place.join(format!("synthetic-{}.iota", std::process::id()));
    let made = Command::new(synthetic)
        .arg(&trace)
        .args([&calls.to_string(), "1000"])
        .status();
    assert!(made.expect("it was just built").success());
    let readings = COMMANDS.map(|(name, args)| read(name, args, &trace, calls));
    // What cannot be removed is no failure of the measurement.
    let _ = std::fs::remove_file(&trace);
    print(&readings, calls);
}

#[expect(
    clippy::zombie_processes,
    reason = "wait4 waits, and says what it used"
)]
fn read(name: &'static str, args: &[&str], trace: &Path, calls: u64) -> Reading {
    let iota = iota_tests::Build::first().iota();
    let begun = std::time::Instant::now();
    let child = Command::new(iota)
        .args(args)
        .arg(trace)
        .stdout(Stdio::null())
        .spawn()
        .expect("it was just built");
    let (cpu, memory) = waited(child.id());
    Reading {
        name,
        rate: calls as f64 / cpu,
        memory,
        wall: begun.elapsed().as_secs_f64(),
    }
}

/// Processor time in seconds and peak memory in MB of a child that ends well.
fn waited(pid: u32) -> (f64, f64) {
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: both places are ours; the child is not waited for elsewhere.
    let ended = unsafe { libc::wait4(pid as i32, &mut status, 0, usage.as_mut_ptr()) };
    assert!(
        ended > 0 && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0,
        "iota ended with {status:#x}"
    );
    // SAFETY: zero is valid, and wait4 has filled it.
    let usage = unsafe { usage.assume_init() };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    (
        seconds(usage.ru_utime) + seconds(usage.ru_stime),
        usage.ru_maxrss as f64 / 1024.0,
    )
}

fn print(readings: &[Reading], calls: u64) {
    println!("reading {calls} calls of 1000 ranks      M calls/s/core      MB      wall s");
    for Reading {
        name,
        rate,
        memory,
        wall,
    } in readings
    {
        println!(
            "iota {name:<36} {:>12.1} {memory:>9.0} {wall:>11.1}",
            rate / 1e6
        );
    }
    let one = |Reading {
                   name,
                   rate,
                   memory,
                   wall,
               }: &Reading| {
        format!(
            r#"{{"name":"iota {name}","calls":{calls},"calls_per_core_second":{rate:.0},"peak_mb":{memory:.1},"wall_s":{wall:.2}}}"#
        )
    };
    println!(
        "[{}]",
        readings.iter().map(one).collect::<Vec<_>>().join(",")
    );
}
