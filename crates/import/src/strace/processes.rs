//! Processes as they go on: their threads, descriptors, positions and working directories, as the kernel keeps them.

use super::args;
use super::calls;
use super::held::{Creator, Held, LineEvent};
use super::line::Call;
use super::seen::Seen;
use super::sizes::Sizes;
use super::thread::Thread;
use crate::builder::Builder;
use iota_calls::Arguments;
use iota_trace::Event;
use std::collections::HashMap;

/// All that are known
#[derive(Default)]
pub struct Processes {
    threads: HashMap<u32, Thread>,
    /// When those ended that have: their numbers are free again
    ended: HashMap<u32, i64>,
    /// Threads in a call that makes others, the latest last, and its arguments
    cloning: Vec<Creator>,
    held: Held,
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

    /// A process or thread has ended, so many ns after the start.
    pub fn exited(&mut self, thread: u32, time: i64) {
        if self.held.has(thread) {
            self.held.add(thread, LineEvent::Exited(time));
            return;
        }
        self.cloning.retain(|(parent, _)| *parent != thread);
        if self.threads.contains_key(&thread) {
            self.ended.insert(thread, time);
        }
    }

    /// A thread runs another program: it has the number of its process from now on.
    pub fn superseded(&mut self, leader: u32, by: u32) {
        let Some(thread) = self.threads.remove(&by) else {
            return;
        };
        self.ended.remove(&leader);
        self.threads.insert(leader, thread);
    }

    fn is_live(&self, thread: u32) -> bool {
        self.threads.contains_key(&thread) && !self.ended.contains_key(&thread)
    }

    /// True if it is not sure which of several calls made a thread
    fn waits(&mut self, thread: u32) -> bool {
        if self.held.has(thread) {
            return true;
        }
        let makes = |(parent, _): &Creator| *parent == thread;
        if self.is_live(thread) || self.cloning.len() < 2 || self.cloning.iter().any(makes) {
            return false;
        }
        let guess = self.cloning.last().cloned();
        guess
            .into_iter()
            .for_each(|guess| self.held.begin(thread, guess));
        true
    }

    fn thread(&mut self, thread: u32) -> Thread {
        if !self.is_live(thread) {
            match self.cloning.pop() {
                Some((parent, text)) => self.made(parent, &text, thread),
                None => self.comes(thread, Thread::alone(thread)),
            }
        }
        self.threads[&thread].clone()
    }

    /// A thread or process that another made
    fn made(&mut self, parent: u32, flags: &[u8], child: u32) {
        let known = self.threads.get(&parent).cloned();
        let parent = known.unwrap_or_else(|| Thread::alone(parent));
        self.comes(child, parent.child(flags, child));
    }

    fn comes(&mut self, number: u32, thread: Thread) {
        if self.ended.remove(&number).is_some() {
            thread.takes_number_of(number);
        }
        self.threads.insert(number, thread);
    }

    /// A call that has ended, from and to in ns since the start, and its text
    pub fn call(
        &mut self,
        thread: u32,
        span: (i64, i64),
        (call, text): (&Call, &[u8]),
        to: &mut Builder,
    ) -> anyhow::Result<()> {
        if self.waits(thread) {
            self.held
                .add(thread, LineEvent::Call(span, text.to_owned()));
            return Ok(());
        }
        let child = self.known_call(thread, span, call, to)?;
        let mut known: Vec<u32> = child.into_iter().collect();
        while let Some(thread) = known.pop() {
            known.extend(self.release(thread, to)?);
        }
        // No result said whose the others are.
        if self.cloning.is_empty() {
            self.finish(to)
        } else {
            Ok(())
        }
    }

    /// No more lines come.
    pub fn finish(&mut self, to: &mut Builder) -> anyhow::Result<()> {
        while let Some((thread, (parent, flags))) = self.held.first() {
            self.made(parent, &flags, thread);
            let mut known = vec![thread];
            while let Some(thread) = known.pop() {
                known.extend(self.release(thread, to)?);
            }
        }
        Ok(())
    }

    /// What waited until it was known who made a thread; and the threads that it made
    fn release(&mut self, thread: u32, to: &mut Builder) -> anyhow::Result<Vec<u32>> {
        let mut made = Vec::new();
        for event in self.held.take(thread) {
            match event {
                LineEvent::Exited(time) => self.exited(thread, time),
                LineEvent::Call(span, text) => {
                    if let Ok(Some(call)) = Call::parse(&text) {
                        made.extend(self.known_call(thread, span, &call, to)?);
                    }
                }
            }
        }
        Ok(made)
    }

    /// A call of a thread whose parent is known, and the thread that the call made
    fn known_call(
        &mut self,
        thread: u32,
        span: (i64, i64),
        call: &Call,
        to: &mut Builder,
    ) -> anyhow::Result<Option<u32>> {
        if call.name == "unshare" && call.ret == 0 {
            self.thread(thread);
            if let Some(of) = self.threads.get_mut(&thread) {
                of.unshares(call.args.first().copied().unwrap_or_default());
            }
            return Ok(None);
        }
        let known = calls::find(call.name);
        let directory = call.args.iter().find_map(|arg| args::directory(arg));
        if known.is_none() && directory.is_none() {
            return Ok(None);
        }
        if known.is_some_and(|known| known.arguments == Arguments::Clone) {
            self.cloning.retain(|(parent, _)| *parent != thread);
        }
        let of = self.thread(thread);
        if let Some(directory) = directory {
            *of.directory.borrow_mut() = directory;
        }
        let Some(known) = known else {
            return Ok(None);
        };
        if known.arguments == Arguments::Clone {
            let child = u32::try_from(call.ret).ok().filter(|child| *child > 0);
            // A child may have come and ended while the call was under way.
            let has_come = |child: &u32| match self.ended.get(child) {
                Some(end) => *end >= span.0,
                None => self.threads.contains_key(child),
            };
            let child = child.filter(|child| !has_come(child));
            if let Some(child) = child {
                self.made(thread, &call.args.join(&b","[..]), child);
            }
            return Ok(child);
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
            return Ok(None);
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
        to.call(part, event)?;
        Ok(None)
    }
}
