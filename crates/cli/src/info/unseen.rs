//! What a trace cannot hold: programs that nobody traced, and libraries whose calls the archive does not see.

use crate::untraced;
use iota_quantity::many;
use iota_trace::part::flavour;
use iota_trace::read::{Part, Trace};
use std::collections::BTreeSet;

/// A phrase for each kind
pub fn messages(trace: &Trace) -> Vec<String> {
    let untraced = Some(untraced::count(trace, &BTreeSet::new())).filter(|&n| n > 0);
    let untraced = untraced.map(|n| format!("{} started and not traced", many(n, "program")));
    let all = [untraced, blind(trace), rings(trace)];
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

/// Processes that were linked with the archive, and with shared libraries, too
fn blind(trace: &Trace) -> Option<String> {
    let is_blind = |part: &&Part| {
        let block = part.process();
        block.is_some_and(|block| block.fields().flavour == flavour::ARCHIVE_IN_DYNAMIC)
    };
    let blind = trace.parts().iter().filter(is_blind);
    let processes: BTreeSet<_> = blind.map(Part::of_process).collect();
    (!processes.is_empty()).then(|| {
        let processes = many(processes.len() as u64, "process");
        format!(
            "calls inside shared libraries of {processes} not traced: the archive is linked into a dynamic program \
             (with the flags in wraps.txt, the shared object is linked instead)"
        )
    })
}
