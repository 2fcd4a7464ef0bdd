//! What `make wheel` makes: installed without a network, and read by pandas, Polars and DuckDB. docs/PYTHON.md runs.

use iota_tests::{Scratch, Trace, command_output, released, root, tables, wanted};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A venv with nothing but the wheel in it, in a scratch directory.
struct Installed(Scratch);

impl Installed {
    fn new() -> Option<Installed> {
        let wheel = released(".whl")?;
        let scratch = Scratch::new();
        let mut venv = Command::new("python3");
        let venv = venv.args(["-m", "venv"]).arg(scratch.path().join("venv"));
        let is_made = venv.output().is_ok_and(|output| output.status.success());
        if !wanted("python3 -m venv", is_made, "apt-get install python3-venv") {
            return None;
        }
        let installed = Installed(scratch);
        let mut pip = installed.program("pip");
        pip.args(["install", "-q", "--no-index", "--disable-pip-version-check"]);
        assert_eq!(command_output(pip.arg(wheel)), "");
        Some(installed)
    }

    fn dir(&self) -> &Path {
        self.0.path()
    }

    /// One of the venv, where the packages that read tables are found as well.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.dir().join("venv/bin").join(name));
        command.current_dir(self.dir());
        command.env("PYTHONPATH", tables::packages());
        command
    }

    fn python(&self, script: &Path, args: &[&Path]) -> String {
        command_output(self.program("python3").arg("-B").arg(script).args(args))
    }

    /// The trace of a shell's commands, of about 1,400 calls
    fn traced(&self) -> PathBuf {
        let script =
            "for n in $(seq 100); do echo $n >>all; done; cat all >copy; cat missing; exit 0";
        let mut iota = self.program("iota");
        iota.args(["run", "-q", "-o", "run.iota", "--", "sh", "-c", script]);
        command_output(&mut iota);
        self.dir().join("run.iota")
    }
}

/// The blocks of Python in a page
fn blocks(page: &str) -> String {
    let parts = page.split("```python\n").skip(1);
    let blocks = parts.map(|part| part.split("```").next().expect("its end"));
    blocks.collect()
}

#[test]
fn tables_hold_what_the_trace_does() {
    let Some(installed) = Installed::new().filter(|_| tables::are_wanted()) else {
        return;
    };
    let trace = installed.traced();
    let mut bytes = std::fs::read(&trace).expect("the trace");
    bytes.extend(b"and something else");
    let damaged = installed.dir().join("damaged.iota");
    std::fs::write(&damaged, bytes).expect("written");
    let script = root().join("tests/tables/python_module.py");
    let said = installed.python(&script, &[&trace, &damaged]);
    let said: Value = serde_json::from_str(&said).expect("JSON");

    let read = Trace::read(&trace);
    assert_eq!(said["is_table"], true);
    assert_eq!(said["rows"], read.calls().count());
    assert_eq!(said["info"]["calls"]["captured"], said["rows"]);
    assert_eq!(said["units"]["dur"], "ns");
    for reader in ["pandas", "polars", "duckdb"] {
        assert_eq!(said[reader], said["stat"], "{reader}");
    }
    assert_eq!(said["chosen"], serde_json::json!(["op", "bytes_written"]));
    let lines: u64 = (1..=100).map(|n: u64| n.to_string().len() as u64 + 1).sum();
    assert_eq!(said["bytes_written"], 2 * lines, "of all and of its copy");

    let rest = [&said["rest"][0], &said["rest"][1]];
    assert_eq!(rest, [&said["rows"]; 2]);
    let warned = said["warned"].to_string();
    assert!(
        warned.contains("IncompleteWarning: iota: ") && warned.contains("damaged.iota"),
        "{warned}"
    );
    let failures = said["failures"].as_array().expect("texts");
    for (failure, word) in failures.iter().zip([
        "Error: iota: --columns: there is no column nothing",
        "Error: iota: --where: ",
        "Error: iota: no.iota: ",
        "ValueError: path: no trace",
    ]) {
        let failure = failure.as_str().expect("it failed");
        assert!(failure.starts_with(word), "{failure}");
    }
}

#[test]
fn the_page_runs_as_it_is_written() {
    let Some(installed) = Installed::new().filter(|_| tables::are_wanted()) else {
        return;
    };
    let page = std::fs::read_to_string(root().join("docs/PYTHON.md")).expect("the page");
    let script = installed.dir().join("page.py");
    std::fs::write(&script, blocks(&page)).expect("written");
    let mut python = installed.program("python3");
    command_output(python.arg(&script).env("MPLBACKEND", "Agg"));
    let picture = std::fs::read(installed.dir().join("written.png")).expect("a picture");
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 5_000);
}

#[test]
fn link_words_are_those_of_its_place() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let words = command_output(installed.program("iota").arg("wraps"));
    let lib = installed.dir().join("venv/lib");
    let rsp = format!("-Wl,@{}/libiota.rsp ", lib.display());
    assert!(words.starts_with(&rsp), "{words}");
}

#[test]
fn its_tag_is_true() {
    let Some(wheel) = released(".whl") else {
        return;
    };
    let packages = root().join("build/packaging");
    let is_there = packages.join("auditwheel").exists();
    if !wanted("auditwheel", is_there, "scripts/deps.sh packaging gets it") {
        return;
    }
    let mut auditwheel = Command::new("python3");
    auditwheel
        .args(["-m", "auditwheel", "show"])
        .arg(wheel)
        .env("PYTHONPATH", packages);
    let said = command_output(&mut auditwheel);
    let tag = format!("\"manylinux_2_28_{}\"", std::env::consts::ARCH);
    assert!(said.contains(&tag), "{said}");
}
