//! Which functions this C library has, asked of the library itself by nm.

use iota_calls::glibc::release;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What may be linked against or found at run time
#[derive(Clone, Debug, Default)]
pub struct Libc {
    shared: BTreeMap<String, Versions>,
    nonshared: BTreeSet<String>,
    archive: Option<Archive>,
}

/// The static library: what it defines, and what its objects call
#[derive(Clone, Debug, Default)]
struct Archive {
    defines: BTreeSet<String>,
    calls: BTreeSet<String>,
}

/// The versions under which the shared library defines a function
#[derive(Clone, Debug, Default)]
struct Versions {
    default: Option<String>,
    newest_hidden: Option<String>,
    oldest: Option<String>,
}

impl Libc {
    /// Asks the C library that `CC` (else cc) links with
    ///
    /// # Errors
    /// There is none; lists all that was tried.
    pub fn probe() -> Result<Libc, String> {
        let shared = library("libc.so.6").ok_or_else(|| {
            format!(
                "no libc.so.6: `{} -print-file-name=libc.so.6` names no file",
                compiler()
            )
        })?;
        let archive = library("libc.a").map(|path| nm(&[], &path)).transpose()?;
        let nonshared = library("libc_nonshared.a")
            .map(|path| nm(&[], &path))
            .transpose()?;
        Ok(Libc {
            shared: versions(&nm(&["-D"], &shared)?),
            nonshared: names(&nonshared.unwrap_or_default()),
            archive: archive.map(|listing| Archive::read(&listing)),
        })
    }

    /// A program compiled here can name it, in a dynamic link and in a static one
    pub fn callable(&self, name: &str) -> bool {
        let in_archive = self.archive.as_ref();
        in_archive.is_none_or(|archive| archive.defines.contains(name))
            && (self.by_default(name) || self.nonshared.contains(name))
    }

    fn by_default(&self, name: &str) -> bool {
        self.shared
            .get(name)
            .is_some_and(|versions| versions.default.is_some())
    }

    /// A running program may call it, under whichever version
    pub fn dynamic(&self, name: &str) -> bool {
        self.shared.contains_key(name)
    }

    /// The version since which it is there
    pub fn since(&self, name: &str) -> Option<&str> {
        self.shared.get(name)?.oldest.as_deref()
    }

    /// A reserved name that its own objects call: in a static link `--wrap` would rewrite these calls as well
    pub fn is_called_by_archive(&self, name: &str) -> bool {
        let mut reserved = ["__", "_IO_", "_Fork"].iter();
        reserved.any(|start| name.starts_with(start))
            && self
                .archive
                .as_ref()
                .is_some_and(|archive| archive.calls.contains(name))
    }

    /// The version that a program linked here calls, and whether it is hidden: there for old programs only, so that
    /// dlsym does not find it
    pub fn version(&self, name: &str) -> Option<(&str, bool)> {
        let versions = self.shared.get(name)?;
        let hidden = versions.default.is_none();
        let version = versions
            .default
            .as_ref()
            .or(versions.newest_hidden.as_ref())?;
        Some((version, hidden))
    }

    /// The functions that the shared library exports to programs: those private to glibc are none
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.shared.keys().map(String::as_str)
    }
}

impl Archive {
    fn read(listing: &str) -> Archive {
        let calls = listing
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("U "));
        Archive {
            defines: names(listing),
            calls: calls.map(String::from).collect(),
        }
    }
}

fn compiler() -> String {
    env::var("CC")
        .ok()
        .filter(|cc| !cc.trim().is_empty())
        .unwrap_or_else(|| "cc".into())
}

/// A library of the compiler's by name; None where it knows none
fn library(name: &str) -> Option<PathBuf> {
    let cc = compiler();
    let mut words = cc.split_whitespace();
    let output = Command::new(words.next()?)
        .args(words)
        .arg(format!("-print-file-name={name}"))
        .output()
        .ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.is_absolute()
        .then_some(path)
        .filter(|path| path.exists())
}

fn nm(options: &[&str], path: &Path) -> Result<String, String> {
    let nm = env::var("NM").unwrap_or_else(|_| "nm".into());
    let run = Command::new(&nm).args(options).arg(path).output();
    let output = run.map_err(|error| format!("{nm}: {error}"))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{nm} {}: {}", path.display(), why.trim()));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{nm} {}: {error}", path.display()))
}

