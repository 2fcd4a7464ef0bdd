//! How the second pass divides what the survey found.

use super::{Bins, MOST_MARKS, Survey};
use iota_analysis::{FileId, Job};
use iota_trace::lustre::Layout;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Bins of time, and of ranks or offsets: no more cells than a picture has room for.
const TIMES: usize = 240;
const ROWS: usize = 100;
/// Cells of a file's map.
const CELLS: u64 = 256 * 120;
/// Blocks in which accesses of several ranks are kept apart.
const BLOCKS: usize = 2048;

/// What is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Transfers one by one.
    pub marks: bool,
    /// Calls one by one.
    pub spans: bool,
    /// Offsets over time.
    pub offsets: bool,
    /// What is touched of a file.
    pub map: bool,
    /// Who touches it.
    pub conflicts: bool,
    /// Sizes and latencies.
    pub sizes: bool,
    /// Transfers of each OST.
    pub osts: bool,
}

impl Needs {
    /// Everything.
    pub const ALL: Needs = Needs {
        marks: true,
        spans: true,
        offsets: true,
        map: true,
        conflicts: true,
        sizes: true,
        osts: true,
    };
}

/// The files whose offsets are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// This file only.
    File(FileId),
    /// All files together.
    All,
}

impl Focus {
    /// Whether a file is among them.
    #[inline(always)]
    pub fn has(self, file: FileId) -> bool {
        match self {
            Focus::File(one) => one == file,
            Focus::All => true,
        }
    }
}

/// Bins, and what is put into them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What is asked for, marks only where they are not too many.
    pub wants: Needs,
    /// Time in ns since the job's start.
    pub time: Bins,
    /// Ranks, several in a bin if there are many.
    pub ranks: Bins,
    /// Offsets of the files in focus.
    pub offsets: Bins,
    /// The file in focus, in the cells of a map.
    pub cells: Bins,
    /// Cells in a row of the map.
    pub columns: usize,
    /// The file in focus, in blocks.
    pub blocks: Bins,
    /// The files in focus.
    pub focus: Focus,
    /// OSTs that hold any file of the job.
    pub osts: Vec<u32>,
}

impl Plan {
    /// For what the survey found; `window` is the time asked for, `one` whether a picture is of one file only.
    pub fn new(
        job: &Job,
        survey: &Survey,
        window: Option<RangeInclusive<i64>>,
        one: bool,
        wants: Needs,
    ) -> Plan {
        let focus = focus(job, survey, one, wants);
        let files = survey.files.iter().filter(|(id, _)| focus.has(**id));
        let placed: u64 = files.clone().map(|(_, of)| of.placed).sum();
        let end = files.map(|(_, of)| of.end).max().unwrap_or(0).max(1);
        let few = |many: u64| many <= MOST_MARKS as u64;
        let wants = Needs {
            marks: wants.marks && few(placed),
            spans: wants.spans && few(survey.waited),
            ..wants
        };
        let (cells, columns) = map(end);
        Plan {
            wants,
            time: time(job, survey, window),
            ranks: ranks(survey),
            offsets: Bins::over(0, end, ROWS),
            cells,
            columns,
            blocks: Bins::over(0, end, BLOCKS),
            focus,
            osts: if wants.osts { osts(job) } else { Vec::new() },
        }
    }
}

/// One file if it has half of all bytes; for conflicts one in which ranks can meet.
fn focus(job: &Job, survey: &Survey, one: bool, wants: Needs) -> Focus {
    if wants.conflicts
        && let Some(shared) = survey.busiest_shared()
    {
        return Focus::File(shared);
    }
    let Some(busiest) = survey.busiest(job) else {
        return Focus::All;
    };
    let (of, all) = (survey.files[&busiest].bytes, survey.bytes());
    match one || (of[0] + of[1]) * 2 >= all[0] + all[1] {
        true => Focus::File(busiest),
        false => Focus::All,
    }
}

fn time(job: &Job, survey: &Survey, window: Option<RangeInclusive<i64>>) -> Bins {
    let (first, last) = survey.span.unwrap_or((0, job.duration));
    let (from, until) = match window {
        Some(window) => (first.max(*window.start()), last.min(*window.end())),
        // A run that is mostly without calls would leave them no room.
        None if last.saturating_sub(first) < job.duration / 2 => (first, last),
        None => (first.min(0), last.max(job.duration)),
    };
    Bins::over(from, until.max(from.saturating_add(1)), TIMES)
}

fn ranks(survey: &Survey) -> Bins {
    let first = survey.ranks.first().copied().unwrap_or(0);
    let last = survey.ranks.last().copied().unwrap_or(0);
    Bins::over(first.into(), i64::from(last) + 1, ROWS)
}

/// Cells of a power of two bytes, in rows of a power of two cells.
fn map(end: i64) -> (Bins, usize) {
    let width = (end as u64).div_ceil(CELLS).next_power_of_two();
    let cells = Bins::of(0, end, width);
    let columns = ((cells.count as f64 * 2.0).sqrt() as usize).max(1);
    (cells, columns.next_power_of_two().min(256))
}

fn osts(job: &Job) -> Vec<u32> {
    let layouts = job.files.all().filter_map(|(id, _)| job.files.layout(id));
    let osts: BTreeSet<u32> = layouts.flat_map(of).collect();
    osts.into_iter().collect()
}

fn of(layout: Layout) -> impl Iterator<Item = u32> {
    layout.components().flat_map(|component| component.osts())
}
