//! From recorded calls to what each thread is to do, and what it has to wait for.
//!
//! Every wait is for calls that ended earlier in the recording, and every thread goes through its calls in the order of
//! their ends: so nothing waits in a circle.

use super::function::Function;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// A recorded call.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The process, by any numbers that tell processes apart.
    pub process: u32,
    /// The thread in it.
    pub thread: u32,
    /// The function's name.
    pub name: String,
    /// Whether it reads, or writes.
    pub moves: Option<bool>,
    /// Whether it is called on a stream.
    pub stream: bool,
    /// Whether it makes a descriptor, which it returns.
    pub makes: bool,
    /// The path; empty: none.
    pub path: Vec<u8>,
    /// The descriptor; -1: none.
    pub fd: i32,
    /// The position before it; -1: none.
    pub offset: i64,
    /// Bytes asked for; of an open its flags, and mode << 32; of a seek how far.
    pub length: u64,
    /// What it returned.
    pub ret: i64,
    /// Its errno.
    pub errno: u16,
    /// Of a seek.
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
    /// The function.
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
    /// Transfers that must have ended before: on the handle for a close, on the file for what cuts it.
    pub after: u32,
    /// Bytes that the file must have before.
    pub needs: u64,
    /// When it began, in ns since the first.
    pub at: u64,
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
    /// What was written so far
    end: u64,
    touched: bool,
    path_turns: u32,
    transfers: u32,
}

/// A descriptor or stream.
#[derive(Clone, Debug, Default)]
pub struct Handle {
    /// That was open from the start: its file and position.
    pub inherited: Option<(u32, u64)>,
    turns: u32,
    loose: u32,
}

impl Handle {
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
    /// The files.
    pub files: Vec<File>,
    /// The descriptors and streams.
    pub handles: Vec<Handle>,
    /// Calls by name that are not repeated, or as another function.
    pub left_out: BTreeMap<String, u64>,
    /// From the first start to the last end, in ns.
    pub recorded: u64,
}

/// Makes a script.
#[derive(Default)]
struct Maker {
    script: Script,
    by_path: HashMap<Vec<u8>, u32>,
    /// Handles by process and descriptor, the latest last
    open: HashMap<(u32, i32), VecDeque<u32>>,
    threads: HashMap<(u32, u32), usize>,
    origin: i64,
}

impl Script {
    /// Of all calls of a recording.
    pub fn new(mut calls: Vec<Recorded>) -> Script {
        calls.sort_by_key(|call| call.times.1);
        let repeated = repeated_parents(&calls);
        let origin = calls.iter().map(|call| call.times.0).min().unwrap_or(0);
        let last = calls.last().map_or(origin, |call| call.times.1);
        let mut maker = Maker {
            origin,
            ..Maker::default()
        };
        for call in &calls {
            if !repeated.contains(&(call.process, call.thread, call.parent)) {
                maker.add(call);
            }
        }
        maker.script.recorded = (last - origin) as u64;
        maker.script
    }
}

/// Calls that are repeated and have others inside, which are then not repeated by themselves.
fn repeated_parents(calls: &[Recorded]) -> HashSet<(u32, u32, u64)> {
    let inner = calls.iter().filter(|call| call.parent != 0);
    let parents: HashSet<_> = inner
        .map(|call| (call.process, call.thread, call.parent))
        .collect();
    let is_repeated = |call: &&Recorded| is_file(&call.path) && function(call).is_some();
    let keys = calls
        .iter()
        .filter(is_repeated)
        .map(|call| (call.process, call.thread, call.id));
    keys.filter(|key| parents.contains(key)).collect()
}

/// Its function, or one that moves bytes as it does.
fn function(call: &Recorded) -> Option<Function> {
    let like = |reads| Function::like(reads, call.stream, call.name.starts_with('p'));
    Function::named(&call.name).or_else(|| call.moves.filter(|_| call.offset >= 0).map(like))
}

