//! Which processes are of one run: what they say of themselves decides, not the names of files.

use iota_trace::block::Ids;
use iota_trace::part::Process;
use iota_trace::read::{Part, ProcessKey, Spool};
use iota_trace::{JobMark, Nanos};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A process by what tells its run
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    key: ProcessKey,
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

    fn new(key: ProcessKey, ids: Ids, process: &Process, ended: Option<u64>) -> Member {
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
        Nanos(self.key.start as i64)
    }

    /// Whether it made the file that begins with this mark
    pub fn made(&self, mark: JobMark) -> bool {
        mark.when >= self.key.start && (mark.pid, mark.ppid) == (self.key.pid, self.ppid)
    }

    /// When it started
    pub fn start(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_nanos(self.key.start)
    }

    fn is(&self, other: &Member) -> bool {
        self.key == other.key
    }

    /// Parent or child; or the same process, before or after an exec
    fn is_kin(&self, other: &Member) -> bool {
        let (me, you) = (self.key.pid, other.key.pid);
        let here = self.key.host == other.key.host;
        let same = me == you && self.ppid == other.ppid;
        here && (same || self.met(other) && (self.ppid == you || other.ppid == me))
    }

    /// Whether they are of one job, as far as they say. Without a batch system a job is named after the launcher of each
    /// node.
    fn is_colleague(&self, other: &Member) -> bool {
        let launched = |one: &Member| one.size > 1 && one.job == one.ppid.to_string().as_bytes();
        let apart = self.key.host != other.key.host && self.size == other.size;
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

/// The processes of a file, if all of them are of a run; one may be so by another one of them
pub fn all_belong(run: &[Member], mut waiting: Vec<Member>) -> Option<Vec<Member>> {
    let (known, mut all) = (run.len(), run.to_vec());
    while let Some(at) = waiting.iter().position(|one| belongs(&all, one)) {
        all.push(waiting.remove(at));
    }
    let whole = waiting.is_empty() && all.len() > known;
    whole.then(|| all.split_off(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(pid: u32, host: &str, start: u64) -> ProcessKey {
        ProcessKey {
            pid,
            host: host.into(),
            start,
            random: 7,
        }
    }

    fn member(pid: u32, host: &str, rank: u32, ppid: u32, job: &str) -> Member {
        Member {
            key: key(pid, host, 1000),
            rank,
            size: 4,
            ppid,
            job: job.into(),
            ended: None,
        }
    }

    #[test]
    fn ranks_of_a_job_belong_together_and_a_second_run_does_not() {
        let run = [member(10, "a", 0, 5, "job"), member(11, "a", 1, 5, "job")];
        assert!(belongs(&run, &member(20, "b", 2, 6, "job")));
        assert!(
            !belongs(&run, &member(20, "b", 1, 6, "job")),
            "rank 1 is there"
        );
        assert!(!belongs(&run, &member(20, "b", 2, 6, "other")));
        let before = Member {
            ended: Some(900),
            ..member(20, "b", 2, 6, "job")
        };
        assert!(!belongs(&run, &before), "it had ended before");
    }

    #[test]
    fn nodes_without_a_batch_system_are_known_by_their_launchers() {
        let run = [member(10, "a", 0, 5, "5")];
        assert!(belongs(&run, &member(20, "b", 2, 6, "6")));
        assert!(
            !belongs(&run, &member(20, "a", 2, 6, "6")),
            "another launch"
        );
    }

    #[test]
    fn children_belong_to_their_parents_in_any_order() {
        let run = [member(12, "a", 0, 11, "12")];
        let (child, parent) = (member(11, "a", 0, 10, "11"), member(10, "a", 0, 1, "10"));
        assert!(!belongs(&run, &parent) && belongs(&run, &child));
        assert!(
            !belongs(&run, &member(11, "b", 0, 10, "11")),
            "on another host"
        );
        let file = vec![parent.clone(), child];
        assert_eq!(all_belong(&run, file).map(|all| all.len()), Some(2));
        let stranger = member(30, "a", 0, 1, "30");
        assert_eq!(all_belong(&run, vec![stranger, parent]), None);
    }

    #[test]
    fn a_program_that_went_on_as_another_one_is_the_same_process() {
        let run = [member(12, "a", 0, 11, "12")];
        let after = Member {
            key: key(12, "a", 2000),
            ..member(12, "a", 0, 11, "12")
        };
        assert!(belongs(&run, &after));
    }
}
