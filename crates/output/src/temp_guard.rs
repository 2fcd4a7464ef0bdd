//! What a command must not leave behind, whether it ends by itself or by a signal.

use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io, thread};

/// Ctrl-C is for a program that prompts.
static PROMPTS: AtomicBool = AtomicBool::new(false);

static ALL: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn all() -> MutexGuard<'static, Vec<PathBuf>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file or directory that is removed in the end, if it still has this name
#[derive(Debug)]
pub struct TempGuard(PathBuf);

impl TempGuard {
    /// Makes it. A signal waits until it is known that there is something to remove.
    ///
    /// # Errors
    ///
    /// It cannot be made.
    pub fn made<T>(
        path: PathBuf,
        make: impl FnOnce(&Path) -> io::Result<T>,
    ) -> io::Result<(TempGuard, T)> {
        let mut all = all();
        let made = make(&path)?;
        all.push(path.clone());
        Ok((TempGuard(path), made))
    }

    /// Where it is
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempGuard {
    fn drop(&mut self) {
        remove(&self.0);
        all().retain(|path| *path != self.0);
    }
}

/// What was renamed is gone, and what cannot be removed stays: neither is worth a word.
fn remove(path: &Path) {
    let _ = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
}

/// Removes them all, from a command that ends where it stands
pub fn remove_all() {
    // Whoever holds the list makes or removes one now, and cannot go on: this very thread may be it.
    if let Ok(all) = ALL.try_lock() {
        all.iter().for_each(|path| remove(path));
    }
}

/// From here on these signals, which end the command, remove them first
///
/// # Errors
///
/// No thread can be started, or a signal cannot be caught.
pub fn watch(ending: impl Iterator<Item = i32>) -> io::Result<()> {
    let mut signals = Signals::new(ending)?;
    let ends = |signal: &i32| *signal != SIGINT || !PROMPTS.load(Relaxed);
    let end = move || {
        if let Some(signal) = signals.forever().find(ends) {
            all().iter().for_each(|path| remove(path));
            let _ = emulate_default_handler(signal);
        }
    };
    let thread = thread::Builder::new().name("signals".into());
    thread.spawn(end).map(drop)
}

/// From here on Ctrl-C ends the command no more, if another program prompts, for which it means something else
pub fn spare_prompt(prompts: bool) {
    PROMPTS.store(prompts, Relaxed);
}
