//! What a call caused in the layers below it.

use super::Node;
use crate::servers::Servers;
use crate::sums::{add, sum};
use crate::{FileId, Moved};

/// Intervals of a call that are kept apart; those before them count as closed.
const RECENT: usize = 32;
/// Files whose bytes are counted apart.
const FILES: usize = 4;
/// Calls of MPI-IO inside another call that are kept until it is known which layer that one is of.
const INNER: usize = 256;

/// What a call caused.
#[derive(Clone, Debug, Default)]
pub struct Below {
    /// Its sub-calls: the calls of descriptors or streams that it made itself.
    pub calls: u64,
    /// Their times, one after another: equation (3).
    pub sum: u64,
    /// The time in which at least one was under way.
    pub union: Union,
    /// Their reads and writes.
    pub transfers: [u64; 2],
    /// Time of these.
    pub transfer_time: [u64; 2],
    /// From the start of the first to the end of the last sub-call.
    pub span: Option<(i64, i64)>,
    /// The first ones, if they are asked for.
    pub first: Vec<SubCall>,
    /// Time of the servers: for each sub-call the slowest of them, equation (4).
    pub server: u64,
    /// Those calls that are tied to it by file and time.
    pub inferred: u64,
    /// Bytes by file.
    files: [FileBytes; FILES],
    /// What servers did for it directly.
    pub servers: Servers,
    /// Calls of MPI-IO that it made.
    pub inner: Vec<Node>,
    /// Those for which there was no room.
    pub crowded: u64,
}

/// Bytes of a file, or of all further ones.
#[derive(Clone, Copy, Debug, Default)]
struct FileBytes {
    file: FileId,
    moved: [u64; 2],
}

/// A sub-call.
#[derive(Clone, Copy, Debug)]
pub struct SubCall {
    /// Its file.
    pub file: FileId,
    /// In ns since the job's start.
    pub start: i64,
    /// When it was done.
    pub end: i64,
    /// Bytes.
    pub moved: Moved,
    /// Whether it reads (0) or writes (1).
    pub way: Option<usize>,
    /// Who worked for it.
    pub servers: Servers,
}

impl SubCall {
    /// How long it took, in ns.
    pub fn elapse(&self) -> u64 {
        self.end.wrapping_sub(self.start).max(0) as u64
    }
}

impl Below {
    /// One sub-call more; the first `kept` are listed one by one.
    pub fn add(&mut self, sub: &SubCall, kept: usize) {
        if self.first.len() < kept {
            self.first.push(*sub);
        }
        self.calls += 1;
        self.widen(Some((sub.start, sub.end)));
        add(&mut self.sum, sub.elapse());
        self.union.add(sub.start, sub.end);
        add(&mut self.server, sub.servers.longest);
        if let Some(way) = sub.way {
            self.transfers[way] += 1;
            add(&mut self.transfer_time[way], sub.elapse());
        }
        self.bytes(sub.file, [sub.moved.read, sub.moved.written]);
    }

    fn widen(&mut self, more: Option<(i64, i64)>) {
        self.span = match (self.span, more) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (known, more) => known.or(more),
        };
    }

    fn bytes(&mut self, file: FileId, moved: [u64; 2]) {
        if moved == [0, 0] {
            return;
        }
        let is_free = |known: &FileBytes| known.moved == [0, 0];
        let at = self
            .files
            .iter()
            .position(|known| known.file == file && !is_free(known) || is_free(known));
        // The last place is for all that are left.
        let place = &mut self.files[at.unwrap_or(FILES - 1)];
        if is_free(place) {
            place.file = file;
        }
        add(&mut place.moved[0], moved[0]);
        add(&mut place.moved[1], moved[1]);
    }

    /// Bytes read and written of a file. Where none is known under this name, MPI has another one for it: of a call that
    /// `moves` bytes they are those of the file of which most were moved.
    pub fn of_file(&self, file: FileId, moves: bool) -> [u64; 2] {
        let own = self.files.iter().find(|known| known.file == file);
        let most = || {
            let all = |known: &&FileBytes| sum(known.moved);
            self.files.iter().max_by_key(all).filter(|_| moves)
        };
        own.or_else(most).map_or([0, 0], |known| known.moved)
    }

    /// Bytes read and written of all files.
    pub fn of_all(&self) -> [u64; 2] {
        [0, 1].map(|way| sum(self.files.iter().map(|known| known.moved[way])))
    }

    /// A server that worked for it.
    pub fn serve(&mut self, elapse: u64) {
        self.servers.calls += 1;
        self.servers.longest = self.servers.longest.max(elapse);
    }

    /// A call of MPI-IO inside it. Returns one for which there is no room.
    pub fn hold(&mut self, node: Node) -> Option<Node> {
        if self.inner.len() < INNER {
            self.inner.push(node);
            return None;
        }
        self.crowded += 1;
        Some(node)
    }

    /// Takes in what else it caused, which came later.
    pub fn merge(&mut self, later: Below) {
        self.absorb(&later);
        self.servers.calls += later.servers.calls;
        self.servers.longest = self.servers.longest.max(later.servers.longest);
        self.inner.extend(later.inner);
        self.crowded += later.crowded;
    }

    /// Takes in what a call inside it caused.
    pub fn absorb(&mut self, inner: &Below) {
        self.calls += inner.calls;
        add(&mut self.sum, inner.sum);
        self.union.merge(&inner.union);
        for way in 0..2 {
            self.transfers[way] += inner.transfers[way];
            add(&mut self.transfer_time[way], inner.transfer_time[way]);
        }
        self.widen(inner.span);
        self.first.extend(&inner.first);
        self.first.truncate(super::SUB_CALLS);
        add(&mut self.server, inner.server);
        self.inferred += inner.inferred;
        for known in inner.files {
            self.bytes(known.file, known.moved);
        }
    }

    /// Client latency: equation (3), or the union where sub-calls overlap.
    pub fn client(&self) -> u64 {
        self.union.length().min(self.sum)
    }

    /// Whether sub-calls overlap.
    pub fn overlaps(&self) -> bool {
        self.client() < self.sum
    }
}

