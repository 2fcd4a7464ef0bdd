//! From the end of a command to the exit status, and at most one line on standard error.

use anyhow::anyhow;
use iota_output::Closed;
use iota_quantity::many;
use iota_trace::one_line;
use iota_trace::read::Problem;
use std::process::ExitCode;

/// Something could not be read, written or understood
pub const FAILED: u8 = 2;

/// Says what went wrong
pub fn report(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<Closed>() => ExitCode::SUCCESS,
        Err(error) => {
            say(&error);
            ExitCode::from(FAILED)
        }
    }
}

/// The one line
pub fn say(error: &anyhow::Error) {
    note(&format!("{error:#}"));
}

/// A line on standard error
pub fn note(text: &str) {
    anstream::eprintln!("iota: {}", one_line(text));
}

/// After everything whole was delivered: what was not, if anything
pub fn of(problems: &[Problem]) -> anyhow::Result<()> {
    let messages: Vec<String> = problems.iter().map(Problem::message).collect();
    of_messages(&messages, "iota info")
}

/// The same of messages, of which `lists` shows all
pub fn of_messages(messages: &[String], lists: &str) -> anyhow::Result<()> {
    match messages {
        [] => Ok(()),
        [message] => Err(anyhow!("{message}; everything else was read")),
        [message, rest @ ..] => Err(anyhow!(
            "{message}; everything else was read ({}; {lists} lists them)",
            many(rest.len() as u64, "more problem")
        )),
    }
}
