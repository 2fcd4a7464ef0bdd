//! What a program is, as far as that decides whether and how it can be traced.

use super::needed;
use iota_follow::Hooks;
use iota_trace::Printable;
use object::elf::{FileHeader64, PT_INTERP};
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{Endianness, Object, ReadCache};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Scripts whose interpreters are scripts: the kernel follows no more
const SCRIPTS: usize = 5;

/// A program that may be traced
pub struct Program {
    file: PathBuf,
    kind: StartKind,
    /// As far as the files tell
    needed: OnceCell<Option<BTreeSet<String>>>,
    /// Its loader is asked once, which takes as long as to start it
    libraries: OnceCell<Vec<Library>>,
}

/// How it starts
#[derive(Debug, PartialEq, Eq)]
enum StartKind {
    /// By a loader, which preloads
    Dynamic { elf: PathBuf, loader: PathBuf },
    /// Linked with iota's archive, whatever else it is
    Traced,
    /// Without a loader
    Static,
    /// Of another word size or processor
    Foreign,
    /// By the loader of musl, another C library, which preloads as well
    Musl,
    /// The loader ignores what the user wants preloaded
    Privileged,
    /// Neither a program that can be read nor a script
    Unknown,
}

/// A library that a program is started with
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// As it is asked for, without directories
    pub name: String,
    /// Where it was found
    pub path: Option<PathBuf>,
}

/// The file that a command's name stands for
pub fn find(word: impl AsRef<OsStr>) -> Option<PathBuf> {
    let word = word.as_ref();
    if word.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(word)).filter(|file| file.exists());
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    let files = std::env::split_paths(&path).map(|dir| dir.join(word));
    files.into_iter().find(|file| is_executable(file))
}

/// The first that a command line names by its path: the others may be its data
pub fn by_path(words: &[OsString]) -> Option<Program> {
    let words = words.iter().filter(|word| word.as_bytes().contains(&b'/'));
    let all = among(&words.cloned().collect::<Vec<_>>());
    all.into_iter().next()
}

/// Every word of a launcher's command line that names a program: where its options end is not known in general
pub fn among(words: &[OsString]) -> Vec<Program> {
    let words = words
        .iter()
        .filter(|word| !word.as_bytes().starts_with(b"-"));
    let files = words.filter_map(find).filter(|file| is_executable(file));
    files.map(Program::new).collect()
}

/// A command's name without directories
pub fn name(word: impl AsRef<OsStr>) -> OsString {
    let file = Path::new(word.as_ref()).file_name();
    file.unwrap_or_default().to_owned()
}

fn is_executable(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|data| data.is_file() && data.mode() & 0o111 != 0)
}

impl Program {
    /// The program in a file, of a script its interpreter
    pub fn new(file: PathBuf) -> Program {
        let mut elf = file.clone();
        for _ in 0..SCRIPTS {
            match interpreter(&elf) {
                Some(next) => elf = next,
                None => break,
            }
        }
        let kind = kind(elf);
        Program {
            file,
            kind,
            needed: OnceCell::new(),
            libraries: OnceCell::new(),
        }
    }

    /// Its name, which the trace is called after
    pub fn name(&self) -> OsString {
        name(&self.file)
    }

    /// Without a loader, and not linked with iota
    pub fn is_static(&self) -> bool {
        self.kind == StartKind::Static
    }

    /// Whose calls hooks record if the tracer is preloaded
    pub fn hooks(&self, is_preloaded: bool) -> Hooks {
        match self.kind {
            StartKind::Traced => Hooks::All,
            StartKind::Dynamic { .. } | StartKind::Musl if is_preloaded => Hooks::Libraries,
            _ => Hooks::None,
        }
    }

    /// Why it cannot be traced, and what to do
    pub fn fault(&self) -> Option<String> {
        let why = match self.kind {
            StartKind::Static => "is static",
            StartKind::Foreign => "is for another kind of machine",
            StartKind::Privileged => "gains privileges (setuid, setgid or capabilities)",
            StartKind::Dynamic { .. }
            | StartKind::Musl
            | StartKind::Traced
            | StartKind::Unknown => return None,
        };
        let what = match self.kind {
            StartKind::Static => {
                "preloading does not trace it; link it with the flags of wraps.txt"
            }
            StartKind::Privileged => {
                "preloading does not trace it; run it as the user whose privileges it takes"
            }
            _ => "neither it nor what it starts is traced",
        };
        Some(format!("{} {why}: {what}", Printable::path(&self.file)))
    }

