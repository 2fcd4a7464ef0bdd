//! What is read is never written to, is read once, and its secrets stay with those who knew them.

mod common;

use common::trace::{Part, gathered, writes};
use common::{Dir, Said, small, small_part};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

/// Commands that write, each reading the first file and writing to the second
fn writers(input: &str, output: &str) -> Vec<Vec<String>> {
    let all = [
        "report IN -o OUT",
        "stat IN --shard 0/1 -o OUT",
        "merge IN -f -o OUT",
        "cut IN --where rank=0-9 -f -o OUT",
        "convert IN -f --to csv -o OUT",
        "convert IN -f --to text -o OUT",
        "convert IN -f --to parquet -o OUT",
        "convert IN -f --to perfetto -o OUT",
        "convert IN -f --to dxt -o OUT",
        "convert IN -f --to ioplots -o OUT",
        "convert IN -f --to otf2 -o OUT",
        "convert IN -f --from text --to iota -o OUT",
        "load -replay IN -output OUT",
        "load -job IN -output OUT",
    ];
    let word = |word: &str| match word {
        "IN" => input.to_owned(),
        "OUT" => output.to_owned(),
        word => word.to_owned(),
    };
    let words = |line: &&str| line.split(' ').map(word).collect();
    all.iter().map(words).collect()
}

#[test]
fn no_output_is_an_input() {
    let trace = small(2);
    let dir = Dir::new().with("run.iota", &trace);
    symlink("run.iota", dir.file("link.iota")).unwrap();
    fs::hard_link(dir.file("run.iota"), dir.file("hard.iota")).unwrap();
    let pairs = [
        ("run.iota", "run.iota"),
        ("run.iota", "./run.iota"),
        ("run.iota", "link.iota"),
        ("link.iota", "run.iota"),
        ("run.iota", "hard.iota"),
    ];
    for (input, output) in pairs {
        for words in writers(input, output) {
            let said = dir.run(&words);
            assert!(
                said.failed().contains("is read, as "),
                "{words:?}: {said:?}"
            );
            assert_eq!(fs::read(dir.file("run.iota")).unwrap(), trace, "{words:?}");
            assert_eq!(
                dir.names(),
                ["hard.iota", "link.iota", "run.iota"],
                "{words:?}"
            );
        }
    }
}

#[test]
fn a_picture_does_not_replace_its_trace() {
    let trace = small(1);
    let dir = Dir::new().with("run.svg", &trace);
    let said = dir.run(["plot", "run.svg", "-o", "run.svg"]);
    assert!(said.failed().contains("is read, as run.svg"), "{said:?}");
    assert_eq!(fs::read(dir.file("run.svg")).unwrap(), trace);
}

#[test]
fn files_of_a_directory_and_parts_of_a_job_are_inputs_too() {
    let part = small_part(1, 2).finish();
    let dir = Dir::new()
        .with("run.0.iota", &small_part(0, 2).finish())
        .with("run.1.iota", &part);
    for input in ["run.iota", "."] {
        let said = dir.run(["merge", input, "-f", "-o", "run.1.iota"]);
        assert!(said.failed().contains("run.1.iota: is read"), "{said:?}");
        assert_eq!(fs::read(dir.file("run.1.iota")).unwrap(), part);
    }
}

#[test]
fn what_is_read_is_not_appended_to() {
    let trace = small(1);
    let dir = Dir::new().with("run.iota", &trace);
    for command in ["text", "head", "stat"] {
        let out = fs::OpenOptions::new()
            .append(true)
            .open(dir.file("run.iota"))
            .unwrap();
        let done = dir.iota().args([command, "run.iota"]).stdout(out).output();
        let said = String::from_utf8(done.unwrap().stderr).unwrap();
        assert!(
            said.contains("run.iota: is read, and is standard output"),
            "{said}"
        );
        assert_eq!(fs::read(dir.file("run.iota")).unwrap(), trace);
    }
}

/// Names its files once and counts their calls once, and says so
fn counted_once(dir: &Dir, traces: &[&str], calls: usize, told: &str) {
    let with = |command: &[&str]| -> Said { dir.run(command.iter().chain(traces)) };
    let text = with(&["text"]);
    assert_eq!(text.calls().len(), calls, "{traces:?}: {text:?}");
    let info = with(&["info"]);
    let captured = format!("{calls} captured");
    assert!(info.out.contains(&captured), "{traces:?}: {info:?}");
    assert!(info.out.contains("complete   yes"), "{info:?}");
    let table = with(&["stat", "--json"]);
    assert!(
        table.out.contains(&format!("\"calls\": {calls}")),
        "{table:?}"
    );
    for said in [text, info, table] {
        assert!(said.status == 0 && said.err.contains(told), "{said:?}");
        assert_eq!(said.err.lines().count(), 1, "{said:?}");
    }
}

#[test]
fn parts_beside_their_merged_file_count_once() {
    let dir = Dir::new()
        .with("run.0.iota", &small_part(0, 2).finish())
        .with("run.1.iota", &small_part(1, 2).finish());
    assert_eq!(dir.run(["merge", ".", "-o", "all.iota"]).status, 0);
    let told = "run.0.iota and 1 more file: some or all of their calls are also in other files, such as all.iota";
    counted_once(&dir, &["."], 10, told);
    assert_eq!(dir.run(["merge", ".", "-o", "new.iota"]).status, 0);
    assert_eq!(dir.run(["text", "new.iota"]).calls().len(), 10);
}

