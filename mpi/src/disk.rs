//! The output as a file that rank 0 creates and the other leaders find: under the same name, and marked, because a
//! directory that is not shared may hold an older file of that name.

use crate::gather::{Name, Output};
use crate::group::{GatherError, Result};
use crate::output_name::{MARK, path};
use crate::part;
use iota_runtime::output::{self, Path};
use iota_runtime::sys::{self, Errno, File};
use iota_trace::JobMark;

/// For how long a file may be invisible to a leader, because a network file system looks only now and then.
const TRIES: u32 = 60;
const BETWEEN_TRIES: u64 = 50_000_000;

/// The output on this rank.
#[derive(Default)]
pub struct Disk {
    file: Option<File>,
    created: Option<Name>,
}

fn path_of(name: &Name) -> Path {
    let mut text = Path::EMPTY;
    text.push(path(name));
    text
}

fn trouble(Errno(errno): Errno) -> GatherError {
    GatherError(errno)
}

impl Output for Disk {
    fn create(&mut self, name: &mut Name, stripes: u32) -> Result<()> {
        let mut path = Path::EMPTY;
        let file = output::create(output::candidate, stripes, &mut path).map_err(trouble)?;
        write_name(name, path.bytes());
        self.created = Some(*name);
        if path_of(name).bytes() != path.bytes() {
            return Err(GatherError(libc::ENAMETOOLONG));
        }
        file.write_all_at(mark(name), 0).map_err(trouble)?;
        // Closed once, so that others may see the mark.
        file.close().map_err(trouble)?;
        self.open(name)
    }

    fn open(&mut self, name: &Name) -> Result<()> {
        let mut found = Err(GatherError(libc::ESTALE));
        for _ in 0..TRIES {
            found = open_marked(name);
            match found {
                Err(GatherError(libc::ENOENT | libc::ESTALE)) => part::pause(BETWEEN_TRIES),
                _ => break,
            }
        }
        self.file = Some(found?);
        Ok(())
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        let file = self.file.as_ref().ok_or(GatherError(libc::EBADF))?;
        file.write_all_at(bytes, offset).map_err(trouble)
    }

    fn close(&mut self) -> Result<()> {
        self.file
            .take()
            .map_or(Ok(()), File::close)
            .map_err(trouble)
    }

    fn remove(&mut self) {
        if let Some(name) = &self.created {
            let _ = sys::unlink(path_of(name).c_str());
        }
    }
}

fn write_name(name: &mut Name, path: &[u8]) {
    let mark = JobMark {
        when: iota_runtime::clock::realtime_ns(),
        pid: part::pid(),
        ppid: sys::parent_id(),
    };
    let last = name.len().saturating_sub(1);
    let room = name.get_mut(..last).unwrap_or_default();
    room.iter_mut()
        .zip(mark.bytes().iter().chain(path))
        .for_each(|(to, from)| *to = *from);
}

fn mark(name: &Name) -> &[u8] {
    name.get(..MARK).unwrap_or_default()
}

fn open_marked(name: &Name) -> Result<File> {
    let file =
        File::open(path_of(name).c_str(), libc::O_RDWR | libc::O_NOFOLLOW).map_err(trouble)?;
    let mut found = [0; MARK];
    let length = file.read_at(&mut found, 0).map_err(trouble)?;
    if length == MARK && found == mark(name) {
        Ok(file)
    } else {
        Err(GatherError(libc::ESTALE))
    }
}
