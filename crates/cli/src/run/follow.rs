//! Following: programs that cannot be preloaded, by ptrace. The process that follows stands between `iota run` and the command,
//! and goes on if `iota run` is killed: without it the kernel would refuse the calls that it stops at.

use super::destination::Destination;
use crate::failure;
use anyhow::Context;
use iota_follow::{Filter, Follower, Image, Settings, Tracee};
use iota_launch::child::{self, Ended, Followed};
use iota_launch::launcher::{Variables, rank_in};
use iota_launch::program::Program;
use iota_recover::host;
use iota_trace::part::flavour;
use iota_trace::write::ProcessFacts;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// As `env` and `timeout` end when it is they who fail
pub const FAILED: u8 = 125;

/// What is preloaded is called so
const LIBRARY: &[u8] = b"libiota";

/// Runs the command, and follows it and all that it starts. None: the kernel does not allow that, and nothing was run
pub fn run(
    command: &Command,
    variables: &Variables,
    destination: &Destination,
) -> io::Result<Option<(u32, Ended)>> {
    let parts = destination.parts();
    let ran = child::run_followed(command, &|followed| {
        follow(followed, variables, parts).unwrap_or_else(|error| {
            failure::say(&error);
            Ended::Code(FAILED)
        })
    })?;
    if ran.is_none() {
        failure::note("the kernel does not allow to follow it (ptrace, seccomp): it runs without");
    }
    Ok(ran)
}

fn follow(mut followed: Followed, variables: &Variables, parts: &Path) -> anyhow::Result<Ended> {
    let filter = Filter::of_io();
    let (id, mut begin) = followed.start(&|| filter.install().is_ok())?;
    let first = Tracee(id as i32);
    let list = |name| {
        variables
            .get(name)
            .map_or(Vec::new(), |globs: &OsString| globs.as_bytes().to_owned())
    };
    let settings = Settings {
        common: ProcessFacts {
            host: host::name(),
            version: env!("CARGO_PKG_VERSION").into(),
            flavour: flavour::FOLLOWED.to_vec(),
            size: 1,
            ..ProcessFacts::default()
        },
        files: list("IOTA_FILES"),
        exclude: list("IOTA_EXCLUDE"),
        image: &image,
        stopped: &child::stop,
    };
    let place = |ending| parts.join(format!("followed-{id}.{ending}"));
    let spool = made(&place("blocks"))?;
    fs::remove_file(place("blocks"))?;
    let mut follower = match Follower::seize(first, spool, settings) {
        Ok(follower) => follower,
        Err(error) => {
            followed.say(0);
            failure::note(&format!("ptrace: {error}"));
            // Its end of the pipe is closed: it ends.
            return Ok(Ended::Code(FAILED));
        }
    };
    followed.say(first.0);
    followed.done();
    begin.write_all(&[1])?;
    drop(begin);
    let ended = Ended::of(follower.run());
    if follower.is_empty() {
        return Ok(ended.unwrap_or(Ended::Code(FAILED)));
    }
    let part = place("iota");
    let written = made(&part).and_then(|out| Ok(follower.finish(out)?));
    written.with_context(|| crate::names::path(&part))?;
    Ok(ended.unwrap_or(Ended::Code(FAILED)))
}

fn made(path: &PathBuf) -> anyhow::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600);
    options.open(path).with_context(|| crate::names::path(path))
}

/// What a process has become
fn image(process: u32) -> Image {
    let program = Program::new(format!("/proc/{process}/exe").into());
    let variables = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    let mut preloads = variables.split(|byte| *byte == 0);
    let preload = preloads.find_map(|variable| variable.strip_prefix(b"LD_PRELOAD="));
    let is_preloaded = preload.is_some_and(|list| {
        let mut names = list.windows(LIBRARY.len());
        names.any(|name| name == LIBRARY)
    });
    Image {
        hooks: program.hooks(is_preloaded),
        rank: rank_in(&variables).unwrap_or((0, 1)),
    }
}
