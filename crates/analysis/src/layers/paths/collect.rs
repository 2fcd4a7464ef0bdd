//! The paths as an accumulator: calls come in, units are merged.

use super::Paths;
use super::branch::{self, Branch, BranchKey, Forest, PathSum};
use super::process_calls::{IncomingCall, ProcessCalls, UnattributedCall};
use crate::layers::collect::{cause, may_stray};
use crate::layers::flies;
use crate::servers::{CallKey, ServerWork};
use crate::{Accumulator, Call, CallDetails, Medium, NO_OBJECT, NO_SITE, Process, Run};

impl Accumulator for Paths<'_> {
    const DETAILS: bool = true;

    fn part(&mut self, process: &Process) {
        self.process = *process;
        let is_last = |process_calls: &ProcessCalls| process_calls.process.part == process.part;
        if !self.kins.last().is_some_and(is_last) {
            let ids = self.job.ids(process.part);
            let keeps = ids.has_form(b"cause") || flies(self.job, &ids);
            self.kins.push(ProcessCalls::of(*process, keeps));
        }
    }

    fn thread(&mut self, thread: u32) {
        self.thread = thread;
    }

    fn add(&mut self, call: &Call) {
        self.one(call, None);
    }

    fn add_detailed(&mut self, call: &Call, details: CallDetails) {
        self.one(call, Some(details));
    }

    fn run(&mut self, run: &Run) {
        let Some(process_calls) = self.kins.last() else {
            return;
        };
        let is_each = process_calls.keeps || self.servers.is_some();
        if is_each || run.first.event.id.checked_add(run.count()).is_none() {
            return run.each(|call| self.one(call, None));
        }
        self.one(&run.first, None);
        if run.count() > 1 {
            let mut more = self.came(&run.first, None);
            more.sum = rest(more.sum, run);
            if let Some(process_calls) = self.kins.last_mut() {
                process_calls.add_more(self.thread, more);
            }
        }
    }

    fn merge(&mut self, later: Self) {
        branch::merge(&mut self.roots, later.roots);
        self.orphans += later.orphans;
        for process_calls in later.kins {
            let is_it =
                |known: &&mut ProcessCalls| known.process.part == process_calls.process.part;
            match self.kins.iter_mut().find(is_it) {
                Some(known) => known.merge(process_calls),
                None => self.kins.push(process_calls),
            }
        }
    }

    fn process_complete(&mut self, process: &Process) {
        let is_it = |process_calls: &ProcessCalls| process_calls.process.part == process.part;
        if let Some(at) = self.kins.iter().position(is_it) {
            self.close(at);
        }
    }
}

/// Of all calls of a run but the first.
fn rest(first: PathSum, run: &Run) -> PathSum {
    let more = run.count() - 1;
    let all = |one: u64| one.saturating_mul(more);
    let time = run.elapses().skip(1).fold(0, u64::saturating_add);
    let flies = first.flight > 0 || first.time == 0 && run.first.is_asynchronous();
    PathSum {
        calls: all(first.calls),
        failed: all(first.failed),
        time: if flies { 0 } else { time },
        flight: if flies { time } else { 0 },
        moved: first.moved.map(all),
        ..first
    }
}

impl Paths<'_> {
    fn one(&mut self, call: &Call, details: Option<CallDetails>) {
        let came = self.came(call, details);
        let Some(process_calls) = self.kins.last_mut() else {
            return;
        };
        let is_alone = came.caller.1 == 0 && !came.is_library;
        if process_calls.keeps && is_alone && call.is_io() && may_stray(call) {
            return process_calls.stray(UnattributedCall {
                file: call.file,
                start: call.start,
                end: call.end,
                step: came.step,
                sum: came.sum,
                servers: came.servers,
                is_shown: came.is_shown,
            });
        }
        process_calls.add(self.thread, came);
    }

    fn came(&self, call: &Call, details: Option<CallDetails>) -> IncomingCall {
        let event = call.event;
        let begun = details.and_then(|details| details.with(b"begun"));
        let (caused, is_flying) = (cause(details), call.is_asynchronous());
        let mut sum = PathSum::of(call, details, is_flying);
        if caused.is_some() {
            sum.beside = sum.time;
        }
        let elsewhere = begun.filter(|begun| begun.number(b"call") != 0);
        IncomingCall {
            key: elsewhere.map_or((event.thread, event.id), |begun| {
                (begun.number(b"thread") as u32, begun.number(b"call"))
            }),
            caller: caused.unwrap_or((event.thread, event.parent)),
            is_caused: caused.is_some(),
            is_library: call.function.is_library,
            flight: is_flying.then_some((call.file, call.start, call.end)),
            is_shown: self.is_shown(call),
            end: call.end,
            step: BranchKey {
                site: call.site,
                op: call.op,
                object: self.job.objects.shown(call.object),
                left_out: call.function.layer == self.layer && !self.wanted.call(call),
                server: 0,
            },
            sum,
            servers: self.served(call),
        }
    }

    /// What servers did for a call.
    fn served(&self, call: &Call) -> Forest {
        let Some(servers) = self.servers.filter(|_| call.is_io()) else {
            return Forest::new();
        };
        let work = servers.work_for(CallKey::of(call));
        let slowest = work.iter().max_by_key(|of| of.waited).map(|of| of.server);
        let branch = |of: &ServerWork| {
            let step = BranchKey {
                site: NO_SITE,
                op: call.op,
                object: NO_OBJECT,
                left_out: false,
                server: of.server + 1,
            };
            let sum = PathSum::of_server(of, call.file, slowest == Some(of.server));
            (step, Branch::of(sum, Forest::new()))
        };
        work.iter().map(branch).collect()
    }

    /// Whether it is shown if nobody called it: the same calls count as in the statistics.
    fn is_shown(&self, call: &Call) -> bool {
        let is_io = call.function.class.is_some() && !call.is_startup();
        is_io && (!call.is_io() || self.media.of_call(call) == Medium::Storage)
    }
}
