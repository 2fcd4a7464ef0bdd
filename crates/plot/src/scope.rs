//! What a picture is of.

use iota_analysis::filter::{Filter, Term};
use iota_analysis::servers::ServerTies;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// What of a trace is looked at.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The calls that are wanted.
    pub filter: Filter,
    /// What servers did for the calls, where their traces were joined.
    pub servers: Option<Arc<ServerTies>>,
}

impl Scope {
    /// The time that was asked for.
    pub(crate) fn window(&self) -> Option<RangeInclusive<i64>> {
        let windows = self.filter.terms.iter().filter_map(|term| match term {
            Term::During(window) => Some(window.clone()),
            _ => None,
        });
        windows.reduce(|one, other| *one.start().max(other.start())..=*one.end().min(other.end()))
    }
}
