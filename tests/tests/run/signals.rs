//! Signals, stops and deaths: those of the command.

use super::{python_is_wanted, shell, wait_until};
use iota_tests::{Build, Case, Scratch, ended, machine::TERMINAL, ordinary};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// What follows the command stands between it and `iota run`.
const OPTIONS: [&str; 2] = ["--no-follow", "--follow"];

#[test]
fn a_death_by_signal_is_the_same_death() {
    for signal in [libc::SIGTERM, libc::SIGKILL, libc::SIGABRT, libc::SIGINT] {
        for options in OPTIONS {
            let ran = shell(&format!("kill -{signal} $$"), options);
            assert_eq!(
                ran.output.status.signal(),
                Some(signal),
                "{}",
                ran.output.errors()
            );
        }
    }
}

/// `iota run` on a script that says when it is ready, with its trace in `dir`
fn started(dir: &Path, options: &str, script: &str) -> Child {
    let mut command = Command::new(Build::first().iota());
    command.args(["run", "-q", options, "-o", "run.iota"]);
    command.args(["--", "sh", "-c", script]);
    let command = command
        .current_dir(dir)
        .env_remove("LD_PRELOAD")
        .stdout(Stdio::piped());
    let child = ordinary(command).process_group(0).spawn();
    let child = child.expect("iota runs");
    wait_until(|| dir.join("ready").exists());
    child
}

fn send(child: &Child, signal: i32) {
    // SAFETY: a plain system call on a child of ours that nobody has waited for.
    unsafe { libc::kill(child.id() as i32, signal) };
}

#[test]
fn signals_are_handed_on() {
    for (signal, name) in [
        (libc::SIGINT, "INT"),
        (libc::SIGTERM, "TERM"),
        (libc::SIGHUP, "HUP"),
        (libc::SIGQUIT, "QUIT"),
        (libc::SIGUSR1, "USR1"),
        (libc::SIGUSR2, "USR2"),
    ] {
        for options in OPTIONS {
            let scratch = Scratch::new();
            let script =
                format!("trap 'echo {name}; exit 5' {name}; >ready; while :; do sleep 0.02; done");
            let child = started(scratch.path(), options, &script);
            send(&child, signal);
            let output = ended(child, LIMIT);
            assert_eq!(output.text(), format!("{name}\n"));
            assert_eq!(output.code(), 5, "{name}");
            assert!(
                scratch.path().join("run.iota").exists(),
                "and it was traced"
            );
        }
    }
}

/// The state of a process, as ps shows it
fn state(process: u32) -> Option<char> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    text.rsplit_once(") ")?.1.chars().next()
}

#[test]
fn it_stops_and_goes_on_with_its_command() {
    for options in OPTIONS {
        let scratch = Scratch::new();
        let child = started(
            scratch.path(),
            options,
            ">ready; while [ ! -e go ]; do sleep 0.02; done; exit 4",
        );
        for signal in [libc::SIGTSTP, libc::SIGTSTP] {
            send(&child, signal);
            wait_until(|| state(child.id()) == Some('T'));
            send(&child, libc::SIGCONT);
            wait_until(|| state(child.id()) != Some('T'));
        }
        std::fs::write(scratch.path().join("go"), "").expect("writable");
        assert_eq!(ended(child, LIMIT).code(), 4);
    }
}

#[test]
fn a_key_reaches_the_command_once() {
    if !python_is_wanted() || !TERMINAL.is_here() {
        return;
    }
    let iota = Build::first().iota();
    let script = format!(
        "import os, pty, sys, time
child, terminal = pty.fork()
if child == 0: os.execv('{0}', ['{0}', 'run', '-q', '-o', 'run.iota', '--', 'sh', '-c',
    'trap \"echo caught\" INT; echo ready; sleep 1; read a; echo done'])
said = b''
while b'ready' not in said: said += os.read(terminal, 100)
os.write(terminal, b'\\x03')
time.sleep(1.5)
os.write(terminal, b'go\\n')
while b'done' not in said: said += os.read(terminal, 100)
print(said.count(b'caught'), os.waitpid(child, 0)[1])
",
        iota.display()
    );
    let ran = Case::shell("python3 -c \"$PROGRAM\"")
        .env("PROGRAM", script)
        .run();
    assert_eq!(ran.succeeded().stdout(), "1 0\n");
}

#[test]
fn what_is_ignored_or_blocked_stays_so() {
    let show = "grep -E 'Sig(Ign|Blk)' /proc/self/status";
    for ignored in ["''", "'' PIPE HUP", "'' INT QUIT TERM CHLD"] {
        let bare = Case::shell(&format!("trap {ignored}; {show}")).run();
        let iota = Build::first().iota();
        let ran = Case::shell(&format!(
            "trap {ignored}; {} run -q -- {show}",
            iota.display()
        ))
        .run();
        assert_eq!(ran.stdout(), bare.stdout(), "trap {ignored}");
    }
}
