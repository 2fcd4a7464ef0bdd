//! The threads of a replay: each makes its calls when their time and their turn have come.

use super::act::{self, Opened};
use super::buffers::ThreadBuffer;
use super::function::Function;
use super::script::{Call, NONE, Role, Script};
use crate::api::Direction;
use crate::engine::{Barrier, stop};
use crate::options::Speed;
use crate::stats::Sum;
use crate::sys;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The longest nap of a thread whose time has not come.
const NAP: Duration = Duration::from_millis(20);
/// The most that Linux moves in one call
pub const LONGEST: u64 = 0x7fff_f000;
/// Looks at a turn before the thread lets others run.
const SPINS: u32 = 64;

/// What threads share.
pub struct Stage<'a> {
    script: &'a Script,
    paths: &'a [CString],
    speed: Speed,
    files: Vec<FileState>,
    handles: Vec<HandleState>,
    pub start: Barrier,
    pub began: AtomicU64,
    pub stopped: AtomicBool,
    pub failure: Mutex<Option<String>>,
}

#[derive(Default)]
struct FileState {
    path_turn: AtomicU32,
    cuts: AtomicU32,
    /// Since the last cut
    transfers: AtomicU32,
    met_end: AtomicU32,
    length: AtomicU64,
}

impl FileState {
    /// Whether all that the call needs of the file's data has been done.
    fn is_ready_for(&self, call: &Call) -> bool {
        let cuts = self.cuts.load(Acquire);
        let transfers = || self.transfers.load(Acquire) >= call.after;
        match call.role {
            Role::None => true,
            Role::Look => cuts > call.cut || cuts == call.cut && transfers(),
            Role::Cut => cuts == call.cut && transfers(),
            Role::Transfer { .. } => {
                let in_order = call.leaves == 0 || self.met_end.load(Acquire) >= call.after;
                cuts == call.cut && in_order && self.length.load(Acquire) >= call.needs
            }
        }
    }

    /// The call has been made.
    fn pass(&self, call: &Call) {
        match call.role {
            Role::None | Role::Look => {}
            // All transfers before it have ended, and those after it wait for it: nobody else is here.
            Role::Cut => {
                self.transfers.store(0, Release);
                self.met_end.store(0, Release);
                self.length.store(call.leaves, Release);
                self.cuts.fetch_add(1, Release);
            }
            Role::Transfer { met_end } => {
                self.length.fetch_max(call.leaves, Release);
                self.met_end.fetch_add(met_end.into(), Release);
                self.transfers.fetch_add(1, Release);
            }
        }
    }
}

struct HandleState {
    turn: AtomicU32,
    loose: AtomicU32,
    opened: Mutex<Opened>,
}

impl HandleState {
    fn new(turn: u32) -> HandleState {
        HandleState {
            turn: AtomicU32::new(turn),
            loose: AtomicU32::new(0),
            opened: Mutex::new(Opened::None),
        }
    }
}

/// The calls of a function.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// How many.
    pub calls: u64,
    /// Bytes.
    pub bytes: u64,
    /// Time in them, in ns.
    pub nanos: u64,
}

/// What a thread did.
#[derive(Default)]
pub struct ReplayResult {
    pub sum: Sum,
    pub functions: BTreeMap<Function, Tally>,
    pub other: (u64, Option<String>),
    pub ended: u64,
}

impl ReplayResult {
    pub fn merge(&mut self, from: &ReplayResult) {
        self.sum.merge(&from.sum);
        for (function, tally) in &from.functions {
            let own = self.functions.entry(*function).or_default();
            own.calls += tally.calls;
            own.bytes += tally.bytes;
            own.nanos += tally.nanos;
        }
        self.other.0 += from.other.0;
        self.other.1 = self.other.1.take().or_else(|| from.other.1.clone());
        self.ended = self.ended.max(from.ended);
    }
}

