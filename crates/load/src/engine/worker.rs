//! A thread: one piece of one file, from its open to its close.

use super::failure::{Cause, Failure};
use super::pace::RateLimit;
use super::scheduling::{self, Observed};
use super::shared::{Shared, SharedFile};
use crate::api::{Direction, Handle};
use crate::log::{self, Event, Kind, NOWHERE, Span};
use crate::options::{Fsync, Log, Test};
use crate::pattern::Pattern;
use crate::plan::{Piece, Plan};
use crate::stats::{Rates, Sum};
use crate::sys;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// What a thread did.
#[derive(Debug)]
pub struct Worked {
    /// The file, from 0.
    pub file: u32,
    /// The piece, from 0.
    pub piece: u32,
    /// Its descriptor, -1 for none.
    pub fd: i32,
    /// What it logged, in the order of ends.
    pub events: Vec<Event>,
    /// Calls that it did not log.
    pub unlogged: u64,
    /// When the file was opened for the piece.
    pub opened: Option<Span>,
    /// From its first seek or transfer to its last.
    pub worked: Option<Span>,
    /// When the file was closed for the piece.
    pub closed: Option<Span>,
    /// What it moved.
    pub sum: Sum,
    /// Rates of transfers, and of seeks with them.
    pub rates: [Rates; 2],
    /// Why it ended before its time.
    pub failure: Option<Failure>,
    /// What the system says of its scheduling.
    pub observed: Observed,
}

pub struct Worker<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) plan: &'a Plan,
    pub(super) place: Piece,
    pub(super) pattern: Pattern,
    pub(super) pace: RateLimit,
    pub(super) done: Worked,
    /// What is read is held against this.
    room: Vec<u8>,
    /// The position of a descriptor that does not seek, where it is known.
    pub(super) position: Option<u64>,
    logs_transfers: bool,
    written: u64,
    pub(super) latest: u64,
    /// When the pause after operations is over.
    pub(super) pause: Option<u64>,
    number: usize,
}

/// The load is over for this thread: it failed, and has said so.
pub struct Over;

