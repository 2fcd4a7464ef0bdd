//! What a trace cannot hold: programs that nobody traced, libraries whose calls the archive does not see, and what went past
//! all hooks, as the kernel counted it.

use crate::untraced;
use iota_quantity::{bytes, many};
use iota_trace::part::{End, Traffic, flavour, reason};
use iota_trace::read::{Part, Trace};
use serde::Serialize;
use std::collections::BTreeSet;

/// The same of processes
pub const UNENDED: &str = "killed, or ended by a system call of its own";

/// So many bytes the C library may write by itself: messages of `perror`, `getopt`, `assert`
const LIBRARY_WRITES: u64 = 4 << 10;
/// The same for reading: libraries that are loaded, accounts, time zones, locales
const LIBRARY_READS: u64 = 1 << 20;

/// A phrase for each kind of what is known to be missing
pub fn messages(trace: &Trace) -> Vec<String> {
    let untraced = Some(untraced::count(trace, &BTreeSet::new())).filter(|&n| n > 0);
    let untraced = untraced.map(|n| format!("{} started and not traced", many(n, "program")));
    let uncalled = Uncalled::of(trace).map(|uncalled| uncalled.message());
    let all = [untraced, blind(trace), rings(trace), uncalled];
    all.into_iter().flatten().collect()
}

/// What the kernel counted of processes, and none of their calls explains
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Uncalled {
    pub processes: u64,
    /// Bytes
    pub read: u64,
    /// System calls, at least
    pub reads: u64,
    pub written: u64,
    pub writes: u64,
}

impl Uncalled {
    /// None where it is not more than the C library may do by itself
    pub fn of(trace: &Trace) -> Option<Uncalled> {
        let followed = followed(trace);
        let is_judged = |part: &&Part| !is_blind(part) && !followed.contains(&part.of_process());
        let all = trace.parts().iter().filter(is_judged);
        let all = all.filter_map(|part| judged(part.end()?.uncalled?));
        let add = |sum: Uncalled, traffic: Traffic| Uncalled {
            processes: sum.processes + 1,
            read: sum.read.saturating_add(traffic.read),
            reads: sum.reads.saturating_add(traffic.reads),
            written: sum.written.saturating_add(traffic.written),
            writes: sum.writes.saturating_add(traffic.writes),
        };
        let sum = all.fold(Uncalled::default(), add);
        Some(sum).filter(|sum| sum.processes > 0)
    }

    /// `100 writes of 97.7 KiB by 1 process, which the kernel counted and iota did not see: ...`
    pub fn message(self) -> String {
        let both = [
            amount(self.reads, self.read, ["read", "read"]),
            amount(self.writes, self.written, ["write", "written"]),
        ];
        let both: Vec<_> = both.into_iter().flatten().collect();
        format!(
            "{} by {}, which the kernel counted and no hook saw: system calls of the program's own, or inside the C library",
            both.join(" and "),
            many(self.processes, "process"),
        )
    }
}

/// `100 writes of 97.7 KiB`, or `97.7 KiB written` where it is not known how many at least
fn amount(count: u64, moved: u64, [call, done]: [&str; 2]) -> Option<String> {
    let amount = bytes(moved);
    (moved > 0).then(|| match count {
        0 => format!("{amount} {done}"),
        count => format!("{} of {amount}", many(count, call)),
    })
}

/// What is more than the C library may do by itself
fn judged(traffic: Traffic) -> Option<Traffic> {
    let (reads, writes) = (
        traffic.read > LIBRARY_READS,
        traffic.written > LIBRARY_WRITES,
    );
    let if_so = |is_more: bool, number| if is_more { number } else { 0 };
    (reads || writes).then(|| Traffic {
        read: if_so(reads, traffic.read),
        reads: if_so(reads, traffic.reads),
        written: if_so(writes, traffic.written),
        writes: if_so(writes, traffic.writes),
    })
}

/// Why it is not known of some processes whether all that they did was seen
pub fn reasons_for_doubt(trace: &Trace) -> Vec<String> {
    let (mut unended, mut filtered, mut others) =
        (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let followed = followed(trace);
    for part in trace.parts() {
        let end = part.end();
        let is_counted = end.is_some_and(|end| end.uncalled.is_some());
        if is_counted || is_blind(part) || followed.contains(&part.of_process()) {
            continue;
        }
        let block = part.process();
        let fields = block.as_ref().map(|block| block.fields());
        let is_filtered = fields.is_some_and(|of| !of.files.is_empty() || !of.exclude.is_empty());
        let processes = match end {
            None
            | Some(End {
                reason: reason::RECOVERED,
                meant: None,
                ..
            }) => &mut unended,
            Some(_) if is_filtered => &mut filtered,
            Some(_) => &mut others,
        };
        processes.insert(part.of_process());
    }
    let phrase = |processes: BTreeSet<_>, why| {
        let count = Some(processes.len() as u64).filter(|&n| n > 0);
        count.map(|n| format!("{} {why}", many(n, "process")))
    };
    let all = [
        phrase(unended, UNENDED),
        phrase(filtered, "with calls left out (IOTA_FILES, IOTA_EXCLUDE)"),
        phrase(others, "of which the kernel's own count is not known"),
    ];
    all.into_iter().flatten().collect()
}

/// Requests of io_uring that no recorded call submitted
pub fn requests(trace: &Trace) -> u64 {
    let ends = trace.parts().iter().filter_map(Part::end);
    ends.map(|end| end.unseen).sum()
}

fn rings(trace: &Trace) -> Option<String> {
    let unseen = Some(requests(trace)).filter(|&n| n > 0);
    unseen.map(|n| {
        format!(
            "{} of io_uring not seen: the program enters a ring by system calls of its own, or a thread of the kernel takes them",
            many(n, "request")
        )
    })
}

/// It was linked with the archive, and with shared libraries, too
fn is_blind(part: &Part) -> bool {
    part.has_flavour(flavour::ARCHIVE_IN_DYNAMIC)
}

/// Processes of which every system call was seen
fn followed(trace: &Trace) -> BTreeSet<(u32, u32, Vec<u8>)> {
    let parts = trace.parts().iter();
    let followed = parts.filter(|part| part.has_flavour(flavour::FOLLOWED));
    followed.map(Part::of_process).collect()
}

/// Processes whose shared libraries are not seen
fn blind(trace: &Trace) -> Option<String> {
    let blind = trace.parts().iter().filter(|part| is_blind(part));
    let processes: BTreeSet<_> = blind.map(Part::of_process).collect();
    (!processes.is_empty()).then(|| {
        let processes = many(processes.len() as u64, "process");
        format!(
            "calls inside shared libraries of {processes} not traced: the archive is linked into a dynamic program \
             (with the flags in wraps.txt, the shared object is linked instead)"
        )
    })
}
