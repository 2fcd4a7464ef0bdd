//! Where output goes: a file that appears when it is whole, a directory of such files, or a stream.

use crate::draft::{Draft, free};
use crate::inputs::Inputs;
use crate::names;
use crate::output::Closed;
use crate::temp_guard::TempGuard;
use anyhow::{Context, bail};
use iota_export::Output;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// One file, or a stream
pub struct Target {
    file: File,
    name: String,
    /// What becomes of it when it is whole
    draft: Option<(Draft, PathBuf, bool)>,
}

impl Target {
    /// `-` is standard output; a pipe or device is written as it is; a file that is there is replaced only by force
    pub fn new(path: &Path, inputs: &Inputs, force: bool) -> anyhow::Result<Target> {
        inputs.spare(path)?;
        if path == Path::new("-") {
            return Target::stdout();
        }
        let name = names::path(path);
        match fs::metadata(path) {
            Ok(data) if data.is_dir() => bail!("{name}: is a directory; give the name of a file"),
            Ok(data) if !data.is_file() => {
                let file = OpenOptions::new().write(true).open(path);
                let file = file.with_context(|| name.clone())?;
                return Ok(Target {
                    file,
                    name,
                    draft: None,
                });
            }
            _ => free(path, force)?,
        }
        let draft = Draft::beside(path, inputs)?;
        let file = draft.file.try_clone().with_context(|| name.clone())?;
        Ok(Target {
            file,
            name,
            draft: Some((draft, path.to_owned(), force)),
        })
    }

    fn stdout() -> anyhow::Result<Target> {
        let out = io::stdout();
        let name = "standard output".to_owned();
        let file = File::from(
            out.as_fd()
                .try_clone_to_owned()
                .context("standard output")?,
        );
        Ok(Target {
            file,
            name,
            draft: None,
        })
    }

    /// Whether a person would see the bytes
    pub fn is_terminal(&self) -> bool {
        self.file.is_terminal()
    }

    /// Gives it its name
    pub fn publish(self) -> anyhow::Result<()> {
        match self.draft {
            Some((draft, path, force)) => draft.publish(&path, force),
            None => Ok(()),
        }
    }
}

impl Output for Target {
    fn put(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.file
            .write_all(bytes)
            .map_err(|error| self.failure(error))
    }

    fn file(&self) -> &File {
        &self.file
    }

    fn is_new_file(&self) -> bool {
        self.draft.is_some()
    }

    fn failure(&self, error: io::Error) -> anyhow::Error {
        match error.kind() {
            ErrorKind::BrokenPipe if self.draft.is_none() => Closed.into(),
            _ => anyhow::Error::new(error).context(self.name.clone()),
        }
    }
}

/// A directory that appears when all in it is whole
pub struct Directory {
    draft: TempGuard,
    path: PathBuf,
    /// One of its name may be there, and is given up
    replaces: bool,
    /// Of the files in it
    mode: u32,
}

impl Directory {
    /// There must be none of its name: what is in one that is there is not iota's to remove.
    pub fn new(path: &Path, inputs: &Inputs) -> anyhow::Result<Directory> {
        if path.symlink_metadata().is_ok() {
            bail!("{}: exists already; give another name", names::path(path));
        }
        Directory::drafted(path, inputs, false)
    }

    /// By force one that is there is replaced, if all in it `is_ours`
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
                names::path(path)
            );
        }
        Directory::drafted(path, inputs, is_there)
    }

    fn drafted(path: &Path, inputs: &Inputs, replaces: bool) -> anyhow::Result<Directory> {
        let draft = Directory::beside(path, "part")?;
        let mode = inputs.mode();
        // Who may read may enter.
        let mut how = DirBuilder::new();
        how.mode(mode | mode >> 2 & 0o111);
        let made = TempGuard::made(draft.clone(), |path| how.create(path));
        let (draft, ()) = made.with_context(|| names::path(&draft))?;
        Ok(Directory {
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
        names::path(&self.path)
    }

    /// Gives it its name
    pub fn publish(self) -> anyhow::Result<()> {
        restrict(self.draft.path(), self.mode).with_context(|| self.name())?;
        if !self.replaces {
            return fs::rename(self.draft.path(), &self.path).with_context(|| self.name());
        }
        let old = Directory::beside(&self.path, "old")?;
        fs::rename(&self.path, &old).with_context(|| self.name())?;
        if let Err(error) = fs::rename(self.draft.path(), &self.path) {
            // As it was before, if that can be.
            let _ = fs::rename(&old, &self.path);
            return Err(error).with_context(|| self.name());
        }
        fs::remove_dir_all(&old).with_context(|| names::path(&old))
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
