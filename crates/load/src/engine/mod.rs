//! Runs a plan: a thread for each piece of each file, made once, let go together.

mod barrier;
mod buffer;
pub mod failure;
pub mod live;
mod pace;
mod queued;
pub mod scheduling;
mod serial;
mod shared;
pub mod stop;
mod worker;

pub use barrier::Barrier;
pub use failure::Failure;
pub use shared::FirstDone;
pub use worker::Worked;

use crate::log::{Span, around};
use crate::plan::Plan;
use crate::sys;
use anyhow::{Context, bail};
use live::Live;
use shared::Shared;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{Builder, Scope};
use worker::Worker;

/// Others who do the same, as the ranks of an MPI program.
pub trait Hooks: Sync {
    /// Comes back when all are here, and says whether all are well; called before threads are let go, and by whoever
    /// goes on or gives up.
    fn agree(&self, well: bool) -> bool {
        well
    }
}

/// Nobody else.
pub struct NoHooks;

impl Hooks for NoHooks {}

/// What a plan came to.
#[derive(Debug)]
pub struct Outcome {
    /// Its threads, by file and piece.
    pub workers: Vec<Worked>,
    /// From before the first open to after the last close.
    pub total: Span,
    /// When the first piece had nothing more to do.
    pub first_done: Option<FirstDone>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// When it began, in ns since 1970, and the same moment by CLOCK_MONOTONIC.
    pub clock: (u64, u64),
}

impl Outcome {
    /// What went wrong.
    pub fn failures(&self) -> impl Iterator<Item = &Failure> {
        self.workers
            .iter()
            .filter_map(|worker| worker.failure.as_ref())
    }
}

/// Does it.
///
/// # Errors
/// Not enough memory for the buffers, or no threads to be had. What fails in a transfer stands in the outcome.
pub fn run(plan: &Plan, hooks: &dyn Hooks, live: &Live) -> anyhow::Result<Outcome> {
    stop::watch().context("the thread that waits for signals")?;
    let Some(shared) = Shared::new(plan) else {
        hooks.agree(false);
        bail!("there is not enough memory for the buffers");
    };
    let clock = (sys::realtime(), sys::now());
    let (sender, receiver) = mpsc::channel();
    let mut workers = std::thread::scope(|scope| {
        let shared = &shared;
        let spawned = spawn(scope, shared, sender);
        if !hooks.agree(spawned.is_ok()) {
            shared.stop();
        }
        shared.began.store(sys::now(), Relaxed);
        shared.start.wait();
        let workers = collect(&receiver, shared, live);
        spawned.map(|()| workers)
    })?;
    workers.sort_by_key(|worked| (worked.file, worked.piece));
    let start = shared.began.load(Relaxed);
    let spans = workers
        .iter()
        .flat_map(|worker| [worker.opened, worker.worked, worker.closed]);
    let all = around(spans.flatten()).unwrap_or(Span { start, end: start });
    Ok(Outcome {
        workers,
        total: Span {
            start,
            end: all.end,
        },
        first_done: shared.first_done(),
        signal: stop::signal(),
        clock,
    })
}

/// Makes all threads, or none of them does anything.
fn spawn<'scope>(
    scope: &'scope Scope<'scope, '_>,
    shared: &'scope Shared<'scope>,
    sender: mpsc::Sender<Worked>,
) -> anyhow::Result<()> {
    let threads = shared.plan.threads() as usize;
    let stack = shared.plan.api.stack();
    for number in 0..threads {
        let sender = sender.clone();
        let work = move || {
            let worked = Worker::new(shared, number).run();
            // Who collects is there as long as threads are.
            let _ = sender.send(worked);
        };
        if let Err(error) = Builder::new().stack_size(stack).spawn_scoped(scope, work) {
            shared.stop();
            for missing in number..threads {
                shared.start.leave();
                let file = &shared.files[missing / shared.plan.pieces.len()];
                file.barrier.leave();
                file.in_step.leave();
            }
            bail!(
                "thread {} of {threads} cannot be made: {error}; use fewer files or pieces",
                number + 1
            );
        }
    }
    Ok(())
}

fn collect(receiver: &Receiver<Worked>, shared: &Shared, live: &Live) -> Vec<Worked> {
    let mut workers = Vec::new();
    loop {
        match receiver.recv_timeout(live::INTERVAL) {
            Ok(worked) => workers.push(worked),
            Err(RecvTimeoutError::Timeout) => {
                live.show(shared.so_far(), sys::now() - shared.began.load(Relaxed))
            }
            Err(RecvTimeoutError::Disconnected) => return workers,
        }
    }
}
