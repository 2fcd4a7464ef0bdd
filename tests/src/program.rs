//! Test programs: compiled once, linked once in each way, kept in the target directory.

mod link;

use crate::Way;
use crate::build::{Build, root};
use crate::tools::{compiler, find};
use crate::wanted;
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

/// A program of tests/programs and how to build it.
#[derive(Clone, Debug)]
pub struct Program {
    source: String,
    flags: Vec<String>,
    objects: Vec<String>,
    libraries: Vec<String>,
    shared: Vec<String>,
    behind: Vec<String>,
    plugin: Option<String>,
    linker: Option<String>,
    by: Option<String>,
    wraps_first: bool,
    archive: bool,
    mpi: bool,
    real: bool,
    is_command: bool,
    build: &'static Build,
}

/// Calls are to keep the names that the source gives them: no builtins, no inline functions.
const C_FLAGS: &str = "-O0 -fno-builtin -Wall -Wextra -Wno-unused-result -Wno-nonnull";

impl Program {
    /// A program by the name of its source file.
    pub fn new(source: &str) -> Program {
        Program {
            source: source.into(),
            flags: Vec::new(),
            objects: Vec::new(),
            libraries: Vec::new(),
            shared: Vec::new(),
            behind: Vec::new(),
            plugin: None,
            linker: None,
            by: None,
            wraps_first: false,
            archive: false,
            mpi: false,
            real: false,
            is_command: false,
            build: Build::first(),
        }
    }

    /// A program that tests/real has linked with a build.
    pub fn real(name: &str, build: &'static Build) -> Program {
        Program {
            real: true,
            build,
            ..Program::new(name)
        }
    }

    /// A program whose source is rendered.
    pub fn rendered(name: &str, source: &str) -> Program {
        let mut program = Program::new(name);
        let path = program.place(name);
        let same = std::fs::read_to_string(&path).is_ok_and(|there| there == source);
        if !same {
            let dir = path.parent().expect("a file lies in a directory");
            std::fs::create_dir_all(dir).expect("the target directory is writable");
            let new = dir.join(format!("{}-{name}", std::process::id()));
            std::fs::write(&new, source).expect("the target directory is writable");
            std::fs::rename(&new, &path).expect("the target directory is writable");
        }
        program.source = path.to_str().expect("a path in UTF-8").into();
        program
    }

    /// Further compiler flags, separated by blanks.
    pub fn flags(mut self, flags: &str) -> Program {
        self.flags
            .extend(flags.split_whitespace().map(String::from));
        self
    }

    /// A second source, linked as it is.
    pub fn object(mut self, source: &str) -> Program {
        self.objects.push(source.into());
        self
    }

    /// A source that the program gets as a static library of its own.
    pub fn library(mut self, source: &str) -> Program {
        self.libraries.push(source.into());
        self
    }

    /// A source that the program gets as a shared library of its own.
    pub fn shared(mut self, source: &str) -> Program {
        self.shared.push(source.into());
        self
    }

    /// Flags behind all else on the link line, separated by blanks.
    pub fn behind(mut self, flags: &str) -> Program {
        self.behind
            .extend(flags.split_whitespace().map(String::from));
        self
    }

    /// A source built as a shared object, and named to the program as its first argument.
    pub fn plugin(mut self, source: &str) -> Program {
        self.plugin = Some(source.into());
        self
    }

    /// The linker, as `-fuse-ld` calls it.
    pub fn linker(mut self, name: &str) -> Program {
        self.linker = Some(name.into());
        self
    }

    /// The compiler, where it is another one than the build's.
    pub fn by(mut self, compiler: &str) -> Program {
        self.by = Some(compiler.into());
        self
    }

    /// The flags of wraps.txt stand before all objects and libraries, not behind them.
    pub fn wraps_first(mut self) -> Program {
        self.wraps_first = true;
        self
    }

    /// The archive is named on the link line, in a dynamic link too.
    pub fn archive(mut self) -> Program {
        self.archive = true;
        self
    }

    /// The MPI compilers of a build.
    pub fn mpi(mut self, build: &'static Build) -> Program {
        self.mpi = true;
        self.build = build;
        self
    }

    /// A command of the machine.
    pub fn command(path: &str) -> Program {
        Program {
            is_command: true,
            ..Program::new(path)
        }
    }

    /// It is a parallel program, already linked.
    pub fn of_mpi(mut self) -> Program {
        self.mpi = true;
        self
    }

