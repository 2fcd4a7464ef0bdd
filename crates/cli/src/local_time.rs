//! Moments since 1970 in the reader's own time zone.

use iota_trace::Nanos;
use std::mem::MaybeUninit;

const NANOS: i64 = 1_000_000_000;

/// `2026-11-21 06:13:54.123456789 +0000`; `None` where the C library does not know the year
pub fn local(moment: Nanos) -> Option<String> {
    let tm = broken_down(moment.0.div_euclid(NANOS))?;
    let offset = tm.tm_gmtoff / 60;
    let sign = if offset < 0 { '-' } else { '+' };
    Some(format!(
        "{}-{:02}-{:02} {:02}:{:02}:{:02}.{:09} {sign}{:02}{:02}",
        i64::from(tm.tm_year) + 1900,
        tm.tm_mon + 1,
        tm.tm_mday,
        tm.tm_hour,
        tm.tm_min,
        tm.tm_sec,
        moment.0.rem_euclid(NANOS),
        offset.abs() / 60,
        offset.abs() % 60
    ))
}

/// `1795241634.123456789`
pub fn epoch(moment: Nanos) -> String {
    let sign = if moment.0 < 0 { "-" } else { "" };
    let size = moment.0.unsigned_abs();
    format!("{sign}{}.{:09}", size / NANOS as u64, size % NANOS as u64)
}

fn broken_down(seconds: i64) -> Option<libc::tm> {
    let mut tm = MaybeUninit::uninit();
    // SAFETY: localtime_r reads the first and fills the second when it returns non-null; the process has one
    // thread that touches the environment, this one.
    unsafe {
        let filled = libc::localtime_r(&seconds, tm.as_mut_ptr());
        (!filled.is_null()).then(|| tm.assume_init())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_have_nine_digits() {
        let texts = [Nanos(0), Nanos(1_500_000_000), Nanos(-1)].map(epoch);
        assert_eq!(texts, ["0.000000000", "1.500000000", "-0.000000001"]);
    }

    #[test]
    fn a_moment_is_shown_in_local_time() {
        let text = local(Nanos(1_795_241_634_123_456_789)).unwrap();
        assert!(text.starts_with("2026-11-"), "{text}");
        assert!(text.contains(":54.123456789 "), "{text}");
    }
}
