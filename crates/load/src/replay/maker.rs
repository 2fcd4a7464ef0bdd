//! Makes a script of recorded calls, one after another in the order of their ends.
//!
//! Every wait is for calls that ended earlier in the recording, and every thread goes through its calls in the order of
//! their ends: so nothing waits in a circle.

use super::function::Function;
use super::script::{Call, File, NONE, Recorded, ReplayHandle, Role, Script};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

impl Script {
    /// Of all calls of a recording.
    pub fn new(mut calls: Vec<Recorded>) -> Script {
        calls.sort_by_key(|call| call.times.1);
        let repeated = repeated_parents(&calls);
        let origin = calls.iter().map(|call| call.times.0).min().unwrap_or(0);
        let last = calls.last().map_or(origin, |call| call.times.1);
        let mut maker = Maker::new(origin);
        for call in &calls {
            if !repeated.contains(&(call.process, call.thread, call.parent)) {
                maker.add(call);
            }
        }
        maker.script.recorded = last.wrapping_sub(origin) as u64;
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

/// Makes a script.
#[derive(Default)]
struct Maker {
    script: Script,
    by_path: HashMap<Arc<[u8]>, u32>,
    /// Handles by process and descriptor, the latest last
    open: HashMap<(u32, i32), VecDeque<u32>>,
    threads: HashMap<(u32, u32), usize>,
    origin: i64,
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
    /// Whose times count from `origin`.
    fn new(origin: i64) -> Maker {
        Maker {
            origin,
            ..Maker::default()
        }
    }

    /// The next call.
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
        if function.name() != &*call.name
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
            self.count(call.name.to_string());
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

    fn file(&mut self, path: &Arc<[u8]>) -> u32 {
        let files = &mut self.script.files;
        *self.by_path.entry(path.clone()).or_insert_with(|| {
            files.push(File {
                original: path.to_vec(),
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
            loose: 0,
            role: Role::None,
            cut: 0,
            after: 0,
            needs: 0,
            leaves: 0,
            at: call.times.0.wrapping_sub(self.origin) as u64,
        };
        let of_path = function.is_of_path();
        if function.opens() || of_path {
            let turns = &mut self.script.files[file as usize].path_turns;
            made.path_turn = *turns;
            *turns += 1;
        }
        if !of_path && (call.ret >= 0 || !function.opens()) {
            self.on_handle(call, &mut made);
        }
        self.on_file(call, &mut made);
        made
    }

    /// Its turn on its descriptor or stream.
    fn on_handle(&mut self, call: &Recorded, made: &mut Call) {
        let function = made.function;
        made.handle = self.handle(call, function, made.file);
        if function == Function::Dup {
            made.copy = self.made(call, made.handle);
        }
        let handle = &mut self.script.handles[made.handle as usize];
        if handle.inherited.is_some() {
            made.inherits = true;
            made.path_turn = self.script.files[made.file as usize].path_turns;
        }
        if function.keeps_turn() {
            made.turn = handle.turns;
            handle.turns += 1;
        } else {
            handle.loose += 1;
        }
        if function.closes() {
            made.loose = handle.loose;
        }
    }

    /// What it waits for among the calls on its file's data, and what it leaves to those after it.
    fn on_file(&mut self, call: &Recorded, made: &mut Call) {
        self.at_start(call, made);
        made.leaves = self.leaves(call, made);
        made.role = role(call, made);
        let handle = self.script.handles.get(made.handle as usize);
        // It goes behind what was written before, and what comes after goes behind it.
        let appends = made.leaves > 0 && handle.is_some_and(|handle| handle.appends);
        if appends && made.role != Role::Cut {
            made.role = Role::Transfer { met_end: true };
        }
        let file = &mut self.script.files[made.file as usize];
        made.cut = file.cuts;
        match made.role {
            Role::None => {}
            Role::Look => made.after = file.transfers,
            Role::Cut => {
                made.after = file.transfers;
                file.cuts += 1;
                (file.transfers, file.met_end, file.held) = (0, 0, 0);
                file.end = made.leaves;
                file.made = true;
            }
            Role::Transfer { met_end } => {
                made.needs = match from_end(call, made) || appends {
                    true => file.end,
                    false => needs(call, made).min(file.end),
                };
                if made.leaves > 0 {
                    made.after = file.met_end;
                }
                file.transfers += 1;
                file.met_end += u32::from(met_end);
                file.end = file.end.max(made.leaves);
            }
        }
    }

    /// What the file must be before the first call, so that it is at this one as it was.
    fn at_start(&mut self, call: &Recorded, made: &Call) {
        let file = &mut self.script.files[made.file as usize];
        let flags = made.length as i32;
        let first = !std::mem::replace(&mut file.touched, true);
        let makes =
            made.function == Function::Mkdir || made.function.opens() && flags & libc::O_CREAT != 0;
        if first && (call.ret >= 0 && !makes || call.errno == libc::EEXIST as u16) {
            file.length.get_or_insert(0);
        }
        let alone = made.function.opens() && call.ret >= 0 && flags & libc::O_EXCL != 0;
        file.made |= alone;
        let needs = needs(call, made);
        if needs > file.end.max(file.held) && !file.made {
            file.length = Some(needs);
            file.end = needs;
        }
    }

    /// How long the file is after the call, at least; a stream may hold back what it was given.
    fn leaves(&mut self, call: &Recorded, made: &Call) -> u64 {
        let end = end(call, made.function).filter(|_| made.function.writes());
        let offset = u64::try_from(call.offset).unwrap_or(0);
        match self.script.handles.get_mut(made.handle as usize) {
            _ if made.function == Function::Ftruncate => offset,
            Some(handle) if made.function.is_of_stream() && end.is_some() => {
                handle.held = handle.held.max(end.unwrap_or(0));
                let file = &mut self.script.files[made.file as usize];
                file.held = file.held.max(handle.held);
                0
            }
            Some(handle) if made.function.empties() => std::mem::take(&mut handle.held),
            _ => end.unwrap_or(0),
        }
    }

    /// The descriptor that a dup makes; dup2 closes what had its number.
    fn made(&mut self, call: &Recorded, of: u32) -> u32 {
        let copy = self.script.handles.len() as u32;
        let appends = self.script.handles[of as usize].appends;
        self.script.handles.push(ReplayHandle {
            turns: 1,
            appends,
            ..ReplayHandle::default()
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
            handles.push(ReplayHandle {
                appends: function.opens() && call.length as i32 & libc::O_APPEND != 0,
                inherited,
                turns: u32::from(inherited.is_some()),
                ..ReplayHandle::default()
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
}

/// Bytes that a transfer moved; a call that moves one returns which.
fn moved(call: &Recorded, function: Function) -> u64 {
    match function {
        Function::Fgetc | Function::Fputc => u64::from(call.ret >= 0),
        _ => call.ret.max(0) as u64,
    }
}

/// Where it ended.
fn end(call: &Recorded, function: Function) -> Option<u64> {
    let offset = u64::try_from(call.offset).ok()?;
    Some(offset + moved(call, function))
}

fn from_end(call: &Recorded, made: &Call) -> bool {
    let seeks = [Function::Lseek, Function::Fseek, Function::Fseeko].contains(&made.function);
    seeks && call.ret >= 0 && call.whence == libc::SEEK_END as u16
}

/// How long the file was at the call, at least.
fn needs(call: &Recorded, made: &Call) -> u64 {
    match end(call, made.function) {
        Some(end) if made.function.reads() && moved(call, made.function) > 0 => end,
        _ if made.function == Function::Lseek && from_end(call, made) => {
            call.ret.saturating_sub(call.length as i64).max(0) as u64
        }
        _ => 0,
    }
}

fn role(call: &Recorded, made: &Call) -> Role {
    let function = made.function;
    let well = call.ret >= 0;
    let cuts = function == Function::Ftruncate
        || function == Function::Unlink
        || function.opens() && made.length as i32 & libc::O_TRUNC != 0;
    if cuts && well {
        Role::Cut
    } else if function.is_of_path() {
        Role::Look
    } else if function.reads() {
        let asked = if function == Function::Fgetc {
            1
        } else {
            made.length
        };
        Role::Transfer {
            met_end: moved(call, function) < asked,
        }
    } else if function.writes() || made.leaves > 0 || from_end(call, made) {
        Role::Transfer {
            met_end: from_end(call, made),
        }
    } else {
        Role::None
    }
}
