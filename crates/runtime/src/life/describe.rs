//! The Process block: what the trace says of this process.

use crate::arena::{self, spool};
use crate::state::{clock, job, output, settings};
use crate::sys;
use iota_trace::part::{Process, flavour};

/// Composes the Process block and keeps it in the spool.
#[inline(never)]
pub fn process() {
    let (facts, settings) = (job::facts(), settings::get());
    // SAFETY: zero is valid for plain arrays.
    let mut host = unsafe { core::mem::zeroed() };
    let process = Process {
        version: env!("CARGO_PKG_VERSION").as_bytes(),
        size: job::size(),
        ppid: sys::parent_id(),
        host: sys::host_name(&mut host),
        exe: facts.program.bytes(),
        argv: facts.arguments.bytes(),
        cwd: facts.directory.bytes(),
        output: output::base().bytes(),
        job: facts.job.bytes(),
        start: facts.start.into(),
        rate: facts.rate,
        source: clock::source() as u8,
        step: clock::step(),
        files: settings.files.bytes(),
        exclude: settings.exclude.bytes(),
        flavour: flavour(),
        random: facts.random,
        world: facts.world,
        spawner: facts.spawner.bytes(),
    };
    keep(&process);
}

/// Composed where the end of the part will be: a thread's stack may be small.
#[inline(never)]
fn keep(process: &Process<'_>) {
    let Some(mut arena) = arena::lock() else {
        return;
    };
    let Some(room) = arena.tail.as_mut() else {
        return;
    };
    let length = process.write(job::ids(job::pid()), &mut room[..]);
    if let Some(block) = length.and_then(|length| room.get(..length)) {
        spool::describe(block);
    }
}

unsafe extern "C" {
    /// In the shared object (c-shim/start.c).
    safe fn iota_is_shared() -> bool;
    /// The program is started by a loader, which brings it its libraries.
    safe fn iota_has_loader() -> bool;
}

fn flavour() -> &'static [u8] {
    match (iota_is_shared(), iota_has_loader()) {
        (true, _) => flavour::SHARED,
        (false, true) => flavour::ARCHIVE_IN_DYNAMIC,
        (false, false) => flavour::STATIC,
    }
}
