//! The tree's rows: processes of one program come together, and what is too much is left out, but counted.

use super::command;
use super::list::{One, ProcessList};
use super::{Bounds, ProcessGroup, ProcessRow};
use iota_quantity::ranges;
use iota_trace::Printable;
use iota_trace::read::Trace;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

/// Rows below one another. What is deeper is left out; readers of JSON may take no more than 128 levels, two a row.
const DEPTH: usize = 48;

/// Rows that are shown, and those that may be.
#[derive(Default)]
struct Chosen {
    rows: Vec<Candidate>,
    waiting: BinaryHeap<Candidate>,
    /// Rows below each row, by its number plus one; below none: 0.
    below: HashMap<usize, Vec<usize>>,
    /// What is left out below each, by the same.
    left: HashMap<usize, ProcessGroup>,
}

/// Processes that share a row; those with most I/O time come first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// Time and calls.
    weight: (u64, u64),
    first: Reverse<usize>,
    members: Vec<usize>,
    above: Option<usize>,
    depth: usize,
}

impl Chosen {
    fn take(&mut self, tree: &ProcessTree, row: Candidate) {
        let number = self.rows.len();
        let place = row.above.map_or(0, |above| above + 1);
        self.below.entry(place).or_default().push(number);
        let started = row.members.iter().flat_map(|at| &tree.started[*at]);
        let started = started.copied().collect();
        self.rows.push(row);
        self.offer(tree, Some(number), started);
    }

    fn offer(&mut self, tree: &ProcessTree, above: Option<usize>, members: Vec<usize>) {
        let depth = above.map_or(0, |above| self.rows[above].depth + 1);
        for members in tree.rows_of(members) {
            let whole = tree.whole_of(&members);
            if depth == DEPTH {
                self.leave(above, &whole);
                continue;
            }
            self.waiting.push(Candidate {
                weight: (whole.sums.time, whole.sums.calls),
                first: Reverse(members[0]),
                members,
                above,
                depth,
            });
        }
    }

    fn leave(&mut self, above: Option<usize>, processes: &ProcessGroup) {
        let place = above.map_or(0, |row| row + 1);
        self.left.entry(place).or_default().add(processes);
    }
}

pub(super) struct ProcessTree<'k> {
    trace: &'k Trace,
    known: &'k ProcessList<'k>,
    bounds: Bounds,
    /// Whom each process started.
    started: Vec<Vec<usize>>,
    /// What all below it did.
    below: Vec<ProcessGroup>,
}

impl<'k> ProcessTree<'k> {
    pub fn of(trace: &'k Trace, known: &'k ProcessList, bounds: Bounds) -> ProcessTree<'k> {
        let mut started = vec![Vec::new(); known.all.len()];
        let mut below = vec![ProcessGroup::default(); known.all.len()];
        // Each stands behind its parent.
        for (at, one) in known.all.iter().enumerate().rev() {
            if let Some(above) = one.above {
                let mine = below[at];
                below[above].add(&one.own);
                below[above].add(&mine);
                started[above].push(at);
            }
        }
        ProcessTree {
            trace,
            known,
            bounds,
            started,
            below,
        }
    }

    /// The rows with most I/O time, below them the next ones, until there are enough. A row's time is that of all below it,
    /// too, so that what stands above a row comes before it.
    pub fn whole(&self) -> (Vec<ProcessRow>, ProcessGroup) {
        let mut chosen = Chosen::default();
        let roots = (0..self.known.all.len()).filter(|at| self.one(*at).above.is_none());
        chosen.offer(self, None, roots.collect());
        let most = match self.bounds.rows {
            0 => usize::MAX,
            most => most,
        };
        while chosen.rows.len() < most {
            let Some(candidate) = chosen.waiting.pop() else {
                break;
            };
            chosen.take(self, candidate);
        }
        for left in std::mem::take(&mut chosen.waiting) {
            chosen.leave(left.above, &self.whole_of(&left.members));
        }
        self.siblings(&chosen, None)
    }

    fn one(&self, at: usize) -> &One<'k> {
        &self.known.all[at]
    }

    /// Processes that have the same parent, or whose parents share a row, as rows.
    fn rows_of(&self, mut members: Vec<usize>) -> Vec<Vec<usize>> {
        members.sort_unstable();
        let mut by_program: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for at in members {
            let name = self.one(at).program.as_str();
            by_program.entry(name).or_default().push(at);
        }
        let mut rows: Vec<Vec<usize>> = Vec::new();
        for members in by_program.into_values() {
            match self.bounds.alike {
                few if few > 0 && members.len() > few => rows.push(members),
                _ => rows.extend(members.into_iter().map(|at| vec![at])),
            }
        }
        rows
    }

    fn siblings(&self, chosen: &Chosen, above: Option<usize>) -> (Vec<ProcessRow>, ProcessGroup) {
        let place = above.map_or(0, |row| row + 1);
        let rows = chosen.below.get(&place).into_iter().flatten();
        let left = chosen.left.get(&place).copied().unwrap_or_default();
        (rows.map(|row| self.row(chosen, *row)).collect(), left)
    }

    fn own_of(&self, row: &[usize]) -> ProcessGroup {
        let mut all = ProcessGroup::default();
        row.iter().for_each(|at| all.add(&self.one(*at).own));
        all
    }

    fn below_of(&self, row: &[usize]) -> ProcessGroup {
        let mut all = ProcessGroup::default();
        row.iter().for_each(|at| all.add(&self.below[*at]));
        all
    }

    fn whole_of(&self, row: &[usize]) -> ProcessGroup {
        let mut all = self.own_of(row);
        all.add(&self.below_of(row));
        all
    }

    fn row(&self, chosen: &Chosen, number: usize) -> ProcessRow {
        let row = &chosen.rows[number].members[..];
        let first = self.one(row[0]);
        let parent = Some(first.parent).filter(|parent| *parent > 0);
        let is_one = row.len() == 1;
        let have_one = row.iter().all(|at| self.one(*at).parent == first.parent);
        let is_on_one = row.iter().all(|at| self.one(*at).host == first.host);
        let (below, folded) = self.siblings(chosen, Some(number));
        ProcessRow {
            command: match is_one {
                true => self.line(first),
                false => first.program.clone(),
            },
            pid: is_one.then_some(first.pid),
            ppid: parent.filter(|_| have_one && is_on_one),
            host: is_on_one.then(|| Printable(first.host).to_string()),
            ranks: self.ranks(row),
            own: self.own_of(row),
            descendants: self.below_of(row),
            below,
            folded,
        }
    }

    fn line(&self, one: &One) -> String {
        let part = self.trace.parts().get(one.part as usize);
        let block = part.and_then(|part| part.process());
        let argv = block.as_ref().map_or(b"".as_slice(), |of| of.fields().argv);
        match argv {
            [] => one.program.clone(),
            argv => command(argv),
        }
    }

    fn ranks(&self, row: &[usize]) -> Vec<(u64, u64)> {
        let all: BTreeSet<u32> = row.iter().map(|at| self.one(*at).rank).collect();
        ranges(all.into_iter().map(u64::from))
    }
}
