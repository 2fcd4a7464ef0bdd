//! The command while it runs: its signals, its stops and its end are those of `iota run`.
//!
//! It stays in the process group and on the terminal, so that what is typed there (Ctrl-C, Ctrl-Z) reaches it from the
//! kernel; only what another process sends to iota is handed on. When it stops, iota stops, which a shell with job
//! control then sees. No handlers: signals are blocked and waited for.

use super::spawn::{self, ChildImage};
use crate::umask;
use libc::{c_int, sigset_t};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::mem::MaybeUninit;
use std::process::{Command, ExitCode};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The exit status of a shell for a command that is not there
pub const NOT_FOUND: u8 = 127;
/// The same for one that cannot be executed
const NOT_EXECUTABLE: u8 = 126;

/// What is handed on
const SIGNALS: [c_int; 8] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGTSTP,
    libc::SIGCONT,
];

/// What a command says that cannot be followed, in place of why it cannot be executed
const UNFOLLOWED: c_int = -1;

/// How the command ended
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself
    Code(u8),
    /// By a signal
    Signal(c_int),
}

/// Signals as they were, for the command
#[derive(Clone, Copy)]
struct Before {
    mask: sigset_t,
    on_child: libc::sighandler_t,
}

/// Rust's runtime ignores SIGPIPE, whatever it was before: this is what it was.
static IGNORED_PIPE: AtomicBool = AtomicBool::new(false);

/// It opens /dev/null where one of the standard descriptors is closed: these were.
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_RUNTIME: extern "C" fn() = look;

extern "C" fn look() {
    // SAFETY: a plain system call, before there is a thread; Rust's runtime is going to ask for the same.
    let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    IGNORED_PIPE.store(before == libc::SIG_IGN, Relaxed);
    for (fd, closed) in (0..).zip(&CLOSED) {
        // SAFETY: a plain system call.
        closed.store(unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0, Relaxed);
    }
}

/// Runs it to its end; its process id and how it ended
///
/// # Errors
///
/// It cannot be executed.
pub fn run(command: &Command) -> io::Result<(u32, Ended)> {
    let waited_for = waited_for();
    let before = block(&waited_for);
    let child = spawn::start(command, &|| restore(&before))?;
    let id = child as c_int;
    Ok((child, relay((id, id), &waited_for)))
}

/// The same, followed by a process between the two: `follow` is this process, and gets what becomes the command
///
/// # Errors
///
/// It cannot be executed.
pub fn run_followed(
    command: &Command,
    follow: &dyn Fn(Followed) -> Ended,
) -> io::Result<Option<(u32, Ended)>> {
    let waited_for = waited_for();
    let before = block(&waited_for);
    let image = ChildImage::of(command)?;
    let (mut said, says) = io::pipe()?;
    // SAFETY: the process has one thread.
    let follower = match unsafe { libc::fork() } {
        -1 => return Err(io::Error::last_os_error()),
        0 => {
            drop(said);
            let ended = follow(Followed {
                image: &image,
                says: Some(says),
                before,
            });
            ended.end_without_cleaning()
        }
        follower => follower,
    };
    drop(says);
    match (number(&mut said), number(&mut said)) {
        (Some(child), None) => {
            let ended = relay((child, follower), &waited_for);
            Ok(Some((child as u32, ended)))
        }
        (child, error) => {
            // SAFETY: a child of this process, of which nobody else knows.
            unsafe { libc::waitpid(follower, ptr::null_mut(), 0) };
            unblock(&before);
            match (child, error) {
                (Some(1..), Some(error)) if error != UNFOLLOWED => {
                    Err(io::Error::from_raw_os_error(error))
                }
                _ => Ok(None),
            }
        }
    }
}

/// A command that is about to begin under a process that follows it
pub struct Followed<'i> {
    image: &'i ChildImage,
    says: Option<PipeWriter>,
    before: Before,
}

impl Followed<'_> {
    /// Makes the process. Once a byte comes through the pipe, it becomes the command, if `prepare` says that it may
    ///
    /// # Errors
    ///
    /// It cannot be executed.
    pub fn start(&mut self, prepare: &dyn Fn() -> bool) -> io::Result<(u32, PipeWriter)> {
        let pointers = self.image.pointers();
        let (mut waits, begin) = io::pipe()?;
        // SAFETY: the process has one thread.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                drop(begin);
                if waits.read_exact(&mut [0]).is_ok() {
                    restore(&self.before);
                    let failed = if prepare() {
                        pointers.exec()
                    } else {
                        UNFOLLOWED
                    };
                    self.say(failed);
                }
                // SAFETY: nothing of the parent's is cleaned up.
                unsafe { libc::_exit(spawn::FAILED) }
            }
            child => Ok((child as u32, begin)),
        }
    }

    /// The number of the process, 0 if it cannot be followed; in the child why it could not become the command
    pub fn say(&mut self, number: c_int) {
        if let Some(says) = &mut self.says {
            let _ = says.write_all(&number.to_ne_bytes());
        }
    }

    /// All was said.
    pub fn done(&mut self) {
        self.says = None;
    }
}

fn number(said: &mut PipeReader) -> Option<c_int> {
    let mut bytes = [0; size_of::<c_int>()];
    said.read_exact(&mut bytes).ok()?;
    Some(c_int::from_ne_bytes(bytes))
}

