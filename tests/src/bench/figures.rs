//! What is measured: the figures that are to be reached, and how they come out of runs.

use crate::run::{Result, Task, run};
use iota_tests::soak::{self, Printed};
use iota_tests::{Build, Case, Mounted, Program, SQL, Way};
use std::io::Write;

/// The ways that are compared, each with its bare form in the same round.
pub const WAYS: [(Way, &str); 3] = [
    (Way::Static, "static"),
    (Way::Dynamic, "dynamic"),
    (Way::Preload, "preload"),
];

/// A figure, for each of [`WAYS`].
#[derive(Clone, Debug)]
pub struct Figure {
    /// What was measured, in words.
    pub name: String,
    /// The unit of the value, such as ns.
    pub unit: &'static str,
    /// What is to be reached, of what tracing adds.
    pub goal: Option<f64>,
    /// What came out.
    pub values: Vec<Value>,
}

/// Medians over the rounds.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// The bare program; 0 where it has no such figure.
    pub bare: f64,
    /// What the traced one had more, in the same round.
    pub added: f64,
}

/// How much is measured.
pub struct Plan {
    /// How often each thing is measured.
    pub rounds: usize,
    scale: f64,
}

/// What memory must not grow with.
const MANY: [(&str, u64); 3] = [
    ("calls", 100_000_000),
    ("files", 1_000_000),
    ("threads", 1_000),
];

/// Loop, its name, calls in a round, goal in ns.
const LOOPS: [(&str, &str, u64, f64); 5] = [
    ("pwrite8", "pwrite 8 B", 100_000, 25.0),
    ("pread4k", "pread 4 KiB", 100_000, 25.0),
    ("write1", "write 1 B", 100_000, 25.0),
    ("fwrite64", "fwrite 64 B", 1_000_000, 25.0),
    ("openclose", "open+close", 40_000, 100.0),
];

impl Plan {
    /// `IOTA_BENCH_ROUNDS` (15), and `IOTA_BENCH_SCALE` (1) for more or fewer calls.
    pub fn from_environment() -> Plan {
        let number = |name: &str| {
            std::env::var(name)
                .ok()
                .and_then(|value| value.parse::<f64>().ok())
        };
        Plan {
            rounds: number("IOTA_BENCH_ROUNDS").unwrap_or(15.0).max(1.0) as usize,
            scale: number("IOTA_BENCH_SCALE").unwrap_or(1.0),
        }
    }

    /// Everything, in the order of the table.
    pub fn measure(&self) -> Vec<Figure> {
        let stamps = self.rounds(
            self.task("stamps", 1, 1_000_000),
            |result| result.printed["ns"],
        );
        let mut figures = vec![Figure {
            name: "two time stamps, the floor".into(),
            unit: "ns",
            goal: None,
            values: stamps,
        }];
        for threads in [1, 2, 4] {
            figures.extend(
                LOOPS.map(|(op, name, calls, goal)| self.added(op, name, calls, goal, threads)),
            );
        }
        figures.push(self.added("irregular", "pwrite, irregular", 100_000, 25.0, 1));
        figures.extend(self.lustre());
        figures.extend(LOOPS.map(|(op, name, calls, _)| self.bytes(op, name, calls, 2.0)));
        figures.extend(sqlite());
        figures.extend(flash_io());
        figures.push(self.finalize("pwrite8", "finalize, regular"));
        figures.push(self.finalize("irregular", "finalize, irregular"));
        figures.push(self.memory());
        figures.extend(MANY.map(|(what, count)| self.memory_of_many(what, count)));
        figures.extend(["p50", "p99", "p999", "max"].map(|quantile| self.latency(quantile)));
        eprintln!();
        figures
    }

