//! Where the trace goes, and where the parts of this run wait until they are joined.
//!
//! Parts wait in a fresh directory beside the trace: on the file system that all nodes of a job share, and where
//! nothing of another run can be taken for one of them. Each process names its part after itself, so that a thousand
//! of them need not try a thousand names.

use crate::{args, names};
use anyhow::Context;
use iota_recover::leftovers::SHARED;
use iota_recover::parts_stem;
use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// As the tracer names a trace that nobody named
const USUAL: &str = "%e-%j";
/// What names a batch job
const JOBS: [&str; 6] = [
    "SLURM_JOB_ID",
    "PBS_JOBID",
    "LSB_JOBID",
    "FLUX_JOB_ID",
    "COBALT_JOBID",
    "JOB_ID",
];

/// The names that the trace may get, and the directory of the parts
pub struct Destination {
    dir: PathBuf,
    template: Vec<u8>,
    program: OsString,
    ending: &'static str,
    parts: PathBuf,
    keep: Cell<bool>,
}

impl Destination {
    /// By option, variable or usage; makes the directory for the parts
    pub fn new(args: &args::Run, program: OsString) -> anyhow::Result<Destination> {
        let wanted = std::env::var_os("IOTA_OUTPUT").unwrap_or_default();
        let wanted = args.output.clone().unwrap_or(wanted.into());
        let (dir, template) = split(&std::env::current_dir()?.join(&wanted));
        let parts = fresh(&dir).with_context(|| {
            let dir = names::path(&dir);
            format!("no space for a trace in {dir} (-o chooses another place)")
        })?;
        Ok(Destination {
            dir,
            template,
            program,
            ending: if is_text(args) { "txt" } else { "iota" },
            parts,
            keep: Cell::new(false),
        })
    }

    /// The directory of the parts stays, even empty: something is still to come to it.
    pub fn keep(&self) {
        self.keep.set(true);
    }

    /// Makes the directory of the parts again where the command has removed it: what could not be written there is still
    /// in spools.
    pub fn restore(&self) -> anyhow::Result<()> {
        match DirBuilder::new().mode(0o700).create(&self.parts) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                Err(error).with_context(|| names::path(&self.parts))
            }
            _ => Ok(()),
        }
    }

    /// The directory of the parts
    pub fn parts(&self) -> &Path {
        &self.parts
    }

    /// What the processes get to know of functions that no slot leads to
    pub fn patches(&self) -> PathBuf {
        self.parts.join("patches")
    }

    /// Whether the trace is lines
    pub fn is_text(&self) -> bool {
        self.ending == "txt"
    }

    /// What the processes take for IOTA_OUTPUT
    pub fn pattern(&self) -> OsString {
        self.inside(b"/%p")
    }

    /// What they take for IOTA_SHARED: one file for the small parts of each node, since appending is safe on one alone
    pub fn shared(&self) -> OsString {
        self.inside(&[b"/", SHARED, b"%h.iota"].concat())
    }

    fn inside(&self, name: &[u8]) -> OsString {
        let parts = self.parts.as_os_str().as_bytes();
        let escaped = parts.split(|&byte| byte == b'%').collect::<Vec<_>>();
        let mut pattern = escaped.join(&b"%%"[..]);
        pattern.extend(name);
        OsString::from_vec(pattern)
    }

    /// Names for the trace, the best first: NAME.iota, NAME.1.iota, and one that no other process has, as the tracer names
    /// them. Before the ending is the rank, if the trace is of one
    pub fn traces(&self, process: u32, rank: Option<u64>) -> impl Iterator<Item = PathBuf> + '_ {
        let rank = rank.map_or_else(String::new, |rank| format!(".{rank}"));
        let stem = expanded(&self.template, &self.program, process);
        ["", ".1", &own()]
            .map(String::from)
            .into_iter()
            .map(move |more| {
                let mut name = stem.clone();
                name.push(format!("{more}{rank}.{}", self.ending));
                self.dir.join(name)
            })
    }
}

impl Drop for Destination {
    fn drop(&mut self) {
        if !self.keep.get() {
            let _ = fs::remove_file(self.patches());
            // With something in it, it stays.
            let _ = fs::remove_dir(&self.parts);
        }
    }
}

/// Whether lines are wanted in place of a binary trace
fn is_text(args: &args::Run) -> bool {
    args.text || std::env::var_os("IOTA_FORMAT").is_some_and(|format| format == "text")
}

/// The directory, and the name as far as it is known
fn split(wanted: &Path) -> (PathBuf, Vec<u8>) {
    let is_dir = wanted.is_dir() || wanted.as_os_str().as_bytes().ends_with(b"/");
    let (Some(dir), Some(name), false) = (wanted.parent(), wanted.file_name(), is_dir) else {
        return (wanted.to_owned(), USUAL.into());
    };
    let name = name.as_bytes();
    let stem = name.strip_suffix(b".iota");
    let stem = stem.or(name.strip_suffix(b".txt")).unwrap_or(name);
    (dir.to_owned(), stem.to_owned())
}

/// `.HOST-PID-MICROSECONDS`
fn own() -> String {
    let host = iota_recover::host::short();
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let since = since.map_or(0, |since| since.as_micros());
    format!(".{host}-{}-{since}", std::process::id())
}

fn fresh(dir: &Path) -> std::io::Result<PathBuf> {
    let (stem, mut n) = (parts_stem(), 0);
    loop {
        let parts = dir.join(format!("{stem}-{n}"));
        match DirBuilder::new().mode(0o700).create(&parts) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => n += 1,
            made => return made.map(|()| parts),
        }
    }
}

/// Replaces what the tracer would replace.
fn expanded(template: &[u8], program: &OsStr, process: u32) -> OsString {
    let (mut name, mut rest) = (Vec::new(), template.iter().copied());
    while let Some(byte) = rest.next() {
        match (byte, if byte == b'%' { rest.next() } else { None }) {
            (b'%', Some(b'%')) => name.push(b'%'),
            (b'%', Some(b'e')) => name.extend(program.as_bytes()),
            (b'%', Some(b'p')) => name.extend(process.to_string().bytes()),
            (b'%', Some(b'j')) => name.extend(job().unwrap_or(process.to_string()).bytes()),
            (b'%', Some(b'h')) => name.extend(iota_recover::host::name()),
            (b'%', Some(b'r')) => name.push(b'0'),
            (byte, other) => name.extend([Some(byte), other].into_iter().flatten()),
        }
    }
    OsString::from_vec(name)
}

fn job() -> Option<String> {
    let set = |name: &&str| std::env::var(name).ok().filter(|id| !id.is_empty());
    JOBS.iter().find_map(set).map(|id| id.replace('/', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_and_expanded() {
        let dir = tempfile::tempdir().unwrap();
        let (there, name) = split(dir.path());
        assert_eq!((there.as_path(), &name[..]), (dir.path(), &b"%e-%j"[..]));
        assert_eq!(
            split(Path::new("/a/run.iota")),
            ("/a".into(), b"run".into())
        );
        assert_eq!(split(Path::new("/a/b/")), ("/a/b/".into(), b"%e-%j".into()));
        let name = |template: &str| expanded(template.as_bytes(), OsStr::new("prog"), 7);
        assert_eq!(name("%e+%p+%%p+%x+%"), "prog+7+%p+%x+%");
    }

    #[test]
    fn parts_lie_in_a_fresh_directory() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (fresh(dir.path()).unwrap(), fresh(dir.path()).unwrap());
        assert!(a != b && a.is_dir() && b.is_dir());
    }
}
