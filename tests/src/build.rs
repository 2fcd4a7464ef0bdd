//! The builds under test: what `make` left and noted in build.env.

use crate::Way;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A build of iota for one MPI.
#[derive(Debug)]
pub struct Build {
    /// Its folder.
    pub dir: PathBuf,
    values: HashMap<String, String>,
}

/// The source tree.
pub fn root() -> PathBuf {
    match std::env::var_os("IOTA_ROOT") {
        Some(root) => root.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("tests/ lies in the source tree")
            .into(),
    }
}

impl Build {
    /// Every build under test: those that `IOTA_BUILDS` names, or `build/`; the first is the default one.
    pub fn all() -> &'static [Build] {
        static ALL: OnceLock<Vec<Build>> = OnceLock::new();
        ALL.get_or_init(|| match std::env::var("IOTA_BUILDS") {
            Ok(dirs) => dirs.split(':').map(|dir| Build::open(dir.into())).collect(),
            Err(_) => vec![Build::open(root().join("build"))],
        })
    }

    /// The default one.
    pub fn first() -> &'static Build {
        Build::all().first().expect("IOTA_BUILDS names a build")
    }

    /// The build for an MPI of shared libraries, by its name in build.env and how its version begins.
    pub(crate) fn with_mpi(name: &str, version: &str) -> Option<&'static Build> {
        let is_it = |build: &&Build| {
            build.value("MPI") == name
                && build.value("MPI_VERSION").starts_with(version)
                && build.way() == Way::Dynamic
        };
        Build::all().iter().find(is_it)
    }

    /// A build for an MPI that links static programs alone.
    pub fn with_static_mpi() -> Option<&'static Build> {
        Build::all().iter().find(|build| build.way() == Way::Static)
    }

    fn open(dir: PathBuf) -> Build {
        let file = dir.join("build.env");
        let text = std::fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("{}: {error}; run `make` first", file.display()));
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        let values = pairs.map(|(key, value)| (key.into(), value.into()));
        Build {
            dir,
            values: values.collect(),
        }
    }

    /// How parallel programs are linked with it: dynamically, unless its MPI is static alone.
    pub fn way(&self) -> Way {
        match self.value("MPI_LINKS").trim() {
            "static" => Way::Static,
            _ => Way::Dynamic,
        }
    }

    /// What build.env says; empty where it says nothing.
    pub fn value(&self, key: &str) -> &str {
        self.values.get(key).map_or("", String::as_str)
    }

    /// The words of what build.env says.
    pub fn words(&self, key: &str) -> Vec<String> {
        self.value(key)
            .split_whitespace()
            .map(String::from)
            .collect()
    }

    /// A library of the build.
    pub fn library(&self, name: &str) -> PathBuf {
        Path::new(self.value("IOTA_LIB")).join(name)
    }

    /// The iota command.
    pub fn iota(&self) -> PathBuf {
        Path::new(self.value("IOTA_BIN")).join("iota")
    }

    /// The load generator over ranks.
    pub fn load_over_ranks(&self) -> PathBuf {
        Path::new(self.value("IOTA_MPI_BIN")).join("iota-load-mpi")
    }

    /// The words of wraps.txt.
    pub fn wraps(&self) -> Vec<String> {
        self.text("IOTA_WRAPS")
            .split_whitespace()
            .map(String::from)
            .collect()
    }

    /// The linker's response file that wraps.txt names.
    pub fn response_file(&self) -> String {
        let file = self.library(gen_wraps::RESPONSE_FILE);
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    fn text(&self, key: &str) -> String {
        let file = self.value(key);
        std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"))
    }
}
