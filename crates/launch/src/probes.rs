//! `--probe`: which functions a run records besides those of the table, and what the user should know of them before.

use super::demangled::{self, is_for_source};
use super::entries::Entry;
use super::lists::expanded;
use super::program::Program;
use super::symbols::{Names, near};
use anyhow::{Context, anyhow, bail};
use iota_calls::{MOST_PROBES, refused};
use iota_quantity::{count, many};
use iota_trace::patches::{self, Owned};
use iota_trace::read::Trace;
use iota_trace::{Printable, glob};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

/// What the tracer has room for
const ROOM: usize = 16383;
/// Functions of which it is said why they have no probe
const MOST_NAMED: usize = 3;
const WILD: [char; 4] = ['*', '?', '[', '\\'];

/// The functions that the user named
pub struct Probes {
    patterns: Vec<String>,
    /// What the tracer does to functions that no slot leads to
    patches: Vec<Owned>,
    /// What patterns for names of the source stand for
    named: BTreeSet<String>,
}

impl Probes {
    /// By option, or by the variable
    ///
    /// # Errors
    ///
    /// A pattern is no glob, or there are too many.
    pub fn new(given: &[String]) -> anyhow::Result<Probes> {
        let list = list("--probe", given, "IOTA_PROBE", ROOM)?;
        let words = list.split(',').filter(|one| !one.is_empty());
        let globs = words.map(|word| expanded(word).map_err(|why| anyhow!(why)));
        let globs = globs.collect::<anyhow::Result<Vec<_>>>()?;
        let patterns = globs.iter().flat_map(|globs| globs.split(','));
        let patterns: Vec<_> = patterns.map(str::to_owned).collect();
        patterns
            .iter()
            .try_for_each(|pattern| check("--probe", pattern))?;
        Ok(Probes {
            patterns,
            patches: Vec::new(),
            named: BTreeSet::new(),
        })
    }

    /// The variables that the command gets; what the tracer reads from a file is written to `patches`
    ///
    /// # Errors
    ///
    /// There are too many names, or the file cannot be written.
    pub fn variables(
        &self,
        patches: impl FnOnce() -> PathBuf,
    ) -> anyhow::Result<Vec<(&'static str, OsString)>> {
        if self.patterns.is_empty() {
            return Ok(Vec::new());
        }
        let patches = match self.patches.is_empty() {
            true => OsString::new(),
            false => {
                let file = patches();
                std::fs::write(&file, patches::file(&self.patches))
                    .with_context(|| Printable::path(&file))?;
                file.into()
            }
        };
        Ok(vec![
            ("IOTA_PROBE", self.list()?.into()),
            ("IOTA_PATCHES", patches),
            // What a slot leads to is known once the dynamic linker has filled it.
            ("LD_BIND_NOW", "1".into()),
        ])
    }

    /// The patterns as the tracer matches them, with the names that the linker has
    fn list(&self) -> anyhow::Result<String> {
        let patterns = self.patterns.iter().filter(|one| !is_for_source(one));
        let all: Vec<_> = patterns.chain(&self.named).map(String::as_str).collect();
        let list = match all.is_empty() {
            // Only inner functions: a pattern that no slot's function matches.
            true => "::".to_owned(),
            false => all.join(","),
        };
        if list.len() > ROOM {
            bail!(
                "--probe: the names of {} have more than {} bytes; a glob of the linker's names is shorter",
                many(self.named.len() as u64, "function"),
                count(ROOM as u64)
            );
        }
        Ok(list)
    }

    /// Finds the functions in these programs and their libraries; what becomes of each pattern
    ///
    /// # Errors
    ///
    /// A pattern stands for functions that cannot be probed, for none, or for too many.
    pub fn look<'p>(
        &mut self,
        programs: impl Iterator<Item = &'p Program>,
    ) -> anyhow::Result<Vec<String>> {
        if self.patterns.is_empty() {
            return Ok(Vec::new());
        }
        let mut files: BTreeSet<_> = programs.flat_map(Program::files).collect();
        files.retain(|file| !file.ends_with("libiota.so"));
        let is_wanted = |name: &str| {
            let mut patterns = self.patterns.iter();
            patterns.any(|pattern| demangled::matches(pattern, name))
        };
        let all = files.iter().filter_map(|file| Names::of(file, is_wanted));
        let all: Vec<_> = all.collect();
        let mut messages = Vec::new();
        for pattern in &self.patterns {
            let search = Search { pattern, all: &all };
            messages.extend(search.message()?);
            if is_for_source(pattern) {
                self.named.extend(search.exported());
            }
        }
        let entries = all.into_iter().flat_map(|names| names.entries);
        self.patches = entries.filter_map(|entry| entry.outcome.ok()).collect();
        Ok(messages)
    }

    /// What of them the trace has no call of
    pub fn silent(&self, trace: &Trace) -> Vec<String> {
        silent(&self.patterns, trace)
            .map(|pattern| {
                format!(
                    "probe {pattern}: no call was recorded (a call that the compiler has made a part of its caller is \
                     not seen)"
                )
            })
            .collect()
    }
}

