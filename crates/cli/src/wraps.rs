//! `iota wraps`: the words that a program is linked with, for where the libraries lie.
//!
//! A dynamic program names the library that it needs by its absolute path, which an archive that is unpacked anywhere cannot
//! know. So the link editor gets a stub whose name has room for any path, and the path is put there when it is known.

use crate::args::Wraps;
use crate::{names, output};
use anyhow::{Context, bail};
use iota_launch::library;
use std::ffi::CStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// How the room in the stub begins, and what fills it (scripts/release.sh)
const ROOM: &[u8] = b"/room-for-the-path-of-libiota.so";
const FILL: u8 = b'x';

/// `iota wraps`
pub fn run(args: &Wraps) -> anyhow::Result<()> {
    let dir = library::directory()?;
    let template = dir.join("libiota.wraps");
    let line = fs::read_to_string(&template).with_context(|| names::path(&template))?;
    let dir_word = word(&dir)?;
    let link = link_directory(&dir)?;
    let newer = newer(&dir, args.glibc.as_deref())?;
    let newer = newer.map_or_else(String::new, |file| format!("-Wl,@LIB_DIR/{file} "));
    let line = line.replace("NEWER", &newer);
    let line = line.replace("LIB_DIR/link", word(&link)?);
    output::raw(line.replace("LIB_DIR", dir_word).as_bytes())
}

/// A shell splits the line at white space, the compiler at commas.
fn word(dir: &Path) -> anyhow::Result<&str> {
    let word = dir.to_str().unwrap_or_default();
    let splits = |letter: char| letter.is_whitespace() || letter == ',';
    if word.is_empty() || word.contains(splits) {
        bail!(
            "{}: no link line can carry a path with white space, a comma or bytes that are not UTF-8; make a link to this \
             directory elsewhere, and set IOTA_LIB to that link",
            names::path(dir)
        );
    }
    Ok(word)
}

/// The response file of what the C library has beyond the oldest one: that of this machine, or of a version.
fn newer(dir: &Path, version: Option<&str>) -> anyhow::Result<Option<String>> {
    let here = version.map_or_else(glibc, String::from);
    let wanted =
        number(&here).with_context(|| format!("{here}: is no version of glibc, such as 2.31"))?;
    let mut best = None;
    for entry in fs::read_dir(dir).with_context(|| names::path(dir))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let version = name
            .strip_prefix("libiota-GLIBC_")
            .and_then(|rest| rest.strip_suffix(".rsp"));
        let number = version.and_then(number).filter(|number| *number <= wanted);
        best = best.max(number.map(|number| (number, name)));
    }
    Ok(best.map(|(_, name)| name))
}

fn number(version: &str) -> Option<(u32, u32)> {
    let (major, minor) = version.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn glibc() -> String {
    // SAFETY: a string of the C library's, which stays.
    let version = unsafe { CStr::from_ptr(libc::gnu_get_libc_version()) };
    version.to_string_lossy().into_owned()
}

/// Where the stub is that names the library by its path: here, made now if need be, or in the user's cache.
fn link_directory(dir: &Path) -> anyhow::Result<PathBuf> {
    let (here, pattern) = (dir.join("link"), dir.join("link/libiota.so.in"));
    // Made for this place, and installed so.
    if !pattern.exists() {
        return Ok(here);
    }
    let stub = stub(&pattern, &dir.join("libiota.so"))?;
    if let Err(error) = put(&here, &stub) {
        let cache = cache(dir).with_context(|| format!("{}: {error}", names::path(&here)))?;
        put(&cache, &stub).with_context(|| names::path(&cache))?;
        return Ok(cache);
    }
    Ok(here)
}

fn stub(pattern: &Path, library: &Path) -> anyhow::Result<Vec<u8>> {
    let mut stub = fs::read(pattern).with_context(|| names::path(pattern))?;
    let at = memchr::memmem::find(&stub, ROOM);
    let at =
        at.with_context(|| format!("{}: is not the stub of a release", names::path(pattern)))?;
    let rest = &stub[at + ROOM.len()..];
    let room = ROOM.len() + rest.iter().take_while(|byte| **byte == FILL).count();
    let path = library.as_os_str().as_bytes();
    if path.len() > room {
        bail!(
            "{}: a path of over {room} bytes; make a link to its directory elsewhere, and set IOTA_LIB to that link",
            names::path(library)
        );
    }
    stub[at..at + room].fill(0);
    stub[at..at + path.len()].copy_from_slice(path);
    Ok(stub)
}

/// Whole or not at all: others may link at the same time.
fn put(dir: &Path, stub: &[u8]) -> std::io::Result<()> {
    let file = dir.join("libiota.so");
    if fs::read(&file).is_ok_and(|there| there == stub) {
        return Ok(());
    }
    fs::create_dir_all(dir)?;
    let draft = dir.join(format!(".libiota.so-{}", std::process::id()));
    let done = fs::write(&draft, stub).and_then(|()| fs::rename(&draft, file));
    if done.is_err() {
        let _ = fs::remove_file(&draft);
    }
    done
}

/// A folder of the user's for the libraries in this place
fn cache(dir: &Path) -> Option<PathBuf> {
    let given = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let cache = given("XDG_CACHE_HOME").or_else(|| Some(given("HOME")?.join(".cache")))?;
    let place = iota_trace::fnv::Fnv::of(dir.as_os_str().as_bytes());
    Some(cache.join(format!("iota/link-{place:016x}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_file_that_is_not_newer_than_the_library_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        for version in ["2.9", "2.30", "2.36"] {
            fs::write(dir.path().join(format!("libiota-GLIBC_{version}.rsp")), "").unwrap();
        }
        let file = |version| newer(dir.path(), Some(version)).unwrap();
        assert_eq!(file("2.8"), None);
        assert_eq!(file("2.35").as_deref(), Some("libiota-GLIBC_2.30.rsp"));
        assert_eq!(file("3.0").as_deref(), Some("libiota-GLIBC_2.36.rsp"));
        assert!(newer(dir.path(), Some("new")).is_err());
    }

    #[test]
    fn a_stub_has_the_path_and_nothing_of_the_room() {
        let dir = tempfile::tempdir().unwrap();
        let pattern = dir.path().join("in");
        fs::write(&pattern, [b"a\0", ROOM, b"xxxx\0b"].concat()).unwrap();
        let made = stub(&pattern, Path::new("/opt/libiota.so")).unwrap();
        let room = vec![0; ROOM.len() + 4 - 15];
        assert_eq!(made, [b"a\0/opt/libiota.so", &room[..], b"\0b"].concat());
        let long = format!("/{}", "y".repeat(ROOM.len() + 4));
        assert!(stub(&pattern, Path::new(&long)).is_err());
    }

    #[test]
    fn paths_that_no_link_line_can_carry_are_refused() {
        assert!(word(Path::new("/a b")).is_err() && word(Path::new("/a,b")).is_err());
        assert_eq!(word(Path::new("/opt/lib")).unwrap(), "/opt/lib");
    }
}
