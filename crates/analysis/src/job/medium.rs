//! What files are on, as their paths say.

use super::FileId;
use std::sync::Arc;

/// What a file is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// A file system or a disk. Calls on no file count as on storage, too.
    Storage,
    /// No file: a pipe, a socket, a terminal, an eventfd and the like. Its calls wait for another program, or for a person.
    Pipes,
    /// What the kernel makes up (`/proc`, `/sys`), devices, and memory without a name.
    System,
}

/// Below /dev: what is a terminal, and what is storage. The names of disks end as these begin.
const TERMINALS: [&[u8]; 4] = [b"pts/", b"ptmx", b"tty", b"console"];
const DISKS: [&[u8]; 16] = [
    b"shm/", b"sd", b"hd", b"vd", b"xvd", b"nvme", b"mmcblk", b"md", b"dm-", b"mapper/", b"loop",
    b"disk/", b"nbd", b"pmem", b"dax", b"ram",
];

impl Medium {
    /// All of them.
    pub const ALL: [Medium; 3] = [Medium::Storage, Medium::Pipes, Medium::System];

    /// As filters name it.
    pub fn name(self) -> &'static str {
        match self {
            Medium::Storage => "storage",
            Medium::Pipes => "pipes",
            Medium::System => "system",
        }
    }

    /// That of a path. What has no path has a name such as `pipe:[4711]`, or `<STDIN>` in a log of Darshan.
    pub fn of(path: &[u8]) -> Medium {
        let begins = |names: &[&[u8]], path: &[u8]| names.iter().any(|name| path.starts_with(name));
        if let Some(device) = path.strip_prefix(b"/dev/") {
            return match () {
                () if begins(&TERMINALS, device) => Medium::Pipes,
                () if begins(&DISKS, device) => Medium::Storage,
                () => Medium::System,
            };
        }
        if begins(&[b"/proc/", b"/sys/", b"/memfd:"], path) {
            return Medium::System;
        }
        let is_no_path = !path.starts_with(b"/")
            && (path.windows(2).any(|pair| pair == b":[") || path.starts_with(b"<STD"));
        if is_no_path {
            Medium::Pipes
        } else {
            Medium::Storage
        }
    }
}

/// The media of a job's files.
#[derive(Clone, Debug)]
pub struct Media(Arc<[Medium]>);

impl Media {
    pub(super) fn of<'p>(paths: impl Iterator<Item = &'p [u8]>) -> Media {
        Media(
            [Medium::Storage]
                .into_iter()
                .chain(paths.map(Medium::of))
                .collect(),
        )
    }

    /// That of a file.
    #[inline(always)]
    pub(crate) fn of_file(&self, file: FileId) -> Medium {
        let known = self.0.get(file as usize).copied();
        known.unwrap_or(Medium::Storage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_say_what_files_are_on() {
        let on = |medium: Medium, paths: &[&str]| {
            for path in paths {
                assert_eq!(Medium::of(path.as_bytes()), medium, "{path}");
            }
        };
        on(
            Medium::Storage,
            &[
                "",
                "/a",
                "a",
                "/dev/shm/x",
                "/dev/nvme0n1",
                "/dev/mapper/vg-lv",
                "/procs/x",
                "/system",
            ],
        );
        on(
            Medium::Pipes,
            &[
                "pipe:[1]",
                "socket:[2]",
                "anon_inode:[eventpoll]",
                "/dev/pts/0",
                "/dev/tty",
                "<STDOUT>",
            ],
        );
        on(
            Medium::System,
            &[
                "/proc/self/maps",
                "/sys/bus",
                "/dev/null",
                "/dev/infiniband/uverbs0",
                "/memfd:x (deleted)",
            ],
        );
    }
}
