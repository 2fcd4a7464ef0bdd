//! May we do something together that hangs when one rank is missing? An agreement that itself cannot hang.
//!
//! Every rank enters, and waits with a deadline until all have. A rank that gave up has entered all the same, so a
//! late one sees everybody there: hence a second step, a vote that everybody casts, and whose outcome is the same for
//! all who wait for it. Who gave up votes no and does not wait. The wait for the vote has an end too, far longer than
//! any voter may take: only a rank that died between the two steps can make others reach it.

/// The two steps, as messages that are started and looked at, never waited for.
pub trait Agreement {
    /// Says that this rank is there.
    fn enter(&mut self) -> bool;
    /// True once all ranks are there.
    fn all_entered(&mut self) -> bool;
    /// Says what this rank thinks.
    fn vote(&mut self, yes: bool) -> bool;
    /// What all think together, once all have said it.
    fn outcome(&mut self) -> Option<bool>;
    /// Lets time pass.
    fn pause(&mut self, nanoseconds: u64);
    /// Monotone time in nanoseconds.
    fn now(&self) -> u64;
}

/// The longest pause between two looks.
const LONGEST_PAUSE: u64 = 100_000;
/// More than this between two looks is time in which this process was stopped, and does not count as waiting.
const LONGEST_STEP: u64 = 50_000_000;
/// By how much a vote may take longer than the deadline.
const VOTE_TAKES: u64 = 4;

/// True on all ranks when all came within `deadline` nanoseconds.
pub fn all_are_here(ranks: &mut impl Agreement, deadline: u64) -> bool {
    let here =
        ranks.enter() && wait(ranks, deadline, |ranks| ranks.all_entered().then_some(())).is_some();
    decide(ranks, here, deadline)
}

/// True on all ranks when it is true on all. Who says no does not wait.
pub fn decide(ranks: &mut impl Agreement, yes: bool, deadline: u64) -> bool {
    let cast = ranks.vote(yes);
    yes && cast
        && wait(
            ranks,
            deadline.saturating_mul(VOTE_TAKES),
            Agreement::outcome,
        ) == Some(true)
}

fn wait<A: Agreement, T>(
    ranks: &mut A,
    patience: u64,
    look: impl Fn(&mut A) -> Option<T>,
) -> Option<T> {
    let (mut left, mut last, mut pause) = (patience, ranks.now(), 1_000u64);
    loop {
        if let Some(found) = look(ranks) {
            return Some(found);
        }
        if left == 0 {
            return None;
        }
        ranks.pause(pause);
        pause = pause.wrapping_mul(2).min(LONGEST_PAUSE);
        let now = ranks.now();
        left = left.saturating_sub(now.wrapping_sub(last).clamp(1, LONGEST_STEP));
        last = now;
    }
}
