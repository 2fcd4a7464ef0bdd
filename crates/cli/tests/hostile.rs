//! A trace whose every text was made to deceive whoever reads it: no command passes on a byte that a terminal would obey,
//! or a letter that would hide or turn round what stands beside it.

mod common;

use common::Dir;
use common::trace::{Part, call, process, writes};
use iota_trace::Record;
use iota_trace::lustre::blob::plain;
use iota_trace::part::Process;
use iota_trace::read::Op;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What stands before each letter that must not come through
const MARK: &str = "bad";
/// Such letters, and bytes that are none
const LETTERS: [&[u8]; 24] = [
    b"\0",
    b"\x07",
    b"\x08",
    b"\t",
    b"\n",
    b"\r",
    b"\x1b",
    b"\x7f",
    b"\x9b",
    b"\xff",
    "\u{80}".as_bytes(),
    "\u{9b}".as_bytes(),
    "\u{61c}".as_bytes(),
    "\u{180e}".as_bytes(),
    "\u{200b}".as_bytes(),
    "\u{200e}".as_bytes(),
    "\u{200f}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{2029}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{2066}".as_bytes(),
    "\u{2069}".as_bytes(),
    "\u{feff}".as_bytes(),
    "\u{e0041}".as_bytes(),
];
/// What HTML and XML would obey
const MARKUP: &str = "<script>alert(1)</script>";

/// Each of the letters behind a mark; arguments and paths have no NUL.
fn hostile(before: &str) -> Vec<u8> {
    let letters = LETTERS[1..].iter();
    let marked = letters.flat_map(|letter| [MARK.as_bytes(), letter].concat());
    let all = before.bytes().chain(marked).chain(MARKUP.bytes());
    all.collect()
}

fn assert_harmless(what: &str, text: &[u8]) {
    for letter in LETTERS {
        let needle = [MARK.as_bytes(), letter].concat();
        let at = text.windows(needle.len()).position(|some| some == needle);
        let around = at.map(|at| text[at.saturating_sub(40)..at + needle.len()].escape_ascii());
        assert!(at.is_none(), "{what}: {}", around.unwrap());
    }
}

fn trace() -> Vec<u8> {
    let text = hostile("=");
    let argv = [&text[..], b"\0", &text, b"\0"].concat();
    let whole = Process {
        version: &text,
        host: &text,
        exe: &text,
        argv: &argv,
        cwd: &text,
        output: &text,
        job: &text,
        files: &text,
        exclude: &text,
        flavour: &text,
        ..process(1, 0)
    };
    let mut part = Part::of(0, &whole);
    let (dir, other) = (hostile("/scratch/=1+1/"), hostile("+relative"));
    part.file(1, &dir).file(2, &other);
    let pool = "bad\u{1b}bad\u{202e}bad\t";
    part.layout(1, &plain(1, 65536, 1, &[7], Some(pool)));
    for (id, kind) in [(600, 0), (601, 3), (602, 1)] {
        let op = Op {
            name: &text,
            layer: 5,
            kind,
            effects: 0x11,
        };
        part.name_op(id, op);
    }
    let mpi = Op {
        name: &text,
        layer: 3,
        kind: 4,
        effects: 1,
    };
    part.name_op(603, mpi);
    let mut records = writes(200, 4096);
    let unknown = |id, op, file| Record {
        id,
        op,
        file,
        fd: 3,
        offset: 0,
        ret: 512,
        length: 512,
        ..call("read", u64::from(id) * 1000, 90_000_000)
    };
    let open = Record {
        id: 201,
        file: 1,
        ret: 3,
        length: 0o100,
        ..call("open", 300_000, 100)
    };
    records.extend([
        open,
        unknown(202, 600, 1),
        unknown(203, 601, 2),
        unknown(204, 602, 2),
        unknown(206, 603, 1),
    ]);
    let more = Record::more(2, -1, 0, 0);
    let rename = Record {
        flags: iota_trace::flags::MORE,
        ..unknown(205, 600, 1)
    };
    records.extend([rename, more]);
    part.calls(&records).finish()
}

/// Arguments for each command that reads a trace; T stands for it
const READERS: &[&str] = &[
    "text T",
    "text -v T",
    "text --rank 7 T",
    "info T",
    "info --top 0 T",
    "info --json T",
    "stat T",
    "stat --json T",
    "stat --by file T",
    "stat --by function T",
    "stat --by directory T",
    "stat --by process T",
    "stat --by host T",
    "layers T",
    "layers --json T",
    "diff T T",
    "diff --json T T",
    "jobs T",
    "jobs --json --by program T",
    "head T",
    "head -v T",
    "head -n 500 T",
    "cut T -o cut.out",
    "merge T -o merge.out",
    "symbols T -o symbols.out",
    "stat --by site T",
    "stat T --shard 0/1 -o share.out",
    "stat --merge share.out",
    "report T -o report.html",
    "recover T",
    "recover --list T",
    "load -replay T -dry",
    "sql T",
    "convert T -o -",
    "convert T --to ioplots --file * -o -",
    "convert T --to ioplots --file *none* -o -",
    "convert T --to ioplots -o logs",
    "convert T --to text -o convert.txt",
    "convert T --to csv -o convert.csv",
    "convert T --to darshan -o convert.darshan",
    "convert T --to dftracer -o convert.pfw",
    "convert T --to dxt -o convert.dxt",
    "convert T --to perfetto -o convert.pftrace",
    "convert T --to parquet -o convert.parquet",
    "convert T --to arrow --columns op,path -o convert.arrows",
    "convert T --to otf2 -o convert.otf2",
    "convert T --to iota -o x.iota",
];
/// Commands that read none
const OTHERS: [&str; 5] = ["run", "wraps", "completions", "man", "help"];

