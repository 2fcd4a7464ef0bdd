//! Where traces go and what they hold: names, patterns, older traces, full buffers, flushing, filters, text.

use iota_tests::{Build, Case, Ran, Trace, Way, command_output};
use std::collections::BTreeSet;
use std::process::Command;

fn hundred() -> Case {
    Case::new("many.c").args("100").way(Way::Static)
}

/// What lies in the working directory besides the program's own file.
fn left_beside(ran: &Ran) -> Vec<String> {
    let names = ran
        .left()
        .into_keys()
        .map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name != "many").collect()
}

#[test]
fn without_a_name_it_is_program_and_process() {
    let ran = hundred().env("IOTA_OUTPUT", "").run().succeeded();
    let [name] = &left_beside(&ran)[..] else {
        panic!("one trace")
    };
    let pid = Trace::read(&ran.work().join(name)).only().pid;
    assert!(
        name.starts_with("many-c-Static-") && name.ends_with(&format!("-{pid}.iota")),
        "{name}, process {pid}"
    );
}

#[test]
fn without_a_name_in_a_batch_job_it_is_program_and_job() {
    let ran = hundred()
        .env("IOTA_OUTPUT", "")
        .env("PBS_JOBID", "12.head/1")
        .run()
        .succeeded();
    let [name] = &left_beside(&ran)[..] else {
        panic!("one trace")
    };
    assert!(name.ends_with("-12.head_1.iota"), "{name}");
}

#[test]
fn a_folder_takes_traces_by_their_usual_name() {
    let ran = hundred()
        .env("IOTA_OUTPUT", "{}/trace")
        .env("SLURM_JOB_ID", "9")
        .run()
        .succeeded();
    let [name] = &ran.trace_files()[..] else {
        panic!("one trace")
    };
    assert!(
        name.starts_with("many-c-Static-") && name.ends_with("-9.iota"),
        "{name}"
    );
}

#[test]
fn patterns_in_names() {
    let case = hundred()
        .env("IOTA_OUTPUT", "{}/trace/%e+%j+%p+%h+%r+%%+%x")
        .env("SLURM_JOB_ID", "9");
    let ran = case.run().succeeded();
    let [name] = &ran.trace_files()[..] else {
        panic!("one trace")
    };
    let pid = ran.trace().only().pid;
    let host = command_output(&mut Command::new("hostname"));
    assert!(
        name.ends_with(&format!("+9+{pid}+{}+0+%+%x.iota", host.trim())),
        "{name}"
    );
    assert!(name.starts_with("many-c-Static-"), "{name}");
}

#[test]
fn relative_names_are_those_of_the_start() {
    // at.c leaves its directory.
    let ran = Case::new("at.c")
        .way(Way::Dynamic)
        .env("IOTA_OUTPUT", "here")
        .run()
        .succeeded();
    assert!(
        ran.work().join("here.iota").exists(),
        "{:?}",
        ran.left().keys()
    );
}

#[test]
fn a_full_buffer_loses_nothing() {
    for way in Way::TRACED {
        let ran = Case::new("many.c")
            .args("1000000")
            .env("IOTA_BUFFER", "1m")
            .way(way)
            .run()
            .succeeded()
            .quiet();
        assert_eq!(ran.trace_files(), ["run.iota"], "one file, {way:?}");
        let trace = ran.trace();
        trace.assert_whole();
        let offsets = trace
            .calls()
            .filter(|call| &*call.op == "pwrite")
            .map(|call| call.offset);
        assert!(offsets.eq(0..1_000_000), "every call in its place, {way:?}");
    }
}

#[test]
fn a_full_buffer_of_threads_loses_nothing() {
    let ran = Case::new("threads.c")
        .env("IOTA_BUFFER", "1m")
        .way(Way::Dynamic)
        .run()
        .succeeded()
        .quiet();
    let trace = ran.trace();
    trace.assert_whole();
    assert_eq!(trace.count("write"), 5 * 20_000);
    assert_eq!(trace.count("pwrite"), 300 + 4 * 1000);
}

