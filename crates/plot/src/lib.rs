//! Pictures of a trace of any size: what they show is found in two passes, made to a figure, and that is drawn as SVG, as PNG
//! or PDF (the SVG, rendered) or with characters.

pub mod aggregates;
pub mod axis;
pub mod colours;
pub mod figure;
mod kinds;
mod missing;
pub mod pdf;
pub mod png;
mod scope;
pub mod svg;
pub mod terminal;

pub use kinds::{Kind, PlotData, callers, printable, shown, tree};
pub use missing::Missing;
pub use scope::Scope;

use aggregates::{Aggregates, Needs, Plan, Survey};
use figure::Figure;
use iota_analysis::layers::{Layers, layer_of};
use iota_analysis::{Job, Pass, Progress};

/// The first pass: how much there is of everything.
pub fn survey(job: &Job, scope: &Scope, progress: &(dyn Fn(Progress) + Sync)) -> Survey {
    let pass = Pass::of(job).only(&scope.filter).progress(progress);
    pass.run(Survey::default)
}

/// How the second pass divides it, of one file if a picture is of one only.
pub fn plan(job: &Job, survey: &Survey, scope: &Scope, one: bool, wants: Needs) -> Plan {
    Plan::new(job, survey, scope.window(), one, wants)
}

/// A picture of one kind.
///
/// # Errors
/// If the trace, or what the filter leaves of it, has nothing that such a picture shows.
pub fn figure(
    job: &Job,
    scope: &Scope,
    kind: Kind,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Figure, Missing> {
    // The tree needs no bins, and one pass; it has calls that are no I/O themselves.
    let survey = match kind {
        Kind::Tree => Survey::default(),
        _ => survey(job, scope, &|at| progress(half(at, 0))),
    };
    let is_chosen = scope.filter.is_chosen();
    let is_empty = survey.ranks.is_empty() && (is_chosen || job.event_count() > 0);
    if is_empty && kind != Kind::Tree {
        return Err(Missing::calls());
    }
    let plan = plan(job, &survey, scope, kind.is_of_one(), kind.wants());
    let second = |at| progress(half(at, 1));
    let wanted = scope.filter.bind(job);
    let servers = scope.servers.as_deref();
    let new = || Layers::new(job, &wanted, layer_of(job)).with_servers(servers);
    let (mut found, mut tree, mut rows) = (Aggregates::new(&plan, job), new(), Vec::new());
    if kind == Kind::Tree {
        rows = callers::find(job, scope, progress);
        if rows.is_empty() && is_chosen {
            return Err(Missing::calls());
        }
    } else if kind.is_of_tree() {
        let pass = Pass::of(job).of_processes(&scope.filter).progress(&second);
        tree = pass.run(|| new().with_sub_calls());
    } else {
        let pass = Pass::of(job).only(&scope.filter).progress(&second);
        found = pass.run(|| Aggregates::new(&plan, job));
    }
    let seen = PlotData {
        job,
        survey: &survey,
        plan: &plan,
        found: &found,
        tree: &tree,
        callers: &rows,
    };
    match seen.missing(kind, is_chosen) {
        Some(missing) => Err(missing),
        None => Ok(seen.figure(kind)),
    }
}

/// How far two passes are when this one is so far.
pub fn half(at: Progress, passes_before: u64) -> Progress {
    Progress {
        done: at.done + passes_before * at.all,
        all: at.all * 2,
    }
}
