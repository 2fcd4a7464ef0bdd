//! What users of fio, IOR, mdtest and elbencho expect.

use super::{allowed, count, of};
use crate::common::Dir;
use iota_tests::wanted;
use serde_json::Value;
use std::os::unix::fs::OpenOptionsExt;

#[test]
fn every_interface_writes_what_every_other_reads() {
    let apis = allowed(&["unixio", "stdio", "aio", "pio", "mmap", "io_uring"]);
    let how = "-nfiles 2 -nops 5 -npieces 3 -bufsz 10000 -test buffer -file x";
    for writer in &apis {
        let dir = Dir::new();
        dir.load(&format!("-op w -io_api {writer} {how}")).whole();
        for reader in &apis {
            dir.load(&format!("-op r -io_api {reader} {how}")).whole();
        }
    }
}

#[test]
fn dummy_moves_nothing() {
    let dir = Dir::new();
    let rows = dir.log("-op w -io_api dummy -nops 100 -file x");
    assert_eq!((count(&rows, "op"), dir.names().len()), (100, 0));
}

#[test]
fn random_and_strided_offsets_hold_their_data() {
    for (access, length) in [
        ("-access random", 32 * 4096),
        ("-access strided -stride 10000", 31 * 10000 + 4096),
    ] {
        for api in allowed(&["unixio", "io_uring -qd 8", "aio -qd 3"]) {
            let dir = Dir::new();
            let how = format!("-nops 32 -bufsz 4096 -test buffer -io_api {api} -file x {access}");
            dir.load(&format!("-op w {how}")).whole();
            assert_eq!(dir.file("x.filen.00000").metadata().unwrap().len(), length);
            dir.load(&format!("-op r {how}")).whole();
        }
    }
}

#[test]
fn a_mix_of_reads_and_writes_keeps_its_share_and_its_data() {
    let dir = Dir::new();
    let report =
        dir.json("-op rw -read_share 70 -prepare -nops 1000 -bufsz 512 -test buffer -file x");
    let moved = report["phases"][0]["moved"].as_array().unwrap();
    let transfers: Vec<u64> = moved
        .iter()
        .map(|one| one["transfers"].as_u64().unwrap())
        .collect();
    assert_eq!(transfers.iter().sum::<u64>(), 1000);
    assert!((650..750).contains(&transfers[0]), "{transfers:?}");
    dir.load("-op r -nops 1000 -bufsz 512 -test buffer -file x")
        .whole();
}

#[test]
fn a_time_limit_tells_what_was_done_when_the_first_and_the_last_piece_were() {
    let dir = Dir::new();
    let report = dir.json("-op w -time 0.3 -fsize 64k -bufsz 4k -npieces 2 -file x");
    let phase = &report["phases"][0];
    let seconds = |which: &str| phase[which]["seconds"].as_f64().unwrap();
    assert!(
        (0.25..5.0).contains(&seconds("first_done"))
            && seconds("first_done") <= seconds("last_done"),
        "{phase}"
    );
    let bytes = |which: &str| phase[which]["bytes"].as_u64().unwrap();
    assert!(bytes("first_done") <= bytes("last_done") && bytes("last_done") > 1 << 20);
    let events = phase["events"].as_array().unwrap();
    assert!(
        events.iter().all(|event| event["event"] != "op"),
        "operations are not logged unless asked for"
    );
    assert_eq!(
        dir.file("x.filen.00000").metadata().unwrap().len(),
        64 << 10
    );
}

fn seconds(report: &Value) -> f64 {
    report["phases"][0]["seconds"].as_f64().unwrap()
}

#[test]
fn rates_and_think_time_slow_a_load_down() {
    let dir = Dir::new();
    for slow in ["-rate 200k", "-rate_iops 50", "-think 20ms"] {
        let report = dir.json(&format!("-op w -nops 20 -bufsz 4096 -file x {slow}"));
        assert!(seconds(&report) > 0.35, "{slow}: {}", seconds(&report));
    }
}

