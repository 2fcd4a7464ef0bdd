//! What a phase of load does, worked out.

use super::pieces::Piece;
use crate::api::{Api, Direction, Open};
use crate::options::{Access, Fsync, Log, Op, OpenSync, Options};
use crate::pattern::Pattern;
use crate::random;
use std::path::PathBuf;

/// One rank among others; alone without MPI.
#[derive(Clone, Copy, Debug)]
pub struct World {
    /// Its number.
    pub rank: u32,
    /// How many there are.
    pub ranks: u32,
}

impl World {
    /// Without MPI.
    pub const ALONE: World = World { rank: 0, ranks: 1 };
}

/// What is going to be done.
pub struct Plan {
    /// The phase's name in a job file.
    pub name: Option<String>,
    /// The options that it was made of.
    pub options: Options,
    /// These as they were typed.
    pub words: String,
    /// The interface.
    pub api: &'static dyn Api,
    /// A path for each file.
    pub paths: Vec<PathBuf>,
    /// Number of the first file: ranks number theirs one after another.
    pub first_file: u32,
    /// A buffer's pieces.
    pub pieces: Vec<Piece>,
    /// Places of operations in a file.
    pub blocks: u64,
    /// Operations on each file; `None`: as many as there is time for.
    pub nops: Option<u64>,
    /// Alignment of buffers in memory.
    pub alignment: usize,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// The rank that does it.
    pub(super) world: World,
}

impl Plan {
    /// Where an operation begins in its file.
    pub fn offset(&self, operation: u64) -> u64 {
        let Options {
            access,
            bufsz,
            stride,
            seed,
            share_files,
            ..
        } = &self.options;
        let (pass, slot) = (operation / self.blocks, operation % self.blocks);
        let step = stride.unwrap_or(*bufsz);
        let slot = match access {
            Access::Random => random::shuffled(slot, self.blocks, random::of([*seed, pass])),
            Access::Sequential | Access::Strided => slot,
        };
        match share_files {
            true => (slot * u64::from(self.world.ranks) + u64::from(self.world.rank)) * step,
            false => slot * step,
        }
    }

    /// One past the last byte that a file is asked for.
    pub fn end(&self) -> Option<u64> {
        let step = self.options.stride.unwrap_or(self.options.bufsz);
        let ranks = if self.options.share_files {
            self.world.ranks.into()
        } else {
            1
        };
        let slots = self.blocks.checked_mul(ranks)?.checked_sub(1)?;
        let end = slots.checked_mul(step)?.checked_add(self.options.bufsz)?;
        (end <= i64::MAX as u64).then_some(end)
    }

    /// Whether an operation on a file reads or writes.
    pub fn direction(&self, file: u32, operation: u64) -> Direction {
        let share = u64::from(self.options.read_share.unwrap_or(50));
        match self.options.op {
            Op::R => Direction::Read,
            Op::W => Direction::Write,
            Op::Rw if random::of([self.options.seed, file.into(), operation]) % 100 < share => {
                Direction::Read
            }
            Op::Rw => Direction::Write,
        }
    }

    /// Whether each transfer has a seek before it.
    pub fn seeks(&self) -> bool {
        !self.options.noseek && !self.api.positional()
    }

    /// The pattern of a file.
    pub fn pattern(&self, file: u32) -> Pattern {
        Pattern::new(self.options.test, self.options.seed, self.first_file + file)
    }

    /// How a file is opened.
    pub fn open<'a>(&self, path: &'a std::path::Path) -> Open<'a> {
        let access = match self.options.op {
            Op::R => libc::O_RDONLY,
            Op::W => libc::O_WRONLY | libc::O_CREAT,
            Op::Rw => libc::O_RDWR | libc::O_CREAT,
        };
        let sync = match self.options.osync {
            OpenSync::None => 0,
            OpenSync::Sync => libc::O_SYNC,
            OpenSync::Dsync => libc::O_DSYNC,
        };
        let direct = if self.options.direct {
            libc::O_DIRECT
        } else {
            0
        };
        Open {
            path,
            flags: access | sync | direct | libc::O_CLOEXEC,
            op: self.options.op,
            end: self.end().unwrap_or(0),
            shared_by_ranks: self.options.share_files,
            collective: self.options.collective,
        }
    }

    /// Descriptors that are open at once.
    pub fn descriptors(&self) -> u64 {
        let each = if self.options.share {
            1
        } else {
            self.pieces.len() as u64
        };
        self.paths.len() as u64 * each
    }

    /// Threads that move pieces.
    pub fn threads(&self) -> u64 {
        self.paths.len() as u64 * self.pieces.len() as u64
    }

    /// Events of one piece that are logged, at most.
    pub fn events(&self) -> u64 {
        let each = if self.seeks() { 3 } else { 1 };
        let syncs = match self.options.fsync {
            Fsync::Every(n) => self.nops.unwrap_or(0) / n,
            _ => 1,
        };
        match self.options.logged() {
            Log::Off => 0,
            Log::Files => 2 + syncs,
            Log::All => 2 + syncs + self.nops.unwrap_or(0).saturating_mul(each),
        }
    }

    /// Bytes that a file's buffers take: one for each transfer under way.
    pub fn buffer(&self) -> u64 {
        let one = self.options.bufsz.next_multiple_of(self.alignment as u64);
        one.saturating_mul(self.options.qd.into())
    }

    /// Takes files away, as `-remove` asks; those that are not there are no failure.
    ///
    /// # Errors
    /// The first that is there and cannot be removed; those after it stay.
    pub fn remove_files(&self) -> std::io::Result<()> {
        let gone = |path| match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
        self.paths
            .iter()
            .map(gone)
            .collect::<Vec<_>>()
            .into_iter()
            .collect()
    }
}