#[test]
fn flushing_writes_a_file_for_the_task() {
    let ran = Case::new("many.c")
        .args("300000")
        .env("IOTA_FLUSH", "1")
        .way(Way::Static)
        .run()
        .succeeded()
        .quiet();
    assert_eq!(ran.trace_files(), ["run.0.iota"]);
    ran.trace().assert_whole();
    assert_eq!(ran.trace().count("pwrite"), 300_000);
}

#[test]
fn flushed_blocks_survive_a_kill() {
    // Irregular on purpose: blocks of a regular loop are too small to be flushed in so short a time.
    let case = Case::new("killed_late.c")
        .env("IOTA_FLUSH", "1")
        .env("IOTA_BUFFER", "1m")
        .way(Way::Static);
    let ran = case.run();
    assert_eq!(ran.output.code(), 128 + libc::SIGKILL);
    let trace = ran.trace();
    assert!(
        trace.count("pwrite") > 100_000,
        "{} calls",
        trace.count("pwrite")
    );
}

#[test]
fn switched_off_nothing_is_left() {
    let ran = hundred()
        .env("IOTA_ENABLE", "0")
        .env("IOTA_OUTPUT", "")
        .run()
        .succeeded()
        .quiet();
    assert_eq!(
        (ran.trace_files(), left_beside(&ran)),
        (Vec::new(), Vec::new())
    );
}

#[test]
fn only_matching_files_are_traced_and_the_rest_is_counted() {
    let ran = Case::new("threads.c")
        .env("IOTA_FILES", "*/thread-[0-2],*/shared")
        .way(Way::Static)
        .run()
        .succeeded();
    let trace = ran.trace();
    trace.assert_whole();
    let paths: BTreeSet<String> = trace
        .calls()
        .map(|call| String::from_utf8_lossy(&call.path).into_owned())
        .collect();
    let names: Vec<&str> = paths
        .iter()
        .filter_map(|path| path.rsplit('/').next())
        .collect();
    assert_eq!(names, ["shared", "thread-0", "thread-1", "thread-2"]);
    let end = trace.only().end.expect("an end");
    assert!(end.filtered >= 2 * 20_002, "filtered: {}", end.filtered);
}

#[test]
fn excluded_files_are_not_traced() {
    let case = Case::new("threads.c")
        .env("IOTA_FILES", "*/thread-*")
        .env("IOTA_EXCLUDE", "*-0,*-9");
    let trace = case.way(Way::Preload).run().succeeded().trace();
    let paths: BTreeSet<&[u8]> = trace.calls().map(|call| &call.path[..]).collect();
    assert_eq!(paths.len(), 3, "thread-1 to thread-3");
}

#[test]
fn a_forked_child_has_a_part_of_its_own() {
    let ran = Case::new("processes.c").way(Way::Static).run().succeeded();
    let trace = ran.trace();
    assert_eq!(trace.problems, Vec::<String>::new());
    let by_child = |part: &&iota_tests::Part| {
        part.calls
            .iter()
            .any(|call| call.path.ends_with(b"/by-child"))
    };
    let part = trace.parts.iter().find(by_child).expect("the child's part");
    let writes = part
        .calls
        .iter()
        .filter(|call| &*call.op == "write" && call.path.ends_with(b"/both"));
    assert_eq!(writes.count(), 1000, "and nothing of its parent's");
    let parent = trace.parts.iter().filter(|part| {
        part.calls
            .iter()
            .any(|call| call.path.ends_with(b"/parent"))
    });
    assert_eq!(parent.count(), 1);
}

