//! Why a load ended before its time.

use crate::pattern::Mismatch;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// How a load or a replay ended, in words.
pub fn ended(failure: Option<&impl fmt::Display>, signal: Option<i32>) -> String {
    let failed = failure.map(|failure| format!("failed: {failure}"));
    let signal = signal.map(|signal| format!("interrupted by signal {signal}"));
    failed.or(signal).unwrap_or_else(|| "complete".to_owned())
}

/// What went wrong, where.
#[derive(Debug)]
pub struct Failure {
    /// The file.
    pub path: PathBuf,
    /// The piece.
    pub piece: u32,
    /// The operation, of a transfer or seek.
    pub operation: Option<u64>,
    /// What happened.
    pub cause: Cause,
}

/// What happened.
#[derive(Debug)]
pub enum Cause {
    /// A call failed.
    Call {
        /// The function.
        call: &'static str,
        /// Offset and length, of a transfer.
        extent: Option<(u64, usize)>,
        /// Why.
        error: io::Error,
    },
    /// A transfer moved nothing.
    Ended {
        /// The function.
        call: &'static str,
        /// Where.
        offset: u64,
        /// Bytes that were asked for.
        length: usize,
    },
    /// Data is not what it should be.
    Mismatch(Mismatch),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "{}: {} (piece {}",
            self.path.display(),
            self.cause,
            self.piece
        )?;
        match self.operation {
            Some(operation) => write!(f, ", operation {operation})"),
            None => write!(f, ")"),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Cause::Call {
                call,
                extent: Some((offset, length)),
                error,
            } => {
                write!(f, "{call} of {length} bytes{}: {error}", At(*offset))
            }
            Cause::Call {
                call,
                extent: None,
                error,
            } => write!(f, "{call}: {error}"),
            Cause::Ended {
                call,
                offset,
                length,
            } => {
                write!(
                    f,
                    "{call} of {length} bytes{} transferred none: the file ends there",
                    At(*offset)
                )
            }
            Cause::Mismatch(Mismatch {
                offset,
                expected,
                found,
                count,
            }) => write!(
                f,
                "wrong data at offset {offset}: expected 0x{expected:02x}, found 0x{found:02x}; {} of the piece differ{}",
                iota_quantity::many(*count, "byte"),
                if *count == 1 { "s" } else { "" }
            ),
        }
    }
}

/// An offset, where it is known
struct At(u64);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0 {
            crate::log::NOWHERE => Ok(()),
            offset => write!(f, " at offset {offset}"),
        }
    }
}
