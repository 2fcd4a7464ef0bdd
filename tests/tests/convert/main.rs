//! `iota convert` against readers and writers that are none of ours: tables by DuckDB, Dask and Python's csv module say
//! what `iota stat` says, Perfetto's own messages hold every call, and strace saw what the tracer saw.

mod peers;

use iota_tests::sites::line_of;
use iota_tests::{Build, Case, Ran, Way, command_output, machine::STRACE, root, tables};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Descriptors, streams, metadata, processes, failures, and names that must be quoted
const SCRIPT: &str = "seq 1 20000 >a; cp a 'b,\"c\".txt'; sort -r a >d; dd if=a of=e bs=1k conv=fsync status=none; \
    cat missing 2>/dev/null; tar cf t.tar a d e; mkdir x; mv t.tar x/; ls -l >/dev/null; rm d; \
    awk 'NR % 100 == 0 { print $1 * 2 }' a >f; tail -c 100 f >/dev/null";

fn iota(ran: &Ran, args: &[&str]) -> String {
    let mut command = Command::new(Build::first().iota());
    command.current_dir(ran.work()).args(args);
    command_output(&mut command)
}

/// A run of it, and its trace as one argument
fn traced() -> (Ran, String) {
    let ran = Case::shell(SCRIPT)
        .way(Way::Preload)
        .seconds(120)
        .run()
        .succeeded();
    let trace = ran.trace_dir().display().to_string();
    (ran, trace)
}

/// Figures by name in each table of `iota stat`
type Tables = BTreeMap<String, BTreeMap<String, [u64; 6]>>;

const FIGURES: [&str; 6] = [
    "calls",
    "failed",
    "bytes_read",
    "bytes_written",
    "time",
    "ranks",
];

fn figures(rows: &Value) -> BTreeMap<String, [u64; 6]> {
    let number = |value: &Value| value.as_u64().expect("a number");
    // A table counts ranks, and `iota stat` tasks; it has the time of calls of descriptors and streams.
    let figure = |row: &Value, key: &str| match (key, row.get("times"), row.get("tasks")) {
        ("time", Some(times), _) => times.as_object().expect("times").values().map(number).sum(),
        ("ranks", _, Some(tasks)) => number(tasks),
        _ => row.get(key).map_or(0, number),
    };
    let row = |row: &Value| {
        let name = row["name"].as_str().expect("a name").to_owned();
        (name, FIGURES.map(|key| figure(row, key)))
    };
    rows.as_array().expect("rows").iter().map(row).collect()
}

/// As `iota stat` has them; of functions of one name on two layers there is none here
fn by_stat(ran: &Ran, trace: &str) -> Tables {
    let said = iota(
        ran,
        &[
            "stat",
            trace,
            "--json",
            "--where",
            "on=storage,pipes,system",
            "--top",
            "0",
            "--by",
            "op,file,rank",
        ],
    );
    let said: Value = serde_json::from_str(&said).expect("JSON");
    let table = |table: &Value| {
        let by = table["by"].as_str().expect("what it is by").to_owned();
        (by, figures(&table["rows"]))
    };
    let tables = said["tables"].as_array().expect("tables");
    let mut tables: Tables = tables.iter().map(table).collect();
    if said["job"]["task"] == "process" {
        as_one_rank(&mut tables);
    }
    tables
}

/// Of a job without ranks, tables of others have one rank for all processes.
fn as_one_rank(tables: &mut Tables) {
    let files = tables.get_mut("file").expect("files");
    files.values_mut().for_each(|row| row[5] = row[5].min(1));
    let of_processes = tables.get_mut("rank").expect("processes");
    let mut all = [0; 6];
    for row in of_processes.values() {
        all.iter_mut()
            .zip(row)
            .for_each(|(sum, of_one)| *sum += of_one);
    }
    *of_processes = BTreeMap::from([("0".to_owned(), all)]);
}

fn by_script(said: &Value) -> Tables {
    let tables = said.as_object().expect("tables").iter();
    tables
        .map(|(by, rows)| (by.clone(), figures(rows)))
        .collect()
}

fn assert_same(found: &Tables, stat: &Tables) {
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        stat.keys().collect::<Vec<_>>()
    );
    for (by, rows) in stat {
        assert!(!rows.is_empty(), "{by} has rows");
        let differ = |name: &&String| found[by].get(*name) != rows.get(*name);
        let all: BTreeSet<&String> = rows.keys().chain(found[by].keys()).collect();
        let differing = all.into_iter().filter(differ);
        let differing: Vec<_> = differing
            .map(|name| (name, found[by].get(name), rows.get(name)))
            .collect();
        assert!(
            differing.is_empty(),
            "by {by}, found and of stat: {differing:?}"
        );
    }
}

