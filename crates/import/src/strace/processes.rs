//! Processes as they go on: their threads, descriptors, positions and working directories, as the kernel keeps them.

use super::args;
use super::calls::{self, Arguments};
use super::line::Call;
use super::seen::Seen;
use super::sizes::Sizes;
use super::thread::Thread;
use crate::builder::Builder;
use iota_trace::Event;
use std::collections::HashMap;

/// All that were told of
#[derive(Default)]
pub struct Processes {
    threads: HashMap<u32, Thread>,
    /// Threads in a call that makes others, the latest last, and its arguments
    cloning: Vec<(u32, Vec<u8>)>,
    sizes: Sizes,
}

impl Processes {
    /// A call has begun, and may not have ended when others tell of what it made.
    pub fn begin(&mut self, thread: u32, text: &[u8]) {
        let name = text.split(|byte| *byte == b'(').next().unwrap_or_default();
        let known = str::from_utf8(name).ok().and_then(calls::find);
        if known.is_some_and(|known| known.arguments == Arguments::Clone) {
            self.cloning.push((thread, text.to_owned()));
        }
    }

    fn thread(&mut self, thread: u32) -> Thread {
        if !self.threads.contains_key(&thread) {
            match self.cloning.pop() {
                Some((parent, text)) => self.made(parent, &text, thread),
                None => {
                    self.threads.insert(thread, Thread::alone(thread));
                }
            }
        }
        self.threads[&thread].clone()
    }

    /// A thread or process that another made
    fn made(&mut self, parent: u32, flags: &[u8], child: u32) {
        let known = self.threads.get(&parent).cloned();
        let parent = known.unwrap_or_else(|| Thread::alone(parent));
        self.threads.insert(child, parent.child(flags, child));
    }

    /// A call that has ended, from and to in ns since the start
    pub fn call(
        &mut self,
        thread: u32,
        span: (i64, i64),
        call: &Call,
        to: &mut Builder,
    ) -> anyhow::Result<()> {
        let known = calls::find(call.name);
        let directory = call.args.iter().find_map(|arg| args::directory(arg));
        if known.is_none() && directory.is_none() {
            return Ok(());
        }
        let of = self.thread(thread);
        if let Some(directory) = directory {
            *of.directory.borrow_mut() = directory;
        }
        let Some(known) = known else {
            return Ok(());
        };
        if known.arguments == Arguments::Clone {
            self.cloning.retain(|(parent, _)| *parent != thread);
            if call.ret > 0 && !self.threads.contains_key(&(call.ret as u32)) {
                self.made(thread, &call.args.join(&b","[..]), call.ret as u32);
            }
            return Ok(());
        }
        if matches!(known.arguments, Arguments::Exec(..)) && call.ret == 0 {
            of.becomes(call);
        }
        let part = of.part(to);
        let mut seen = Seen {
            of: &of,
            call,
            sizes: &self.sizes,
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
        if !seen.take(known.arguments) {
            return Ok(());
        }
        let Seen {
            mut event,
            path,
            second,
            ..
        } = seen;
        event.op = to.op_as(part, call.name.as_bytes(), known.function);
        event.file = path.map_or(0, |path| to.file(part, &path));
        event.second.file = second.map_or(0, |path| to.file(part, &path));
        to.call(part, event)
    }
}
