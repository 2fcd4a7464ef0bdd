//! io_uring: each piece has a ring of its own. Files are opened and closed by calls that tracers see; transfers pass
//! through the ring, where tracers of calls do not.

use super::{Api, Calls, Direction, Done, Handle, Open, Queue, Transfer, descriptor};
use io_uring::{IoUring, opcode, types};
use std::io;
use std::time::{Duration, Instant};

/// The interface.
pub struct Uring;

struct UringFile(i32);

impl Api for Uring {
    fn name(&self) -> &'static str {
        "io_uring"
    }

    fn calls(&self) -> Calls {
        Calls {
            open: "open",
            seek: "",
            read: "io_uring_read",
            write: "io_uring_write",
            sync: ["fsync", "fdatasync"],
            close: "close",
        }
    }

    fn queued(&self) -> bool {
        true
    }

    fn ring(&self) -> bool {
        true
    }

    fn probe(&self) -> io::Result<()> {
        IoUring::new(1).map(drop)
    }

    fn open(&self, open: &Open) -> io::Result<Box<dyn Handle>> {
        Ok(Box::new(UringFile(descriptor::open(open)?)))
    }
}

impl Handle for UringFile {
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
        Ok(Box::new(Ring {
            fd: types::Fd(self.0),
            ring: ring(depth)?,
            under_way: 0,
        }))
    }
}

/// One thread submits and waits, which newer kernels use to save work.
fn ring(depth: usize) -> io::Result<IoUring> {
    let entries = depth.next_power_of_two() as u32;
    let single = IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .build(entries);
    single.or_else(|_| IoUring::new(entries))
}

/// How often a ring is looked at that cannot be waited for
const LOOK: Duration = Duration::from_micros(20);

struct Ring {
    fd: types::Fd,
    ring: IoUring,
    under_way: usize,
}

impl Queue for Ring {
    unsafe fn submit(&mut self, slot: usize, transfer: Transfer) -> io::Result<()> {
        let Transfer {
            direction,
            offset,
            buffer,
            length,
        } = transfer;
        let length = length as u32;
        let entry = match direction {
            Direction::Read => opcode::Read::new(self.fd, buffer, length)
                .offset(offset)
                .build(),
            Direction::Write => opcode::Write::new(self.fd, buffer, length)
                .offset(offset)
                .build(),
        };
        // SAFETY: the buffer is the caller's promise; the descriptor is open until the queue is gone.
        let pushed = unsafe { self.ring.submission().push(&entry.user_data(slot as u64)) };
        self.under_way += 1;
        pushed.map_err(io::Error::other)
    }

    fn wait(&mut self, patience: Option<Duration>, done: &mut Vec<Done>) -> io::Result<()> {
        loop {
            let ended = match patience {
                None => self.ring.submit_and_wait(1),
                Some(patience) => self.wait_for(patience),
            };
            match ended {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // The patience is at its end.
                Err(error) if error.raw_os_error() == Some(libc::ETIME) => break,
                ended => break ended.map(drop)?,
            };
        }
        for entry in self.ring.completion() {
            self.under_way -= 1;
            let result = match entry.result() {
                error if error < 0 => Err(io::Error::from_raw_os_error(-error)),
                count => Ok(count as usize),
            };
            done.push((entry.user_data() as usize, result));
        }
        Ok(())
    }
}

impl Ring {
    fn wait_for(&mut self, patience: Duration) -> io::Result<usize> {
        if self.ring.params().is_feature_ext_arg() {
            let limit = types::Timespec::from(patience);
            let args = types::SubmitArgs::new().timespec(&limit);
            return self.ring.submitter().submit_with_args(1, &args);
        }
        // Before Linux 5.11 there is no limit to a wait.
        let submitted = self.ring.submit()?;
        let began = Instant::now();
        while self.ring.completion().is_empty() && began.elapsed() < patience {
            std::thread::sleep(LOOK.min(patience));
        }
        Ok(submitted)
    }
}

impl Drop for Ring {
    /// What is under way when the load stops early would write to buffers that are gone.
    fn drop(&mut self) {
        let mut done = Vec::new();
        while self.under_way > 0 && self.wait(None, &mut done).is_ok() {}
    }
}