/// Pipes, terminals and what the kernel makes up are no files to repeat anything on.
fn is_file(path: &[u8]) -> bool {
    let special = ["/dev/", "/proc/", "/sys/"].map(str::as_bytes);
    !path.is_empty()
        && (path.starts_with(b"/dev/shm/") || !special.iter().any(|start| path.starts_with(start)))
}

impl Maker {
    fn add(&mut self, call: &Recorded) {
        let (true, Some(function)) = (is_file(&call.path), function(call)) else {
            return self.leave_out(call);
        };
        let directory = function.opens() && call.length as i32 & libc::O_DIRECTORY != 0;
        if directory || !function.opens() && self.is_left_out(call, function) {
            return self.leave_out(call);
        }
        let failed = call.ret < 0 && !(call.stream && function.is_of_stream() && !function.opens());
        let missing = call.errno == libc::ENOENT as u16 || call.errno == libc::EEXIST as u16;
        // What failed for reasons of its process would not fail here, or elsewhere.
        if failed && !((function.opens() || function.is_of_path()) && missing) {
            return self.leave_out(call);
        }
        if function.name() != call.name
            && (function == Function::Dup || Function::named(&call.name).is_none())
        {
            self.count(format!("{} as {}", call.name, function.name()));
        }
        let file = self.file(&call.path);
        let made = self.call(call, function, file);
        let next = self.script.threads.len();
        let thread = *self
            .threads
            .entry((call.process, call.thread))
            .or_insert(next);
        if thread == next {
            self.script.threads.push(Vec::new());
        }
        self.script.threads[thread].push(made);
    }

    /// Calls on what such a call opens are left out, too.
    fn leave_out(&mut self, call: &Recorded) {
        if call.makes && call.ret >= 0 {
            self.open
                .entry((call.process, call.ret as i32))
                .or_default()
                .push_back(NONE);
        }
        if is_file(&call.path) {
            self.count(call.name.clone());
        }
    }

    /// Whether its descriptor is one that was not opened here; a close gives it up.
    fn is_left_out(&mut self, call: &Recorded, function: Function) -> bool {
        let open = self.open.get_mut(&(call.process, call.fd));
        let Some(open) = open.filter(|open| open.back() == Some(&NONE)) else {
            return false;
        };
        if function.closes() {
            open.pop_back();
        }
        true
    }

    fn count(&mut self, name: String) {
        *self.script.left_out.entry(name).or_default() += 1;
    }

    fn file(&mut self, path: &[u8]) -> u32 {
        let files = &mut self.script.files;
        *self.by_path.entry(path.to_owned()).or_insert_with(|| {
            files.push(File {
                original: path.to_owned(),
                ..File::default()
            });
            files.len() as u32 - 1
        })
    }

    fn call(&mut self, call: &Recorded, function: Function, file: u32) -> Call {
        let mut made = Call {
            function,
            handle: NONE,
            copy: NONE,
            inherits: false,
            file,
            offset: call.offset,
            // What another function does is asked for what it moved.
            length: if Function::named(&call.name).is_some() {
                call.length
            } else {
                call.ret as u64
            },
            ret: call.ret,
            whence: call.whence,
            turn: 0,
            path_turn: 0,
            after: 0,
            needs: 0,
            at: (call.times.0 - self.origin) as u64,
        };
        self.prepare(call, function, file, &mut made);
        let cuts = function.opens() && call.length as i32 & libc::O_TRUNC != 0;
        let files = &mut self.script.files[file as usize];
        if function.opens() || function.is_of_path() {
            made.path_turn = files.path_turns;
            files.path_turns += 1;
        }
        if cuts || function.is_of_path() || function == Function::Ftruncate {
            made.after = files.transfers;
        }
        if function.reads() || function.writes() {
            files.transfers += 1;
        }
        if function.is_of_path() || call.ret < 0 && function.opens() {
            return made;
        }
        made.handle = self.handle(call, function, file);
        if function == Function::Dup {
            made.copy = self.made(call);
        }
        if self.script.handles[made.handle as usize]
            .inherited
            .is_some()
        {
            made.inherits = true;
            made.path_turn = self.script.files[file as usize].path_turns;
        }
        let handle = &mut self.script.handles[made.handle as usize];
        if function.keeps_turn() {
            made.turn = handle.turns;
            handle.turns += 1;
        } else {
            handle.loose += 1;
        }
        if function.closes() {
            made.after = handle.loose;
        }
        made
    }