#[test]
fn the_usual_spool_is_left_clean() {
    let spools = || -> BTreeSet<String> {
        let dirs = ["/dev/shm".into(), std::env::temp_dir()];
        let entries = dirs
            .iter()
            .filter_map(|dir| std::fs::read_dir(dir).ok())
            .flatten()
            .flatten();
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    };
    let ran = hundred().env("IOTA_SPOOL", "").run().succeeded();
    let pid = format!("-{}-", ran.trace().only().pid);
    let left: Vec<String> = spools()
        .into_iter()
        .filter(|name| name.contains(&pid))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn threads_have_numbers_and_calls_have_ids() {
    let trace = Case::new("threads.c")
        .way(Way::Static)
        .run()
        .succeeded()
        .trace();
    let part = trace.only();
    let mut last = std::collections::BTreeMap::new();
    for call in &part.calls {
        let before = last.insert(call.thread, call.id).unwrap_or(0);
        assert!(
            call.id > before,
            "ids of a thread ascend: {before}, then {call}"
        );
        assert!(
            call.start <= call.end && call.start >= 0,
            "times run forwards: {call}"
        );
    }
    assert!(last.len() >= 4, "threads: {last:?}");
}

/// The text without times: task, offset, op, ret, path; paths below the working directory without it.
fn lines(text: &str, work: &str) -> Vec<String> {
    let calls = text.lines().filter(|line| !line.starts_with('#'));
    let brief = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        assert!(fields.len() >= 7, "seven fields: {line}");
        let times =
            [fields[1], fields[2]].map(|time| time.split_once('.').expect("seconds").1.len());
        assert_eq!(times, [9, 9], "nine digits: {line}");
        [
            fields[0],
            fields[3],
            fields[4],
            fields[5],
            &fields[6].replace(work, ""),
        ]
        .join(" ")
    };
    calls.map(brief).collect()
}

const TEXT: &str = r"0 -1 open 3 /data
0 0 write 10 3
0 100 pwrite 1 3
0 10 lseek 4 3
0 4 read 3 3
0 -1 fsync 0 3
0 -1 dup2 9 3
0 7 read 16 9
0 -1 close 0 9
0 -1 close 0 3
0 -1 open -1 /missing
0 -1 open 3 /odd\tname\n\\
0 -1 close 0 3
0 -1 truncate 0 /data
0 -1 rename 0 /data
0 -1 fopen 3 /renamed
0 0 fread 2 3
0 4 fseek 0 3
0 5 fprintf 4 3
0 -1 fclose 0 3
0 -1 unlink 0 /renamed";

#[test]
fn text_has_the_lines_of_the_original() {
    let ran = Case::new("text.c").way(Way::Static).run().succeeded();
    let text = command_output(
        Command::new(Build::first().iota())
            .arg("text")
            .arg(ran.trace_dir().join("run.iota")),
    );
    let work = ran.work().canonicalize().expect("it is there");
    let lines = lines(&text, &work.to_string_lossy());
    assert_eq!(lines.join("\n"), TEXT);
}

#[test]
fn text_written_directly_is_the_same() {
    let ran = Case::new("text.c")
        .env("IOTA_FORMAT", "text")
        .way(Way::Static)
        .run()
        .succeeded()
        .quiet();
    let files = ran.trace_files();
    assert_eq!(files.len(), 1, "{files:?}");
    let text = std::fs::read_to_string(ran.trace_dir().join(&files[0])).expect("text");
    let work = ran.work().canonicalize().expect("it is there");
    assert_eq!(lines(&text, &work.to_string_lossy()).join("\n"), TEXT);
}

#[test]
fn info_counts_the_calls() {
    let ran = hundred().run().succeeded();
    let info = command_output(
        Command::new(Build::first().iota())
            .arg("info")
            .arg(ran.trace_dir().join("run.iota")),
    );
    let captured = ran.trace().only().calls.len();
    assert!(info.contains(&format!("{captured} captured")), "{info}");
}

#[test]
fn traces_of_several_runs_are_read_as_one() {
    let ran = hundred().script("\"$@\" && \"$@\"").run().succeeded();
    assert_eq!(ran.trace_files(), ["run.1.iota", "run.iota"]);
    assert_eq!(ran.trace().count("pwrite"), 200);
}

#[test]
fn concatenated_traces_are_a_trace() {
    let script = "\"$@\" && \"$@\" && cat {}/trace/run.iota {}/trace/run.1.iota >{}/both.iota";
    let ran = hundred().script(script).run().succeeded();
    let both = Trace::read(&ran.scratch_file("both.iota"));
    both.assert_whole();
    assert_eq!((both.parts.len(), both.count("pwrite")), (2, 200));
}
