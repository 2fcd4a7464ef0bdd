//! `iota sql`: goes on as `iota-sql`, which is not built with this command, because its query engine is large.

use crate::{args, names};
use anyhow::{Context, bail};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Becomes the query
pub fn run(args: &args::Sql) -> anyhow::Result<()> {
    let engine = std::env::current_exe()?.with_file_name("iota-sql");
    if !engine.exists() {
        bail!(
            "{}: is not there: make sql builds it; or put the query to DuckDB (iota convert -o run.parquet, docs/TABLES.md)",
            names::path(&engine)
        );
    }
    let error = Command::new(&engine).args(&args.words).exec();
    Err(error).with_context(|| names::path(&engine))
}