#[test]
fn tables_from_csv_are_those_of_stat() {
    let (ran, trace) = traced();
    iota(&ran, &["convert", &trace, "-o", "run.csv"]);
    // It needs no package.
    let mut command = Command::new("python3");
    command
        .arg(root().join("tests/tables/csv_tables.py"))
        .arg("run.csv")
        .current_dir(ran.work());
    let said: Value = serde_json::from_str(&command_output(&mut command)).expect("JSON");
    assert_same(&by_script(&said), &by_stat(&ran, &trace));
}

#[test]
fn tables_by_dask_from_shards_are_those_of_stat() {
    if !tables::are_wanted() {
        return;
    }
    let Some((_, _only)) = iota_tests::mpi_is_wanted("openmpi") else {
        return;
    };
    let ran = Case::mpi("mpi_files.c", Build::first(), 4)
        .way(Way::Preload)
        .run()
        .succeeded();
    dask_agrees(&ran);
    dask_agrees(&traced().0);
}

fn dask_agrees(ran: &Ran) {
    let trace = ran.trace_dir().display().to_string();
    iota(
        ran,
        &[
            "convert", &trace, "--where", "program", "--to", "parquet", "--shards", "3", "-o",
            "shards",
        ],
    );
    let said = tables::say("docs/tables/dask_tables.py", "shards", &ran.work());
    assert_same(&by_script(&said), &by_stat(ran, &trace));
}

