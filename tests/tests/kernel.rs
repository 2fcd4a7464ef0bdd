//! Programs of every day: of the files in their folder the trace has as many opens, transfers and bytes as the kernel
//! saw, asked by strace. A stream's calls are not the kernel's, so these programs transfer without streams; of those that
//! do not, the bytes alone are held against the kernel's.

use iota_calls::Layer;
use iota_tests::{
    Call, Case, Ran, Way, canonical, command_output, find, limited, machine::STRACE, strace, wanted,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How many calls of a kind there were, and the bytes that they moved.
type Counts = BTreeMap<&'static str, (u64, i64)>;

/// Class, and whether its results are bytes.
fn class_of(name: &str) -> Option<(&'static str, bool)> {
    Some(match name {
        "open" | "openat" | "creat" | "mkstemp" | "opendir" => ("open", false),
        "read" => ("read", true),
        "write" => ("write", true),
        "pread" | "pread64" => ("pread", true),
        "pwrite" | "pwrite64" => ("pwrite", true),
        "readv" => ("readv", true),
        "writev" => ("writev", true),
        "copy_file_range" => ("copy_file_range", true),
        "sendfile" => ("sendfile", true),
        "ftruncate" => ("ftruncate", false),
        "fsync" => ("fsync", false),
        "fdatasync" => ("fdatasync", false),
        "lseek" => ("lseek", false),
        _ => return None,
    })
}

fn count(counts: &mut Counts, name: &str, ret: i64) {
    if let Some((class, moves)) = class_of(name) {
        let (calls, bytes) = counts.entry(class).or_default();
        *calls += 1;
        *bytes += if moves { ret.max(0) } else { 0 };
    }
}

fn folder(ran: &Ran) -> String {
    let work = ran.work().canonicalize().expect("it is there");
    work.display().to_string()
}

/// What the kernel saw of files in a part of the test's folder.
fn by_kernel(case: &Case, part: &str) -> Counts {
    let case = case
        .clone()
        .under("strace -f -y -qq -e trace=%file,%desc -o {}/strace");
    let ran = case.run().succeeded();
    let work = folder(&ran);
    let mut counts = Counts::new();
    for call in strace::read(&ran.scratch_file("strace")) {
        let opened = call
            .made
            .as_deref()
            .filter(|_| class_of(&call.name).is_some_and(|(class, _)| class == "open"));
        let path = opened.or_else(|| call.on()).unwrap_or_default();
        // A directory's descriptor may stand first, too.
        let is_failed_open = opened.is_none() && call.name.starts_with("open");
        // libc's own, in fchmodat.
        let is_inner = call.args.contains("O_PATH");
        if path.starts_with(&work) && path.contains(part) && !is_failed_open && !is_inner {
            count(&mut counts, &call.name, call.ret);
        }
    }
    counts
}

/// What the trace has of them, on the layer next to the kernel.
fn by_iota(case: &Case, part: &str) -> Counts {
    let ran = case.clone().way(Way::Preload).run().succeeded();
    let work = folder(&ran);
    let trace = ran.trace();
    assert_eq!(trace.problems, Vec::<String>::new());
    let mut counts = Counts::new();
    let ours = |call: &&Call| {
        let path = String::from_utf8_lossy(&call.path);
        call.layer == Layer::Posix as u8 && path.starts_with(&work) && path.contains(part)
    };
    for call in trace.calls().filter(ours) {
        if call.ret >= 0 || call.fd >= 0 {
            count(&mut counts, &canonical(&call.op), call.ret);
        }
    }
    counts
}

fn agrees(tool: &str, prepare: fn(&Path), script: &str) {
    agrees_on("", tool, prepare, script);
}

fn agrees_on(part: &str, tool: &str, prepare: fn(&Path), script: &str) {
    if STRACE.is_here() && wanted(tool, find(tool).is_some(), &format!("install {tool}")) {
        let case = Case::shell(script).prepare(prepare).seconds(120);
        let (kernel, iota) = (by_kernel(&case, part), by_iota(&case, part));
        assert!(!kernel.is_empty(), "the kernel saw calls");
        assert_eq!(iota, kernel, "the trace, and the kernel");
    }
}

/// A script that nobody watches.
fn before(scratch: &Path, script: &str) {
    let mut shell = Command::new("sh");
    command_output(
        shell
            .args(["-ec", script])
            .current_dir(scratch.join("work")),
    );
}

fn nothing(_: &Path) {}

fn files(scratch: &Path) {
    before(
        scratch,
        "mkdir d; for i in 1 2 3 4 5; do seq $i 30000 >d/$i; done; tar cf d.tar d",
    );
}

fn repository(scratch: &Path) {
    // The date is part of what git compresses, and so of the bytes of each of the two runs.
    let dates = "export GIT_AUTHOR_DATE='@1000000000 +0000' GIT_COMMITTER_DATE='@1000000000 +0000'";
    let commit = "git config user.email a@b; git config user.name n; seq 1 5000 >f; git add f; git commit -qm one";
    before(
        scratch,
        &format!("export HOME=$PWD; {dates}; git init -q r; cd r; {commit}"),
    );
}

#[test]
fn tar_packs() {
    agrees("tar", files, "exec tar cf e.tar --sort=name d");
}

#[test]
fn tar_unpacks() {
    agrees("tar", files, "mkdir e; exec tar xf d.tar -C e");
}

#[test]
fn cp_copies() {
    agrees("cp", files, "exec cp --reflink=auto d/1 e");
    agrees("cp", files, "exec cp --reflink=never --sparse=always d/1 e");
}

#[test]
fn dd_transfers_blocks() {
    agrees(
        "dd",
        files,
        "exec dd if=d/3 of=z bs=1000 conv=fdatasync status=none",
    );
}

#[test]
fn git_clones() {
    // What lies beside the objects, git reads and writes by streams.
    let script = "export HOME=$PWD; exec git clone -q --no-hardlinks r s";
    agrees_on("/objects/", "git", repository, script);
}

/// The first Python that can import this, by its own name: the `python3` of PATH may be a script that looks for one, and
/// strace stops each of its calls as well.
fn python_with(module: &str) -> Option<String> {
    let own_name = |python: &str| {
        find(python)?;
        let mut asked = Command::new(python);
        asked.args([
            "-c",
            &format!("import sys, {module}; print(sys.executable)"),
        ]);
        let said = limited(&mut asked, b"", Duration::from_secs(60));
        (said.code() == 0).then(|| said.text().trim().to_owned())
    };
    ["python3", "/usr/bin/python3"]
        .into_iter()
        .find_map(own_name)
}

#[test]
fn python_reads_and_writes() {
    let python = python_with("os");
    if wanted("python3", python.is_some(), "install python3") {
        let python = python.unwrap_or_default();
        let script = format!(
            "exec {python} -c '
import os
with open(\"a\", \"wb\") as f:
    for i in range(500): f.write(bytes(1000))
fd = os.open(\"a\", os.O_RDWR)
os.pwrite(fd, b\"x\" * 10, 100); os.pread(fd, 50, 90); os.lseek(fd, 5, 0); os.readv(fd, [bytearray(10)]); os.fsync(fd)
os.ftruncate(fd, 4000); os.close(fd)
print(len(open(\"a\", \"rb\").read()), sum(map(len, open(\"a\", \"rb\", buffering=0))))
'"
        );
        agrees(&python, nothing, &script);
    }
}

#[test]
fn numpy_saves_and_loads() {
    let python = python_with("numpy");
    if wanted("numpy", python.is_some(), "install python3-numpy") {
        let python = python.unwrap_or_default();
        let script = format!(
            "exec {python} -c '
import numpy
a = numpy.arange(1000000.0)
numpy.save(\"a.npy\", a); numpy.savez(\"b.npz\", a=a, b=a[:10]); a.tofile(\"c.bin\")
assert (numpy.load(\"a.npy\") == a).all() and (numpy.load(\"b.npz\")[\"b\"] == a[:10]).all()
assert (numpy.fromfile(\"c.bin\") == a).all() and numpy.load(\"a.npy\", mmap_mode=\"r\")[7] == 7
'"
        );
        // save, tofile and fromfile go through a stream on a duplicate of the descriptor: their bytes are a stream's.
        let case = Case::shell(&script).seconds(120);
        let moved = |counts: &Counts| {
            let sum = |classes: &[&str]| {
                classes
                    .iter()
                    .filter_map(|class| counts.get(class))
                    .map(|(_, bytes)| bytes)
                    .sum::<i64>()
            };
            (
                sum(&["read", "pread", "readv"]),
                sum(&["write", "pwrite", "writev"]),
            )
        };
        let kernel = moved(&by_kernel(&case, ""));
        let posix = moved(&by_iota(&case, ""));
        assert!(
            posix.0 <= kernel.0 && posix.1 <= kernel.1,
            "{posix:?} {kernel:?}"
        );
        assert_eq!(
            kernel.1 - posix.1,
            16_000_000,
            "what save and tofile wrote by a stream"
        );
    }
}

/// It reads and writes by streams, a byte an item: of them all the bytes are the kernel's.
#[test]
fn sort_moves_as_many_bytes() {
    if !STRACE.is_here() {
        return;
    }
    let big = |scratch: &Path| before(scratch, "seq 1 200000 | rev >big");
    let case = Case::shell("exec sort -S 1M -T . -o out big")
        .prepare(big)
        .seconds(120);
    let kernel = by_kernel(&case, "");
    let ran = case.way(Way::Preload).run().succeeded();
    let (trace, work) = (ran.trace(), folder(&ran));
    let moved = |ops: [&str; 2]| {
        let ours = |call: &&Call| {
            ops.contains(&&*call.op) && String::from_utf8_lossy(&call.path).starts_with(&work)
        };
        trace.calls().filter(ours).map(|call| call.ret).sum::<i64>()
    };
    let (read, written) = (
        moved(["read", "fread_unlocked"]),
        moved(["write", "fwrite_unlocked"]),
    );
    assert_eq!((read, written), (kernel["read"].1, kernel["write"].1));
}
