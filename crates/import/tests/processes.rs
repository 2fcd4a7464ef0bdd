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
    let mut import = Import::new(tempfile::tempfile().unwrap(), name.into(), None);
    let log = Log {
        name: "log".into(),
        path: Path::new("log"),
        from: Box::new(text.as_bytes()),
        progress: &|_| {},
    };
    let found = import.log(log, Some(Tool::Text)).unwrap();
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
