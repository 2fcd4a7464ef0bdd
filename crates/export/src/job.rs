//! The calls that are converted: in order of rank, one after another, or a stretch of ranks on each core with the
//! results in the same order. Memory does not grow with their number.

use super::pieces::{Making, Piece, Pieces};
use crate::task::{self, Task};
use iota_analysis::filter::Bound;
use iota_analysis::{self as analysis, CallDetails, FileId, Ids, ObjectId, Process, Site, SiteId};
use iota_trace::read::Part;
use iota_trace::text::Line;
use std::borrow::Cow;
use std::num::NonZero;
use std::thread::{self, available_parallelism};

/// Bytes of pieces that wait for those before them, for each thread: two row groups of Parquet, which are the largest
const WAITING: usize = 32 << 20;
/// Calls after which progress is shown
const STEP: u64 = 1 << 14;

/// A trace, and which of its calls are wanted
#[derive(Clone)]
pub struct Job<'a> {
    /// All of it, wanted or not
    pub all: &'a analysis::Job<'a>,
    /// Times are those of each node's own clock
    pub raw_clock: bool,
    /// Those with calls that may be wanted
    parts: Vec<&'a Part>,
    wanted: &'a Bound,
    progress: &'a (dyn Fn(u64) + Sync),
}

/// A call, and what its numbers stand for
pub struct Row<'r> {
    /// The call with its times in the job
    pub call: analysis::Call<'r>,
    /// The part that the call is in
    pub part: &'r Part,
    job: &'r analysis::Job<'r>,
    said: &'r task::Call<'r, PartContext<'r>>,
}

/// What all calls of a part share
pub(crate) struct PartContext<'a> {
    process: Process,
    ids: Cow<'a, Ids>,
}

impl<'r> Row<'r> {
    /// A path of the job
    pub fn path(&self, file: FileId) -> &'r [u8] {
        self.job.files.path(file)
    }

    /// The function and line of the program that made the call, on one line
    pub fn site(&self, site: SiteId) -> String {
        self.job
            .sites
            .get(site)
            .map_or_else(String::new, Site::name)
    }

    /// The name of a dataset, variable or attribute
    pub fn object(&self, object: ObjectId) -> &'r [u8] {
        self.job.objects.name(object)
    }

    /// The number of its file's layout on Lustre; 0: it has none
    pub fn layout(&self) -> u32 {
        self.said.source.known.ids.layout(self.call.event.file)
    }

    /// What it says beyond its record
    pub fn details(&self) -> CallDetails<'_> {
        CallDetails::new(&self.said.timed.details, &self.said.source.known.ids)
    }

    /// A number of a call of MPI-IO that it says beyond its record; 0: none
    pub fn mpi(&self, field: &[u8]) -> u64 {
        match self.said.timed.details[..] {
            [] => 0,
            _ => self
                .details()
                .form(b"mpiio")
                .map_or(0, |fields| fields.number(field)),
        }
    }

    /// As `iota text` prints it, or `iota text -v`
    pub fn line(&self, verbose: bool) -> Line<'_> {
        self.said.line(verbose)
    }
}

/// Makes pieces of output from calls, on a thread of its own
pub trait Encoder {
    /// What the writing thread receives
    type Piece: Piece;

    /// Takes a call
    fn add(&mut self, row: &Row) -> anyhow::Result<()>;

    /// The calls so far as a piece, once they are enough for one
    fn full(&mut self) -> anyhow::Result<Option<Self::Piece>>;

    /// The last piece, if calls are left
    fn rest(self) -> anyhow::Result<Option<Self::Piece>>;
}

