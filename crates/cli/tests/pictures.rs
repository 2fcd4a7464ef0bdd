//! `iota plot` and `iota report`: files that are whole or not there, choices, and what they say of bad ones.

mod common;

use common::{Dir, small, small_part, trace};

fn dir() -> Dir {
    Dir::new().with("run.iota", &small(2))
}

fn read(dir: &Dir, name: &str) -> String {
    String::from_utf8(std::fs::read(dir.file(name)).unwrap()).unwrap()
}

/// Kinds that need what the small trace has not
const MISSING: [&str; 4] = ["ost", "conflicts", "layers", "pairs"];

#[test]
fn what_a_picture_needs_and_a_trace_lacks_is_told() {
    let dir = dir();
    let shared = "file that several ranks use and at least one writes";
    let lacks = [
        "layout of a file on Lustre is in the trace",
        &format!("{shared} is in the trace"),
        "call of MPI-IO is in the trace",
        "call of MPI-IO is in the trace",
    ];
    let told = |lack: &str| {
        format!("iota: run.iota: no {lack}; iota stat --by rank,file,op shows what there is")
    };
    for (kind, lack) in MISSING.iter().zip(lacks) {
        for more in [&["-o", "p.svg"][..], &[]] {
            let said = dir.run([&["plot", "run.iota", "-k", kind], more].concat());
            assert_eq!(said.failed(), told(lack));
        }
    }
    let of_one = ["plot", "run.iota", "--where", "rank=1", "-k", "conflicts"];
    let lack = format!("{shared} passes the filter");
    assert_eq!(dir.run(of_one).failed(), told(&lack));
    let mut part = trace::Part::new(0, 1, 0);
    let one = part.calls(&[trace::call("sync", 5, 7)]).finish();
    let dir = Dir::new().with("run.iota", &one);
    for (kind, lack) in [
        (
            "map",
            "transfer with a known offset in a file is in the trace",
        ),
        (
            "offset",
            "transfer with a known offset in a file is in the trace",
        ),
        ("heatmap", "call that moved bytes is in the trace"),
        ("latency", "call that moved bytes is in the trace"),
    ] {
        let said = dir.run(["plot", "run.iota", "-k", kind, "-o", "p.svg"]);
        assert_eq!(said.failed(), told(lack));
    }
    assert_eq!(dir.names(), ["run.iota"]);
}

#[test]
fn without_colours_the_legend_has_a_character_for_each_class() {
    let dir = dir();
    let characters = dir.run(["plot", "run.iota", "-k", "rank"]).whole();
    let legend = characters.lines().nth(3).unwrap();
    assert!(legend.ends_with("  # write  o metadata"), "{characters}");
}

#[test]
fn every_kind_is_listed_and_drawn() {
    let dir = dir();
    let list = dir.run(["plot", "run.iota", "--kind", "list"]).whole();
    let kinds: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(kinds.len(), 13);
    let (there, missing): (Vec<&str>, Vec<&str>) =
        kinds.iter().partition(|kind| !MISSING.contains(kind));
    assert_eq!(missing.len(), MISSING.len());
    for kind in there {
        dir.run(["plot", "run.iota", "-k", kind, "-fo", "p.svg"])
            .whole();
        assert!(read(&dir, "p.svg").ends_with("</svg>\n"), "{kind}");
        dir.run(["plot", "run.iota", "-k", kind, "-fo", "p.pdf"])
            .whole();
        let page = std::fs::read(dir.file("p.pdf")).unwrap();
        let is_whole = page.starts_with(b"%PDF-") && page.ends_with(b"%%EOF");
        assert!(is_whole, "{kind}");
        let characters = dir.run(["plot", "run.iota", "-k", kind]).whole();
        assert!(characters.lines().count() > 8, "{characters}");
        assert!(!characters.contains('\u{1b}'), "no colours in a pipe");
    }
    dir.run([
        "plot", "run.iota", "-o", "p.png", "--zoom", "1", "--width", "400", "--height", "300",
    ])
    .whole();
    assert!(
        std::fs::read(dir.file("p.png"))
            .unwrap()
            .starts_with(b"\x89PNG")
    );
    assert_eq!(dir.names(), ["p.pdf", "p.png", "p.svg", "run.iota"]);
}

