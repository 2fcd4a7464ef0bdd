//! What a pass adds calls to.

use crate::{Call, CallDetails, Process, Run};

/// What is found out in a pass. The crate's documentation shows how to write one.
pub trait Accumulator: Send {
    /// Whether it wants to know what calls say beyond their records.
    const DETAILS: bool = false;

    /// The calls that follow are of this process.
    fn part(&mut self, _process: &Process) {}

    /// The calls that follow are of this thread of the process; it may be that none does.
    fn thread(&mut self, _thread: u32) {}

    /// One call.
    fn add(&mut self, call: &Call);

    /// One call with its details, if they are wanted.
    fn add_detailed(&mut self, call: &Call, _details: CallDetails) {
        self.add(call);
    }

    /// Calls of the same thread, one after another, that are alike, and have no details.
    fn run(&mut self, run: &Run) {
        run.each(|call| self.add(call));
    }

    /// Takes in what was found later in the trace.
    fn merge(&mut self, later: Self);

    /// All calls of this process have come, to this accumulator or to those that were merged with it.
    fn process_complete(&mut self, _process: &Process) {}
}

impl<A: Accumulator, B: Accumulator> Accumulator for (A, B) {
    const DETAILS: bool = A::DETAILS || B::DETAILS;

    fn part(&mut self, process: &Process) {
        self.0.part(process);
        self.1.part(process);
    }

    fn thread(&mut self, thread: u32) {
        self.0.thread(thread);
        self.1.thread(thread);
    }

    #[inline(always)]
    fn add(&mut self, call: &Call) {
        self.0.add(call);
        self.1.add(call);
    }

    fn add_detailed(&mut self, call: &Call, details: CallDetails) {
        self.0.add_detailed(call, details);
        self.1.add_detailed(call, details);
    }

    fn run(&mut self, run: &Run) {
        self.0.run(run);
        self.1.run(run);
    }

    fn merge(&mut self, later: Self) {
        self.0.merge(later.0);
        self.1.merge(later.1);
    }

    fn process_complete(&mut self, process: &Process) {
        self.0.process_complete(process);
        self.1.process_complete(process);
    }
}

impl<A: Accumulator> Accumulator for Option<A> {
    const DETAILS: bool = A::DETAILS;

    fn part(&mut self, process: &Process) {
        self.iter_mut().for_each(|all| all.part(process));
    }

    fn thread(&mut self, thread: u32) {
        self.iter_mut().for_each(|all| all.thread(thread));
    }

    fn add(&mut self, call: &Call) {
        self.iter_mut().for_each(|all| all.add(call));
    }

    fn add_detailed(&mut self, call: &Call, details: CallDetails) {
        self.iter_mut()
            .for_each(|all| all.add_detailed(call, details));
    }

    fn run(&mut self, run: &Run) {
        self.iter_mut().for_each(|all| all.run(run));
    }

    fn merge(&mut self, later: Self) {
        match (self, later) {
            (Some(all), Some(later)) => all.merge(later),
            (all @ None, later) => *all = later,
            (Some(_), None) => {}
        }
    }

    fn process_complete(&mut self, process: &Process) {
        self.iter_mut()
            .for_each(|all| all.process_complete(process));
    }
}
