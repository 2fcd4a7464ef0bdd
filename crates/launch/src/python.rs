//! `--python-probe`: which functions of Python a run records, and what the user should know of them afterwards.

use super::probes::{check, list, silent};
use iota_trace::read::Trace;
use std::ffi::OsString;

const OPTION: &str = "--python-probe";
const VARIABLE: &str = "IOTA_PYTHON_PROBE";
/// What the tracer has room for
const ROOM: usize = 4095;

/// The functions that the user named
pub struct Python {
    patterns: Vec<String>,
}

impl Python {
    /// By option, or by the variable
    ///
    /// # Errors
    ///
    /// A pattern is no glob, or there are too many.
    pub fn new(given: &[String]) -> anyhow::Result<Python> {
        let list = list(OPTION, given, VARIABLE, ROOM)?;
        let words = list.split(',').filter(|one| !one.is_empty());
        let patterns: Vec<_> = words.map(str::to_owned).collect();
        patterns
            .iter()
            .try_for_each(|pattern| check(OPTION, pattern))?;
        Ok(Python { patterns })
    }

    /// The variable that the command gets
    pub fn variable(&self) -> Option<(&'static str, OsString)> {
        let is_there = !self.patterns.is_empty();
        is_there.then(|| (VARIABLE, self.patterns.join(",").into()))
    }

    /// What of them the trace has no call of
    pub fn silent(&self, trace: &Trace) -> Vec<String> {
        silent(&self.patterns, trace)
            .map(|pattern| {
                format!(
                    "python-probe {pattern}: no call was recorded (names are MODULE.FUNCTION and MODULE.CLASS.FUNCTION; \
                     functions of CPython 3.8 and later are seen)"
                )
            })
            .collect()
    }
}
