//! A directory of files that appears when all in it is whole.

use crate::{Inputs, TempGuard, free};
use anyhow::{Context, bail};
use iota_trace::Printable;
use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A directory that appears when all in it is whole
pub struct OutputDirectory {
    draft: TempGuard,
    path: PathBuf,
    /// One of its name may be there, and is given up
    replaces: bool,
    /// Of the files in it
    mode: u32,
}

impl OutputDirectory {
    /// There must be none of its name: what is in one that is there is not iota's to remove.
    ///
    /// # Errors
    ///
    /// There is something of this name, or it cannot be made.
    pub fn new(path: &Path, inputs: &Inputs) -> anyhow::Result<OutputDirectory> {
        if path.symlink_metadata().is_ok() {
            bail!(
                "{}: exists already; give another name",
                Printable::path(path)
            );
        }
        OutputDirectory::drafted(path, inputs, false)
    }

    /// By force one that is there is replaced, if all in it `is_ours`
    ///
    /// # Errors
    ///
    /// What is there may not be replaced, or it cannot be made.
    pub fn instead(
        path: &Path,
        inputs: &Inputs,
        force: bool,
        is_ours: fn(&Path) -> bool,
    ) -> anyhow::Result<Self> {
        inputs.spare_directory(path)?;
        free(path, force)?;
        let is_there = path.symlink_metadata().is_ok();
        if is_there && !(path.is_dir() && is_ours(path)) {
            bail!(
                "{}: exists and is not an output of this format; --force does not replace it",
                Printable::path(path)
            );
        }
        OutputDirectory::drafted(path, inputs, is_there)
    }

    fn drafted(path: &Path, inputs: &Inputs, replaces: bool) -> anyhow::Result<OutputDirectory> {
        let draft = OutputDirectory::beside(path, "part")?;
        let mode = inputs.mode();
        // Who may read may enter.
        let mut how = DirBuilder::new();
        how.mode(mode | mode >> 2 & 0o111);
        let made = TempGuard::made(draft.clone(), |path| how.create(path));
        let (draft, ()) = made.with_context(|| Printable::path(&draft))?;
        Ok(OutputDirectory {
            draft,
            path: path.to_owned(),
            replaces,
            mode,
        })
    }

    fn beside(path: &Path, ending: &str) -> anyhow::Result<PathBuf> {
        let mut name = path
            .file_name()
            .context("-o needs the name of a directory")?
            .to_owned();
        name.push(format!(".{}.{ending}", std::process::id()));
        Ok(path.with_file_name(name))
    }

    /// Where it is for now
    pub fn draft(&self) -> &Path {
        self.draft.path()
    }

    /// What to call a file of it in messages
    pub fn name(&self) -> String {
        Printable::path(&self.path)
    }

    /// Gives it its name
    ///
    /// # Errors
    ///
    /// It cannot be renamed.
    pub fn publish(self) -> anyhow::Result<()> {
        restrict(self.draft.path(), self.mode).with_context(|| self.name())?;
        if !self.replaces {
            return fs::rename(self.draft.path(), &self.path).with_context(|| self.name());
        }
        let old = OutputDirectory::beside(&self.path, "old")?;
        fs::rename(&self.path, &old).with_context(|| self.name())?;
        if let Err(error) = fs::rename(self.draft.path(), &self.path) {
            // As it was before, if that can be.
            let _ = fs::rename(&old, &self.path);
            return Err(error).with_context(|| self.name());
        }
        fs::remove_dir_all(&old).with_context(|| Printable::path(&old))
    }
}

/// Takes from the files of a directory what `mode` does not give: libraries make them as they like.
fn restrict(dir: &Path, mode: u32) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let data = path.symlink_metadata()?;
        let has = data.permissions().mode();
        if data.is_dir() {
            restrict(&path, mode)?;
        } else if has & !mode & 0o777 != 0 {
            fs::set_permissions(&path, Permissions::from_mode(has & mode))?;
        }
    }
    Ok(())
}
