//! The reader in Python, which was written from docs/design/format.md, prints what `iota text -v` prints: of every kind of trace.

use iota_tests::{Build, Case, Ran, Way, find, limited, mpi_is_wanted, root, wanted};
use iota_trace::block::{Header, Ids, kind};
use iota_trace::part::FOOTER_SIZE;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

fn python_is_wanted() -> bool {
    let is_there = find("python3").is_some();
    wanted("python3", is_there, "scripts/deps.sh test gets it")
}

/// Lines about calls, and the names of their columns.
fn calls(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let is_call = |line: &&str| !line.starts_with('#') || line.starts_with("# task\t");
    text.lines().filter(is_call).map(String::from).collect()
}

fn output(command: &mut Command) -> Vec<String> {
    let said = limited(command, b"", Duration::from_secs(240));
    assert!(
        matches!(said.code(), 0 | 2),
        "{command:?}: {}",
        said.errors()
    );
    calls(said.text().as_bytes())
}

/// Compares both readers on a trace of that many calls at least.
fn agree_on(trace: &Path, least: usize) {
    let ours = output(
        Command::new(Build::first().iota())
            .args(["text", "-v"])
            .arg(trace),
    );
    let script = root().join("tests/reader/iota_reader.py");
    let theirs = output(Command::new("python3").arg(script).arg(trace));
    if ours.is_empty() {
        // Nothing there can be read, so that iota prints no columns either.
        return assert_eq!(theirs.len(), 1, "{}: {theirs:?}", trace.display());
    }
    let differs = ours
        .iter()
        .zip(&theirs)
        .find(|(ours, theirs)| ours != theirs);
    assert_eq!(differs, None, "{}: iota, then Python", trace.display());
    assert_eq!(ours.len(), theirs.len(), "{}", trace.display());
    assert!(
        ours.len() > least,
        "{}: {} lines",
        trace.display(),
        ours.len()
    );
}

fn iota(ran: &Ran, args: &[&str]) {
    let mut command = Command::new(Build::first().iota());
    command.current_dir(ran.trace_dir()).args(args);
    command.args(if args[0] == "recover" {
        &["--spool", "../spool"][..]
    } else {
        &[]
    });
    let said = limited(&mut command, b"", Duration::from_secs(120));
    assert_eq!(said.code(), 0, "{}", said.errors());
}

fn file(ran: &Ran, name: &str) -> PathBuf {
    ran.trace_dir().join(name)
}

#[test]
fn processes_and_threads() {
    if !python_is_wanted() {
        return;
    }
    for (source, args, least) in [
        ("data.c", "", 40),
        ("streams.c", "", 40),
        ("threads.c", "", 100),
        ("signals.c", "", 40),
        ("aio_threads.c", "", 4),
    ] {
        let ran = Case::new(source)
            .args(args)
            .way(Way::Preload)
            .run()
            .succeeded();
        agree_on(&file(&ran, "run.iota"), least);
    }
}

#[test]
fn trees_of_processes_and_what_is_made_of_their_trace() {
    if !python_is_wanted() {
        return;
    }
    let script = "seq 1 3000 >a; cp a 'b\tc'; sort -r a >d; (dd if=a of=e bs=1k status=none; cat missing) 2>/dev/null; \
        mkdir x; mv e x/; rm d; awk 'NR % 100 == 0 { print $1 * 2 }' a >f";
    let ran = Case::shell(script).way(Way::Preload).run().succeeded();
    iota(&ran, &["merge", ".", "-o", "whole.iota"]);
    agree_on(&file(&ran, "whole.iota"), 200);
    iota(
        &ran,
        &[
            "cut",
            "whole.iota",
            "--where",
            "class=read",
            "-o",
            "cut.iota",
        ],
    );
    agree_on(&file(&ran, "cut.iota"), 20);
    iota(
        &ran,
        &["convert", "whole.iota", "--to", "text", "-o", "lines.txt"],
    );
    iota(
        &ran,
        &[
            "convert",
            "lines.txt",
            "--to",
            "iota",
            "-o",
            "imported.iota",
        ],
    );
    agree_on(&file(&ran, "imported.iota"), 200);
}

