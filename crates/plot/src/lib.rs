//! Pictures of a trace of any size: what they show is found in two passes, made to a figure, and that is drawn as SVG, as PNG
//! (the SVG, rendered) or with characters.

pub mod axis;
pub mod colours;
pub mod figure;
pub mod found;
mod kinds;
pub mod png;
pub mod svg;
pub mod terminal;

pub use kinds::{Kind, Seen, many, printable};

use figure::Figure;
use found::{Found, Plan, Survey, Wants};
use iota_analysis::filter::{Filter, Name, Term};
use iota_analysis::{Job, Pass, Progress};
use std::ops::RangeInclusive;

/// What of a trace is looked at.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The calls that are wanted.
    pub filter: Filter,
}

impl Scope {
    /// Calls of all layers count where one was asked for; otherwise those of descriptors and streams, which what layers
    /// above them move comes down to.
    fn all_layers(&self) -> bool {
        let is_layer = |term: &Term| matches!(term, Term::Named(Name::Layer, ..));
        self.filter.terms.iter().any(is_layer)
    }

    /// The time that was asked for.
    fn window(&self) -> Option<RangeInclusive<i64>> {
        let windows = self.filter.terms.iter().filter_map(|term| match term {
            Term::During(window) => Some(window.clone()),
            _ => None,
        });
        windows.reduce(|one, other| *one.start().max(other.start())..=*one.end().min(other.end()))
    }
}

/// Finds what a figure needs and hands it to `then`.
pub fn look<T>(
    job: &Job,
    scope: &Scope,
    one: bool,
    wants: Wants,
    progress: &(dyn Fn(Progress) + Sync),
    then: impl FnOnce(&Seen) -> T,
) -> T {
    let pass = Pass::of(job).only(&scope.filter);
    let both = |half: u64| {
        move |at: Progress| {
            progress(Progress {
                done: at.done + half * at.all,
                all: at.all * 2,
            })
        }
    };
    let (first, second) = (both(0), both(1));
    let survey = pass.progress(&first).run(|| Survey::new(scope.all_layers()));
    let plan = Plan::new(job, &survey, scope.window(), one, wants);
    let pass = Pass::of(job).only(&scope.filter);
    let found = pass.progress(&second).run(|| Found::new(&plan, job));
    then(&Seen {
        job,
        survey: &survey,
        plan: &plan,
        found: &found,
    })
}

/// A picture of one kind.
pub fn figure(job: &Job, scope: &Scope, kind: Kind, progress: &(dyn Fn(Progress) + Sync)) -> Figure {
    look(job, scope, kind.is_of_one(), kind.wants(), progress, |seen| seen.figure(kind))
}
