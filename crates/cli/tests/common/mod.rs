//! Traces in a directory of their own, and the command to read them with.
#![allow(dead_code, reason = "each test program uses some of it")]

pub mod pty;
pub mod trace;
pub mod tree;

use iota_tests::bounded;
use iota_trace::block::Header;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use trace::{Part, call, writes};

/// What a command said
#[derive(Debug)]
pub struct Said {
    pub status: i32,
    pub out: String,
    pub err: String,
}

/// A directory that goes away
pub struct Dir(tempfile::TempDir);

impl Dir {
    pub fn new() -> Dir {
        Dir(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file
    pub fn with(self, name: impl AsRef<OsStr>, bytes: &[u8]) -> Dir {
        std::fs::write(self.file(name), bytes).unwrap();
        self
    }

    pub fn file(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.path().join(name.as_ref())
    }

    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = entries.map(|e| name(e).into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The command, run in the directory, with a bound to its time
    pub fn iota(&self) -> Command {
        self.command(env!("CARGO_BIN_EXE_iota").as_ref())
    }

    /// The same as `make` has optimised it, if it runs this test: traces of very many calls take the other minutes
    pub fn optimised_iota(&self) -> Command {
        let builds = std::env::var("IOTA_BUILDS").unwrap_or_default();
        match builds.split(':').next().filter(|build| !build.is_empty()) {
            Some(build) => self.command(&Path::new(build).join("bin/iota")),
            None => self.iota(),
        }
    }

    fn command(&self, iota: &Path) -> Command {
        let mut command = Command::new(iota);
        command.current_dir(self.path()).stdin(Stdio::null());
        command.env("TZ", "UTC").env_remove("CLICOLOR_FORCE");
        bounded(&mut command);
        command
    }

    pub fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Said {
        let output = self.iota().args(args).output().unwrap();
        Said {
            status: output.status.code().expect("ended by itself"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// What `iota layers` says of `run.iota` with `servers.iota`
pub fn joined(dir: &Dir, options: &[&str]) -> serde_json::Value {
    let words = ["layers", "--json", "run.iota", "--server", "servers.iota"];
    let said = dir.run(words.iter().chain(options));
    assert_eq!((said.status, &*said.err), (0, ""));
    serde_json::from_str(&said.out).unwrap()
}

/// Sends a signal: by the shell, since the program of this name is a package of its own
pub fn kill(child: &Child, signal: &str) {
    let command = format!("kill -s {signal} {}", child.id());
    let sent = Command::new("sh").args(["-c", &command]).status();
    assert!(sent.unwrap().success());
}

/// Each finding names calls that are there
pub fn findings_have_calls(dir: &Dir, trace: &str, object: &serde_json::Value) {
    for finding in object["findings"].as_array().unwrap() {
        let select = finding["select"].as_str().unwrap();
        let calls = dir.run(["text", trace, "--where", select]).whole();
        let calls = calls.lines().filter(|line| !line.starts_with('#'));
        assert!(calls.count() > 0, "{finding}");
    }
}

impl Said {
    /// The output of a command that had nothing to complain of
    pub fn whole(self) -> String {
        assert_eq!((self.status, self.err.as_str()), (0, ""));
        self.out
    }

    /// The one line of a command that failed
    pub fn failed(&self) -> &str {
        assert_eq!(self.status, 2, "{self:?}");
        assert_eq!(self.err.lines().count(), 1, "{self:?}");
        assert!(self.err.starts_with("iota: "), "{self:?}");
        self.err.trim_end()
    }

    /// Lines that are calls
    pub fn calls(&self) -> Vec<&str> {
        calls(&self.out)
    }
}

/// Lines that are calls
pub fn calls(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

/// Opens file 1, `/scratch/run/out.<rank>`, writes it, closes it
pub fn small_part(rank: u32, size: u32) -> Part {
    let mut part = Part::new(rank, size, 0);
    let open = iota_trace::Record {
        ret: 3,
        length: 0o644 << 32 | 0o101,
        id: 1,
        file: 1,
        ..call("open", 1000, 2000)
    };
    let mut records = vec![open];
    records.extend(writes(3, 8).into_iter().map(|write| iota_trace::Record {
        start: write.start + 10_000,
        end: write.end + 10_000,
        id: write.id + 1,
        ..write
    }));
    records.push(iota_trace::Record {
        id: 5,
        file: 1,
        fd: 3,
        ..call("close", 20_000, 500)
    });
    part.file(1, format!("/scratch/run/out.{rank}").as_bytes());
    part.calls(&records);
    part
}

/// A gathered trace of small parts
pub fn small(ranks: u32) -> Vec<u8> {
    let parts: Vec<_> = (0..ranks)
        .map(|rank| small_part(rank, ranks).finish())
        .collect();
    trace::gathered(&parts)
}

/// Where the blocks of a kind start
pub fn blocks(trace: &[u8], wanted: u8) -> Vec<usize> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(header) = Header::parse(&trace[at..]) {
        if header.kind == wanted {
            found.push(at);
        }
        at += header.block_len() as usize;
    }
    found
}

/// Checks that `iota layers` has the finding where a threshold has the first value, and not where it has the second
pub fn threshold_decides(trace: &[u8], kind: &str, name: &str, values: [&str; 2]) {
    let dir = Dir::new().with("run.iota", trace);
    let found = values.map(|value| {
        let given = format!("{name}={value}");
        let said = dir.run(["layers", "run.iota", "--json", "--threshold", &given]);
        let said: serde_json::Value = serde_json::from_str(&said.whole()).unwrap();
        let findings = said["findings"].as_array().unwrap();
        findings.iter().any(|finding| finding["kind"] == kind)
    });
    assert_eq!(found, [true, false], "{kind}: {name}");
}
