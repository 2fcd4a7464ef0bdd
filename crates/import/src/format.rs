//! A format of logs.

use crate::builder::Builder;
use crate::lines::Lines;

/// A format that is read line by line
pub trait Format {
    /// Whether a line is one of this format; those of a comment tell nothing
    fn knows(&self, line: &[u8]) -> bool;

    /// Tells all calls of a log
    fn read(&self, lines: &mut Lines, to: &mut Builder) -> anyhow::Result<()>;
}
