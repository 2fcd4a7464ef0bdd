//! A thread that is followed, as the kernel shows it: its stops, its registers, its memory.

use libc::{c_int, c_long, pid_t};
use std::io;
use std::mem::MaybeUninit;
use std::ptr;

/// A stop at the end of a system call has this bit, other stops have not.
const SYSTEM_CALL: c_int = 0x80;
const OPTIONS: c_int = libc::PTRACE_O_TRACESYSGOOD
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACESECCOMP;
/// `NT_PRSTATUS`: the general registers
const GENERAL: c_int = 1;
/// Bytes of a path at most, and pieces of a vector
const LONGEST: usize = libc::PATH_MAX as usize;
const MOST: usize = 1024;
/// How often whoever follows looks for the next stop before it sleeps: to be woken takes longer than most calls.
const TRIES: u32 = 100;
/// A page is there or not as a whole.
const PAGE: usize = 4096;

/// A thread, by the kernel's number
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tracee(pub pid_t);

/// Why a thread stands still, or that it ended
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// At the start of a system call that is followed
    Enters,
    /// At its end
    Leaves,
    /// It has made another, whose number this is
    Made(u32),
    /// It runs another program; it had this number before
    Becomes(u32),
    /// It has begun to be followed
    Begins,
    /// Its process was stopped by a signal
    Group,
    /// It is about to get a signal
    Signal(c_int),
    /// It is gone: the status of its process, if it was the last thread
    Ended(c_int),
}

/// The next stop of any thread. None: there is none left
pub fn next() -> Option<(Tracee, Stop)> {
    let mut status = 0;
    let mut tries = 0;
    loop {
        let how = libc::__WALL | if tries < TRIES { libc::WNOHANG } else { 0 };
        // SAFETY: the kernel fills `status`.
        match unsafe { libc::waitpid(-1, &mut status, how) } {
            0 => {
                tries += 1;
                std::thread::yield_now();
            }
            -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            -1 => return None,
            thread => return Some((Tracee(thread), Tracee(thread).stop(status))),
        }
    }
}

/// What a thread asked the kernel for
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// The system call
    pub number: i64,
    /// Its arguments
    pub arguments: [u64; 6],
    /// What it returned; before, anything
    pub returned: i64,
    /// Where it was made
    pub instruction: u64,
}

impl Tracee {
    /// Follows a thread, and all that it makes
    ///
    /// # Errors
    /// The kernel does not allow it.
    pub fn seize(self) -> io::Result<()> {
        self.request(libc::PTRACE_SEIZE, OPTIONS as usize).map(drop)
    }

    fn request(self, request: libc::c_uint, data: usize) -> io::Result<c_long> {
        let address = ptr::null_mut::<libc::c_void>();
        // SAFETY: of the requests used here none writes to this process' memory but through `data`, which fits it.
        match unsafe { libc::ptrace(request, self.0, address, data) } {
            -1 => Err(io::Error::last_os_error()),
            answer => Ok(answer),
        }
    }

    fn stop(self, status: c_int) -> Stop {
        if !libc::WIFSTOPPED(status) {
            return Stop::Ended(status);
        }
        let signal = libc::WSTOPSIG(status);
        match (status >> 16, signal) {
            (libc::PTRACE_EVENT_SECCOMP, _) => Stop::Enters,
            (libc::PTRACE_EVENT_CLONE | libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK, _) => {
                Stop::Made(self.message())
            }
            (libc::PTRACE_EVENT_EXEC, _) => Stop::Becomes(self.message()),
            (libc::PTRACE_EVENT_STOP, libc::SIGTRAP) => Stop::Begins,
            (libc::PTRACE_EVENT_STOP, _) => Stop::Group,
            (_, signal) if signal == libc::SIGTRAP | SYSTEM_CALL => Stop::Leaves,
            (_, signal) => Stop::Signal(signal),
        }
    }

    fn message(self) -> u32 {
        let mut message: libc::c_ulong = 0;
        let _ = self.request(libc::PTRACE_GETEVENTMSG, (&raw mut message).addr());
        message as u32
    }

