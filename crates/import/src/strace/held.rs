//! Lines of threads whose parent is not sure yet: several calls that make threads were under way when they came. The
//! results of those calls tell whose they are.

use std::collections::HashMap;

/// The call that made a thread: by whom, and its arguments
pub type Creator = (u32, Vec<u8>);

/// What a line says
pub enum LineEvent {
    /// A call, from and to in ns since the start
    Call((i64, i64), Vec<u8>),
    /// The end of the thread
    Exited(i64),
}

/// Lines that wait, in their order
#[derive(Default)]
pub struct Held {
    lines: Vec<(u32, LineEvent)>,
    /// Whose they are, with the call that made each if no result tells
    guesses: HashMap<u32, Creator>,
}

impl Held {
    /// True if lines of this thread wait
    pub fn has(&self, thread: u32) -> bool {
        self.guesses.contains_key(&thread)
    }

    /// One more
    pub fn add(&mut self, thread: u32, event: LineEvent) {
        self.lines.push((thread, event));
    }

    /// Lines of this thread wait from now on
    pub fn begin(&mut self, thread: u32, guess: Creator) {
        self.guesses.insert(thread, guess);
    }

    /// The lines of a thread whose parent is known now
    pub fn take(&mut self, thread: u32) -> Vec<LineEvent> {
        if self.guesses.remove(&thread).is_none() {
            return Vec::new();
        }
        let (taken, kept) = std::mem::take(&mut self.lines)
            .into_iter()
            .partition(|(of, _)| *of == thread);
        self.lines = kept;
        let taken: Vec<(u32, LineEvent)> = taken;
        taken.into_iter().map(|(_, event)| event).collect()
    }

    /// The thread that waits longest, and the call that probably made it
    pub fn first(&self) -> Option<(u32, Creator)> {
        let first = self.lines.first().map(|(thread, _)| *thread)?;
        Some((first, self.guesses.get(&first)?.clone()))
    }
}
