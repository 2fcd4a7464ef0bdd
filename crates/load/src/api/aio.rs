//! POSIX AIO: aio_read, aio_write, aio_suspend, aio_return.

use super::{Api, Calls, Direction, Done, Handle, Open, Queue, Transfer, descriptor, moved};
use crate::sys;
use std::io;
use std::mem::MaybeUninit;
use std::time::Duration;

/// The interface.
pub struct Aio;

struct AioFile(i32);

impl Api for Aio {
    fn name(&self) -> &'static str {
        "aio"
    }

    fn calls(&self) -> Calls {
        Calls {
            open: "open",
            seek: "",
            read: "aio_read",
            write: "aio_write",
            sync: ["fsync", "fdatasync"],
            close: "close",
        }
    }

    fn queued(&self) -> bool {
        true
    }

    fn open(&self, open: &Open) -> io::Result<Box<dyn Handle>> {
        Ok(Box::new(AioFile(descriptor::open(open)?)))
    }
}

impl Handle for AioFile {
    fn fd(&self) -> i32 {
        self.0
    }

    fn sync(&self, data_only: bool) -> io::Result<()> {
        descriptor::sync(self.0, data_only)
    }

    fn close(&self) -> io::Result<()> {
        descriptor::close(self.0)
    }

    fn queue(&self, depth: usize) -> io::Result<Box<dyn Queue>> {
        // SAFETY: zero is valid for a control block, and means no notification by signal once SIGEV_NONE is set.
        let control = || unsafe { MaybeUninit::<libc::aiocb>::zeroed().assume_init() };
        Ok(Box::new(Controls {
            fd: self.0,
            blocks: (0..depth).map(|_| control()).collect(),
            waiting: vec![std::ptr::null(); depth],
        }))
    }
}

/// Control blocks, which stay where they are; null in `waiting` where a slot is free.
struct Controls {
    fd: i32,
    blocks: Box<[libc::aiocb]>,
    waiting: Vec<*const libc::aiocb>,
}

impl Queue for Controls {
    unsafe fn submit(&mut self, slot: usize, transfer: Transfer) -> io::Result<()> {
        let block = &mut self.blocks[slot];
        block.aio_fildes = self.fd;
        block.aio_buf = transfer.buffer.cast();
        block.aio_nbytes = transfer.length;
        block.aio_offset = transfer.offset as libc::off_t;
        block.aio_sigevent.sigev_notify = libc::SIGEV_NONE;
        // SAFETY: the block stays in its box until the transfer has ended; the buffer is the caller's promise.
        let begun = unsafe {
            match transfer.direction {
                Direction::Read => libc::aio_read(block),
                Direction::Write => libc::aio_write(block),
            }
        };
        sys::ok(begun.into())?;
        self.waiting[slot] = block;
        Ok(())
    }

    fn wait(&mut self, patience: Option<Duration>, done: &mut Vec<Done>) -> io::Result<()> {
        let (list, count) = (self.waiting.as_ptr(), self.waiting.len() as i32);
        let limit = patience.map(sys::timespec);
        let limit = limit.as_ref().map_or(std::ptr::null(), |limit| limit);
        // SAFETY: a list of control blocks of ours, and of nulls, which are passed over.
        while unsafe { libc::aio_suspend(list, count, limit) } < 0 {
            let error = io::Error::last_os_error();
            match error.kind() {
                io::ErrorKind::Interrupted => {}
                // The patience is at its end.
                io::ErrorKind::WouldBlock => break,
                _ => return Err(error),
            }
        }
        for (slot, waiting) in self
            .waiting
            .iter_mut()
            .enumerate()
            .filter(|(_, block)| !block.is_null())
        {
            let block: *mut libc::aiocb = &mut self.blocks[slot];
            // SAFETY: the block of a transfer that was begun; its result is taken once.
            let (error, result) = unsafe {
                match libc::aio_error(block) {
                    libc::EINPROGRESS => continue,
                    error => (error, libc::aio_return(block)),
                }
            };
            *waiting = std::ptr::null();
            let result = if error > 0 {
                Err(io::Error::from_raw_os_error(error))
            } else {
                moved(result)
            };
            done.push((slot, result));
        }
        Ok(())
    }
}

impl Drop for Controls {
    /// What is under way when the load stops early would write to buffers that are gone.
    fn drop(&mut self) {
        let mut done = Vec::new();
        while self.waiting.iter().any(|block| !block.is_null())
            && self.wait(None, &mut done).is_ok()
        {}
    }
}