    fn task(&self, op: &'static str, threads: u32, calls: u64) -> Task<'static> {
        Task {
            op,
            threads,
            calls: (calls as f64 * self.scale) as u64,
            latency: false,
            flush: false,
            probes: false,
            directory: None,
        }
    }

    /// Rounds of a task: for each way the medians of what `take` finds in a bare run, and of how much more in a traced one.
    fn rounds(&self, task: Task, take: impl Fn(&Result) -> f64) -> Vec<Value> {
        let mut taken = vec![(Vec::new(), Vec::new()); WAYS.len()];
        for _ in 0..self.rounds {
            for ((way, _), (bares, added)) in WAYS.iter().zip(&mut taken) {
                let bare = take(&run(task, way.bare()));
                bares.push(bare);
                added.push(take(&run(task, *way)) - bare);
            }
        }
        eprint!(".");
        let _ = std::io::stderr().flush();
        let value = |(bares, added)| Value {
            bare: median(bares),
            added: median(added),
        };
        taken.into_iter().map(value).collect()
    }

    fn added(&self, op: &'static str, name: &str, calls: u64, goal: f64, threads: u32) -> Figure {
        let plural = if threads == 1 { "" } else { "s" };
        Figure {
            name: format!("CPU of {name}, {threads} thread{plural}"),
            unit: "ns",
            goal: Some(goal),
            values: self.rounds(self.task(op, threads, calls), |result| result.printed["ns"]),
        }
    }

    /// What looking for layouts costs: on a file elsewhere, and on one whose layout is known already.
    fn lustre(&self) -> Vec<Figure> {
        let beside = std::env::current_exe().expect("it runs");
        let server = beside.with_file_name("lustre-like");
        if !server.exists() {
            eprintln!("no lustre-like beside the benchmark: what layouts cost is not measured");
            return Vec::new();
        }
        let Some(mounted) = Mounted::new(&server.to_string_lossy()) else {
            return Vec::new();
        };
        let figure = |name: &str, calls, directory| Figure {
            name: format!("CPU of open+close, {name}"),
            unit: "ns",
            goal: None,
            values: self.rounds(
                Task {
                    probes: true,
                    directory,
                    ..self.task("openclose", 1, calls)
                },
                |result| result.printed["ns"],
            ),
        };
        let there = mounted.path();
        vec![
            figure("Lustre mounted", 40_000, None),
            figure("on it", 4_000, Some(&*there)),
        ]
    }

    fn bytes(&self, op: &'static str, name: &str, calls: u64, goal: f64) -> Figure {
        let once = Plan {
            rounds: 1,
            scale: self.scale * 4.0,
        };
        let per_event = |result: &Result| {
            if result.events > 0.0 {
                result.trace_bytes / result.events
            } else {
                0.0
            }
        };
        Figure {
            name: format!("trace of {name}"),
            unit: "B/event",
            goal: Some(goal),
            values: once.rounds(once.task(op, 1, calls), per_event),
        }
    }

    fn finalize(&self, op: &'static str, name: &str) -> Figure {
        let task = self.task(op, 1, 500_000);
        Figure {
            name: name.into(),
            unit: "ns/event",
            goal: Some(20.0),
            values: self.rounds(task, |result| result.after_main / task.calls as f64),
        }
    }

    fn memory(&self) -> Figure {
        let task = Task {
            flush: true,
            ..self.task("irregular", 1, 1_000_000)
        };
        Figure {
            name: "memory, flushing".into(),
            unit: "MB",
            goal: Some(8.0),
            values: self.rounds(task, |result| result.memory / 1024.0),
        }
    }

    /// One run of each: they are long.
    fn memory_of_many(&self, what: &str, count: u64) -> Figure {
        let count = (count as f64 * self.scale) as u64;
        let case = soak::case(what, count).env("IOTA_FLUSH", "1");
        let memory = |case: Case| Printed::of(&case.run().succeeded()).memory;
        let value = |(way, _): (Way, _)| {
            let bare = memory(case.clone().way(way.bare()));
            let added = memory(case.clone().way(way)) - bare;
            Value { bare, added }
        };
        Figure {
            name: format!("memory, {count} {what}"),
            unit: "MB",
            goal: Some(8.0),
            values: WAYS.map(value).into(),
        }
    }

    fn latency(&self, quantile: &'static str) -> Figure {
        let task = Task {
            latency: true,
            ..self.task("irregular", 1, 200_000)
        };
        Figure {
            name: format!("time of a call, {quantile}"),
            unit: "us",
            goal: (quantile == "p999").then_some(20.0),
            values: self.rounds(task, |result| result.printed[quantile] / 1000.0),
        }
    }
}

/// A trace of a real program; None, and a word about it, where tests/real has not linked it.
fn real(name: &str, program: Program, case: impl Fn(Program) -> Case) -> Option<Figure> {
    let made = |way: Way| program.executable(way).exists();
    if !made(Way::Dynamic) {
        eprintln!("{name} is not measured: run tests/real/build.sh");
        return None;
    }
    let value = |way: Way| Value {
        bare: 0.0,
        added: case(program.clone())
            .way(way)
            .run()
            .succeeded()
            .bytes_per_call(),
    };
    let ways = WAYS.map(|(way, _)| if made(way) { way } else { Way::Dynamic });
    Some(Figure {
        name: format!("trace of {name}"),
        unit: "B/event",
        goal: Some(5.0),
        values: ways.map(value).into(),
    })
}

fn sqlite() -> Option<Figure> {
    let program = Program::real("sqlite3", Build::first());
    real("SQLite", program, |program| {
        Case::of(program).args("data.db").input(SQL)
    })
}

fn flash_io() -> Option<Figure> {
    let program = Program::real("flash-io", Build::first()).of_mpi();
    real("FLASH-IO, 2 ranks", program, |program| {
        Case::on_ranks(program, 2).args("./flash_")
    })
}

/// The middle one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
