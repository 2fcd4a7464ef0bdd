//! The examples of README.md and docs/, as they are written there: each line that starts iota, run in a directory that
//! has what it names. Sizes and times that are meant for a file system are made smaller, `/scratch` is a directory here.

use iota_tests::machine::{IO_URING, STRACE, left_out};
use iota_tests::{Build, Scratch, limited, mpi_is_wanted, root, tables, wanted};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What a line of a document begins with that is an example
const COMMANDS: [&str; 7] = [
    "iota",
    "build/bin/iota",
    "mpiexec",
    "mpicc",
    "srun",
    "strace",
    "otf2-print",
];

/// What is too large or takes too long here, and what stands for it
const SMALLER: [(&str, &str); 6] = [
    ("-time 30", "-time 1"),
    ("-fsize 4g", "-fsize 8m"),
    ("-bufsz 64m", "-bufsz 64k"),
    ("-think 2s", "-think 2ms"),
    ("-nops 10000", "-nops 50"),
    ("build/bin/", ""),
];

/// Programs that stand for those of a cluster, and what the examples start
const PREPARED: &str = r#"
mkdir bin scratch
printf '#!/bin/sh\nexec %s "$@"\n' "$LAUNCHER" >bin/mpiexec
printf '#!/bin/sh\nshift 2; for i in $(seq 0 15); do SLURM_PROCID=$i "$@" || exit; done\n' >bin/srun
ln -s "$MPICC" bin/mpicc
ln -s "$WRAPS" wraps.txt
chmod +x bin/mpiexec bin/srun
printf 'print(open("script.py").read())\n' >script.py
printf 'all: a b\na b:\n\tdate >$@\n' >Makefile
mpicc -c "$SOURCE" -o app.o
mpicc app.o -o app
iota run -q -o run.iota -- sh -c 'for f in a.h5 b.h5; do dd if=/dev/zero of=$f bs=4k count=9 status=none; done'
iota run -q -o seen.iota -- iota load -q -op w -bufsz 4k -nops 9 -file scratch/seen -log off
mkdir export
iota run -q -o servers.iota -- sh -c 'for f in a.h5 b.h5; do dd if=/dev/zero of=export/$f bs=4k count=9 status=none; done'
cp run.iota before.iota; cp seen.iota after.iota; cp seen.iota app.iota
iota convert run.iota --to parquet --shards 4 -o shards
! strace -f -ttt -T -y -o app.strace sh -c 'date >dated' 2>why-no-strace || test -s app.strace
"#;

/// A document's examples, one after the other in one directory
struct Examples {
    scratch: Scratch,
    path: OsString,
    document: &'static str,
}

impl Examples {
    fn of(document: &'static str, build: &Build) -> Examples {
        let scratch = Scratch::new();
        let mut folders = vec![scratch.path().join("bin")];
        folders.extend(build.load_over_ranks().parent().map(PathBuf::from));
        folders.extend(build.iota().parent().map(PathBuf::from));
        folders.extend(std::env::split_paths(
            &std::env::var_os("PATH").unwrap_or_default(),
        ));
        let path = std::env::join_paths(folders).expect("folders without a colon");
        let examples = Examples {
            scratch,
            path,
            document,
        };
        let launcher = which(build.value("MPIEXEC")).display().to_string();
        let launcher = [&launcher, build.value("MPIEXEC_FLAGS")].join(" ");
        let mut shell = examples.shell(&format!("set -e{PREPARED}"));
        shell
            .env("LAUNCHER", launcher)
            .env("MPICC", which(build.value("MPICC")))
            .env("WRAPS", build.value("IOTA_WRAPS"))
            .env("SOURCE", root().join("scripts/hello/hello-mpi.c"));
        examples.succeed(&mut shell, "what the examples need");
        examples
    }

    fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .current_dir(self.scratch.path())
            .env("PATH", &self.path)
            .env("IOTA_DUCKDB", tables::packages().join("duckdb_cli/duckdb"))
            .env("SLURM_SUBMIT_DIR", self.scratch.path());
        command
    }

    fn succeed(&self, command: &mut Command, what: &str) {
        let ran = limited(command, b"", Duration::from_secs(120));
        let (document, errors) = (self.document, ran.errors());
        assert_eq!(ran.code(), 0, "{document}: {what}: {errors}");
    }

    /// Runs a line, unless this machine has no such thing
    fn run(&self, line: &str) {
        if !is_possible(line) {
            return;
        }
        let here = self.scratch.path().join("scratch").display().to_string();
        let line = SMALLER
            .iter()
            .fold(line.to_owned(), |line, (large, small)| {
                line.replace(large, small)
            })
            .replace("/scratch", &here);
        if let Some(output) = line
            .starts_with("iota convert")
            .then(|| output(&line))
            .flatten()
        {
            self.succeed(&mut self.shell(&format!("rm -rf {output}")), output);
        }
        self.succeed(&mut self.shell(&line), &line);
    }
}

/// Where a command of the build is
fn which(command: &str) -> PathBuf {
    iota_tests::find(command).unwrap_or_else(|| PathBuf::from(command))
}

/// What a line writes
fn output(line: &str) -> Option<&str> {
    let mut words = line.split(' ').skip_while(|word| *word != "-o");
    words.nth(1).filter(|name| *name != "-")
}

/// Whether this machine has what a line asks for; if not, it is left out with the reason
fn is_possible(line: &str) -> bool {
    let has = |word: &str| line.contains(word);
    let otf2 = || {
        let found = iota_tests::find("otf2-print").is_some();
        wanted("otf2-print", found, "scripts/deps.sh test gets it")
    };
    (!has("io_uring") || IO_URING.is_here())
        && (!has("strace ") || STRACE.is_here())
        && (!has("iota sql") || tables::are_wanted())
        && (!has("otf2") || otf2())
}

/// The lines of a document that are examples; of a line that ends in a remark, what is before it
fn examples(document: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(document).expect("a document");
    let indented = text.lines().filter_map(|line| line.strip_prefix("    "));
    let command = |line: &&str| {
        let first = line.split(' ').next().unwrap_or_default();
        COMMANDS.contains(&first)
    };
    let plain = |line: &str| {
        let end = line.find("   ").or_else(|| line.find("  # "));
        line[..end.unwrap_or(line.len())].to_owned()
    };
    indented.filter(command).map(plain).collect()
}

fn hold(document: &'static str, least: usize) {
    let Some((build, _turn)) = mpi_is_wanted("openmpi").or_else(|| mpi_is_wanted("mpich")) else {
        return;
    };
    let lines = examples(&root().join(document));
    assert!(lines.len() >= least, "{document}: {lines:?}");
    let examples = Examples::of(document, build);
    lines.iter().for_each(|line| examples.run(line));
}

#[test]
fn the_readme() {
    hold("README.md", 9);
}

#[test]
fn the_commands() {
    hold("docs/CLI.md", 15);
}

#[test]
fn the_load_generator() {
    hold("docs/LOAD.md", 8);
}

#[test]
fn tables_and_other_tools() {
    hold("docs/TABLES.md", 9);
}

#[test]
fn recovery() {
    hold("docs/RELIABILITY.md", 1);
}

#[test]
fn the_job_file_of_the_load_generator() {
    let text = std::fs::read_to_string(root().join("docs/LOAD.md")).expect("a document");
    let lines = text.lines().skip_while(|line| *line != "## Job files");
    let block = lines.skip(1).skip_while(|line| line.is_empty());
    let block = block.take_while(|line| line.is_empty() || line.starts_with("    "));
    let job: Vec<&str> = block.map(str::trim_start).collect();
    assert!(job.contains(&"[[phase]]"), "{job:?}");
    let scratch = Scratch::new();
    let path = scratch.path().display().to_string();
    let job = job.join("\n").replace("/scratch", &path);
    let job = job.replace("nops = 1024", "nops = 8");
    std::fs::write(scratch.path().join("job.toml"), job).expect("a file");
    let mut command = Command::new(Build::first().iota());
    command
        .args(["load", "-job", "job.toml"])
        .current_dir(scratch.path());
    let ran = limited(&mut command, b"", Duration::from_secs(60));
    if ran.errors().contains("free") {
        return left_out(&ran.errors());
    }
    assert_eq!(ran.code(), 0, "{}", ran.errors());
}
