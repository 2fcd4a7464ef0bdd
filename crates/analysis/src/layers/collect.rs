//! The tree as an accumulator: calls come in, units are merged.

use super::node::Key;
use super::resolver::CallResolver;
use super::sub_calls::SubCall;
use super::{Layers, Node, transfers};
use crate::servers::CallKey;
use crate::{Accumulator, Call, CallDetails, NO_OBJECT, Process, Run};
use iota_calls::{Kind, Layer};

/// Layers whose calls name datasets and variables.
const OF_OBJECTS: [Layer; 3] = [Layer::Hdf5, Layer::Netcdf, Layer::Pnetcdf];

impl Accumulator for Layers<'_> {
    const DETAILS: bool = true;

    fn part(&mut self, process: &Process) {
        self.now.process = *process;
        self.now.is_begun = false;
        self.resolver();
    }

    fn thread(&mut self, thread: u32) {
        self.now.thread = thread;
        self.now.is_begun = false;
    }

    fn add(&mut self, call: &Call) {
        self.one(call, None);
    }

    fn add_detailed(&mut self, call: &Call, details: CallDetails) {
        self.one(call, Some(details));
    }

    fn run(&mut self, run: &Run) {
        let (first, resolver) = (&run.first, self.resolver());
        let is_alone = first.is_io() && first.event.parent == 0 && !resolver.flies;
        if is_alone && resolver.below.is_empty() {
            return self.begin(first);
        }
        run.each(|call| self.one(call, None));
    }

    fn merge(&mut self, later: Self) {
        let duration = self.duration();
        for (op, sum) in later.ops {
            self.ops.entry(op).or_default().merge(&sum, duration);
        }
        for (file, facts) in later.files {
            self.files.entry(file).or_default().merge(facts, duration);
        }
        for (place, facts) in later.objects {
            let known = self.objects.entry(place).or_default();
            known.merge(&facts, duration);
        }
        for (task, sum) in later.tasks {
            self.tasks.entry(task).or_default().merge(&sum, duration);
        }
        self.collectives.merge(later.collectives);
        self.nested += later.nested;
        self.lost += later.lost;
        for resolver in later.families {
            self.join(resolver);
        }
        self.calls.extend(later.calls);
        if self.calls.len() > self.most_calls() {
            self.prune();
        }
    }

    fn process_complete(&mut self, process: &Process) {
        let is_it = |resolver: &CallResolver| resolver.process.part == process.part;
        if let Some(at) = self.families.iter().position(is_it) {
            self.close(at);
        }
    }
}

