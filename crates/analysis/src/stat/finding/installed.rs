//! How files of installations are used; these findings come last.

use super::Rules;
use crate::FileId;
use crate::stat::{FileStat, Finding, Tally, TimeCategory};
use std::borrow::Cow;

/// What findings on them begin with.
const BEHIND: &str = "installed software: ";

impl Finding {
    /// Whether it comes behind those on the files of the job.
    pub fn is_behind(&self) -> bool {
        self.what.starts_with(BEHIND)
    }
}

impl Rules<'_> {
    /// The files on storage that are judged: those of installations, or all others.
    pub(super) fn judged(&self) -> impl Iterator<Item = (FileId, Cow<'_, FileStat>)> {
        self.stat.files_of(|id| {
            self.installed.contains(&id) == self.of_installed && self.facts.is_stored(id)
        })
    }

    pub(super) fn summed(mut self) -> Self {
        let mut stored = Tally::default();
        let files = self.judged();
        files.for_each(|(_, file)| stored.merge(&file.tally));
        self.stored = stored;
        self
    }

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