#[test]
fn queries_of_the_page_say_what_stat_says() {
    if !tables::are_wanted() {
        return;
    }
    let (ran, trace) = traced();
    iota(&ran, &["convert", &trace, "-o", "run.parquet"]);
    iota(&ran, &["convert", &trace, "-o", "run.csv"]);
    iota(
        &ran,
        &[
            "convert", &trace, "--to", "parquet", "--shards", "2", "-o", "shards",
        ],
    );
    let page = root().join("docs/TABLES.md");
    let said = tables::say(
        "tests/tables/queries.py",
        &page.display().to_string(),
        &ran.work(),
    );
    let stat = by_stat(&ran, &trace);
    let rows = said[0]["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), stat["op"].len());
    for row in rows {
        let cell = |at: usize| row[at].as_str().expect("a text").replace("None", "0");
        let found: Vec<u64> = [1, 2, 4, 5, 3]
            .iter()
            .map(|at| cell(*at).parse().expect("a number"))
            .collect();
        assert_eq!(found, stat["op"][&cell(0)][..5], "{row}");
    }
    assert!(
        !said[1]["rows"].as_array().expect("rows").is_empty(),
        "files written in small pieces"
    );
}

#[test]
fn perfetto_has_every_call() {
    if !tables::are_wanted() {
        return;
    }
    let (ran, trace) = traced();
    iota(&ran, &["convert", &trace, "-o", "run.pftrace"]);
    let said = tables::say(
        "tests/tables/perfetto_slices.py",
        "run.pftrace",
        &ran.work(),
    );
    let stat = by_stat(&ran, &trace);
    let calls = |rows: &Value| {
        rows.as_object()
            .expect("functions")
            .iter()
            .map(|(op, row)| (op.clone(), row["calls"].as_u64().expect("a number")))
            .collect::<BTreeMap<_, _>>()
    };
    let expected: BTreeMap<_, _> = stat["op"]
        .iter()
        .map(|(op, row)| (op.clone(), row[0]))
        .collect();
    assert_eq!(calls(&said["op"]), expected);
    let files: Vec<_> = said["files"]
        .as_array()
        .expect("files")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(
        stat["file"]
            .keys()
            .all(|file| files.contains(&file.as_str()))
    );
    // Rates are whole numbers, so a little less than what moved.
    let sums = |at: usize| stat["rank"]["0"][at] as f64;
    for (at, counted) in [(2, &said["moved"][0]), (3, &said["moved"][1])] {
        let counted = counted.as_f64().expect("a number");
        assert!(
            (counted - sums(at)).abs() <= sums(at) * 0.01,
            "{counted} of {}",
            sums(at)
        );
    }
}

#[test]
fn perfetto_has_sites() {
    if !tables::are_wanted() {
        return;
    }
    let case = Case::new("stacks.c").args("out");
    let case = case.with(|program| program.flags("-g -O1").behind("-lpthread"));
    let case = case.way(Way::Dynamic).env("IOTA_STACKS", "1");
    let ran = case.run().succeeded();
    let trace = ran.trace_dir().display().to_string();
    iota(&ran, &["symbols", &trace, "-o", "known.iota"]);
    iota(&ran, &["convert", "known.iota", "-o", "run.pftrace"]);
    let said = tables::say(
        "tests/tables/perfetto_slices.py",
        "run.pftrace",
        &ran.work(),
    );
    let line = line_of("stacks.c", "/* 11 */");
    let site = format!("write_plain (stacks.c:{line})");
    assert_eq!(said["sites"][&site], 100, "{}", said["sites"]);
}

/// What was transferred of files in a folder: process, direction, offset, bytes, path, in order
type Transfers = Vec<(u32, char, i64, i64, String)>;

fn transfers(trace: &Path, folder: &str) -> Transfers {
    let trace = iota_tests::Trace::read(trace);
    let mut found = Transfers::new();
    for part in &trace.parts {
        for call in &part.calls {
            let path = String::from_utf8_lossy(&call.path).into_owned();
            let direction = match iota_tests::canonical(&call.op).as_str() {
                "read" | "pread" | "readv" => 'r',
                "write" | "pwrite" | "writev" => 'w',
                "copy_file_range" | "sendfile" => 'c',
                _ => continue,
            };
            if path.starts_with(folder) && !path.contains("..") && call.ret >= 0 {
                found.push((part.pid, direction, call.offset, call.ret, path));
            }
        }
    }
    // Threads of a process write files of their own.
    found.sort_by(|a, b| (a.0, &a.4).cmp(&(b.0, &b.4)));
    found
}

/// One run seen by both: what strace says of it becomes a trace, and that has the same transfers
fn strace_agrees(prepare: fn(&Path), script: &str) {
    if !STRACE.is_here() {
        return;
    }
    let case = Case::shell(script).way(Way::Preload).prepare(prepare);
    let ran = case
        .seconds(120)
        .under("strace -f -ttt -T -y -o {}/strace")
        .run()
        .succeeded();
    let log = ran.scratch_file("strace");
    iota(
        &ran,
        &["convert", &log.display().to_string(), "-o", "strace.iota"],
    );
    let work = ran
        .work()
        .canonicalize()
        .expect("it is there")
        .display()
        .to_string();
    let converted = transfers(&ran.work().join("strace.iota"), &work);
    let traced = transfers(&ran.trace_dir(), &work);
    assert!(!traced.is_empty());
    assert_eq!(converted, traced);
}

fn input(scratch: &Path, name: &str, length: usize) {
    let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
    std::fs::write(scratch.join("work").join(name), bytes).expect("the directory can be written");
}

#[test]
fn strace_of_cp_and_dd_is_their_trace() {
    strace_agrees(
        |scratch| input(scratch, "a", 300_001),
        "cp a b; cp --reflink=never --sparse=always a c; cat a >>b; \
         dd if=a of=d bs=1000 skip=3 seek=5 conv=notrunc status=none",
    );
}

#[test]
fn strace_of_tar_is_its_trace() {
    let prepare = |scratch: &Path| {
        std::fs::create_dir(scratch.join("work/in")).expect("the directory can be written");
        for name in ["in/1", "in/2", "in/three"] {
            input(scratch, name, 20_000 + name.len());
        }
    };
    strace_agrees(
        prepare,
        "tar cf t.tar in; mkdir out; tar xf t.tar -C out; cat t.tar t.tar >tt",
    );
}

#[test]
fn strace_of_python_is_its_trace() {
    const PROGRAM: &str = "
import os, threading
def work(n):
    with open(f'f{n}', 'wb', buffering=0) as out:
        for i in range(20):
            out.write(b'x' * (100 + n))
            os.pwrite(out.fileno(), b'head', i)
        out.seek(50)
        os.write(os.dup(out.fileno()), b'there')
    with open(f'f{n}', 'ab', buffering=0) as out:
        out.write(b'end')
    with open(f'f{n}', 'rb', buffering=0) as file:
        while file.read(333): pass
threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
fd = os.open('shared', os.O_RDWR | os.O_CREAT)
if os.fork() == 0:
    os.write(fd, b'child')
    os._exit(0)
os.wait()
os.write(fd, b'parent')
";
    let prepare = |scratch: &Path| {
        // The interpreter reads it by a stream, whose calls are not the kernel's.
        std::fs::write(scratch.join("p.py"), PROGRAM).expect("the directory can be written");
    };
    strace_agrees(prepare, "/usr/bin/python3 -B ../p.py");
}
