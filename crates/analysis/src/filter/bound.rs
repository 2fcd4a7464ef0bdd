//! A filter with its names looked up: what is held against each call is numbers and bits.

use super::parse::Fault;
use super::terms::{Filter, Name, Number, Term, error, layer};
use crate::job::directory;
use crate::{Accumulator, Call, Function, Job, Media, Medium, Process, Run};
use iota_calls::{Handles, Kind, Layer};
use iota_trace::block::Header;
use iota_trace::glob;
use iota_trace::read::{Part, Times};
use std::ops::RangeInclusive;

/// A filter for one job.
#[derive(Clone, Debug)]
pub struct Bound {
    /// Parts by their numbers; `None`: all.
    parts: Option<Vec<bool>>,
    /// Functions by their numbers; `None`: all.
    ops: Option<Vec<bool>>,
    /// Files by their numbers, for each term that names some.
    files: Vec<(bool, Vec<bool>)>,
    /// Objects by their numbers, likewise,
    objects: Vec<(bool, Vec<bool>)>,
    /// and sites.
    sites: Vec<(bool, Vec<bool>)>,
    numbers: Vec<(Number, bool, Vec<RangeInclusive<i64>>)>,
    failed: Option<bool>,
    startup: Option<bool>,
    /// What the file of a call may be on.
    on: Option<(Media, Wanted)>,
    /// Calls under way in this time.
    during: Option<RangeInclusive<i64>>,
    never: bool,
    /// Every call of a process that may pass does, as far as `startup` and `on` let it.
    any: bool,
}

/// By [`Medium`]: whether calls on it are wanted.
type Wanted = [bool; Medium::ALL.len()];

impl Bound {
    pub(super) fn of(filter: &Filter, job: &Job) -> Bound {
        let mut bound = Bound {
            parts: None,
            ops: None,
            files: Vec::new(),
            objects: Vec::new(),
            sites: Vec::new(),
            numbers: Vec::new(),
            failed: None,
            startup: None,
            on: None,
            during: None,
            never: false,
            any: false,
        };
        filter.terms.iter().for_each(|term| bound.take(term, job));
        bound.any = bound.ops.is_none()
            && bound.files.is_empty()
            && bound.objects.is_empty()
            && bound.sites.is_empty()
            && bound.numbers.is_empty()
            && bound.failed.is_none()
            && bound.during.is_none();
        bound
    }

