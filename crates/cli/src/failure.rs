//! From the end of a command to the exit status, and at most one line on standard error.

use crate::output::Closed;
use std::process::ExitCode;

/// Something could not be read, written or understood
const FAILED: u8 = 2;

/// Says what went wrong
pub fn report(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<Closed>() => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("iota: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}
