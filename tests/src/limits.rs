//! Runs commands under a time limit: a host that hangs fails its test and leaves no process behind.

use crate::ordinary;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long what a command has started may hold its output after it.
const DAEMONS: Duration = Duration::from_secs(60);

/// What a command printed and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limited {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// How it ended; a signal that killed it is part of this.
    pub status: ExitStatus,
    /// It ran into the limit and was killed, with all that it had started.
    pub timed_out: bool,
}

impl Limited {
    /// Exit code, or 128 and the signal.
    pub fn code(&self) -> i32 {
        let signal = || 128 + self.status.signal().unwrap_or(0);
        self.status.code().unwrap_or_else(signal)
    }

    /// Standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard error as text.
    pub fn errors(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// Runs `command` with `input`, in a process group of its own.
pub fn limited(command: &mut Command, input: &[u8], limit: Duration) -> Limited {
    let mut child = ordinary(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap_or_else(|error| panic!("{:?}: {error}", command.get_program()));
    let (mut stdin, input) = (child.stdin.take().expect("piped"), input.to_vec());
    // A host that reads nothing closes its end early, or never.
    std::thread::spawn(move || stdin.write_all(&input));
    ended(child, limit)
}

/// Waits for a command that leads a process group; what it printed, as far as that was piped.
pub fn ended(mut child: Child, limit: Duration) -> Limited {
    let stdout = child.stdout.take().map(reader);
    let stderr = child.stderr.take().map(reader);
    let (status, timed_out) = wait(&mut child, limit);
    Limited {
        stdout: stdout.map(all).unwrap_or_default(),
        stderr: stderr.map(all).unwrap_or_default(),
        status,
        timed_out,
    }
}

/// Runs a helper that must succeed; its output.
pub fn command_output(command: &mut Command) -> String {
    let output = limited(command, b"", Duration::from_secs(300));
    assert!(
        output.status.success(),
        "{command:?} failed with {}:\n{}{}",
        output.code(),
        output.text(),
        output.errors()
    );
    output.text()
}

fn reader(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe is readable");
        let _ = sender.send(bytes);
    });
    receiver
}

fn all(bytes: Receiver<Vec<u8>>) -> Vec<u8> {
    let read = bytes.recv_timeout(DAEMONS);
    read.expect("the command has ended, but what it started holds its output")
}

fn wait(child: &mut Child, limit: Duration) -> (ExitStatus, bool) {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("our own child") {
            return (status, false);
        }
        if began.elapsed() > limit {
            // SAFETY: a plain system call on the group that this child leads.
            unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
            return (child.wait().expect("our own child"), true);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
