//! Which of the two libraries is preloaded: the serial one, or the one for MPI programs.
//!
//! The latter brings its MPI with it, so that it may only enter programs of the same.

use super::launcher::Launcher;
use super::program::{self, Library, Program};
use crate::args::Mpi;
use crate::names;
use anyhow::{Context, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const SERIAL: &str = "libiota.so";
const PARALLEL: &str = "libiota-mpi.so";

/// Where the libraries are
pub struct Libraries(PathBuf);

/// What to preload
#[derive(Debug)]
pub struct Choice {
    library: PathBuf,
    /// What the user should know of it
    pub note: Option<String>,
}

/// What the libraries of programs say
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Serial,
    Parallel,
    /// Programs of another MPI, and how it is told
    Other(String),
}

impl Libraries {
    /// In the directory that IOTA_LIB names, else where `make` and `make install` put them
    pub fn find() -> anyhow::Result<Libraries> {
        let given = std::env::var_os("IOTA_LIB").filter(|dir| !dir.is_empty());
        let dirs = match given {
            Some(dir) => vec![std::path::absolute(dir)?],
            None => beside_command()?,
        };
        if let Some(dir) = dirs.iter().find(|dir| dir.join(SERIAL).exists()) {
            return Ok(Libraries(dir.clone()));
        }
        let dirs: Vec<_> = dirs.iter().map(|dir| names::path(dir)).collect();
        bail!(
            "{SERIAL} is not in {}: build it with `make`, or set IOTA_LIB to its directory",
            dirs.join(" or ")
        )
    }

    fn parallel(&self) -> Option<PathBuf> {
        Some(self.0.join(PARALLEL)).filter(|file| file.exists())
    }
}

/// build/bin/iota and PREFIX/bin/iota have the libraries in lib
fn beside_command() -> anyhow::Result<Vec<PathBuf>> {
    let command = std::env::current_exe().context("where this command is")?;
    let prefix = command.ancestors().nth(2).unwrap_or(Path::new("/"));
    Ok(["lib", "lib64"].map(|dir| prefix.join(dir)).into())
}

/// The library that suits the programs
pub fn choose(
    wish: Mpi,
    libraries: &Libraries,
    launcher: Option<&Launcher>,
    programs: &[Program],
) -> anyhow::Result<Choice> {
    let of = |library, note| Ok(Choice { library, note });
    let (serial, parallel) = (libraries.0.join(SERIAL), libraries.parallel());
    match (wish, parallel) {
        (Mpi::No, _) => of(serial, None),
        (Mpi::Yes, Some(parallel)) => of(parallel, None),
        (Mpi::Yes, None) => bail!(
            "--mpi yes: there is no {PARALLEL} in {}",
            libraries.0.display()
        ),
        (Mpi::Auto, parallel) => Ok(suitable(serial, parallel, launcher, programs)),
    }
}

fn suitable(
    serial: PathBuf,
    parallel: Option<PathBuf>,
    launcher: Option<&Launcher>,
    programs: &[Program],
) -> Choice {
    if programs.iter().any(Program::is_of_musl) {
        return Choice {
            library: serial,
            note: None,
        };
    }
    let theirs: Vec<_> = programs.iter().map(Program::libraries).collect();
    if let Some(library) = linked(&theirs) {
        // Two copies would record each call twice.
        return Choice {
            library,
            note: None,
        };
    }
    let loader = program::own_loader().unwrap_or_default();
    let ours = parallel
        .as_ref()
        .map(|library| program::libraries(library, &loader));
    let verdict = verdict(ours.as_deref().unwrap_or_default(), &theirs, launcher);
    match (verdict, parallel) {
        (Verdict::Parallel, Some(library)) => Choice {
            library,
            note: None,
        },
        (Verdict::Other(what), _) => Choice {
            library: serial,
            note: Some(format!(
                "{what} does not belong to the MPI that this iota was built for; tracing without MPI, so each rank writes a part of its own"
            )),
        },
        _ => Choice {
            library: serial,
            note: None,
        },
    }
}

/// The tracer that a program was linked with
fn linked(programs: &[Vec<Library>]) -> Option<PathBuf> {
    let ours = |library: &&Library| [SERIAL, PARALLEL].contains(&library.name.as_str());
    let mut libraries = programs.iter().flatten().filter(ours);
    libraries.find_map(|library| library.path.clone())
}