/// The footer at a trace's end is that of a group.
fn groups_belong_to_nobody(trace: &Path) {
    let bytes = std::fs::read(trace).expect("just written");
    let footer = Header::parse(&bytes[bytes.len() - FOOTER_SIZE..]).expect("a footer");
    assert_eq!((footer.kind, footer.ids), (kind::FOOTER, Ids::default()));
}

fn ranks_on(mpi: &str) {
    let Some((build, _turn)) = mpi_is_wanted(mpi).filter(|_| python_is_wanted()) else {
        return;
    };
    let ran = Case::mpi("mpi_files.c", build, 3).run().succeeded();
    agree_on(&file(&ran, "run.iota"), 30);
    groups_belong_to_nobody(&file(&ran, "run.iota"));
    let flushed = Case::mpi("mpi_files.c", build, 2).env("IOTA_FLUSH", "1");
    let flushed = flushed.run().succeeded();
    iota(&flushed, &["merge", ".", "-o", "whole.iota"]);
    agree_on(&file(&flushed, "whole.iota"), 20);
    groups_belong_to_nobody(&file(&flushed, "whole.iota"));
}

#[test]
fn ranks_of_openmpi() {
    ranks_on("openmpi");
}

#[test]
fn ranks_of_mpich() {
    ranks_on("mpich");
}

#[test]
fn recovered_after_a_kill() {
    if !python_is_wanted() {
        return;
    }
    let ran = Case::new("killed.c")
        .args("2 20000 kill")
        .way(Way::Preload)
        .run();
    iota(&ran, &["recover", "run.iota"]);
    agree_on(&file(&ran, "run.iota"), 20);
}

/// A line without its details; flags stay.
fn short(line: &str) -> String {
    let columns: Vec<&str> = line.splitn(18, '\t').collect();
    let told = columns.get(17).unwrap_or(&"").split(' ');
    let flags: Vec<&str> = told.take_while(|word| !word.contains('{')).collect();
    format!("{} {}", columns[..17].join("\t"), flags.join(" "))
}

/// docs/design/format.md, "Compatibility".
#[test]
fn an_old_reader_loses_nothing_but_the_details() {
    if !python_is_wanted() {
        return;
    }
    let trace = root().join("crates/trace/tests/golden/details.bin");
    let script = root().join("tests/reader/iota_reader.py");
    let read = |options: &[&str]| {
        let mut command = Command::new("python3");
        output(command.arg(&script).args(options).arg(&trace))
    };
    let (new, old) = (read(&[]), read(&["--without-details"]));
    let with_details = new.iter().filter(|line| line.contains('{')).count();
    assert!(with_details > 100, "{with_details} calls with details");
    assert_eq!(
        new[1..].iter().map(|line| short(line)).collect::<Vec<_>>(),
        old[1..].iter().map(|line| short(line)).collect::<Vec<_>>()
    );
    assert!(!old.iter().any(|line| line.contains('{')), "{old:?}");
}

#[test]
fn golden_traces_whole_and_damaged() {
    if !python_is_wanted() {
        return;
    }
    let scratch = iota_tests::Scratch::new();
    let golden = root().join("crates/trace/tests/golden");
    for name in ["group.bin", "pack.bin", "details.bin"] {
        let bytes = std::fs::read(golden.join(name)).expect("in the source tree");
        let copy = scratch.path().join("damaged.iota");
        agree_on(&golden.join(name), 300);
        for at in (100..bytes.len()).step_by(bytes.len() / 9) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            std::fs::write(&copy, &changed).expect("writable");
            agree_on(&copy, 0);
            std::fs::write(&copy, &bytes[..at]).expect("writable");
            agree_on(&copy, 0);
        }
    }
}
