//! Which call of the job each call of a server belongs to.

use super::clock::ClockOffset;
use super::latest::LatestCalls;
use super::transfers::{RangeTransfer, ServerTransfer};
use crate::FileId;
use crate::sums::sum;
use std::collections::HashMap;

/// Calls of servers that one call of the job caused.
#[derive(Clone, Copy, Debug, Default)]
pub struct Servers {
    /// How many.
    pub calls: u64,
    /// The longest: equation (1).
    pub longest: u64,
}

/// How a server's call belongs to one of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It lies within that call, and within no other one that moves these bytes.
    Within,
    /// It lies within several that move these bytes: that with most of them.
    Guessed,
    /// It lies before or after: a cache moved the bytes at another time.
    Cached,
}

/// The call of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tie {
    /// Its place among the job's.
    pub call: u32,
    /// How it is known.
    pub cause: Cause,
}

/// The call of the job for each of the servers', if there is one.
pub(super) fn ties(
    calls: &[RangeTransfer],
    servers: &[ServerTransfer],
    clocks: &[ClockOffset],
) -> Vec<Option<Tie>> {
    let slack = |server: &ServerTransfer| {
        let clock = clocks.get(server.server as usize);
        clock.and_then(|clock| clock.error).unwrap_or(0) as i64
    };
    let mut found = forward(calls, servers, &slack);
    backward(calls, servers, &slack, &mut found);
    found
}

type Slack<'s> = &'s dyn Fn(&ServerTransfer) -> i64;

/// Servers' calls within calls, and writes that came later. One look at both in the order in which they began.
fn forward(calls: &[RangeTransfer], servers: &[ServerTransfer], slack: Slack) -> Vec<Option<Tie>> {
    let mut next = in_order(calls, |call| call.start).into_iter().peekable();
    let mut active: HashMap<(FileId, bool), Vec<u32>> = HashMap::new();
    let mut written: HashMap<FileId, LatestCalls> = HashMap::new();
    let mut found = vec![None; servers.len()];
    for at in in_order(servers, |of| of.transfer.start.saturating_add(slack(of))) {
        let server = &servers[at as usize];
        let (of, slack) = (&server.transfer, slack(server));
        let is_begun = |call: &u32| calls[*call as usize].start <= of.start.saturating_add(slack);
        while let Some(call) = next.next_if(is_begun) {
            let begun = &calls[call as usize];
            let key = (begun.file, begun.is_write);
            active.entry(key).or_default().push(call);
            if begun.is_write {
                let file = written.entry(begun.file).or_default();
                file.set(begun.offset, begun.end_offset(), call);
            }
        }
        let around = active.get_mut(&(of.file, of.is_write)).map(|active| {
            active.retain(|call| calls[*call as usize].end.saturating_add(slack) >= of.start);
            within(calls, active, of, slack)
        });
        found[at as usize] = around.flatten().or_else(|| {
            let file = written.get(&of.file).filter(|_| of.is_write)?;
            let call = file.most_of(of.offset, of.end_offset())?;
            let cause = Cause::Cached;
            Some(Tie { call, cause })
        });
    }
    found
}

/// The call that was under way during all of a server's.
fn within(calls: &[RangeTransfer], active: &[u32], of: &RangeTransfer, slack: i64) -> Option<Tie> {
    let common = |call: &u32| {
        let known = &calls[*call as usize];
        let is_around = known.end.saturating_add(slack) >= of.end;
        let bytes = known.common(of);
        (is_around && bytes > 0).then_some((bytes, *call))
    };
    let around = || active.iter().filter_map(common);
    let (_, call) = around().max_by_key(|(bytes, call)| (*bytes, std::cmp::Reverse(*call)))?;
    let cause = match around().nth(1) {
        None => Cause::Within,
        Some(_) => Cause::Guessed,
    };
    Some(Tie { call, cause })
}

