//! A small file system in memory that has stripes, for tests without a Lustre: it answers and takes the attribute
//! `lustre.lov`, and lists in the file `.asked` which file was asked for it how often.
//!
//!     lustre-like DIRECTORY
//!
//! mounts itself there, says on standard output that it has or why it cannot, and goes when standard input ends, or after
//! four minutes: whoever started it may have died.

mod layouts;
mod tree;

use fuser::{
    FileAttr, FileType, Filesystem, MountOption, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory,
    ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, ReplyXattr, Request, TimeOrNow,
};
use std::ffi::OsStr;
use std::io::Read;
use std::sync::mpsc::channel;
use std::time::{Duration, SystemTime};
use tree::{Kind, Node, Tree};

const LIFETIME: Duration = Duration::from_secs(240);
/// Attributes are asked for each time: `.asked` changes by itself.
const FRESH: Duration = Duration::ZERO;
const ATTRIBUTE: &str = "lustre.lov";

fn main() {
    let directory = std::env::args_os().nth(1).expect("a directory to mount on");
    let options = [MountOption::FSName("lustre-like".into())];
    let session = match fuser::spawn_mount2(Served(Tree::new()), &directory, &options) {
        Ok(session) => session,
        Err(error) => return println!("cannot mount: {error}"),
    };
    println!("mounted");
    let (ended, end) = channel();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        let _ = ended.send(());
    });
    let _ = end.recv_timeout(LIFETIME);
    drop(session);
}

struct Served(Tree);

fn attributes(ino: u64, node: &Node) -> FileAttr {
    let then = SystemTime::UNIX_EPOCH;
    let (kind, perm) = match node.kind {
        Kind::Directory => (FileType::Directory, 0o755),
        Kind::File => (FileType::RegularFile, 0o644),
    };
    FileAttr {
        ino,
        size: node.data.len() as u64,
        blocks: (node.data.len() as u64).div_ceil(512),
        atime: then,
        mtime: then,
        ctime: then,
        crtime: then,
        kind,
        perm,
        nlink: 1,
        uid: 0,
        gid: 0,
        rdev: 0,
        blksize: 4096,
        flags: 0,
    }
}

impl Filesystem for Served {
    fn lookup(&mut self, _: &Request, parent: u64, name: &OsStr, reply: ReplyEntry) {
        match self.0.find(parent, name) {
            Some(ino) => reply.entry(&FRESH, &attributes(ino, &self.0[ino]), 0),
            None => reply.error(libc::ENOENT),
        }
    }

    fn getattr(&mut self, _: &Request, ino: u64, _: Option<u64>, reply: ReplyAttr) {
        reply.attr(&FRESH, &attributes(ino, &self.0[ino]));
    }

    fn setattr(
        &mut self,
        _: &Request,
        ino: u64,
        _: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<u64>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<u32>,
        reply: ReplyAttr,
    ) {
        if let Some(size) = size {
            self.0[ino].data.resize(size as usize, 0);
        }
        reply.attr(&FRESH, &attributes(ino, &self.0[ino]));
    }

    fn mkdir(&mut self, _: &Request, parent: u64, name: &OsStr, _: u32, _: u32, reply: ReplyEntry) {
        let ino = self.0.make(parent, name, Kind::Directory);
        reply.entry(&FRESH, &attributes(ino, &self.0[ino]), 0);
    }

    fn unlink(&mut self, _: &Request, parent: u64, name: &OsStr, reply: ReplyEmpty) {
        self.0.remove(parent, name);
        reply.ok();
    }

    fn rmdir(&mut self, _: &Request, parent: u64, name: &OsStr, reply: ReplyEmpty) {
        self.0.remove(parent, name);
        reply.ok();
    }

    fn rename(
        &mut self,
        _: &Request,
        parent: u64,
        name: &OsStr,
        new_parent: u64,
        new_name: &OsStr,
        _: u32,
        reply: ReplyEmpty,
    ) {
        self.0.rename((parent, name), (new_parent, new_name));
        reply.ok();
    }

    fn link(&mut self, _: &Request, ino: u64, parent: u64, name: &OsStr, reply: ReplyEntry) {
        self.0.enter(parent, name, ino);
        reply.entry(&FRESH, &attributes(ino, &self.0[ino]), 0);
    }

    fn create(
        &mut self,
        _: &Request,
        parent: u64,
        name: &OsStr,
        _: u32,
        _: u32,
        flags: i32,
        reply: ReplyCreate,
    ) {
        let ino = self.0.make(parent, name, Kind::File);
        // As with O_LOV_DELAY_CREATE: objects come with the layout that is set, or with the first write.
        if flags & libc::O_ASYNC == 0 {
            self.0.give_objects(ino);
        }
        reply.created(&FRESH, &attributes(ino, &self.0[ino]), 0, 0, 0);
    }

    fn open(&mut self, _: &Request, ino: u64, _: i32, reply: ReplyOpen) {
        self.0.update(ino);
        reply.opened(0, 0);
    }

    fn read(
        &mut self,
        _: &Request,
        ino: u64,
        _: u64,
        offset: i64,
        size: u32,
        _: i32,
        _: Option<u64>,
        reply: ReplyData,
    ) {
        let data = self.0[ino].data.get(offset as usize..).unwrap_or_default();
        reply.data(&data[..data.len().min(size as usize)]);
    }

    fn write(
        &mut self,
        _: &Request,
        ino: u64,
        _: u64,
        offset: i64,
        bytes: &[u8],
        _: u32,
        _: i32,
        _: Option<u64>,
        reply: ReplyWrite,
    ) {
        self.0.give_objects(ino);
        let data = &mut self.0[ino].data;
        let end = offset as usize + bytes.len();
        data.resize(data.len().max(end), 0);
        data[offset as usize..end].copy_from_slice(bytes);
        reply.written(bytes.len() as u32);
    }

    fn flush(&mut self, _: &Request, _: u64, _: u64, _: u64, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&mut self, _: &Request, _: u64, _: u64, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn readdir(&mut self, _: &Request, ino: u64, _: u64, offset: i64, mut reply: ReplyDirectory) {
        for (n, (name, child)) in self.0.children(ino).enumerate().skip(offset as usize) {
            let kind = attributes(child, &self.0[child]).kind;
            if reply.add(child, n as i64 + 1, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&mut self, _: &Request, _: u64, reply: ReplyStatfs) {
        reply.statfs(1 << 20, 1 << 19, 1 << 19, 1 << 20, 1 << 19, 4096, 255, 4096);
    }

    fn setxattr(
        &mut self,
        _: &Request,
        ino: u64,
        name: &OsStr,
        value: &[u8],
        _: i32,
        _: u32,
        reply: ReplyEmpty,
    ) {
        if name != ATTRIBUTE {
            return reply.error(libc::EOPNOTSUPP);
        }
        match self.0.lay_out(ino, value) {
            Ok(()) => reply.ok(),
            Err(errno) => reply.error(errno),
        }
    }

    fn getxattr(&mut self, _: &Request, ino: u64, name: &OsStr, size: u32, reply: ReplyXattr) {
        if name != ATTRIBUTE {
            return reply.error(libc::ENODATA);
        }
        let Some(layout) = self.0.asked(ino) else {
            return reply.error(libc::ENODATA);
        };
        match size as usize {
            0 => reply.size(layout.len() as u32),
            room if room < layout.len() => reply.error(libc::ERANGE),
            _ => reply.data(&layout),
        }
    }
}
