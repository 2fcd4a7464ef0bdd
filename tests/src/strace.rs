//! The kernel's side: system calls as strace saw them.

use std::path::Path;

/// A system call that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Syscall {
    /// Process or thread.
    pub pid: u32,
    /// The system call.
    pub name: String,
    /// Arguments, as strace prints them.
    pub args: String,
    /// Result; -1 for a failure.
    pub ret: i64,
    /// The name of its errno; empty when it succeeded.
    pub errno: String,
    /// With -y, the path of the descriptor that it returned.
    pub made: Option<String>,
}

impl Syscall {
    /// With -y, the path of the descriptor that is its first argument.
    pub fn on(&self) -> Option<&str> {
        let (first, _) = self.args.split_once(", ").unwrap_or((&self.args, ""));
        path_behind(first)
    }
}

/// `3</a/path>`
fn path_behind(descriptor: &str) -> Option<&str> {
    descriptor.split_once('<')?.1.strip_suffix('>')
}

/// The calls in a file that `strace -f -qq -o` wrote, in the order in which they ended.
pub fn read(file: &Path) -> Vec<Syscall> {
    let text = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let text = String::from_utf8_lossy(&text);
    let mut begun: Vec<(u32, String)> = Vec::new();
    let mut calls = Vec::new();
    for line in text.lines() {
        let (pid, rest) = line
            .split_once(' ')
            .expect("strace -f names the process first");
        let pid: u32 = pid.parse().expect("strace -f names the process first");
        let rest = rest.trim_start();
        if let Some(start) = rest.strip_suffix(" <unfinished ...>") {
            begun.push((pid, start.into()));
        } else if let Some((_, end)) = rest
            .strip_prefix("<... ")
            .and_then(|rest| rest.split_once(" resumed>"))
        {
            let place = begun.iter().position(|(of, _)| *of == pid);
            let start = place.map(|place| begun.remove(place).1).unwrap_or_default();
            calls.extend(parse(pid, &format!("{start}{end}")));
        } else {
            calls.extend(parse(pid, rest));
        }
    }
    calls
}

/// `name(args) = ret ERRNO (text)`; None for signals and exits.
fn parse(pid: u32, line: &str) -> Option<Syscall> {
    let (call, result) = line.rsplit_once(" = ")?;
    let (name, args) = call.split_once('(')?;
    let mut words = result.split_whitespace();
    // With -y a descriptor is followed by its path.
    let result = words.next()?;
    let ret = result.split('<').next()?;
    let errno = words
        .next()
        .filter(|word| word.starts_with('E'))
        .unwrap_or_default();
    let hex = ret
        .strip_prefix("0x")
        .map(|hex| i64::from_str_radix(hex, 16).unwrap_or(i64::MAX));
    Some(Syscall {
        pid,
        name: name.into(),
        args: args.trim_end().trim_end_matches(')').into(),
        ret: hex.or_else(|| ret.parse().ok())?,
        errno: errno.into(),
        made: path_behind(result).map(String::from),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupted_lines_are_joined() {
        let file = std::env::temp_dir().join(format!("iota-strace-{}", std::process::id()));
        let text = "7  read(3,  <unfinished ...>\n8 close(4) = -1 EBADF (Bad file descriptor)\n7  <... read resumed>\"a = b\", 5) = 5\n7  --- SIGCHLD ---\n";
        std::fs::write(&file, text).expect("a temporary file");
        let calls = read(&file);
        std::fs::remove_file(&file).expect("our own file");
        assert_eq!(calls.len(), 2);
        assert_eq!((calls[0].errno.as_str(), calls[0].ret), ("EBADF", -1));
        assert_eq!(
            (calls[1].name.as_str(), calls[1].args.as_str(), calls[1].ret),
            ("read", "3, \"a = b\", 5", 5)
        );
    }
}