impl<'a> Stage<'a> {
    pub fn new(script: &'a Script, paths: &'a [CString], speed: Speed) -> Stage<'a> {
        let files = script.files.iter().map(|file| FileState {
            length: AtomicU64::new(file.length.unwrap_or(0)),
            ..FileState::default()
        });
        Stage {
            script,
            paths,
            speed,
            files: files.collect(),
            handles: script
                .handles
                .iter()
                .map(|handle| HandleState::new(handle.at_start()))
                .collect(),
            start: Barrier::new(script.threads.len() + 1),
            began: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            failure: Mutex::new(None),
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed) || stop::signal().is_some()
    }

    pub fn play(&self, calls: &[Call], room: ThreadBuffer) -> ReplayResult {
        let mut played = ReplayResult::default();
        self.start.wait();
        for call in calls {
            if !self.wait_for_time(call) || !self.wait_for_turn(call) {
                break;
            }
            self.make(call, room, &mut played);
        }
        played
    }

    fn wait_for_time(&self, call: &Call) -> bool {
        let Speed::Times(factor) = self.speed else {
            return !self.is_stopped();
        };
        let began = self.began.load(Relaxed);
        let due = began.saturating_add((call.at as f64 / factor) as u64);
        loop {
            let now = sys::now();
            if now >= due || self.is_stopped() {
                return !self.is_stopped();
            }
            std::thread::sleep(NAP.min(Duration::from_nanos(due - now)));
        }
    }

    fn wait_for_turn(&self, call: &Call) -> bool {
        let file = &self.files[call.file as usize];
        let of_path = call.function.opens() || call.function.is_of_path();
        let handle = (call.handle != NONE).then(|| &self.handles[call.handle as usize]);
        let is_due = || {
            let path = match (of_path, call.inherits) {
                (true, _) => file.path_turn.load(Acquire) == call.path_turn,
                (false, inherits) => !inherits || file.path_turn.load(Acquire) >= call.path_turn,
            };
            let turn = handle.is_none_or(|handle| match call.function.keeps_turn() {
                true => handle.turn.load(Acquire) == call.turn,
                false => handle.turn.load(Acquire) > 0,
            });
            let closes = !call.function.closes()
                || handle.is_none_or(|handle| handle.loose.load(Acquire) >= call.loose);
            path && file.is_ready_for(call) && turn && closes
        };
        let mut looks = 0;
        while !is_due() {
            if self.is_stopped() {
                return false;
            }
            looks += 1;
            if looks > SPINS {
                std::thread::yield_now()
            } else {
                std::hint::spin_loop()
            }
        }
        true
    }

    fn make(&self, call: &Call, room: ThreadBuffer, played: &mut ReplayResult) {
        let path = &self.paths[call.file as usize];
        let (start, result) = match self.handle(call) {
            Ok(mut opened) => {
                let start = sys::now();
                let result = act::act(call, path, &mut opened, room);
                (
                    start,
                    result.and_then(|ret| self.keep(call, opened).map(|()| ret)),
                )
            }
            Err(error) => (sys::now(), Err(error)),
        };
        self.take_down(call, result, (start, sys::now()), played);
        self.pass_turn(call);
    }

    /// What the call is made on; opened now if it was open before the recording.
    fn handle(&self, call: &Call) -> std::io::Result<Opened> {
        let Some(state) = self.handles.get(call.handle as usize) else {
            return Ok(Opened::None);
        };
        let mut opened = state.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let inherited = self.script.handles[call.handle as usize].inherited;
        if let (Opened::None, Some((file, position))) = (*opened, inherited) {
            *opened = act::inherited(&self.paths[file as usize], position)?;
        }
        Ok(*opened)
    }

    /// Keeps what the call made.
    fn keep(&self, call: &Call, opened: Opened) -> std::io::Result<()> {
        let put = |handle: u32, opened: Opened| {
            if let Some(state) = self.handles.get(handle as usize) {
                *state.opened.lock().unwrap_or_else(PoisonError::into_inner) = opened;
            }
        };
        if call.function == Function::Dup {
            put(call.copy, opened.dup()?);
        } else if call.function.is_of_stream() || call.function.opens() {
            put(call.handle, opened);
        }
        Ok(())
    }

    fn take_down(
        &self,
        call: &Call,
        result: std::io::Result<i64>,
        (start, end): (u64, u64),
        played: &mut ReplayResult,
    ) {
        played.ended = end;
        let moves = call.function.reads() || call.function.writes();
        let bytes = if moves {
            *result.as_ref().unwrap_or(&0)
        } else {
            0
        }
        .max(0) as u64;
        let bytes = if matches!(call.function, Function::Fgetc | Function::Fputc) {
            1
        } else {
            bytes
        };
        let tally = played.functions.entry(call.function).or_default();
        tally.calls += 1;
        tally.bytes += bytes;
        tally.nanos += end - start;
        if moves {
            let direction = if call.function.reads() {
                Direction::Read
            } else {
                Direction::Write
            };
            played.sum.add(direction, bytes, end - start);
        }
        let same = match &result {
            Ok(ret) => {
                call.ret >= 0
                    && (!moves || call.function.is_of_stream() && bytes == 1 || *ret == call.ret)
            }
            Err(_) => call.ret < 0,
        };
        if same {
            return;
        }
        let message = || {
            format!(
                "{}: {} returned {}, but {} in the recording",
                sys::path_of(&self.paths[call.file as usize]).display(),
                call.function.name(),
                result
                    .as_ref()
                    .map_or_else(|error| error.to_string(), |ret| ret.to_string()),
                call.ret
            )
        };
        if result.is_err() && !call.function.is_of_path() {
            self.stopped.store(true, Relaxed);
            self.failure
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert_with(message);
            return;
        }
        played.other.0 += 1;
        played.other.1.get_or_insert_with(message);
    }

    fn pass_turn(&self, call: &Call) {
        let file = &self.files[call.file as usize];
        file.pass(call);
        if call.function.opens() || call.function.is_of_path() {
            file.path_turn.fetch_add(1, Release);
        }
        if let Some(copy) = self.handles.get(call.copy as usize) {
            copy.turn.fetch_add(1, Release);
        }
        if call.handle != NONE {
            let handle = &self.handles[call.handle as usize];
            let count = if call.function.keeps_turn() {
                &handle.turn
            } else {
                &handle.loose
            };
            count.fetch_add(1, Release);
        }
    }
}
