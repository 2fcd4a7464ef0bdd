//! A file system with stripes, mounted for a test: `src/bin/lustre-like`, in a process of its own.

use crate::machine::left_out;
use crate::{Scratch, bounded};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Mounted while it lives.
pub struct Mounted {
    server: Child,
    scratch: Scratch,
}

impl Mounted {
    /// Mounts one: as root by itself, as another user with fusermount3. None, and the test is left out, where the machine
    /// forbids it.
    pub fn new(server: &str) -> Option<Mounted> {
        let scratch = Scratch::new();
        let mut command = Command::new(server);
        let mut server = bounded(&mut command)
            .arg(scratch.dir("lustre"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server was built with the tests");
        let mut line = String::new();
        let mut said = server.stdout.take().map(BufReader::new).expect("piped");
        said.read_line(&mut line).expect("a pipe is readable");
        let mounted = Mounted { server, scratch };
        if let Some(why) = line.strip_prefix("cannot mount: ") {
            left_out(&format!("no FUSE here ({})", why.trim()));
            return None;
        }
        assert_eq!(line, "mounted\n");
        Some(mounted)
    }

    /// Where.
    pub fn path(&self) -> PathBuf {
        self.scratch.path().join("lustre")
    }

    /// How often each file was asked for its layout.
    pub fn asked(&self) -> BTreeMap<String, u32> {
        let text = std::fs::read_to_string(self.path().join(".asked")).expect("it is served");
        let entry = |line: &str| {
            let (name, count) = line.rsplit_once(' ').expect("a name and a number");
            (name.to_owned(), count.parse().expect("a number"))
        };
        text.lines().map(entry).collect()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Its standard input ends, and it goes.
        drop(self.server.stdin.take());
        let _ = self.server.wait();
    }
}

/// The attribute `lustre.lov` of a file.
pub fn layout(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes()).expect("no NUL");
    let mut room = vec![0u8; 1 << 16];
    let name = iota_trace::lustre::ATTRIBUTE.as_ptr();
    // SAFETY: both strings end with NUL, and the room is as long as is said.
    let length =
        unsafe { libc::getxattr(path.as_ptr(), name, room.as_mut_ptr().cast(), room.len()) };
    room.truncate(usize::try_from(length).expect("the file has a layout"));
    room
}
