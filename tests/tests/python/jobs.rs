//! Jobs that load data with several processes: what each of them read of each file, as it says itself.

use iota_tests::{Build, Case, Ran, command_output, wanted};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Bytes by process and file.
type Read = BTreeMap<(u32, String), u64>;

fn job(python: &str, path: &str, what: &str, way: &str) -> Ran {
    let command = format!("{} run --", Build::first().iota().display());
    let script = iota_tests::root().join("tests/programs/python_jobs.py");
    let script = format!("{python} -W ignore {} {what} {way}", script.display());
    let case = Case::shell(&script).env("PYTHONPATH", path).seconds(300);
    case.under(&command).run().succeeded()
}

fn told(ran: &Ran) -> Read {
    let mut told = Read::new();
    for line in ran.stdout().lines() {
        let mut words = line.splitn(3, ' ');
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
        let (pid, bytes) = (number().expect("a process"), number().expect("bytes"));
        let path = words.next().expect("a path").to_owned();
        *told.entry((pid as u32, path)).or_default() += bytes;
    }
    told
}

/// The same of the trace: reads that moved at least so much, of files that the job tells of.
fn recorded(ran: &Ran, told: &Read, least: i64) -> Read {
    let mut recorded = Read::new();
    for part in &ran.trace().parts {
        let reads = part.calls.iter().filter(|call| call.op.contains("read"));
        for call in reads.filter(|call| call.ret >= least) {
            let path = String::from_utf8_lossy(&call.path).into_owned();
            if told.keys().any(|(_, known)| *known == path) {
                *recorded.entry((part.pid, path)).or_default() += call.ret as u64;
            }
        }
    }
    recorded
}

fn agrees(python: &str, path: &str, what: &str, least: i64) {
    for way in ["fork", "spawn"] {
        let ran = job(python, path, what, way);
        let told = told(&ran);
        assert!(!told.is_empty());
        assert_eq!(told, recorded(&ran, &told, least), "{what} {way}");
    }
}

fn has(python: &str, path: &str, module: &str) -> bool {
    let mut command = Command::new(python);
    let asked = command.args(["-c", &format!("import {module}")]);
    let output = asked.env("PYTHONPATH", path).output();
    output.is_ok_and(|output| output.status.success())
}

const DEBIAN: &str = "/usr/bin/python3";

#[test]
fn workers_that_read_shards() {
    agrees("python3", "", "plain", 1);
}

/// Three workers, each below the process that started them all.
#[test]
fn workers_stand_below_the_process_that_started_them() {
    for way in ["fork", "spawn"] {
        let ran = job(DEBIAN, "", "plain", way);
        let readers: BTreeSet<u32> = told(&ran).into_keys().map(|(pid, _)| pid).collect();
        let mut command = Command::new(Build::first().iota());
        command
            .args(["info", "--json", "--top", "0"])
            .arg(ran.trace_dir());
        let info: Value = serde_json::from_str(&command_output(&mut command)).expect("JSON");
        let tree = &info["process_tree"];
        assert!(!readers.is_empty());
        assert!(has_below(tree, &readers), "{way}: {readers:?} of {tree:#}");
    }
}

/// The shards come first; what Python itself consists of stands behind them, in one sentence and at the end of the table.
#[test]
fn files_of_the_loader_stand_before_those_of_python() {
    let ran = job(DEBIAN, "", "plain", "spawn");
    let mut command = Command::new(Build::first().iota());
    command.args(["stat", "--json", "--by", "file", "--top", "0"]);
    let stat = command_output(command.arg(ran.trace_dir()));
    let stat: Value = serde_json::from_str(&stat).expect("JSON");
    let rows = stat["tables"][0]["rows"].as_array().expect("rows");
    let is_installed = |row: &&Value| row["installed"] == true;
    let installed = rows.iter().filter(is_installed).count();
    assert!(
        rows[rows.len() - installed..]
            .iter()
            .all(|row| is_installed(&row))
    );
    assert_eq!(stat["files"]["installed"]["count"], installed);
    assert!(installed > 50, "{installed}");
    let own = &rows[..rows.len() - installed];
    let name = |row: &Value| row["name"].as_str().expect("a path").to_owned();
    let own: Vec<String> = own.iter().map(name).collect();
    assert!(own.iter().filter(|name| name.contains("/shards/")).count() > 60);
    assert!(!own.iter().any(|name| name.starts_with("/usr")), "{own:?}");
    let mut command = Command::new(Build::first().iota());
    let page = command_output(command.arg("stat").arg(ran.trace_dir()));
    assert!(
        page.contains(&format!("{installed} files of installed software")),
        "{page}"
    );
}

/// Whether these are below one process.
fn has_below(all: &Value, wanted: &BTreeSet<u32>) -> bool {
    let rows = all.get("tree").or(all.get("below"));
    let rows = rows.and_then(Value::as_array).expect("rows");
    let pids = rows.iter().filter_map(|row| row["pid"].as_u64());
    let pids: BTreeSet<u32> = pids.map(|pid| pid as u32).collect();
    wanted.is_subset(&pids) || rows.iter().any(|row| has_below(row, wanted))
}

/// Each chunk is read by itself; what else HDF5 reads of the file is less.
#[test]
fn workers_that_read_a_dataset_of_hdf5() {
    if wanted(
        "h5py",
        has(DEBIAN, "", "h5py"),
        "scripts/deps.sh test gets it as root",
    ) {
        agrees(DEBIAN, "", "h5py", 8000);
    }
}

#[test]
fn workers_that_read_chunks_of_zarr() {
    if wanted(
        "zarr",
        has(DEBIAN, "", "zarr"),
        "scripts/deps.sh test gets it as root",
    ) {
        agrees(DEBIAN, "", "zarr", 1);
    }
}

#[test]
fn threads_that_read_tables_by_arrow() {
    let path = iota_tests::root()
        .join("build/tables")
        .display()
        .to_string();
    if wanted(
        "pyarrow",
        has("python3", &path, "pyarrow.dataset"),
        "scripts/deps.sh test gets it",
    ) {
        agrees("python3", &path, "pyarrow", 1);
    }
}

/// 600 MB to install: `make soak`.
#[test]
#[ignore = "make soak: it wants PyTorch"]
fn workers_of_pytorch() {
    if wanted(
        "torch",
        has(DEBIAN, "", "torch"),
        "scripts/deps.sh soak gets it as root",
    ) {
        agrees(DEBIAN, "", "torch", 1);
    }
}

/// Its reads are made by threads. 600 MB to install: `make soak`.
#[test]
#[ignore = "make soak: it wants TensorFlow"]
fn threads_of_tensorflow() {
    let path = iota_tests::root()
        .join("build/tensorflow")
        .display()
        .to_string();
    if wanted(
        "tensorflow",
        has("python3", &path, "tensorflow"),
        "scripts/deps.sh soak gets it",
    ) {
        agrees("python3", &path, "tensorflow", 1);
    }
}
