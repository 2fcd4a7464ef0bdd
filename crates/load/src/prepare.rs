//! What comes before the clock runs: files that are to be read are written, pages are dropped.

use crate::engine::live::Live;
use crate::engine::stop;
use crate::plan::Plan;
use crate::sys;
use anyhow::Context;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Both, as far as the plan asks for them.
pub fn prepare(plan: &Plan, live: &Live) -> anyhow::Result<()> {
    for (number, path) in plan.paths.iter().enumerate() {
        if plan.options.prepare && is_short(plan, path) {
            live.say(&format!("writing {}", path.display()));
            write(plan, number as u32, path).with_context(|| path.display().to_string())?;
        }
        if plan.options.drop_cache && path.exists() {
            let dropped = File::open(path).and_then(|file| sys::drop_pages(&file));
            dropped.with_context(|| format!("{}: dropping its pages", path.display()))?;
        }
    }
    Ok(())
}

fn is_short(plan: &Plan, path: &Path) -> bool {
    match std::fs::metadata(path) {
        Ok(data) => data.is_file() && data.len() < plan.end().unwrap_or(0),
        Err(_) => true,
    }
}

/// All buffers that operations may ask for, with their pattern.
fn write(plan: &Plan, number: u32, path: &Path) -> anyhow::Result<()> {
    let file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    let (pattern, mut buffer) = (plan.pattern(number), vec![0; plan.options.bufsz as usize]);
    for operation in 0..plan.blocks {
        if stop::signal().is_some() {
            return Ok(());
        }
        let offset = plan.offset(operation);
        for piece in &plan.pieces {
            let place = piece.start as usize..(piece.start + piece.length) as usize;
            pattern.fill(offset + piece.start, &mut buffer[place]);
        }
        file.write_all_at(&buffer, offset)?;
    }
    Ok(file.sync_all()?)
}
