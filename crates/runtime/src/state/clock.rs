//! Time stamps: the processor's counter where the kernel itself trusts it, `clock_gettime` otherwise.

use super::node;
use crate::real::kernel;
use crate::sys::{self, File};
use core::ffi::{CStr, c_int, c_void};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::Relaxed};
use iota_trace::clock::TICK;
use iota_trace::counter;

/// Where stamps come from; the numbers stand in the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Source {
    /// CLOCK_MONOTONIC, in nanoseconds.
    Monotonic = 0,
    /// The x86 time stamp counter.
    Tsc = 1,
    /// The aarch64 virtual counter.
    Cntvct = 2,
}

/// One moment on three clocks.
#[derive(Clone, Copy, Default, Debug)]
pub struct Anchor {
    /// The stamp.
    pub ticks: u64,
    /// CLOCK_MONOTONIC, nanoseconds.
    pub monotonic: u64,
    /// CLOCK_REALTIME, nanoseconds since 1970.
    pub realtime: u64,
}

impl From<Anchor> for iota_trace::clock::Anchor {
    fn from(anchor: Anchor) -> Self {
        let Anchor {
            ticks,
            monotonic,
            realtime,
        } = anchor;
        iota_trace::clock::Anchor {
            ticks,
            monotonic,
            realtime,
        }
    }
}

static COUNTER: AtomicU32 = AtomicU32::new(0);
static STEP: AtomicU64 = AtomicU64::new(TICK);

/// The function by which the kernel tells the time without a system call; null: there is none, or it was not looked for.
static KERNELS: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());
type ReadClock = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int;

/// The stamp of this moment.
#[inline(always)]
pub fn now() -> u64 {
    if COUNTER.load(Relaxed) != 0 {
        counter::now()
    } else {
        uncounted()
    }
}

#[cold]
#[inline(never)]
fn uncounted() -> u64 {
    monotonic_ns()
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let ask = KERNELS.load(Relaxed);
    if ask.is_null() {
        sys::read_clock(clock, &mut time);
    } else {
        // SAFETY: the kernel's function of this type; `time` is ours.
        unsafe { core::mem::transmute::<*mut c_void, ReadClock>(ask)(clock, &mut time) };
    }
    (time.tv_sec as u64)
        .wrapping_mul(1_000_000_000)
        .wrapping_add(time.tv_nsec as u64)
}

/// CLOCK_MONOTONIC in nanoseconds.
pub fn monotonic_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// CLOCK_REALTIME in nanoseconds since 1970.
pub fn realtime_ns() -> u64 {
    read(libc::CLOCK_REALTIME)
}

/// Reads all three clocks as close together as they get: the tightest of five tries.
pub fn anchor() -> Anchor {
    let mut best = (u64::MAX, Anchor::default());
    for _ in 0..5 {
        let before = now();
        let (monotonic, realtime) = (monotonic_ns(), realtime_ns());
        let width = now().wrapping_sub(before);
        if width < best.0 {
            best = (
                width,
                Anchor {
                    ticks: before.wrapping_add(width / 2),
                    monotonic,
                    realtime,
                },
            );
        }
    }
    best.1
}

#[cfg(target_arch = "x86_64")]
const NAME: &CStr = c"__vdso_clock_gettime";
#[cfg(target_arch = "aarch64")]
const NAME: &CStr = c"__kernel_clock_gettime";

/// Chooses the source; before it, stamps are CLOCK_MONOTONIC.
#[inline(never)]
pub fn start() {
    KERNELS.store(kernel::function(NAME).cast_mut(), Relaxed);
    COUNTER.store(u32::from(counter_is_trusted()), Relaxed);
    STEP.store(node::step().unwrap_or_else(|| counter::step(now)), Relaxed);
}

/// Where stamps come from.
pub fn source() -> Source {
    match (COUNTER.load(Relaxed) != 0, cfg!(target_arch = "x86_64")) {
        (false, _) => Source::Monotonic,
        (true, true) => Source::Tsc,
        (true, false) => Source::Cntvct,
    }
}

/// By how much the counter advances at least, in 1/65536 ticks.
pub fn step() -> u64 {
    STEP.load(Relaxed)
}

/// The kernel keeps a list of reasons to distrust a TSC; if it uses the counter as its own clock, so do we.
fn counter_is_trusted() -> bool {
    if cfg!(target_arch = "aarch64") {
        return true;
    }
    if let Some(has_tsc) = node::has_tsc() {
        return has_tsc;
    }
    let mut name = [0u8; 16];
    let path = c"/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let read = File::open(path, libc::O_RDONLY).and_then(|file| file.read(&mut name));
    read.is_ok() && name.starts_with(b"tsc")
}

/// Monotone time for deadlines, in nanoseconds, whatever the source of stamps.
pub fn deadline_after(milliseconds: u64) -> u64 {
    monotonic_ns().wrapping_add(milliseconds.wrapping_mul(1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "no objects are loaded")]
    fn stamps_advance_with_the_monotonic_clock() {
        start();
        let (a, b) = (anchor(), anchor());
        assert!(b.ticks > a.ticks && b.monotonic >= a.monotonic);
    }
}
