//! Processes as they go on: their threads, descriptors, positions and working directories, as the kernel keeps them.

use super::args;
use super::calls::{self, Shape};
use super::line::Call;
use super::seen::Seen;
use crate::convert::from::builder::Builder;
use iota_calls::Layer;
use iota_trace::Event;
use iota_trace::write::PartId;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// All that were told of
#[derive(Default)]
pub struct Processes {
    threads: HashMap<u32, Thread>,
    /// Threads in a call that makes others, the latest last, and its arguments
    cloning: Vec<(u32, Vec<u8>)>,
    /// Sizes of files, where they are known
    sizes: HashMap<Rc<[u8]>, i64>,
}

/// A thread
#[derive(Clone)]
pub struct Thread {
    pid: u32,
    pub open: Rc<RefCell<BTreeMap<i32, Descriptor>>>,
    pub directory: Rc<RefCell<Vec<u8>>>,
    program: Rc<RefCell<Program>>,
}

/// Path and arguments of what a process runs
#[derive(Clone, Default)]
struct Program {
    exe: Vec<u8>,
    argv: Vec<u8>,
}

#[derive(Clone)]
pub struct Descriptor {
    pub description: Rc<Description>,
    pub ends_at_exec: bool,
}

/// What descriptors share
pub struct Description {
    pub path: Rc<[u8]>,
    /// Where it is known
    pub position: RefCell<Option<i64>>,
    pub appends: bool,
}

impl Processes {
    /// A call has begun, and may not have ended when others tell of what it made.
    pub fn begin(&mut self, thread: u32, text: &[u8]) {
        let makes = [&b"clone"[..], b"fork", b"vfork"]
            .iter()
            .any(|name| text.starts_with(name));
        if makes {
            self.cloning.push((thread, text.to_owned()));
        }
    }

    fn thread(&mut self, thread: u32) -> Thread {
        if !self.threads.contains_key(&thread) {
            match self.cloning.pop() {
                Some((parent, text)) => self.made(parent, &text, thread),
                None => self.enter(thread, Thread::alone(thread)),
            }
        }
        self.threads[&thread].clone()
    }

    fn enter(&mut self, number: u32, thread: Thread) {
        self.threads.insert(number, thread);
    }

    /// A thread or process that another made
    fn made(&mut self, parent: u32, flags: &[u8], child: u32) {
        let has = |flag: &[u8]| flags.windows(flag.len()).any(|some| some == flag);
        let parent = self
            .threads
            .get(&parent)
            .cloned()
            .unwrap_or_else(|| Thread::alone(parent));
        let is_thread = has(b"CLONE_THREAD");
        let open = inherited(parent.open, has(b"CLONE_FILES"));
        let directory = inherited(parent.directory, has(b"CLONE_FS"));
        let program = inherited(parent.program, is_thread);
        let pid = if is_thread { parent.pid } else { child };
        self.enter(
            child,
            Thread {
                pid,
                open,
                directory,
                program,
            },
        );
    }

    /// A call that has ended, from and to in ns since the start
    pub fn call(
        &mut self,
        thread: u32,
        span: (i64, i64),
        call: &Call,
        to: &mut Builder,
    ) -> anyhow::Result<()> {
        let Some((shape, kind)) = calls::find(call.name) else {
            return Ok(());
        };
        let of = self.thread(thread);
        if shape == Shape::Clone {
            self.cloning.retain(|(parent, _)| *parent != thread);
            if call.ret > 0 && !self.threads.contains_key(&(call.ret as u32)) {
                self.made(thread, &call.args.join(&b","[..]), call.ret as u32);
            }
            return Ok(());
        }
        if shape == Shape::Exec && call.ret == 0 {
            of.becomes(call);
        }
        let part = of.part(to);
        let mut seen = Seen {
            of: &of,
            call,
            sizes: &mut self.sizes,
            path: None,
            second: None,
            event: Event {
                start: span.0,
                end: span.1,
                ret: call.ret,
                offset: -1,
                thread,
                fd: -1,
                errno: call.errno,
                ..Event::default()
            },
        };
        if !seen.take(shape) {
            return Ok(());
        }
        let Seen {
            mut event,
            path,
            second,
            ..
        } = seen;
        event.op = to.op(part, call.name.as_bytes(), Layer::Posix, kind);
        event.file = path.map_or(0, |path| to.file(part, &path));
        event.second.file = second.map_or(0, |path| to.file(part, &path));
        to.call(part, event)
    }
}

/// What a child shares with its parent, or has a copy of
fn inherited<T: Clone>(of_parent: Rc<RefCell<T>>, is_shared: bool) -> Rc<RefCell<T>> {
    match is_shared {
        true => of_parent,
        false => Rc::new(RefCell::new(of_parent.borrow().clone())),
    }
}

impl Thread {
    fn alone(pid: u32) -> Thread {
        Thread {
            pid,
            open: Rc::default(),
            directory: Rc::default(),
            program: Rc::default(),
        }
    }

    /// Its process in the trace, with what it runs now
    fn part(&self, to: &mut Builder) -> PartId {
        let part = to.part(0, self.pid);
        let (about, program) = (to.about(part), self.program.borrow());
        if about.argv != program.argv {
            about.argv.clone_from(&program.argv);
            about.exe.clone_from(&program.exe);
        }
        part
    }

    fn becomes(&self, call: &Call) {
        self.open
            .borrow_mut()
            .retain(|_, descriptor| !descriptor.ends_at_exec);
        let exe = call
            .args
            .first()
            .and_then(|path| args::string(path))
            .unwrap_or_default();
        let list = call.args.get(1).and_then(|list| list.strip_prefix(b"["));
        let (words, _) = args::split(list.unwrap_or_default());
        let words = words
            .into_iter()
            .map(|word| word.strip_suffix(b"]").unwrap_or(word));
        let argv = words
            .filter_map(args::string)
            .flat_map(|word| [word, vec![0]]);
        *self.program.borrow_mut() = Program {
            exe,
            argv: argv.flatten().collect(),
        };
    }
}

impl Descriptor {
    pub fn of(
        path: Rc<[u8]>,
        position: Option<i64>,
        appends: bool,
        ends_at_exec: bool,
    ) -> Descriptor {
        let position = RefCell::new(position);
        let description = Rc::new(Description {
            path,
            position,
            appends,
        });
        Descriptor {
            description,
            ends_at_exec,
        }
    }
}