    /// Lets it go on, with a signal if not 0. It may be gone meanwhile, which its end then says
    pub fn go_on(self, signal: c_int) {
        let _ = self.request(libc::PTRACE_CONT, signal as usize);
    }

    /// Lets it go on to the end of its system call
    pub fn go_to_end(self) {
        let _ = self.request(libc::PTRACE_SYSCALL, 0);
    }

    /// Leaves it stopped, until a signal has it go on
    pub fn stay(self) {
        let _ = self.request(libc::PTRACE_LISTEN, 0);
    }

    /// What it asks the kernel for
    #[cfg(target_arch = "x86_64")]
    pub fn registers(self) -> Option<Registers> {
        let registers: libc::user_regs_struct = self.general()?;
        Some(Registers {
            number: registers.orig_rax as i64,
            arguments: [
                registers.rdi,
                registers.rsi,
                registers.rdx,
                registers.r10,
                registers.r8,
                registers.r9,
            ],
            returned: registers.rax as i64,
            instruction: registers.rip,
        })
    }

    /// What it asks the kernel for
    #[cfg(target_arch = "aarch64")]
    pub fn registers(self) -> Option<Registers> {
        let registers: libc::user_regs_struct = self.general()?;
        let [a, b, c, d, e, f, _, _, number, ..] = registers.regs;
        Some(Registers {
            number: number as i64,
            arguments: [a, b, c, d, e, f],
            returned: a as i64,
            instruction: registers.pc,
        })
    }

    fn general<T>(self) -> Option<T> {
        let mut registers = MaybeUninit::<T>::uninit();
        let mut room = libc::iovec {
            iov_base: registers.as_mut_ptr().cast(),
            iov_len: size_of::<T>(),
        };
        let general = ptr::without_provenance_mut::<libc::c_void>(GENERAL as usize);
        // SAFETY: the kernel fills at most so many bytes.
        let answer =
            unsafe { libc::ptrace(libc::PTRACE_GETREGSET, self.0, general, &raw mut room) };
        let is_whole = answer == 0 && room.iov_len == size_of::<T>();
        // SAFETY: plain numbers, all of which the kernel has written.
        is_whole.then(|| unsafe { registers.assume_init() })
    }

    /// Its memory: as much as is there, up to all of `room`
    fn read(self, address: u64, room: &mut [u8]) -> usize {
        let here = libc::iovec {
            iov_base: room.as_mut_ptr().cast(),
            iov_len: room.len(),
        };
        let there = libc::iovec {
            iov_base: ptr::without_provenance_mut(address as usize),
            iov_len: room.len(),
        };
        // SAFETY: the kernel writes to `room` alone.
        let read = unsafe { libc::process_vm_readv(self.0, &here, 1, &there, 1, 0) };
        usize::try_from(read).unwrap_or(0)
    }

    /// So many words of its memory; None where not all are there
    pub fn words<const N: usize>(self, address: u64) -> Option<[u64; N]> {
        let mut words = [0u64; N];
        // SAFETY: bytes of plain numbers.
        let room = unsafe {
            std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), size_of_val(&words))
        };
        let length = room.len();
        (address != 0 && self.read(address, room) == length).then_some(words)
    }

    /// A string of its memory. None: there is none, or it does not end
    pub fn string(self, address: u64) -> Option<Vec<u8>> {
        let (mut text, mut at) = (Vec::new(), address as usize);
        while address != 0 && text.len() < LONGEST {
            let (before, to_end) = (text.len(), PAGE - at % PAGE);
            text.resize(before + to_end.min(256), 0);
            let read = self.read(at as u64, &mut text[before..]);
            if let Some(end) = text[before..before + read]
                .iter()
                .position(|byte| *byte == 0)
            {
                text.truncate(before + end);
                return Some(text);
            }
            if read < text.len() - before {
                return None;
            }
            at += read;
        }
        None
    }

    /// The lengths of a vector's pieces, together
    pub fn vector(self, address: u64, count: u64) -> u64 {
        let mut sum = 0u64;
        for nth in 0..(count as usize).min(MOST) as u64 {
            match self.words::<2>(address + nth * 16) {
                Some([_, length]) => sum = sum.saturating_add(length),
                None => break,
            }
        }
        sum
    }
}
