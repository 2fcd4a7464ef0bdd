//! The kernel's own count of what the process read and wrote, held against what was recorded. What it counted beyond that went
//! past all hooks: system calls of the program's own, or of the C library itself.

use crate::state::{job, settings};
use crate::sys::{self, Text};
use iota_calls::Layer;
use iota_trace::part::Traffic;

/// A forked child writes what its parent's streams held: so many bytes of it are not called unseen.
const INHERITED: u64 = 64 << 10;

/// What was counted when recording began.
#[derive(Clone, Copy)]
struct StartCount {
    process: Traffic,
    /// The thread that began it, and what it alone had done.
    thread: (u32, Traffic),
    own: Traffic,
    children: u64,
    is_fork: bool,
}

/// The count, from the start of recording on.
#[derive(Clone, Copy)]
pub struct KernelCount {
    base: Option<StartCount>,
    /// What earlier parts of the process say.
    taken: Traffic,
    /// What was counted when the tracer began to use somebody else's code, less its own.
    silenced: Option<Traffic>,
    /// What that code did.
    silent: Traffic,
}

impl KernelCount {
    const NOTHING: Traffic = Traffic {
        read: 0,
        reads: 0,
        written: 0,
        writes: 0,
    };

    /// Nothing is counted.
    pub const NONE: KernelCount = KernelCount {
        base: None,
        taken: KernelCount::NOTHING,
        silenced: None,
        silent: KernelCount::NOTHING,
    };

    /// Recording begins.
    pub fn start(&mut self) {
        *self = KernelCount {
            base: StartCount::now(),
            ..KernelCount::NONE
        };
    }

    /// From now on what the process does is the tracer's doing.
    pub fn silence(&mut self) {
        self.silenced = self.base.and_then(|base| base.counted());
    }

    /// It is the program's again.
    pub fn resume(&mut self) {
        self.add_silent();
        self.silenced = None;
    }

    /// What was done meanwhile is the tracer's.
    fn add_silent(&mut self) {
        let now = self.silenced.and_then(|_| self.base?.counted());
        if let (Some(before), Some(now)) = (self.silenced, now) {
            self.silent = self.silent.plus(now.minus(before));
            self.silenced = Some(now);
        }
    }

    /// What the kernel counted beyond what `threads` recorded, and those that have `ended`, since this was last asked. None where
    /// the two cannot be compared.
    #[inline(never)]
    pub fn take_unseen(
        &mut self,
        ended: Traffic,
        threads: impl Iterator<Item = (u32, Traffic)> + Clone,
    ) -> Option<Traffic> {
        // A part may end while the ranks gather.
        self.add_silent();
        let base = self.base.as_ref()?;
        let own = sys::own_traffic().minus(base.own);
        let (counted, recorded) = if sys::children_waited_for() == base.children {
            let process = sys::traffic(c"/proc/self/io")?;
            let all = threads.fold(ended, |sum, (_, recorded)| sum.plus(recorded));
            (process.minus(base.process), all)
        } else {
            base.living(threads)
        };
        if counted.reads == 0 && counted.writes == 0 && recorded != KernelCount::NOTHING {
            // A kernel that has the file, and counts nothing.
            return None;
        }
        let mut unseen = counted.minus(own).minus(self.silent).minus(recorded);
        if base.is_fork {
            unseen.written = unseen.written.saturating_sub(INHERITED);
        }
        let news = unseen.minus(self.taken);
        self.taken = self.taken.plus(news);
        Some(news)
    }
}

impl StartCount {
    /// None where calls are left out by the user's wish: then more is counted than recorded.
    #[inline(never)]
    fn now() -> Option<StartCount> {
        let settings = settings::get();
        let layers = 1 << Layer::Posix as u16 | 1 << Layer::Stdio as u16;
        if settings.left_out & layers != 0
            || !settings.files.is_empty()
            || !settings.exclude.is_empty()
        {
            return None;
        }
        let (own, children) = (sys::own_traffic(), sys::children_waited_for());
        let process = sys::traffic(c"/proc/self/io")?;
        // Without children and other threads the process has done what its thread has.
        let thread = match children {
            0 => process,
            _ => sys::traffic(c"/proc/thread-self/io")?,
        };
        Some(StartCount {
            process,
            thread: (sys::thread_id(), thread),
            own,
            children,
            is_fork: job::is_forked(),
        })
    }

    /// What was counted of the process since, less the tracer's own.
    #[inline(never)]
    fn counted(&self) -> Option<Traffic> {
        let own = sys::own_traffic().minus(self.own);
        let process = sys::traffic(c"/proc/self/io")?;
        Some(process.minus(self.process).minus(own))
    }

    /// What was counted of the threads that live, and what they recorded: the process' own counters have its children's now.
    fn living(&self, threads: impl Iterator<Item = (u32, Traffic)> + Clone) -> (Traffic, Traffic) {
        let mut all = (KernelCount::NOTHING, KernelCount::NOTHING);
        for (nth, (thread, recorded)) in threads.clone().enumerate() {
            // A state that was left may have the number of a thread that came later.
            let is_known = threads.clone().take(nth).any(|(other, _)| other == thread);
            let counted = (!is_known).then(|| of_thread(thread)).flatten();
            if let Some(counted) = counted {
                let before = match thread == self.thread.0 {
                    true => self.thread.1,
                    false => KernelCount::NOTHING,
                };
                all.0 = all.0.plus(counted.minus(before));
            }
            if is_known || counted.is_some() {
                all.1 = all.1.plus(recorded);
            }
        }
        all
    }
}

fn of_thread(number: u32) -> Option<Traffic> {
    let mut path = Text::<48>::EMPTY;
    path.push(b"/proc/self/task/").push_number(number.into());
    sys::traffic(path.push(b"/io").c_str())
}
