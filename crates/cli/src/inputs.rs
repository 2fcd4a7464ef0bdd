//! What a command reads. No output is ever one of these files, whatever names lead to it; and nobody may read an output who
//! may not read them.

use crate::names;
use anyhow::bail;
use iota_trace::read::{Copied, Error, Options, Trace, files};
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Files that are read
pub struct Inputs {
    files: Vec<(PathBuf, Metadata)>,
}

/// A trace, and the files that it is in
pub struct Opened {
    pub trace: Trace,
    pub inputs: Inputs,
}

/// Opens a trace that is to be written to `output`; without one, to standard output
pub fn open(traces: &[PathBuf], options: Options, output: Option<&Path>) -> anyhow::Result<Opened> {
    open_beside(traces, &[], options, output)
}

/// The same where other traces are read as well
pub fn open_beside(
    traces: &[PathBuf],
    others: &[PathBuf],
    options: Options,
    output: Option<&Path>,
) -> anyhow::Result<Opened> {
    let inputs = Inputs::of(files(traces).into_iter().chain(files(others)));
    match output {
        Some(output) => inputs.spare(output)?,
        None => inputs.spare_stdout()?,
    }
    let trace = opened(traces, options)?;
    Ok(Opened { trace, inputs })
}

/// Opens a trace, and tells what of it is there twice
pub fn opened(traces: &[PathBuf], options: Options) -> Result<Trace, Error> {
    let trace = Trace::open(traces, options)?;
    if let Some(message) = copies_message(trace.copies()) {
        crate::failure::note(&message);
    }
    Ok(trace)
}

/// `b.iota and 2 more files: some or all of their calls are also in other files, such as a.iota, and count once`
fn copies_message(copies: &[Copied]) -> Option<String> {
    let pairs: BTreeMap<_, _> = copies.iter().map(|copy| (&copy.file, &copy.of)).collect();
    let (file, of) = pairs.first_key_value()?;
    let (file, of) = (names::path(file), names::path(of));
    let said = match pairs.len() - 1 {
        0 if file == of => format!("{file}: some of its calls are there twice"),
        0 => format!("{file}: some or all of its calls are also in {of}"),
        more => {
            let more = iota_quantity::many(more as u64, "more file");
            format!(
                "{file} and {more}: some or all of their calls are also in other files, such as {of}"
            )
        }
    };
    Some(said + ", and count once")
}

impl Inputs {
    /// None
    pub const NONE: Inputs = Inputs { files: Vec::new() };

    /// These files, as far as they are there
    pub fn of(paths: impl IntoIterator<Item = PathBuf>) -> Inputs {
        let file = |path: PathBuf| fs::metadata(&path).ok().map(|data| (path, data));
        Inputs {
            files: paths.into_iter().filter_map(file).collect(),
        }
    }

    /// Refuses an output that is one of them
    pub fn spare(&self, output: &Path) -> anyhow::Result<()> {
        if output == Path::new("-") {
            return self.spare_stdout();
        }
        let Ok(data) = fs::metadata(output) else {
            return Ok(());
        };
        match self.files.iter().find(|(_, input)| is_same(&data, input)) {
            Some((input, _)) => bail!(
                "{}: is read, as {}; give another name for the output",
                names::path(output),
                names::path(input)
            ),
            None => Ok(()),
        }
    }

    /// Refuses a directory to be replaced that has one of them
    pub fn spare_directory(&self, output: &Path) -> anyhow::Result<()> {
        let above = output.canonicalize().ok();
        let is_within = |(path, _): &&(PathBuf, Metadata)| {
            let path = path.canonicalize().ok();
            path.zip(above.as_ref())
                .is_some_and(|(path, above)| path.starts_with(above))
        };
        match self.files.iter().find(is_within) {
            Some((input, _)) => bail!(
                "{}: has {}, which is read; give another name for the output",
                names::path(output),
                names::path(input)
            ),
            None => Ok(()),
        }
    }

    /// The same of standard output, as after `>>`
    fn spare_stdout(&self) -> anyhow::Result<()> {
        let out = std::io::stdout().as_fd().try_clone_to_owned();
        let data = out.and_then(|out| fs::File::from(out).metadata());
        let is_file = |data: &Metadata| data.is_file();
        let Some(data) = data.ok().filter(is_file) else {
            return Ok(());
        };
        match self.files.iter().find(|(_, input)| is_same(&data, input)) {
            Some((input, _)) => bail!(
                "{}: is read, and is standard output as well; choose another file for the output",
                names::path(input)
            ),
            None => Ok(()),
        }
    }

    /// Who may read and write what is made of them: who may do so with all of them; at the least the owner, and without
    /// any nobody else
    pub fn mode(&self) -> u32 {
        let modes = self.files.iter().map(|(_, data)| data.permissions().mode());
        let common = modes.reduce(|a, b| a & b).unwrap_or(0);
        common & 0o666 | 0o600
    }
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}
