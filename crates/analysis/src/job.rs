//! What all parts of a trace have in common: files and functions by numbers that hold in all of them.

mod by_id;
mod ids;
mod installed;
mod launches;
mod looked;
mod medium;
mod names;
mod objects;
mod part_ids;
mod sites;
mod tasks;

pub use by_id::ById;
pub use ids::{FileId, NO_FILE, NO_OBJECT, NO_SITE, ObjectId, OpId, SiteId, TaskId};
pub use ids::{directory, file_name};
pub use installed::is_installed;
pub use medium::{Media, Medium};
pub use names::{Files, Function, Layouts, Ops};
pub use objects::Objects;
pub use part_ids::Ids;
pub use sites::{Site, Sites};
pub use tasks::{TaskKind, Tasks};

use sites::Stacks;

use crate::units::{Unit, Units};
use crate::{Call, Filter, Process};
use iota_trace::lustre::Layout;
use iota_trace::read::{Names, Times, Trace};
use iota_trace::stack;
use iota_trace::{Details, Event};
use looked::Looked;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::num::NonZero;
use std::ops::Range;
use std::thread;

/// Parts looked through at a time by each thread.
const SOME: usize = 64;

/// A trace with what must be known of it before its events are read.
pub struct Job<'t> {
    /// The trace.
    pub trace: &'t Trace,
    /// All its files.
    pub files: Files,
    /// Datasets, variables and attributes that calls name.
    pub objects: Objects,
    /// From where calls were made.
    pub sites: Sites,
    /// All its functions.
    pub ops: Ops,
    /// Layouts of files on Lustre.
    pub layouts: Layouts,
    /// The end of its last call or process, in ns since the job's start.
    pub duration: i64,
    /// Ranks that it had, as its processes say.
    pub ranks: u32,
    /// Its ranks, or the processes of one that has none.
    pub tasks: Tasks,
    /// The task of each part.
    task_of: Vec<TaskId>,
    /// From start to end of each part, in ns since the job's start.
    spans: Vec<(i64, i64)>,
    pub(crate) units: Units,
    /// Ids of the parts that are cut, which several units ask for.
    cut: HashMap<u32, Ids>,
    /// Threads with calls, of each part.
    threads: Vec<Box<[u32]>>,
    /// Parts that go on with a process of an earlier one.
    continued: HashSet<u32>,
    /// What each part says of the launch that it is of, and which that is.
    launch_keys: Vec<Option<launches::LaunchKey>>,
    launches: Vec<u32>,
    /// Names of hosts, in order.
    hosts: Vec<Vec<u8>>,
}

impl<'t> Job<'t> {
    /// Reads names and indices, no event.
    pub fn of(trace: &'t Trace) -> Job<'t> {
        Job::in_units_of(trace, Units::EVENTS)
    }

    /// The same, cut into units of so many events; it makes no difference but to tests of what happens at the cuts.
    pub fn in_units_of(trace: &'t Trace, events: u64) -> Job<'t> {
        let mut job = Job {
            trace,
            files: Files::new(),
            objects: Objects::default(),
            sites: Sites::default(),
            ops: Ops::new(),
            layouts: Layouts::default(),
            duration: 0,
            ranks: 0,
            tasks: Tasks::default(),
            task_of: Vec::new(),
            spans: Vec::new(),
            units: Units::of(events),
            cut: HashMap::new(),
            threads: Vec::new(),
            continued: HashSet::new(),
            launch_keys: Vec::new(),
            launches: Vec::new(),
            hosts: hosts_of(trace),
        };
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let parts: Vec<usize> = (0..trace.parts().len()).collect();
        for round in parts.chunks(SOME * cores) {
            let looked = thread::scope(|scope| {
                let some = |some: &'_ [usize]| {
                    let some = some.to_owned();
                    scope.spawn(move || {
                        some.into_iter()
                            .map(|part| Looked::at(trace, part, events))
                            .collect()
                    })
                };
                let threads: Vec<_> = round.chunks(SOME).map(some).collect();
                let joined = threads.into_iter().map(|thread| thread.join());
                joined
                    .map(|all: thread::Result<Vec<Looked>>| all.unwrap_or_default())
                    .collect::<Vec<_>>()
            });
            looked
                .into_iter()
                .flatten()
                .for_each(|looked| job.take(looked));
        }
        (job.tasks, job.task_of) = Tasks::of(trace, job.ranks, &job.spans);
        job.units.finish();
        job.objects.finish();
        let mut known = HashSet::new();
        let parts = (0..).zip(trace.parts());
        let continued = parts.filter(|(_, part)| !known.insert(part.of_process()));
        job.continued = continued.map(|(number, _)| number).collect();
        job.launches = launches::of(trace, &std::mem::take(&mut job.launch_keys));
        job
    }

    /// Calls of descriptors and streams count; but if a filter asks for other layers alone, calls of those.
    #[must_use]
    pub fn counting(mut self, filter: &Filter) -> Job<'t> {
        if filter.asks_for_layers() {
            self.ops.count(|function| filter.is_of_layers(function));
        }
        self
    }