/// A program that shows no MPI may load one later, as Python does: behind a launcher it is taken for parallel, unless
/// the launcher is known to be of another MPI.
fn verdict(ours: &[Library], programs: &[Vec<Library>], launcher: Option<&Launcher>) -> Verdict {
    let is_ours = |library: &&Library| ours.iter().any(|our| our.name == library.name);
    let mut theirs = programs.iter().flatten().filter(|library| is_mpi(library));
    if theirs.clone().any(|library| is_ours(&library)) {
        return Verdict::Parallel;
    }
    match (theirs.next(), launcher) {
        (Some(library), _) => Verdict::Other(library.name.clone()),
        (None, None) => Verdict::Serial,
        (None, Some(launcher)) if ours.iter().any(|our| launcher.contradicts(&our.name)) => {
            Verdict::Other("the launcher".to_owned())
        }
        (None, Some(_)) => Verdict::Parallel,
    }
}

/// `libmpi.so.40`, `libmpich.so.12`, `libmpi_cray.so.12`, `libmpifort.so.12`, ...
fn is_mpi(library: &Library) -> bool {
    library.name.starts_with("libmpi") && library.name.contains(".so")
}

impl Choice {
    /// The value of LD_PRELOAD: the library, then what the user wants preloaded
    pub fn preload(&self) -> anyhow::Result<OsString> {
        joined(&self.library, std::env::var_os("LD_PRELOAD"))
    }
}

/// The tracer comes first: it then sees what the others call, and not only what they hand on.
fn joined(library: &Path, theirs: Option<OsString>) -> anyhow::Result<OsString> {
    let bytes = library.as_os_str().as_encoded_bytes();
    if bytes.iter().any(|byte| b" :$".contains(byte)) {
        bail!(
            "{}: LD_PRELOAD cannot contain a path with a blank, colon or dollar sign; make a link to its directory \
             elsewhere and set IOTA_LIB to that link",
            names::path(library)
        );
    }
    let mut value = library.as_os_str().to_owned();
    if let Some(theirs) = theirs.filter(|theirs| !theirs.is_empty()) {
        value.push(":");
        value.push(theirs);
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn libraries(names: &[&str]) -> Vec<Library> {
        let library = |name: &&str| Library {
            name: (*name).to_owned(),
            path: None,
        };
        names.iter().map(library).collect()
    }

    fn told(programs: &[&[&str]], launcher: Option<Launcher>) -> Verdict {
        let ours = libraries(&["libmpi.so.40", "libc.so.6"]);
        let programs: Vec<_> = programs.iter().map(|names| libraries(names)).collect();
        verdict(&ours, &programs, launcher.as_ref())
    }

    #[test]
    fn the_flavour_follows_the_programs_libraries() {
        assert_eq!(told(&[&["libc.so.6"]], None), Verdict::Serial);
        let fortran = ["libmpi_mpifh.so.40", "libmpi.so.40"];
        assert_eq!(told(&[&fortran], None), Verdict::Parallel);
        let other = Verdict::Other("libmpich.so.12".to_owned());
        assert_eq!(told(&[&["libmpich.so.12"]], None), other);
        assert_eq!(told(&[&["libmpfr.so.6"]], None), Verdict::Serial);
        assert_eq!(told(&[], None), Verdict::Serial);
    }

    #[test]
    fn behind_a_launcher_programs_are_parallel() {
        let python: &[&str] = &["libc.so.6"];
        assert_eq!(told(&[python], Some(Launcher::OpenMpi)), Verdict::Parallel);
        assert_eq!(told(&[python], Some(Launcher::Srun)), Verdict::Parallel);
        let other = Verdict::Other("the launcher".to_owned());
        assert_eq!(told(&[python], Some(Launcher::Hydra)), other);
        let several = [python, &["libmpi.so.40"]];
        assert_eq!(told(&several, Some(Launcher::Hydra)), Verdict::Parallel);
    }

    #[test]
    fn a_linked_tracer_is_used() {
        let mut library = libraries(&["libiota.so"]);
        assert_eq!(linked(&[library.clone()]), None);
        library[0].path = Some("/opt/libiota.so".into());
        assert_eq!(
            linked(&[Vec::new(), library]),
            Some("/opt/libiota.so".into())
        );
    }

    #[test]
    fn what_the_user_preloads_is_kept() {
        let library = Path::new("/opt/iota/libiota.so");
        let value = |theirs: &str| joined(library, Some(theirs.into())).unwrap();
        assert_eq!(joined(library, None).unwrap(), library);
        assert_eq!(value(""), library);
        assert_eq!(value("a.so b.so"), "/opt/iota/libiota.so:a.so b.so");
        for path in ["/a b/libiota.so", "/a:b/libiota.so", "/$LIB/libiota.so"] {
            let error = joined(Path::new(path), None).unwrap_err().to_string();
            assert!(error.contains("IOTA_LIB"), "{error}");
        }
    }
}
