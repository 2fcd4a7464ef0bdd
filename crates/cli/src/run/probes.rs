//! `--probe`: which functions a run records besides those of the table, and what the user should know of them before.

use super::lists::expanded;
use super::program::Program;
use super::symbols::{Names, near};
use crate::units::{count, many};
use anyhow::{anyhow, bail};
use iota_calls::{MOST_PROBES, refused};
use iota_trace::glob;
use iota_trace::read::Trace;
use std::collections::BTreeSet;
use std::ffi::OsString;

/// What the tracer has room for
const ROOM: usize = 16383;
const WILD: [char; 4] = ['*', '?', '[', '\\'];

/// The functions that the user named
pub struct Probes {
    patterns: Vec<String>,
}

impl Probes {
    /// By option, or by the variable
    pub fn new(given: &[String]) -> anyhow::Result<Probes> {
        let inherited = || std::env::var("IOTA_PROBE").unwrap_or_default();
        let list = match given {
            [] => inherited(),
            given => given.join(","),
        };
        if list.len() > ROOM {
            bail!("--probe: more than {} bytes", count(ROOM as u64));
        }
        let words = list.split(',').filter(|one| !one.is_empty());
        let globs = words.map(|word| expanded(word).map_err(|why| anyhow!(why)));
        let globs = globs.collect::<anyhow::Result<Vec<_>>>()?;
        let patterns = globs.iter().flat_map(|globs| globs.split(','));
        let patterns: Vec<_> = patterns.map(str::to_owned).collect();
        for pattern in &patterns {
            glob::check(pattern.as_bytes())
                .map_err(|_| anyhow!("--probe {pattern}: a [ without ], or a \\ at the end"))?;
        }
        Ok(Probes { patterns })
    }

    /// The variables that the command gets
    pub fn variables(&self) -> Vec<(&'static str, OsString)> {
        match self.patterns.is_empty() {
            true => Vec::new(),
            // What a slot leads to is known once the dynamic linker has filled it.
            false => vec![
                ("IOTA_PROBE", self.patterns.join(",").into()),
                ("LD_BIND_NOW", "1".into()),
            ],
        }
    }

    /// What becomes of each pattern, in these programs and their libraries
    pub fn told(&self, programs: &[Program]) -> anyhow::Result<Vec<String>> {
        if self.patterns.is_empty() {
            return Ok(Vec::new());
        }
        let mut files: BTreeSet<_> = programs.iter().flat_map(Program::files).collect();
        files.retain(|file| !file.ends_with("libiota.so"));
        let all: Vec<_> = files.iter().filter_map(|file| Names::of(file)).collect();
        let mut told = Vec::new();
        for pattern in &self.patterns {
            told.extend(Search { pattern, all: &all }.told()?);
        }
        Ok(told)
    }

    /// What of them the trace has no call of
    pub fn silent(&self, trace: &Trace) -> Vec<String> {
        if self.patterns.is_empty() {
            return Vec::new();
        }
        let mut called = BTreeSet::new();
        for part in trace.parts() {
            called.extend(part.names().ops().map(|(_, op)| op.name.to_owned()));
        }
        let is_silent = |pattern: &&String| {
            let pattern = pattern.as_bytes();
            !called.iter().any(|name| glob::one(pattern, name))
        };
        let silent = self.patterns.iter().filter(is_silent);
        silent
            .map(|pattern| {
                format!(
                    "probe {pattern}: no call was recorded (calls inside a program or library that do not go by way of \
                     the dynamic linker are not seen)"
                )
            })
            .collect()
    }
}

/// One pattern, and where it is looked for
struct Search<'a> {
    pattern: &'a str,
    all: &'a [Names],
}

impl<'a> Search<'a> {
    fn told(&self) -> anyhow::Result<Option<String>> {
        if let Some(why) = refused(self.pattern.as_bytes()) {
            bail!("--probe {}: {why}", self.pattern);
        }
        let found = self.found();
        let names: BTreeSet<_> = found.iter().flat_map(|(_, names)| names).collect();
        let wanted: BTreeSet<_> = names
            .iter()
            .filter(|name| refused(name.as_bytes()).is_none())
            .collect();
        if wanted.len() > MOST_PROBES {
            bail!(
                "--probe {}: {} functions, and a process can have {} probes",
                self.pattern,
                count(wanted.len() as u64),
                count(MOST_PROBES as u64)
            );
        }
        if names.is_empty() {
            return self.nowhere();
        }
        let left_out = names.len() - wanted.len();
        Ok(Some(self.list(&found, left_out)))
    }

    /// The functions that match, file by file
    fn found(&self) -> Vec<(&'a Names, Vec<&'a str>)> {
        let of = |names: &'a Names| {
            let all = names.functions.iter().map(String::as_str);
            (names, all.filter(|name| self.matches(name)).collect())
        };
        let found = self.all.iter().map(of);
        found
            .filter(|(_, found): &(_, Vec<_>)| !found.is_empty())
            .collect()
    }

    fn matches(&self, name: &str) -> bool {
        glob::one(self.pattern.as_bytes(), name.as_bytes())
    }

    /// `probe H5*: 312 functions of libhdf5.so.103`
    fn list(&self, found: &[(&Names, Vec<&str>)], left_out: usize) -> String {
        let in_file = |(names, functions): &(&Names, Vec<&str>)| {
            let usable = functions
                .iter()
                .filter(|name| refused(name.as_bytes()).is_none());
            (usable.count() as u64, names.name())
        };
        let files = found.iter().map(in_file).filter(|(n, _)| *n > 0);
        let files: Vec<_> = files
            .map(|(n, file)| format!("{} of {file}", many(n, "function")))
            .collect();
        let mut told = format!("probe {}: {}", self.pattern, files.join(", "));
        if files.is_empty() {
            told += "no function";
        }
        if left_out > 0 {
            told += &format!(
                "; {} left out: traced already, or cannot have a probe",
                count(left_out as u64)
            );
        }
        let is_called = |name: &&&str| self.all.iter().any(|file| file.slots.contains(**name));
        let functions = found.iter().flat_map(|(_, functions)| functions);
        if functions.clone().find(is_called).is_none() && functions.count() > 0 {
            told += "; no call goes by way of the dynamic linker, so that none is seen unless a library that is loaded \
                     later makes it";
        }
        told
    }

    /// What is said of a pattern that no function matches
    fn nowhere(&self) -> anyhow::Result<Option<String>> {
        let pattern = self.pattern;
        let has = |of: fn(&Names) -> &BTreeSet<String>| {
            let mut files = self.all.iter();
            files.find(|names| of(names).iter().any(|name| self.matches(name)))
        };
        if let Some(file) = has(|names| &names.inner) {
            return Ok(Some(format!(
                "probe {pattern}: {} calls it without the dynamic linker: such calls are not seen",
                file.name()
            )));
        }
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

/// The same name as a pattern
fn as_glob(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| format!("[{first}]"));
    first.unwrap_or_default() + letters.as_str()
}
