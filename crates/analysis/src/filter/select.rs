//! Expressions that select calls, written for people to use again: the other way round from `parse`.

use crate::{TaskId, Tasks};
use iota_quantity::bytes_to_give;
use iota_trace::Printable;
use std::fmt::Write;

/// An expression, a term at a time.
#[derive(Clone, Debug, Default)]
pub struct Select(String);

impl Select {
    /// The term of what is about no single file.
    pub const ON_STORAGE: &str = "on=storage";

    /// Calls of these classes.
    pub fn class(names: &str) -> Select {
        Select::default().and("class", names)
    }

    /// Calls of MPI-IO.
    pub fn mpiio() -> Select {
        Select::default().and("layer", "mpiio")
    }

    /// Calls of a rank, or of a process of a job without ranks.
    pub fn task(tasks: &Tasks, task: TaskId) -> Select {
        match tasks.pid(task) {
            Some(pid) => Select::default().and("pid", &pid.to_string()),
            None => Select::default().and("rank", &task.to_string()),
        }
    }

    /// And on storage, for what is about no single file.
    pub fn on_storage(self) -> Select {
        self.with(Select::ON_STORAGE)
    }

    /// And this field has this value, or one of these.
    pub fn and(self, field: &str, value: &str) -> Select {
        self.with(&format!("{field}={value}"))
    }

    /// And with fewer bytes.
    pub fn below(self, bytes: u64) -> Select {
        self.with(&format!("bytes<{}", bytes_to_give(bytes)))
    }

    fn with(mut self, term: &str) -> Select {
        self.term(term);
        self
    }

    /// And this term.
    pub fn term(&mut self, term: &str) {
        let separator = if self.0.is_empty() { "" } else { "," };
        // A String takes all.
        let _ = write!(self.0, "{separator}{term}");
    }

    /// And of this function, if its name can be written in an expression.
    pub fn op(self, name: &[u8]) -> Select {
        self.named("op", name)
    }

    /// And on this file, likewise.
    pub fn file(self, path: &[u8]) -> Select {
        self.on_file("file", path)
    }

    /// And on a file whose path is these pieces with anything between them.
    pub fn files(self, pieces: &[Vec<u8>]) -> Select {
        match quoted_pieces(pieces.iter().map(Vec::as_slice)) {
            Some(quoted) => self.and("file", &quoted),
            None => self.on_storage(),
        }
    }

    /// And on this node.
    pub fn host(self, name: &[u8]) -> Select {
        self.named("host", name)
    }

    /// And on this dataset, variable or attribute.
    pub fn object(self, name: &[u8]) -> Select {
        self.named("object", name)
    }

    /// And in this directory.
    pub fn directory(self, path: &[u8]) -> Select {
        self.on_file("dir", path)
    }

    /// A path that cannot be written is one on storage at least.
    fn on_file(self, field: &str, path: &[u8]) -> Select {
        match quoted(path) {
            Some(quoted) => self.and(field, &quoted),
            None => self.on_storage(),
        }
    }

    fn named(self, field: &str, name: &[u8]) -> Select {
        match quoted(name) {
            Some(quoted) => self.and(field, &quoted),
            None => self,
        }
    }

    /// As `--where` takes it.
    pub fn text(self) -> String {
        self.0
    }
}

/// A pattern that matches this name; none for one with both kinds of quotes, or with what is not shown as it is.
fn quoted(name: &[u8]) -> Option<String> {
    quoted_pieces(std::iter::once(name))
}

/// The same for pieces with anything between them.
fn quoted_pieces<'p>(pieces: impl Iterator<Item = &'p [u8]>) -> Option<String> {
    let escaped: Option<Vec<String>> = pieces.map(escaped).collect();
    let pattern = escaped?.join("*");
    if pattern.is_empty() {
        return None;
    }
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:*".contains(c);
    match () {
        () if pattern.chars().all(is_plain) => Some(pattern),
        () if !pattern.contains('"') => Some(format!("\"{pattern}\"")),
        () if !pattern.contains('\'') => Some(format!("'{pattern}'")),
        () => None,
    }
}

/// A name as a part of a pattern; none for what is not shown as it is.
fn escaped(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    // A backslash is shown as two.
    let plain = name.replace('\\', "");
    if Printable(plain.as_bytes()).to_string() != plain {
        return None;
    }
    let mut pattern = String::new();
    for c in name.chars() {
        if matches!(c, '*' | '?' | '[' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    Some(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Filter;
    use crate::filter::{Name, Term};
    use iota_trace::glob;

    #[test]
    fn a_path_is_matched_by_the_pattern_that_is_written_for_it() {
        for path in [
            "/a/b.h5",
            "/a b,c",
            "/x[1]*?",
            "/it's",
            "/say \"a\"",
            "/back\\slash",
            "pipe:[4711]",
        ] {
            let text = Select::class("read,write").file(path.as_bytes()).text();
            let filter: Filter = text.parse().unwrap();
            let [_, Term::Named(Name::File, true, globs)] = &filter.terms[..] else {
                panic!("{text}: {filter:?}");
            };
            assert!(glob::one(&globs[0], path.as_bytes()), "{text}");
        }
        assert_eq!(
            Select::task(&Tasks::default(), 3)
                .directory(b"/usr/lib")
                .text(),
            "rank=3,dir=/usr/lib"
        );
        for unseen in ["/a\nb", "/a\u{202e}b", "'\"", "", "/\u{1b}[31m"] {
            let text = Select::class("read").file(unseen.as_bytes()).text();
            assert_eq!(text, "class=read,on=storage", "{unseen:?}");
        }
    }
}
