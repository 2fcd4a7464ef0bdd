//! Layouts of files on Lustre, in the trace and for the trace, against a FUSE file system that answers and takes the
//! attribute as Lustre does.

use iota_tests::{
    Build, Case, Mounted, Ran, Scratch, Way, command_output, layout, limited, mpi_is_wanted, root,
    wanted,
};
use iota_trace::lustre::Layout;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const SERVER: &str = env!("CARGO_BIN_EXE_lustre-like");

fn program(mounted: &Mounted) -> Case {
    Case::new("lustre.c")
        .args(mounted.path().to_str().expect("UTF-8"))
        .env("IOTA_LUSTRE", "probe")
}

fn iota(arguments: &[&str], trace: &Path) -> String {
    command_output(
        Command::new(Build::first().iota())
            .args(arguments)
            .arg(trace),
    )
}

/// What stands in a column of the lines of opens and creates, by the file's name.
fn opens<'t>(text: &'t str, column: usize) -> Vec<(&'t str, &'t str)> {
    let fields = |line: &'t str| line.split('\t').collect::<Vec<_>>();
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(fields);
    let opens = lines.filter(|fields| fields[4].contains("open"));
    opens
        .map(|fields| {
            let name = fields[6].rsplit('/').next().unwrap_or_default();
            (name, fields.get(column).copied().unwrap_or_default())
        })
        .collect()
}

/// The layout of each open of a file, in short.
fn layouts<'t>(opens: &[(&'t str, &'t str)], name: &str) -> Vec<&'t str> {
    let of_it = opens.iter().filter(|(file, _)| *file == name);
    of_it.map(|(_, layout)| *layout).collect()
}

/// Two stripes of 1 MiB, which begin on the OST that is the inode's number.
fn two_stripes(layout: &str) -> bool {
    let numbers: Vec<u32> = layout.split(',').filter_map(|n| n.parse().ok()).collect();
    let [1_048_576, 2, first, one, two] = numbers[..] else {
        return false;
    };
    first == one && two == one + 1
}

fn assert_layouts(text: &str) {
    let opens = opens(text, 7);
    let all = |name| layouts(&opens, name);
    assert_eq!(all("plain").len(), 100, "{opens:?}");
    assert!(
        all("plain").iter().all(|layout| two_stripes(layout)),
        "{opens:?}"
    );
    assert!(two_stripes(all("pool")[0]), "{opens:?}");
    assert!(all("pfl-long")[0].starts_with("1048576,4,"), "{opens:?}");
    assert_eq!(all("pfl-short"), ["1048576,4,-1"]);
    assert_eq!(all("foreign"), ["foreign:0x0000cafe"]);
    assert_eq!(all("unknown"), ["unknown:0x0bd90bd0"]);
    assert_eq!(all("wide")[0].split(',').count(), 3 + 2000);
    assert_eq!((all("missing"), all("lustre")), (vec![""], vec![""]));
    let [before, after] = all("again")[..] else {
        panic!("two files of one name: {opens:?}");
    };
    assert!(
        two_stripes(before) && two_stripes(after) && before != after,
        "{before} {after}"
    );
    assert_eq!(all("linked"), &all("plain")[..1]);
}

fn each_layout(way: Way) {
    let Some(mounted) = Mounted::new(SERVER) else {
        return;
    };
    let ran = program(&mounted).way(way).run().succeeded().quiet();
    let trace = ran.trace_dir().join("run.iota");
    assert_layouts(&iota(&["text"], &trace));
    ran.trace().assert_whole();

    let long = iota(&["text", "-v"], &trace);
    let opens = opens(&long, 7);
    let [grown] = layouts(&opens, "pfl-long")[..] else {
        panic!("{opens:?}")
    };
    let parts: Vec<&str> = grown.split(';').collect();
    assert_eq!(parts[0], "0-1048576:1048576,0,-1:mdt");
    assert!(
        parts[1].starts_with("1048576-4194304:1048576,1,"),
        "{grown}"
    );
    assert!(parts[2].starts_with("4194304-eof:1048576,4,"), "{grown}");
    assert!(layouts(&opens, "pool")[0].ends_with(":pool=flash"));

    // Once a file, although it was opened a hundred times; twice where it may have grown, or has two names.
    let asked = mounted.asked();
    let count = |name: &str| asked.get(name).copied().unwrap_or(0);
    assert_eq!((count("plain"), count("pool"), count("foreign")), (2, 1, 1));
    assert_eq!((count("pfl-long"), count("pfl-short")), (2, 2), "{asked:?}");
    assert_eq!((count("again"), count("wide")), (1, 2), "{asked:?}");
}

