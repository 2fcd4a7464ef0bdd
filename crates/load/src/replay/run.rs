//! Plays a script on files of its own, which are first made what they were when the recording began.

use super::buffers::Buffers;
use super::function::Function;
use super::script::Script;
use super::stage::{LONGEST, ReplayResult, Stage, Tally};
use crate::engine::failure::ended;
use crate::engine::stop;
use crate::options::{Options, Speed};
use crate::outputs;
use crate::random;
use crate::stats::Sum;
use crate::sys;
use anyhow::{Context, bail, ensure};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::Builder;

/// A script on files of its own.
pub struct Replay {
    script: Script,
    speed: Speed,
    paths: Vec<CString>,
    options: Options,
}

/// What came of it.
#[derive(Debug)]
pub struct Replayed {
    /// From the first call to the last, in ns.
    pub nanos: u64,
    /// The same of the recording.
    pub recorded: u64,
    /// Threads that made the calls.
    pub threads: usize,
    /// Files that the calls were made on.
    pub files: usize,
    /// What was moved.
    pub sum: Sum,
    /// By function.
    pub functions: BTreeMap<Function, Tally>,
    /// Calls that are not repeated, or as another function.
    pub left_out: BTreeMap<String, u64>,
    /// Calls that returned something else than in the recording, and the first of them.
    pub other: (u64, Option<String>),
    /// What went wrong.
    pub failure: Option<String>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl Replayed {
    /// How it ended.
    pub fn ended(&self) -> String {
        ended(self.failure.as_ref(), self.signal)
    }
}

impl Replay {
    /// Checks the script against the machine.
    ///
    /// # Errors
    /// The script is empty, an option does not go with a replay, or the machine lacks what it takes.
    pub fn new(script: Script, options: &Options) -> anyhow::Result<Replay> {
        ensure!(
            !script.threads.is_empty(),
            "-replay: the trace has no calls on files that can be repeated"
        );
        let path = |number| crate::plan::path(options, number);
        let paths: Vec<PathBuf> = (0..script.files.len() as u32).map(path).collect();
        crate::plan::probe_replay(options, &paths, &script)?;
        outputs::apart(options, paths.iter().map(PathBuf::as_path))?;
        let paths = paths
            .iter()
            .map(|path| sys::c_path(path))
            .collect::<Result<_, _>>()?;
        let speed = options.speed.unwrap_or(Speed::Times(1.0));
        Ok(Replay {
            script,
            speed,
            paths,
            options: options.clone(),
        })
    }

    /// Which file stands for which.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &[u8])> {
        let files = self
            .script
            .files
            .iter()
            .map(|file| file.original.as_slice());
        self.paths.iter().map(|path| sys::path_of(path)).zip(files)
    }

    /// Does it.
    ///
    /// # Errors
    /// Files could not be made ready, or threads not be had. Calls that fail are counted.
    pub fn run(&self) -> anyhow::Result<Replayed> {
        stop::watch()?;
        self.prepare()?;
        let rooms = self.rooms()?;
        let stage = Stage::new(&self.script, &self.paths, self.speed);
        let threads: anyhow::Result<Vec<ReplayResult>> = std::thread::scope(|scope| {
            let mut all = Vec::new();
            for (at, calls) in self.script.threads.iter().enumerate() {
                let (stage, room) = (&stage, rooms.of(at));
                let made = Builder::new()
                    .stack_size(128 << 10)
                    .spawn_scoped(scope, move || stage.play(calls, room));
                match made {
                    Ok(thread) => all.push(thread),
                    Err(error) => {
                        stage.stopped.store(true, Relaxed);
                        (at..self.script.threads.len()).for_each(|_| stage.start.leave());
                        stage.start.wait();
                        bail!(
                            "thread {} of {} cannot be made: {error}",
                            at + 1,
                            self.script.threads.len()
                        );
                    }
                }
            }
            stage.began.store(sys::now(), Relaxed);
            stage.start.wait();
            all.into_iter()
                .map(|thread| {
                    thread
                        .join()
                        .map_err(|_| anyhow::anyhow!("a thread of the replay panicked"))
                })
                .collect()
        });
        let replayed = self.sum(threads?, &stage);
        if self.options.remove {
            self.remove();
        }
        Ok(replayed)
    }

    /// Memory for the longest transfer, of each thread.
    fn rooms(&self) -> anyhow::Result<Buffers> {
        let calls = self.script.threads.iter().flatten();
        let transfers = calls.filter(|call| call.function.reads() || call.function.writes());
        let longest = transfers.map(|call| call.length.min(LONGEST)).max();
        Buffers::new(self.script.threads.len(), longest.unwrap_or(0))
            .context("memory for the longest transfer")
    }

    fn sum(&self, threads: Vec<ReplayResult>, stage: &Stage) -> Replayed {
        let began = stage.began.load(Relaxed);
        let mut all = ReplayResult::default();
        threads.iter().for_each(|played| all.merge(played));
        Replayed {
            nanos: all.ended.saturating_sub(began),
            recorded: self.script.recorded,
            threads: threads.len(),
            files: self.script.files.len(),
            sum: all.sum,
            functions: all.functions,
            left_out: self.script.left_out.clone(),
            other: all.other,
            failure: stage
                .failure
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
            signal: stop::signal(),
        }
    }

    /// Every file is as it was when the recording began: of its length, or not there.
    fn prepare(&self) -> anyhow::Result<()> {
        for (file, path) in self.script.files.iter().zip(&self.paths) {
            let path = sys::path_of(path);
            let name = || path.display().to_string();
            match path.symlink_metadata() {
                Ok(data) if data.is_dir() => std::fs::remove_dir(path).with_context(name)?,
                Ok(_) => std::fs::remove_file(path).with_context(name)?,
                Err(_) => {}
            }
            if let Some(length) = file.length {
                fill(path, length).with_context(name)?;
            }
        }
        Ok(())
    }

    fn remove(&self) {
        for path in &self.paths {
            // What the recording itself removed is gone.
            let _ = std::fs::remove_file(sys::path_of(path))
                .or_else(|_| std::fs::remove_dir(sys::path_of(path)));
        }
    }
}

/// A file of a length, or as much of it as there is before a signal
fn fill(path: &Path, length: u64) -> std::io::Result<()> {
    let mut file = std::fs::File::create(path)?;
    let piece: Vec<u8> = (0..1 << 17)
        .flat_map(|n: u64| random::mixed(n).to_ne_bytes())
        .collect();
    let mut left = length;
    while left > 0 && stop::signal().is_none() {
        let some = left.min(piece.len() as u64) as usize;
        file.write_all(&piece[..some])?;
        left -= some as u64;
    }
    Ok(())
}
