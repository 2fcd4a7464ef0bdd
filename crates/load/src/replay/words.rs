//! Options that a replay would not heed.

use crate::options::{Format, Options};
use anyhow::{bail, ensure};
use clap::parser::ValueSource;
use std::ffi::OsString;

/// Those that it heeds
const HEEDED: [&str; 7] = [
    "replay", "file", "speed", "remove", "format", "output", "quiet",
];

/// Checks the words of a command line that asks for a replay.
///
/// # Errors
/// An option has no effect on a replay.
pub fn check(words: &[OsString], options: &Options) -> anyhow::Result<()> {
    ensure!(
        options.trace.is_none(),
        "-trace with -replay: trace it with iota run, which sees every call"
    );
    ensure!(
        options.job.is_none(),
        "-job and -replay cannot be used together"
    );
    ensure!(
        options.format != Format::Csv,
        "-format csv: a replay has no event log; use text or json"
    );
    let name = OsString::from("iota load");
    let command = Options::command();
    let given = command
        .clone()
        .try_get_matches_from([name].iter().chain(words))?;
    let is_given = |id: &str| {
        given.value_source(id) == Some(ValueSource::CommandLine) && !HEEDED.contains(&id)
    };
    let ids = command.get_arguments().map(|arg| arg.get_id().as_str());
    if let Some(id) = ids.into_iter().find(|id| is_given(id)) {
        bail!(
            "-{id} has no effect on a replay, which repeats the calls of the trace; leave it out"
        );
    }
    Ok(())
}
