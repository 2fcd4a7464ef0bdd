//! Who started whom: on pages made to measure, where parents are not traced, parts are missing and ids come twice.

mod common;

use common::Dir;
use common::trace::{EPOCH, Part, gathered, process, writes};
use iota_trace::clock::Anchor;
use iota_trace::part::{End, Process, reason};
use serde_json::Value;

/// What a part says of its process.
#[derive(Clone, Copy)]
struct Of {
    rank: u32,
    pid: u32,
    parent: u32,
    argv: &'static [u8],
    /// Seconds after the first.
    late: u64,
    reason: u8,
    host: &'static [u8],
    random: u32,
}

const ONE: Of = Of {
    rank: 0,
    pid: 0,
    parent: 1,
    argv: b"sh\0",
    late: 0,
    reason: reason::EXIT,
    host: b"node01",
    random: 0,
};

/// A part with so many writes of 8 bytes, 400 ns each.
fn part(of: Of, calls: u32) -> Vec<u8> {
    let said = process(1, 0);
    let start = Anchor {
        realtime: EPOCH + of.late * 1_000_000_000,
        ..said.start
    };
    let mut part = Part::unnamed(
        of.rank,
        of.pid,
        &Process {
            ppid: of.parent,
            argv: of.argv,
            exe: of.argv.split(|&byte| byte == 0).next().unwrap(),
            host: of.host,
            random: if of.random == 0 {
                of.pid * 1000 + u32::try_from(of.late).unwrap() + 1
            } else {
                of.random
            },
            start,
            ..said
        },
    );
    part.name_ops(&["pwrite64"]);
    part.file(1, b"/scratch/run/out");
    if calls > 0 {
        part.calls(&writes(calls, 8));
    }
    let end = part.end();
    part.finish_as(&End {
        reason: of.reason,
        ..end
    })
}

fn tree(parts: &[Vec<u8>], options: &[&str]) -> Value {
    let dir = Dir::new().with("run.iota", &gathered(parts));
    let args = [&["info", "--json", "run.iota"][..], options].concat();
    let info: Value = serde_json::from_str(&dir.run(&args).out).expect("JSON");
    info["process_tree"].clone()
}

/// The rows of the tree, or those below a row.
fn rows_of(all: &Value) -> &[Value] {
    let rows = all.get("tree").or(all.get("below"));
    rows.and_then(Value::as_array).expect("rows")
}

/// A row and all below it, one a line: depth, command, id, processes, calls, processes below, calls below.
fn lines(all: &Value, depth: usize, out: &mut Vec<String>) {
    for row in rows_of(all) {
        out.push(format!(
            "{depth} {} {} {} {} {} {}",
            row["command"].as_str().expect("text"),
            row["pid"],
            row["processes"],
            row["calls"],
            row["descendants"]["processes"],
            row["descendants"]["calls"],
        ));
        lines(row, depth + 1, out);
    }
    if all["folded"]["processes"] != 0 {
        let more = &all["folded"];
        out.push(format!(
            "{depth} more {} {}",
            more["processes"], more["calls"]
        ));
    }
}

fn told(parts: &[Vec<u8>], options: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    lines(&tree(parts, options), 0, &mut out);
    out
}

fn make(jobs: u32) -> Vec<Vec<u8>> {
    let argv: &[u8] = b"make\0-j\0";
    let mut parts = vec![part(
        Of {
            pid: 10,
            argv,
            ..ONE
        },
        3,
    )];
    for job in 0..jobs {
        let (shell, argv): (u32, &[u8]) = (100 + 2 * job, b"/usr/bin/cc\0-c\0x.c\0");
        let late = 1 + u64::from(job);
        parts.push(part(
            Of {
                pid: shell,
                parent: 10,
                late,
                ..ONE
            },
            1,
        ));
        let below = Of {
            pid: shell + 1,
            parent: shell,
            argv,
            late,
            ..ONE
        };
        parts.push(part(below, 2));
    }
    parts
}

#[test]
fn children_of_alike_parents_share_a_row() {
    let expected = [
        "0 make -j 10 1 3 80 120",
        "1 sh null 40 40 40 80",
        "2 cc null 40 80 0 0",
    ];
    assert_eq!(told(&make(40), &[]), expected);
}

#[test]
fn few_of_a_kind_have_a_row_each() {
    let rows = told(&make(3), &[]);
    assert_eq!(rows.len(), 7, "{rows:?}");
    assert!(rows.contains(&"2 /usr/bin/cc -c x.c 101 1 2 0 0".to_owned()));
    assert_eq!(told(&make(40), &["--top", "0"]).len(), 81);
}

/// What is left out is counted where it would stand.
#[test]
fn rows_are_bounded() {
    let expected = [
        "0 make -j 10 1 3 6 9",
        "1 sh 100 1 1 1 2",
        "2 more 1 2",
        "1 more 4 6",
    ];
    assert_eq!(told(&make(3), &["--top", "2"]), expected);
}

