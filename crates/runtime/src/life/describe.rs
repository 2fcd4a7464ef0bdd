//! The Process block: what the trace says of this process.

use crate::arena::spool;
use crate::state::{clock, job, output, settings};
use crate::sys;
use iota_trace::part::{Process, flavour};

/// Composes the Process block and keeps it in the spool.
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
    // A short one first: each page of the stack that is touched costs a short program something.
    if !keep::<2048>(&process) {
        keep::<{ 24 << 10 }>(&process);
    }
}

#[inline(never)]
fn keep<const ROOM: usize>(process: &Process<'_>) -> bool {
    let mut block = [0u8; ROOM];
    let length = process.write(job::ids(job::pid()), &mut block);
    let block = length.and_then(|length| block.get(..length));
    block.map(spool::describe).is_some()
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
