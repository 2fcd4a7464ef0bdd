//! Long runs of tests/programs/soak.c: many calls, files or threads, and the memory that they took.

use crate::{Case, Ran};

/// That many of them.
pub fn case(what: &str, count: u64) -> Case {
    Case::new("soak.c")
        .args(&format!("{what} {count}"))
        .seconds(1200)
}

/// What the program printed.
pub struct Printed {
    /// Calls that went well.
    pub good: u64,
    /// The most memory that was resident, in MB.
    pub memory: f64,
}

impl Printed {
    /// Of a run that succeeded.
    pub fn of(ran: &Ran) -> Printed {
        let words: Vec<String> = ran.stdout().split_whitespace().map(String::from).collect();
        let number = |word: &str| word.parse::<u64>().expect("a number");
        match words.as_slice() {
            [_, good, _, memory] => Printed {
                good: number(good),
                memory: number(memory) as f64 / 1024.0,
            },
            other => panic!("it printed {other:?}"),
        }
    }
}
