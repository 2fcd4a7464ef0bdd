//! What a page of `iota report` says of a job before its figures, and of which part of the run these are.

mod common;

use common::{Dir, small, trace};
use iota_trace::part::Process;

fn read(dir: &Dir, name: &str) -> String {
    String::from_utf8(std::fs::read(dir.file(name)).unwrap()).unwrap()
}

/// What a page says before its figures
fn heading(process: &Process) -> (String, Vec<String>) {
    let mut part = trace::Part::of(0, process);
    part.file(1, b"/scratch/f");
    part.calls(&trace::writes(5, 100));
    let dir = Dir::new().with("run.iota", &part.finish());
    dir.run(["report", "run.iota", "-o", "p.html"]).whole();
    let page = read(&dir, "p.html");
    let (_, title) = page.split_once("<h1>").unwrap();
    let lines = page
        .lines()
        .filter(|line| line.starts_with("<p class=\"of\">"));
    let lines = lines.flat_map(|line| line.split("</p>")).skip(1);
    let lines = lines.map(|line| line.replace("<p class=\"of\">", ""));
    let lines = lines.map(|line| line.replace("<span>", "").replace("</span>", ""));
    let title = title.split_once("</h1>").unwrap().0;
    (
        title.to_owned(),
        lines.filter(|line| !line.is_empty()).collect(),
    )
}

#[test]
fn a_page_says_of_a_job_what_is_known() {
    let known = trace::process(1, 0);
    let (_, lines) = heading(&Process { job: b"", ..known });
    assert!(lines[1].starts_with("host node01: 1 rank, "), "{lines:?}");
    let unknown = Process {
        job: b"",
        host: b"",
        exe: b"",
        argv: b"",
        cwd: b"",
        ..known
    };
    let (title, lines) = heading(&unknown);
    assert_eq!(title, "I/O of run.iota");
    assert!(lines[0].starts_with("ranks 1 rank, "), "{lines:?}");
    let (_, lines) = heading(&Process {
        job: b"77",
        ..unknown
    });
    assert!(lines[0].starts_with("job 77: 1 rank, "), "{lines:?}");
    let mut early = unknown;
    early.start.realtime = 0;
    let (_, lines) = heading(&early);
    assert_eq!(lines.len(), 1, "{lines:?}");
}

#[test]
fn a_page_and_a_picture_say_which_part_of_the_run_they_show() {
    let dir = Dir::new().with("run.iota", &small(2));
    dir.run(["report", "run.iota", "-o", "p.html"]).whole();
    dir.run(["plot", "run.iota", "-o", "p.svg"]).whole();
    let (page, picture) = (read(&dir, "p.html"), read(&dir, "p.svg"));
    let (_, shown) = page.split_once("Shown: <span id=\"shown\">").unwrap();
    let (shown, _) = shown.split_once("</span>").unwrap();
    assert!(shown.ends_with(" of a run of 10.0 s"), "{shown}");
    assert!(picture.contains(&format!("Shown: {shown}.")), "{picture}");
}
