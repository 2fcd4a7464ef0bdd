//! The symbols of libraries, as nm reads them; a library that cannot be read is a failure, never an empty list.

use crate::command_output;
use std::path::Path;
use std::process::Command;

/// A symbol as nm prints it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Symbol {
    /// Name; what is wanted from elsewhere without its version.
    pub name: String,
    /// nm's letter.
    pub kind: char,
}

impl Symbol {
    /// Visible outside and defined here.
    pub fn is_export(&self) -> bool {
        self.kind.is_ascii_uppercase() && !matches!(self.kind, 'U' | 'A')
            || matches!(self.kind, 'i' | 'u' | 'V')
    }

    /// Wanted from elsewhere.
    pub fn is_import(&self) -> bool {
        matches!(self.kind, 'U' | 'w' | 'v')
    }
}

/// All symbols of an archive or object.
pub fn of(file: &Path) -> Vec<Symbol> {
    listed(Command::new("nm").args(["-P", "-a"]).arg(file), file)
}

/// The dynamic symbols of a shared object.
pub fn dynamic(file: &Path) -> Vec<Symbol> {
    listed(Command::new("nm").args(["-P", "-D"]).arg(file), file)
}

fn listed(nm: &mut Command, file: &Path) -> Vec<Symbol> {
    let text = command_output(nm);
    let symbols: Vec<Symbol> = text.lines().filter_map(parse).collect();
    assert!(
        !symbols.is_empty(),
        "nm lists no symbol of {}",
        file.display()
    );
    symbols
}

/// `NAME KIND VALUE SIZE`; a line that names a member has one word.
fn parse(line: &str) -> Option<Symbol> {
    let mut words = line.split(' ');
    let (name, kind) = (words.next()?, words.next()?);
    let mut symbol = Symbol {
        name: name.into(),
        kind: kind.chars().next()?,
    };
    if symbol.is_import() {
        symbol.name = name.split('@').next()?.into();
    }
    Some(symbol)
}