    /// Whether its loader would complain of the library, and not load it
    pub fn is_foreign(&self) -> bool {
        matches!(self.kind, StartKind::Foreign)
    }

    /// Its own file and those of its libraries, if they can be traced
    pub fn files(&self) -> Vec<PathBuf> {
        let StartKind::Dynamic { elf, .. } = &self.kind else {
            return Vec::new();
        };
        let libraries = self.libraries().iter();
        let files = libraries.filter_map(|library| library.path.clone());
        std::iter::once(elf.clone()).chain(files).collect()
    }

    /// Files that it names by their paths, and that are not there: the loader then starts it not
    pub fn missing(&self) -> Vec<PathBuf> {
        let StartKind::Dynamic { elf, .. } = &self.kind else {
            return Vec::new();
        };
        let needed = needed::of_file(elf).unwrap_or_default().names.into_iter();
        let paths = needed.map(PathBuf::from).filter(|name| name.is_absolute());
        paths.filter(|path| !path.exists()).collect()
    }

    /// The libraries of such names. The loader is asked only where the files do not say that there is none.
    pub fn libraries_of(&self, is_meant: impl Fn(&str) -> bool) -> impl Iterator<Item = &Library> {
        let needed = self.needed.get_or_init(|| match &self.kind {
            StartKind::Dynamic { elf, loader } => needed::names(elf, loader),
            _ => None,
        });
        let may_be = |names: &BTreeSet<String>| names.iter().any(|name| is_meant(name));
        let all = match needed.as_ref().is_none_or(may_be) {
            true => self.libraries(),
            false => &[],
        };
        all.iter().filter(move |library| is_meant(&library.name))
    }

    /// All libraries that its loader would load, libraries of libraries too
    fn libraries(&self) -> &[Library] {
        self.libraries.get_or_init(|| match &self.kind {
            StartKind::Dynamic { elf, loader } => libraries(elf, loader),
            _ => Vec::new(),
        })
    }
}

/// What the first line of a script names
fn interpreter(file: &Path) -> Option<PathBuf> {
    let mut start = [0; 256];
    let length = File::open(file).ok()?.read(&mut start).ok()?;
    let line = start[..length].strip_prefix(b"#!")?;
    let line = line.split(|&byte| byte == b'\n').next()?;
    let mut words = line.split(|byte| b" \t".contains(byte));
    let word = words.find(|word| !word.is_empty())?;
    Some(OsStr::from_bytes(word).into())
}

fn kind(elf: PathBuf) -> StartKind {
    let Ok(file) = File::open(&elf) else {
        return StartKind::Unknown;
    };
    let cache = ReadCache::new(file);
    match FileHeader64::<Endianness>::parse(&cache) {
        Ok(header) => kind_of_elf64(header, &cache, elf).unwrap_or(StartKind::Unknown),
        Err(_) if object::FileKind::parse(&cache) == Ok(object::FileKind::Elf32) => {
            StartKind::Foreign
        }
        Err(_) => StartKind::Unknown,
    }
}

fn kind_of_elf64(
    header: &FileHeader64<Endianness>,
    data: &ReadCache<File>,
    elf: PathBuf,
) -> object::Result<StartKind> {
    let endian = header.endian()?;
    if header.e_machine(endian) != MACHINE {
        return Ok(StartKind::Foreign);
    }
    let segments = header.program_headers(endian, data)?.iter();
    let mut loaders = segments.filter(|segment| segment.p_type(endian) == PT_INTERP);
    let Some(loader) = loaders.next() else {
        let symbols = ElfFile64::<Endianness, _>::parse(data)?;
        let is_traced = symbols.symbol_by_name("iota_start").is_some();
        return Ok(if is_traced {
            StartKind::Traced
        } else {
            StartKind::Static
        });
    };
    let loader = loader.data(endian, data).unwrap_or_default();
    let loader = loader.strip_suffix(&[0]).unwrap_or(loader);
    Ok(match () {
        () if is_privileged(&elf) => StartKind::Privileged,
        () if loader.windows(7).any(|part| part == b"ld-musl") => StartKind::Musl,
        () => StartKind::Dynamic {
            elf,
            loader: OsString::from_vec(loader.to_owned()).into(),
        },
    })
}

