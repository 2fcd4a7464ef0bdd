//! The library that is preloaded: one for all programs, whichever MPI they have, or none.

use super::program::Program;
use anyhow::{Context, bail};
use iota_trace::Printable;
use std::ffi::{CString, OsString};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const NAME: &str = "libiota.so";

/// The library for these programs: the one that they were linked with, because two copies would record each call twice;
/// else that in the directory that IOTA_LIB names, or where `make` and `make install` put it
///
/// # Errors
///
/// The library is not there, or no program can load it.
pub fn find(programs: &[Program]) -> anyhow::Result<PathBuf> {
    let ours = ours()?;
    for program in programs {
        let missing = program.missing();
        if let Some(moved) = missing.iter().find(|path| path.ends_with(NAME)) {
            bail!(
                "{} was linked with {}, which is not there any more: link it again, or make a link there to {}",
                program.name().display(),
                Printable::path(moved),
                Printable::path(&ours)
            );
        }
    }
    let library = linked(programs).unwrap_or(ours);
    if !may_be_executed(&library) {
        bail!(
            "{} is on a file system that is mounted noexec, from which no program can load it: install iota elsewhere, or \
             copy {NAME} and set IOTA_LIB to its directory",
            Printable::path(&library)
        );
    }
    Ok(library)
}

fn may_be_executed(library: &Path) -> bool {
    let Ok(path) = CString::new(library.as_os_str().as_bytes()) else {
        return true;
    };
    let mut system = MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: a C string, and room for the answer, which is read only if there is one.
    let flags = unsafe {
        match libc::statvfs(path.as_ptr(), system.as_mut_ptr()) {
            0 => system.assume_init().f_flag,
            _ => 0,
        }
    };
    flags & libc::ST_NOEXEC == 0
}

/// The directory of the library, and of what programs are linked with
///
/// # Errors
///
/// The library is not there.
pub fn directory() -> anyhow::Result<PathBuf> {
    let library = ours()?;
    Ok(library.parent().unwrap_or(Path::new("/")).to_owned())
}

fn ours() -> anyhow::Result<PathBuf> {
    let given = std::env::var_os("IOTA_LIB").filter(|dir| !dir.is_empty());
    let dirs = match given {
        Some(dir) => vec![std::path::absolute(dir)?],
        None => beside_command()?,
    };
    let mut files = dirs.iter().map(|dir| dir.join(NAME));
    if let Some(file) = files.find(|file| file.exists()) {
        return Ok(file);
    }
    let dirs: Vec<_> = dirs.iter().map(|dir| Printable::path(dir)).collect();
    bail!(
        "{NAME} is not in {}: build it with `make`, or set IOTA_LIB to its directory",
        dirs.join(" or ")
    )
}

/// build/bin/iota and PREFIX/bin/iota have the libraries in lib
fn beside_command() -> anyhow::Result<Vec<PathBuf>> {
    let command = std::env::current_exe().context("where this command is")?;
    let prefix = command.ancestors().nth(2).unwrap_or(Path::new("/"));
    Ok(["lib", "lib64"].map(|dir| prefix.join(dir)).into())
}

fn linked(programs: &[Program]) -> Option<PathBuf> {
    let is_ours = |name: &str| name == NAME;
    let ours = |program| Program::libraries_of(program, is_ours);
    let mut ours = programs.iter().flat_map(ours);
    ours.find_map(|library| library.path.clone())
}

/// The value of LD_PRELOAD: the library, then what the user wants preloaded
///
/// # Errors
///
/// LD_PRELOAD cannot say its name.
pub fn preload(library: &Path) -> anyhow::Result<OsString> {
    joined(library, std::env::var_os("LD_PRELOAD"))
}

/// The tracer comes first: it then sees what the others call, and not only what they hand on.
fn joined(library: &Path, theirs: Option<OsString>) -> anyhow::Result<OsString> {
    let bytes = library.as_os_str().as_encoded_bytes();
    if bytes.iter().any(|byte| b" :$".contains(byte)) {
        bail!(
            "{}: LD_PRELOAD cannot contain a path with a blank, colon or dollar sign; make a link to its directory \
             elsewhere and set IOTA_LIB to that link",
            Printable::path(library)
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
