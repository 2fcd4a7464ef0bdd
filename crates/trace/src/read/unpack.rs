//! The parts of a pack, as they were before it was made.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use miniz_oxide::inflate;

use crate::block::{Header, Ids, kind};
use crate::bytes::{Get, Put};
use crate::codec::unzigzag;
use crate::pack::{Clocks, FORM, MOST, OWN_ID, SHORT, has_own_id};
use crate::part::{INDEX_ENTRY_SIZE, PartWriter, Slot, anchor, field, tag, words};

/// Packs that are held though nobody reads in them.
const HELD: usize = 32;
/// Index entries of a part that are held before an index block is written.
const ENTRIES: usize = 256;

static RECENT: Mutex<VecDeque<Arc<Vec<u8>>>> = Mutex::new(VecDeque::new());

/// The parts of a pack, for as long as they are used or were not long ago.
#[derive(Debug, Default)]
pub struct Kept(Mutex<Weak<Vec<u8>>>);

impl Kept {
    /// They, made again if need be.
    pub fn get(&self, make: impl FnOnce() -> Option<Vec<u8>>) -> Option<Arc<Vec<u8>>> {
        let mut kept = locked(&self.0);
        if let Some(parts) = kept.upgrade() {
            return Some(parts);
        }
        let parts = Arc::new(make()?);
        *kept = Arc::downgrade(&parts);
        let mut recent = locked(&RECENT);
        recent.push_back(parts.clone());
        if recent.len() > HELD {
            recent.pop_front();
        }
        Some(parts)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The parts of a pack's payload, each with index and footer; `None` where it makes no sense.
pub fn unpacked(payload: &[u8]) -> Option<Vec<u8>> {
    let (length, packed) = payload.split_first_chunk()?;
    let length = u32::from_le_bytes(*length);
    let (length, is_early) = (length & !FORM, length & FORM == 0);
    if length > MOST {
        return None;
    }
    let raw = inflate::decompress_to_vec_with_limit(packed, length as usize).ok()?;
    let (mut get, mut parts, mut clocks) = (Get(&raw), Vec::new(), Clocks::default());
    while !get.0.is_empty() {
        parts.extend(Unpacked::read(&mut get, is_early, &mut clocks)?);
    }
    (raw.len() == length as usize).then_some(parts)
}

/// A part that comes out of a pack.
struct Unpacked {
    bytes: Vec<u8>,
    ids: Ids,
    /// Of the part before, until there are its own.
    clocks: Clocks,
    /// Of the block before; `None` in early traces, where each tells the distance to the process.
    thread: Option<u32>,
    writer: PartWriter<Vec<Slot>>,
}

impl Unpacked {
    fn read(get: &mut Get, is_early: bool, clocks: &mut Clocks) -> Option<Vec<u8>> {
        let mut of = get.u8().filter(|of| of & !SHORT == kind::PROCESS)?;
        let (rank, pid) = (small(get)?, small(get)?);
        let mut part = Unpacked {
            bytes: Vec::new(),
            ids: Ids {
                rank,
                pid,
                thread: pid,
            },
            clocks: *clocks,
            thread: (!is_early).then_some(pid),
            writer: PartWriter::new(vec![[0; INDEX_ENTRY_SIZE]; ENTRIES]),
        };
        while of & !SHORT != kind::END {
            part.block(of, get)?;
            of = get.u8().filter(|of| may_follow(*of))?;
        }
        part.block(of, get)?;
        *clocks = part.clocks;
        part.close()
    }

    /// What stands behind a block's kind.
    fn block(&mut self, of: u8, get: &mut Get) -> Option<()> {
        let (of, is_short) = (of & !SHORT, of & SHORT != 0);
        let before = self.thread.unwrap_or(self.ids.pid);
        let thread = i64::from(before).checked_add(signed(get)?)?;
        let thread = thread.try_into().ok()?;
        let next = if of == kind::PROCESS { 0 } else { thread };
        self.thread = self.thread.map(|_| next);
        let ids = Ids { thread, ..self.ids };
        let count = small(get)?;
        let first = signed(get)?;
        let last = first.wrapping_add(signed(get)?);
        let (more, length): (u16, u32) = (small(get)?, small(get)?);
        let more = get.bytes(more.into())?;
        let payload = match is_short {
            true => Cow::from(payload(&self.clocks, ids.pid, length as usize, get)?),
            false => Cow::from(get.bytes(length as usize)?),
        };
        if of == kind::PROCESS {
            self.clocks = Clocks::of(&payload);
        }
        let header = Header {
            first,
            last,
            ..Header::new(of, ids, count)
        };
        let head = header.sealed_longer(more, &payload);
        let at = self.bytes.len() as u64;
        self.bytes.extend(head);
        self.bytes.extend(more);
        self.bytes.extend(&*payload);
        let block = self.bytes.get(at as usize..)?;
        self.writer.add_block(at, &Header::parse(block)?);
        if self.writer.is_full() {
            self.index();
        }
        Some(())
    }

    fn index(&mut self) {
        let at = self.bytes.len() as u64;
        let (head, entries) = self.writer.index(self.ids);
        self.bytes.extend([&head, entries].concat());
        self.writer.indexed(Some(at));
    }

    fn close(mut self) -> Option<Vec<u8>> {
        let at = self.bytes.len();
        self.bytes.resize(at + self.writer.close_len(), 0);
        let room = self.bytes.get_mut(at..)?;
        self.writer.close(self.ids, at as u64, room)?;
        Some(self.bytes)
    }
}

/// A payload of so many bytes that was written short.
fn payload(clocks: &Clocks, pid: u32, length: usize, get: &mut Get) -> Option<Vec<u8>> {
    let (mut payload, mut at) = (Vec::new(), 0);
    while at < length {
        let tag = get.u16()?;
        let bytes = match tag {
            tag::START | tag::END | tag::RATE => Cow::default(),
            _ => text(tag, pid, get)?,
        };
        payload.resize(at + bytes.len().max(24) + 4, 0);
        let mut put = Put::new(payload.get_mut(at..)?);
        match tag {
            tag::START | tag::END => {
                let differences = [signed(get)?, signed(get)?, signed(get)?];
                anchor(&mut put, tag, clocks.anchor(differences));
            }
            tag::RATE => words(
                &mut put,
                tag,
                [clocks.rate.wrapping_add(signed(get)? as u64)],
            ),
            _ => field(&mut put, tag, &bytes),
        }
        at += put.done()?;
    }
    payload.truncate(at);
    (at == length).then_some(payload)
}

/// The bytes of a field, with the process id that was left out.
fn text<'t>(tag: u16, pid: u32, get: &mut Get<'t>) -> Option<Cow<'t, [u8]>> {
    let length = get.u16()?;
    let bytes = get.bytes(length.into())?;
    Some(match bytes.strip_suffix(&[OWN_ID]) {
        Some(text) if has_own_id(&tag) => [text, pid.to_string().as_bytes()].concat().into(),
        _ => bytes.into(),
    })
}

/// Kinds of blocks behind the first of a part.
fn may_follow(of: u8) -> bool {
    const END: u8 = kind::END | SHORT;
    match of {
        kind::PROCESS | kind::INDEX | kind::FOOTER | kind::PACK => false,
        _ => of < SHORT || of == END,
    }
}

fn small<T: TryFrom<u64>>(get: &mut Get) -> Option<T> {
    get.varint()?.try_into().ok()
}

fn signed(get: &mut Get) -> Option<i64> {
    get.varint().map(unzigzag)
}