/// The processor that this command and the libraries are for
const MACHINE: object::elf::Machine = match cfg!(target_arch = "aarch64") {
    true => object::elf::EM_AARCH64,
    false => object::elf::EM_X86_64,
};

/// Whether it would run with more rights than its user has, for whom the loader then preloads nothing
fn is_privileged(elf: &Path) -> bool {
    // SAFETY: no arguments.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    let by_mode = elf.metadata().is_ok_and(|data| {
        data.mode() & libc::S_ISUID != 0 && data.uid() != user
            || data.mode() & libc::S_ISGID != 0 && data.gid() != group
    });
    by_mode || user != 0 && has_capabilities(elf)
}

fn has_capabilities(elf: &Path) -> bool {
    let Ok(path) = CString::new(elf.as_os_str().as_bytes()) else {
        return false;
    };
    let name = c"security.capability";
    // SAFETY: two C strings, and no room to write to.
    unsafe { libc::getxattr(path.as_ptr(), name.as_ptr(), std::ptr::null_mut(), 0) > 0 }
}

/// Asks the loader itself, as ldd does: it alone knows all the ways in which libraries are found.
pub fn libraries(elf: &Path, loader: &Path) -> Vec<Library> {
    let mut command = Command::new(loader);
    command.arg("--list").arg(elf).stdin(Stdio::null());
    match command.output() {
        Ok(output) => listed(&String::from_utf8_lossy(&output.stdout)),
        Err(_) => Vec::new(),
    }
}

/// `NAME => PATH (ADDRESS)`, `NAME => not found`, `PATH (ADDRESS)`
fn listed(text: &str) -> Vec<Library> {
    let library = |line: &str| {
        let (name, rest) = line.split_once(" => ").unwrap_or((line, line));
        let found = rest
            .rsplit_once(" (0x")
            .map(|(path, _)| PathBuf::from(path));
        let name = name.rsplit_once(" (0x").map_or(name, |(name, _)| name);
        Library {
            name: name.rsplit('/').next().unwrap_or(name).to_owned(),
            path: found.filter(|path| path.is_absolute()),
        }
    };
    text.lines().map(str::trim).map(library).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_loader_lists_is_understood() {
        let text = "\tlinux-vdso.so.1 (0x00007ffc)\n\tlibmpi.so.40 => /usr/a b/libmpi.so.40 (0x00007f)\n\
            \tlibgone.so.1 => not found\n\t/opt/iota/libiota.so (0x00007f00)\n";
        let expected = [
            ("linux-vdso.so.1", None),
            ("libmpi.so.40", Some("/usr/a b/libmpi.so.40")),
            ("libgone.so.1", None),
            ("libiota.so", Some("/opt/iota/libiota.so")),
        ];
        let expected = expected.map(|(name, path)| Library {
            name: name.to_owned(),
            path: path.map(PathBuf::from),
        });
        assert_eq!(listed(text), expected);
    }

    #[test]
    fn programs_and_scripts_are_distinguished() {
        let is_dynamic =
            |file: &Path| matches!(Program::new(file.into()).kind, StartKind::Dynamic { .. });
        assert!(is_dynamic(Path::new("/proc/self/exe")));
        assert_eq!(kind("/dev/null".into()), StartKind::Unknown);
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("script");
        std::fs::write(&script, "#! /bin/sh -e\ntrue\n").unwrap();
        assert_eq!(interpreter(&script), Some("/bin/sh".into()));
        assert!(is_dynamic(&script));
    }

    #[test]
    fn commands_are_found_as_a_shell_finds_them() {
        assert!(find("sh").is_some_and(|file| file.is_absolute()));
        assert_eq!(find("no such command"), None);
        assert_eq!(find("./no/such/file"), None);
        assert_eq!(find("/bin/sh"), Some("/bin/sh".into()));
    }
}
