//! Directories of a test's own, gone after it, kept when it failed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A fresh directory.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes one below the temporary directory.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Scratch {
        Scratch::below(&std::env::temp_dir())
    }

    /// Makes one in memory, if there is /dev/shm.
    pub fn in_memory() -> Scratch {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() {
            Scratch::below(memory)
        } else {
            Scratch::new()
        }
    }

    /// The path of one that whoever gets it removes.
    pub fn kept(name: &str) -> PathBuf {
        let name = format!("iota-test-{}-{name}", std::process::id());
        std::env::temp_dir().join(name)
    }

    fn below(base: &Path) -> Scratch {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // Of one length, because programs write down where they are.
        let name = format!("iota-test-{}-{number:04}", std::process::id());
        let path = base.join(name);
        std::fs::create_dir_all(&path).expect("the directory is writable");
        Scratch(path)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A new directory in it.
    pub fn dir(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(&path).expect("a scratch directory is writable");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("kept for a look: {}", self.0.display());
        } else {
            // What cannot be removed is no failure of the test.
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}