    fn take(&mut self, term: &Term, job: &Job) {
        match term {
            Term::Among(number @ (Number::Rank | Number::Pid), wanted, ranges) => {
                let value = |part: &Part| match number {
                    Number::Rank => part.rank(),
                    _ => part.pid(),
                };
                let parts = job.trace.parts().iter();
                narrow(
                    &mut self.parts,
                    parts.map(|part| among(ranges, value(part).into()) == *wanted),
                );
            }
            Term::Among(number, wanted, ranges) => {
                self.numbers.push((*number, *wanted, ranges.clone()))
            }
            Term::Named(Name::Host, wanted, globs) => {
                let parts = job.trace.parts().iter();
                narrow(
                    &mut self.parts,
                    parts.map(|part| any(globs, part.host()) == *wanted),
                );
            }
            Term::Named(name @ (Name::File | Name::Dir), wanted, globs) => {
                let text = |id| match name {
                    Name::Dir => directory(job.files.path(id)),
                    _ => job.files.path(id),
                };
                let files = (0..=job.files.len() as u32).map(|id| id != 0 && path(globs, text(id)));
                self.files.push((*wanted, files.collect()));
            }
            Term::Named(Name::Object, wanted, globs) => {
                let objects = (0..=job.objects.len() as u32)
                    .map(|id| id != 0 && any(globs, job.objects.name(id)));
                self.objects.push((*wanted, objects.collect()));
            }
            Term::Named(Name::Site, wanted, globs) => {
                let is = |id| {
                    let site = job.sites.get(id);
                    site.is_some_and(|site| site.texts().iter().any(|text| any(globs, text)))
                };
                let sites = (0..=job.sites.len() as u32).map(is);
                self.sites.push((*wanted, sites.collect()));
            }
            Term::Named(Name::Op, wanted, globs) => {
                let ops = job.ops.all().iter();
                narrow(&mut self.ops, ops.map(|op| any(globs, &op.name) == *wanted));
            }
            Term::Named(Name::Layer, wanted, globs) => {
                let ops = job.ops.all().iter();
                narrow(&mut self.ops, ops.map(|op| layer(globs, op) == *wanted));
            }
            Term::Class(wanted, kinds) => {
                // What copies both reads and writes.
                let of = |op: &Function| {
                    let copies = op.effects.handles == Handles::Copies;
                    let is = |kind| kinds.contains(&kind);
                    is(op.kind) || copies && (is(Kind::Read) || is(Kind::Write))
                };
                let ops = job.ops.all().iter();
                narrow(&mut self.ops, ops.map(|op| of(op) == *wanted));
            }
            Term::During(time) => {
                let known = self.during.clone().unwrap_or(i64::MIN..=i64::MAX);
                self.during = Some(*known.start().max(time.start())..=*known.end().min(time.end()));
            }
            Term::Failed(failed) => {
                self.never |= self.failed.is_some_and(|known| known != *failed);
                self.failed = Some(*failed);
            }
            Term::Startup(startup) => {
                self.never |= self.startup.is_some_and(|known| known != *startup);
                self.startup = Some(*startup);
            }
            Term::On(wanted) => {
                let known = self.on.take().map(|(_, known)| known);
                let both = Medium::ALL.map(|medium| {
                    let known = known.is_none_or(|known| known[medium as usize]);
                    known && wanted.contains(&medium)
                });
                self.on = Some((job.files.media(), both));
            }
        }
    }

    /// What it asks of processes, and of nothing else.
    #[must_use]
    pub fn of_processes(self) -> Bound {
        Bound {
            parts: self.parts,
            ops: None,
            files: Vec::new(),
            objects: Vec::new(),
            sites: Vec::new(),
            numbers: Vec::new(),
            failed: None,
            startup: None,
            on: None,
            during: None,
            never: self.never,
            any: true,
        }
    }

    /// Whether calls of this process may pass.
    pub fn process(&self, process: &Process) -> bool {
        let parts = self.parts.as_ref();
        !self.never && parts.is_none_or(|parts| parts.get(process.part as usize) == Some(&true))
    }

    /// Whether calls of this block may pass, by its header.
    pub fn block(&self, times: &Times, header: &Header) -> bool {
        let meets = |time: &RangeInclusive<i64>| {
            times.at(header.first).0 <= *time.end() && times.at(header.last).0 >= *time.start()
        };
        self.during.as_ref().is_none_or(meets)
    }

    /// Whether a call of a process that may pass does.
    #[inline(always)]
    pub fn call(&self, call: &Call) -> bool {
        // Most commands ask for these two, and few for anything else.
        let is_of_time = |startup| call.is_startup() == startup;
        let is_on = |(media, wanted): &(Media, Wanted)| wanted[media.of_call(call) as usize];
        self.startup.is_none_or(is_of_time)
            && self.on.as_ref().is_none_or(is_on)
            && (self.any || self.meets(call))
    }

    /// Adds those calls of a run that pass.
    pub fn run(&self, run: &Run, found: &mut impl Accumulator) {
        if self.any || self.is_of_alike() {
            if self.call(&run.first) {
                found.run(run);
            }
            return;
        }
        run.each(|call| {
            if self.call(call) {
                found.add(call);
            }
        });
    }

    /// Whether it asks only what calls that are alike have in common.
    fn is_of_alike(&self) -> bool {
        self.during.is_none() && self.numbers.is_empty()
    }