impl Layers<'_> {
    /// What came later of a process that may be known.
    fn join(&mut self, later: CallResolver) {
        let is_it = |resolver: &CallResolver| resolver.process.part == later.process.part;
        let Some(at) = self.families.iter().position(is_it) else {
            self.families.push(later);
            return;
        };
        let duration = self.duration();
        let whole = self.families[at].merge(later, duration);
        whole.into_iter().for_each(|node| self.settle(node, at));
        self.relieve(at);
    }

    /// Lets go of what there is too much of.
    fn relieve(&mut self, at: usize) {
        let crowded = self.families[at].crowded();
        crowded.into_iter().for_each(|node| self.settle(node, at));
    }

    fn begin(&mut self, call: &Call) {
        if !self.now.is_begun {
            let (thread, end) = (call.event.thread, call.end);
            self.resolver().first.entry(thread).or_insert(end);
            self.now.is_begun = true;
        }
    }

    fn one(&mut self, call: &Call, details: Option<CallDetails>) {
        self.begin(call);
        match call.function.layer {
            layer if layer == Layer::Server as u8 => self.server(call),
            layer if layer == self.layer => self.detailed_call(call, details),
            _ if call.function.is_library => self.between(call, details),
            _ if call.is_io() => self.client(call, details),
            _ => {}
        }
    }

    /// A server's work for the call that encloses it.
    fn server(&mut self, call: &Call) {
        if call.event.parent != 0 {
            let key = (call.event.thread, call.event.parent);
            let below = self.resolver().below.entry(key).or_default();
            below.serve(call.elapse());
        }
    }

    /// A call of a descriptor or stream. What it encloses itself is its own, but for the servers.
    fn client(&mut self, call: &Call, details: Option<CallDetails>) {
        let (event, kept, ties) = (call.event, self.kept, self.servers);
        let is_of_objects = OF_OBJECTS.iter().any(|layer| *layer as u8 == self.layer);
        let resolver = self.resolver();
        let servers = resolver.take((event.thread, event.id)).servers;
        let servers = ties.map_or(servers, |ties| ties.for_call(CallKey::of(call)));
        let sub = SubCall {
            file: call.file,
            start: call.start,
            end: call.end,
            moved: call.moved,
            offset: if is_of_objects { event.offset } else { -1 },
            way: match call.kind() {
                Kind::Read => Some(0),
                Kind::Write => Some(1),
                _ => None,
            },
            servers,
        };
        match parent(call, details) {
            (_, 0) if resolver.flies && may_stray(call) => {
                resolver.strays.push(sub);
                let at = self.families.len() - 1;
                self.relieve(at);
            }
            (_, 0) => {}
            key => resolver.below.entry(key).or_default().add(&sub, kept),
        }
    }

    /// A call of the layer.
    fn detailed_call(&mut self, call: &Call, details: Option<CallDetails>) {
        let mut node = Node::of(call, details, self.wanted.call(call));
        if node.wanted {
            self.files
                .entry(call.file)
                .or_default()
                .opened(call, details);
            if call.object != NO_OBJECT {
                let facts = self.objects.entry((call.file, call.object)).or_default();
                facts.add_detailed(call, details);
            }
        }
        let resolver = self.resolver();
        resolver.files.insert(call.file);
        node.below = resolver.take(node.key());
        let at = self.families.len() - 1;
        let resolver = &mut self.families[at];
        if node.begun.is_some() || resolver.has_causes {
            resolver.requests.push(node);
            self.relieve(at);
        } else if resolver.is_open(node.thread, node.start) {
            // Two calls of one number are of a damaged trace.
            if let Some(before) = resolver.open.insert(node.key(), node) {
                self.settle(before, at);
            }
        } else {
            self.settle(node, at);
        }
    }

    /// A call of another library: what it caused belongs to the call that encloses it. Calls of the layer inside it stand for
    /// themselves.
    fn between(&mut self, call: &Call, details: Option<CallDetails>) {
        let own = Node::key_of(call, details);
        let caller = (call.event.thread, call.event.parent);
        let resolver = self.resolver();
        let mut below = resolver.take(own);
        let inner = std::mem::take(&mut below.inner);
        if caller.1 != 0 {
            let is_late = resolver.flies || resolver.has_causes;
            if is_late || resolver.is_open(own.0, call.start) {
                resolver.pass_on(own, caller);
            }
            if below.calls > 0 {
                resolver.below.entry(caller).or_default().merge(below);
            }
        }
        let at = self.families.len() - 1;
        inner.into_iter().for_each(|node| self.emit(node, at));
    }
}

/// Thread and number of the call that a call was made for; 0: none is known.
fn parent(call: &Call, details: Option<CallDetails>) -> Key {
    cause(details).unwrap_or((call.event.thread, call.event.parent))
}

/// The call that it says caused it, by its thread and number.
pub(super) fn cause(details: Option<CallDetails>) -> Option<Key> {
    let cause = details?.form(b"cause")?;
    let id = cause.number(b"call");
    (id != 0).then_some((cause.number(b"thread") as u32, id))
}

/// Whether it may be what the MPI library does for a transfer in flight.
pub(super) fn may_stray(call: &Call) -> bool {
    call.file != crate::NO_FILE && (transfers(call.kind()) || call.kind() == Kind::Sync)
}