/// Servers' reads of what the job read later, in the order of ends, the last first.
fn backward(
    calls: &[RangeTransfer],
    servers: &[ServerTransfer],
    slack: Slack,
    found: &mut [Option<Tie>],
) {
    let mut next = in_order(calls, |call| call.end)
        .into_iter()
        .rev()
        .peekable();
    let mut read: HashMap<FileId, LatestCalls> = HashMap::new();
    let early = |of: &ServerTransfer| of.transfer.end.saturating_sub(slack(of));
    for at in in_order(servers, early).into_iter().rev() {
        let server = &servers[at as usize];
        let of = &server.transfer;
        if of.is_write || found[at as usize].is_some() {
            continue;
        }
        let is_later = |call: &u32| calls[*call as usize].end >= early(server);
        while let Some(call) = next.next_if(is_later) {
            let later = &calls[call as usize];
            if !later.is_write {
                let file = read.entry(later.file).or_default();
                file.set(later.offset, later.end_offset(), call);
            }
        }
        let file = read.get(&of.file);
        let call = file.and_then(|file| file.most_of(of.offset, of.end_offset()));
        let cause = Cause::Cached;
        found[at as usize] = call.map(|call| Tie { call, cause });
    }
}

/// Their places in the order of a moment.
fn in_order<T>(all: &[T], moment: impl Fn(&T) -> i64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..all.len() as u32).collect();
    order.sort_by_key(|at| (moment(&all[*at as usize]), *at));
    order
}

/// What one server did for one call of the job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerWork {
    /// The call's place among the job's.
    pub(super) call: u32,
    /// The server's number.
    pub server: u32,
    /// Its reads and writes.
    pub calls: u64,
    /// Bytes that they read and wrote.
    pub moved: [u64; 2],
    /// Their time, in ns.
    pub time: u64,
    /// The time in which any was under way while the call lasted.
    pub waited: u64,
    /// Bytes of those.
    pub(super) waited_bytes: u64,
}

/// By call and server.
pub(super) fn work(servers: &[ServerTransfer], ties: &[Option<Tie>]) -> Vec<ServerWork> {
    let tied = servers.iter().zip(ties);
    let mut tied: Vec<(Tie, &ServerTransfer)> = tied
        .filter_map(|(server, tie)| Some(((*tie)?, server)))
        .collect();
    tied.sort_by_key(|(tie, of)| (tie.call, of.server, of.transfer.start, of.transfer.end));
    let is_one = |a: &(Tie, &ServerTransfer), b: &(Tie, &ServerTransfer)| {
        (a.0.call, a.1.server) == (b.0.call, b.1.server)
    };
    let of_one = |all: &[(Tie, &ServerTransfer)]| {
        let waited = || all.iter().filter(|(tie, _)| tie.cause != Cause::Cached);
        let bytes = |is_write| {
            let moved = all.iter().map(|(_, of)| &of.transfer);
            let moved = moved.filter(move |of| of.is_write == is_write);
            sum(moved.map(|of| of.length))
        };
        ServerWork {
            call: all[0].0.call,
            server: all[0].1.server,
            calls: all.len() as u64,
            moved: [bytes(false), bytes(true)],
            time: sum(all.iter().map(|(_, of)| of.transfer.elapse())),
            waited: union(waited().map(|(_, of)| (of.transfer.start, of.transfer.end))),
            waited_bytes: sum(waited().map(|(_, of)| of.transfer.length)),
        }
    };
    tied.chunk_by(is_one).map(of_one).collect()
}

impl Servers {
    /// What these did for one call; its longest is the time of the slowest server.
    pub(super) fn of(work: &[ServerWork]) -> Servers {
        Servers {
            calls: sum(work.iter().map(|of| of.calls)),
            longest: work.iter().map(|of| of.waited).max().unwrap_or(0),
        }
    }
}