    /// The build whose flags it is linked with.
    pub fn build(&self) -> &'static Build {
        self.build
    }

    /// The library to preload.
    pub fn shared_object(&self) -> PathBuf {
        self.build.library("libiota.so")
    }

    /// The executable, built if it is not there yet. Whatever it depends on is part of its name.
    pub fn executable(&self, way: Way) -> PathBuf {
        let way = way.link();
        if self.is_command {
            return self.source.clone().into();
        }
        if self.real {
            return self.real_executable(way);
        }
        let path = self.place(&self.name(way));
        once(&path, |new| self.link(way, new));
        path
    }

    /// NAME-bare, NAME-dynamic or NAME-static. A bare static one is not made: with the archive it takes no notice of the C
    /// library's being shared.
    fn real_executable(&self, way: Way) -> PathBuf {
        let way = match way {
            Way::Dynamic => "dynamic",
            Way::Static => "static",
            _ => "bare",
        };
        self.build
            .dir
            .join("real")
            .join(format!("{}-{way}", self.source))
    }

    fn stem(&self) -> String {
        stem_of(&self.source)
    }

    fn name(&self, way: Way) -> String {
        let mut hash = DefaultHasher::new();
        (
            &self.flags,
            &self.behind,
            &self.linker,
            self.wraps_first,
            self.archive,
            self.mpi,
        )
            .hash(&mut hash);
        self.compiler(&self.source).hash(&mut hash);
        for source in self.sources() {
            contents(&self.path_of(source)).hash(&mut hash);
        }
        contents(&self.path_of("program.h")).hash(&mut hash);
        if way.wraps() {
            self.tracer_stamp(way).hash(&mut hash);
        }
        format!("{}-{way:?}-{:016x}", self.stem(), hash.finish())
    }

    fn sources(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.source)
            .chain(&self.objects)
            .chain(&self.libraries)
            .chain(&self.shared)
    }

    /// What a linked program takes from the build.
    fn tracer_stamp(&self, way: Way) -> (Vec<String>, String, Option<std::time::SystemTime>) {
        let holds_it = way.is_static() || self.archive;
        let file = holds_it.then(|| self.build.library("libiota.a"));
        let stamp = file.and_then(|file| file.metadata().and_then(|data| data.modified()).ok());
        (self.wraps(), self.build.response_file(), stamp)
    }

    fn wraps(&self) -> Vec<String> {
        let words = self.build.wraps().into_iter();
        let named = |word: String| match &*word {
            "-liota" if self.archive => "-l:libiota.a".into(),
            _ => word,
        };
        words.map(named).collect()
    }

    fn path_of(&self, source: &str) -> PathBuf {
        root().join("tests/programs").join(source)
    }

    fn place(&self, name: &str) -> PathBuf {
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
        target.join("iota-programs").join(name)
    }

    /// True where this machine has the compiler for it; else the test is left out.
    pub fn has_compiler(&self) -> bool {
        let (command, _) = self.compiler_and_flags(&self.source);
        let there = command.split_whitespace().next().and_then(find).is_some();
        let what = format!("compiler for {}", self.source);
        self.is_command || self.real || wanted(&what, there, "scripts/deps.sh test gets it as root")
    }

    /// The compiler's command for a source, empty where the MPI has none, and flags.
    fn compiler_and_flags(&self, source: &str) -> (String, &'static str) {
        let (key, serial, flags) = match source.rsplit('.').next() {
            Some("cpp") => ("MPICXX", compiler("CXX", "g++"), "-O1 -Wall -Wextra"),
            Some("f90" | "f" | "F90") => ("MPIFC", compiler("FC", "gfortran"), "-O1 -Wall"),
            Some("rs") => ("", compiler("RUSTC", "rustc"), "-O --edition 2024"),
            _ => ("MPICC", self.build.value("CC").into(), C_FLAGS),
        };
        let of_mpi = || self.build.value(key).into();
        let serial = self.by.clone().unwrap_or(serial);
        (if self.mpi { of_mpi() } else { serial }, flags)
    }

    /// The compiler for a source, its flags included.
    fn compiler(&self, source: &str) -> Vec<String> {
        let (command, flags) = self.compiler_and_flags(source);
        assert!(!command.is_empty(), "{source}: no compiler for it");
        let words = command.split_whitespace().chain(flags.split_whitespace());
        words
            .map(String::from)
            .chain(self.flags.iter().cloned())
            .collect()
    }
}

/// What a source is called, without its folder: a rendered one lies elsewhere.
fn stem_of(source: &str) -> String {
    let name = source.rsplit('/').next().unwrap_or(source);
    name.replace('.', "-")
}

fn contents(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Makes a file once, whichever test comes first; other test processes see it whole or not at all.
fn once(path: &Path, make: impl FnOnce(&Path)) {
    static MADE: OnceLock<Mutex<HashMap<PathBuf, Arc<Mutex<()>>>>> = OnceLock::new();
    let all = MADE.get_or_init(Mutex::default);
    let one = all
        .lock()
        .expect("nobody panics here")
        .entry(path.into())
        .or_default()
        .clone();
    // A test that failed to build it leaves the next one to say why as well.
    let _only = one.lock().unwrap_or_else(|failed| failed.into_inner());
    if path.exists() {
        return;
    }
    let dir = path.parent().expect("a file lies in a directory");
    let making = dir.join(format!(
        "making-{}-{}",
        std::process::id(),
        path.file_name().expect("a name").display()
    ));
    std::fs::create_dir_all(&making).expect("the target directory is writable");
    let new = making.join(path.file_name().expect("a name"));
    make(&new);
    std::fs::rename(&new, path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    std::fs::remove_dir_all(&making).expect("the target directory is writable");
}
