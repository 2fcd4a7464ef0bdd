//! Which processes are of one run: what they say of themselves decides, not the names of files.

use iota_trace::Nanos;
use iota_trace::block::Ids;
use iota_trace::part::Process;
use iota_trace::read::{Part, Spool};

/// A process by what tells its run
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    key: (u32, Vec<u8>, u64),
    rank: u32,
    size: u32,
    ppid: u32,
    job: Vec<u8>,
    /// When it ended, if that is known
    ended: Option<u64>,
}

impl Member {
    /// Of a spool
    pub fn of_spool(spool: &Spool) -> Member {
        Member::new(spool.process_key(), spool.ids(), &spool.process(), None)
    }

    /// Of a part; `None` where nothing tells whose it is
    pub fn of_part(part: &Part) -> Option<Member> {
        let block = part.process()?;
        let ids = Ids {
            rank: part.rank(),
            pid: part.pid(),
            thread: part.pid(),
        };
        let ended = part.end().map(|end| end.end.realtime);
        Some(Member::new(part.process_key(), ids, &block.fields(), ended))
    }

    fn new(key: (u32, Vec<u8>, u64), ids: Ids, process: &Process, ended: Option<u64>) -> Member {
        Member {
            key,
            rank: ids.rank,
            size: process.size,
            ppid: process.ppid,
            job: process.job.to_owned(),
            ended,
        }
    }

    fn began(&self) -> Nanos {
        Nanos(self.key.2 as i64)
    }

    fn is(&self, other: &Member) -> bool {
        self.key == other.key
    }

    fn is_kin(&self, other: &Member) -> bool {
        let here = self.key.1 == other.key.1;
        here && self.met(other) && (self.ppid == other.key.0 || other.ppid == self.key.0)
    }

    /// Whether they are of one job, as far as they say. Without a batch system a job is named after the launcher of each
    /// node.
    fn is_colleague(&self, other: &Member) -> bool {
        let launched = |one: &Member| one.size > 1 && one.job == one.ppid.to_string().as_bytes();
        let apart = self.key.1 != other.key.1 && self.size == other.size;
        let same = self.job == other.job && !self.job.is_empty();
        self.met(other) && (same || (apart && launched(self) && launched(other)))
    }

    /// Whether they can have lived at the same time.
    fn met(&self, other: &Member) -> bool {
        let before =
            |a: &Member, b: &Member| a.ended.is_some_and(|ended| Nanos(ended as i64) < b.began());
        !before(self, other) && !before(other, self)
    }
}

/// Whether a process is of a run: one of its processes, parent or child of one, or of the same job on a rank of its own
pub fn belongs(run: &[Member], one: &Member) -> bool {
    let known = run.iter().any(|other| one.is(other) || one.is_kin(other));
    let fits = run.iter().all(|other| one.rank != other.rank);
    known || (fits && run.iter().any(|other| one.is_colleague(other)))
}
