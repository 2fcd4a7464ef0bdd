//! What `make release` and `make wheel` have made.

use crate::build::root;
use crate::machine::wanted;
use crate::tools::find;
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
    let is_here = wanted("a release", found.is_some(), "make wheel");
    let unpacks =
        ending.ends_with(".whl") || wanted("xz", find("xz").is_some(), "install xz-utils");
    found.filter(|_| is_here && unpacks)
}