#[test]
fn an_older_output_is_replaced_by_force_alone() {
    let dir = Dir::new().with("run.iota", &small(1));
    for (command, output) in [("plot", "p.svg"), ("report", "p.html"), ("stat", "p.stat")] {
        std::fs::write(dir.file(output), "older").unwrap();
        let share: &[&str] = if command == "stat" {
            &["--shard", "0/1"]
        } else {
            &[]
        };
        let all = [&[command, "run.iota", "-o", output], share].concat();
        let said = dir.run(&all);
        let told = format!("{output}: exists already; give another name, or --force");
        assert!(said.status == 2 && said.err.contains(&told), "{said:?}");
        assert_eq!(read(&dir, output), "older");
        dir.run([&all[..], &["--force"]].concat()).whole();
        assert_ne!(std::fs::read(dir.file(output)).unwrap(), b"older");
    }
}

#[test]
fn a_report_has_a_name_of_its_own() {
    let dir = Dir::new().with("run.iota", &small(1));
    let said = dir.run(["report", "run.iota"]);
    assert_eq!(
        (said.status, said.err.as_str()),
        (0, "run.html: the report\n")
    );
    assert!(read(&dir, "run.html").contains("</html>"));
}

#[test]
fn a_page_begins_with_what_ran_and_what_is_missing() {
    let begins = |ranks: u32| {
        let parts: Vec<_> = (0..ranks)
            .map(|rank| small_part(rank, 2).finish())
            .collect();
        let dir = Dir::new().with("run.iota", &trace::gathered(&parts));
        dir.run(["report", "run.iota", "-o", "p.html"]);
        let page = read(&dir, "p.html");
        page[..page.find("<main>").unwrap()].to_owned()
    };
    let (whole, lacking) = (begins(2), begins(1));
    for line in ["command <span>", "job <span>", "on ", "started <span>2"] {
        assert!(whole.contains(line), "{line}: {whole}");
    }
    assert!(!whole.contains("Not everything was recorded"), "{whole}");
    assert!(
        lacking.contains("Not everything was recorded: "),
        "{lacking}"
    );
}

#[test]
fn calls_are_chosen() {
    let dir = dir();
    let subtitle = |more: &[&str]| {
        let mut args = vec!["plot", "run.iota", "-k", "rank", "-fo", "p.svg"];
        args.extend(more);
        dir.run(args).whole();
        let text = read(&dir, "p.svg");
        let line = text
            .lines()
            .find(|line| line.contains(" written "))
            .unwrap()
            .to_owned();
        line[line.find('>').unwrap() + 1..]
            .replace("</text>", "")
            .replace('\u{b7}', "|")
    };
    assert_eq!(
        subtitle(&[]),
        "2 ranks | 10 calls | 0 B read | 48 B written | 2 files"
    );
    assert_eq!(
        subtitle(&["--file", "*out.1"]),
        "1 rank | 5 calls | 0 B read | 24 B written | 1 file"
    );
    assert_eq!(
        subtitle(&["--where", "rank=0,class=write"]),
        "1 rank | 3 calls | 0 B read | 24 B written | 1 file"
    );
    dir.run(["plot", "run.iota", "--title", "A <title>", "-fo", "p.svg"])
        .whole();
    assert!(read(&dir, "p.svg").contains("<title>A &lt;title&gt;</title>"));
}

#[test]
fn conflicts_are_shown_of_the_file_in_which_ranks_meet() {
    let part = |rank: u32| {
        let mut part = trace::Part::new(rank, 2, 0);
        part.file(1, format!("/scratch/run/own.{rank}").as_bytes());
        part.file(2, b"/scratch/run/shared");
        let mut records = trace::writes(9, 1 << 20);
        let shared = trace::writes(10, 100).pop().unwrap();
        records.push(iota_trace::Record { file: 2, ..shared });
        part.calls(&records);
        part.finish()
    };
    let dir = Dir::new().with("run.iota", &trace::gathered(&[part(0), part(1)]));
    dir.run(["plot", "run.iota", "-k", "conflicts", "-o", "p.svg"])
        .whole();
    let picture = read(&dir, "p.svg");
    assert!(picture.contains("/scratch/run/shared"), "{picture}");
}

