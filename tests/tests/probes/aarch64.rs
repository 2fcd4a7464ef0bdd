//! The whole tracer on an emulated processor of the other kind, with probes. It is built for that, which takes a while.

use super::{Call, counts};
use iota_calls::Layer;
use iota_tests::{Build, Scratch, Trace, command_output, find, root, wanted};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "aarch64-unknown-linux-gnu";
const COMPILER: &str = "aarch64-linux-gnu-gcc";

fn is_here() -> bool {
    let tools = [COMPILER, "qemu-aarch64"];
    let are_there = tools.iter().all(|tool| find(tool).is_some());
    let mut asked = Command::new("rustc");
    asked.args(["--print", "target-libdir", "--target", TARGET]);
    let library = PathBuf::from(command_output(&mut asked).trim());
    wanted(
        "aarch64-linux-gnu-gcc and qemu-aarch64",
        are_there,
        "scripts/deps.sh test gets them as root",
    ) && wanted(
        "Rust's library for aarch64",
        library.exists(),
        "rustup target add aarch64-unknown-linux-gnu",
    )
}

/// The folder that build.rs made last.
fn parts(release: &Path) -> PathBuf {
    let all = fs::read_dir(release.join("build")).expect("cargo's folder");
    let parts = all.flatten().map(|entry| entry.path().join("out/preload"));
    let made = |folder: &PathBuf| fs::metadata(folder.join("libiota_shim.a"));
    let dated = parts.filter_map(|folder| Some((made(&folder).ok()?.modified().ok()?, folder)));
    dated.max().expect("build.rs' folder").1
}

/// Cargo's part and the rest, as scripts/archives.mk makes them for this machine.
fn tracer(scratch: &Scratch) -> PathBuf {
    let target = root().join("build/cargo/aarch64");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root()).env("CARGO_TARGET_DIR", &target);
    cargo.env("CC_aarch64_unknown_linux_gnu", COMPILER);
    cargo.args(["build", "--release", "--locked", "--target", TARGET]);
    let built = cargo.args(["-p", "iota"]).status();
    assert!(built.is_ok_and(|status| status.success()));
    let made = scratch.path().join("libiota.so");
    let mut assemble = Command::new(root().join("scripts/assemble.sh"));
    for (variable, tool) in [
        ("LD", "ld"),
        ("NM", "nm"),
        ("OBJCOPY", "objcopy"),
        ("LINKER", "gcc"),
    ] {
        assemble.env(variable, format!("aarch64-linux-gnu-{tool}"));
    }
    let release = target.join(TARGET).join("release");
    let exports = Build::first().dir.join("obj/preload.exports");
    assemble
        .env("SONAME", "libiota.so")
        .arg("shared")
        .arg(&made);
    assemble.arg(release.join("libiota.a")).arg(parts(&release));
    command_output(assemble.arg(exports));
    made
}

fn compile(folder: &Path, words: &str) {
    let programs = root().join("tests/programs").display().to_string();
    let words = words.split_whitespace();
    let mut command = Command::new(COMPILER);
    command.current_dir(folder).args(["-O0", "-w"]);
    command_output(command.args(words.map(|word| word.replace("PROGRAMS", &programs))));
}

/// What the program says with these settings.
fn emulated(folder: &Path, settings: &[String], what: &str) -> String {
    let mut command = Command::new("qemu-aarch64");
    command
        .current_dir(folder)
        .args(["-L", "/usr/aarch64-linux-gnu"]);
    for setting in settings {
        command.args(["-E", setting]);
    }
    command_output(command.arg("./ways").arg(what))
}

#[test]
#[ignore = "make soak: it builds the tracer for another processor"]
fn the_tracer_of_the_other_processor() {
    if cfg!(target_arch = "aarch64") || !is_here() {
        return;
    }
    let scratch = Scratch::new();
    let folder = scratch.path();
    let tracer = tracer(&scratch);
    compile(
        folder,
        "-shared -fPIC PROGRAMS/probed_library.c -o libprobed.so",
    );
    compile(
        folder,
        "PROGRAMS/probed_ways.c libprobed.so -Wl,-rpath,$ORIGIN -pthread -o ways",
    );
    for (what, function, recorded) in [
        ("exits", "p_call", 20),
        ("jumps", "p_call", 0),
        ("coroutines", "p_call", 2),
        ("deep", "p_deep", 2001),
        ("threads", "p_ints", 20_000),
    ] {
        let output = folder.join(format!("{what}.iota"));
        let settings = [
            format!("LD_PRELOAD={}", tracer.display()),
            format!("IOTA_OUTPUT={}", output.display()),
            "IOTA_PROBE=p_*".into(),
            "LD_BIND_NOW=1".into(),
        ];
        let bare = emulated(folder, &[], what);
        assert_eq!(emulated(folder, &settings, what), bare, "{what}");
        let trace = Trace::read(&output);
        trace.assert_whole();
        let of_user = trace.calls().filter(|call| call.layer == Layer::User as u8);
        let of_user: Vec<Call> = of_user.cloned().collect();
        let calls = counts(&of_user).get(function).copied().unwrap_or(0);
        assert_eq!(calls, recorded, "{what}");
    }
}