#[test]
fn every_command_is_asked() {
    let help = Dir::new().run(["--help"]).whole();
    let listed = help
        .split("Commands:")
        .nth(1)
        .unwrap()
        .split("Options:")
        .next()
        .unwrap();
    let listed: BTreeSet<_> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let asked = READERS.iter().map(|line| line.split(' ').next().unwrap());
    let asked: BTreeSet<_> = asked.chain(OTHERS).chain(["plot"]).collect();
    assert_eq!(
        asked.symmetric_difference(&listed).collect::<Vec<_>>(),
        [] as [&&str; 0]
    );
    let formats = Dir::new().run(["convert", "--help"]).whole();
    for format in [
        "text", "csv", "parquet", "arrow", "perfetto", "otf2", "darshan", "dftracer", "dxt",
        "ioplots", "iota",
    ] {
        assert!(formats.contains(&format!("- {format}:")), "{formats}");
        let is_asked = READERS
            .iter()
            .any(|line| line.contains(&format!("--to {format}")));
        assert!(is_asked, "{format}");
    }
    assert_eq!(
        formats.matches("\n          - ").count(),
        11 + 5 + 3,
        "formats, inputs, layers"
    );
}

fn ask(dir: &Dir, line: &str) {
    let words = line.split(' ').map(|word| word.replace('T', "run.iota"));
    let done = dir.iota().args(words).output().unwrap();
    let is_trace = line.ends_with("-o -") && !line.contains("--to");
    assert!(!is_trace || done.stdout.is_empty(), "no format was named");
    assert_harmless(line, &done.stdout);
    assert_harmless(line, &done.stderr);
}

/// Files that are not for other programs alone
fn check_files(dir: &Path) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display().to_string();
        match path.extension().and_then(|ending| ending.to_str()) {
            // Names in logs of Darshan are compressed: tests/convert/darshan.rs looks at them.
            Some("iota" | "out" | "darshan") => {}
            _ if path.is_dir() => check_files(&path),
            Some("html" | "svg") => {
                let text = fs::read(&path).unwrap();
                assert_harmless(&name, &text);
                let obeyed = text
                    .windows(MARKUP.len())
                    .any(|some| some == MARKUP.as_bytes());
                assert!(!obeyed, "{name}");
            }
            _ => assert_harmless(&name, &fs::read(&path).unwrap()),
        }
    }
}

#[test]
fn no_command_passes_on_what_a_terminal_would_obey() {
    let dir = Dir::new().with("run.iota", &trace());
    READERS.iter().for_each(|line| ask(&dir, line));
    let kinds = dir.run(["plot", "run.iota", "--kind", "list"]).whole();
    for kind in kinds
        .lines()
        .filter_map(|line| line.split_whitespace().next())
    {
        ask(&dir, &format!("plot T --kind {kind}"));
        ask(&dir, &format!("plot T --kind {kind} -o {kind}.svg"));
    }
    check_files(dir.path());
    let made = dir.names();
    for name in [
        "convert.csv",
        "convert.txt",
        "convert.dxt",
        "logs",
        "report.html",
    ] {
        assert!(made.contains(&name.to_owned()), "{name} in {made:?}");
    }
    let pictures = made.iter().filter(|name| name.ends_with(".svg"));
    // There are no conflicts and no pairs.
    assert_eq!((pictures.count(), kinds.lines().count()), (11, 13));
}

#[test]
fn no_message_about_damage_does() {
    let whole = trace();
    for damage in (0..whole.len()).step_by(97) {
        let mut bytes = whole.clone();
        bytes[damage] ^= 0x10;
        let dir = Dir::new().with("bad\u{1b}bad\u{202e}.iota", &bytes);
        for command in ["text", "info"] {
            let done = dir.iota().args([command, "."]).output().unwrap();
            assert_harmless(command, &done.stdout);
            assert_harmless(command, &done.stderr);
        }
    }
}

#[test]
fn no_cell_of_a_table_is_a_formula() {
    let dir = Dir::new().with("run.iota", &trace());
    dir.run(["convert", "run.iota", "-o", "t.csv"]).whole();
    let table = fs::read_to_string(dir.file("t.csv")).unwrap();
    let cells = || table.lines().skip(1).flat_map(|line| line.split(','));
    for cell in cells() {
        let is_number = cell.parse::<i64>().is_ok();
        let text = cell.trim_start_matches('"');
        let begins = text.starts_with(['=', '+', '-', '@']);
        assert!(is_number || !begins, "{cell}");
    }
    assert!(cells().any(|cell| cell.starts_with("'=bad")), "functions");
    assert!(cells().any(|cell| cell.starts_with("'+relative")), "paths");
}

/// Bytes of a trace become text by way of `Printable`. What other programs print, digits and host names may do without.
#[test]
fn no_other_text_is_made_of_bytes() {
    let others = [
        "launch/src/launcher.rs",
        "launch/src/program.rs",
        "recover/src/host.rs",
        "plot/src/axis.rs",
    ];
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut waiting, mut read) = (Vec::new(), 0);
    let shown = [
        "analysis", "cli", "export", "jobs", "launch", "output", "plot", "recover", "report",
    ];
    waiting.extend(shown.map(|name| crates.join(name).join("src")));
    while let Some(dir) = waiting.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            let may = others.iter().any(|other| path.ends_with(other));
            assert!(
                may || !text.contains("from_utf8_lossy"),
                "{}: use Printable",
                path.display()
            );
            read += 1;
        }
    }
    assert!(read > 100, "{read}");
}
