//! Every entry of the manual page's BUGS and FUTURE WORK, resolved.

use super::{Row, allowed, count, of};
use crate::common::Dir;

#[test]
fn remainder_is_distributed_among_the_lower_stripes() {
    let dir = Dir::new();
    let lengths = |options: &str, trace: &str| {
        dir.load(&format!(
            "-op w -bufsz 1003 -npieces 4 -file x -trace {trace} {options}"
        ))
        .whole();
        let text = dir.run(["text", trace]).whole();
        let mut lengths: Vec<u64> = text
            .lines()
            .filter(|line| line.contains("\twrite\t"))
            .map(|line| line.split('\t').nth(5).unwrap().parse().unwrap())
            .collect();
        lengths.sort_unstable();
        lengths
    };
    assert_eq!(lengths("", "spread.iota"), [250, 251, 251, 251]);
    assert_eq!(
        lengths("-remainder last", "last.iota"),
        [250, 250, 250, 253]
    );
}

#[test]
fn op_sync_keeps_every_stripe_within_one_operation_of_the_others() {
    for api in allowed(&["unixio", "io_uring"]) {
        let rows = Dir::new().log(&format!(
            "-op w -nops 40 -npieces 4 -bufsz 4096 -op_sync -io_api {api} -file x"
        ));
        let of_op = |n: u32| {
            of(&rows, "op")
                .filter(move |row| row.operation == Some(n))
                .map(Row::span)
        };
        for n in 1..40 {
            let ended = of_op(n - 1).map(|span| span.1).fold(0.0, f64::max);
            let began = of_op(n).map(|span| span.0).fold(f64::MAX, f64::min);
            assert!(
                began >= ended - 2e-6,
                "{api}: operation {n} began at {began}, the one before ended at {ended}"
            );
        }
    }
}

#[test]
fn actual_scheduling_is_checked_against_the_requested_one() {
    let dir = Dir::new();
    let text = dir.load("-op w -sched batch -scope proc -file x").whole();
    let line =
        "# scheduling: requested scope proc, policy batch; observed scope sys, policy batch\n";
    assert!(text.contains(line), "{text}");
    let report = dir.json("-op w -file x");
    assert_eq!(
        report["phases"][0]["scheduling_observed"][0],
        "scope sys, policy other"
    );
}

#[test]
fn test_patterns_are_robust() {
    let how = "-nfiles 2 -nops 4 -bufsz 4k -test buffer -file x";
    let spoilt = |spoil: fn(&Dir), options: &str| {
        let dir = Dir::new();
        dir.load(&format!("-op w {how}")).whole();
        spoil(&dir);
        dir.load(&format!("-op r {how} {options}"))
            .failed()
            .contains("wrong data at offset")
    };
    assert!(spoilt(|_| {}, "-seed 2"), "data of another run");
    let swap = |dir: &Dir| {
        std::fs::rename(dir.file("x.filen.00001"), dir.file("x.filen.00000"))
            .and_then(|()| std::fs::copy(dir.file("x.filen.00000"), dir.file("x.filen.00001")))
            .map(drop)
            .unwrap()
    };
    assert!(spoilt(swap, ""), "data of another file");
    let shift = |dir: &Dir| {
        let mut bytes = std::fs::read(dir.file("x.filen.00000")).unwrap();
        bytes.rotate_left(4096);
        std::fs::write(dir.file("x.filen.00000"), bytes).unwrap();
    };
    assert!(spoilt(shift, ""), "data of another offset");
    let zeros = |dir: &Dir| std::fs::write(dir.file("x.filen.00001"), vec![0; 16384]).unwrap();
    assert!(spoilt(zeros, ""), "no data");
}

#[test]
fn statistical_summary_is_selectable_for_op_atomic_op_stripes_and_all_stripes() {
    let dir = Dir::new();
    for event in ["op", "atomic_op", "stripes", "all_stripes"] {
        let report = dir.json(&format!(
            "-op w -nops 4 -npieces 3 -bufsz 90k -file x -summary {event}"
        ));
        let phase = &report["phases"][0];
        let events = phase["events"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| row["event"] == event);
        let rates: Vec<f64> = events
            .map(|row| row["mb_per_s"].as_f64().unwrap())
            .collect();
        let most = rates.iter().copied().fold(0.0, f64::max);
        let told = phase["files"][0]["max_mb_per_s"].as_f64().unwrap();
        assert!(
            (told / most - 1.0).abs() < 1e-9,
            "{event}: {told}, but the log says {most}"
        );
    }
}

#[test]
fn h_does_not_report_the_inverse_default_of_noseek() {
    let dir = Dir::new();
    let table = dir.load("-h").whole();
    let line = table
        .lines()
        .find(|line| line.starts_with("-noseek "))
        .unwrap();
    assert_eq!(line.split_whitespace().nth(1), Some("no"));
    assert_eq!(
        count(&dir.log("-op w -file x"), "seek"),
        1,
        "and without -noseek it seeks"
    );
}

#[test]
fn decomposition_is_not_called_stripes() {
    let dir = Dir::new();
    let [pieces, stripes] = ["-npieces 3", "-nstripes 3"]
        .map(|words| dir.log(&format!("-op w {words} -bufsz 3k -file x")));
    assert_eq!((count(&pieces, "op"), count(&stripes, "op")), (3, 3));
    assert!(
        dir.load("-op w -npieces 3 -file x")
            .whole()
            .contains(" Piece ")
    );
}

#[test]
fn high_stress_levels_expose_nothing() {
    let dir = Dir::new();
    for round in 0..3 {
        let how = format!(
            "-nfiles 16 -nops 20 -npieces 16 -bufsz 5003 -test buffer -op_sync -file x{round}"
        );
        assert_eq!(
            count(&dir.log(&format!("-op w {how} -share -lock_atomic")), "op"),
            16 * 16 * 20
        );
        assert_eq!(
            count(&dir.log(&format!("-op r {how} -remove")), "op"),
            16 * 16 * 20
        );
    }
    assert_eq!(dir.names(), Vec::<String>::new());
}

#[test]
fn future_work_interface_to_posix_aio() {
    let dir = Dir::new();
    let how = "-io_api aio -nfiles 2 -nops 20 -npieces 2 -bufsz 8k -test buffer -file x";
    for depth in [1, 8] {
        let rows = dir.log(&format!("-op w {how} -qd {depth}"));
        assert_eq!((count(&rows, "op"), count(&rows, "seek")), (80, 0));
        dir.load(&format!("-op r {how} -qd {depth}")).whole();
    }
}