#[test]
fn each_layout_dynamic() {
    each_layout(Way::Dynamic);
}

#[test]
fn each_layout_linked_statically() {
    each_layout(Way::Static);
}

#[test]
fn each_layout_preload() {
    each_layout(Way::Preload);
}

#[test]
fn text_written_directly_has_them_too() {
    let Some(mounted) = Mounted::new(SERVER) else {
        return;
    };
    let case = program(&mounted).way(Way::Static);
    let ran = case.env("IOTA_FORMAT", "text").run().succeeded().quiet();
    let text = std::fs::read_to_string(ran.trace_dir().join("run.txt")).expect("text");
    assert_layouts(&text);
}

#[test]
fn a_killed_process_leaves_them() {
    let Some(mounted) = Mounted::new(SERVER) else {
        return;
    };
    let ran = program(&mounted)
        .way(Way::Static)
        .env("DIE_OF_IT", "1")
        .run();
    command_output(
        Command::new(Build::first().iota())
            .args(["recover", "run.iota", "--spool"])
            .arg(ran.scratch_file("spool"))
            .current_dir(ran.trace_dir()),
    );
    assert_layouts(&iota(&["text"], &ran.trace_dir().join("run.iota")));
}

#[test]
fn without_probe_no_fuse_file_system_is_asked() {
    let Some(mounted) = Mounted::new(SERVER) else {
        return;
    };
    for value in ["", "0", "1"] {
        let case = program(&mounted).way(Way::Static).env("IOTA_LUSTRE", value);
        let ran = case.run().succeeded().quiet();
        let text = iota(&["text"], &ran.trace_dir().join("run.iota"));
        assert!(opens(&text, 7).iter().all(|(_, layout)| layout.is_empty()));
    }
    assert_eq!(mounted.asked().len(), 0);
}

/// The program changes nothing that it could notice of the files either.
#[test]
fn the_program_sees_what_it_sees_without_iota() {
    let Some(mounted) = Mounted::new(SERVER) else {
        return;
    };
    let traced = program(&mounted).way(Way::Dynamic).run().succeeded();
    let bare = program(&mounted).run_bare().succeeded();
    traced.assert_same_as(&bare);
}

/// Two ranks write there, and the trace goes there.
fn on_two_ranks(mpi: &str, settings: &[(&str, &str)]) -> Option<(Mounted, Ran, Vec<PathBuf>)> {
    let (build, _turn) = mpi_is_wanted(mpi)?;
    let mounted = Mounted::new(SERVER)?;
    let mut case = Case::mpi("mpi_files.c", build, 2)
        .args(mounted.path().to_str().expect("UTF-8"))
        .env("IOTA_OUTPUT", mounted.path().join("job.iota"))
        .env("IOTA_LUSTRE", "probe");
    for (name, value) in settings {
        case = case.env(name, value);
    }
    let ran = case.run().succeeded().quiet();
    let listed = std::fs::read_dir(mounted.path()).expect("it is mounted");
    let paths = listed.map(|entry| entry.expect("listed").path());
    let is_trace = |path: &PathBuf| path.extension().is_some_and(|end| end == "iota");
    let mut traces: Vec<_> = paths.filter(is_trace).collect();
    traces.sort();
    Some((mounted, ran, traces))
}

fn assert_one_stripe(trace: &Path) {
    let blob = layout(trace);
    let parts: Vec<_> = Layout(&blob).components().collect();
    assert_eq!(parts.len(), 1);
    assert_eq!(
        (parts[0].stripe_size, parts[0].stripe_count),
        (1 << 20, 1),
        "{}",
        trace.display()
    );
}

fn assert_ranks_have_layouts(text: &str) {
    let opens = opens(text, 7);
    for name in ["own.0", "own.1", "shared", "together"] {
        let of_it = layouts(&opens, name);
        assert!(
            !of_it.is_empty() && of_it.iter().all(|layout| two_stripes(layout)),
            "{name}: {opens:?}"
        );
    }
}

