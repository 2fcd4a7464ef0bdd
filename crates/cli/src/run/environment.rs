//! The tracer's settings for the command: what the options say, else what the environment says already.

use super::destination::Destination;
use crate::args;
use iota_launch::launcher::{Launcher, Variables};
use iota_launch::program::Program;
use iota_recover::host;
use iota_trace::counter;
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
    set("IOTA_STACKS", args.stacks.then(|| "1".into()));
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
    set("IOTA_NODE", node());
    if programs.iter().any(has_address_sanitizer) {
        all.insert(ASAN.to_owned(), behind_tracer(std::env::var_os(ASAN)));
    }
    all
}

/// What each process would have to look up otherwise: this host, the kernel's clock on it, which mount the root is if no
/// Lustre is mounted, nor what may mount one, and by how much the clock advances if it is the processor's counter
fn node() -> Option<OsString> {
    const CLOCK: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let clock = std::fs::read(CLOCK).ok()?;
    let mut room = Vec::new();
    let mounts = host::read("/proc/self/mountinfo", &mut room).unwrap_or_default();
    let root = root_without_lustre(mounts).unwrap_or(b"-");
    let mut all = [&host::name(), clock.trim_ascii(), root].join(&b' ');
    if clock.trim_ascii() == b"tsc" {
        all.extend(format!(" {}", counter::step(counter::now)).bytes());
    }
    Some(OsString::from_vec(all))
}

fn root_without_lustre(mounts: &[u8]) -> Option<&[u8]> {
    let mut root = None;
    for line in mounts.split(|&byte| byte == b'\n') {
        let mut words = line.split(|&byte| byte == b' ');
        let number = words.next();
        if words.nth(3) == Some(b"/") {
            root = number;
        }
        let kind = words.skip_while(|word| *word != b"-").nth(1);
        if matches!(kind, Some(b"lustre" | b"autofs")) {
            return None;
        }
    }
    root
}

/// By a shared object, which insists on being the first of all
fn has_address_sanitizer(program: &Program) -> bool {
    let is_it = |name: &str| name.starts_with("libasan.so") || name.contains("_rt.asan");
    program.libraries_of(is_it).next().is_some()
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

/// The command with its variables; what is preloaded is not preloaded into a launcher that has an option for it.
pub fn command(
    args: &args::Run,
    launcher: Option<&Launcher>,
    preload: Option<&OsStr>,
    variables: &Variables,
) -> Command {
    let launched = launcher.zip(preload);
    let launched = launched
        .and_then(|(launcher, preload)| launcher.command(&args.command, preload, variables));
    let words = launched.as_ref().unwrap_or(&args.command);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).envs(variables);
    if let (None, Some(preload)) = (&launched, preload) {
        command.env("LD_PRELOAD", preload);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_of_lustre_or_one_that_makes_mounts_is_seen() {
        let root = "22 1 254:0 / / rw shared:1 - ext4 /dev/root rw\n";
        let tmp = "30 22 0:29 / /tmp rw - tmpfs lustre rw\n";
        let above = "41 22 0:40 / / rw - overlay overlay rw\n";
        let one = |lines: &[&str]| {
            let all = lines.concat();
            root_without_lustre(all.as_bytes()).map(<[u8]>::to_vec)
        };
        assert_eq!(one(&[root, tmp]), Some(b"22".to_vec()));
        assert_eq!(one(&[root, above, tmp]), Some(b"41".to_vec()));
        for kind in ["lustre", "autofs"] {
            let line = format!("40 22 0:33 / /work rw shared:1 - {kind} 10.0.0.1@o2ib:/work rw\n");
            assert_eq!(one(&[root, &line, tmp]), None);
        }
        assert_eq!(one(&[]), None);
    }
}
