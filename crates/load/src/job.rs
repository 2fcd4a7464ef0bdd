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
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Spanned, Value};

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
    defaults: Keys,
    #[serde(default)]
    phase: Vec<Spanned<Keys>>,
    /// What it was read from, for the lines of mistakes
    #[serde(skip)]
    text: String,
}

/// Options of a table, with the places of their names.
type Keys = BTreeMap<Spanned<String>, Value>;

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

/// A phase.
#[derive(Debug)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// The line where it begins.
    pub line: usize,
    /// Its options.
    pub options: Options,
    /// These as words.
    pub words: Vec<OsString>,
}

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
            let line = error.span().map_or(1, |span| line(text, span.start));
            anyhow::anyhow!("line {line}: {}", error.message().replace('\n', " "))
        })?;
        ensure!(!job.phase.is_empty(), "there is no [[phase]]");
        let text = text.to_owned();
        Ok(Job { text, ..job })
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

    fn phase(
        &self,
        number: usize,
        table: &Spanned<Keys>,
        given: &[OsString],
    ) -> anyhow::Result<Phase> {
        let begins = line(&self.text, table.span().start);
        let keys = table.get_ref();
        let name = match keys.get("name") {
            None => number.to_string(),
            Some(Value::String(name)) => name.clone(),
            Some(_) => bail!("line {begins}: phase {number}: its name is not a text"),
        };
        let own = keys.iter().filter(|(key, _)| key.get_ref() != "name");
        let mut all = Vec::new();
        for (key, value) in self.defaults.iter().chain(own) {
            let of_it = || format!("line {}: phase {name}", line(&self.text, key.span().start));
            let word = words(key.get_ref(), value).with_context(of_it)?;
            let word = dashes::doubled(word);
            // By itself, so that its line is known.
            Options::parse(&word)
                .map_err(one_line)
                .with_context(of_it)?;
            all.extend(word);
        }
        all.extend_from_slice(given);
        let options = Options::parse(&all)
            .map_err(one_line)
            .with_context(|| format!("line {begins}: phase {name}"))?;
        Ok(Phase {
            name,
            line: begins,
            options,
            words: all,
        })
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

/// The line that a byte is in.
fn line(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
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
        let [write, read] = &phases[..] else {
            panic!("{phases:?}")
        };
        assert_eq!((write.name.as_str(), write.line), ("write", 5));
        assert_eq!((read.name.as_str(), read.line), ("2", 8));
        let (write, read) = (&write.options, &read.options);
        assert_eq!((write.op, write.bufsz, write.nops), (Op::W, 65536, Some(9)));
        assert_eq!(
            (read.op, read.test, read.lock_atomic),
            (Op::R, Test::Buffer, true)
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (text, said) in [
            ("", "no [[phase]]"),
            ("[[phase]\n", "line 1"),
            ("phases = 1\n", "phases"),
            (
                "[[phase]]\n[[phase]]\nqd = 1\nbufsize = 1\n",
                "line 4: phase 2: unexpected argument '--bufsize'",
            ),
            (
                "[[phase]]\nname = \"x\"\nnops = \"many\"\n",
                "line 3: phase x",
            ),
            ("[defaults]\n\nname = \"x\"\n[[phase]]\n", "line 3: phase 1"),
            (
                "[[phase]]\ntrace = \"x\"\n",
                "line 2: phase 1: trace belongs",
            ),
            ("[[phase]]\nnops = [1]\n", "line 2: phase 1: nops"),
            (
                "[[phase]]\n\n[[phase]]\nname = 7\n",
                "line 3: phase 2: its name",
            ),
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