/// A pause, or a rate, is no part of the time of transfers that are under way meanwhile.
#[test]
fn transfers_in_flight_do_not_last_as_long_as_a_pause() {
    for api in allowed(&["aio", "io_uring"]) {
        for (pace, least) in [
            ("-think 200ms", 0.8),
            ("-rate_iops 5", 1.4),
            ("-rate 5k", 1.4),
        ] {
            let words = "-op w -qd 4 -nops 8 -bufsz 1k -file x";
            let report = Dir::new().json(&format!("{words} -io_api {api} {pace}"));
            let latency = &report["phases"][0]["moved"][0]["latency_ns"];
            assert!(
                latency["max"].as_u64().unwrap() < 150_000_000,
                "{api} {pace}: {latency}"
            );
            assert!(seconds(&report) >= least, "{api} {pace}: {report}");
        }
    }
}

#[test]
fn percentiles_and_histogram_count_every_transfer() {
    let report = Dir::new().json("-op w -nops 300 -npieces 2 -bufsz 1k -file x");
    let latency = &report["phases"][0]["moved"][0]["latency_ns"];
    let steps = latency["histogram"].as_array().unwrap();
    assert_eq!(
        steps
            .iter()
            .map(|step| step[1].as_u64().unwrap())
            .sum::<u64>(),
        600
    );
    let percentiles: Vec<u64> = latency["percentiles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one[1].as_u64().unwrap())
        .collect();
    assert!(
        percentiles.is_sorted() && percentiles[0] >= latency["min"].as_u64().unwrap() * 99 / 100
    );
}

#[test]
fn syncs_are_made_and_logged_as_asked_for() {
    let dir = Dir::new();
    for (fsync, syncs) in [("none", 0), ("end", 2), ("3", 6)] {
        for data in ["", "-fdatasync"] {
            let data = if fsync == "none" { "" } else { data };
            let rows = dir.log(&format!(
                "-op w -nops 10 -npieces 2 -bufsz 1k -file x -fsync {fsync} {data}"
            ));
            assert_eq!(count(&rows, "fsync"), syncs, "{fsync}");
        }
    }
    for osync in ["sync", "dsync"] {
        assert_eq!(
            count(
                &dir.log(&format!("-op w -nops 3 -osync {osync} -file x")),
                "op"
            ),
            3
        );
    }
}

/// A directory that has O_DIRECT, as a file system in memory may not.
fn on_a_disk() -> Option<tempfile::TempDir> {
    let has_it = |dir: &&str| {
        let made = tempfile::NamedTempFile::new_in(dir);
        let mut options = std::fs::File::options();
        options.read(true).custom_flags(libc::O_DIRECT);
        made.is_ok_and(|made| options.open(made.path()).is_ok())
    };
    let dirs = [env!("CARGO_TARGET_TMPDIR"), "/var/tmp"];
    let dir = dirs.into_iter().find(has_it);
    let remedy = "the target directory or /var/tmp on another file system";
    wanted("O_DIRECT", dir.is_some(), remedy).then(|| tempfile::tempdir_in(dir.unwrap()).unwrap())
}

#[test]
fn direct_io_moves_aligned_pieces() {
    let Some(dir) = on_a_disk() else { return };
    let path = dir.path().join("x");
    for api in allowed(&["unixio", "pio", "aio -qd 4", "io_uring -qd 4"]) {
        for op in ["w", "r"] {
            let how = format!(
                "-op {op} -direct -nops 4 -npieces 2 -bufsz 64k -test buffer -io_api {api} -file {}",
                path.display()
            );
            Dir::new().load(&how).whole();
        }
    }
}

#[test]
fn files_stay_unless_they_are_to_be_removed() {
    let dir = Dir::new();
    dir.load("-op w -nfiles 2 -file x").whole();
    assert_eq!(dir.names().len(), 2);
    dir.load("-op r -nfiles 2 -file x -remove").whole();
    assert_eq!(dir.names().len(), 0);
}

#[test]
fn the_page_cache_is_told_of() {
    let Some(dir) = on_a_disk() else { return };
    let path = dir.path().join("x").display().to_string();
    let run = |words: &str| {
        Dir::new()
            .run(
                ["load", "-file", &path]
                    .into_iter()
                    .chain(words.split_whitespace()),
            )
            .err
    };
    assert!(run("-op w -nops 4").contains("writes ended in the page cache"));
    assert!(run("-op r -nops 4").contains("came from the page cache, not the disk"));
    assert_eq!(run("-op w -nops 4 -fsync end"), "");
    assert!(!run("-op r -nops 4 -drop_cache").contains("the page cache answered"));
}

#[test]
fn prepare_writes_what_is_missing_and_nothing_else() {
    let dir = Dir::new();
    let rows = dir.log("-op r -nfiles 2 -nops 4 -bufsz 8k -prepare -test buffer -file x");
    assert_eq!(count(&rows, "op"), 8);
    assert!(of(&rows, "op").all(|row| row.phase.is_empty()));
    let before = dir
        .file("x.filen.00000")
        .metadata()
        .unwrap()
        .modified()
        .unwrap();
    dir.load("-op r -nfiles 2 -nops 4 -bufsz 8k -prepare -test buffer -file x")
        .whole();
    assert_eq!(
        dir.file("x.filen.00000")
            .metadata()
            .unwrap()
            .modified()
            .unwrap(),
        before
    );
}

#[test]
fn the_report_goes_where_it_is_sent() {
    let dir = Dir::new();
    assert_eq!(
        dir.load("-op w -file x -format json -output report.json")
            .whole(),
        ""
    );
    let text = std::fs::read_to_string(dir.file("report.json")).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&text).unwrap()["phases"][0]["ended"],
        "complete"
    );
}

