//! The table of calls: a Parquet file or directory that is there, or one that `iota convert` makes for the time of a query.

use anyhow::{Context, bail, ensure};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A table
pub struct Table {
    path: PathBuf,
    /// Holds what was made until the query has ended
    _made: Option<TempDir>,
}

impl Table {
    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The table of what was named.
pub fn table(named: &[PathBuf]) -> anyhow::Result<Table> {
    match named {
        [one] if is_parquet(one) => {
            ensure!(one.exists(), "{}: no such file", one.display());
            Ok(Table {
                path: one.clone(),
                _made: None,
            })
        }
        some if some.iter().any(|path| is_parquet(path)) => {
            bail!(
                "one Parquet file, or one directory of them, or traces: not several kinds at once"
            )
        }
        traces => converted(traces),
    }
}

fn is_parquet(path: &Path) -> bool {
    let is_named_so = |path: &Path| path.extension() == Some(OsStr::new("parquet"));
    let holds_some = || {
        let entries = path.read_dir().into_iter().flatten().flatten();
        entries
            .map(|entry| entry.path())
            .any(|path| is_named_so(&path))
    };
    is_named_so(path) || path.is_dir() && holds_some()
}

fn converted(traces: &[PathBuf]) -> anyhow::Result<Table> {
    let made = tempfile::Builder::new().prefix("iota-sql-").tempdir()?;
    removed_on_signals(made.path().to_owned())?;
    let path = made.path().join("calls.parquet");
    let mut command = Command::new(iota()?);
    command
        .args(["convert", "--yes", "--to", "parquet", "-o"])
        .arg(&path);
    let status = command.args(traces).status();
    let status = status.with_context(|| format!("{:?}", command.get_program()))?;
    // Of a damaged trace all that is whole has been converted, and iota has said what is not.
    ensure!(
        path.exists(),
        "nothing to query: iota convert ended with {status}"
    );
    Ok(Table {
        path,
        _made: Some(made),
    })
}

/// The command beside this one.
fn iota() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    Ok(own.with_file_name("iota"))
}

/// A signal that ends the query takes the directory with it.
fn removed_on_signals(directory: PathBuf) -> anyhow::Result<()> {
    let mut signals = Signals::new(ending()?)?;
    std::thread::Builder::new().spawn(move || {
        if let Some(signal) = signals.forever().next() {
            // What cannot be removed stays.
            let _ = std::fs::remove_dir_all(&directory);
            let _ = emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

/// What ends a command, but for what is ignored from the start (nohup, a script's background), which stays so.
fn ending() -> anyhow::Result<impl Iterator<Item = i32>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = u64::from_str_radix(ignored.unwrap_or("0").trim(), 16)?;
    let ending = [SIGINT, SIGTERM, SIGHUP].into_iter();
    Ok(ending.filter(move |signal| ignored >> (signal - 1) & 1 == 0))
}