/// The functions of an nm listing, as written: perhaps with a version
fn functions(listing: &str) -> impl Iterator<Item = &str> {
    listing.lines().filter_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let function = matches!(words.next()?, "T" | "W" | "i");
        words.next().filter(|_| function)
    })
}

fn names(listing: &str) -> BTreeSet<String> {
    functions(listing).map(String::from).collect()
}

fn versions(listing: &str) -> BTreeMap<String, Versions> {
    let mut shared = BTreeMap::<String, Versions>::new();
    for symbol in functions(listing) {
        let (name, version) = symbol.split_once('@').unwrap_or((symbol, "@"));
        if version.trim_start_matches('@') == "GLIBC_PRIVATE" {
            continue;
        }
        let versions = shared.entry(name.into()).or_default();
        let plain = version.trim_start_matches('@');
        let is_older = |oldest: &String| release(plain) < release(oldest);
        if versions.oldest.as_ref().is_none_or(is_older) {
            versions.oldest = Some(plain.into());
        }
        match version.strip_prefix('@') {
            Some(version) => versions.default = Some(version.into()),
            None => versions.newest_hidden = Some(version.into()),
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARED: &str = "0000000000000000 A GLIBC_2.2.5
00000000000e2f30 T read@@GLIBC_2.2.5
00000000000e2c20 W stat@@GLIBC_2.33
00000000000e2d20 T __xstat@GLIBC_2.2.5
00000000001d3a60 D environ@@GLIBC_2.2.5
000000000007a310 T realpath@@GLIBC_2.3
000000000007a310 T realpath@GLIBC_2.2.5
00000000000a0000 i strlen@@GLIBC_2.2.5
";

    fn libc(archive: Option<&str>) -> Libc {
        Libc {
            shared: versions(SHARED),
            nonshared: names("\nstat.oS:\n0000000000000000 T mknod\n                 U __xmknod\n"),
            archive: archive.map(Archive::read),
        }
    }

    #[test]
    fn only_default_versions_can_be_called() {
        let libc = libc(None);
        assert!(libc.callable("read") && libc.callable("mknod") && libc.callable("strlen"));
        assert!(!libc.callable("__xstat") && !libc.callable("environ") && !libc.callable("absent"));
        assert!(libc.dynamic("__xstat") && !libc.dynamic("mknod") && !libc.dynamic("environ"));
    }

    #[test]
    fn what_the_archive_lacks_cannot_be_called() {
        let libc = libc(Some("0000000000000000 T read\n"));
        assert!(libc.callable("read") && !libc.callable("stat"));
    }

    #[test]
    fn calls_of_the_archive_by_reserved_names_are_seen() {
        let archive = "0 T __read\n0 W read\n0 T __read_chk\n\nfileops.o:\n         U __read\n         U read\n";
        let libc = libc(Some(archive));
        assert!(libc.is_called_by_archive("__read"));
        assert!(!libc.is_called_by_archive("read") && !libc.is_called_by_archive("__read_chk"));
    }

    #[test]
    fn the_oldest_version_says_since_when_a_function_is_there() {
        let libc = libc(None);
        assert_eq!(libc.since("realpath"), Some("GLIBC_2.2.5"));
        assert_eq!(libc.since("stat"), Some("GLIBC_2.33"));
        assert_eq!(libc.since("absent"), None);
    }

    #[test]
    fn private_functions_are_not_there() {
        let libc = Libc {
            shared: versions("0 T __mmap@@GLIBC_PRIVATE\n"),
            ..Libc::default()
        };
        assert!(!libc.callable("__mmap") && !libc.dynamic("__mmap"));
    }

    #[test]
    fn versions_are_known_and_whether_dlsym_finds_them() {
        let libc = libc(None);
        assert_eq!(libc.version("__xstat"), Some(("GLIBC_2.2.5", true)));
        assert_eq!(libc.version("realpath"), Some(("GLIBC_2.3", false)));
        assert_eq!(libc.version("absent"), None);
    }

    #[test]
    fn this_libc_has_the_calls_that_every_libc_has() {
        let libc = Libc::probe().expect("a C library");
        for name in ["open", "read", "pwrite64", "fopen", "vfprintf", "_exit"] {
            assert!(libc.callable(name) && libc.dynamic(name), "{name}");
        }
    }
}
