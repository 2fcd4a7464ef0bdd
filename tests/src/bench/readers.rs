//! What reading costs: calls a second of processor time and peak memory, of each command on the same synthetic traces, one
//! of loops and one of random calls on many files; summaries are medians of five rounds.

use crate::run::{cpu, ended};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A synthetic trace: ranks, pattern, and what the table calls it.
struct Made(u32, &'static str, &'static str);

const LOOPS: Made = Made(1000, "checkpoint", "loops");
const RANDOM: Made = Made(16, "scattered", "random calls");

/// A command that is measured.
struct Reader {
    name: &'static str,
    args: &'static [&'static str],
    /// The file that it writes, by its ending.
    output: Option<&'static str>,
}

impl Reader {
    const fn new(name: &'static str, args: &'static [&'static str]) -> Reader {
        Reader {
            name,
            args,
            output: None,
        }
    }

    const fn converts(name: &'static str, ending: &'static str) -> Reader {
        Reader::writes(name, &["convert", "--yes"], ending)
    }

    const fn writes(
        name: &'static str,
        args: &'static [&'static str],
        ending: &'static str,
    ) -> Reader {
        Reader {
            name,
            args,
            output: Some(ending),
        }
    }
}

/// On all calls, the first one being what the others are compared with.
const SUMMARIES: [Reader; 2] = [
    Reader::new("info", &["info"]),
    Reader::new("stat", &["stat"]),
];

/// On a tenth of them.
const CONVERSIONS: [Reader; 4] = [
    Reader::new("text", &["text"]),
    Reader::converts("convert to CSV", "csv"),
    Reader::converts("convert to Parquet", "parquet"),
    Reader::converts("convert to Perfetto", "pftrace"),
];

/// On a fifth of them, in another trace.
const OF_RANDOM: [Reader; 4] = [
    Reader::new("info", &["info"]),
    Reader::new("stat", &["stat"]),
    Reader::writes("report", &["report"], "html"),
    Reader::converts("convert to Parquet", "parquet"),
];

/// What a command took.
struct Reading {
    trace: &'static Made,
    name: &'static str,
    calls: u64,
    /// Calls in a second of one core.
    rate: f64,
    /// Peak memory, MB.
    memory: f64,
    /// Seconds from begin to end.
    wall: f64,
    /// Bytes of output for a call, where it writes a file.
    bytes: Option<f64>,
}

/// Measures with `IOTA_BENCH_CALLS` calls (100 million), and prints a line for each command and one of JSON.
pub fn measure() {
    let Some(synthetic) = std::env::var_os("IOTA_SYNTHETIC").map(PathBuf::from) else {
        eprintln!("reading is not measured: IOTA_SYNTHETIC names no generator; make bench does");
        return;
    };
    let calls = std::env::var("IOTA_BENCH_CALLS")
        .ok()
        .and_then(|calls| calls.parse().ok())
        .unwrap_or(100_000_000u64);
    let mut readings = all(&SUMMARIES, &synthetic, &LOOPS, calls, 5);
    readings.extend(all(&CONVERSIONS, &synthetic, &LOOPS, calls / 10, 1));
    readings.extend(all(&OF_RANDOM, &synthetic, &RANDOM, calls / 5, 3));
    print!("{}", table(&readings));
    println!("{}", json(&readings));
}

/// The medians of some interleaved rounds.
fn all(
    readers: &[Reader],
    synthetic: &Path,
    of: &'static Made,
    calls: u64,
    rounds: usize,
) -> Vec<Reading> {
    let place = iota_tests::root().join("build/bench");
    std::fs::create_dir_all(&place).expect("build/ is writable");
    let trace = place.join(format!("synthetic-{}.iota", std::process::id()));
    let made = Command::new(synthetic)
        .arg(&trace)
        .args([calls.to_string(), of.0.to_string(), of.1.to_owned()])
        .status();
    assert!(made.expect("it was just built").success());
    let mut read: Vec<Vec<Reading>> = readers.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        let each = readers.iter().zip(&mut read);
        each.for_each(|(reader, rounds)| rounds.push(read_once(reader, &trace, of, calls)));
    }
    let median = |mut rounds: Vec<Reading>| {
        rounds.sort_by(|a, b| a.rate.total_cmp(&b.rate));
        rounds.swap_remove(rounds.len() / 2)
    };
    let readings = read.into_iter().map(median).collect();
    // What cannot be removed is no failure of the measurement.
    let _ = std::fs::remove_file(&trace);
    readings
}

fn read_once(reader: &Reader, trace: &Path, of: &'static Made, calls: u64) -> Reading {
    let output = reader.output.map(|ending| trace.with_extension(ending));
    let mut command = Command::new(iota_tests::Build::first().iota());
    command.args(reader.args).arg(trace).stdout(Stdio::null());
    if let Some(output) = &output {
        command.arg("-o").arg(output);
    }
    let begun = std::time::Instant::now();
    let mut child = command.spawn().expect("it was just built");
    let usage = ended(child.id());
    let wall = begun.elapsed().as_secs_f64();
    // It has been waited for; this only tells so.
    let _ = child.wait();
    let written = output.map(|output| {
        let bytes = output.metadata().expect("it was written").len();
        std::fs::remove_file(output).expect("it was written");
        bytes as f64 / calls as f64
    });
    Reading {
        trace: of,
        name: reader.name,
        calls,
        rate: calls as f64 / (cpu(&usage) / 1e9),
        memory: usage.ru_maxrss as f64 / 1024.0,
        wall,
        bytes: written,
    }
}

fn table(readings: &[Reading]) -> String {
    let mut out = format!(
        "\n{:<24} {:<24} {:>8} {:>16} {:>8} {:>8} {:>8}\n",
        "reading", "", "M calls", "M calls/s/core", "MB", "wall s", "B/call"
    );
    for reading in readings {
        let bytes = reading
            .bytes
            .map_or("-".into(), |bytes| format!("{bytes:.1}"));
        let _ = writeln!(
            out,
            "iota {:<19} {:<24} {:>8} {:>16.1} {:>8.0} {:>8.1} {bytes:>8}",
            reading.name,
            of(reading.trace),
            reading.calls / 1_000_000,
            reading.rate / 1e6,
            reading.memory,
            reading.wall
        );
    }
    out
}

fn of(trace: &Made) -> String {
    let Made(ranks, _, calls) = trace;
    format!("{calls} of {ranks} ranks")
}

fn json(readings: &[Reading]) -> String {
    let one = |reading: &Reading| {
        format!(
            r#"{{"name":"iota {}","trace":"{}","calls":{},"calls_per_core_second":{:.0},"peak_mb":{:.1},"wall_s":{:.2}}}"#,
            reading.name,
            of(reading.trace),
            reading.calls,
            reading.rate,
            reading.memory,
            reading.wall
        )
    };
    format!(
        "[{}]",
        readings.iter().map(one).collect::<Vec<_>>().join(",")
    )
}
