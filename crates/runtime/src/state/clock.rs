//! Time stamps: the processor's counter where the kernel itself trusts it, `clock_gettime` otherwise.

use super::node;
use crate::sys::File;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

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
static STEP: AtomicU64 = AtomicU64::new(ONE_TICK);
const ONE_TICK: u64 = 1 << 16;

/// The stamp of this moment.
#[inline(always)]
pub fn now() -> u64 {
    if COUNTER.load(Relaxed) != 0 {
        counter()
    } else {
        uncounted()
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn counter() -> u64 {
    // SAFETY: every x86_64 processor has it; the kernel would have to forbid it, and then does not use it as its clock.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn counter() -> u64 {
    let ticks: u64;
    // SAFETY: reads a register that Linux lets user space read.
    unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
    ticks
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
    // SAFETY: `time` is ours; the call leaves errno alone with valid arguments.
    unsafe { libc::clock_gettime(clock, &mut time) };
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

/// Chooses the source; before it, stamps are CLOCK_MONOTONIC.
pub fn start() {
    COUNTER.store(u32::from(counter_is_trusted()), Relaxed);
    STEP.store(measure_step(), Relaxed);
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

/// Some counters advance in steps of several ticks (a 100 MHz reference, scaled). Coding such stamps tick by tick
/// would spend bits on rounding noise, so the step is measured.
fn measure_step() -> u64 {
    let mut distances = [0u64; 256];
    let mut last = now();
    for (i, distance) in distances.iter_mut().enumerate() {
        // For distances of all kinds.
        for pass in 0..i & 7 {
            core::hint::black_box(pass);
        }
        let t = now();
        *distance = t.wrapping_sub(last);
        last = t;
    }
    step_among(&mut distances)
}

fn step_among(distances: &mut [u64]) -> u64 {
    leave_out_repeats(distances);
    let apart = distances.iter().filter(|&&distance| distance != 0);
    let smallest = apart.copied().min().unwrap_or(0);
    // Below this a step cannot be distinguished from the time that reading takes.
    let long = if (8..1 << 20).contains(&smallest) {
        step_of(distances, smallest)
    } else {
        ONE_TICK
    };
    if long == ONE_TICK {
        short_step(distances)
    } else {
        long
    }
}

/// Some hypervisors have no two readings in one step be the same: the second is a tick later. Where few distances are so
/// short, each counts to the next one.
fn leave_out_repeats(distances: &mut [u64]) {
    let is_short = |distance: &u64| (1..8).contains(distance);
    let short = distances.iter().filter(|distance| is_short(distance));
    if short.count() > distances.len() / 8 {
        return;
    }
    let mut carried = 0u64;
    for distance in distances {
        *distance = distance.wrapping_add(carried);
        carried = 0;
        if is_short(distance) {
            carried = core::mem::take(distance);
        }
    }
}

/// A step of a few whole ticks, of which all distances are multiples.
fn short_step(distances: &[u64]) -> u64 {
    let mut step = 0;
    for distance in distances {
        step = divisor(step, *distance);
        if step == 1 {
            return ONE_TICK;
        }
    }
    match step {
        2..8 => step << 16,
        _ => ONE_TICK,
    }
}

/// The greatest that both have in common.
fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a.checked_rem(b).unwrap_or(0));
    }
    a
}

/// A step of many ticks: the mean distance over the number of smallest distances.
fn step_of(distances: &[u64], smallest: u64) -> u64 {
    let (mut ticks, mut steps) = (0u64, 0u64);
    for &d in distances.iter().filter(|&&d| d < smallest.wrapping_mul(8)) {
        let n = (d.wrapping_add(smallest / 2))
            .checked_div(smallest)
            .unwrap_or(0);
        let off = d.abs_diff(n.wrapping_mul(smallest));
        // A multiple of the step is at most one tick off for each step.
        if off > n {
            return ONE_TICK;
        }
        ticks = ticks.wrapping_add(d);
        steps = steps.wrapping_add(n);
    }
    (ticks << 16)
        .checked_div(steps)
        .unwrap_or(ONE_TICK)
        .max(ONE_TICK)
}

/// Monotone time for deadlines, in nanoseconds, whatever the source of stamps.
pub fn deadline_after(milliseconds: u64) -> u64 {
    monotonic_ns().wrapping_add(milliseconds.wrapping_mul(1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stepping_counter_is_told_from_a_smooth_one() {
        assert_eq!(step_of(&[24, 25, 49, 24, 25, 24], 24) >> 16, 24);
        assert_eq!(step_of(&[24, 31, 40, 52], 24), ONE_TICK);
        assert_eq!(short_step(&[0, 34, 36, 38, 52]), 2 << 16);
        assert_eq!(short_step(&[34, 36, 35, 52]), ONE_TICK);
        assert_eq!(short_step(&[0, 0]), ONE_TICK);
    }

    #[test]
    fn a_step_is_found_though_readings_in_it_differ() {
        let mut distances = [
            26, 26, 1, 25, 26, 26, 52, 26, 26, 26, 78, 26, 26, 26, 26, 26,
        ];
        assert_eq!(step_among(&mut distances) >> 16, 26);
        assert_eq!(step_among(&mut [1, 1, 2, 1, 1, 3, 1, 1]), ONE_TICK);
        assert_eq!(step_among(&mut [24, 1, 31, 40, 52, 37, 29, 44]), ONE_TICK);
    }

    #[test]
    #[cfg_attr(miri, ignore = "no secure_getenv")]
    fn stamps_advance_with_the_monotonic_clock() {
        start();
        let (a, b) = (anchor(), anchor());
        assert!(b.ticks > a.ticks && b.monotonic >= a.monotonic);
    }
}