#[test]
fn bad_choices_are_told_and_leave_nothing() {
    let dir = dir();
    let said = dir.run(["plot", "run.iota", "-o", "p.gif"]);
    assert_eq!(
        said.failed(),
        "iota: p.gif: give it a name that ends with .svg, .png or .pdf"
    );
    let said = dir.run(["plot", "run.iota", "-k", "pie"]);
    assert!(
        said.status == 2 && said.err.contains("[possible values: overview, offset,"),
        "{said:?}"
    );
    let said = dir.run(["plot", "run.iota", "-o", "p.svg", "--file", "nope"]);
    assert_eq!(
        said.failed(),
        "iota: run.iota: no call passes the filter; iota stat --by rank,file,op shows what there is"
    );
    for command in [["plot", "-o", "p.svg"], ["report", "-o", "p.html"]] {
        let [name, flag, output] = command;
        let said = dir.run([name, "run.iota", flag, output, "--where", "colour=red"]);
        assert!(said.failed().contains("--where"), "{said:?}");
        let said = dir.run([name, "run.iota", flag, output, "--where", "rank=99"]);
        assert!(said.failed().contains("no call passes"), "{said:?}");
        let said = dir.run([name, "absent.iota", flag, output]);
        assert!(said.failed().contains("absent.iota"), "{said:?}");
        let said = dir.run([name, "run.iota", flag, &format!("no/such/{output}")]);
        assert!(said.failed().contains("no/such"), "{said:?}");
    }
    assert_eq!(dir.names(), ["run.iota"]);
}

#[test]
fn what_is_whole_of_a_damaged_trace_is_shown() {
    let mut bytes = small(3);
    let middle = common::blocks(&bytes, iota_trace::block::kind::EVENTS)[1] + 60;
    bytes[middle] ^= 0x55;
    let dir = Dir::new().with("run.iota", &bytes);
    let said = dir.run(["report", "run.iota", "-o", "p.html"]);
    assert!(
        said.failed().contains("everything else was read"),
        "{said:?}"
    );
    let page = read(&dir, "p.html");
    assert!(page.contains("Not everything could be read") && page.contains("/scratch/run/out.2"));
    assert!(
        dir.run(["plot", "run.iota", "-o", "p.svg"])
            .failed()
            .contains("everything else")
    );
    assert!(read(&dir, "p.svg").contains("</svg>"));
}

/// The JSON of a page, which an HTML reader finds by the same two places.
fn data(page: &str) -> serde_json::Value {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" id=\"data\">")
        .unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn hostile_names_are_text_in_a_page() {
    let mut part = trace::Part::new(0, 1, 0);
    part.file(
        1,
        b"/s/</script><script>alert(1)</script>&\"'\t\xff\xe2\x80\xa8",
    );
    part.calls(&trace::writes(5, 100_000));
    let dir = Dir::new().with("a<b>.iota", &part.finish());
    dir.run(["report", "a<b>.iota", "-o", "p.html", "--title", "<i>"])
        .whole();
    let page = read(&dir, "p.html");
    assert!(!page.contains("alert(1)</script>") && !page.contains("<i>") && !page.contains("a<b>"));
    let name = &data(&page)["data"]["files"][0];
    assert!(
        name.as_str()
            .unwrap()
            .starts_with("/s/</script><script>alert(1)</script>&\"'\\t\\xff")
    );
}

#[test]
fn no_call_and_one_call_make_a_page() {
    let empty = trace::Part::new(0, 1, 0).finish();
    let mut part = trace::Part::new(0, 1, 0);
    let one = part.calls(&[trace::call("sync", 5, 7)]).finish();
    let dir = Dir::new().with("empty.iota", &empty).with("one.iota", &one);
    for name in ["empty", "one"] {
        let trace = format!("{name}.iota");
        dir.run(["report", &trace, "-fo", "p.html"]).whole();
        assert!(
            read(&dir, "p.html").ends_with("</html>\n")
                || read(&dir, "p.html").ends_with("</html>")
        );
        dir.run(["plot", &trace, "-fo", "p.svg"]).whole();
    }
}

#[test]
fn a_page_is_below_5_mb_whatever_the_trace() {
    let part = |rank: u32| {
        let mut part = trace::Part::bare(rank, &trace::process(3000, 0));
        part.name_ops(&["pwrite64"]);
        let long = format!("/scratch/{}/{rank}", "directory/".repeat(20));
        part.file(1, long.as_bytes());
        let write = |mut record: iota_trace::Record| {
            let id = u64::from(record.id);
            record.start += id * 7_919_000 + u64::from(rank) * 101;
            record.end += id * 7_919_000 + u64::from(rank) * 101 + 6_000_000;
            record.offset = (id * 1_000_003 * 4096) as i64;
            (record.ret, record.length) = (123_456_789, 123_456_789);
            record
        };
        part.calls(
            &trace::writes(250, 8)
                .into_iter()
                .map(write)
                .collect::<Vec<_>>(),
        );
        part.finish()
    };
    let parts: Vec<_> = (0..3000).map(part).collect();
    let dir = Dir::new().with("run.iota", &trace::gathered(&parts));
    dir.run(["report", "run.iota", "-o", "p.html"]).whole();
    let size = read(&dir, "p.html").len();
    assert!(size < 5 << 20, "{size}");
}
