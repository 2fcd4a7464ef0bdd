//! The processor's counter, and by how much it advances at least.

use crate::clock::TICK;

/// The counter at this moment.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn now() -> u64 {
    // SAFETY: every x86_64 processor has it; the kernel would have to forbid it, and then does not use it as its clock.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// The counter at this moment.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub fn now() -> u64 {
    let ticks: u64;
    // SAFETY: reads a register that Linux lets user space read.
    unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
    ticks
}

/// Some counters advance in steps of several ticks (a 100 MHz reference, scaled). Coding such stamps tick by tick
/// would spend bits on rounding noise, so the step of what stamps calls is measured, in 1/65536 ticks.
pub fn step(now: impl Fn() -> u64) -> u64 {
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
        TICK
    };
    if long == TICK {
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
            return TICK;
        }
    }
    match step {
        2..8 => step << 16,
        _ => TICK,
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
            return TICK;
        }
        ticks = ticks.wrapping_add(d);
        steps = steps.wrapping_add(n);
    }
    (ticks << 16).checked_div(steps).unwrap_or(TICK).max(TICK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stepping_counter_differs_from_a_smooth_one() {
        assert_eq!(step_of(&[24, 25, 49, 24, 25, 24], 24) >> 16, 24);
        assert_eq!(step_of(&[24, 31, 40, 52], 24), TICK);
        assert_eq!(short_step(&[0, 34, 36, 38, 52]), 2 << 16);
        assert_eq!(short_step(&[34, 36, 35, 52]), TICK);
        assert_eq!(short_step(&[0, 0]), TICK);
    }

    #[test]
    fn a_step_is_found_though_readings_in_it_differ() {
        let mut distances = [
            26, 26, 1, 25, 26, 26, 52, 26, 26, 26, 78, 26, 26, 26, 26, 26,
        ];
        assert_eq!(step_among(&mut distances) >> 16, 26);
        assert_eq!(step_among(&mut [1, 1, 2, 1, 1, 3, 1, 1]), TICK);
        assert_eq!(step_among(&mut [24, 1, 31, 40, 52, 37, 29, 44]), TICK);
    }
}
