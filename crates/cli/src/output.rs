//! Standard output: held once, written in large pieces; a reader that went away is not taken for a full disk.

use iota_output::Closed;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;

/// Bytes that go in one system call
const PIECE: usize = 256 << 10;

/// Collects lines for standard output, or a file
pub struct Lines {
    to: File,
    held: Vec<u8>,
    used: usize,
}

impl Lines {
    /// Standard output, which nothing else writes to meanwhile
    pub fn new() -> anyhow::Result<Lines> {
        let to = io::stdout().as_fd().try_clone_to_owned().map_err(failure)?;
        Ok(Lines::to(File::from(to)))
    }

    /// A file
    pub fn to(file: File) -> Lines {
        Lines {
            to: file,
            held: vec![0; PIECE],
            used: 0,
        }
    }

    /// Adds what `write` writes, which says how much that is, or that it has too little room
    pub fn add(&mut self, write: impl Fn(&mut [u8]) -> Option<usize>) -> anyhow::Result<()> {
        loop {
            if let Some(more) = write(&mut self.held[self.used..]) {
                self.used += more;
                return Ok(());
            }
            match self.used {
                0 => self.held.resize(self.held.len() * 2, 0),
                _ => self.flush()?,
            }
        }
    }

    /// Writes all
    pub fn flush(&mut self) -> anyhow::Result<()> {
        let written = self.to.write_all(&self.held[..self.used]);
        self.used = 0;
        written.map_err(failure)
    }
}

/// Prints a text, without its colours where they are not wanted
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(failure)
}

/// Whether colours are wanted on standard output
pub fn has_colours() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// Prints bytes as they are
pub fn raw(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(bytes).and_then(|()| out.flush());
    written.map_err(failure)
}

/// Columns of the terminal that standard output is; `None` in a pipe or file
pub fn width() -> Option<usize> {
    size().map(|(columns, _)| columns)
}

/// Its columns and rows
pub fn size() -> Option<(usize, usize)> {
    let out = io::stdout();
    if !out.is_terminal() {
        return None;
    }
    let size = terminal_size::terminal_size_of(&out);
    size.map(|(width, height)| (width.0.into(), height.0.into()))
}

fn failure(error: io::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::BrokenPipe => Closed.into(),
        _ => anyhow::Error::new(error).context("standard output"),
    }
}