/// Parts of neighbouring ranks, all of each
type Stretch<'a> = &'a [&'a Part];

impl<'a> Job<'a> {
    /// All calls of these ranks that are wanted
    pub fn new(
        all: &'a analysis::Job<'a>,
        raw_clock: bool,
        ranks: impl Fn(u32) -> bool,
        wanted: &'a Bound,
        progress: &'a (dyn Fn(u64) + Sync),
    ) -> Job<'a> {
        let may = |part: &&Part| ranks(part.rank()) && wanted.process(&all.process(part.place()));
        Job {
            parts: all.trace.parts().iter().filter(may).collect(),
            all,
            raw_clock,
            wanted,
            progress,
        }
    }

    /// The processes
    pub fn parts(&self) -> &[&'a Part] {
        &self.parts
    }

    /// Calls, as the trace counts them
    pub fn calls(&self) -> u64 {
        self.parts.iter().map(|part| part.event_count()).sum()
    }

    /// In as many jobs of neighbouring ranks as there are ranks, at most `n`, of about as many calls each
    pub fn shards(&self, n: usize) -> Vec<Job<'a>> {
        let each = self.calls().div_ceil(n.max(1) as u64).max(1);
        let mut shards: Vec<Vec<&Part>> = Vec::new();
        let (mut before, mut last) = (0, None);
        for of_rank in self.parts.chunk_by(|a, b| a.rank() == b.rank()) {
            let place = (before / each).min(n as u64 - 1);
            match shards.last_mut() {
                Some(shard) if last == Some(place) => shard.extend(of_rank),
                _ => shards.push(of_rank.to_vec()),
            }
            last = Some(place);
            before += of_rank.iter().map(|part| part.event_count()).sum::<u64>();
        }
        shards
            .into_iter()
            .map(|parts| Job {
                parts,
                ..self.clone()
            })
            .collect()
    }

    /// Every call, those of a rank in order of completion
    pub(crate) fn each(
        &self,
        mut take: impl FnMut(&Row) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        for parts in self.ranks() {
            self.of_rank(parts, &mut take)?;
        }
        Ok(())
    }

    /// The parts of each rank
    pub(crate) fn ranks(&self) -> impl Iterator<Item = &[&'a Part]> {
        self.parts.chunk_by(|a, b| a.rank() == b.rank())
    }

    /// Every call of a rank, which these are the parts of
    pub(crate) fn of_rank(
        &self,
        parts: &[&Part],
        mut take: impl FnMut(&Row) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let know = |part| self.known(part);
        let (mut task, mut read) = (Task::knowing(parts, &know), 0);
        while let Some(said) = task.next_call() {
            let row = self.row(&said);
            if self.wanted.call(&row.call) {
                take(&row)?;
            }
            read += 1;
            if read == STEP {
                (self.progress)(read);
                read = 0;
            }
        }
        (self.progress)(read);
        Ok(())
    }

    /// The same once more, which is no progress
    pub(crate) fn again(
        &self,
        parts: &[&Part],
        take: impl FnMut(&Row) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let silent = Job {
            progress: &|_| (),
            ..self.clone()
        };
        silent.of_rank(parts, take)
    }

    fn known(&self, part: &Part) -> PartContext<'a> {
        let process = self.all.process(part.place());
        let ids = self.all.ids(process.part);
        PartContext { process, ids }
    }

    fn row<'r>(&'r self, said: &'r task::Call<'r, PartContext<'r>>) -> Row<'r> {
        let task::Call { source, timed, .. } = said;
        let (event, PartContext { process, ids }) = (&timed.event, &source.known);
        let during = (timed.start.0, timed.end.0);
        let call = self.all.timed(during, process, ids, event);
        let call = self.all.detailed(call, ids, &timed.details);
        Row {
            call,
            part: source.part,
            job: self.all,
            said,
        }
    }

    /// Hands `take` the pieces that encoders make of stretches of at least `stretch` calls, in order of rank; `encoder` is
    /// given which stretch
    pub(crate) fn encode<E: Encoder>(
        &self,
        stretch: u64,
        encoder: impl Fn(usize) -> E + Sync,
        mut take: impl FnMut(E::Piece) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let stretches = self.stretches(stretch);
        let threads = available_parallelism().map_or(1, NonZero::get);
        let pieces = Pieces::new(stretches.len(), threads * WAITING);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(making) = pieces.begin() {
                        let encoder = encoder(making.number);
                        if let Err(error) = self.stretch(stretches[making.number], encoder, &making)
                        {
                            // Who went away wants no word of it.
                            making.put(Err(error));
                        }
                    }
                });
            }
            let mut each = std::iter::from_fn(|| pieces.take());
            let done = each.try_for_each(|piece| take(piece?));
            pieces.end();
            done
        })
    }

    fn stretch<E: Encoder>(
        &self,
        parts: Stretch,
        mut encoder: E,
        making: &Making<anyhow::Result<E::Piece>>,
    ) -> anyhow::Result<()> {
        let put = |piece| match making.put(Ok(piece)) {
            true => Ok(()),
            false => Err(gone()),
        };
        for parts in parts.chunk_by(|a, b| a.rank() == b.rank()) {
            self.of_rank(parts, |row| {
                encoder.add(row)?;
                encoder.full()?.map_or(Ok(()), put)
            })?;
        }
        encoder.rest()?.map_or(Ok(()), put)
    }

    /// Stretches of whole ranks
    fn stretches(&self, calls: u64) -> Vec<Stretch<'_>> {
        let (mut stretches, mut start, mut count) = (Vec::new(), 0, 0);
        for (at, part) in self.parts.iter().enumerate() {
            let begins = at > 0 && self.parts[at - 1].rank() != part.rank();
            if begins && count >= calls {
                stretches.push(&self.parts[start..at]);
                (start, count) = (at, 0);
            }
            count += part.event_count();
        }
        stretches.push(&self.parts[start..]);
        stretches
    }
}

fn gone() -> anyhow::Error {
    anyhow::anyhow!("the output was closed early")
}
