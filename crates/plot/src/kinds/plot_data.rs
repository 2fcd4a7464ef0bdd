//! What was seen of a trace, and what pictures of it have in common.

use crate::aggregates::{Aggregates, Bins, Focus, Plan, Survey};
use crate::axis::{Axis, Unit};
use crate::colours::{Colour, intensity};
use crate::figure::{Figure, Panel, Scale};
use iota_analysis::layers::{Layers, PathRow};
use iota_analysis::{FileId, Job};
use iota_quantity::{bytes, many, nanos};
use iota_trace::Printable;

/// What was seen of a trace.
pub struct PlotData<'a> {
    /// The trace.
    pub job: &'a Job<'a>,
    /// How much there is.
    pub survey: &'a Survey,
    /// How it was divided.
    pub plan: &'a Plan,
    /// What came of it.
    pub found: &'a Aggregates<'a>,
    /// Calls of MPI-IO, for pictures of these.
    pub tree: &'a Layers<'a>,
    /// Which calls called which, for the picture of that.
    pub callers: &'a [PathRow],
}

impl PlotData<'_> {
    pub(super) fn figure_of(&self, title: &str, panels: Vec<Panel>) -> Figure {
        let mut notes = Vec::new();
        if self.survey.calls == 0 && self.survey.waited == 0 {
            notes.push("There is no call to show.".to_owned());
        }
        let shown = shown(self.job, self.plan);
        notes.extend(shown.map(|shown| format!("Shown: {shown}.")));
        Figure {
            title: titled(title, self.job),
            subtitle: self.subtitle(),
            notes,
            panels,
        }
    }

    pub(super) fn subtitle(&self) -> String {
        let [read, written] = self.survey.bytes();
        let ranks = self.survey.ranks.len() as u64;
        format!(
            "{} \u{b7} {} \u{b7} {} read \u{b7} {} written \u{b7} {}",
            self.job.tasks.many(ranks),
            many(self.survey.calls, "call"),
            bytes(read),
            bytes(written),
            many(self.survey.files.len() as u64, "file"),
        )
    }

    pub(super) fn focus_name(&self) -> String {
        match self.plan.focus {
            Focus::File(file) => self.name(file),
            Focus::All => many(self.survey.files.len() as u64, "file"),
        }
    }

    pub(crate) fn name(&self, file: FileId) -> String {
        printable(self.job.files.path(file))
    }

    /// The axis of time.
    pub(super) fn time(&self) -> Axis {
        let Bins { from, .. } = self.plan.time;
        Axis::new(
            "time since the job's start",
            Unit::Time,
            from as f64,
            self.plan.time.until() as f64,
        )
    }

    /// The axis of ranks, or of the processes of a job without ranks in the order in which they began.
    pub(super) fn rank_axis(&self) -> Axis {
        let (from, until) = (self.plan.ranks.from as f64, self.plan.ranks.until() as f64);
        Axis::new(
            self.job.tasks.kind().word(),
            Unit::Index,
            from - 0.5,
            until - 0.5,
        )
    }

    pub(super) fn is_empty(&self, cells: &[u64]) -> bool {
        cells.iter().all(|cell| *cell == 0)
    }
}

/// The time that axes show, if that is not all of the run.
pub fn shown(job: &Job, plan: &Plan) -> Option<String> {
    let (from, until) = (plan.time.from, plan.time.until());
    let [first, last, all] = [from, until, job.duration].map(nanos);
    let is_whole = from <= 0 && until >= job.duration;
    (!is_whole).then(|| format!("{first} to {last} of a run of {all}"))
}

/// A title with the program's name, if that is known.
pub(super) fn titled(title: &str, job: &Job) -> String {
    let first = iota_analysis::processes::first(job.trace);
    let part = first.and_then(|part| job.trace.parts().get(part as usize));
    let process = part.and_then(|part| part.process());
    let exe = process
        .map(|process| process.fields().exe.to_owned())
        .unwrap_or_default();
    let name = iota_analysis::file_name(&exe);
    match name.is_empty() {
        true => title.to_owned(),
        false => format!("{title} \u{2013} {}", printable(name)),
    }
}

/// Bytes of a name as one line of text.
pub fn printable(name: &[u8]) -> String {
    Printable(name).to_string()
}

/// A colour for each cell that is not empty, and what the colours mean. Where a few cells have much more than most, equal
/// steps of colour are equal factors.
pub(super) fn coloured(
    cells: &[u64],
    label: &str,
    say: impl Fn(f64) -> String,
) -> (Vec<Option<Colour>>, Scale) {
    let mut some: Vec<u64> = cells.iter().copied().filter(|cell| *cell > 0).collect();
    some.sort_unstable();
    let most = some.last().copied().unwrap_or(1) as f64;
    let half = some.get(some.len() / 2).copied().unwrap_or(1) as f64;
    let is_log = most / half > 30.0;
    let least = if is_log {
        (most / 1e4).max(some[0] as f64)
    } else {
        0.0
    };
    let share = |cell: u64| match is_log {
        true => (cell as f64 / least).ln() / (most / least).ln(),
        false => cell as f64 / most,
    };
    // Few colours make long runs of cells of one colour, and small pictures.
    let colour =
        |share: f64| intensity((share.clamp(0.0, 1.0) * 31.0).round() / 31.0 * 0.96 + 0.04);
    let scale = Scale {
        label: if is_log {
            format!("{label} (log)").trim_start().to_owned()
        } else {
            label.to_owned()
        },
        from: say(least),
        to: say(most),
        colours: (0..16).map(|n| colour(f64::from(n) / 15.0)).collect(),
    };
    let cells = cells
        .iter()
        .map(|cell| (*cell > 0).then(|| colour(share(*cell))));
    (cells.collect(), scale)
}

/// The outline of bars: the values of bins as points.
pub(super) fn steps(bins: &Bins, values: impl IntoIterator<Item = f64>) -> Vec<(f64, f64)> {
    let values = values.into_iter().enumerate();
    let points = values.flat_map(|(n, value)| {
        [
            (bins.start(n) as f64, value),
            (bins.start(n + 1) as f64, value),
        ]
    });
    points.collect()
}