    fn take(&mut self, looked: Looked) {
        for (id, path) in looked.names.files() {
            let file = self.files.enter(path);
            if let Some(Layout(layout)) = looked.names.layout(id) {
                let layout = self.layouts.enter(layout);
                self.files.set_layout(file, layout);
            }
        }
        for (_, op) in looked.names.ops() {
            self.ops.enter(op);
        }
        let names_objects = names_objects(&looked.names);
        let stacks = Stacks::of(&looked.names);
        if names_objects {
            let texts = looked.names.texts();
            let objects =
                texts.filter(|(_, text)| stacks.is_none() || stack::recorded(text).is_none());
            for (_, text) in objects {
                self.objects.enter(text);
            }
        }
        if let Some(stacks) = stacks {
            self.sites.enter(&stacks);
        }
        self.duration = self.duration.max(looked.ended);
        self.ranks = self.ranks.max(looked.ranks);
        self.spans.push((looked.began, looked.ended));
        if looked.stretches.len() > 1 {
            let ids = self.ids_of(&looked.names);
            self.cut.insert(looked.part as u32, ids);
        }
        self.units.add(looked.part, looked.stretches);
        self.threads.push(looked.threads);
        self.launch_keys.push(looked.launch_key);
    }

    /// An event of a part as a call.
    #[inline(always)]
    pub fn call<'a>(
        &'a self,
        times: &Times,
        process: &'a Process,
        ids: &Ids,
        event: &'a Event,
    ) -> Call<'a> {
        let during = (times.at(event.start).0, times.at(event.end).0);
        self.timed(during, process, ids, event)
    }

    /// The same of one whose start and end are known, in ns since the job's start.
    #[inline(always)]
    pub fn timed<'a>(
        &'a self,
        (start, end): (i64, i64),
        process: &'a Process,
        ids: &Ids,
        event: &'a Event,
    ) -> Call<'a> {
        let op = ids.op(event.op);
        let function = self.ops.get(op);
        Call {
            event,
            process,
            start,
            end,
            file: ids.file(event.file),
            second: ids.file(event.second.file),
            object: NO_OBJECT,
            site: NO_SITE,
            op,
            function,
            moved: function.meter.moved(event),
            layout: self.layouts.get(ids.layout(event.file)),
        }
    }

    /// A call of which details are known.
    pub fn detailed<'a>(&self, call: Call<'a>, ids: &Ids, details: &[Details]) -> Call<'a> {
        if details.is_empty() {
            return call;
        }
        Call {
            object: self.object(ids, details),
            site: ids.site(details),
            ..call
        }
    }

    /// The object that details name.
    fn object(&self, ids: &Ids, details: &[Details]) -> ObjectId {
        let name = details.iter().find_map(|of| {
            let (_, field) = ids.objects.iter().find(|(form, _)| *form == of.form)?;
            of.values.get(*field)
        });
        name.map_or(NO_OBJECT, |name| self.objects.find(ids.text(*name)))
    }

    pub(crate) fn unit(&self, index: u64) -> &[Unit] {
        self.units.get(index)
    }

    /// Events in the trace, as its index says.
    pub fn event_count(&self) -> u64 {
        self.units.events()
    }

    /// Parts that are cut, and the units that they lie in, in order.
    pub(crate) fn cut(&self) -> Vec<(Range<u64>, Process)> {
        let mut parts: Vec<u32> = self.cut.keys().copied().collect();
        parts.sort_unstable();
        let cut = parts.into_iter();
        cut.map(|part| (self.units.of_part(part).clone(), self.process(part)))
            .collect()
    }

    /// A part as the process that called.
    pub fn process(&self, part: u32) -> Process {
        let of = &self.trace.parts()[part as usize];
        Process {
            part,
            rank: of.rank(),
            task: self.task_of[part as usize],
            pid: of.pid(),
            host: self.host(of.host()),
            threads: self.threads(part).len() as u32,
            is_first: !self.continued.contains(&part),
            launch: self.launches[part as usize],
        }
    }

    /// Threads of a part that have calls.
    pub fn threads(&self, part: u32) -> &[u32] {
        &self.threads[part as usize]
    }

    /// Names of hosts by their numbers.
    pub fn hosts(&self) -> &[Vec<u8>] {
        &self.hosts
    }

    fn host(&self, name: &[u8]) -> u32 {
        let found = self
            .hosts
            .binary_search_by(|host| host.as_slice().cmp(name));
        found.unwrap_or_default() as u32
    }

    /// Ids of a part, by its place among the trace's parts, as those of the job.
    pub fn ids(&self, part: u32) -> Cow<'_, Ids> {
        match self.cut.get(&part) {
            Some(ids) => Cow::Borrowed(ids),
            None => {
                let part = &self.trace.parts()[part as usize];
                Cow::Owned(self.ids_of(&part.names_of(&part.outline())))
            }
        }
    }

    fn ids_of(&self, names: &Names) -> Ids {
        let mut ids = Ids::default();
        for (id, path) in names.files() {
            ids.files.set(id, self.files.find(path).unwrap_or(NO_FILE));
        }
        for (id, Layout(layout)) in names.layouts() {
            ids.layouts.set(id, self.layouts.find(layout));
        }
        for (id, op) in names.ops() {
            ids.ops
                .set(id.into(), self.ops.find(op).unwrap_or(0).into());
        }
        ids.forms = names.forms().map(|(id, form)| (id, form.clone())).collect();
        let objects = names.forms();
        let objects = objects.filter_map(|(id, form)| Some((id, objects::field(form)?)));
        ids.objects = objects.collect();
        ids.stack = names.stack_form();
        if let Some(stacks) = Stacks::of(names) {
            ids.sites = self.sites.find(&stacks);
        }
        let texts = names.texts();
        ids.texts = texts.map(|(id, text)| (id.into(), text.into())).collect();
        ids
    }
}

/// Whether calls of a part may name objects.
fn names_objects(names: &Names) -> bool {
    names
        .forms()
        .any(|(_, form)| objects::field(form).is_some())
}

fn hosts_of(trace: &Trace) -> Vec<Vec<u8>> {
    let hosts: BTreeSet<&[u8]> = trace.parts().iter().map(|part| part.host()).collect();
    hosts.into_iter().map(<[u8]>::to_vec).collect()
}
