//! The parts of a pack, as they were before it was made.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use miniz_oxide::inflate;

use crate::block::{Header, Ids, kind};
use crate::bytes::Get;
use crate::codec::unzigzag;
use crate::pack::MOST;
use crate::part::{INDEX_ENTRY_SIZE, PartWriter, Slot};

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
    if length > MOST {
        return None;
    }
    let raw = inflate::decompress_to_vec_with_limit(packed, length as usize).ok()?;
    let (mut get, mut parts) = (Get(&raw), Vec::new());
    while !get.0.is_empty() {
        parts.extend(Unpacked::read(&mut get)?);
    }
    (raw.len() == length as usize).then_some(parts)
}

/// A part that comes out of a pack.
struct Unpacked {
    bytes: Vec<u8>,
    ids: Ids,
    writer: PartWriter<Vec<Slot>>,
}

impl Unpacked {
    fn read(get: &mut Get) -> Option<Vec<u8>> {
        let mut of = get.u8().filter(|of| *of == kind::PROCESS)?;
        let (rank, pid) = (small(get)?, small(get)?);
        let mut part = Unpacked {
            bytes: Vec::new(),
            ids: Ids {
                rank,
                pid,
                thread: pid,
            },
            writer: PartWriter::new(vec![[0; INDEX_ENTRY_SIZE]; ENTRIES]),
        };
        while of != kind::END {
            part.block(of, get)?;
            of = get.u8().filter(|of| may_follow(*of))?;
        }
        part.block(of, get)?;
        part.close()
    }

    /// What stands behind a block's kind.
    fn block(&mut self, of: u8, get: &mut Get) -> Option<()> {
        let thread = i64::from(self.ids.pid).checked_add(signed(get)?)?;
        let ids = Ids {
            thread: thread.try_into().ok()?,
            ..self.ids
        };
        let count = small(get)?;
        let first = signed(get)?;
        let last = first.wrapping_add(signed(get)?);
        let (more, length): (u16, u32) = (small(get)?, small(get)?);
        let more = get.bytes(more.into())?;
        let payload = get.bytes(length as usize)?;
        let header = Header {
            first,
            last,
            ..Header::new(of, ids, count)
        };
        let head = header.sealed_longer(more, payload);
        let at = self.bytes.len() as u64;
        self.bytes.extend(head);
        self.bytes.extend(more);
        self.bytes.extend(payload);
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

/// Kinds of blocks behind the first of a part.
fn may_follow(of: u8) -> bool {
    !matches!(of, kind::PROCESS | kind::INDEX | kind::FOOTER | kind::PACK)
}

fn small<T: TryFrom<u64>>(get: &mut Get) -> Option<T> {
    get.varint()?.try_into().ok()
}

fn signed(get: &mut Get) -> Option<i64> {
    get.varint().map(unzigzag)
}
