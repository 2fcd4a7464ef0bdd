//! What `make release` and `make wheel` have made.

use crate::build::root;
use crate::machine::wanted;
use std::path::PathBuf;

/// The file for this machine with this ending (`.tar.xz`, `.whl`); None, and the test is left out, before it is made.
pub fn released(ending: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(root().join("build/release"));
    let entries = entries.into_iter().flatten().map(Result::unwrap);
    let ending = format!("{}{ending}", std::env::consts::ARCH);
    let found = entries
        .map(|entry| entry.path())
        .filter(|path| {
            path.as_os_str()
                .as_encoded_bytes()
                .ends_with(ending.as_bytes())
        })
        .max();
    wanted("a release", found.is_some(), "make wheel");
    found
}
