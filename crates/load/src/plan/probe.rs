//! The machine, before any file is made: interface, descriptors, memory, directory, O_DIRECT.

use super::Plan;
use crate::api::Api;
use crate::options::{Op, Options};
use crate::replay::Script;
use crate::sys;
use anyhow::{Context, bail, ensure};
use iota_quantity as quantity;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Whether the interface works here at all.
pub fn interface(api: &dyn Api) -> anyhow::Result<()> {
    api.probe()
        .with_context(|| format!("-io_api {} cannot be used here", api.name()))
}

/// Descriptors beyond those of this process; the soft limit is raised as far as is needed.
pub fn descriptors(plan: &Plan) -> anyhow::Result<()> {
    let open = std::fs::read_dir("/proc/self/fd").map_or(16, |all| all.count() as u64);
    // Rings of io_uring and what the report needs
    let rings = if plan.api.ring() { plan.threads() } else { 0 };
    let needed = plan.descriptors() + rings + open + 8;
    let (soft, hard) = sys::limit(libc::RLIMIT_NOFILE)?;
    ensure!(
        needed <= hard,
        "{} of {} each need {}, but RLIMIT_NOFILE allows {hard}; use -share, fewer files or ulimit -n",
        quantity::many(plan.paths.len() as u64, "file"),
        quantity::many(plan.pieces.len() as u64, "piece"),
        quantity::many(needed, "descriptor")
    );
    if needed > soft {
        sys::set_soft_limit(libc::RLIMIT_NOFILE, needed)?;
    }
    Ok(())
}

/// A replay: directory, space and descriptors.
///
/// # Errors
/// What is missing, and which option asks for it.
pub fn replay(options: &Options, paths: &[PathBuf], script: &Script) -> anyhow::Result<()> {
    let dir = existing(options)?;
    sys::writable(&dir).with_context(|| format!("-file: directory {}", dir.display()))?;
    if let Some(path) = paths.iter().find(|path| {
        script
            .files
            .iter()
            .any(|file| path.as_os_str().as_bytes() == file.original)
    }) {
        bail!(
            "{}: the trace is of this file, and the replay would overwrite it; choose other files with -file",
            path.display()
        );
    }
    let needed = script
        .files
        .iter()
        .filter_map(|file| file.length)
        .sum::<u64>();
    let free = sys::space(&dir)?;
    ensure!(
        needed <= free,
        "-replay: needs files of {} before it starts, but the file system has {} left",
        quantity::bytes(needed),
        quantity::bytes(free)
    );
    let (_, hard) = sys::limit(libc::RLIMIT_NOFILE)?;
    Ok(sys::set_soft_limit(libc::RLIMIT_NOFILE, hard)?)
}

/// Buffers and the event log.
pub fn memory(plan: &Plan) -> anyhow::Result<()> {
    let buffers = plan.buffer().saturating_mul(plan.paths.len() as u64);
    let log = plan
        .events()
        .saturating_mul(plan.threads())
        .saturating_mul(size_of::<crate::log::Event>() as u64);
    let Some(available) = sys::memory_available() else {
        return Ok(());
    };
    ensure!(
        buffers.saturating_add(log) <= available,
        "buffers take {} and the event log {}, but {} of memory are available; use less -bufsz or -log files",
        quantity::bytes(buffers),
        quantity::bytes(log),
        quantity::bytes(available)
    );
    Ok(())
}

/// That of the files: there, writable, with the reach and the O_DIRECT that are wanted.
pub fn directory(plan: &mut Plan) -> anyhow::Result<()> {
    let dir = existing(&plan.options)?;
    if plan.options.op != Op::R || plan.options.prepare {
        sys::writable(&dir).with_context(|| format!("-file: directory {}", dir.display()))?;
    }
    reach(plan, &dir)?;
    if plan.options.direct {
        direct(plan, &dir)?;
    }
    Ok(())
}

