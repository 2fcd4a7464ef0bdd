//! What is known of traces that were read before, as a file: a line of JSON for each. It may always be removed.

use crate::files::{FileStamp, JobFiles};
use crate::row::JobRow;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{self, Write};

/// What lines mean; an index of another version is made anew.
const VERSION: u32 = 1;

/// What was found in the files of a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// As the files were.
    pub files: Vec<FileStamp>,
    /// Usually one.
    pub jobs: Vec<JobRow>,
    /// What could not be read.
    pub problems: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    name: String,
    #[serde(flatten)]
    entry: Entry,
}

#[derive(Serialize, Deserialize)]
struct Head {
    iota_jobs: u32,
}

/// Entries by the names of their traces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Index {
    entries: HashMap<String, Entry>,
}

impl Index {
    /// What a file says; None: it is no index. Lines that make no sense are passed over: their traces are read again.
    pub fn of(text: &str) -> Option<Index> {
        if text.is_empty() {
            return Some(Index::default());
        }
        let (head, lines) = text.split_once('\n').unwrap_or((text, ""));
        let head: Head = serde_json::from_str(head).ok()?;
        let lines = lines.lines().take_while(|_| head.iota_jobs == VERSION);
        let lines = lines.filter_map(|line| serde_json::from_str(line).ok());
        let entries = lines.map(|line: Line| (line.name, line.entry));
        Some(Index {
            entries: entries.collect(),
        })
    }

    /// What is known of files that have not changed.
    pub fn get(&self, name: &str, files: &[FileStamp]) -> Option<&Entry> {
        self.entries.get(name).filter(|entry| entry.files == files)
    }

    /// Adds what was found.
    pub fn add(&mut self, name: String, entry: Entry) {
        self.entries.insert(name, entry);
    }

    /// Forgets the traces that are gone from directories that were looked at.
    pub fn keep(&mut self, found: &[JobFiles], is_below: impl Fn(&str) -> bool) {
        let names: std::collections::HashSet<String> = found
            .iter()
            .map(|job| iota_trace::Printable::path(&job.name))
            .collect();
        self.entries
            .retain(|name, _| names.contains(name) || !is_below(name));
    }

    /// Writes it.
    ///
    /// # Errors
    /// Those of the file.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut lines: Vec<(&String, &Entry)> = self.entries.iter().collect();
        lines.sort_by_key(|(name, _)| *name);
        serde_json::to_writer(&mut *to, &Head { iota_jobs: VERSION })?;
        to.write_all(b"\n")?;
        for (name, entry) in lines {
            let line = Line {
                name: name.clone(),
                entry: entry.clone(),
            };
            serde_json::to_writer(&mut *to, &line)?;
            to.write_all(b"\n")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(bytes: u64) -> Entry {
        Entry {
            files: vec![FileStamp {
                name: "run.iota".to_owned(),
                bytes,
                modified: 7,
                owner: 0,
            }],
            jobs: vec![JobRow {
                trace: "/d/run.iota".to_owned(),
                share_of_run: 0.1,
                ..JobRow::default()
            }],
            problems: vec!["x".to_owned()],
        }
    }

    #[test]
    fn an_index_comes_back() {
        let mut index = Index::default();
        index.add("/d/run.iota".to_owned(), entry(1));
        index.add("/e/run.iota".to_owned(), entry(2));
        let mut text = Vec::new();
        index.write(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let again = Index::of(&text).unwrap();
        assert_eq!(again, index);
        assert!(again.get("/d/run.iota", &entry(1).files).is_some());
        assert!(
            again.get("/d/run.iota", &entry(3).files).is_none(),
            "it has changed"
        );
        let other = text.replacen('1', "2", 1);
        assert_eq!(Index::of(&other), Some(Index::default()), "another version");
        assert_eq!(Index::of("no index"), None);
        let damaged = text.replace("/e/run.iota\",", "");
        assert_eq!(Index::of(&damaged).unwrap().entries.len(), 1);
        index.keep(&[], |name| name.starts_with("/d/"));
        assert!(index.entries.contains_key("/e/run.iota") && index.entries.len() == 1);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text: String) {
            Index::of(&text);
            Index::of(&format!("{{\"iota_jobs\":1}}\n{text}"));
        }
    }
}
