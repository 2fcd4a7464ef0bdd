//! Lines as `iota text` prints them; those of `iota text -v` convert to a trace again.

use super::{Format, PIECE, STRETCH};
use crate::job::{Encoder, Job, Row};
use iota_output::OutputFile;
use iota_trace::text::{line, long_line};

/// Tab-separated lines
pub struct TextFormat {
    /// With all columns
    pub verbose: bool,
    /// The lines before the calls, each with its newline
    pub header: Vec<String>,
}

impl Format for TextFormat {
    fn bytes_per_call(&self) -> u64 {
        140
    }

    fn write(&self, job: &Job, to: &mut OutputFile) -> anyhow::Result<()> {
        for line in &self.header {
            to.put(line.as_bytes())?;
        }
        job.encode(
            STRETCH,
            |_| CallLines::new(self.verbose),
            |piece| to.put(&piece),
        )
    }
}

struct CallLines {
    bytes: Vec<u8>,
    used: usize,
    verbose: bool,
}

impl CallLines {
    fn new(verbose: bool) -> CallLines {
        CallLines {
            bytes: vec![0; PIECE],
            used: 0,
            verbose,
        }
    }

    fn take(&mut self) -> Vec<u8> {
        let mut bytes = std::mem::replace(&mut self.bytes, vec![0; PIECE]);
        bytes.truncate(std::mem::take(&mut self.used));
        bytes
    }
}

impl Encoder for CallLines {
    type Piece = Vec<u8>;

    fn add(&mut self, row: &Row) -> anyhow::Result<()> {
        let said = row.line(self.verbose);
        let write = if self.verbose { long_line } else { line };
        loop {
            if let Some(more) = write(&mut self.bytes[self.used..], &said) {
                self.used += more;
                return Ok(());
            }
            self.bytes.resize(self.bytes.len() * 2, 0);
        }
    }

    fn full(&mut self) -> anyhow::Result<Option<Vec<u8>>> {
        // The last line of a piece fits mostly.
        Ok((self.used > PIECE - 4096).then(|| self.take()))
    }

    fn rest(mut self) -> anyhow::Result<Option<Vec<u8>>> {
        Ok((self.used > 0).then(|| self.take()))
    }
}
