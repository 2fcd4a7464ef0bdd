//! `iota load` beside fio: the same jobs, one after the other in each round, on files in memory and on /dev/null.
//!
//! Transfers in a second are what is to be reached; processor time for one tells the same where other programs take the
//! processors away. Both make no log of single transfers.

use crate::run::BenchDir;
use iota_tests::{Build, Program, Way};
use serde_json::Value;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A job that both do.
struct Job {
    /// As fio and as the load generator name it
    interface: [&'static str; 2],
    threads: u32,
    bytes: &'static str,
    reads: bool,
    null: bool,
}

/// What a run came to.
#[derive(Clone, Copy, Default)]
struct Run {
    /// Transfers in a second
    rate: f64,
    /// Processor time for one, in ns
    cpu: f64,
    /// Most memory of its own, in MB
    memory: f64,
    /// The same with the pages of programs and libraries that were touched
    resident: f64,
}

/// Medians over the rounds.
struct Row {
    name: String,
    fio: Run,
    ours: Run,
    ratio: f64,
}

/// The table; empty, with a word about it, where there is no fio.
pub fn text(rounds: usize) -> String {
    let fio = Program::real("fio", Build::first()).executable(Way::Bare);
    if !fio.exists() {
        eprintln!("iota load is not measured against fio: run tests/real/build.sh");
        return String::new();
    }
    let rows: Vec<Row> = jobs().iter().map(|job| row(job, &fio, rounds)).collect();
    eprintln!();
    table(&rows)
}

fn jobs() -> Vec<Job> {
    let mut jobs = Vec::new();
    for interface in [["psync", "pio"], ["io_uring", "io_uring"]] {
        for bytes in ["4k", "1m"] {
            for threads in [1, 2] {
                jobs.extend([true, false].map(|reads| Job {
                    interface,
                    threads,
                    bytes,
                    reads,
                    null: false,
                }));
            }
        }
        jobs.push(Job {
            interface,
            threads: 1,
            bytes: "4k",
            reads: false,
            null: true,
        });
    }
    jobs
}

fn row(job: &Job, fio: &Path, rounds: usize) -> Row {
    let place = BenchDir::new();
    let (mut fios, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        fios.push(run_fio(job, fio, place.path()));
        ours.push(run_ours(job, place.path()));
    }
    eprint!(".");
    let ratios = fios.iter().zip(&ours).map(|(fio, own)| own.rate / fio.rate);
    let what = if job.reads { "read" } else { "write" };
    let on = if job.null { ", /dev/null" } else { "" };
    Row {
        name: format!(
            "{} {what} {}, {} thread{}{on}",
            job.interface[1],
            job.bytes,
            job.threads,
            if job.threads == 1 { "" } else { "s" }
        ),
        ratio: crate::figures::median(ratios.collect()),
        fio: medians(&fios),
        ours: medians(&ours),
    }
}

fn medians(runs: &[Run]) -> Run {
    let of = |take: fn(&Run) -> f64| crate::figures::median(runs.iter().map(take).collect());
    Run {
        rate: of(|run| run.rate),
        cpu: of(|run| run.cpu),
        memory: of(|run| run.memory),
        resident: of(|run| run.resident),
    }
}

const SECONDS: &str = "0.5";
const EXTENT: &str = "64m";

fn run_fio(job: &Job, fio: &Path, dir: &Path) -> Run {
    let direction = if job.reads { "read" } else { "write" };
    let mut command = Command::new(fio);
    command.args([
        "--name=fio",
        "--time_based",
        "--runtime=500ms",
        "--thread",
        "--group_reporting",
        "--output-format=json",
        "--invalidate=0",
    ]);
    command.args([
        format!("--size={EXTENT}"),
        format!("--ioengine={}", job.interface[0]),
        format!("--rw={direction}"),
    ]);
    command.args([
        format!("--bs={}", job.bytes),
        format!("--numjobs={}", job.threads),
    ]);
    match job.null {
        true => command.arg("--filename=/dev/null"),
        false => command.arg(format!("--directory={}", dir.display())),
    };
    let (
        told,
        Used {
            cpu,
            memory,
            resident,
        },
    ) = measured(&mut command);
    let moved = &told["jobs"][0][direction];
    let count = moved["total_ios"].as_f64().expect("fio counts transfers");
    Run {
        rate: moved["iops"].as_f64().expect("fio tells IOPS"),
        cpu: cpu / count,
        memory,
        resident,
    }
}

fn run_ours(job: &Job, dir: &Path) -> Run {
    if job.null {
        // It stays from round to round.
        let _ = symlink("/dev/null", dir.join("null.filen.00000"));
    }
    let file = dir.join(if job.null { "null" } else { "load" });
    let mut command = Command::new(Build::first().iota());
    command.args([
        "load", "-quiet", "-log", "off", "-format", "json", "-time", SECONDS, "-fsize", EXTENT,
        "-bufsz", job.bytes,
    ]);
    command.args([
        "-op",
        if job.reads { "r" } else { "w" },
        "-io_api",
        job.interface[1],
        "-nfiles",
    ]);
    command.arg(job.threads.to_string()).arg("-file").arg(file);
    command.args(job.reads.then_some("-prepare"));
    let (
        told,
        Used {
            cpu,
            memory,
            resident,
        },
    ) = measured(&mut command);
    let moved = &told["phases"][0]["moved"][0];
    let count = moved["transfers"].as_f64().expect("transfers");
    Run {
        rate: moved["transfers_per_s"].as_f64().expect("a rate"),
        cpu: cpu / count,
        memory,
        resident,
    }
}

/// What a run took: processor time in ns, memory in MB
struct Used {
    cpu: f64,
    memory: f64,
    resident: f64,
}

/// What a command printed as JSON, and what it took.
fn measured(command: &mut Command) -> (Value, Used) {
    let child = command.stdout(Stdio::piped()).process_group(0).spawn();
    let mut child = child.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let pid = child.id();
    let watch = std::thread::spawn(move || own_memory(pid));
    let mut text = String::new();
    let mut stdout = child.stdout.take().expect("piped");
    std::io::Read::read_to_string(&mut stdout, &mut text).expect("text");
    let memory = watch.join().expect("it only reads");
    let usage = crate::run::ended(pid);
    // It has been waited for; this only tells so.
    let _ = child.wait();
    let start = text
        .find('{')
        .unwrap_or_else(|| panic!("{command:?} printed {text}"));
    let told = serde_json::from_str(&text[start..]).expect("JSON");
    let used = Used {
        cpu: crate::run::cpu(&usage),
        memory,
        resident: usage.ru_maxrss as f64 / 1024.0,
    };
    (told, used)
}

/// The most anonymous and shared memory that a process is seen to have until it ends, in MB: what it takes from the
/// machine, where pages of programs and libraries are the page cache's.
fn own_memory(pid: u32) -> f64 {
    let status = format!("/proc/{pid}/status");
    let mut most = 0.0f64;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let kib = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<f64>().ok()
        };
        // One that has ended, and is not yet waited for, has none.
        let (Some(own), Some(shared)) = (kib("RssAnon:"), kib("RssShmem:")) else {
            return most;
        };
        most = most.max((own + shared) / 1024.0);
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn table(rows: &[Row]) -> String {
    let line = |name: &str, cells: [&str; 9]| {
        let [a, b, x, c, d, e, f, g, h] = cells;
        format!(
            "{name:<40} | {a:>10} {b:>10} {x:>6} | {c:>8} {d:>8} | {e:>6} {f:>6} | {g:>6} {h:>6}\n"
        )
    };
    let heads = ["IOPS", "", "", "CPU ns", "", "own MB", "", "all MB", ""];
    let who = [
        "fio", "iota", "x", "fio", "iota", "fio", "iota", "fio", "iota",
    ];
    let mut out = format!("\n{}{}", line("iota load beside fio", heads), line("", who));
    for Row {
        name,
        fio,
        ours,
        ratio,
    } in rows
    {
        let whole = |value: f64| format!("{value:.0}");
        let tenths = |value: f64| format!("{value:.1}");
        let cells = [
            whole(fio.rate),
            whole(ours.rate),
            format!("{ratio:.2}"),
            whole(fio.cpu),
            whole(ours.cpu),
            tenths(fio.memory),
            tenths(ours.memory),
            tenths(fio.resident),
            tenths(ours.resident),
        ];
        out += &line(name, cells.each_ref().map(String::as_str));
    }
    out
}