/// How long at least one of several intervals lasted, which come in the order of their starts.
pub(super) fn union(spans: impl Iterator<Item = (i64, i64)>) -> u64 {
    let (mut length, mut reached) = (0u64, i64::MIN);
    for (start, end) in spans {
        let more = end.saturating_sub(start.max(reached)).max(0);
        length = length.saturating_add(more as u64);
        reached = reached.max(end);
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::servers::CallKey;

    fn transfer(is_write: bool, (from, to): (u64, u64), (start, end): (i64, i64)) -> RangeTransfer {
        RangeTransfer {
            key: CallKey {
                id: start as u64,
                ..CallKey::default()
            },
            file: 1,
            is_write,
            offset: from,
            length: to - from,
            start,
            end,
            ..RangeTransfer::default()
        }
    }

    fn server(
        server: u32,
        is_write: bool,
        bytes: (u64, u64),
        during: (i64, i64),
    ) -> ServerTransfer {
        let transfer = transfer(is_write, bytes, during);
        ServerTransfer { server, transfer }
    }

    fn tied(calls: &[RangeTransfer], servers: &[ServerTransfer]) -> Vec<Option<(u32, Cause)>> {
        let found = ties(calls, servers, &[ClockOffset::SAME; 2]).into_iter();
        found
            .map(|tie| tie.map(|tie| (tie.call, tie.cause)))
            .collect()
    }

    #[test]
    fn the_call_around_it_with_the_same_bytes() {
        let calls = [
            transfer(true, (0, 100), (0, 50)),
            transfer(true, (100, 200), (0, 50)),
            transfer(false, (0, 100), (60, 90)),
        ];
        let servers = [
            server(0, true, (0, 100), (10, 20)),
            server(1, true, (100, 200), (12, 40)),
            server(0, false, (0, 50), (61, 62)),
            server(1, false, (300, 400), (61, 62)),
        ];
        let within = |call| Some((call, Cause::Within));
        assert_eq!(
            tied(&calls, &servers),
            [within(0), within(1), within(2), None]
        );
        let work = work(&servers, &ties(&calls, &servers, &[]));
        assert_eq!((work[1].server, work[1].waited), (1, 28));
    }

    #[test]
    fn two_calls_on_the_same_bytes_at_once_are_a_guess() {
        let calls = [
            transfer(false, (0, 100), (0, 50)),
            transfer(false, (0, 40), (0, 50)),
        ];
        let servers = [server(0, false, (0, 100), (10, 20))];
        assert_eq!(tied(&calls, &servers), [Some((0, Cause::Guessed))]);
    }

    #[test]
    fn caches_write_later_and_read_before() {
        let calls = [
            transfer(true, (0, 100), (0, 5)),
            transfer(true, (50, 100), (10, 15)),
            transfer(false, (200, 300), (100, 110)),
            transfer(false, (300, 400), (120, 130)),
        ];
        let servers = [
            server(0, true, (0, 60), (20, 30)),
            server(0, true, (60, 100), (20, 30)),
            server(1, false, (200, 400), (101, 105)),
            server(1, false, (300, 400), (101, 105)),
            server(1, true, (0, 60), (3, 30)),
        ];
        let cached = |call| Some((call, Cause::Cached));
        let around = Some((2, Cause::Within));
        assert_eq!(
            tied(&calls, &servers),
            [cached(0), cached(1), around, cached(3), cached(0)]
        );
    }

    #[test]
    fn time_of_a_server_counts_once_and_cached_work_not_at_all() {
        let calls = [transfer(true, (0, 100), (0, 50))];
        let servers = [
            server(0, true, (0, 50), (10, 20)),
            server(0, true, (50, 100), (15, 25)),
            server(1, true, (0, 100), (10, 12)),
            server(1, true, (0, 100), (60, 90)),
        ];
        let ties = ties(&calls, &servers, &[]);
        let work = work(&servers, &ties);
        let found = Servers::of(&work);
        assert_eq!((found.calls, found.longest), (4, 15));
        assert_eq!((work[1].time, work[1].waited), (32, 2));
    }
}
