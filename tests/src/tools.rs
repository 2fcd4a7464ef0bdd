//! Commands of the machine.

use std::path::{Path, PathBuf};

/// Where a command is on PATH.
pub fn find(command: &str) -> Option<PathBuf> {
    if command.contains('/') {
        return Some(command.into()).filter(|path: &PathBuf| path.exists());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| Path::new(&dir).join(command))
        .find(|file| file.exists())
}

/// The compiler for a source file: the variable, or what it is called everywhere.
pub fn compiler(variable: &str, usual: &str) -> String {
    std::env::var(variable)
        .ok()
        .filter(|value| !value.is_empty())
        .unwrap_or_else(|| usual.into())
}
