//! A file that appears under its name when it is whole, and takes the place of another only when asked to.

use crate::inputs::Inputs;
use crate::temp_guard::TempGuard;
use anyhow::{Context, bail};
use iota_trace::Printable;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Fails where something would be overwritten that nobody gave up
///
/// # Errors
///
/// There is such a file already.
pub fn free(path: &Path, force: bool) -> anyhow::Result<()> {
    if !force && path.symlink_metadata().is_ok() {
        bail!(
            "{}: exists already; give another name, or --force",
            Printable::path(path)
        );
    }
    Ok(())
}

/// The output before it has its name; removed if it never gets it
pub struct Draft {
    /// What to write to
    pub file: File,
    left: TempGuard,
}

impl Draft {
    /// In the directory of the file that it is to become, which must be none of the inputs
    ///
    /// # Errors
    ///
    /// It is one of the inputs, or cannot be made.
    pub fn beside(target: &Path, inputs: &Inputs) -> anyhow::Result<Draft> {
        inputs.spare(target)?;
        let path = Draft::path(target, "part")?;
        let mut how = OpenOptions::new();
        how.write(true).create_new(true).mode(inputs.mode());
        let made = TempGuard::made(path.clone(), |path| how.open(path));
        let (left, file) = made.with_context(|| Printable::path(&path))?;
        Ok(Draft { file, left })
    }

    /// A file to write and read that never gets a name, in the same directory
    ///
    /// # Errors
    ///
    /// It cannot be made.
    pub fn nameless(target: &Path) -> anyhow::Result<File> {
        let path = Draft::path(target, "spool")?;
        let mut how = OpenOptions::new();
        how.read(true).write(true).create_new(true).mode(0o600);
        let made = TempGuard::made(path.clone(), |path| {
            let file = how.open(path)?;
            fs::remove_file(path).map(|()| file)
        });
        let (_, file) = made.with_context(|| Printable::path(&path))?;
        Ok(file)
    }

    fn path(target: &Path, ending: &str) -> anyhow::Result<PathBuf> {
        let mut name = target
            .file_name()
            .context("-o needs the name of a file")?
            .to_owned();
        name.push(format!(".{}.{ending}", std::process::id()));
        Ok(target.with_file_name(name))
    }

    /// Gives it its name
    ///
    /// # Errors
    ///
    /// It cannot be written or renamed.
    pub fn publish(self, target: &Path, force: bool) -> anyhow::Result<()> {
        self.sync()?;
        self.rename(target, force)
            .with_context(|| Printable::path(target))
    }

    /// Gives it the first of these names that is free
    ///
    /// # Errors
    ///
    /// It cannot be written or renamed.
    pub fn publish_as_first(
        self,
        mut targets: impl Iterator<Item = PathBuf>,
    ) -> anyhow::Result<PathBuf> {
        self.sync()?;
        loop {
            let target = targets.next().context("every name is taken")?;
            match self.rename(&target, false) {
                Ok(()) => return Ok(target),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error).with_context(|| Printable::path(&target)),
            }
        }
    }

    fn sync(&self) -> anyhow::Result<()> {
        (&self.file)
            .flush()
            .and_then(|()| self.file.sync_all())
            .with_context(|| Printable::path(self.left.path()))
    }

    /// A link, unlike a rename, fails where somebody else was faster; not every file system has links.
    fn rename(&self, target: &Path, force: bool) -> io::Result<()> {
        if !force {
            match fs::hard_link(self.left.path(), target) {
                Err(error)
                    if error.kind() != ErrorKind::AlreadyExists
                        && target.symlink_metadata().is_err() => {}
                done => return done,
            }
        }
        fs::rename(self.left.path(), target)
    }
}
