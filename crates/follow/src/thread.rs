//! Threads, and what those of a process have in common.

use crate::call::{Entered, Surroundings};
use crate::numbers::Meaning;
use crate::process::{Code, Hooks, facts};
use crate::tracee::{Registers, Tracee};
use iota_calls::Arguments;
use iota_trace::write::{PartId, ProcessFacts, Writer};
use std::cell::RefCell;
use std::rc::Rc;

/// What a process is from an `exec` on
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// Whose calls hooks record in it
    pub hooks: Hooks,
    /// Its rank, and of how many
    pub rank: (u32, u32),
}

/// All that threads of a process have in common
pub struct Process {
    pub id: u32,
    pub image: Image,
    pub code: RefCell<Code>,
    /// Once it has made a call that is recorded
    pub part: RefCell<Option<PartId>>,
}

/// A thread
#[derive(Clone)]
pub struct Thread {
    pub process: Rc<Process>,
    pub of: Surroundings,
    pub entered: Option<Entered>,
    /// The flags of its last `clone`
    pub clone_flags: u64,
    pub calls: u64,
}

impl Process {
    /// Whoever reads the trace is to know that all of it was seen, even if it makes no call.
    pub fn begin(&self, thread: Tracee, common: &ProcessFacts, writer: &mut Writer) {
        if self.image.hooks != Hooks::All {
            self.part(thread, common, writer);
        }
    }

    /// Its part of the trace, which it gets with the first call that is recorded
    pub fn part(&self, thread: Tracee, common: &ProcessFacts, writer: &mut Writer) -> PartId {
        let mut part = self.part.borrow_mut();
        *part.get_or_insert_with(|| {
            let (rank, size) = self.image.rank;
            let facts = facts(thread, common);
            writer.part(rank, self.id, ProcessFacts { size, ..facts })
        })
    }

    /// Hooks record what it becomes.
    pub fn is_silent(&self, entered: &Entered) -> bool {
        let becomes = matches!(entered.followed.meaning, Meaning::Io(Arguments::Exec(..)));
        becomes && self.image.hooks != Hooks::None
    }
}

impl Thread {
    pub fn is_hooked(&self, id: Tracee, registers: &Registers) -> bool {
        match self.process.image.hooks {
            Hooks::None => false,
            Hooks::All => true,
            Hooks::Libraries => {
                let mut code = self.process.code.borrow_mut();
                code.is_hooked(id, registers.instruction)
            }
        }
    }

    /// One that it made by its last `clone`
    pub fn make(&self, child: Tracee) -> Thread {
        let has = |flag: i32| self.clone_flags & flag as u64 != 0;
        let Surroundings { files, directory } = &self.of;
        let process = match has(libc::CLONE_THREAD) {
            true => self.process.clone(),
            false => Rc::new(Process {
                id: child.0 as u32,
                image: self.process.image,
                code: self.process.code.clone(),
                part: RefCell::default(),
            }),
        };
        Thread {
            process,
            of: Surroundings {
                files: inherited(files, has(libc::CLONE_FILES)),
                directory: inherited(directory, has(libc::CLONE_FS)),
            },
            entered: None,
            clone_flags: 0,
            calls: 0,
        }
    }
}

/// What a child shares with its maker, or has a copy of
fn inherited<T: Clone>(of_maker: &Rc<RefCell<T>>, is_shared: bool) -> Rc<RefCell<T>> {
    match is_shared {
        true => of_maker.clone(),
        false => Rc::new(RefCell::clone(of_maker)),
    }
}

/// The flags of a call that makes a process or thread
pub fn clone_flags(id: Tracee, name: &str, registers: &Registers) -> u64 {
    let first = registers.arguments[0];
    match name {
        "clone" => first,
        "clone3" => id.words::<1>(first).map_or(0, |[flags]| flags),
        _ => 0,
    }
}
