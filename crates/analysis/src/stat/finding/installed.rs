//! How files of installations are used; these findings come last.

use super::Rules;
use crate::stat::{Finding, TimeCategory};

/// What findings on them begin with.
const BEHIND: &str = "installed software: ";

impl Finding {
    /// Whether it comes behind those on the files of the job.
    pub fn is_behind(&self) -> bool {
        self.what.starts_with(BEHIND)
    }
}

impl Rules<'_> {
    pub(super) fn of_installations(&self) -> Vec<Finding> {
        let found = [
            self.small(TimeCategory::Read),
            self.random(TimeCategory::Read),
            self.rereads(),
            self.opens(),
            self.metadata(),
        ];
        let marked = |finding: Finding| Finding {
            what: format!("{BEHIND}{}", finding.what),
            ..finding
        };
        found.into_iter().flatten().map(marked).collect()
    }
}
