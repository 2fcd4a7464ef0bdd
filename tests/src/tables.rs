//! Readers of converted traces that are none of ours: Python with the packages of scripts/tables.txt.

use crate::build::root;
use crate::limits::command_output;
use crate::machine;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where scripts/deps.sh puts the packages: below the source tree, or where `IOTA_TABLES` says.
pub fn packages() -> PathBuf {
    std::env::var_os("IOTA_TABLES").map_or_else(|| root().join("build/tables"), PathBuf::from)
}

/// True when they are there to be used.
pub fn are_wanted() -> bool {
    let is_there = packages().join("made-of.txt").exists();
    machine::wanted(
        "readers of tables",
        is_there,
        "scripts/deps.sh test gets them",
    )
}

/// DuckDB's command, which is one of them; None, and the test is left out, where it is not there.
pub fn duckdb() -> Option<PathBuf> {
    let command = packages().join("duckdb_cli/duckdb");
    are_wanted().then_some(command)
}

/// What a script of the source tree prints about a file, run in a directory.
pub fn say(script: &str, file: &str, directory: &Path) -> Value {
    let mut command = Command::new("python3");
    command
        .arg(root().join(script))
        .arg(file)
        .current_dir(directory)
        .env("PYTHONPATH", packages())
        .env("DASK_DATAFRAME__CONVERT_STRING", "true")
        .env("SPARK_LOCAL_IP", "127.0.0.1");
    let said = command_output(&mut command);
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{script}: {error}: {said}"))
}
