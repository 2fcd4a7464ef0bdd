//! One transfer of a piece after another, each with its seek before it.

use super::worker::{Over, Worker, errno};
use crate::api::{Direction, Handle};
use crate::log::{Event, Kind, NOWHERE};
use crate::options::Test;
use crate::sys;

impl Worker<'_> {
    /// One transfer after another.
    pub(super) fn serial(&mut self, handle: &dyn Handle) -> Result<(), Over> {
        let mut operation = 0;
        while self.goes_on(operation) && self.is_due() {
            if self.plan.options.op_sync {
                self.file().in_step.wait();
            }
            let direction = self.plan.direction(self.done.file, operation);
            let offset = self.offset(operation);
            let buffer = self.buffer(0);
            if direction == Direction::Write && self.plan.options.test != Test::None {
                self.pattern.fill(offset, buffer);
            }
            self.atomic(handle, operation, direction, offset, buffer)?;
            self.check(operation, offset, buffer)?;
            if let Some(think) = self.after(handle, operation, direction)?
                && !self.pace.sleep_until(self.shared, sys::now() + think)
            {
                self.latest = sys::now();
            }
            operation += 1;
        }
        self.end(handle)
    }

    /// Waits until the rate allows another operation; says whether there is time left for it.
    fn is_due(&self) -> bool {
        let sum = &self.done.sum;
        let due = self.pace.due(sum.all_bytes(), sum.all_transfers());
        due.is_none_or(|due| self.pace.sleep_until(self.shared, due))
    }

    /// Seek and transfer, under the lock where there is one.
    fn atomic(
        &mut self,
        handle: &dyn Handle,
        operation: u64,
        direction: Direction,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), Over> {
        let locks = self.plan.options.lock_atomic && self.plan.seeks();
        let lock = locks.then(|| self.file().atomic.lock());
        let start = sys::now();
        let mut begun = start;
        if self.plan.seeks() {
            let sought = handle.seek(offset);
            begun = sys::now();
            let seek = Event {
                offset,
                operation: operation as u32,
                errno: errno(sought.as_ref().err()),
                ..Event::new(Kind::Seek, start, begun)
            };
            self.log_part(seek);
            if let Err(error) = sought {
                return Err(self.call_failed(
                    self.plan.api.calls().seek,
                    Some(operation),
                    None,
                    error,
                ));
            }
        }
        self.whole(handle, operation, direction, offset, buffer, begun)?;
        drop(lock);
        if self.plan.seeks() {
            let (end, length) = (self.latest, buffer.len());
            self.done.rates[1].add(length as u64, end - start);
            let (moved, operation) = (length as u32, operation as u32);
            self.log_part(Event {
                offset,
                moved,
                asked: moved,
                operation,
                direction,
                ..Event::new(Kind::AtomicOp, start, end)
            });
        }
        self.covers(start);
        Ok(())
    }

    /// A transfer, again for what it left undone.
    fn whole(
        &mut self,
        handle: &dyn Handle,
        operation: u64,
        direction: Direction,
        offset: u64,
        buffer: &mut [u8],
        begun: u64,
    ) -> Result<(), Over> {
        let (mut done, mut start) = (0, begun);
        while done < buffer.len() {
            let at = if offset == NOWHERE {
                NOWHERE
            } else {
                offset + done as u64
            };
            let rest = &mut buffer[done..];
            let asked = rest.len();
            let moved = match direction {
                Direction::Read => handle.read(rest, at),
                Direction::Write => handle.write(rest, at),
            };
            let end = sys::now();
            done += self.ended(operation, direction, (at, asked), (start, end), moved)?;
            start = end;
        }
        if let Some(position) = &mut self.position {
            *position += buffer.len() as u64;
        }
        Ok(())
    }
}