/// The directory of the files.
fn existing(options: &Options) -> anyhow::Result<PathBuf> {
    let dir = match options.file.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir.to_owned(),
        _ => Path::new(".").to_owned(),
    };
    ensure!(
        options.file.file_name().is_some(),
        "-file {}: not the name of a file",
        options.file.display()
    );
    let data =
        std::fs::metadata(&dir).with_context(|| format!("-file: directory {}", dir.display()))?;
    ensure!(data.is_dir(), "-file: {} is not a directory", dir.display());
    Ok(dir)
}

/// A file without a name in the directory; `None` where the file system has no such files.
fn nameless(dir: &Path, flags: i32) -> Option<io::Result<File>> {
    let file = File::options()
        .read(true)
        .write(true)
        .custom_flags(libc::O_TMPFILE | flags)
        .open(dir);
    match &file {
        Err(error)
            if [
                libc::EOPNOTSUPP,
                libc::EISDIR,
                libc::ENOENT,
                libc::EACCES,
                libc::EROFS,
            ]
            .contains(&error.raw_os_error().unwrap_or(0)) =>
        {
            None
        }
        _ => Some(file),
    }
}

/// Whether the file system has files so long, and RLIMIT_FSIZE allows them.
fn reach(plan: &Plan, dir: &Path) -> anyhow::Result<()> {
    let end = plan.end().unwrap_or(u64::MAX);
    if plan.options.op == Op::R && !plan.options.prepare {
        return Ok(());
    }
    let (soft, _) = sys::limit(libc::RLIMIT_FSIZE)?;
    ensure!(
        end <= soft,
        "each file would have {end} bytes, but RLIMIT_FSIZE allows {soft}; see ulimit -f"
    );
    if let Some(Ok(file)) = nameless(dir, 0)
        && let Err(error) = file.set_len(end)
    {
        bail!(
            "each file would have {end} bytes, which the file system of {} does not allow: {error}",
            dir.display()
        );
    }
    Ok(())
}

/// Whether O_DIRECT is there, and everything is aligned as it needs.
fn direct(plan: &mut Plan, dir: &Path) -> anyhow::Result<()> {
    let existing = || {
        File::options()
            .read(true)
            .custom_flags(libc::O_DIRECT)
            .open(&plan.paths[0])
    };
    let file = match plan.paths[0].exists() {
        true => Some(existing()),
        false => nameless(dir, libc::O_DIRECT),
    };
    let aligned = match file {
        Some(Err(error)) => {
            bail!(
                "-direct: the file system of {} does not support O_DIRECT: {error}",
                dir.display()
            )
        }
        Some(Ok(file)) => sys::direct_alignment(file.as_raw_fd()),
        None => None,
    };
    let (memory, offset) = aligned.unwrap_or((4096, 512));
    ensure!(
        offset > 0,
        "-direct: the file system of {} does not support O_DIRECT",
        dir.display()
    );
    plan.alignment = plan.alignment.max(memory as usize);
    aligned_to(plan, offset.into())
}

fn aligned_to(plan: &Plan, unit: u64) -> anyhow::Result<()> {
    let odd = |value: u64| !value.is_multiple_of(unit);
    if let Some(stride) = plan.options.stride.filter(|stride| odd(*stride)) {
        bail!(
            "-direct: -stride {stride} is not a multiple of {unit} bytes, as O_DIRECT needs here"
        );
    }
    ensure!(
        !odd(plan.options.bufsz),
        "-direct: -bufsz {} is not a multiple of {unit} bytes, as O_DIRECT needs here",
        plan.options.bufsz
    );
    if let Some(piece) = plan
        .pieces
        .iter()
        .find(|piece| odd(piece.start) || odd(piece.length))
    {
        bail!(
            "-direct: pieces of {} bytes at {} are not aligned to {unit} bytes, as O_DIRECT needs here; choose -bufsz as a multiple of {}",
            piece.length,
            piece.start,
            unit * plan.pieces.len() as u64
        );
    }
    Ok(())
}