    #[inline(never)]
    fn meets(&self, call: &Call) -> bool {
        let op = |ops: &Vec<bool>| ops.get(usize::from(call.op)) == Some(&true);
        self.ops.as_ref().is_none_or(op)
            && self.failed.is_none_or(|failed| call.failed() == failed)
            && self
                .during
                .as_ref()
                .is_none_or(|time| call.start <= *time.end() && call.end >= *time.start())
            && (self.files.is_empty() || self.files(call))
            && numbered(&self.objects, call.object)
            && numbered(&self.sites, call.site)
            && (self.numbers.is_empty() || self.numbers(call))
    }

    fn files(&self, call: &Call) -> bool {
        let is = |files: &[bool], id: u32| files.get(id as usize) == Some(&true);
        let one = |files: &[bool]| is(files, call.file) || is(files, call.second);
        self.files
            .iter()
            .all(|(wanted, files)| one(files) == *wanted)
    }

    fn numbers(&self, call: &Call) -> bool {
        let holds = |(number, wanted, ranges): &(Number, bool, Vec<_>)| {
            number
                .of(call)
                .is_some_and(|value| among(ranges, value) == *wanted)
        };
        self.numbers.iter().all(holds)
    }
}

/// Whether what has this number is what all terms ask for.
fn numbered(terms: &[(bool, Vec<bool>)], id: u32) -> bool {
    let is = |all: &[bool]| all.get(id as usize) == Some(&true);
    terms.iter().all(|(wanted, all)| is(all) == *wanted)
}

fn narrow(known: &mut Option<Vec<bool>>, more: impl Iterator<Item = bool>) {
    *known = Some(match known.take() {
        Some(known) => known.into_iter().zip(more).map(|(a, b)| a && b).collect(),
        None => more.collect(),
    });
}

fn among(ranges: &[RangeInclusive<i64>], value: i64) -> bool {
    ranges.iter().any(|range| range.contains(&value))
}

fn any(globs: &[Vec<u8>], name: &[u8]) -> bool {
    globs.iter().any(|glob| glob::matches(glob, name))
}

/// As `IOTA_FILES` does: without a `/` the last component counts.
fn path(globs: &[Vec<u8>], path: &[u8]) -> bool {
    globs.iter().any(|glob| glob::one(glob, path))
}

impl Number {
    /// That of a call; `None` where it has none.
    #[inline]
    pub fn of(self, call: &Call) -> Option<i64> {
        let event = call.event;
        Some(match self {
            Number::Rank => call.process.rank.into(),
            Number::Pid => call.process.pid.into(),
            Number::Thread => event.thread.into(),
            Number::Fd => event.fd.into(),
            Number::Offset => return Some(event.offset).filter(|offset| *offset >= 0),
            Number::Length if !call.is_transfer() => return None,
            Number::Length => event.length.try_into().unwrap_or(i64::MAX),
            Number::Bytes => {
                let moved = call.moved.read.max(call.moved.written);
                moved.try_into().unwrap_or(i64::MAX)
            }
            Number::Ret => event.ret,
            Number::Errno => error(event.errno, call.function.layer == Layer::MpiIo as u8),
            Number::Elapse => call.elapse().try_into().unwrap_or(i64::MAX),
            Number::Start => call.start,
            Number::End => call.end,
        })
    }
}

impl Filter {
    /// The filter of several expressions, all of which a call must meet.
    ///
    /// # Errors
    /// The first that cannot be understood, and where in it.
    pub fn all<S: AsRef<str>>(expressions: &[S]) -> Result<Filter, Fault> {
        let mut parsed = expressions
            .iter()
            .map(|text| text.as_ref().parse::<Filter>());
        parsed.try_fold(Filter::default(), |all, filter| Ok(all.and(filter?)))
    }

    /// With files, functions and processes looked up.
    pub fn bind(&self, job: &Job) -> Bound {
        Bound::of(self, job)
    }
}
