//! What a machine may forbid or not have. A test asks for it here, and it is tried, not guessed; where it cannot be had
//! the test is left out, wholly or in part, and `make test` lists it with the reason at its end.

use crate::Build;
use crate::limits::{command_output, limited};
use std::fs::File;
use std::io::{Error, Write};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// True when the test is to go on. Otherwise it is left out, because `what` is not here; `remedy` brings it.
pub fn wanted(what: &str, is_there: bool, remedy: &str) -> bool {
    if !is_there {
        left_out(&format!("no {what} here ({remedy})"));
    }
    is_there
}

/// Notes that the test is left out: in the file that scripts/test.sh reads, else on standard error, past libtest's
/// capture.
pub fn left_out(reason: &str) {
    let (program, test) = (std::env::current_exe(), std::thread::current());
    let program = program.unwrap_or_default();
    let program = program.file_stem().unwrap_or_default().to_string_lossy();
    // Behind the last hyphen is cargo's hash.
    let program = program.rsplit_once('-').map_or(&*program, |(name, _)| name);
    let reason = reason.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let line = format!("{program}::{}: {reason}\n", test.name().unwrap_or("?"));
    let Some(list) = std::env::var_os("IOTA_LEFT_OUT") else {
        // A closed stderr is no reason to fail.
        let _ = std::io::stderr().write_all(format!("left out: {line}").as_bytes());
        return;
    };
    let list = File::options().append(true).create(true).open(list);
    list.and_then(|mut list| list.write_all(line.as_bytes()))
        .expect("the list that IOTA_LEFT_OUT names is writable");
}

/// Something that a machine may forbid.
pub struct Ability {
    what: &'static str,
    attempt: fn() -> Result<(), String>,
    tried: OnceLock<Result<(), String>>,
}

/// Files that are another user's, and a command run as him.
pub static SECOND_USER: Ability = Ability::new("second user", || {
    shell(
        "d=$(mktemp -d) && chown 65534 $d && \
         setpriv --reuid=65534 --regid=65534 --clear-groups true; s=$?; rm -r $d; exit $s",
    )
});

/// Programs that have more rights than who starts them: root's, or of a second group of ours.
pub static MORE_RIGHTS: Ability = Ability::new("program with more rights", || {
    shell(
        "d=$(mktemp -d) && trap 'rm -r $d' EXIT && chmod 755 $d && cp $(command -v id) $d/id && \
         if [ $(id -u) = 0 ]; then chmod 4755 $d/id && \
         got=$(setpriv --reuid=65534 --regid=65534 --clear-groups $d/id -u) && other=0; \
         else for g in $(id -G); do [ $g = $(id -g) ] || other=$g; done; \
         [ -n \"$other\" ] || { echo 'no root, no second group' >&2; exit 1; }; \
         chgrp $other $d/id && chmod 2755 $d/id && got=$($d/id -g); fi && \
         [ $got = $other ] || { echo 'a setuid program stays without them' >&2; exit 1; }",
    )
});

/// Mounts of a command's own.
pub static NAMESPACES: Ability = Ability::new("mount and user namespaces", || {
    shell("unshare --mount --map-root-user mount -t tmpfs none /proc")
});

/// Sets of namespaces that stand for nodes (tests/programs/node.sh).
pub static NODES: Ability = Ability::new("namespaces as nodes", || {
    shell(
        "unshare --map-root-user --uts --ipc --mount sh -c \
         'mount -t tmpfs none /dev/shm && hostname node-a'",
    )
});

/// A terminal to be opened.
pub static TERMINAL: Ability = Ability::new("terminal", || {
    let (mut ours, mut theirs) = (-1, -1);
    let (none, usual) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: two descriptors are filled in; name, modes and size are not asked for.
    let opened =
        unsafe { libc::openpty(&mut ours, &mut theirs, none, usual, std::ptr::null_mut()) };
    if opened != 0 {
        return Err(format!("openpty: {}", Error::last_os_error()));
    }
    // SAFETY: both were just opened, for nobody else.
    unsafe { (libc::close(ours), libc::close(theirs)) };
    Ok(())
});

/// Rings of io_uring, which a kernel may be told to refuse.
pub static IO_URING: Ability = Ability::new("io_uring", || {
    // The kernel's io_uring_params, of which all is zero.
    let mut params = [0u64; 15];
    // SAFETY: the room is as long as the kernel's structure.
    let ring = unsafe { libc::syscall(libc::SYS_io_uring_setup, 1, params.as_mut_ptr()) };
    if ring < 0 {
        return Err(format!("io_uring_setup: {}", Error::last_os_error()));
    }
    // SAFETY: it was just opened, for nobody else.
    unsafe { libc::close(ring as i32) };
    Ok(())
});

/// A shell script around a command, in which it may have $LIMIT bytes of memory: a control group of its own, of either kind.
pub const MEMORY_LIMIT: &str = "m=/sys/fs/cgroup/memory; f=memory.limit_in_bytes; \
    [ -d $m ] || { m=/sys/fs/cgroup; f=memory.max; }; g=$m/iota-test-$$; \
    mkdir $g && echo $LIMIT >$g/$f && echo $$ >$g/cgroup.procs || { rmdir $g; exit 99; }; \
    \"$@\"; s=$?; echo $$ >$m/cgroup.procs; rmdir $g; exit $s";

/// The memory of a control group, limited.
pub static LIMITED_MEMORY: Ability = Ability::new("memory limit of a control group", || {
    shell(&format!("LIMIT=8m; set -- true; {MEMORY_LIMIT}"))
});

/// System calls seen by strace, which takes ptrace.
pub static STRACE: Ability = Ability::new("strace", || shell("strace -f -qq -o /dev/null true"));

/// Java, which Spark runs on.
pub static JAVA: Ability = Ability::new("java", || shell("java -version"));

impl Ability {
    const fn new(what: &'static str, attempt: fn() -> Result<(), String>) -> Ability {
        Ability {
            what,
            attempt,
            tried: OnceLock::new(),
        }
    }

    /// True where it can be had, as a first attempt shows; else the test is left out.
    pub fn is_here(&self) -> bool {
        let tried = self.tried.get_or_init(self.attempt);
        if let Err(why) = tried {
            left_out(&format!("no {} here ({why})", self.what));
        }
        tried.is_ok()
    }
}

/// True where the C compiler finds a header, which the test's program includes; else the test is left out.
pub fn header_is_here(name: &str) -> bool {
    let compiler = Build::first().value("CC");
    let found = shell(&format!(
        "echo '#include <{name}>' | {compiler} -E - >/dev/null 2>&1"
    ));
    wanted(name, found.is_ok(), "scripts/deps.sh test gets it as root")
}

/// The folder of libraries for this machine, as Debian names it.
pub fn debian_libraries() -> String {
    let compiler = Build::first().value("CC");
    let machine = command_output(Command::new(compiler).arg("-print-multiarch"));
    format!("/usr/lib/{}", machine.trim())
}

/// Tries a script; why it failed.
fn shell(script: &str) -> Result<(), String> {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    let ran = limited(&mut command, b"", Duration::from_secs(60));
    match ran.code() {
        0 => Ok(()),
        code if ran.errors().is_empty() => Err(format!("status {code}")),
        _ => Err(ran.errors().trim().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forbidden_is_told_with_its_reason() {
        assert_eq!(shell("true"), Ok(()));
        assert_eq!(shell("exit 3"), Err("status 3".into()));
        assert_eq!(shell("echo why >&2; exit 1"), Err("why".into()));
    }
}
