//! What was recorded, and what each thread is to do: its calls, and what each of them has to wait for.

use super::function::Function;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A recorded call.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The process, by any numbers that tell processes apart.
    pub process: u32,
    /// The thread, by its number in the process.
    pub thread: u32,
    /// The function's name.
    pub name: Arc<str>,
    /// Whether it reads, or writes.
    pub moves: Option<bool>,
    /// Whether it is called on a stream.
    pub stream: bool,
    /// Whether it makes a descriptor, which it returns.
    pub makes: bool,
    /// The path; empty: none.
    pub path: Arc<[u8]>,
    /// The descriptor; -1: none.
    pub fd: i32,
    /// The position before it; -1: none.
    pub offset: i64,
    /// Bytes asked for; of an open its flags, and mode << 32; of a seek how far.
    pub length: u64,
    /// What it returned.
    pub ret: i64,
    /// The error number; 0: it did not fail.
    pub errno: u16,
    /// Of a seek: SEEK_SET, SEEK_CUR, ...
    pub whence: u16,
    /// When it began and ended, in ns.
    pub times: (i64, i64),
    /// Its number in its thread.
    pub id: u64,
    /// That of the call around it, 0 for none.
    pub parent: u64,
}

/// A call to make.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// What to call.
    pub function: Function,
    /// The descriptor or stream, of those in the script; `u32::MAX`: none.
    pub handle: u32,
    /// The file, of those in the script.
    pub file: u32,
    /// Where; -1: at the position.
    pub offset: i64,
    /// As recorded.
    pub length: u64,
    /// As recorded.
    pub ret: i64,
    /// As recorded.
    pub whence: u16,
    /// The descriptor that a dup makes.
    pub copy: u32,
    /// Whether the handle is opened by whoever uses it first.
    pub inherits: bool,
    /// Its turn on its handle, or on its file where it is about the path.
    pub turn: u32,
    /// Its turn among the calls on its file's path, of an open.
    pub path_turn: u32,
    /// Transfers on the handle that must have ended before, of a close.
    pub loose: u32,
    /// What it is to the file's data.
    pub role: Role,
    /// How often the file has been cut before.
    pub cut: u32,
    /// Transfers since then that must have ended before, of a cut or a look; of a write those that met the file's end.
    pub after: u32,
    /// Bytes that the file must have before.
    pub needs: u64,
    /// Bytes that the file has afterwards, at least.
    pub leaves: u64,
    /// When it began, in ns since the first.
    pub at: u64,
}

/// What a call is to the data of its file, which says whom it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It neither needs nor changes them.
    None,
    /// It needs the data and the cuts before it, and writes where reads have met the end before.
    Transfer {
        /// Whether it met the end of the file, which no write may move before that.
        met_end: bool,
    },
    /// It shortens or removes the file, after all transfers before it.
    Cut,
    /// It asks about the file, after the transfers before it; nobody waits for it.
    Look,
}

/// No handle.
pub const NONE: u32 = u32::MAX;

/// A file as it must be before.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// Its path in the recording.
    pub original: Vec<u8>,
    /// Its length at the start; `None`: it is not there.
    pub length: Option<u64>,
    /// How long it is by the calls so far
    pub(super) end: u64,
    /// Where the bytes end that streams may still hold back
    pub(super) held: u64,
    /// Whether its first data came from the calls
    pub(super) made: bool,
    pub(super) touched: bool,
    pub(super) path_turns: u32,
    pub(super) cuts: u32,
    /// Since the last cut
    pub(super) transfers: u32,
    pub(super) met_end: u32,
}

/// A descriptor or stream.
#[derive(Clone, Debug, Default)]
pub struct ReplayHandle {
    /// That was open from the start: its file and position.
    pub inherited: Option<(u32, u64)>,
    pub(super) turns: u32,
    pub(super) loose: u32,
    /// Whether it writes at the end of its file, wherever that is
    pub(super) appends: bool,
    /// Where the bytes end that a stream may still hold back
    pub(super) held: u64,
}

impl ReplayHandle {
    /// The turn that is the first to be taken.
    pub fn at_start(&self) -> u32 {
        u32::from(self.inherited.is_some())
    }
}