/// What an option says, else the variable: no longer than the tracer has room for
pub(crate) fn list(
    option: &str,
    given: &[String],
    variable: &str,
    room: usize,
) -> anyhow::Result<String> {
    let list = match given {
        [] => std::env::var(variable).unwrap_or_default(),
        given => given.join(","),
    };
    if list.len() > room {
        bail!("{option}: more than {} bytes", count(room as u64));
    }
    Ok(list)
}

/// Whether it is a glob
pub(crate) fn check(option: &str, pattern: &str) -> anyhow::Result<()> {
    glob::check(pattern.as_bytes())
        .map_err(|_| anyhow!("{option} {pattern}: a [ without ], or a \\ at the end"))
}

/// The patterns of which a trace has no call
pub(crate) fn silent<'p>(
    patterns: &'p [String],
    trace: &Trace,
) -> impl Iterator<Item = &'p String> {
    let mut called = BTreeSet::new();
    for part in trace.parts().iter().filter(|_| !patterns.is_empty()) {
        called.extend(part.names().ops().map(|(_, op)| op.name.to_owned()));
    }
    let is_called = move |pattern: &String| {
        let mut called = called.iter().map(|name| Printable(name).to_string());
        called.any(|name| demangled::matches(pattern, &name))
    };
    patterns.iter().filter(move |pattern| !is_called(pattern))
}

/// One pattern, and where it is looked for
struct Search<'a> {
    pattern: &'a str,
    all: &'a [Names],
}

impl<'a> Search<'a> {
    fn message(&self) -> anyhow::Result<Option<String>> {
        if let Some(why) = refused(self.pattern.as_bytes()) {
            bail!("--probe {}: {why}", self.pattern);
        }
        let found = self.found();
        let names = found.iter().flat_map(|found| &found.exported);
        let names: BTreeSet<_> = names.copied().collect();
        let wanted = names
            .iter()
            .filter(|name| refused(name.as_bytes()).is_none());
        let wanted = wanted.count() + found.iter().map(Matches::inner_count).sum::<usize>();
        if wanted > MOST_PROBES {
            bail!(
                "--probe {}: {}, and a process can have {}",
                self.pattern,
                many(wanted as u64, "function"),
                many(MOST_PROBES as u64, "probe")
            );
        }
        if found.is_empty() {
            return self.nowhere();
        }
        self.none_can(&found)?;
        let left_out = names
            .iter()
            .filter(|name| refused(name.as_bytes()).is_some());
        let left_out = left_out.count();
        Ok(Some(self.list(&found, left_out)))
    }

