//! Where the report of a load goes.

use anyhow::Context;
use iota_load::options::Options;
use iota_output::Closed;
use std::fs::File;
use std::io::{self, ErrorKind, Write};

/// Bytes of the report that go in one system call
const PIECE: usize = 64 << 10;

pub fn output(options: &Options) -> anyhow::Result<Box<dyn Write>> {
    Ok(match &options.output {
        None => Box::new(io::BufWriter::with_capacity(PIECE, io::stdout())),
        Some(path) => {
            let file = File::create(path).with_context(|| crate::names::path(path))?;
            Box::new(io::BufWriter::new(file))
        }
    })
}

pub fn unwritten(options: &Options, error: io::Error) -> anyhow::Error {
    match (&options.output, error.kind()) {
        (None, ErrorKind::BrokenPipe) => Closed.into(),
        (None, _) => anyhow::Error::new(error).context("standard output"),
        (Some(path), _) => anyhow::Error::new(error).context(crate::names::path(path)),
    }
}
