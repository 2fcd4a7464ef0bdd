//! A directory beside the output for what is being recovered. It is there once: two commands cannot be at the same
//! output at the same time, not even on two nodes.

use anyhow::{Context, bail};
use iota_trace::Printable;
use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The directory, gone when it goes out of scope
pub struct RecoveryDir(PathBuf);

impl RecoveryDir {
    /// Makes `FILE.recovering`
    pub fn new(file: &Path) -> anyhow::Result<RecoveryDir> {
        let mut name = file.file_name().unwrap_or_default().to_owned();
        name.push(".recovering");
        let dir = file.with_file_name(name);
        match DirBuilder::new().mode(0o700).create(&dir) {
            Ok(()) => Ok(RecoveryDir(dir)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => bail!(
                "{}: exists, so another iota recover is running; if none is, one was killed: remove the directory",
                Printable::path(&dir)
            ),
            Err(error) => Err(error).with_context(|| Printable::path(&dir)),
        }
    }

    /// A file in it
    pub fn file(&self, number: usize) -> PathBuf {
        self.0.join(format!("{number}.iota"))
    }
}

impl Drop for RecoveryDir {
    fn drop(&mut self) {
        // If it cannot be removed, the next `new` reports it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Has a directory's names on the disk
pub fn sync_directory(of: &Path) {
    let dir = of
        .parent()
        .filter(|dir| !dir.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    // Not every file system can; the file itself is safe.
    let _ = fs::File::open(dir).and_then(|dir| dir.sync_all());
}
