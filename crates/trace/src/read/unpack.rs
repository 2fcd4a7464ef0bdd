//! The parts of a pack, as they were before it was made.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use miniz_oxide::inflate;

use crate::block::{Header, Ids, PREFIX, kind};
use crate::bytes::{Get, Put};
use crate::columns::unzigzag;
use crate::pack::{Clocks, IN_COLUMNS, MOST, OWN_ID, SHORT, column};
use crate::pack::{column_of, has_own_id, raw_bits};
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
    let (length, in_columns) = (length & !IN_COLUMNS, length & IN_COLUMNS != 0);
    if length > MOST {
        return None;
    }
    let raw = inflate::decompress_to_vec_with_limit(packed, length as usize).ok()?;
    let mut columns = Columns::of(&raw, in_columns)?;
    let (mut parts, mut clocks) = (Vec::new(), Clocks::default());
    while !columns.heads().0.is_empty() {
        parts.extend(Unpacked::read(&mut columns, &mut clocks)?);
    }
    (raw.len() == length as usize && columns.are_empty()).then_some(parts)
}

/// What is left of the columns of a pack, or of the one in which everything stands.
struct Columns<'a>(Vec<Get<'a>>);

impl<'a> Columns<'a> {
    fn of(raw: &'a [u8], in_columns: bool) -> Option<Self> {
        let mut rest = Get(raw);
        if !in_columns {
            return Some(Columns(vec![rest]));
        }
        let lengths: Vec<usize> = (1..column::COUNT)
            .map(|_| small(&mut rest))
            .collect::<Option<_>>()?;
        let columns = lengths
            .into_iter()
            .map(|length| rest.bytes(length).map(Get));
        let mut columns: Vec<Get> = columns.collect::<Option<_>>()?;
        columns.push(rest);
        Some(Columns(columns))
    }

    fn heads(&mut self) -> &mut Get<'a> {
        &mut self.0[0]
    }

    fn get(&mut self, column: usize) -> &mut Get<'a> {
        let is_one = self.0.len() == 1;
        &mut self.0[if is_one { 0 } else { column }]
    }

    fn are_empty(&self) -> bool {
        self.0.iter().all(|column| column.0.is_empty())
    }

    /// A payload of so many bytes.
    fn payload(&mut self, kind: u8, length: usize) -> Option<Cow<'a, [u8]>> {
        if kind != kind::EVENTS || self.0.len() == 1 {
            return self.get(column_of(kind)).bytes(length).map(Cow::from);
        }
        let first = self.get(column::EVENTS).bytes(length.min(PREFIX))?;
        let raw = self.get(column::RAW_BITS).bytes(raw_bits(first, length))?;
        let rest = length - first.len() - raw.len();
        let rest = self.get(column::EVENTS).bytes(rest)?;
        Some([first, raw, rest].concat().into())
    }
}

/// A part that comes out of a pack.
struct Unpacked {
    bytes: Vec<u8>,
    ids: Ids,
    /// Of the part before, until there are its own.
    clocks: Clocks,
    /// Of the block before.
    thread: u32,
    writer: PartWriter<Vec<Slot>>,
}

impl Unpacked {
    fn read(columns: &mut Columns, clocks: &mut Clocks) -> Option<Vec<u8>> {
        let get = columns.heads();
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
            thread: pid,
            writer: PartWriter::new(vec![[0; INDEX_ENTRY_SIZE]; ENTRIES]),
        };
        while of & !SHORT != kind::END {
            part.block(of, columns)?;
            of = columns.heads().u8().filter(|of| may_follow(*of))?;
        }
        part.block(of, columns)?;
        *clocks = part.clocks;
        part.close()
    }

    /// What stands behind a block's kind.
    fn block(&mut self, of: u8, columns: &mut Columns) -> Option<()> {
        let get = columns.heads();
        let (of, is_short) = (of & !SHORT, of & SHORT != 0);
        let thread = i64::from(self.thread).checked_add(signed(get)?)?;
        let thread = thread.try_into().ok()?;
        self.thread = if of == kind::PROCESS { 0 } else { thread };
        let ids = Ids { thread, ..self.ids };
        let count = small(get)?;
        let first = signed(get)?;
        let last = first.wrapping_add(signed(get)?);
        let (more, length): (u16, u32) = (small(get)?, small(get)?);
        let more = get.bytes(more.into())?;
        let (length, pid) = (length as usize, ids.pid);
        let payload = match is_short {
            true => Cow::from(payload(
                &self.clocks,
                pid,
                length,
                columns.get(column_of(of)),
            )?),
            false => columns.payload(of, length)?,
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
