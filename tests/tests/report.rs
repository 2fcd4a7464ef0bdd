//! `iota report`: each figure of the page comes out of the CSV again, and a browser shows the page, without a complaint and
//! without asking anybody for anything.

use iota_tests::{Build, Case, Ran, Way, command_output, find, limited, root, wanted};
use serde_json::Value;
use std::fs;
use std::process::Command;
use std::time::Duration;

/// Streams, descriptors, copies, many calls, and names that mean something in HTML.
const SCRIPT: &str = "seq 1 20000 >a; cp a 'b<i>&amp;.txt'; sort -r a >d; dd if=a of=e bs=1k conv=fsync status=none; \
    cat missing 2>/dev/null; tar cf t.tar a d e; mkdir x; mv t.tar x/; ls -l >/dev/null; cat '<script>alert(1)</script>' \
    2>/dev/null; awk 'NR % 100 == 0 { print $1 * 2 }' a >f; tail -c 100 f >/dev/null";

fn iota(ran: &Ran, args: &[&str]) {
    let mut command = Command::new(Build::first().iota());
    command.current_dir(ran.work()).args(args);
    command_output(&mut command);
}

/// A run of it, with its page
fn reported() -> (Ran, String) {
    let ran = Case::shell(SCRIPT)
        .way(Way::Preload)
        .seconds(120)
        .run()
        .succeeded();
    let trace = ran.trace_dir().display().to_string();
    iota(&ran, &["report", &trace, "-o", "run.html", "--all"]);
    (ran, trace)
}

#[test]
fn every_figure_comes_out_of_the_csv() {
    let (ran, trace) = reported();
    let compared = compared(&ran, &trace);
    assert!(compared > 500, "{compared} figures");
}

/// Functions of MPI-IO have their time, in the window that is shown as well.
#[test]
fn every_figure_of_mpi_comes_out_of_the_csv() {
    let ran = Case::mpi("mpiio_layers.c", Build::first(), 4);
    let ran = ran.way(Way::Dynamic).seconds(120).run().succeeded();
    let trace = ran.trace_dir().display().to_string();
    iota(&ran, &["report", &trace, "-o", "run.html"]);
    assert!(compared(&ran, &trace) > 500);
    let page = fs::read_to_string(ran.work().join("run.html")).expect("the page");
    let (_, data) = page.split_once("id=\"data\">").expect("data");
    let (data, _) = data.split_once("</script>").expect("its end");
    let data: Value = serde_json::from_str(data).expect("JSON");
    let names = data["data"]["ops"].as_array().expect("functions");
    let op = "MPI_File_write_at_all";
    let row = names.iter().position(|name| name == op).expect(op);
    let moments = data["data"]["time"]["count"].as_u64().expect("a count") as usize;
    let in_windows = |figure: &str| -> u64 {
        let cells = data["data"]["rows"][1][figure].as_array().expect("figures");
        let cells = cells[row * moments..][..moments].iter();
        cells.filter_map(Value::as_u64).sum()
    };
    let in_table = |figure: &str| -> u64 {
        let tables = data["tables"].as_array().expect("tables").iter();
        let rows = tables.flat_map(|table| table["rows"].as_array().expect("rows"));
        let rows = rows.filter(|row| row["name"] == op);
        rows.filter_map(|row| row[figure].as_u64()).sum()
    };
    let (whole, written) = (in_table("inclusive"), in_table("bytes_written"));
    assert_eq!(in_windows("time"), whole);
    assert_eq!(in_windows("written"), written);
    assert!(written > 0);
    assert!(whole > 5 * 40_000_000, "ranks wait for a late one: {whole}");
}

/// How many figures of the page were computed again
fn compared(ran: &Ran, trace: &str) -> u64 {
    // The page leaves out the rest.
    let only = ["--where", "program,on=storage"];
    let args = ["convert", trace, "-o", "run.csv"];
    iota(ran, &[&args[..], &only[..]].concat());
    let mut command = Command::new("python3");
    command
        .arg(root().join("tests/tables/report_figures.py"))
        .args(["run.html", "run.csv"])
        .current_dir(ran.work());
    command_output(&mut command)
        .trim()
        .parse()
        .expect("how many")
}

