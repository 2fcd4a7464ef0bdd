//! What is kept of functions, files, tasks and threads.

use super::extents::{Overlapping, Shares};
use super::histogram::Histogram;
use super::library_share::LibraryShare;
use super::packed::Packed;
use super::tally::{Tally, TimeCategory};
use super::touched::Touched;
use crate::sums::add;
use crate::{Call, Function, Run, TaskId};
use iota_calls::Layer;
use serde::{Deserialize, Serialize};

/// What all calls of a function did.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OpStat {
    /// Calls that succeeded or failed.
    pub calls: u64,
    /// Those that failed.
    pub failed: u64,
    /// Time of all, in ns, whether other calls enclosed them or not.
    pub time: u64,
    /// Time of those that the thread waited for and no other call encloses.
    pub waited: u64,
    /// Bytes read and written.
    pub bytes: [u64; 2],
    /// How long calls took, in ns.
    pub latencies: Histogram,
    /// Bytes that each moved, of those that moved any: a read at the end of a file moves none, nor does a flush.
    pub sizes: Option<Histogram>,
    /// The longest call: its task and start.
    pub longest: (TaskId, i64),
    /// What its time goes into; `None` of what is no I/O, and of layers above descriptors and streams.
    pub class: Option<TimeCategory>,
    /// Whether it is of C streams, whose buffers decide what reaches the kernel.
    pub of_streams: bool,
}

impl OpStat {
    /// Of a function that no call was seen of.
    pub(super) fn of(function: &Function) -> OpStat {
        OpStat {
            class: function.class.filter(|_| function.is_io),
            of_streams: function.layer == Layer::Stdio as u8,
            ..OpStat::default()
        }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, call: &Call, elapse: u64) {
        self.calls += 1;
        self.failed += u64::from(call.failed());
        add(&mut self.time, elapse);
        if call.is_waited_for() {
            add(&mut self.waited, elapse);
        }
        if elapse > self.latencies.max {
            self.longest = (call.process.task, call.start);
        }
        self.latencies.add(elapse);
        if call.is_transfer() {
            let (read, written) = (call.moved.read, call.moved.written);
            add(&mut self.bytes[0], read);
            add(&mut self.bytes[1], written);
            self.add_sizes(read.max(written), 1);
        }
    }

    /// Transfers that are alike; returns the time of all.
    pub(super) fn run(&mut self, run: &Run) -> u64 {
        let (first, count) = (&run.first, run.count());
        let mut time = 0;
        for (&(start, _), elapse) in run.times.iter().zip(run.elapses()) {
            add(&mut time, elapse);
            if elapse > self.latencies.max {
                self.longest = (first.process.task, start);
            }
            self.latencies.add(elapse);
        }
        self.calls += count;
        self.failed += count * u64::from(first.failed());
        add(&mut self.time, time);
        if first.is_waited_for() {
            add(&mut self.waited, time);
        }
        let (read, written) = (first.moved.read, first.moved.written);
        add(&mut self.bytes[0], count.saturating_mul(read));
        add(&mut self.bytes[1], count.saturating_mul(written));
        self.add_sizes(read.max(written), count);
        time
    }

    #[inline(always)]
    fn add_sizes(&mut self, moved: u64, count: u64) {
        if moved != 0 {
            let sizes = self.sizes.get_or_insert_default();
            sizes.add_several(moved, count);
        }
    }

    pub(super) fn merge(&mut self, more: &OpStat) {
        self.calls += more.calls;
        self.failed += more.failed;
        add(&mut self.time, more.time);
        add(&mut self.waited, more.waited);
        add(&mut self.bytes[0], more.bytes[0]);
        add(&mut self.bytes[1], more.bytes[1]);
        if more.latencies.max > self.latencies.max {
            self.longest = more.longest;
        }
        self.latencies.merge(&more.latencies);
        match (&mut self.sizes, &more.sizes) {
            (Some(to), Some(from)) => to.merge(from),
            (to @ None, from) => to.clone_from(from),
            (Some(_), None) => {}
        }
    }
}

/// What all tasks did with a file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FileStat {
    /// Sums.
    pub tally: Tally,
    /// Tasks that used it.
    pub tasks: u32,
    /// The first and the last of them.
    pub span: (TaskId, TaskId),
    /// The task whose process moved most bytes, and how many.
    pub most: (TaskId, u64),
    /// The task whose process opened it most often, and how often.
    pub opener: (TaskId, u64),
    read: Shares,
    written: Shares,
}

impl FileStat {
    /// A task uses it, which is no lower than those before.
    pub(super) fn used_by(&mut self, task: TaskId) {
        self.tasks += u32::from(self.tasks == 0 || self.span.1 != task);
        self.span = (if self.tasks == 1 { task } else { self.span.0 }, task);
    }

    /// Takes in all calls of a process of a task.
    pub(super) fn take(&mut self, task: TaskId, tally: Tally, touched: [Touched; 2], most: usize) {
        self.record(task, tally.all_bytes(), tally.opens);
        self.tally.merge(&tally);
        let [read, written] = touched;
        self.read.take(read, task, most);
        self.written.take(written, task, most);
    }

    fn record(&mut self, task: TaskId, bytes: u64, opens: u64) {
        if bytes > self.most.1 {
            self.most = (task, bytes);
        }
        if opens > self.opener.1 {
            self.opener = (task, opens);
        }
    }

    /// Takes in what later tasks did, the first of which may be the last one here.
    pub(super) fn merge(&mut self, more: FileStat, most: usize) {
        self.tasks += more.tasks - u32::from(self.span.1 == more.span.0);
        self.span.1 = more.span.1;
        self.record(more.most.0, more.most.1, 0);
        self.record(more.opener.0, 0, more.opener.1);
        self.tally.merge(&more.tally);
        self.read.merge(more.read, most);
        self.written.merge(more.written, most);
    }

    /// Bytes of the file that were read or written at known places, however often; no fewer where it is not known exactly.
    pub(super) fn distinct(&self, class: TimeCategory) -> u64 {
        let shares = if class == TimeCategory::Read {
            &self.read
        } else {
            &self.written
        };
        shares.distinct()
    }

    /// Bytes that several tasks wrote.
    pub fn overwritten(&self) -> Overlapping {
        self.written.overlapping()
    }

    /// Bytes that one task wrote and another one read.
    pub fn exchanged(&self) -> Overlapping {
        self.written.between(&self.read)
    }
}

/// What all processes of a task did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskStat {
    /// Sums.
    pub tally: Packed<Tally>,
    /// Time in which at least one of its threads was in an outermost I/O call, in ns.
    pub busy: u64,
    /// Processes that belong to the task.
    pub processes: u64,
    /// Threads of these that made calls.
    pub threads: u64,
    /// Files that its processes used, each as often as processes used it.
    pub files: u64,
    /// Calls of libraries, and what is below them.
    pub(super) library_share: LibraryShare,
}

impl TaskStat {
    pub(super) fn merge(&mut self, more: &TaskStat, duration: i64) {
        self.tally.change(|tally| tally.merge(&more.tally.get()));
        self.busy = self
            .busy
            .saturating_add(more.busy)
            .min(duration.max(0) as u64);
        self.processes += more.processes;
        self.threads += more.threads;
        self.files += more.files;
        self.library_share.merge(&more.library_share);
    }
}

/// What a thread did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadStat {
    /// Its process' rank.
    pub rank: u32,
    /// The id of its process.
    pub pid: u32,
    /// Its number there.
    pub thread: u32,
    /// Sums.
    pub tally: Packed<Tally>,
}
