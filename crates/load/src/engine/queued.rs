//! Several transfers of a piece under way at once.

use super::worker::{Over, Worker};
use crate::api::{Direction, Done, Handle, Queue, Transfer};
use crate::options::Test;
use crate::sys;
use std::time::Duration;

/// A transfer under way.
#[derive(Clone, Copy)]
struct Slot {
    operation: u64,
    direction: Direction,
    offset: u64,
    /// Bytes that earlier transfers of the operation moved
    moved: usize,
    start: u64,
    /// When the operation's first transfer began
    begun: u64,
}

impl Worker<'_> {
    /// Keeps as many transfers under way as `-qd` says.
    pub(super) fn queued(&mut self, handle: &dyn Handle) -> Result<(), Over> {
        let depth = self.plan.options.qd as usize;
        let queue = handle.queue(depth);
        let mut queue = queue.map_err(|error| self.call_failed("the queue", None, None, error))?;
        let (mut slots, mut free) = (vec![None; depth], (0..depth).rev().collect::<Vec<_>>());
        let (mut next, mut done) = (0, Vec::with_capacity(depth));
        loop {
            let mut rest = None;
            while !free.is_empty() {
                rest = self.rest(next);
                if rest != Some(0) {
                    break;
                }
                if self.plan.options.op_sync {
                    self.file().in_step.wait();
                }
                let at = free.pop().unwrap_or(0);
                slots[at] = Some(self.begin(&mut *queue, at, next)?);
                next += 1;
            }
            match rest {
                None if free.len() == depth => return self.end(handle),
                Some(rest) if free.len() == depth => {
                    self.pace.sleep_until(self.shared, sys::now() + rest);
                    continue;
                }
                _ => {}
            }
            // Whoever slept meanwhile would see late what has ended, and take the sleep for the time of a transfer.
            let patience = rest.filter(|_| !free.is_empty()).map(Duration::from_nanos);
            let waited = queue.wait(patience, &mut done);
            waited.map_err(|error| self.call_failed("waiting", None, None, error))?;
            self.take(handle, &mut *queue, &mut slots, &mut free, &mut done)?;
        }
    }

    /// How long the next operation has to wait, in ns; `None`: there is none.
    #[inline]
    fn rest(&self, operation: u64) -> Option<u64> {
        if !self.goes_on(operation) {
            return None;
        }
        let due = self.pace.due(operation * self.place.length, operation);
        let Some(due) = due.max(self.pause) else {
            return Some(0);
        };
        let now = sys::now();
        (!self.pace.over(now)).then(|| due.saturating_sub(now))
    }

    fn begin(&mut self, queue: &mut dyn Queue, at: usize, operation: u64) -> Result<Slot, Over> {
        let offset = self.offset(operation);
        let direction = self.plan.direction(self.done.file, operation);
        if direction == Direction::Write && self.plan.options.test != Test::None {
            self.pattern.fill(offset, self.buffer(at));
        }
        let start = sys::now();
        let slot = Slot {
            operation,
            direction,
            offset,
            moved: 0,
            start,
            begun: start,
        };
        self.submit(queue, at, slot)?;
        Ok(slot)
    }

    fn submit(&mut self, queue: &mut dyn Queue, at: usize, slot: Slot) -> Result<(), Over> {
        let rest = &mut self.buffer(at)[slot.moved..];
        let transfer = Transfer {
            direction: slot.direction,
            offset: slot.offset + slot.moved as u64,
            buffer: rest.as_mut_ptr(),
            length: rest.len(),
        };
        // SAFETY: the slot's buffer is not touched before the queue has returned its transfer.
        let begun = unsafe { queue.submit(at, transfer) };
        let extent = Some((transfer.offset, transfer.length));
        begun.map_err(|error| self.call_failed("submitting", Some(slot.operation), extent, error))
    }

    /// Takes down what has ended; what was left undone goes on.
    fn take(
        &mut self,
        handle: &dyn Handle,
        queue: &mut dyn Queue,
        slots: &mut [Option<Slot>],
        free: &mut Vec<usize>,
        done: &mut Vec<Done>,
    ) -> Result<(), Over> {
        let end = sys::now();
        for (at, moved) in done.drain(..) {
            let Some(mut slot) = slots[at] else { continue };
            let buffer = self.buffer(at);
            let extent = (slot.offset + slot.moved as u64, buffer.len() - slot.moved);
            slot.moved += self.ended(
                slot.operation,
                slot.direction,
                extent,
                (slot.start, end),
                moved,
            )?;
            if slot.moved < buffer.len() {
                slot.start = sys::now();
                self.submit(queue, at, slot)?;
                slots[at] = Some(slot);
                continue;
            }
            self.covers(slot.begun);
            self.check(slot.operation, slot.offset, buffer)?;
            slots[at] = None;
            free.push(at);
            if let Some(think) = self.after(handle, slot.operation, slot.direction)? {
                // Each operation has a pause of its own, also if several end together.
                self.pause = Some(self.pause.unwrap_or(0).max(sys::now()) + think);
            }
        }
        Ok(())
    }
}
