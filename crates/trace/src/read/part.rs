//! One part: a process' blocks from one start of the tracer to its end.

use std::sync::Arc;

use super::layout::{self, Location};
use super::source::{Region, Source, Walk};
use super::spawn_identity::SpawnIdentity;
use crate::block::{Header, kind};
use crate::clock::{Clock, Nanos, Offset, Step};
use crate::part::{self, End, Entry, Spawn};

/// One part of a trace. Parts of the same rank, process and host continue one another.
#[derive(Clone, Debug)]
pub struct Part {
    pub(super) source: Arc<Source>,
    pub(super) location: Location,
    process: Option<u64>,
    end: Option<End>,
    /// Calls that started ranks.
    spawns: Box<[Spawn]>,
    /// Where the end block stands.
    end_at: u64,
    host: Vec<u8>,
    /// Where it stands in the trace.
    place: u32,
    pub(super) spawn_identity: SpawnIdentity,
    /// Ranks of other worlds that are counted before those of its own.
    before: u32,
    /// The rank whose call of MPI_Comm_spawn started it.
    spawner: Option<u32>,
    clock: Option<Clock>,
    origin: Nanos,
}

/// Steps of a part's clock as time since the start of the job.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    clock: Clock,
    origin: Nanos,
}

impl Times {
    /// The time of a step.
    #[inline(always)]
    pub fn at(&self, steps: i64) -> Nanos {
        Nanos(self.clock.nanos(steps).0.wrapping_sub(self.origin.0))
    }
}

/// Tells a process from all others, also from one that got the same id later, or that another job on another machine of
/// the same name has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProcessKey {
    /// Its id.
    pub pid: u32,
    /// The node's name.
    pub host: Vec<u8>,
    /// When it started, in ns since 1970.
    pub start: u64,
    /// Its random number; 0 in early traces.
    pub random: u32,
}

impl ProcessKey {
    /// Of what a process says of itself.
    pub fn of(pid: u32, process: &part::Process) -> ProcessKey {
        ProcessKey {
            pid,
            host: process.host.to_owned(),
            start: process.start.realtime,
            random: process.random,
        }
    }
}

/// Who was traced: the Process block as it stands in the file.
#[derive(Clone, Debug)]
pub struct ProcessBlock(Vec<u8>);

impl ProcessBlock {
    /// Its fields.
    pub fn fields(&self) -> part::Process<'_> {
        part::Process::parse(&self.0)
    }
}

impl Part {
    /// Reads what stands around the events.
    pub(super) fn open(source: &Arc<Source>, location: Location) -> Part {
        let mut part = Part {
            source: source.clone(),
            location,
            process: None,
            end: None,
            spawns: Box::default(),
            end_at: 0,
            host: Vec::new(),
            place: 0,
            spawn_identity: SpawnIdentity::default(),
            before: 0,
            spawner: None,
            clock: None,
            origin: Nanos(0),
        };
        part.find_process();
        part.find_end();
        if part.end.is_none() {
            let cause = format!(
                "rank {} (process {}) ends here without its end block: it was killed, or the file was cut off",
                location.ids.rank, location.ids.pid
            );
            source.unended(location.region.end, cause);
        }
        part.expect(part.event_count());
        part.set_clock(None);
        part
    }

    fn find_process(&mut self) {
        let Region { start, end } = self.location.region;
        let mut buffer = Vec::new();
        let header = self
            .source
            .header(start, end)
            .filter(|header| header.kind == kind::PROCESS);
        let payload = header
            .and_then(|header| Some((header, self.source.payload(start, &header, &mut buffer)?)));
        match payload {
            Some((header, payload)) => {
                self.location.ids = header.ids;
                let fields = part::Process::parse(payload);
                self.host = fields.host.to_owned();
                self.spawn_identity = SpawnIdentity::of(&fields);
                self.process = Some(start);
            }
            None => {
                let ids = self.location.ids;
                let cause = format!(
                    "rank {} (process {}) has no process block: its times are clock steps from its own start",
                    ids.rank, ids.pid
                );
                self.source.problem(start, cause);
            }
        }
    }

