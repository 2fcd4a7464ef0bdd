//! May we do something together that hangs when one rank is missing? An agreement that itself cannot hang.
//!
//! Every rank enters, and waits with a deadline until all have. A rank that gave up has entered all the same, so a
//! late one sees everybody there: hence a second step, a vote that everybody casts, and whose outcome is the same for
//! all who wait for it. Who gave up votes no and does not wait for the others. The wait for the vote has an end too,
//! far longer than any voter may take: only a rank that died between the two steps can make others reach it.

/// Waiting, with a clock.
pub trait Waiting {
    /// Lets time pass.
    fn pause(&mut self, nanoseconds: u64);
    /// Monotone time in nanoseconds.
    fn now(&self) -> u64;
}

/// The two steps, as messages that are started and looked at, never waited for.
pub trait Agreement: Waiting {
    /// Says that this rank is there.
    fn enter(&mut self) -> bool;
    /// True once all ranks are there.
    fn all_entered(&mut self) -> bool;
    /// True if it is known that some rank will never enter. Asked while ranks are waited for, now and then.
    fn cannot_complete(&mut self) -> bool {
        false
    }
    /// Says what this rank thinks.
    fn vote(&mut self, yes: bool) -> bool;
    /// What all think together, once all have said it.
    fn outcome(&mut self) -> Option<bool>;
}

/// The longest pause between two looks.
const LONGEST_PAUSE: u64 = 100_000;
/// More than this between two looks is time in which this process was stopped, and does not count as waiting.
const LONGEST_STEP: u64 = 50_000_000;
/// By how much a vote may take longer than the deadline.
pub(crate) const VOTE_TAKES: u64 = 4;
/// For so long whoever says no looks at its vote, because MPI sends it no further otherwise: what is left to send in
/// MPI_Finalize may meet ranks that have ended, to which Intel MPI tries to connect for ever.
const SENDING_TAKES: u64 = 100_000_000;
/// How long ranks are waited for before it is asked whether that is in vain; then after twice the time, and so on.
const FIRST_CHECK: u64 = 1_000_000_000;

/// True on all ranks when all came within `deadline` nanoseconds.
pub fn all_are_here<A: Agreement>(ranks: &mut A, deadline: u64) -> bool {
    let mut check = GiveUpCheck::new(ranks);
    let here = ranks.enter()
        && wait(ranks, deadline, |ranks| {
            if ranks.all_entered() {
                Some(true)
            } else {
                check.is_lost(ranks, A::cannot_complete).then_some(false)
            }
        }) == Some(true);
    decide(ranks, here, deadline)
}

/// True on all ranks when it is true on all. Who says no waits no longer than until its vote is on its way.
pub fn decide(ranks: &mut impl Agreement, yes: bool, deadline: u64) -> bool {
    let patience = match yes {
        true => deadline.saturating_mul(VOTE_TAKES),
        false => deadline.min(SENDING_TAKES),
    };
    ranks.vote(yes) && wait(ranks, patience, Agreement::outcome) == Some(true) && yes
}

/// When to ask the next time.
pub(crate) struct GiveUpCheck {
    began: u64,
    until: u64,
}

impl GiveUpCheck {
    pub(crate) fn new(clock: &impl Waiting) -> GiveUpCheck {
        GiveUpCheck {
            began: clock.now(),
            until: FIRST_CHECK,
        }
    }

    /// Asks, if it is time to.
    pub(crate) fn is_lost<W: Waiting>(
        &mut self,
        clock: &mut W,
        cannot_complete: impl Fn(&mut W) -> bool,
    ) -> bool {
        if clock.now().wrapping_sub(self.began) < self.until {
            return false;
        }
        self.until = self.until.saturating_mul(2);
        cannot_complete(clock)
    }
}

/// Looks until something is found, or patience ends.
pub(crate) fn wait<A: Waiting, T>(
    ranks: &mut A,
    patience: u64,
    mut look: impl FnMut(&mut A) -> Option<T>,
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
