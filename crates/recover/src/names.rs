//! Outputs by their names.

use iota_trace::Printable;
use std::path::{Path, PathBuf, absolute};

/// An output's path without its ending, by which spools and arguments are compared
pub fn base(path: &Path) -> PathBuf {
    let path = absolute(path).unwrap_or_else(|_| path.to_owned());
    let path = match path.extension() {
        Some(ending) if ending == "iota" => path.with_extension(""),
        _ => path,
    };
    let dir = path.parent().and_then(|dir| dir.canonicalize().ok());
    match (dir, path.file_name()) {
        (Some(dir), Some(name)) => dir.join(name),
        _ => path,
    }
}

/// Whether an output is asked for: by its name, or by its directory
pub fn is_wanted(wanted: &Path, output: &Path) -> bool {
    let dir = wanted.canonicalize().ok().filter(|dir| dir.is_dir());
    output == base(wanted) || dir.is_some_and(|dir| output.parent() == Some(&dir))
}

/// Directories in a row
pub fn listed(dirs: &[PathBuf]) -> String {
    let dirs: Vec<String> = dirs.iter().map(|dir| Printable::path(dir)).collect();
    dirs.join(", ")
}