    /// By the index if there is one, else by looking at all blocks.
    fn find_end(&mut self) {
        let Region { start, end } = self.location.region;
        let entries = self
            .location
            .footer
            .and_then(|footer| layout::entries(&self.source, self.location.region, footer));
        // The last of them that the index names is the end block, or stands before it.
        let last = entries
            .into_iter()
            .flatten()
            .filter_map(|entry| match entry {
                Entry::Block { offset, .. } => start.checked_add(offset).filter(|at| *at < end),
                _ => None,
            });
        let is_end = |(_, header): &(u64, Header)| header.kind == kind::END;
        let indexed = last.max().and_then(|start| {
            let mut blocks = Walk::new(&self.source, Region { start, end });
            blocks.find(is_end)
        });
        let Some((at, header)) = indexed.or_else(|| self.blocks().find(is_end)) else {
            return;
        };
        let mut buffer = Vec::new();
        match self.source.payload(at, &header, &mut buffer) {
            Some(payload) => {
                (self.end, self.end_at) = (Some(End::parse(payload)), at);
                self.spawns = Spawn::all(payload).collect();
            }
            None => self.source.problem(at, self.source.cause(at, end)),
        }
    }

    /// Tells how many events are missing, where the end block announces more than these.
    pub(super) fn expect(&self, found: u64) {
        let announced = self.end.map_or(0, |end| end.captured);
        if found < announced {
            let cause = format!(
                "the end block announces {announced} calls, but only {found} are in the part: {} are missing",
                announced - found
            );
            self.source.problem(self.end_at, cause);
        }
    }

    /// Some of its calls stand in another part as well.
    pub(super) fn repeats(&self, other: &Part) {
        let cause = format!(
            "some of its calls may be in {} as well, and count twice; name one of the two",
            other.file().display()
        );
        self.source.problem(self.location.region.start, cause);
    }

