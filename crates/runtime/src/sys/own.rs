//! What the tracer itself reads and writes: the kernel counts it as the program's.

use super::call::Result;
use core::sync::atomic::{AtomicU64, Ordering::*};
use iota_trace::part::Traffic;

static READ: AtomicU64 = AtomicU64::new(0);
static READS: AtomicU64 = AtomicU64::new(0);
static WRITTEN: AtomicU64 = AtomicU64::new(0);
static WRITES: AtomicU64 = AtomicU64::new(0);

/// Counts a system call by which the tracer read.
pub fn reads(done: Result<usize>) -> Result<usize> {
    READS.fetch_add(1, Relaxed);
    READ.fetch_add(done.unwrap_or(0) as u64, Relaxed);
    done
}

/// Counts one by which it wrote.
pub fn writes(done: Result<usize>) -> Result<usize> {
    WRITES.fetch_add(1, Relaxed);
    WRITTEN.fetch_add(done.unwrap_or(0) as u64, Relaxed);
    done
}

/// What the tracer itself read and wrote, in this process and in those that forked it.
pub fn own_traffic() -> Traffic {
    Traffic {
        read: READ.load(Relaxed),
        reads: READS.load(Relaxed),
        written: WRITTEN.load(Relaxed),
        writes: WRITES.load(Relaxed),
    }
}
