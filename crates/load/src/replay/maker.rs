//! Makes a script, call after call in the order of their ends.

use super::function::Function;
use super::script::{Call, File, Handle, NONE, Recorded, Script};
use std::collections::{HashMap, VecDeque};

/// Makes a script.
#[derive(Default)]
pub struct Maker {
    pub script: Script,
    by_path: HashMap<Vec<u8>, u32>,
    /// Handles by process and descriptor, the latest last
    open: HashMap<(u32, i32), VecDeque<u32>>,
    threads: HashMap<(u32, u32), usize>,
    origin: i64,
}

/// Its function, or one that moves bytes as it does.
pub fn function(call: &Recorded) -> Option<Function> {
    let like = |reads| Function::like(reads, call.stream, call.name.starts_with('p'));
    Function::named(&call.name).or_else(|| call.moves.filter(|_| call.offset >= 0).map(like))
}

/// Pipes, terminals and what the kernel makes up are no files to repeat anything on.
pub fn is_file(path: &[u8]) -> bool {
    let special = ["/dev/", "/proc/", "/sys/"].map(str::as_bytes);
    !path.is_empty()
        && (path.starts_with(b"/dev/shm/") || !special.iter().any(|start| path.starts_with(start)))
}

impl Maker {
    /// Whose times count from `origin`.
    pub fn new(origin: i64) -> Maker {
        Maker {
            origin,
            ..Maker::default()
        }
    }

    /// The next call.
    pub fn add(&mut self, call: &Recorded) {
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
