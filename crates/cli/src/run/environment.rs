//! The tracer's settings for the command: what the options say, else what the environment says already.

use super::destination::Destination;
use super::launcher::{Launcher, Variables};
use super::program::Program;
use crate::args;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::process::Command;

const ASAN: &str = "ASAN_OPTIONS";

/// Every variable of the tracer's that the command gets
pub fn variables(args: &args::Run, destination: &Destination, programs: &[Program]) -> Variables {
    let inherited = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.into_string().ok()?;
        (name.starts_with("IOTA_") && name != "IOTA_LIB").then_some((name, value))
    });
    let mut all: Variables = inherited.collect();
    let mut set = |name: &str, value: Option<OsString>| {
        if let Some(value) = value {
            all.insert(name.to_owned(), value);
        }
    };
    let list = |globs: &[String]| (!globs.is_empty()).then(|| globs.join(",").into());
    set("IOTA_FILES", list(&args.files));
    set("IOTA_EXCLUDE", list(&args.exclude));
    set("IOTA_FLUSH", args.flush.then(|| "1".into()));
    set("IOTA_BUFFER", args.buffer.clone().map(OsString::from));
    let spool = args.spool.as_ref();
    set(
        "IOTA_SPOOL",
        spool.and_then(|dir| Some(std::path::absolute(dir).ok()?.into())),
    );
    // Lines are made of the whole at the end.
    set("IOTA_FORMAT", Some("binary".into()));
    set("IOTA_OUTPUT", Some(destination.pattern()));
    set("IOTA_SHARED", Some(destination.shared()));
    set("IOTA_CLOCK", clock());
    if programs.iter().any(has_address_sanitizer) {
        all.insert(ASAN.to_owned(), behind_tracer(std::env::var_os(ASAN)));
    }
    all
}

/// This host and the kernel's clock on it, which each process would have to look up otherwise
fn clock() -> Option<OsString> {
    const PATH: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let clock = std::fs::read(PATH).ok()?;
    let both = [&crate::host::name(), clock.trim_ascii()].join(&b' ');
    Some(OsString::from_vec(both))
}

/// By a shared object, which insists on being the first of all
fn has_address_sanitizer(program: &Program) -> bool {
    let is_it = |name: &str| name.starts_with("libasan.so") || name.contains("_rt.asan");
    program
        .libraries()
        .iter()
        .any(|library| is_it(&library.name))
}

/// What the tracer asks of AddressSanitizer as a library, for programs that answer that question themselves
fn behind_tracer(theirs: Option<OsString>) -> OsString {
    let mut options = OsString::from("verify_asan_link_order=0");
    if let Some(theirs) = theirs.filter(|theirs| !theirs.is_empty()) {
        options.push(":");
        options.push(theirs);
    }
    options
}

/// The command with its variables; what is preloaded is not preloaded into a launcher that can be told so.
pub fn command(
    args: &args::Run,
    launcher: Option<&Launcher>,
    preload: &OsStr,
    variables: &Variables,
) -> Command {
    let launched =
        launcher.and_then(|launcher| launcher.command(&args.command, preload, variables));
    let words = launched.as_ref().unwrap_or(&args.command);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).envs(variables);
    if launched.is_none() {
        command.env("LD_PRELOAD", preload);
    }
    command
}
