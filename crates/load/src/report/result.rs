//! What is reported, and the forms in which it is.

use crate::engine::Outcome;
use crate::plan::Plan;
use std::io::{self, Write};

/// A run as it is reported: when it was invoked, how, and its phases.
pub struct Run<'a> {
    /// The time of invocation.
    pub invoked: &'a str,
    /// The phases that were begun.
    pub phases: Vec<PhaseResult<'a>>,
}

/// A phase and what came of it.
pub struct PhaseResult<'a> {
    /// What was to be done.
    pub plan: &'a Plan,
    /// What was.
    pub outcome: &'a Outcome,
    /// What the user should know.
    pub notes: &'a [String],
}

/// A form of the report.
pub trait Form {
    fn write(&self, run: &Run, out: &mut dyn Write) -> io::Result<()>;
}
