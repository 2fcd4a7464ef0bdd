//! Whose a line is. On a terminal strace leaves out the number of a process as long as there is only one, and again when
//! only one is left.

use std::collections::{BTreeSet, HashSet};

/// The number of a process that strace names only later, if at all
const NAMELESS: u32 = 1;

/// Who was seen so far
pub struct ProcessGuess {
    /// Whose lines without a number are
    alone: u32,
    /// The number of the process that the log begins with, if it began without one
    first: First,
    /// Those that are known to have come
    attached: HashSet<u32>,
    live: BTreeSet<u32>,
}

enum First {
    /// There were no lines without a number
    Named,
    Nameless,
    Known(u32),
}

impl ProcessGuess {
    pub fn new() -> ProcessGuess {
        ProcessGuess {
            alone: NAMELESS,
            first: First::Named,
            attached: HashSet::new(),
            live: BTreeSet::new(),
        }
    }

    /// The process or thread of a line with this number
    pub fn is(&mut self, number: Option<u32>) -> u32 {
        let who = match number {
            Some(number) => self.named(number),
            None => self.nameless(),
        };
        self.live.insert(who);
        who
    }

    fn named(&mut self, number: u32) -> u32 {
        if matches!(self.first, First::Nameless) && !self.attached.contains(&number) {
            self.first = First::Known(number);
        }
        match self.first {
            First::Known(first) if first == number => NAMELESS,
            _ => number,
        }
    }

    fn nameless(&mut self) -> u32 {
        if let (First::Named, true) = (&self.first, self.live.is_empty()) {
            self.first = First::Nameless;
        }
        if let (Some(only), 1) = (self.live.first(), self.live.len()) {
            self.alone = *only;
        }
        self.alone
    }

    pub fn attached(&mut self, number: u32) {
        self.attached.insert(number);
        self.live.insert(number);
    }

    pub fn exited(&mut self, who: u32) {
        self.live.remove(&who);
    }
}