/// How long at least one of several intervals lasted, which come more or less in the order of their ends. An interval that
/// reaches back beyond the last 32 gaps counts from there on.
#[derive(Clone, Debug, Default)]
pub struct Union {
    /// Length of those that are closed.
    done: u64,
    /// Where these end.
    until: Option<i64>,
    /// The others, in order, none touching another.
    recent: Vec<(i64, i64)>,
}

impl Union {
    /// One interval.
    pub fn add(&mut self, start: i64, end: i64) {
        let start = self.until.map_or(start, |until| start.max(until));
        if end < start {
            return;
        }
        let from = self.recent.partition_point(|known| known.1 < start);
        let to = self.recent.partition_point(|known| known.0 <= end);
        if from < to {
            let (first, last) = (
                self.recent[from].0.min(start),
                self.recent[to - 1].1.max(end),
            );
            self.recent[from] = (first, last);
            self.recent.drain(from + 1..to);
        } else {
            self.recent.insert(from, (start, end));
        }
        if self.recent.len() > RECENT {
            let (start, end) = self.recent.remove(0);
            add(&mut self.done, length(start, end));
            self.until = Some(end);
        }
    }

    /// Those of another, which came later.
    pub fn merge(&mut self, later: &Union) {
        add(&mut self.done, later.done);
        for (start, end) in &later.recent {
            self.add(*start, *end);
        }
    }

    /// All of it.
    pub fn length(&self) -> u64 {
        let recent = self.recent.iter().map(|(start, end)| length(*start, *end));
        self.done.saturating_add(sum(recent))
    }
}

fn length(start: i64, end: i64) -> u64 {
    end.wrapping_sub(start).max(0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn union(of: &[(i64, i64)]) -> u64 {
        let mut union = Union::default();
        of.iter().for_each(|(start, end)| union.add(*start, *end));
        union.length()
    }

    #[test]
    fn what_overlaps_counts_once() {
        assert_eq!(union(&[]), 0);
        assert_eq!(union(&[(0, 16), (16, 27)]), 27);
        assert_eq!(union(&[(0, 16), (10, 27), (30, 31)]), 28);
        assert_eq!(union(&[(5, 6), (8, 9), (0, 10)]), 10);
        assert_eq!(union(&[(5, 6), (8, 9), (0, 1), (6, 8)]), 5);
        assert_eq!(union(&[(-5, -3), (-3, -3)]), 2);
    }

    #[test]
    fn any_number_of_intervals_with_gaps_is_exact() {
        let many: Vec<(i64, i64)> = (0..1000).map(|n| (10 * n, 10 * n + 4)).collect();
        assert_eq!(union(&many), 4000);
        let mut two = Union::default();
        let (first, last) = many.split_at(700);
        first.iter().for_each(|(start, end)| two.add(*start, *end));
        let mut later = Union::default();
        last.iter().for_each(|(start, end)| later.add(*start, *end));
        two.merge(&later);
        assert_eq!(two.length(), 4000);
    }

    #[test]
    fn bytes_are_those_of_the_file_of_the_call() {
        let mut below = Below::default();
        let sub = |file, read, written| SubCall {
            file,
            start: 0,
            end: 1,
            moved: Moved { read, written },
            way: None,
            servers: Servers::default(),
        };
        for file in 1..=6 {
            below.add(&sub(file, u64::from(file), 0), 0);
        }
        below.add(&sub(2, 0, 100), 0);
        assert_eq!(below.of_file(2, false), [2, 100]);
        assert_eq!(
            below.of_file(99, true),
            [2, 100],
            "the one with the most bytes"
        );
        assert_eq!(below.of_file(99, false), [0, 0]);
        assert_eq!(below.of_all(), [21, 100]);
    }
}
