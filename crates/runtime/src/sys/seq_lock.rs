//! Bytes that seldom change and are read without a lock (a sequence lock): a count is odd while they change, and who finds it
//! odd, or another one afterwards, has read nothing.

use super::atomics::{AtomicU32, AtomicU64, Ordering::*, fence};

/// At most `WORDS` times eight bytes; none at all is "not known".
pub struct SeqLock<const WORDS: usize> {
    changes: AtomicU32,
    length: AtomicU32,
    words: [AtomicU64; WORDS],
}

impl<const WORDS: usize> SeqLock<WORDS> {
    /// Of a count, a length and words that are all 0.
    pub const fn of(changes: AtomicU32, length: AtomicU32, words: [AtomicU64; WORDS]) -> Self {
        SeqLock {
            changes,
            length,
            words,
        }
    }

    /// Whoever was changing them is not there any more.
    pub fn settle(&self) {
        self.changes.fetch_and(!1, Relaxed);
    }

    /// The count: as long as it is the same, and even, so are the bytes.
    pub fn changes(&self) -> u32 {
        self.changes.load(Acquire)
    }

    /// They changed: `look` gives them. Where another thread is about to ask, or this one below a signal handler, that one
    /// asks again.
    pub fn changed(&self, look: impl Fn(&mut [u64; WORDS]) -> usize) {
        let odd = |now: u32| Some(now.wrapping_add(1) | 1);
        let (Ok(before) | Err(before)) = self.changes.fetch_update(AcqRel, Relaxed, odd);
        if !before.is_multiple_of(2) {
            return;
        }
        let mut now = before.wrapping_add(1);
        loop {
            fence(Release);
            let mut words = [0; WORDS];
            let length = look(&mut words);
            let all = self.words.iter().zip(&words);
            all.for_each(|(word, now)| word.store(*now, Relaxed));
            self.length.store(length as u32, Relaxed);
            match self
                .changes
                .compare_exchange(now, now.wrapping_add(1), Release, Acquire)
            {
                Ok(_) => return,
                Err(other) => now = other,
            }
        }
    }

    /// Whether these are other bytes, as far as is known without a lock.
    pub fn differ(&self, words: &[u64; WORDS], length: usize) -> bool {
        let mut used = words.iter().zip(&self.words).take(length.div_ceil(8));
        let is_same = used.all(|(now, word)| *now == word.load(Relaxed));
        length == 0 || length != self.length.load(Relaxed) as usize || !is_same
    }

    /// The bytes into `to`, which has room for whole words; their number. None while they change, or are not known.
    pub fn read(&self, to: &mut [u8]) -> Option<usize> {
        let before = self.changes.load(Acquire);
        let length = self.length.load(Relaxed) as usize;
        if !before.is_multiple_of(2) || length == 0 {
            return None;
        }
        let room = to.chunks_exact_mut(8).zip(&self.words);
        room.take(length.div_ceil(8)).for_each(|(chunk, word)| {
            chunk.copy_from_slice(&word.load(Relaxed).to_le_bytes());
        });
        fence(Acquire);
        (self.changes.load(Relaxed) == before).then_some(length)
    }
}

/// Puts the bytes into words, as [`SeqLock::read`] takes them out; their number, 0 if they have no room.
pub fn fill(words: &mut [u64], bytes: &[u8]) -> usize {
    if bytes.len() > words.len().wrapping_mul(8) {
        return 0;
    }
    let chunks = bytes.chunks(8).zip(words);
    chunks.for_each(|(chunk, word)| {
        let mut whole = [0; 8];
        whole
            .iter_mut()
            .zip(chunk)
            .for_each(|(to, from)| *to = *from);
        *word = u64::from_le_bytes(whole);
    });
    bytes.len()
}
