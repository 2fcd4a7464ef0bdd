//! The traces that a command reads.

use crate::names;
use iota_output::Inputs;
use iota_trace::read::{Copied, Error, Options, Trace, files};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A trace, and the files that it is in
pub struct Opened {
    pub trace: Trace,
    pub inputs: Inputs,
}

/// Opens a trace that is to be written to `output`; without one, to standard output
pub fn open(traces: &[PathBuf], options: Options, output: Option<&Path>) -> anyhow::Result<Opened> {
    open_beside(traces, &[], options, output)
}

/// The same where other traces are read as well
pub fn open_beside(
    traces: &[PathBuf],
    others: &[PathBuf],
    options: Options,
    output: Option<&Path>,
) -> anyhow::Result<Opened> {
    let inputs = Inputs::of(files(traces).into_iter().chain(files(others)));
    match output {
        Some(output) => inputs.spare(output)?,
        None => inputs.spare_stdout()?,
    }
    let trace = opened(traces, options)?;
    Ok(Opened { trace, inputs })
}

/// Opens a trace, and tells what of it is there twice
pub fn opened(traces: &[PathBuf], options: Options) -> Result<Trace, Error> {
    let trace = Trace::open(traces, options)?;
    if let Some(message) = copies_message(trace.copies()) {
        crate::failure::note(&message);
    }
    Ok(trace)
}

/// `b.iota and 2 more files: some or all of their calls are also in other files, such as a.iota, and count once`
fn copies_message(copies: &[Copied]) -> Option<String> {
    let pairs: BTreeMap<_, _> = copies.iter().map(|copy| (&copy.file, &copy.of)).collect();
    let (file, of) = pairs.first_key_value()?;
    let (file, of) = (names::path(file), names::path(of));
    let said = match pairs.len() - 1 {
        0 if file == of => format!("{file}: some of its calls are there twice"),
        0 => format!("{file}: some or all of its calls are also in {of}"),
        more => {
            let more = iota_quantity::many(more as u64, "more file");
            format!(
                "{file} and {more}: some or all of their calls are also in other files, such as {of}"
            )
        }
    };
    Some(said + ", and count once")
}