    /// The descriptor that a dup makes; dup2 closes what had its number.
    fn made(&mut self, call: &Recorded) -> u32 {
        let copy = self.script.handles.len() as u32;
        self.script.handles.push(Handle {
            turns: 1,
            ..Handle::default()
        });
        let open = self
            .open
            .entry((call.process, call.ret as i32))
            .or_default();
        open.clear();
        open.push_back(copy);
        copy
    }

    fn handle(&mut self, call: &Recorded, function: Function, file: u32) -> u32 {
        let next = self.script.handles.len() as u32;
        let fd = if function.opens() {
            call.ret as i32
        } else {
            call.fd
        };
        let open = self.open.entry((call.process, fd)).or_default();
        let handles = &mut self.script.handles;
        if function.opens() || open.is_empty() {
            // A process may have it from its parent, or from before the recording.
            let inherited = (!function.opens()).then(|| (file, call.offset.max(0) as u64));
            handles.push(Handle {
                inherited,
                turns: u32::from(inherited.is_some()),
                loose: 0,
            });
            open.retain(|handle| *handle != NONE);
            open.push_back(next);
        }
        let newest = open.back().copied().unwrap_or(next);
        // A number may be given to another before the close that freed it is seen to end.
        if function.closes() {
            open.pop_front().unwrap_or(newest)
        } else {
            newest
        }
    }

    /// What the file must be at the start, and at this call.
    fn prepare(&mut self, call: &Recorded, function: Function, file: u32, made: &mut Call) {
        let file = &mut self.script.files[file as usize];
        let flags = call.length as i32;
        let first = !std::mem::replace(&mut file.touched, true);
        let makes = function == Function::Mkdir || function.opens() && flags & libc::O_CREAT != 0;
        if first && call.ret >= 0 && !makes {
            file.length.get_or_insert(0);
        }
        if first && call.errno == libc::EEXIST as u16 {
            file.length.get_or_insert(0);
        }
        let moved = u64::try_from(call.ret).unwrap_or(0);
        let end = u64::try_from(call.offset).ok().map(|offset| offset + moved);
        let mut must_be = |length: u64| {
            if length > file.end.max(file.length.unwrap_or(0)) && length > 0 {
                file.length = Some(length);
            }
        };
        match end {
            Some(end) if function.reads() && moved > 0 => {
                must_be(end);
                made.needs = end;
            }
            Some(end) if function.writes() => file.end = file.end.max(end),
            _ if function == Function::Lseek && call.whence == libc::SEEK_END as u16 => {
                must_be((call.ret - call.length as i64).max(0) as u64);
            }
            _ if function == Function::Ftruncate => {
                file.end = file.end.max(call.offset.max(0) as u64)
            }
            _ => {}
        }
    }
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
            path: b"/scratch/a".to_vec(),
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
        assert_eq!(calls[4].after, 2, "close waits for both pread");
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
                path: b"/proc/self/maps".to_vec(),
                ..call("read", 3, 0, 10, 10)
            },
            call("flock", 3, -1, 0, 0),
            Recorded {
                moves: Some(true),
                stream: true,
                ..call("fgets", 3, 0, 10, 5)
            },
        ]));
        let told: Vec<_> = script
            .left_out
            .iter()
            .map(|(name, n)| (name.as_str(), *n))
            .collect();
        assert_eq!(told, [("fgets as fread", 1), ("flock", 1)]);
    }
}
