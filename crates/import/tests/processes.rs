//! Processes of a log stay apart, and a log that is read twice is the same processes.

use iota_import::{Import, Log, Tool};
use iota_trace::read::{Options, Trace};
use std::path::{Path, PathBuf};

/// One call of a rank, as `iota text -v` prints it; all have the same process id
fn line(rank: u32) -> String {
    format!("{rank}\t0.5\t0.1\t0\twrite\t8\t3\t-\t8\t7\t-\tPOSIX\t7.1\t-\t/a\t-\t7\n")
}

/// A log as a file of a trace
fn imported(dir: &Path, name: &str, text: &str) -> PathBuf {
    imported_from(Tool::Text, dir, name, text)
}

fn imported_from(tool: Tool, dir: &Path, name: &str, text: &str) -> PathBuf {
    let mut import = Import::new(tempfile::tempfile().unwrap(), name.into(), None);
    let log = Log {
        name: "log".into(),
        path: Path::new("log"),
        from: Box::new(text.as_bytes()),
        progress: &|_| {},
    };
    let found = import.log(log, Some(tool)).unwrap();
    assert_eq!(found.bad, 0, "{found:?}");
    let path = dir.join(name);
    import
        .finish(std::fs::File::create(&path).unwrap())
        .unwrap();
    path
}

/// Calls of files that are read as one trace
fn calls(files: &[PathBuf]) -> usize {
    let trace = Trace::open(files, Options::default()).unwrap();
    trace.parts().iter().map(|part| part.events().count()).sum()
}

#[test]
fn ranks_on_several_nodes_may_have_the_same_process_id() {
    let dir = tempfile::tempdir().unwrap();
    let both = imported(dir.path(), "both", &(line(0) + &line(1)));
    assert_eq!(calls(&[both]), 2);
}

#[test]
fn a_log_that_is_converted_twice_counts_once() {
    let dir = tempfile::tempdir().unwrap();
    let [first, again, other] = [("first", 0), ("again", 0), ("other", 1)]
        .map(|(name, rank)| imported(dir.path(), name, &line(rank)));
    assert_eq!(calls(&[first.clone(), again]), 1);
    assert_eq!(calls(&[first, other]), 2);
}

#[test]
fn any_earlier_line_of_strace_may_name_the_working_directory() {
    const LOG: &str = "\
7 1700000000.0 mkdir(\"unknown\", 0777) = 0 <0.1>
7 1700000001.0 openat(AT_FDCWD</tmp/a>, \"/etc/ld.so.cache\", O_RDONLY) = 3</etc/ld.so.cache> <0.1>
8 1700000002.0 nobody_knows(AT_FDCWD</tmp/b>, \"x\") = 0 <0.1>
7 1700000003.0 mkdir(\"new\", 0777) = 0 <0.1>
8 1700000004.0 mkdir(\"new\", 0777) = 0 <0.1>
7 1700000005.0 chdir(\"new\") = 0 <0.1>
7 1700000006.0 rmdir(\"x\") = 0 <0.1>
";
    let dir = tempfile::tempdir().unwrap();
    let file = imported_from(Tool::Strace, dir.path(), "run", LOG);
    let trace = Trace::open(&[file], Options::default()).unwrap();
    let mut paths = Vec::new();
    for part in trace.parts() {
        let names = part.names();
        let path = |file| String::from_utf8_lossy(names.file(file).unwrap()).into_owned();
        paths.extend(part.events().map(|timed| path(timed.event.file)));
    }
    let expected = [
        "unknown",
        "/etc/ld.so.cache",
        "/tmp/a/new",
        "/tmp/a/new",
        "/tmp/a/new/x",
        "/tmp/b/new",
    ];
    assert_eq!(paths, expected);
}
