//! Standard output: held once, written in large pieces; a reader that went away is told from a full disk.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;

/// Bytes that are worth a system call
const PIECE: usize = 256 << 10;

/// Nobody reads standard output any more, as after `| head`
#[derive(Debug)]
pub struct Closed;

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("standard output was closed")
    }
}

impl std::error::Error for Closed {}

/// Collects text for standard output
pub struct Output {
    to: File,
    held: Vec<u8>,
}

impl Output {
    /// Standard output, which nothing else writes to meanwhile
    pub fn new() -> anyhow::Result<Output> {
        let to = File::from(io::stdout().as_fd().try_clone_to_owned().map_err(failure)?);
        let held = Vec::with_capacity(PIECE + PIECE / 4);
        Ok(Output { to, held })
    }

    /// Where text may be appended; `settle` after each line or so
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.held
    }

    /// Writes what has come together, if it is enough
    pub fn settle(&mut self) -> anyhow::Result<()> {
        if self.held.len() < PIECE {
            return Ok(());
        }
        self.flush()
    }

    /// Writes all
    pub fn flush(&mut self) -> anyhow::Result<()> {
        let written = self.to.write_all(&self.held);
        self.held.clear();
        written.map_err(failure)
    }
}

/// Prints a text, without its colours where they are not wanted
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(failure)
}

/// Columns of the terminal that standard output is; `None` in a pipe or file
pub fn width() -> Option<usize> {
    let out = io::stdout();
    if !out.is_terminal() {
        return None;
    }
    terminal_size::terminal_size_of(&out).map(|(width, _)| usize::from(width.0))
}

fn failure(error: io::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::BrokenPipe => Closed.into(),
        _ => anyhow::Error::new(error).context("standard output"),
    }
}

/// Prints bytes as they are
pub fn raw(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = Output::new()?;
    out.buffer().extend_from_slice(bytes);
    out.flush()
}
