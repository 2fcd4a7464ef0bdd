//! What a run left behind.

use crate::{Build, Limited, Scratch, Trace};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A file, folder or link that a program left in its working directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Type and permissions.
    pub mode: u32,
    /// Contents, or where a link leads.
    pub contents: Vec<u8>,
}

/// A run that has ended.
#[derive(Debug)]
pub struct Ran {
    /// Its output and how it ended.
    pub output: Limited,
    pub(crate) scratch: Scratch,
}

impl Ran {
    /// The working directory.
    pub fn work(&self) -> PathBuf {
        self.scratch.path().join("work")
    }

    /// Where the trace was to go.
    pub fn trace_dir(&self) -> PathBuf {
        self.scratch.path().join("trace")
    }

    /// Standard output.
    pub fn stdout(&self) -> String {
        self.output.text()
    }

    /// The command with these words, where the trace is and with the run's spool.
    ///
    /// # Panics
    /// Where it cannot be started.
    pub fn iota(&self, words: &str) -> Output {
        let mut command = Command::new(Build::first().iota());
        command
            .args(words.split(' '))
            .current_dir(self.trace_dir())
            .env("IOTA_SPOOL", self.scratch_file("spool"));
        command.output().expect("iota runs")
    }

    /// A file of the test's directory.
    pub fn scratch_file(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// What the tracer wrote to `IOTA_LOG`.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.scratch.path().join("log")).unwrap_or_default()
    }

    /// The traces, by file name.
    pub fn trace_files(&self) -> Vec<String> {
        names(&self.trace_dir())
    }

    /// Those of them that no other process could have: run.HOST-PID-MICROSECONDS.iota.
    pub fn own_names(&self) -> Vec<String> {
        let is_own = |name: &String| {
            let middle = name
                .strip_prefix("run.")
                .and_then(|rest| rest.strip_suffix(".iota"));
            let mut words = middle.unwrap_or_default().rsplitn(3, '-');
            let mut number = || words.next().is_some_and(|word| word.parse::<u64>().is_ok());
            number() && number() && words.next().is_some()
        };
        self.trace_files().into_iter().filter(is_own).collect()
    }

    /// Bytes of the trace for each call in it.
    pub fn bytes_per_call(&self) -> f64 {
        let files = self.trace_files().into_iter();
        let size = |name| {
            let file = self.trace_dir().join(name);
            file.metadata().expect("it was listed").len()
        };
        let (bytes, calls) = (files.map(size).sum::<u64>(), self.captured());
        bytes as f64 / calls.max(1) as f64
    }

    /// Calls in all traces, counted without reading them one by one.
    pub fn captured(&self) -> u64 {
        let files = self.trace_files().into_iter();
        files
            .map(|name| Trace::captured(&self.trace_dir().join(name)))
            .sum()
    }

    /// What still lies in the spool.
    pub fn spooled(&self) -> Vec<String> {
        names(&self.scratch.path().join("spool"))
    }

    /// Reads all traces that the run has left.
    pub fn trace(&self) -> Trace {
        Trace::read(&self.trace_dir())
    }

    /// Fails unless the program ended with 0.
    pub fn succeeded(self) -> Ran {
        self.ended_with(0)
    }

    /// Fails unless the program ended with this code, in time.
    pub fn ended_with(self, code: i32) -> Ran {
        let output = &self.output;
        assert!(
            !output.timed_out,
            "it never ended; so far:\n{}{}",
            output.text(),
            output.errors()
        );
        assert_eq!(
            output.code(),
            code,
            "its end; it said:\n{}{}",
            output.text(),
            output.errors()
        );
        self
    }

    /// Fails unless the tracer was silent, but for what MPI did to shut itself down, and cleaned up.
    pub fn quiet(self) -> Ran {
        let log = self.log();
        let odd: Vec<&str> = log
            .lines()
            .filter(|line| {
                !line.ends_with(
                    "calls that MPI_Finalize made after the gathering are not in the trace",
                )
            })
            .collect();
        assert_eq!(odd, Vec::<&str>::new(), "IOTA_LOG");
        assert_eq!(self.spooled(), Vec::<String>::new(), "the spool");
        self
    }

    /// Fails unless this run and `bare` cannot be told apart by what they printed, how they ended and what they left.
    pub fn assert_same_as(&self, bare: &Ran) {
        let (traced, bare_out) = (&self.output, &bare.output);
        assert!(
            !traced.timed_out,
            "it never ended; so far:\n{}{}",
            traced.text(),
            traced.errors()
        );
        assert_eq!(traced.text(), bare_out.text(), "standard output");
        assert_eq!(traced.stdout, bare_out.stdout, "bytes of standard output");
        assert_eq!(traced.errors(), bare_out.errors(), "standard error");
        assert_eq!(traced.code(), bare_out.code(), "how it ended");
        assert_eq!(
            self.left().keys().collect::<Vec<_>>(),
            bare.left().keys().collect::<Vec<_>>(),
            "files"
        );
        for (name, left) in self.left() {
            assert!(
                Some(&left) == bare.left().get(&name),
                "{} differs",
                name.display()
            );
        }
    }

    /// Everything in the working directory.
    pub fn left(&self) -> BTreeMap<OsString, Left> {
        let mut all = BTreeMap::new();
        collect(&self.work(), Path::new(""), &mut all);
        all
    }
}

fn names(dir: &Path) -> Vec<String> {
    let entries =
        std::fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    let name =
        |entry: std::io::Result<std::fs::DirEntry>| entry.expect("a listed entry").file_name();
    let mut names: Vec<String> = entries
        .map(|entry| name(entry).to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn collect(dir: &Path, below: &Path, all: &mut BTreeMap<OsString, Left>) {
    for entry in std::fs::read_dir(dir).expect("a program's directory is readable") {
        let entry = entry.expect("a listed entry");
        let name = below.join(entry.file_name());
        let data = entry.path().symlink_metadata().expect("a listed entry");
        let contents = if data.is_dir() {
            collect(&entry.path(), &name, all);
            Vec::new()
        } else if data.is_symlink() {
            std::fs::read_link(entry.path())
                .expect("a link")
                .as_os_str()
                .as_bytes()
                .into()
        } else {
            std::fs::read(entry.path()).expect("root reads all")
        };
        let mode = data.permissions().mode();
        all.insert(name.into_os_string(), Left { mode, contents });
    }
}
