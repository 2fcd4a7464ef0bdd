//! What can be known to be wrong is said in one line before any file is made, and ends with status 2.

use crate::common::Dir;
use iota_tests::bounded;

fn refused(dir: &Dir, words: &str, said: &str) {
    let before = dir.names();
    let result = dir.load(words);
    assert!(result.failed().contains(said), "{words}: {result:?}");
    assert_eq!((result.out.as_str(), dir.names()), ("", before), "{words}");
}

#[test]
fn sizes_of_zero_or_beyond_the_file_system() {
    let dir = Dir::new();
    refused(&dir, "-op w -bufsz 0 -file x", "-bufsz 0");
    refused(&dir, "-op w -nops 0 -file x", "-nops 0");
    refused(&dir, "-op w -npieces 0 -file x", "-npieces 0");
    refused(&dir, "-op w -nfiles 0 -file x", "-nfiles 0");
    refused(
        &dir,
        "-op w -bufsz 1m -nops 1000000000 -log off -file x",
        "the file system",
    );
    refused(
        &dir,
        "-op w -bufsz 1 -access strided -stride 4000000000g -nops 3 -file x",
        "iota: each file would have",
    );
    refused(
        &dir,
        "-op w -bufsz 1 -access strided -stride 8000000t -nops 1 -fsize 1 -nfiles 0 -file x",
        "-nfiles",
    );
    refused(
        &dir,
        "-op w -bufsz 1 -access strided -stride 4000000t -nops 2 -file x",
        "does not allow",
    );
    refused(&dir, "-op w -bufsz twelve -file x", "twelve");
}

#[test]
fn descriptors_beyond_the_limit() {
    let dir = Dir::new();
    let script = "ulimit -n 64; exec \"$@\"";
    let iota = env!("CARGO_BIN_EXE_iota");
    let run = |words: &str| {
        let mut command = std::process::Command::new("sh");
        command
            .args([
                "-c", script, "sh", iota, "load", "-quiet", "-op", "w", "-file", "x",
            ])
            .args(words.split_whitespace());
        bounded(command.current_dir(dir.path())).output().unwrap()
    };
    let output = run("-nfiles 10 -npieces 10");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), error.lines().count()),
        (Some(2), 1),
        "{error}"
    );
    assert!(error.contains("RLIMIT_NOFILE allows 64"), "{error}");
    assert_eq!(dir.names(), Vec::<String>::new());
    assert!(
        run("-nfiles 10 -npieces 10 -share -lock_atomic")
            .status
            .success()
    );
}

#[test]
fn a_missing_directory_or_file() {
    let dir = Dir::new();
    refused(&dir, "-op w -file nowhere/x", "directory nowhere");
    refused(&dir, "-op r -file x", "x.filen.00000: No such file");
    dir.load("-op w -bufsz 4k -nops 2 -file x").whole();
    refused(
        &dir,
        "-op r -bufsz 4k -nops 3 -file x",
        "has 8192 bytes, but 12288 would be read",
    );
    refused(&dir, "-op w -file x.filen.00000/y", "not a directory");
    std::fs::create_dir(dir.file("d.filen.00000")).unwrap();
    refused(&dir, "-op w -file d", "is a directory, not a file");
}

#[test]
fn direct_io_that_is_not_aligned_or_not_there() {
    let dir = Dir::new();
    refused(
        &dir,
        "-op w -direct -bufsz 4001 -file x",
        "not a multiple of",
    );
    refused(
        &dir,
        "-op w -direct -bufsz 12k -npieces 5 -file x",
        "not aligned",
    );
    refused(
        &dir,
        "-op w -direct -bufsz 4k -access strided -stride 5001 -nops 2 -file x",
        "-stride 5001",
    );
    refused(&dir, "-op w -direct -io_api stdio -file x", "-direct");
    // A file system that has no O_DIRECT, on every Linux.
    refused(
        &dir,
        "-op r -direct -bufsz 4k -file /proc/self/x",
        "/proc/self does not support O_DIRECT",
    );
}

#[test]
fn contradictions() {
    let dir = Dir::new();
    for (words, said) in [
        ("-noseek -io_api pio", "-noseek"),
        ("-op r -fsync end", "nothing is written"),
        ("-qd 8", "one transfer in flight"),
        ("-time 1", "-fsize"),
        ("-io_api mpiio", "iota-load-mpi"),
        ("-sched fast", "-sched fast"),
        ("-speed max", "-replay"),
        ("-nonsense", "--nonsense"),
    ] {
        refused(&dir, &format!("{words} -file x"), said);
    }
}

#[test]
fn an_output_that_cannot_be_written_is_known_before() {
    let dir = Dir::new().with("old.iota", b"");
    refused(
        &dir,
        "-op w -file x -output nowhere/report",
        "nowhere/report",
    );
    refused(
        &dir,
        "-op w -file x -trace nowhere/t.iota",
        "nowhere/t.iota",
    );
    refused(&dir, "-op w -file x -trace old.iota", "exists already");
}

#[test]
fn outputs_are_none_of_the_files_of_the_load() {
    let dir = Dir::new().with("x.filen.00000", &[7; 4096]);
    std::fs::hard_link(dir.file("x.filen.00000"), dir.file("link")).unwrap();
    for words in [
        "-bufsz 4k -output x.filen.00000",
        "-bufsz 4k -output ./link",
        "-op w -nfiles 2 -output x.filen.00001",
        "-op w -nfiles 2 -trace ./x.filen.00001",
    ] {
        refused(&dir, &format!("{words} -file x"), "is a file of the load");
    }
    refused(&dir, "-op w -file y -output t -trace ./t", "are both");
    assert_eq!(dir.names(), ["link", "x.filen.00000"]);
    assert_eq!(std::fs::read(dir.file("link")).unwrap(), [7; 4096]);
    assert_eq!(dir.load("-op w -file y -trace t.iota").status, 0);
    refused(
        &dir,
        "-replay t.iota -file z -output z.filen.00000",
        "is a file of the load",
    );
}

#[test]
fn options_that_a_replay_does_not_heed() {
    let dir = Dir::new();
    assert_eq!(dir.load("-op w -file x -trace t.iota").status, 0);
    for (words, said) in [
        ("-nops 5", "-nops has no effect on a replay"),
        ("-op r", "-op has no effect on a replay"),
        ("-direct", "-direct has no effect on a replay"),
        ("-format csv", "a replay has no event log"),
    ] {
        refused(&dir, &format!("-replay t.iota -file y {words}"), said);
    }
}

#[test]
fn noseek_without_share_is_warned_of() {
    let dir = Dir::new();
    let said = dir.run(["load", "-op", "w", "-noseek", "-npieces", "2", "-file", "x"]);
    assert_eq!(said.status, 0);
    assert!(
        said.err
            .contains("iota: warning: -noseek without -share: every piece starts at offset 0"),
        "{said:?}"
    );
}