impl<'a> Worker<'a> {
    pub fn new(shared: &'a Shared<'a>, number: usize) -> Worker<'a> {
        let plan = shared.plan;
        let (file, piece) = (number / plan.pieces.len(), number % plan.pieces.len());
        let place = plan.pieces[piece];
        let testing = plan.options.test != Test::None;
        let known = !plan.options.share || plan.pieces.len() == 1;
        Worker {
            shared,
            plan,
            place,
            pattern: plan.pattern(file as u32),
            pace: RateLimit::new(&plan.options, plan.threads(), 0),
            done: Worked {
                file: file as u32,
                piece: piece as u32,
                fd: -1,
                events: Vec::with_capacity(plan.events() as usize),
                unlogged: 0,
                opened: None,
                worked: None,
                closed: None,
                sum: Sum::default(),
                rates: [Rates::NONE; 2],
                failure: None,
                observed: scheduling::set(&plan.options),
            },
            room: vec![0; if testing { place.length as usize } else { 0 }],
            position: known.then_some(0),
            logs_transfers: plan.options.logged() == Log::All,
            written: 0,
            latest: 0,
            pause: None,
            number,
        }
    }

    /// All of it. Whatever fails, the other pieces of the file are not left waiting.
    pub fn run(mut self) -> Worked {
        self.fill();
        self.shared.start.wait();
        let began = self.shared.began.load(Relaxed);
        self.pace = RateLimit::new(&self.plan.options, self.plan.threads(), began);
        let handle = if self.shared.is_stopped() {
            None
        } else {
            self.open()
        };
        self.file().barrier.wait();
        let handle = handle.or_else(|| self.file().handle.get().cloned());
        if let Some(handle) = &handle {
            self.done.fd = handle.fd();
            let _ = if self.plan.api.queued() {
                self.queued(&**handle)
            } else {
                self.serial(&**handle)
            };
        }
        self.shared.done();
        self.file().in_step.leave();
        self.file().barrier.wait();
        if let Some(handle) = handle {
            self.close(&*handle);
        }
        self.done
    }

    /// Buffers are touched, and hold something, before the clock runs.
    fn fill(&mut self) {
        for slot in 0..self.plan.options.qd as usize {
            let buffer = self.buffer(slot);
            self.pattern.fill(self.place.start, buffer);
        }
    }

    pub(super) fn file(&self) -> &'a SharedFile {
        &self.shared.files[self.done.file as usize]
    }

    pub(super) fn buffer(&self, slot: usize) -> &'a mut [u8] {
        // SAFETY: this thread alone has this piece; a slot's slice is used until its transfer has ended, then anew.
        unsafe { self.file().buffer.piece(slot, self.place) }
    }

    fn open(&mut self) -> Option<Arc<dyn Handle>> {
        if self.plan.options.share && self.done.piece > 0 {
            return None;
        }
        let path = &self.plan.paths[self.done.file as usize];
        let start = sys::now();
        let handle = self.plan.api.open(&self.plan.open(path));
        let end = sys::now();
        self.done.opened = Some(Span { start, end });
        let failed = handle.as_ref().err();
        self.log(Event {
            errno: errno(failed),
            ..Event::new(Kind::Open, start, end)
        });
        match handle {
            Ok(handle) => {
                let handle: Arc<dyn Handle> = handle.into();
                if self.plan.options.share {
                    let _ = self.file().handle.set(handle.clone());
                }
                Some(handle)
            }
            Err(error) => {
                self.call_failed(self.plan.api.calls().open, None, None, error);
                None
            }
        }
    }

    /// Whether there is another operation, as far as is known now.
    #[inline]
    pub(super) fn goes_on(&self, operation: u64) -> bool {
        self.plan.nops.is_none_or(|all| operation < all)
            && !self.shared.is_stopped()
            && !self.pace.over(self.latest)
    }

    /// Where the piece goes; [`NOWHERE`] where it is not known.
    pub(super) fn offset(&self, operation: u64) -> u64 {
        match self.plan.options.noseek {
            false => self.plan.offset(operation) + self.place.start,
            true => self.position.unwrap_or(NOWHERE),
        }
    }

    /// Takes down a transfer that has ended; how many bytes it moved.
    #[inline]
    pub(super) fn ended(
        &mut self,
        operation: u64,
        direction: Direction,
        extent: (u64, usize),
        times: (u64, u64),
        moved: io::Result<usize>,
    ) -> Result<usize, Over> {
        let ((offset, asked), (start, end)) = (extent, times);
        let count = *moved.as_ref().unwrap_or(&0);
        self.latest = end;
        self.log_part(Event {
            offset,
            moved: count as u32,
            asked: asked as u32,
            operation: operation as u32,
            errno: errno(moved.as_ref().err()),
            direction,
            ..Event::new(Kind::Op, start, end)
        });
        match moved {
            Ok(0) => {
                return Err(self.fail(
                    Some(operation),
                    Cause::Ended {
                        call: self.call(direction),
                        offset,
                        length: asked,
                    },
                ));
            }
            Err(error) => {
                return Err(self.call_failed(
                    self.call(direction),
                    Some(operation),
                    Some(extent),
                    error,
                ));
            }
            Ok(_) => {}
        }
        self.done.sum.add(direction, count as u64, end - start);
        self.done.rates[0].add(count as u64, end - start);
        let progress = &self.shared.progress[self.number];
        progress.bytes.store(self.done.sum.all_bytes(), Relaxed);
        progress
            .transfers
            .store(self.done.sum.all_transfers(), Relaxed);
        Ok(count)
    }

    /// The piece's work reaches from its first start to the latest end.
    #[inline]
    pub(super) fn covers(&mut self, start: u64) {
        let end = self.latest;
        let worked = self.done.worked.get_or_insert(Span { start, end });
        worked.end = end;
    }

    /// The self-test: of what was read, and of what was written, which no interface may change.
    pub(super) fn check(&mut self, operation: u64, offset: u64, buffer: &[u8]) -> Result<(), Over> {
        match self.pattern.check(offset, buffer, &mut self.room) {
            None => Ok(()),
            Some(mismatch) => Err(self.fail(Some(operation), Cause::Mismatch(mismatch))),
        }
    }

    /// What comes between operations; says how long the pause is that is to follow, in ns.
    #[inline]
    pub(super) fn after(
        &mut self,
        handle: &dyn Handle,
        operation: u64,
        direction: Direction,
    ) -> Result<Option<u64>, Over> {
        if direction == Direction::Write {
            self.written += 1;
            if let Fsync::Every(n) = self.plan.options.fsync
                && self.written.is_multiple_of(n)
            {
                self.sync(handle, Some(operation))?;
            }
        }
        let is_last = self.plan.nops == Some(operation + 1);
        Ok(self.pace.think().filter(|_| !is_last))
    }

    /// What comes after the last operation.
    pub(super) fn end(&mut self, handle: &dyn Handle) -> Result<(), Over> {
        match self.plan.options.fsync {
            Fsync::End if self.written > 0 => self.sync(handle, None),
            _ => Ok(()),
        }
    }

    fn sync(&mut self, handle: &dyn Handle, operation: Option<u64>) -> Result<(), Over> {
        let data_only = self.plan.options.fdatasync;
        let start = sys::now();
        let synced = handle.sync(data_only);
        let end = sys::now();
        let number = operation.map_or(log::NONE, |operation| operation as u32);
        self.log(Event {
            operation: number,
            errno: errno(synced.as_ref().err()),
            ..Event::new(Kind::Fsync, start, end)
        });
        self.latest = end;
        synced.map_err(|error| {
            let call = self.plan.api.calls().sync[usize::from(data_only)];
            self.call_failed(call, operation, None, error)
        })
    }

    fn close(&mut self, handle: &dyn Handle) {
        if self.plan.options.share && self.done.piece > 0 {
            return;
        }
        let start = sys::now();
        let closed = handle.close();
        let end = sys::now();
        self.done.closed = Some(Span { start, end });
        self.log(Event {
            errno: errno(closed.as_ref().err()),
            ..Event::new(Kind::Close, start, end)
        });
        if let Err(error) = closed {
            self.call_failed(self.plan.api.calls().close, None, None, error);
        }
    }

    #[inline]
    fn log(&mut self, event: Event) {
        if self.plan.options.logged() == Log::Off {
            self.done.unlogged += 1;
        } else {
            self.done.events.push(event);
        }
    }

    /// Logs a seek, a transfer or both, where transfers are logged.
    #[inline]
    pub(super) fn log_part(&mut self, event: Event) {
        if self.logs_transfers {
            self.done.events.push(event);
        } else if event.kind != Kind::AtomicOp {
            self.done.unlogged += 1;
        }
    }

    fn call(&self, direction: Direction) -> &'static str {
        let calls = self.plan.api.calls();
        if direction == Direction::Read {
            calls.read
        } else {
            calls.write
        }
    }

    #[cold]
    pub(super) fn call_failed(
        &mut self,
        call: &'static str,
        operation: Option<u64>,
        extent: Option<(u64, usize)>,
        error: io::Error,
    ) -> Over {
        self.fail(
            operation,
            Cause::Call {
                call,
                extent,
                error,
            },
        )
    }

    /// The first failure is reported; all threads stop.
    #[cold]
    fn fail(&mut self, operation: Option<u64>, cause: Cause) -> Over {
        self.shared.stop();
        let path = self.plan.paths[self.done.file as usize].clone();
        let piece = self.done.piece;
        self.done.failure.get_or_insert(Failure {
            path,
            piece,
            operation,
            cause,
        });
        Over
    }
}

pub(super) fn errno(error: Option<&io::Error>) -> u16 {
    error.map_or(0, |error| error.raw_os_error().unwrap_or(libc::EIO) as u16)
}
