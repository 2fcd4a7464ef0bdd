//! A load from its options to its report: phases are checked together, done one after another, and reported at the end.

use crate::api::Api;
use crate::cache;
use crate::engine::live::Live;
use crate::engine::{self, Hooks, Outcome, stop};
use crate::job::{self, Job};
use crate::options::Options;
use crate::outputs;
use crate::plan::{CreatedFiles, Plan, World};
use crate::prepare;
use crate::report;
use anyhow::Context;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A load that is going to be done.
pub struct Load {
    /// The options of the whole run.
    pub options: Options,
    /// Its phases; one without a job file.
    pub phases: Vec<Plan>,
    /// When it was invoked.
    pub invoked: String,
    cleanup: bool,
}

/// A phase that was begun.
pub struct Done<'a> {
    /// What was to be done.
    pub plan: &'a Plan,
    /// What came of it.
    pub outcome: Outcome,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl Load {
    /// From the words of a command line, as [`crate::dashes::doubled`] leaves them; everything that can be known to be
    /// wrong is said here.
    ///
    /// # Errors
    /// The first of these wrongs, in one line.
    pub fn new(
        words: &[OsString],
        world: World,
        apis: &[&'static dyn Api],
    ) -> anyhow::Result<Load> {
        let options = Options::parse(words).map_err(job::one_line)?;
        let mut plans = Vec::new();
        let mut made = CreatedFiles::new();
        let mut job = None;
        match &options.job {
            None => {
                let options = options.clone();
                plans.push(planned(None, options, words, world, apis, &mut made)?);
            }
            Some(path) => {
                let in_file = || path.display().to_string();
                let read = job.insert(Job::read(path)?);
                for phase in read.phases(words).with_context(in_file)? {
                    let place = format!("line {}: phase {}", phase.line, phase.name);
                    let (name, options) = (Some(phase.name), phase.options);
                    let plan = planned(name, options, &phase.words, world, apis, &mut made);
                    plans.push(plan.context(place).with_context(in_file)?);
                }
            }
        }
        let dir = plans[0]
            .options
            .file
            .parent()
            .filter(|dir| !dir.as_os_str().is_empty());
        if let Some(job) = &job {
            let path = options.job.as_deref().unwrap_or(Path::new("-job"));
            job.check(dir.unwrap_or(Path::new(".")))
                .with_context(|| path.display().to_string())?;
        }
        let files = plans.iter().flat_map(|plan| &plan.paths);
        outputs::apart(&options, files.map(PathBuf::as_path))?;
        let cleanup = job.is_some_and(|job| job.cleanup);
        Ok(Load {
            options,
            phases: plans,
            invoked: crate::moment::local(crate::sys::realtime()),
            cleanup,
        })
    }

    /// What the user should know before.
    pub fn warnings(&self) -> impl Iterator<Item = &String> {
        let quiet = self.options.quiet;
        self.phases
            .iter()
            .flat_map(|plan| &plan.warnings)
            .filter(move |_| !quiet)
    }

    /// Does it: phase after phase, up to the first that does not end as it should. Files are removed as is asked for,
    /// however it ends; what fails outside the phases is reported beside what they came to.
    pub fn run(&self, hooks: &dyn Hooks) -> (Vec<Done<'_>>, anyhow::Result<()>) {
        let mut done = Vec::new();
        let mut result = self.phases(hooks, &mut done);
        let begun =
            &self.phases[..(done.len() + usize::from(result.is_err())).min(self.phases.len())];
        for plan in begun
            .iter()
            .filter(|plan| plan.options.remove || self.cleanup)
        {
            result = result.and(plan.remove_files().map_err(Into::into));
        }
        (done, result)
    }

    fn phases<'a>(&'a self, hooks: &dyn Hooks, done: &mut Vec<Done<'a>>) -> anyhow::Result<()> {
        stop::watch()?;
        for plan in &self.phases {
            let live = Live::new(plan);
            let prepared = prepare::prepare(plan, &live);
            if !hooks.agree(prepared.is_ok()) {
                return prepared;
            }
            let before = cache::Before::now();
            let outcome = engine::run(plan, hooks, &live)?;
            let notes = before.notes(plan, &outcome);
            let is_over = outcome.signal.is_some() || outcome.failures().next().is_some();
            done.push(Done {
                plan,
                outcome,
                notes,
            });
            if !hooks.agree(!is_over) {
                break;
            }
        }
        Ok(())
    }

    /// Tells what came of it.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn report(&self, done: &[Done], out: &mut dyn Write) -> io::Result<()> {
        let phases = done.iter().map(
            |Done {
                 plan,
                 outcome,
                 notes,
             }| report::PhaseResult {
                plan,
                outcome,
                notes,
            },
        );
        let run = report::Run {
            invoked: &self.invoked,
            phases: phases.collect(),
        };
        report::write(&run, self.options.format, out)
    }
}

fn planned(
    name: Option<String>,
    options: Options,
    words: &[OsString],
    world: World,
    apis: &[&'static dyn Api],
    made: &mut CreatedFiles,
) -> anyhow::Result<Plan> {
    let words = words
        .iter()
        .map(|word| single(&word.to_string_lossy()))
        .collect::<Vec<_>>()
        .join(" ");
    let mut plan = Plan::new(options, words, world, apis)?;
    plan.hold_against_machine(made)?;
    plan.name = name;
    Ok(plan)
}

/// A word as the manual page writes it
fn single(word: &str) -> String {
    match word.strip_prefix("--") {
        Some(name) if !name.is_empty() => format!("-{name}"),
        _ => word.to_owned(),
    }
}
