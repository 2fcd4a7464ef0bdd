//! Job files: phases, each with options as on the command line.
//!
//! ```toml
//! cleanup = true                  # removes all files at the end, however it comes
//! [require]                       # held against the machine before any file is made
//! free = "2g"
//! exists = ["/scratch/input"]
//! [defaults]
//! file = "/scratch/x"
//! [[phase]]
//! name = "write"
//! op = "w"
//! [[phase]]
//! name = "read back"
//! drop_cache = true
//! test = "buffer"
//! ```

use crate::dashes;
use crate::options::Options;
use crate::sys;
use anyhow::{Context, bail, ensure};
use iota_quantity as quantity;
use serde::Deserialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// What a job file contains.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Removes all files at the end.
    #[serde(default)]
    pub cleanup: bool,
    #[serde(default)]
    require: Require,
    #[serde(default)]
    defaults: Table,
    #[serde(default)]
    phase: Vec<Table>,
}

/// What must hold before it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Require {
    free: Option<String>,
    #[serde(default)]
    exists: Vec<PathBuf>,
    #[serde(default)]
    absent: Vec<PathBuf>,
}

/// A phase's name, its options, and these as words.
pub type Phase = (String, Options, Vec<OsString>);

/// What belongs to the whole run and not to a phase.
const OF_THE_RUN: [&str; 7] = [
    "job", "trace", "replay", "speed", "output", "format", "quiet",
];

impl Job {
    /// Reads a job file.
    ///
    /// # Errors
    /// It cannot be read, or is no job file.
    pub fn read(path: &Path) -> anyhow::Result<Job> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        Job::parse(&text).with_context(|| path.display().to_string())
    }

    fn parse(text: &str) -> anyhow::Result<Job> {
        let job: Job = toml::from_str(text).map_err(|error| {
            let line = error
                .span()
                .map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            anyhow::anyhow!("line {line}: {}", error.message().replace('\n', " "))
        })?;
        ensure!(!job.phase.is_empty(), "there is no [[phase]]");
        Ok(job)
    }

    /// Its phases; `given` are the words of the command line, which come before what the file says.
    ///
    /// # Errors
    /// An option of a phase makes no sense.
    pub fn phases(&self, given: &[OsString]) -> anyhow::Result<Vec<Phase>> {
        let numbered = self.phase.iter().enumerate();
        numbered
            .map(|(at, table)| self.phase(at + 1, table, given))
            .collect()
    }

    fn phase(&self, number: usize, table: &Table, given: &[OsString]) -> anyhow::Result<Phase> {
        let name = match table.get("name") {
            None => number.to_string(),
            Some(Value::String(name)) => name.clone(),
            Some(_) => bail!("phase {number}: its name is not a text"),
        };
        let own = || -> anyhow::Result<Vec<OsString>> {
            let own = table.iter().filter(|(key, _)| *key != "name");
            let words = self
                .defaults
                .iter()
                .chain(own)
                .map(|(key, value)| words(key, value));
            Ok(words
                .collect::<anyhow::Result<Vec<_>>>()?
                .into_iter()
                .flatten()
                .collect())
        };
        let of_it = || format!("phase {name}");
        let mut all = dashes::doubled(own().with_context(of_it)?);
        all.extend_from_slice(given);
        let options = Options::parse(&all).map_err(one_line).with_context(of_it)?;
        Ok((name, options, all))
    }

    /// Holds what it requires against the machine; `dir` is where files go.
    ///
    /// # Errors
    /// The machine is not as it requires.
    pub fn check(&self, dir: &Path) -> anyhow::Result<()> {
        if let Some(text) = &self.require.free {
            let wanted = quantity::bytes_given(text)
                .map_err(|why| anyhow::anyhow!("require.free: {why}"))?;
            let free = sys::space(dir).with_context(|| dir.display().to_string())?;
            ensure!(
                free >= wanted,
                "require.free: {} has {} left, not {}",
                dir.display(),
                quantity::bytes(free),
                quantity::bytes(wanted)
            );
        }
        for path in &self.require.exists {
            ensure!(
                path.exists(),
                "require.exists: {} does not exist",
                path.display()
            );
        }
        for path in &self.require.absent {
            ensure!(!path.exists(), "require.absent: {} exists", path.display());
        }
        Ok(())
    }
}

fn words(key: &str, value: &Value) -> anyhow::Result<Option<OsString>> {
    ensure!(
        !OF_THE_RUN.contains(&key),
        "{key} belongs to the whole run: give it on the command line"
    );
    Ok(match value {
        Value::Boolean(true) => Some(format!("-{key}").into()),
        Value::Boolean(false) => None,
        Value::String(text) => Some(format!("-{key}={text}").into()),
        Value::Integer(number) => Some(format!("-{key}={number}").into()),
        Value::Float(number) => Some(format!("-{key}={number}").into()),
        _ => bail!("{key}: not a text, number or true"),
    })
}

/// What clap says of a mistake, in one line.
pub fn one_line(error: clap::Error) -> anyhow::Error {
    let text = error.to_string();
    let mut lines = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage") && !line.starts_with("For more"));
    let first = lines
        .next()
        .unwrap_or_default()
        .trim_start_matches("error: ")
        .to_owned();
    let rest: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    match rest.is_empty() {
        true => anyhow::anyhow!(first),
        false => anyhow::anyhow!("{first}; {}", rest.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Op, Test};

    const JOB: &str = "cleanup = true\n[defaults]\nbufsz = \"64k\"\nnops = 4\n\
        [[phase]]\nname = \"write\"\nop = \"w\"\n[[phase]]\ntest = \"buffer\"\nlock_atomic = true\n";

    #[test]
    fn phases_take_defaults_and_the_command_line_wins() {
        let phases = Job::parse(JOB)
            .unwrap()
            .phases(&["--nops=9".into()])
            .unwrap();
        let [(first, write, _), (second, read, _)] = &phases[..] else {
            panic!("{phases:?}")
        };
        assert_eq!(
            (first.as_str(), write.op, write.bufsz, write.nops),
            ("write", Op::W, 65536, Some(9))
        );
        assert_eq!(
            (second.as_str(), read.op, read.test, read.lock_atomic),
            ("2", Op::R, Test::Buffer, true)
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (text, said) in [
            ("", "no [[phase]]"),
            ("[[phase]\n", "line 1"),
            ("phases = 1\n", "phases"),
            ("[[phase]]\nbufsize = 1\n", "--bufsize"),
            ("[[phase]]\nname = \"x\"\nnops = \"many\"\n", "phase x"),
            ("[[phase]]\ntrace = \"x\"\n", "whole run"),
            ("[[phase]]\nnops = [1]\n", "nops"),
        ] {
            let result = Job::parse(text).and_then(|job| job.phases(&[]).map(drop));
            let error = format!("{:#}", result.expect_err(text));
            assert!(
                error.contains(said) && !error.contains('\n'),
                "{text}: {error}"
            );
        }
    }
}
