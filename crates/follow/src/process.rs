//! A process that is followed: what the trace says of it, and whether hooks record its calls already.

use crate::tracee::Tracee;
use iota_trace::write::ProcessFacts;
use std::fs;
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// Whose calls hooks record in a process
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hooks {
    /// Nobody's: nothing is preloaded, nothing linked
    None,
    /// Those that go through the C library: what the program does itself is seen here alone
    Libraries,
    /// All
    All,
}

/// Libraries whose functions hooks record, and that make system calls: what they do is known, or theirs alone
const HOOKED: [&[u8]; 9] = [
    b"libc.so",
    b"libc-2",
    b"ld-",
    b"ld.so",
    b"libpthread",
    b"librt",
    b"libiota",
    b"libaio",
    b"liburing",
];

/// The code of a process: where each file of it is mapped, and whether hooks see what it does
#[derive(Clone, Debug, Default)]
pub struct Code(Vec<(Range<u64>, bool)>);

impl Code {
    /// Whether hooks see a call that is made there. What is mapped is looked at when an instruction is of no known place
    pub fn is_hooked(&mut self, thread: Tracee, instruction: u64) -> bool {
        if self.find(instruction).is_none() {
            self.0 = mapped(thread);
        }
        // Code of no file is made by the program.
        self.find(instruction).unwrap_or(false)
    }

    fn find(&self, instruction: u64) -> Option<bool> {
        let found = self
            .0
            .iter()
            .find(|(range, _)| range.contains(&instruction));
        found.map(|(_, is_hooked)| *is_hooked)
    }
}

/// `7f12a0000000-7f12a0026000 r-xp 00000000 fe:00 1234   /usr/lib/libc.so.6`
fn mapped(thread: Tracee) -> Vec<(Range<u64>, bool)> {
    let maps = fs::read(format!("/proc/{}/maps", thread.0)).unwrap_or_default();
    let line = |line: &[u8]| {
        let text = String::from_utf8_lossy(line);
        let mut words = text.split_ascii_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let is_code = words.next()?.contains('x');
        let path = words.nth(3).unwrap_or_default();
        let hex = |digits| u64::from_str_radix(digits, 16).ok();
        let name = Path::new(path).file_name().unwrap_or_default();
        let is_hooked = HOOKED
            .iter()
            .any(|start| name.as_bytes().starts_with(start));
        is_code.then_some((hex(start)?..hex(end)?, is_hooked))
    };
    maps.split(|byte| *byte == b'\n').filter_map(line).collect()
}

/// Where a link of /proc leads
pub fn link(thread: Tracee, name: &str) -> Vec<u8> {
    let link = fs::read_link(format!("/proc/{}/{name}", thread.0));
    link.map_or(Vec::new(), |path| path.into_os_string().into_vec())
}

/// What is known of the program that a process runs now
pub fn facts(thread: Tracee, common: &ProcessFacts) -> ProcessFacts {
    let file = |name| fs::read(format!("/proc/{}/{name}", thread.0)).unwrap_or_default();
    let status = file("status");
    let lines = status.split(|byte| *byte == b'\n');
    let parent = lines.filter_map(|line| line.strip_prefix(b"PPid:")).next();
    let parent = parent.map(|digits| String::from_utf8_lossy(digits).trim().parse().ok());
    ProcessFacts {
        exe: link(thread, "exe"),
        argv: file("cmdline"),
        cwd: link(thread, "cwd"),
        ppid: parent.flatten().unwrap_or(0),
        ..common.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This very process: its own code is no hooked one, the C library's is.
    #[test]
    fn code_of_the_c_library_is_hooked() {
        let this = Tracee(std::process::id() as i32);
        let mut code = Code::default();
        let own = code_of_the_c_library_is_hooked as fn();
        assert!(!code.is_hooked(this, own as usize as u64));
        assert!(code.is_hooked(this, libc::getpid as *const () as usize as u64));
        assert!(!code.is_hooked(this, 16));
        let facts = facts(this, &ProcessFacts::default());
        assert!(!facts.exe.is_empty() && facts.ppid != 0 && !facts.argv.is_empty());
    }
}