#[test]
fn a_parent_that_is_not_traced_has_no_row() {
    let argv: &[u8] = b"cat\0x\0";
    let parts = [
        part(Of { pid: 10, ..ONE }, 1),
        part(
            Of {
                pid: 12,
                parent: 11,
                argv,
                late: 1,
                ..ONE
            },
            1,
        ),
    ];
    let tree = tree(&parts, &[]);
    assert_eq!(tree["started"], 0);
    assert_eq!(tree["tree"][1]["ppid"], 11);
    let dir = Dir::new().with("run.iota", &gathered(&parts));
    let page = dir.run(["info", "run.iota"]).whole();
    assert!(!page.contains("below"), "no tree if there is none: {page}");
}

/// The id of a parent is that of the process that had it when the child began, on the same host.
#[test]
fn ids_that_come_twice() {
    let parts = [
        part(
            Of {
                pid: 10,
                argv: b"first\0",
                ..ONE
            },
            1,
        ),
        part(
            Of {
                pid: 11,
                parent: 10,
                argv: b"child-1\0",
                late: 1,
                ..ONE
            },
            1,
        ),
        part(
            Of {
                pid: 10,
                argv: b"second\0",
                late: 2,
                ..ONE
            },
            1,
        ),
        part(
            Of {
                pid: 12,
                parent: 10,
                argv: b"child-2\0",
                late: 3,
                ..ONE
            },
            1,
        ),
        part(
            Of {
                pid: 13,
                parent: 10,
                argv: b"far\0",
                late: 3,
                host: b"node02",
                ..ONE
            },
            1,
        ),
        // Each would be the parent of the other.
        part(
            Of {
                pid: 20,
                parent: 21,
                argv: b"a\0",
                late: 4,
                ..ONE
            },
            1,
        ),
        part(
            Of {
                pid: 21,
                parent: 20,
                argv: b"b\0",
                late: 5,
                ..ONE
            },
            1,
        ),
    ];
    let mut rows = told(&parts, &[]);
    rows.sort();
    let expected = [
        "0 a 20 1 1 1 1",
        "0 far 13 1 1 0 0",
        "0 first 10 1 1 1 1",
        "0 second 10 1 1 1 1",
        "1 b 21 1 1 0 0",
        "1 child-1 11 1 1 0 0",
        "1 child-2 12 1 1 0 0",
    ];
    assert_eq!(rows, expected);
}

/// A process that has replaced itself is one, and so is one whose first part was written before it ended.
#[test]
fn parts_of_one_process() {
    let parts = [
        part(
            Of {
                pid: 10,
                reason: reason::EXEC,
                ..ONE
            },
            1,
        ),
        part(
            Of {
                pid: 10,
                argv: b"python3\0x.py\0",
                late: 1,
                random: 7,
                ..ONE
            },
            2,
        ),
        part(
            Of {
                pid: 10,
                argv: b"python3\0x.py\0",
                late: 2,
                random: 7,
                ..ONE
            },
            4,
        ),
        part(
            Of {
                pid: 11,
                parent: 10,
                late: 3,
                ..ONE
            },
            8,
        ),
    ];
    let expected = ["0 python3 x.py 10 1 7 1 8", "1 sh 11 1 8 0 0"];
    assert_eq!(told(&parts, &[]), expected);
}

#[test]
fn a_part_without_its_process_block() {
    let mut parts = make(1);
    // Behind the block's header of 64 bytes: its checksum fails.
    parts[1][70] ^= 1;
    let dir = Dir::new().with("run.iota", &parts.concat());
    let info: Value = serde_json::from_str(&dir.run(["info", "--json", "run.iota"]).out).unwrap();
    assert_eq!(info["process_tree"]["count"], 3, "{info:#}");
}

/// A chain deeper than the tree, and very many processes.
#[test]
fn large_trees() {
    let chain = (0..200).map(|n| Of {
        pid: 100 + n,
        parent: 99 + n,
        late: n.into(),
        ..ONE
    });
    let chain: Vec<_> = chain.map(|of| part(of, 1)).collect();
    let rows = told(&chain, &["--top", "0"]);
    assert_eq!(rows.len(), 49);
    assert_eq!(rows[0], "0 sh 100 1 1 199 199");
    assert_eq!(rows[48], "48 more 152 152");
    let rows = told(&make(2000), &[]);
    assert_eq!(rows[2], "2 cc null 2000 4000 0 0");
}

/// The shell makes fewer calls than what it starts, and its name is not the first in the alphabet.
#[test]
fn a_job_is_named_by_the_process_that_began_it() {
    let shell = Of {
        pid: 10,
        argv: b"/bin/sh\0-c\0awk x\0",
        ..ONE
    };
    let child = Of {
        pid: 11,
        parent: 10,
        argv: b"/bin/awk\0x\0",
        late: 1,
        ..ONE
    };
    let dir = Dir::new().with("run.iota", &gathered(&[part(child, 90), part(shell, 1)]));
    let info: Value = serde_json::from_str(&dir.run(["info", "--json", "run.iota"]).out).unwrap();
    assert_eq!(info["job"]["programs"][0]["command"], "/bin/sh -c 'awk x'");
    dir.run(["report", "run.iota", "-o", "p.html"]);
    let page = std::fs::read_to_string(dir.file("p.html")).unwrap();
    let told = page.replace("&#39;", "'");
    for text in [
        "<title>I/O of sh -c 'awk x'</title>",
        "command <span>/bin/sh -c 'awk x' and 1 other program,",
    ] {
        assert!(told.contains(text), "{}", &told[..2000]);
    }
}