/// What is to be done.
#[derive(Debug, Default)]
pub struct Script {
    /// The calls of each thread.
    pub threads: Vec<Vec<Call>>,
    /// Files that the calls use, by number.
    pub files: Vec<File>,
    /// The descriptors and streams.
    pub handles: Vec<ReplayHandle>,
    /// Calls by name that are not repeated, or as another function.
    pub left_out: BTreeMap<String, u64>,
    /// From the first start to the last end, in ns.
    pub recorded: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, fd: i32, offset: i64, length: u64, ret: i64) -> Recorded {
        Recorded {
            process: 1,
            thread: 1,
            name: name.into(),
            moves: None,
            stream: false,
            makes: name == "open",
            path: b"/scratch/a".as_slice().into(),
            fd,
            offset,
            length,
            ret,
            errno: 0,
            whence: 0,
            times: (0, 0),
            id: 0,
            parent: 0,
        }
    }

    fn in_order(calls: Vec<Recorded>) -> Vec<Recorded> {
        let numbered = calls.into_iter().zip(1..);
        numbered
            .map(|(call, n)| Recorded {
                times: (n * 10, n * 10 + 5),
                id: n as u64,
                ..call
            })
            .collect()
    }

    #[test]
    fn a_file_is_as_long_as_what_is_read_before_it_is_written() {
        let script = Script::new(in_order(vec![
            call("open64", -1, -1, libc::O_RDWR as u64, 3),
            call("write", 3, 0, 100, 100),
            call("pread64", 3, 0, 100, 100),
            call("pread64", 3, 500, 100, 100),
            call("close", 3, -1, 0, 0),
        ]));
        assert_eq!(script.files[0].length, Some(600));
        let calls = &script.threads[0];
        assert_eq!((calls.len(), script.handles.len()), (5, 1));
        assert_eq!(calls[4].loose, 2, "close waits for both pread");
        assert_eq!((calls[1].turn, calls[4].turn), (1, 2));
    }

    #[test]
    fn a_file_that_is_made_is_not_there_before() {
        let flags = (libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL) as u64;
        let script = Script::new(in_order(vec![
            call("open", -1, -1, flags, 3),
            call("write", 3, 0, 10, 10),
        ]));
        assert_eq!(script.files[0].length, None);
    }

    #[test]
    fn a_cut_waits_for_transfers_and_what_follows_for_the_cut() {
        let cut = (libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC) as u64;
        let other = |call| Recorded { process: 2, ..call };
        let script = Script::new(in_order(vec![
            call("open", -1, -1, cut, 3),
            call("write", 3, 0, 100, 100),
            other(call("open", -1, -1, 0, 3)),
            other(call("read", 3, 0, 512, 100)),
            other(call("read", 3, 100, 512, 0)),
            call("write", 3, 100, 50, 50),
            call("open", -1, -1, cut, 4),
            call("write", 4, 0, 7, 7),
            other(call("pread64", 3, 0, 512, 7)),
        ]));
        let [writer, reader] = &script.threads[..] else {
            panic!("two threads")
        };
        let met_end = Role::Transfer { met_end: true };
        assert_eq!((reader[1].needs, reader[1].role), (100, met_end));
        assert_eq!(
            (writer[2].leaves, writer[2].after),
            (150, 2),
            "after both reads that met the end"
        );
        assert_eq!(
            (writer[3].role, writer[3].cut, writer[3].after),
            (Role::Cut, 1, 4)
        );
        assert_eq!((writer[4].cut, reader[3].cut), (2, 2));
        assert_eq!(reader[3].needs, 7);
        assert_eq!(script.files[0].length, None);
    }

    #[test]
    fn appends_come_one_behind_the_other() {
        let append = (libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND) as u64;
        let other = |call| Recorded { process: 2, ..call };
        let script = Script::new(in_order(vec![
            call("open", -1, -1, append, 3),
            other(call("open", -1, -1, append, 3)),
            call("write", 3, 0, 100, 100),
            other(call("write", 3, 100, 50, 50)),
            call("write", 3, 150, 7, 7),
        ]));
        let [first, second] = &script.threads[..] else {
            panic!("two threads")
        };
        assert_eq!((first[1].needs, first[1].after), (0, 0));
        assert_eq!((second[1].needs, second[1].after), (100, 1));
        assert_eq!((first[2].needs, first[2].after), (150, 2));
    }

    #[test]
    fn what_a_stream_was_given_is_there_when_it_is_closed() {
        let cut = (libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC) as u64;
        let stream = |call| Recorded {
            stream: true,
            ..call
        };
        let script = Script::new(in_order(vec![
            stream(call("fopen", -1, -1, cut, 3)),
            stream(call("fwrite", 3, 0, 100, 100)),
            stream(call("fputc", 3, 100, 1, 65)),
            stream(call("fclose", 3, -1, 0, 0)),
        ]));
        let leaves: Vec<u64> = script.threads[0].iter().map(|call| call.leaves).collect();
        assert_eq!(leaves, [0, 0, 0, 101]);
    }

    #[test]
    fn a_call_inside_a_repeated_one_is_not_repeated() {
        let mut calls = in_order(vec![
            call("open", -1, -1, 0, 3),
            Recorded {
                parent: 3,
                ..call("read", 3, 0, 4096, 100)
            },
            call("fread", 3, 0, 100, 100),
        ]);
        calls[1].parent = 3;
        let script = Script::new(calls);
        let functions: Vec<Function> = script.threads[0].iter().map(|call| call.function).collect();
        assert_eq!(functions, [Function::Open, Function::Fread]);
    }

    #[test]
    fn what_is_not_repeated_is_counted() {
        let script = Script::new(in_order(vec![
            Recorded {
                path: b"/proc/self/maps".as_slice().into(),
                ..call("read", 3, 0, 10, 10)
            },
            call("flock", 3, -1, 0, 0),
            Recorded {
                moves: Some(true),
                stream: true,
                ..call("fgets", 3, 0, 10, 5)
            },
        ]));
        let replaced: Vec<_> = script
            .left_out
            .iter()
            .map(|(name, n)| (name.as_str(), *n))
            .collect();
        assert_eq!(replaced, [("fgets as fread", 1), ("flock", 1)]);
    }
}