/// What the OSTs had to write is what was written to files there.
fn assert_osts_add_up(trace: &Path) {
    let stat = iota(
        &[
            "stat", "--by", "ost", "--by", "file", "--top", "0", "--json",
        ],
        trace,
    );
    let stat: serde_json::Value = serde_json::from_str(&stat).expect("JSON");
    let rows = |by: &str| {
        let tables = stat["tables"].as_array().expect("tables");
        let table = tables.iter().find(|table| table["by"] == by);
        table.expect("it was asked for")["rows"]
            .as_array()
            .expect("rows")
            .clone()
    };
    let written = |rows: &[serde_json::Value]| {
        rows.iter()
            .filter_map(|row| row["bytes_written"].as_u64())
            .sum::<u64>()
    };
    let (osts, mut files) = (rows("ost"), rows("file"));
    assert!(
        osts.len() > 2
            && osts.iter().all(|row| row["name"]
                .as_str()
                .is_some_and(|name| name.starts_with("OST "))),
        "{osts:?}"
    );
    files.retain(|row| {
        row["name"]
            .as_str()
            .is_some_and(|name| name.contains("/lustre/"))
    });
    assert_eq!(written(&osts), written(&files));
    assert!(written(&osts) > 2 * 5 * 65536);
}

/// The ranks of one node have one writer.
fn gathered(mpi: &str) {
    let Some((_mounted, ran, traces)) = on_two_ranks(mpi, &[]) else {
        return;
    };
    let [trace] = &traces[..] else {
        panic!("one trace: {traces:?}")
    };
    assert_one_stripe(trace);
    assert_ranks_have_layouts(&iota(&["text"], trace));
    assert_osts_add_up(trace);
    let log = ran.log();
    assert!(!log.contains("stripes"), "{log}");
}

fn flushed(mpi: &str) {
    let Some((mounted, _ran, traces)) = on_two_ranks(mpi, &[("IOTA_FLUSH", "1")]) else {
        return;
    };
    assert_eq!(traces.len(), 2, "{traces:?}");
    traces.iter().for_each(|trace| assert_one_stripe(trace));
    assert_ranks_have_layouts(&iota(&["text"], &mounted.path().join("job.iota")));
}

#[test]
fn gathered_mpich() {
    gathered("mpich");
}

#[test]
fn gathered_openmpi() {
    gathered("openmpi");
}

#[test]
fn flushed_mpich() {
    flushed("mpich");
}

#[test]
fn flushed_openmpi() {
    flushed("openmpi");
}

/// `make LUSTRE=/path` links what is there; the crate that does so is built here with a library of its names.
#[test]
fn a_layout_that_is_not_known_is_asked_of_liblustreapi() {
    // It may be in another user's home.
    let is_there = Path::new(env!("CARGO")).exists();
    if !wanted("cargo", is_there, "the one that built the tests") {
        return;
    }
    let scratch = Scratch::new();
    let library = scratch.dir("prefix/lib").join("liblustreapi.so");
    let source = root().join("tests/programs/lustreapi.c");
    let cc = std::env::var("CC").unwrap_or("cc".into());
    command_output(
        Command::new(cc)
            .args(["-shared", "-fPIC", "-o"])
            .args([&library, &source]),
    );
    let cargo = |prefix: &Path| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["test", "--offline", "--locked", "-p", "iota-lustreapi"])
            .current_dir(root())
            .env("CARGO_TARGET_DIR", scratch.path().join("target"))
            .env("LD_LIBRARY_PATH", scratch.path().join("prefix/lib"))
            .env("IOTA_LUSTREAPI", prefix);
        cargo
    };
    let tested = command_output(&mut cargo(&scratch.path().join("prefix")));
    assert!(tested.contains("1 passed"), "{tested}");
    let nowhere = scratch.dir("nowhere");
    let said = limited(&mut cargo(&nowhere), b"", Duration::from_secs(300)).errors();
    assert!(
        said.contains("no liblustreapi in lib64, lib, usr/lib64, usr/lib below it"),
        "{said}"
    );
}