    /// The part's blocks, as far as their headers tell.
    pub(super) fn blocks(&self) -> Walk<'_> {
        Walk::new(&self.source, self.location.region)
    }

    /// Sets the clock by the part's own anchors and what is known of its distance to rank 0's.
    pub(super) fn set_clock(&mut self, offset: Option<Offset>) {
        let Some(block) = self.process() else { return };
        let process = block.fields();
        let clock = Clock::new(
            process.start,
            self.end.map(|end| end.end),
            process.rate,
            process.step,
        );
        self.clock = Some(match offset {
            Some(offset) => clock.corrected(offset, self.end_by_own_clock(&process)),
            None => clock,
        });
    }

    /// The end anchor by the process' own clock, on which the offset was measured.
    fn end_by_own_clock(&self, process: &part::Process) -> Nanos {
        let end = self.end.unwrap_or_default().end;
        let elapsed = end.monotonic.saturating_sub(process.start.monotonic);
        Nanos(process.start.realtime.saturating_add(elapsed) as i64)
    }

    /// When the part began, in ns since 1970.
    pub(super) fn began(&self) -> Option<Nanos> {
        Some(self.clock?.nanos(0))
    }

    pub(super) fn set_origin(&mut self, origin: Nanos) {
        self.origin = origin;
    }

    /// Rank in MPI_COMM_WORLD; 0 without MPI. If MPI_Comm_spawn started further ranks, they are counted on: no two ranks of
    /// a trace have the same number.
    pub fn rank(&self) -> u32 {
        self.location.ids.rank.saturating_add(self.before)
    }

    /// Its place in [`super::Trace::parts`].
    pub fn place(&self) -> u32 {
        self.place
    }

    pub(super) fn set_place(&mut self, place: u32) {
        self.place = place;
    }

    /// Ranks that the job has by what this process knew, which says so itself: one that had not heard of its job's size
    /// yet may have heard of its rank.
    pub fn job_ranks(&self, process: Option<&part::Process>) -> u32 {
        let size = process.map_or(0, |process| process.size);
        size.max(self.rank().saturating_add(1))
    }

    /// Rank in MPI_COMM_WORLD, as the process itself knew it.
    pub fn rank_in_world(&self) -> u32 {
        self.location.ids.rank
    }

    /// Whether MPI_Comm_spawn started it, or what started it.
    pub fn is_spawned(&self) -> bool {
        self.spawn_identity.world != 0
    }

    /// The rank whose call of MPI_Comm_spawn started it, where its part is in the trace and says so.
    pub fn spawner(&self) -> Option<u32> {
        self.spawner
    }

    pub(super) fn set_spawner(&mut self, spawner: Option<u32>) {
        self.spawner = spawner;
    }

    pub(super) fn count_from(&mut self, before: u32) {
        self.before = before;
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.location.ids.pid
    }

    /// The node's name.
    pub fn host(&self) -> &[u8] {
        &self.host
    }

    /// The file that the part stands in.
    pub fn file(&self) -> &std::path::Path {
        &self.source.path
    }

    /// Bytes of the part in its file.
    pub fn len(&self) -> u64 {
        self.location.region.end - self.location.region.start
    }

    /// Whether the part has no byte, which no part has.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Who was traced; `None` where that block is damaged.
    pub fn process(&self) -> Option<ProcessBlock> {
        let (at, mut buffer) = (self.process?, Vec::new());
        let header = self.source.header(at, self.location.region.end)?;
        Some(ProcessBlock(
            self.source.payload(at, &header, &mut buffer)?.to_owned(),
        ))
    }

    /// Totals and the end; `None`: the process was killed, or the file is cut off.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Calls of MPI_Comm_spawn that started ranks, in their order.
    pub fn spawns(&self) -> &[Spawn] {
        &self.spawns
    }

    /// When it ended, since the start of the job.
    pub fn ended(&self) -> Option<Nanos> {
        let (end, process) = (self.end?, self.process()?);
        let process = process.fields();
        let step = Step::new(process.start.ticks, process.step);
        Some(self.time(step.steps(end.end.ticks)))
    }

    /// Events in the part: as its footer says, or counted by the headers of its blocks.
    pub fn event_count(&self) -> u64 {
        match self.location.footer {
            Some(footer) => footer.events,
            None => self
                .events_blocks()
                .map(|(_, header)| u64::from(header.count))
                .sum(),
        }
    }

    /// The earliest start and the latest end of its events, since the start of the job, by the headers of its blocks.
    pub fn span(&self) -> Option<(Nanos, Nanos)> {
        let spans = self
            .events_blocks()
            .map(|(_, header)| (header.first, header.last));
        let (first, last) = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        Some((self.time(first), self.time(last)))
    }

    fn events_blocks(&self) -> impl Iterator<Item = (u64, Header)> {
        self.blocks()
            .filter(|(_, header)| header.kind == kind::EVENTS)
    }

    /// Steps of the part's clock as time since the start of the job.
    pub fn time(&self, steps: i64) -> Nanos {
        self.times().at(steps)
    }

    /// What tells times of its clock's steps.
    pub fn times(&self) -> Times {
        match self.clock {
            Some(clock) => Times {
                clock,
                origin: self.origin,
            },
            None => Times {
                clock: Clock::UNKNOWN,
                origin: Nanos(0),
            },
        }
    }

    /// Whose part it is.
    pub fn process_key(&self) -> ProcessKey {
        let block = self.process();
        let fields = block.as_ref().map(ProcessBlock::fields);
        ProcessKey::of(self.pid(), &fields.unwrap_or_default())
    }

    /// Whether it was recorded in this way, see [`crate::part::flavour`].
    pub fn has_flavour(&self, flavour: &[u8]) -> bool {
        let block = self.process();
        block.is_some_and(|block| block.fields().flavour == flavour)
    }

    /// What parts of one process have in common.
    pub fn of_process(&self) -> (u32, u32, Vec<u8>) {
        (self.rank(), self.pid(), self.host.clone())
    }
}
