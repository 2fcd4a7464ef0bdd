//! Files and space: what is to be read is there, and what is to be written has room.

use super::Plan;
use crate::options::Op;
use crate::sys;
use anyhow::{Context, bail, ensure};
use iota_quantity as quantity;
use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Files that earlier phases will have left, and how long they will be.
pub type CreatedFiles = HashMap<PathBuf, u64>;

/// Checks them, and notes what this phase leaves.
pub fn files(plan: &Plan, made: &mut CreatedFiles) -> anyhow::Result<()> {
    let end = plan.end().unwrap_or(u64::MAX);
    let makes = plan.options.prepare || plan.options.op == Op::W;
    if !makes {
        plan.paths
            .iter()
            .try_for_each(|path| readable(path, end, made))?;
        plan.paths
            .iter()
            .try_for_each(|path| permitted(path, plan.options.op))?;
    } else {
        room(plan, end, made)?;
    }
    for path in &plan.paths {
        match plan.options.remove {
            true => made.remove(path),
            false => made.insert(path.clone(), end.max(made.get(path).copied().unwrap_or(0))),
        };
    }
    Ok(())
}

/// Long enough for what is read; devices have no length.
fn readable(path: &Path, end: u64, made: &CreatedFiles) -> anyhow::Result<()> {
    let advice = "write it first, with -op w or -prepare";
    let length = match (made.get(path), std::fs::metadata(path)) {
        (Some(length), _) => *length,
        (None, Ok(data)) if data.is_file() => data.len(),
        (None, Ok(data)) if !data.is_dir() => return Ok(()),
        (None, Ok(_)) => bail!("{}: is a directory, not a file", path.display()),
        (None, Err(error)) => bail!("{}: {error}; {advice}", path.display()),
    };
    ensure!(
        length >= end,
        "{}: has {length} bytes, but {end} would be read; {advice}",
        path.display()
    );
    Ok(())
}

fn permitted(path: &Path, op: Op) -> anyhow::Result<()> {
    if path.exists() {
        sys::permitted(path, op != Op::W, op != Op::R)
            .with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// Room for what is not allocated yet.
fn room(plan: &Plan, end: u64, made: &CreatedFiles) -> anyhow::Result<()> {
    let data = plan.blocks.saturating_mul(plan.options.bufsz).min(end);
    let mut needed = 0u64;
    for path in plan.paths.iter().filter(|path| !made.contains_key(*path)) {
        needed = needed.saturating_add(match std::fs::metadata(path) {
            Ok(file) if file.is_file() => data.saturating_sub(file.blocks() * 512),
            Ok(file) if file.is_dir() => bail!("{}: is a directory, not a file", path.display()),
            Ok(_) => 0,
            Err(_) => data,
        });
        permitted(path, plan.options.op)?;
    }
    let dir = plan.paths[0]
        .parent()
        .filter(|dir| !dir.as_os_str().is_empty());
    let free = sys::space(dir.unwrap_or(Path::new(".")))?;
    ensure!(
        needed <= free,
        "{} would be written, but the file system has {} left",
        quantity::bytes(needed),
        quantity::bytes(free)
    );
    Ok(())
}
