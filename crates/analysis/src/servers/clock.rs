//! By how much a server's clock differs from the job's, from calls that can only belong together.
//!
//! A server writes no byte before the job has begun to write it, and has read a byte before the job has it. So each pair of
//! writes is a lower bound of the offset, and each pair of reads an upper one, caches or not. Where only one kind is
//! there, the offset is taken that makes most calls of servers lie within those of the job.

use super::transfers::{RangeTransfer, ServerTransfer};

/// What must be added to a server's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClockOffset {
    /// In ns.
    pub nanos: i64,
    /// By how much it may be wrong, in ns; none where that is not known.
    pub error: Option<u64>,
}

impl ClockOffset {
    /// Both have the same clock.
    pub const SAME: ClockOffset = ClockOffset {
        nanos: 0,
        error: Some(0),
    };
    /// No calls belong together for certain.
    pub const UNKNOWN: ClockOffset = ClockOffset {
        nanos: 0,
        error: None,
    };
}

/// The offset of a host from the calls of the job and those of its servers.
pub(super) fn offset(calls: &[RangeTransfer], servers: &[ServerTransfer]) -> ClockOffset {
    let calls = alone(calls.iter().collect());
    let servers = alone(servers.iter().map(|of| &of.transfer).collect());
    let pairs: Vec<(&RangeTransfer, &RangeTransfer)> = servers
        .iter()
        .filter_map(|server| Some((around(&calls, server)?, *server)))
        .collect();
    let writes = pairs.iter().filter(|(call, _)| call.is_write);
    let lower = writes.map(|(call, server)| call.start.wrapping_sub(server.start));
    let reads = pairs.iter().filter(|(call, _)| !call.is_write);
    let upper = reads.map(|(call, server)| call.end.wrapping_sub(server.end));
    match (lower.max(), upper.min()) {
        (Some(lower), Some(upper)) if lower <= upper => middle(lower, upper),
        (None, None) => ClockOffset::UNKNOWN,
        (lower, upper) => densest(&pairs)
            .map(|(low, high)| middle(lower.map_or(low, |lower| lower.clamp(low, high)), high))
            .or(lower
                .or(upper)
                .map(|nanos| ClockOffset { nanos, error: None }))
            .unwrap_or(ClockOffset::UNKNOWN),
    }
}

fn middle(low: i64, high: i64) -> ClockOffset {
    let half = high.wrapping_sub(low) / 2;
    ClockOffset {
        nanos: low.wrapping_add(half),
        error: Some(half.unsigned_abs() + 1),
    }
}

/// The offsets with which most calls of servers lie within those of the job.
fn densest(pairs: &[(&RangeTransfer, &RangeTransfer)]) -> Option<(i64, i64)> {
    let mut ends: Vec<(i64, i32)> = Vec::new();
    for (call, server) in pairs {
        let low = call.start.wrapping_sub(server.start);
        let high = call.end.wrapping_sub(server.end);
        if low <= high {
            // At one offset those that begin come before those that end.
            ends.extend([(low, -1), (high, 1)]);
        }
    }
    ends.sort_unstable();
    let (mut now, mut most, mut found) = (0, 0, None);
    for (at, (offset, step)) in ends.iter().enumerate() {
        now -= step;
        if now > most {
            most = now;
            found = ends.get(at + 1).map(|(next, _)| (*offset, *next));
        }
    }
    found
}

/// Those of which no other one moves a byte in the same direction, in order.
fn alone(mut all: Vec<&RangeTransfer>) -> Vec<&RangeTransfer> {
    all.sort_by_key(|of| order(of));
    let mut reached = (0, false, 0);
    let mut is_shared = vec![false; all.len()];
    let mut last = 0;
    for (at, one) in all.iter().enumerate() {
        let is_same = (reached.0, reached.1) == (one.file, one.is_write);
        if is_same && one.offset < reached.2 {
            is_shared[at] = true;
            is_shared[last] = true;
        }
        if !is_same || one.end_offset() > reached.2 {
            reached = (one.file, one.is_write, one.end_offset());
            last = at;
        }
    }
    let mut shared = is_shared.into_iter();
    all.retain(|_| !shared.next().unwrap_or(false));
    all
}

fn order(of: &RangeTransfer) -> (u32, bool, u64) {
    (of.file, of.is_write, of.offset)
}

/// The one that moves all bytes of another.
fn around<'c>(calls: &[&'c RangeTransfer], server: &RangeTransfer) -> Option<&'c RangeTransfer> {
    let next = calls.partition_point(|call| order(call) <= order(server));
    let call = calls.get(next.checked_sub(1)?)?;
    (call.common(server) == server.length).then_some(*call)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transfer(is_write: bool, at: u64, start: i64, end: i64) -> RangeTransfer {
        RangeTransfer {
            file: 1,
            is_write,
            offset: at,
            length: 10,
            start,
            end,
            ..RangeTransfer::default()
        }
    }

    /// Whether it writes, where, and when the call and the server's
    type Pair = (bool, u64, (i64, i64), (i64, i64));

    fn found(pairs: &[Pair]) -> ClockOffset {
        let calls = pairs.iter();
        let calls = calls.map(|(is_write, at, call, _)| transfer(*is_write, *at, call.0, call.1));
        let servers = pairs
            .iter()
            .map(|(is_write, at, _, server)| ServerTransfer {
                server: 0,
                transfer: transfer(*is_write, *at, server.0, server.1),
            });
        offset(&calls.collect::<Vec<_>>(), &servers.collect::<Vec<_>>())
    }

    #[test]
    fn writes_and_reads_bound_it_from_both_sides() {
        // The server's clock is 1,000 behind; what it writes it writes late.
        let pairs = [
            (true, 0, (100, 110), (-890, -870)),
            (true, 10, (200, 210), (-700, -690)),
            (false, 20, (300, 320), (-695, -685)),
        ];
        let clock = found(&pairs);
        let error = clock.error.unwrap() as i64;
        assert!((clock.nanos - 1000).abs() <= error, "{clock:?}");
        assert!(error <= 10, "{clock:?}");
    }

    #[test]
    fn of_writes_alone_most_lie_within() {
        let pairs = [
            (true, 0, (100, 200), (-5850, -5830)),
            (true, 10, (200, 300), (-5790, -5710)),
            (true, 20, (300, 400), (-5690, -5610)),
            (true, 30, (400, 410), (-4000, -3900)),
        ];
        let clock = found(&pairs);
        assert!((clock.nanos - 6000).abs() <= 11, "{clock:?}");
    }

    #[test]
    fn what_is_written_twice_says_nothing() {
        let twice = (true, 0, (0, 10), (5000, 5010));
        assert_eq!(found(&[twice, twice]), ClockOffset::UNKNOWN);
        assert_eq!(found(&[]), ClockOffset::UNKNOWN);
    }
}