/// What the browser says on standard error of the page's scripts, and the page after the probe.
fn browsed(ran: &Ran, size: &str) -> (Vec<String>, Value) {
    let page = fs::read_to_string(ran.work().join("run.html")).expect("the page");
    let probe = fs::read_to_string(root().join("tests/browser/probe.js")).expect("the probe");
    let probed = page.replace("</body>", &format!("<script>{probe}</script></body>"));
    let path = ran.work().join("probed.html");
    fs::write(&path, probed).expect("written");
    let mut browser = Command::new("chromium");
    browser
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=60000"])
        .args([
            &format!("--window-size={size}"),
            "--host-resolver-rules=MAP * ~NOTFOUND",
        ])
        .arg(format!(
            "--user-data-dir={}",
            ran.work().join("profile").display()
        ))
        .arg(format!("file://{}", path.display()));
    let output = limited(&mut browser, b"", Duration::from_secs(300));
    let said = output.errors();
    let complaints = said.lines().filter(|line| line.contains("CONSOLE"));
    let dom = output.text();
    let (_, probe) = dom
        .split_once("<pre id=\"said\">")
        .unwrap_or_else(|| panic!("the probe ends: {said}"));
    let (probe, _) = probe.split_once("</pre>").expect("its end");
    let probe = probe
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let complaints = complaints.map(str::to_owned).collect();
    (complaints, serde_json::from_str(&probe).expect("JSON"))
}

fn has_browser() -> bool {
    wanted(
        "chromium",
        find("chromium").is_some(),
        "scripts/deps.sh test gets it",
    )
}

#[test]
fn a_narrow_screen_has_room_for_titles_and_legends() {
    if !has_browser() {
        return;
    }
    let (ran, _) = reported();
    let (_, said) = browsed(&ran, "400,1000");
    assert_eq!(said["crowded"], Value::Array(Vec::new()));
    assert_eq!(said["outside"], Value::Array(Vec::new()));
}

#[test]
fn a_browser_shows_it() {
    if !has_browser() {
        return;
    }
    let (ran, _) = reported();
    let (complaints, said) = browsed(&ran, "1280,1000");
    assert!(complaints.is_empty(), "{complaints:?}");
    assert_eq!(said["crowded"], Value::Array(Vec::new()));
    let marks = said["marks"].as_array().expect("sizes");
    assert!(!marks.contains(&"0.50 B".into()), "{marks:?}");
    let plots = said["plots"].as_array().expect("plots").len();
    assert!(plots >= 7, "{said}");
    let names = said["names"].as_array().expect("names");
    let hostile = |name: &Value| {
        name.as_str()
            .is_some_and(|name| name.ends_with("/b<i>&amp;.txt"))
    };
    assert!(names.iter().any(hostile), "{names:?}");
    assert!(
        said["hover"].to_string().contains("/s"),
        "{}",
        said["hover"]
    );
    for range in said["zoomed"].as_array().expect("ranges") {
        assert_eq!(range, &said["zoomed"][0], "plots zoom together");
        assert_ne!(range, &said["whole"][0]);
    }
    assert_ne!(said["shown"], "all of it");
    assert_ne!(said["window"], said["all"], "tables follow");
    assert_eq!(said["back"], said["all"]);
    let sorted: Vec<&str> = said["sorted"]
        .as_array()
        .expect("names")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(
        sorted.is_sorted_by_key(|name| name.to_lowercase()),
        "{sorted:?}"
    );
    assert!(
        said["filtered"][0] == sorted[0]
            && said["filtered"].as_array().expect("names").len() < sorted.len()
    );
    follows(&said);
    shows_findings(&said);
    assert_ne!(said["themes"][0], said["themes"][1], "dark and light");
}

/// A finding leads to its plot, and to its rows.
fn shows_findings(said: &Value) {
    let links = said["links"].as_array().expect("links");
    assert!(!links.is_empty(), "the script has findings");
    for link in links {
        assert_eq!(link["plot"], true, "{link}");
        assert!(link["rows"].as_u64() > Some(0), "{link}");
        assert!(link["at"].as_str() > Some("#"), "{link}");
    }
    let marks = |link: &&Value| link["marked"][0] == link["row"];
    assert!(links.iter().any(|link| marks(&link)), "{links:?}");
}

/// Sizes, latencies and scales are of the time that is shown; files can be picked; each plot says how to read it.
fn follows(said: &Value) {
    assert_eq!(said["bare"], Value::Array(Vec::new()), "captions");
    let [whole, zoomed, back] = [0, 1, 2].map(|at| &said["values"][at]);
    for plot in ["sizes", "latencies"] {
        let [whole, zoomed] = [whole, zoomed].map(|of| of[plot].as_u64().expect("calls"));
        assert!(0 < zoomed && zoomed < whole, "{plot}: {}", said["values"]);
    }
    // The largest value of all is in one of the two parts at the most.
    let files = [whole, zoomed, &said["last"]].map(|of| &of["files"]);
    assert!(files[0] != files[1] || files[0] != files[2], "{files:?}");
    assert_eq!(whole, back);
    assert!(said["picks"].as_u64() > Some(2), "{}", said["picks"]);
    let picked = &said["offsets"];
    assert_ne!(picked[0][0], picked[1][0], "another file: {picked}");
    assert_eq!(picked[2][1], 1, "one way: {picked}");
}
