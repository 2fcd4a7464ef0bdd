//! The calls that are converted: in order of rank, one after another, or a stretch of ranks on each core with the
//! results in the same order. Memory does not grow with their number.

use crate::progress::Progress;
use crate::text::task::{Call, Task};
use iota_trace::read::{Part, Trace};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, available_parallelism};

/// Pieces of a stretch that wait for those before them
const WAITING: usize = 8;
/// Calls after which progress is told
const STEP: u64 = 1 << 14;

/// A trace, and which of its calls are wanted
pub struct Job<'a> {
    /// All of it, wanted or not
    pub trace: &'a Trace,
    /// Times are those of each node's own clock
    pub raw_clock: bool,
    parts: Vec<&'a Part>,
    wanted: &'a (dyn Fn(&Call) -> bool + Sync),
    progress: &'a Progress,
}

/// Makes pieces of output from calls, on a thread of its own
pub trait Encoder {
    /// What the one who writes takes
    type Piece: Send;

    /// Takes a call
    fn add(&mut self, call: &Call) -> anyhow::Result<()>;

    /// What came together, where that is worth handing on
    fn full(&mut self) -> anyhow::Result<Option<Self::Piece>>;

    /// The rest
    fn rest(self) -> anyhow::Result<Option<Self::Piece>>;
}

/// Parts of neighbouring ranks, all of each
type Stretch<'a> = &'a [&'a Part];

impl<'a> Job<'a> {
    /// All calls of these ranks that are wanted
    pub fn new(
        trace: &'a Trace,
        raw_clock: bool,
        ranks: impl Fn(u32) -> bool,
        wanted: &'a (dyn Fn(&Call) -> bool + Sync),
        progress: &'a Progress,
    ) -> Job<'a> {
        let parts = trace.parts().iter().filter(|part| ranks(part.rank()));
        Job {
            trace,
            raw_clock,
            parts: parts.collect(),
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
            .map(|parts| Job { parts, ..*self })
            .collect()
    }

    /// Every call, those of a rank in order of completion
    pub fn each(&self, mut take: impl FnMut(&Call) -> anyhow::Result<()>) -> anyhow::Result<()> {
        for parts in self.parts.chunk_by(|a, b| a.rank() == b.rank()) {
            self.of_rank(parts, &mut take)?;
        }
        Ok(())
    }

    /// Every call of a rank, which these are the parts of
    fn of_rank(
        &self,
        parts: &[&Part],
        mut take: impl FnMut(&Call) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let (mut task, mut read) = (Task::new(parts), 0);
        while let Some(call) = task.next() {
            if (self.wanted)(&call) {
                take(&call)?;
            }
            read += 1;
            if read == STEP {
                self.progress.add(read);
                read = 0;
            }
        }
        self.progress.add(read);
        Ok(())
    }

    /// Hands `take` the pieces that encoders make of stretches of at least `stretch` calls, in order of rank
    pub fn encode<E: Encoder>(
        &self,
        stretch: u64,
        encoder: impl Fn() -> E + Sync,
        mut take: impl FnMut(E::Piece) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let (work, results) = queues(self.stretches(stretch));
        let (work, stop) = (Mutex::new(work), AtomicBool::new(false));
        thread::scope(|scope| {
            for _ in 0..available_parallelism().map_or(1, NonZero::get) {
                scope.spawn(|| self.work(&work, &stop, &encoder));
            }
            let done = results
                .into_iter()
                .flatten()
                .try_for_each(|piece| take(piece?));
            stop.store(true, Relaxed);
            done
        })
    }

    fn work<E: Encoder>(
        &self,
        work: &Mutex<Work<'_, E::Piece>>,
        stop: &AtomicBool,
        encoder: &impl Fn() -> E,
    ) {
        let next = || work.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some((parts, to)) = next().filter(|_| !stop.load(Relaxed)) {
            if let Err(error) = self.stretch(parts, encoder(), &to) {
                // Who went away wants no word of it.
                let _ = to.send(Err(error));
            }
        }
    }

    fn stretch<E: Encoder>(
        &self,
        parts: Stretch,
        mut encoder: E,
        to: &SyncSender<anyhow::Result<E::Piece>>,
    ) -> anyhow::Result<()> {
        for parts in parts.chunk_by(|a, b| a.rank() == b.rank()) {
            self.of_rank(parts, |call| {
                encoder.add(call)?;
                encoder
                    .full()?
                    .map_or(Ok(()), |piece| to.send(Ok(piece)).map_err(|_| gone()))
            })?;
        }
        let rest = encoder.rest()?;
        rest.map_or(Ok(()), |piece| to.send(Ok(piece)).map_err(|_| gone()))
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
    anyhow::anyhow!("nobody takes the output any more")
}

/// Stretches that nobody has begun, each with where its pieces go
type Work<'a, P> = std::vec::IntoIter<(Stretch<'a>, SyncSender<anyhow::Result<P>>)>;

fn queues<P>(stretches: Vec<Stretch<'_>>) -> (Work<'_, P>, Vec<Receiver<anyhow::Result<P>>>) {
    let queue = |stretch| {
        let (to, from) = sync_channel(WAITING);
        ((stretch, to), from)
    };
    let (work, results): (Vec<_>, Vec<_>) = stretches.into_iter().map(queue).unzip();
    (work.into_iter(), results)
}
