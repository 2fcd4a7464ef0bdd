//! What the tracer asks libraries above MPI-IO, as the archives refer to it.

use crate::build::root;

/// The functions and variables that `c-shim/above/members/NAME.c` lists.
pub fn asked_in_archives(name: &str) -> Vec<String> {
    let file = root().join("c-shim/above/members").join(name);
    let text = std::fs::read_to_string(file.with_extension("c")).expect("a source");
    let listed = text.lines().filter_map(|line| {
        let line = line.trim_end_matches(" \\").trim().strip_suffix(')')?;
        let of_all = line.strip_prefix("EACH(");
        Some(of_all.or(line.strip_prefix("SOME("))?.to_owned())
    });
    listed.collect()
}