#[test]
fn a_file_that_is_named_twice_counts_once() {
    let dir = Dir::new().with("a.iota", &small(1));
    symlink("a.iota", dir.file("b.iota")).unwrap();
    counted_once(
        &dir,
        &["a.iota", "a.iota"],
        5,
        "a.iota: some of its calls are there twice",
    );
    counted_once(
        &dir,
        &["a.iota", "b.iota"],
        5,
        "b.iota: some or all of its calls are also in a.iota",
    );
    let dir = dir.with("c.iota", &small(1));
    counted_once(
        &dir,
        &["a.iota", "c.iota"],
        5,
        "c.iota: some or all of its calls are also in a.iota",
    );
    let twice = [small(1), small(1)].concat();
    let dir = Dir::new().with("a.iota", &twice);
    counted_once(
        &dir,
        &["a.iota"],
        5,
        "a.iota: some of its calls are there twice",
    );
}

#[test]
fn a_selection_beside_all_of_it_counts_once() {
    let dir = Dir::new().with("a.iota", &small(2));
    let cut = |filter: &str, to: &str| {
        let said = dir.run(["cut", "a.iota", "--where", filter, "-o", to]);
        assert_eq!(said.status, 0, "{said:?}");
    };
    cut("op=pwrite64", "b.iota");
    counted_once(
        &dir,
        &["a.iota", "b.iota"],
        10,
        "b.iota: some or all of its calls are also in a.iota",
    );
    // Two selections that share nothing are both wanted.
    cut("op!=pwrite64", "c.iota");
    let both = dir.run(["text", "b.iota", "c.iota"]);
    assert_eq!((both.status, both.calls().len()), (0, 10), "{both:?}");
    assert_eq!(both.err, "");
    // Of two that share some nobody knows what is wanted.
    cut("op!=close", "d.iota");
    let both = dir.run(["info", "c.iota", "d.iota"]);
    assert!(
        both.status == 2 && both.out.contains("complete   no"),
        "{both:?}"
    );
    assert!(both.err.contains("count twice"), "{both:?}");
}

/// The same process' calls before and after MPI_Finalize are no copies, however alike.
#[test]
fn parts_that_go_on_are_all_read() {
    let of = |late: u64| {
        let mut part = Part::new(0, 1, 0);
        part.file(1, b"/f").calls(&writes(3, 8));
        let end = part.end_at(10_000_000_000 + late);
        part.finish_as(&end)
    };
    let dir = Dir::new().with("a.iota", &gathered(&[of(0), of(1000)]));
    let said = dir.run(["text", "a.iota"]);
    assert_eq!((said.status, said.calls().len()), (0, 6), "{said:?}");
}

fn mode(dir: &Dir, name: &str) -> u32 {
    let data = fs::metadata(dir.file(name)).unwrap();
    data.permissions().mode() & 0o777
}

#[test]
fn who_may_not_read_a_trace_may_not_read_what_is_made_of_it() {
    for (of_trace, expected) in [(0o600, 0o600), (0o640, 0o640), (0o444, 0o644)] {
        let dir = Dir::new().with("run.iota", &small(2));
        let allow = fs::Permissions::from_mode(of_trace);
        fs::set_permissions(dir.file("run.iota"), allow).unwrap();
        let mut made = Vec::new();
        for (n, mut words) in writers("run.iota", "OUT").into_iter().enumerate() {
            let is_other = ["load", "otf2", "--from"];
            if words.iter().any(|word| is_other.contains(&&**word)) {
                continue;
            }
            let name = format!("{n}.out");
            *words.last_mut().unwrap() = name.clone();
            let said = dir.run(&words);
            assert_eq!(said.status, 0, "{words:?}: {said:?}");
            made.push(name);
        }
        made.push("run.svg".to_owned());
        let said = dir.run(["plot", "run.iota", "-o", "run.svg"]);
        assert_eq!(said.status, 0, "{said:?}");
        let logs = made.iter().filter(|name| dir.file(name).is_dir());
        assert_eq!(logs.count(), 1, "a log for each file");
        for name in made {
            let enters = if dir.file(&name).is_dir() {
                expected >> 2 & 0o111
            } else {
                0
            };
            assert_eq!(mode(&dir, &name), expected | enters, "{name}");
        }
    }
}

#[test]
fn files_of_a_directory_have_the_mode_of_their_trace() {
    let dir = Dir::new().with("run.iota", &small(2));
    fs::set_permissions(dir.file("run.iota"), fs::Permissions::from_mode(0o600)).unwrap();
    for words in [
        "convert run.iota --to ioplots -o logs",
        "convert run.iota --to parquet --shards 2 -o shards",
    ] {
        let said = dir.run(words.split(' '));
        assert_eq!(said.status, 0, "{said:?}");
    }
    for made in ["logs", "shards"] {
        assert_eq!(mode(&dir, made), 0o700);
        for entry in fs::read_dir(dir.file(made)).unwrap() {
            let name = format!("{made}/{}", entry.unwrap().file_name().to_str().unwrap());
            assert_eq!(mode(&dir, &name), 0o600, "{name}");
        }
    }
}
