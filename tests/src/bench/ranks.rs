//! What a short MPI job costs that has more ranks than there are processors: bare and under `iota run`, in the same rounds.

use crate::figures::median;
use iota_tests::{Build, Program, Scratch, Way, limited};
use std::fmt::Write;
use std::process::Command;
use std::time::{Duration, Instant};

const RANKS: [u32; 5] = [4, 8, 16, 32, 64];

/// A row for each number of ranks on each MPI: medians.
pub fn text(rounds: usize) -> String {
    let mut text = String::new();
    for build in Build::all() {
        if build.value("MPIEXEC").is_empty() {
            continue;
        }
        writeln!(
            text,
            "\nJobs on {} {}, 1,000 writes a rank: ms of wall time bare; added by iota run, for each rank (goal 10)",
            build.value("MPI"),
            build.value("MPI_VERSION")
        )
        .expect("text has room");
        for ranks in RANKS {
            let all: Vec<_> = (0..rounds).map(|_| round(build, ranks)).collect();
            let bare = median(all.iter().map(|[bare, _]| *bare).collect());
            let added = median(all.iter().map(|[bare, traced]| traced - bare).collect());
            let each = added / f64::from(ranks);
            writeln!(
                text,
                "{ranks:>3} ranks {bare:>8.0} {added:>+8.0} {each:>+8.1} a rank"
            )
            .expect("text has room");
        }
    }
    text
}

fn round(build: &'static Build, ranks: u32) -> [f64; 2] {
    let program = Program::new("mpi_many.c").flags("-O2").mpi(build);
    let program = program.executable(Way::Bare);
    let mut job = build.words("MPIEXEC");
    job.extend(build.words("MPIEXEC_FLAGS"));
    job.extend(["-n".to_owned(), ranks.to_string()]);
    job.extend([program.display().to_string(), "1000".to_owned()]);
    let iota = build.iota().display().to_string();
    let run = [&iota, "run", "-q", "-o", "t.iota", "--"].map(str::to_owned);
    [job.clone(), [&run[..], &job].concat()].map(|words| wall(&words))
}

fn wall(words: &[String]) -> f64 {
    let scratch = Scratch::in_memory();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(scratch.path());
    let began = Instant::now();
    let ran = limited(&mut command, b"", Duration::from_secs(600));
    let wall = began.elapsed().as_secs_f64() * 1e3;
    assert_eq!(ran.code(), 0, "{command:?}: {}", ran.errors());
    wall
}
