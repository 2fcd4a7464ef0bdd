//! The loop: a stop of a thread, what it means, and on it goes.

use crate::call::{self, Call, Entered, Surroundings};
use crate::numbers::{self, Meaning};
use crate::process::Hooks;
use crate::thread::{Image, Process, Thread, clone_flags};
use crate::tracee::{self, Stop, Tracee};
use iota_calls::Arguments;
use iota_trace::part::reason;
use iota_trace::write::{ProcessFacts, Writer, Written};
use iota_trace::{Nanos, glob};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::rc::Rc;
use std::time::{Instant, SystemTime};

/// How to follow
pub struct Settings<'s> {
    /// What the trace says of every process
    pub common: ProcessFacts,
    /// Only files that match, separated by commas; empty: all
    pub files: Vec<u8>,
    /// Files that are left out
    pub exclude: Vec<u8>,
    /// What a process has become, by its number
    pub image: &'s dyn Fn(u32) -> Image,
    /// The first process stopped: whoever waits for it stops as well
    pub stopped: &'s dyn Fn(),
}

/// A trace of processes, while it is made
pub struct Follower<'s> {
    settings: Settings<'s>,
    first: Tracee,
    threads: HashMap<Tracee, Thread>,
    /// Stopped before their maker was seen to make them
    early: HashSet<Tracee>,
    writer: Writer,
    written: io::Result<()>,
    clock: Instant,
    start: Nanos,
    /// How the first process ended, as `wait` says it
    status: i32,
}