/// Signals are as they were: another way to run the command blocks them again.
fn unblock(before: &Before) {
    // SAFETY: a mask and a disposition that the kernel gave.
    unsafe {
        libc::signal(libc::SIGCHLD, before.on_child);
        libc::sigprocmask(libc::SIG_SETMASK, &before.mask, ptr::null_mut());
    }
}

/// The exit status for a command that could not be started
pub fn unstarted(error: &io::Error) -> Ended {
    Ended::Code(match error.raw_os_error() {
        Some(libc::ENOENT) => NOT_FOUND,
        _ => NOT_EXECUTABLE,
    })
}

fn waited_for() -> sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset fills the set.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in SIGNALS.into_iter().chain([libc::SIGCHLD]) {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

/// An ignored SIGCHLD would not say how the command ended.
fn block(set: &sigset_t) -> Before {
    let mut mask = MaybeUninit::uninit();
    // SAFETY: sigprocmask fills the old mask; the process has one thread.
    unsafe {
        libc::sigprocmask(libc::SIG_BLOCK, set, mask.as_mut_ptr());
        Before {
            mask: mask.assume_init(),
            on_child: libc::signal(libc::SIGCHLD, libc::SIG_DFL),
        }
    }
}

/// In the child: system calls alone
fn restore(before: &Before) {
    umask::restore();
    let on_pipe = match IGNORED_PIPE.load(Relaxed) {
        true => libc::SIG_IGN,
        false => libc::SIG_DFL,
    };
    for (fd, _) in (0..)
        .zip(&CLOSED)
        .filter(|(_, closed)| closed.load(Relaxed))
    {
        // SAFETY: nobody but Rust's runtime has opened it, and nobody in this process uses it.
        unsafe { libc::close(fd) };
    }
    // SAFETY: a mask and a disposition that the kernel gave; neither was a handler of ours.
    unsafe {
        libc::signal(libc::SIGPIPE, on_pipe);
        libc::signal(libc::SIGCHLD, before.on_child);
        libc::sigprocmask(libc::SIG_SETMASK, &before.mask, ptr::null_mut());
    }
}

/// Hands signals on to the command, until the process has ended that is waited for: the command itself, or what follows it
fn relay((command, child): (c_int, c_int), waited_for: &sigset_t) -> Ended {
    loop {
        let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
        // SAFETY: zeroed is valid, and what sigwaitinfo fills in is.
        let (signal, info) = unsafe {
            let signal = libc::sigwaitinfo(waited_for, info.as_mut_ptr());
            (signal, info.assume_init())
        };
        let is_sent_by_process = info.si_code <= 0;
        if signal == libc::SIGCHLD {
            if let Some(ended) = state(command, child) {
                return ended;
            }
        } else if signal > 0 && is_sent_by_process {
            // SAFETY: our own child, not yet waited for, or that of one.
            unsafe { libc::kill(command, signal) };
        }
    }
}

/// How it ended, if it did; when it stopped, so does this process.
fn state(command: c_int, child: c_int) -> Option<Ended> {
    let mut status = 0;
    // SAFETY: a plain system call that fills `status`.
    while unsafe { libc::waitpid(child, &mut status, libc::WNOHANG | libc::WUNTRACED) } == child {
        match Ended::of(status) {
            Some(ended) => return Some(ended),
            None => stop_with(command, child),
        };
    }
    None
}

/// Stops until somebody sends SIGCONT. That goes to the command here: if it waited its turn among the signals, one that
/// stops again would take it away. What follows the command has stopped with it.
fn stop_with(command: c_int, child: c_int) {
    // SAFETY: plain system calls; our own child, not yet waited for, and maybe that of one.
    unsafe {
        libc::raise(libc::SIGSTOP);
        libc::kill(command, libc::SIGCONT);
        libc::kill(child, libc::SIGCONT);
    }
}

/// The command has stopped: so does the process that follows it, which `iota run` sees.
pub fn stop() {
    // SAFETY: a plain system call.
    unsafe { libc::raise(libc::SIGSTOP) };
}

impl Ended {
    /// As `wait` says it; None: it has not ended
    pub fn of(status: c_int) -> Option<Ended> {
        if libc::WIFEXITED(status) {
            return Some(Ended::Code(libc::WEXITSTATUS(status) as u8));
        }
        libc::WIFSIGNALED(status).then(|| Ended::Signal(libc::WTERMSIG(status)))
    }

    /// Ends this process in the same way; what it has of its parent stays as it is
    fn end_without_cleaning(self) -> ! {
        let code = match self {
            Ended::Code(code) => c_int::from(code),
            Ended::Signal(signal) => {
                die(signal);
                128 + signal
            }
        };
        // SAFETY: nothing is left to be done.
        unsafe { libc::_exit(code) }
    }

    /// Whether a signal ended it, or what it waited for, as shells and launchers say
    pub fn is_by_signal(self) -> bool {
        !matches!(self, Ended::Code(..=128))
    }

    /// Ends this process in the same way
    pub fn follow(self) -> ExitCode {
        match self {
            Ended::Code(code) => ExitCode::from(code),
            Ended::Signal(signal) => {
                die(signal);
                ExitCode::from(128 + signal as u8)
            }
        }
    }
}

/// A core of this process would only hide the command's.
fn die(signal: c_int) {
    let mut set = MaybeUninit::uninit();
    // SAFETY: plain system calls; sigemptyset fills the set.
    unsafe {
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
        libc::signal(signal, libc::SIG_DFL);
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, set.as_ptr(), ptr::null_mut());
        libc::raise(signal);
    }
}