#[test]
fn the_trace_holds_the_calls_of_the_log() {
    let dir = Dir::new();
    let rows =
        dir.log("-op w -nfiles 2 -nops 3 -npieces 2 -bufsz 1k -fsync end -file x -trace t.iota");
    let text = dir.run(["text", "t.iota"]).whole();
    for (event, function) in [
        ("open", "open"),
        ("seek", "lseek"),
        ("op", "write"),
        ("fsync", "fsync"),
        ("close", "close"),
    ] {
        let calls = text
            .lines()
            .filter(|line| line.contains(&format!("\t{function}\t")))
            .count();
        assert_eq!(calls, count(&rows, event), "{function}");
    }
    let info = dir.run(["info", "t.iota"]).whole();
    assert!(info.contains("x.filen.00001"), "{info}");
}

#[test]
fn a_trace_tells_how_many_calls_the_log_does_not_have() {
    let dir = Dir::new();
    for (log, captured, filtered) in [("files", 4, 12), ("off", 0, 16), ("all", 16, 0)] {
        let trace = format!("{log}.iota");
        let words = [
            "load", "-op", "w", "-nops", "3", "-npieces", "2", "-bufsz", "1k",
        ];
        let more = ["-file", "x", "-log", log, "-trace", &trace];
        let said = dir.run([&words[..], &more].concat());
        assert_eq!(said.status, 0, "{said:?}");
        let warns = said.err.contains("-trace: transfers are not logged");
        assert_eq!(warns, filtered > 0, "{said:?}");
        let info: Value =
            serde_json::from_str(&dir.run(["info", "--json", &trace]).whole()).unwrap();
        let calls = ["captured", "filtered"].map(|name| info["calls"][name].as_u64());
        assert_eq!(calls, [Some(captured), Some(filtered)], "{log}");
    }
}

#[test]
fn the_least_the_most_and_the_mean_time_are_those_of_the_log() {
    let report = Dir::new().json("-op w -nops 50 -bufsz 100001 -file x");
    let phase = &report["phases"][0];
    let events = phase["events"].as_array().unwrap().iter();
    let ops = events.filter(|event| event["event"] == "op");
    let times: Vec<u64> = ops
        .map(|op| (op["time_ms"].as_f64().unwrap() * 1e6).round() as u64)
        .collect();
    let latency = &phase["moved"][0]["latency_ns"];
    let told = ["min", "max"].map(|name| latency[name].as_u64());
    assert_eq!(
        told,
        [times.iter().min().copied(), times.iter().max().copied()]
    );
    let mean = times.iter().sum::<u64>() as f64 / 50.0;
    assert!((latency["mean"].as_f64().unwrap() - mean).abs() < 1e-6);
}