    /// The functions that match, file by file
    fn found(&self) -> Vec<Matches<'a>> {
        let of = |names: &'a Names| {
            let all = names.functions.iter().map(String::as_str);
            let entries = names.entries.iter();
            Matches {
                names,
                exported: all.filter(|name| self.matches(name)).collect(),
                entries: entries.filter(|entry| self.matches(&entry.name)).collect(),
            }
        };
        let found = self.all.iter().map(of);
        found
            .filter(|found| !found.exported.is_empty() || !found.entries.is_empty())
            .collect()
    }

    /// An error if a name is that of a function which can have no probe
    fn none_can(&self, found: &[Matches]) -> anyhow::Result<()> {
        let is_all_inner = found.iter().all(|found| found.exported.is_empty());
        let mut outcomes = found.iter().flat_map(|found| &found.entries);
        let is_hopeless = outcomes.all(|entry| entry.outcome.is_err());
        if !self.pattern.contains(WILD) && is_all_inner && is_hopeless {
            let first = found.iter().find_map(|found| found.entries.first());
            let why = first.and_then(|entry| entry.outcome.as_ref().err());
            bail!(
                "--probe {}: {}",
                self.pattern,
                why.copied().unwrap_or_default()
            );
        }
        Ok(())
    }

    fn matches(&self, name: &str) -> bool {
        demangled::matches(self.pattern, name)
    }

    /// The functions that slots may lead to
    fn exported(&self) -> impl Iterator<Item = String> {
        let names = self.found().into_iter().flat_map(|found| found.exported);
        let wanted = names.filter(|name| refused(name.as_bytes()).is_none());
        wanted.map(str::to_owned)
    }

    /// `probe H5*: 312 functions of libhdf5.so.103`
    fn list(&self, found: &[Matches], left_out: usize) -> String {
        let files: Vec<_> = found.iter().flat_map(Matches::counts).collect();
        let mut message = format!("probe {}: {}", self.pattern, files.join(", "));
        if files.is_empty() {
            message += "no function";
        }
        if left_out > 0 {
            message += &format!(
                "; {} left out: recorded already, or cannot have a probe",
                count(left_out as u64)
            );
        }
        found.iter().for_each(|found| message += &found.failed());
        if !self.is_seen(found) {
            message += "; nothing calls it through the dynamic linker: a call is recorded only if a library that is loaded \
                     later makes it";
        }
        message
    }

    /// Whether any call can be
    fn is_seen(&self, found: &[Matches]) -> bool {
        let is_called = |name: &str| self.all.iter().any(|file| file.slots.contains(name));
        let mut exported = found.iter().flat_map(|found| &found.exported).peekable();
        let mut entries = found.iter().flat_map(|found| &found.entries);
        exported.peek().is_none()
            || exported.any(|name| is_called(name))
            || entries.any(|entry| entry.outcome.is_ok())
    }

    /// What is said of a pattern that no function matches
    fn nowhere(&self) -> anyhow::Result<Option<String>> {
        let pattern = self.pattern;
        let has = |of: fn(&Names) -> &BTreeSet<String>| {
            let mut files = self.all.iter();
            files.find(|names| of(names).iter().any(|name| self.matches(name)))
        };
        if let Some(file) = has(|names| &names.variables) {
            bail!(
                "--probe {pattern}: a variable of {}, not a function",
                file.name()
            );
        }
        let functions = || self.all.iter().flat_map(|names| &names.functions);
        let is_name = !pattern.contains(WILD);
        let near = near(pattern, functions().map(String::as_str));
        if is_name && !near.is_empty() {
            bail!(
                "--probe {pattern}: no such function in the program and its libraries, but {}; if a library that is loaded \
                 later has it, write --probe '{}'",
                near.join(", "),
                as_glob(pattern)
            );
        }
        Ok(Some(format!(
            "probe {pattern}: no function of the program and its libraries; libraries that are loaded later may have one"
        )))
    }
}

/// What a pattern matches in one file
struct Matches<'a> {
    names: &'a Names,
    exported: Vec<&'a str>,
    entries: Vec<&'a Entry>,
}

impl Matches<'_> {
    fn inner(&self) -> impl Iterator<Item = &Entry> {
        let entries = self.entries.iter().copied();
        entries.filter(|entry| !entry.is_exported)
    }

    fn inner_count(&self) -> usize {
        self.inner().filter(|entry| entry.outcome.is_ok()).count()
    }

    /// `12 functions of libmodel.so`, `3 inner functions of app`
    fn counts(&self) -> Vec<String> {
        let mut exported = self.exported.iter();
        let usable = exported
            .by_ref()
            .filter(|name| refused(name.as_bytes()).is_none());
        let counts = [
            (usable.count(), "function"),
            (self.inner_count(), "inner function"),
        ];
        let counts = counts.into_iter().filter(|(n, _)| *n > 0);
        counts
            .map(|(n, what)| format!("{} of {}", many(n as u64, what), self.names.name()))
            .collect()
    }

    /// The functions whose first instructions do not allow a probe
    fn failed(&self) -> String {
        let failed = self.entries.iter().filter_map(|entry| {
            let why = entry.outcome.as_ref().err()?;
            Some(match entry.is_exported {
                false => format!("; {} left out: {why}", entry.name),
                true => format!(
                    "; calls of {} inside its library are not seen: {why}",
                    entry.name
                ),
            })
        });
        let failed: Vec<_> = failed.collect();
        let mut message = failed.iter().take(MOST_NAMED).cloned().collect::<String>();
        if failed.len() > MOST_NAMED {
            let more = count((failed.len() - MOST_NAMED) as u64);
            message += &format!("; {more} more for such reasons");
        }
        message
    }
}

/// The same name as a pattern
fn as_glob(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| format!("[{first}]"));
    first.unwrap_or_default() + letters.as_str()
}