impl<'s> Follower<'s> {
    /// Begins with a process of one thread, which waits for it; blocks of calls wait in the spool
    ///
    /// # Errors
    /// The kernel does not let this process follow it.
    pub fn seize(first: Tracee, spool: File, settings: Settings<'s>) -> io::Result<Follower<'s>> {
        first.seize()?;
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let mut follower = Follower {
            settings,
            first,
            threads: HashMap::new(),
            early: HashSet::new(),
            writer: Writer::new(spool),
            written: Ok(()),
            clock: Instant::now(),
            start: Nanos(since.map_or(0, |since| since.as_nanos() as i64)),
            status: 0,
        };
        let process = Process {
            id: first.0 as u32,
            // Nothing that it does before it becomes the program is the program's.
            image: Image {
                hooks: Hooks::All,
                rank: (0, 1),
            },
            code: RefCell::default(),
            part: RefCell::default(),
        };
        let thread = Thread {
            process: Rc::new(process),
            of: Surroundings {
                files: Rc::default(),
                directory: Rc::default(),
            },
            entered: None,
            clone_flags: 0,
            calls: 0,
        };
        follower.threads.insert(first, thread);
        Ok(follower)
    }

    /// Follows all to their ends; how the first process ended, as `wait` says it
    pub fn run(&mut self) -> i32 {
        while let Some((thread, stop)) = tracee::next() {
            let now = self.clock.elapsed().as_nanos() as i64;
            match stop {
                Stop::Enters => self.enters(thread),
                Stop::Leaves => self.leaves(thread, now),
                Stop::Made(child) => self.made(thread, Tracee(child as i32)),
                Stop::Becomes(before) => self.becomes(thread, Tracee(before as i32), now),
                Stop::Begins if self.threads.contains_key(&thread) => thread.go_on(0),
                Stop::Begins => drop(self.early.insert(thread)),
                Stop::Group => {
                    thread.stay();
                    if thread == self.first {
                        (self.settings.stopped)();
                    }
                }
                Stop::Signal(signal) => thread.go_on(signal),
                Stop::Ended(status) => self.ended(thread, status),
            }
        }
        self.status
    }

    fn ended(&mut self, id: Tracee, status: i32) {
        if id == self.first {
            self.status = status;
        }
        let thread = self.threads.remove(&id);
        let part = thread.and_then(|thread| *thread.process.part.borrow());
        if let (Some(part), true) = (part, libc::WIFSIGNALED(status)) {
            self.writer.about(part).reason = reason::SIGNAL;
        }
    }

    /// Whether there was nothing to record, as in programs that hooks record
    pub fn is_empty(&self) -> bool {
        self.writer.is_empty()
    }

    /// Writes the trace
    ///
    /// # Errors
    /// The trace, or the file where calls wait, cannot be written.
    pub fn finish(self, out: File) -> io::Result<Written> {
        self.written?;
        self.writer.finish(self.start, io::BufWriter::new(out))
    }

    fn enters(&mut self, id: Tracee) {
        let (Some(thread), Some(registers)) = (self.threads.get_mut(&id), id.registers()) else {
            return id.go_on(0);
        };
        let Some(followed) = numbers::followed(registers.number) else {
            return id.go_on(0);
        };
        let arguments = registers.arguments;
        let entered = |program| Entered {
            followed,
            arguments,
            start: 0,
            program,
        };
        let entered = match followed.meaning {
            Meaning::Clone => {
                thread.clone_flags = clone_flags(id, followed.name, &registers);
                return id.go_on(0);
            }
            Meaning::Io(Arguments::Exec(at, path)) => {
                let directory = at.map(|at| arguments[at] as i32);
                entered(thread.of.absolute(id, directory, arguments[path]))
            }
            Meaning::Io(_) | Meaning::Submits | Meaning::Polls
                if thread.is_hooked(id, &registers) =>
            {
                return id.go_on(0);
            }
            Meaning::Io(places) => {
                let mut files = thread.of.files.borrow_mut();
                if thread.process.image.hooks != Hooks::None {
                    // What calls that hooks record made of it, was not seen.
                    files.forget();
                }
                // Afterwards nobody could say what it was, or where it stood.
                for place in call::descriptors(places) {
                    files.get(id, arguments[place] as i32);
                }
                entered(None)
            }
            Meaning::Submits | Meaning::Polls => entered(None),
        };
        thread.entered = Some(Entered {
            start: self.clock.elapsed().as_nanos() as i64,
            ..entered
        });
        id.go_to_end();
    }

    fn leaves(&mut self, id: Tracee, now: i64) {
        let entered = self.threads.get_mut(&id).and_then(|of| of.entered.take());
        if let (Some(entered), Some(registers)) = (entered, id.registers()) {
            self.record(id, &entered, now, registers.returned);
        }
        id.go_on(0);
    }

    fn made(&mut self, by: Tracee, child: Tracee) {
        if let Some(maker) = self.threads.get(&by) {
            let made = maker.make(child);
            made.process
                .begin(child, &self.settings.common, &mut self.writer);
            self.threads.insert(child, made);
        }
        if self.early.remove(&child) {
            child.go_on(0);
        }
        // It is still in its call, whose end nobody waits for.
        by.go_on(0);
    }

    /// All other threads of the process are gone; the one that is left has the number of the first.
    fn becomes(&mut self, id: Tracee, before: Tracee, now: i64) {
        let Some(mut thread) = self.threads.remove(&before) else {
            return id.go_on(0);
        };
        if let Some(entered) = thread.entered.take() {
            self.threads.insert(before, thread.clone());
            self.record(before, &entered, now, 0);
            self.threads.remove(&before);
            if let Some(part) = *thread.process.part.borrow() {
                self.writer.about(part).reason = reason::EXEC;
            }
        }
        let image = (self.settings.image)(id.0 as u32);
        let mut files = thread.of.files.borrow().clone();
        files.after_exec(id);
        thread.of.files = Rc::new(RefCell::new(files));
        thread.process = Rc::new(Process {
            id: id.0 as u32,
            image,
            code: RefCell::default(),
            part: RefCell::default(),
        });
        thread
            .process
            .begin(id, &self.settings.common, &mut self.writer);
        thread.calls = 0;
        self.threads.insert(id, thread);
        id.go_on(0);
    }

    fn record(&mut self, id: Tracee, entered: &Entered, now: i64, returned: i64) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        // The call begins again after a signal.
        if (-516..=-512).contains(&returned) || thread.process.is_silent(entered) {
            return;
        }
        let writer = &mut self.writer;
        let part = thread.process.part(id, &self.settings.common, writer);
        let lost = &mut writer.about(part).lost;
        let arguments = match entered.followed.meaning {
            Meaning::Io(arguments) => arguments,
            Meaning::Submits => return *lost += returned.max(0) as u64,
            Meaning::Polls => return *lost += u64::from(polls(id, entered, returned)),
            Meaning::Clone => return,
        };
        let mut call = Call::new(id, &thread.of, entered, now, returned);
        if !call.read(arguments) {
            return;
        }
        let paths = [&call.path, &call.second];
        if self.settings.leaves_out(paths.into_iter().flatten()) {
            writer.about(part).filtered += 1;
            return;
        }
        thread.calls += 1;
        let mut event = call.event;
        event.id = thread.calls;
        event.op = writer.op(part, numbers::op_of(entered.followed));
        event.file = call.path.map_or(0, |path| writer.file(part, &path));
        event.second.file = call.second.map_or(0, |path| writer.file(part, &path));
        let written = writer.detailed_call(part, &event, &[]);
        if self.written.is_ok() {
            self.written = written;
        }
    }
}

impl Settings<'_> {
    /// Whether a call on these files is left out: on none that is wanted, or on one that is not
    fn leaves_out<'p>(&self, mut paths: impl Iterator<Item = &'p Rc<[u8]>> + Clone) -> bool {
        let mut others = paths.clone();
        let is_unwanted = others.any(|path| glob::any(&self.exclude, path));
        let is_wanted = self.files.is_empty() || paths.any(|path| glob::any(&self.files, path));
        is_unwanted || !is_wanted
    }
}

/// Whether a ring was set up of which a thread of the kernel takes the requests
fn polls(id: Tracee, entered: &Entered, returned: i64) -> bool {
    const SQPOLL: u64 = 2;
    // `struct io_uring_params`: two numbers, then the flags.
    let parameters = id.words::<2>(entered.arguments[1]);
    returned >= 0 && parameters.is_some_and(|[_, flags]| flags & SQPOLL != 0)
}
