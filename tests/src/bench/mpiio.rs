//! What recording MPI-IO costs: loops of it bare, with the POSIX calls alone, and with both layers, in the same rounds; and
//! whole runs of FLASH-IO.

use crate::figures::median;
use iota_tests::{Build, Program, Scratch, Way, limited};
use std::fmt::Write;
use std::process::Command;
use std::time::{Duration, Instant};

/// What is traced.
#[derive(Clone, Copy)]
enum Traced {
    Nothing,
    Posix,
    Both,
}

/// Each: the call, how many, of how many bytes, on how many ranks.
const LOOPS: [(&str, u32, u32, u32); 3] = [
    ("write_at", 200_000, 8, 1),
    ("write_at", 20_000, 65_536, 1),
    ("write_at_all", 20_000, 8, 2),
];

/// A row for each loop, and for FLASH-IO on two and four ranks: medians.
pub fn text(rounds: usize) -> String {
    let build = Build::first();
    if build.value("MPIEXEC").is_empty() {
        return "\nMPI-IO: not measured, because there is no MPI\n".into();
    }
    let mut text = format!(
        "\nMPI-IO on {} {}, ns a call: bare; added by tracing POSIX alone, and by both layers (goal of the difference 60)\n",
        build.value("MPI"),
        build.value("MPI_VERSION")
    );
    for one in LOOPS {
        let (name, _, bytes, ranks) = one;
        let all: Vec<_> = (0..rounds).map(|_| round(build, one)).collect();
        let [bare, posix, both] =
            [0, 1, 2].map(|which| median(all.iter().map(|round| round[which]).collect()));
        let (posix, both) = (posix - bare, both - bare);
        writeln!(
            text,
            "{name:<13} {bytes:>6} B {ranks} ranks {bare:>10.0} {posix:>+8.0} {both:>+8.0}   difference {:>+6.0}",
            both - posix
        )
        .expect("text has room");
    }
    for ranks in [2, 4] {
        text += &flash_io(build, ranks);
    }
    text
}

fn round(build: &'static Build, one: (&str, u32, u32, u32)) -> [f64; 3] {
    [Traced::Nothing, Traced::Posix, Traced::Both].map(|traced| looped(build, one, traced))
}

fn looped(
    build: &'static Build,
    (name, count, bytes, ranks): (&str, u32, u32, u32),
    traced: Traced,
) -> f64 {
    let program = Program::new("mpiio_bench.c").flags("-O2").mpi(build);
    let args = [name.to_owned(), count.to_string(), bytes.to_string()];
    let said = ran(build, &program, ranks, &args, traced, &Scratch::in_memory());
    said.trim()
        .parse()
        .unwrap_or_else(|_| panic!("it printed: {said}"))
}

/// Runs a program on ranks, preloaded if it is traced, and returns what it printed.
fn ran(
    build: &'static Build,
    program: &Program,
    ranks: u32,
    args: &[String],
    traced: Traced,
    scratch: &Scratch,
) -> String {
    let launcher = build.words("MPIEXEC");
    let mut command = Command::new(&launcher[0]);
    command
        .args(&launcher[1..])
        .args(build.words("MPIEXEC_FLAGS"));
    command.args(["-n", &ranks.to_string()]);
    if !matches!(traced, Traced::Nothing) {
        let library = program.shared_object();
        let output = scratch.path().join("run");
        command
            .arg("env")
            .arg(format!("LD_PRELOAD={}", library.display()));
        command.arg(format!("IOTA_OUTPUT={}", output.display()));
        command.arg(format!(
            "IOTA_MPIIO={}",
            u8::from(matches!(traced, Traced::Both))
        ));
    }
    command.arg(program.executable(Way::Bare)).args(args);
    let ran = limited(
        command.current_dir(scratch.path()),
        b"",
        Duration::from_secs(600),
    );
    assert_eq!(ran.code(), 0, "{command:?}: {}", ran.errors());
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// Whole runs in pairs, and what a call takes in the trace.
fn flash_io(build: &'static Build, ranks: u32) -> String {
    let program = Program::real("flash-io", build).of_mpi();
    if !program.executable(Way::Bare).exists() {
        return format!("FLASH-IO, {ranks} ranks: not measured, run make real\n");
    }
    let args = ["./flash_".to_owned()];
    let timed = |traced| {
        let (scratch, began) = (Scratch::in_memory(), Instant::now());
        ran(build, &program, ranks, &args, traced, &scratch);
        (began.elapsed().as_secs_f64() * 1e3, scratch)
    };
    let (mut ratios, mut bares, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..10 {
        let (bare, _) = timed(Traced::Nothing);
        let (traced, scratch) = timed(Traced::Both);
        ratios.push(traced / bare);
        bares.push(bare);
        bytes.push(bytes_of_a_call(&scratch));
    }
    format!(
        "FLASH-IO, {ranks} ranks: {:.0} ms bare, {:.3}x traced (goal 1.02, median of 10 pairs), {:.1} bytes a call (goal 5)\n",
        median(bares),
        median(ratios),
        median(bytes)
    )
}

fn bytes_of_a_call(scratch: &Scratch) -> f64 {
    let trace = scratch.path().join("run.iota");
    let length = trace.metadata().expect("one trace").len();
    length as f64 / iota_tests::Trace::captured(&trace) as f64
}
