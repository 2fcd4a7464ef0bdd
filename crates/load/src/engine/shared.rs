//! What the threads of a load share.

use super::barrier::Barrier;
use super::buffer::Buffer;
use super::stop;
use crate::api::Handle;
use crate::plan::Plan;
use crate::sys;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What all threads share.
pub struct Shared<'a> {
    pub plan: &'a Plan,
    pub files: Vec<SharedFile>,
    /// All threads and who starts them.
    pub start: Barrier,
    /// When they were let go.
    pub began: AtomicU64,
    pub progress: Vec<Progress>,
    stopped: AtomicBool,
    first_done: Mutex<Option<FirstDone>>,
}

/// What the pieces of a file share.
pub struct SharedFile {
    pub buffer: Buffer,
    /// All pieces.
    pub barrier: Barrier,
    /// Those that have operations left (`-op_sync`).
    pub in_step: Barrier,
    /// Around a seek and its transfer (`-lock_atomic`).
    pub atomic: Mutex<()>,
    /// The one handle (`-share`).
    pub handle: OnceLock<Arc<dyn Handle>>,
}

/// How far a piece is; on a cache line of its own.
#[repr(align(128))]
#[derive(Default)]
pub struct Progress {
    pub bytes: AtomicU64,
    pub transfers: AtomicU64,
}

/// The moment when the first piece had nothing more to do, and what all had moved by then.
#[derive(Clone, Copy, Debug)]
pub struct FirstDone {
    /// CLOCK_MONOTONIC in ns.
    pub at: u64,
    /// Bytes of all pieces.
    pub bytes: u64,
    /// Transfers of all pieces.
    pub transfers: u64,
}

impl<'a> Shared<'a> {
    /// With all memory that is needed; `None` where there is not enough.
    pub fn new(plan: &'a Plan) -> Option<Shared<'a>> {
        let pieces = plan.pieces.len();
        let file = |_| {
            Some(SharedFile {
                buffer: Buffer::new(plan)?,
                barrier: Barrier::new(pieces),
                in_step: Barrier::new(pieces),
                atomic: Mutex::new(()),
                handle: OnceLock::new(),
            })
        };
        let threads = plan.threads() as usize;
        Some(Shared {
            plan,
            files: plan.paths.iter().map(file).collect::<Option<_>>()?,
            start: Barrier::new(threads + 1),
            began: AtomicU64::new(0),
            progress: (0..threads).map(|_| Progress::default()).collect(),
            stopped: AtomicBool::new(false),
            first_done: Mutex::new(None),
        })
    }

    /// Nobody begins another operation.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Whether the load is to end.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed) || stop::signal().is_some()
    }

    /// Bytes and transfers of all pieces so far.
    pub fn so_far(&self) -> (u64, u64) {
        let each = self.progress.iter();
        each.map(|one| (one.bytes.load(Relaxed), one.transfers.load(Relaxed)))
            .fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    }

    /// A piece has nothing more to do.
    pub fn done(&self) {
        let mut first = self
            .first_done
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            let (bytes, transfers) = self.so_far();
            *first = Some(FirstDone {
                at: sys::now(),
                bytes,
                transfers,
            });
        }
    }

    /// See [`FirstDone`].
    pub fn first_done(&self) -> Option<FirstDone> {
        *self
            .first_done
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
