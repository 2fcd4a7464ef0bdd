//! Descriptors of trace files. A job that was never gathered has as many files as ranks, and a process may hold
//! far fewer open: the first ones stay open, of the others each is opened for as long as a read takes.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Files held open at once: well below the 1024 descriptors that many sites allow.
const HELD: usize = 256;

static HOLDING: AtomicUsize = AtomicUsize::new(0);

/// Bytes that are read together where several short pieces are wanted of them, as of the small parts of a run.
const WINDOW: usize = 64 << 10;
/// No longer piece is short. A longer one is taken from what was read together, if all of it is there.
const SHORT: usize = 1 << 10;
/// A file of no more bytes is read whole then.
const WHOLE: u64 = 512 << 10;

static NUMBERS: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static LAST: RefCell<ReadAhead> = RefCell::default();
}

/// A file that is held open, or opened when it is read.
#[derive(Debug)]
pub(super) struct TraceFile {
    file: Option<File>,
    length: u64,
    /// No other has it.
    number: u64,
}

impl TraceFile {
    /// The file at `path`, and its length.
    pub fn open(path: &Path) -> io::Result<(TraceFile, u64)> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        let room = HOLDING.fetch_update(Relaxed, Relaxed, |held| (held < HELD).then_some(held + 1));
        let descriptor = TraceFile {
            file: room.is_ok().then_some(file),
            length: len,
            number: NUMBERS.fetch_add(1, Relaxed),
        };
        Ok((descriptor, len))
    }

    /// Reads at a place; `path` is that of the file.
    pub fn read_at(&self, path: &Path, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if buffer.len() > WINDOW {
            return self.read(path, buffer, offset);
        }
        LAST.with_borrow_mut(|window| {
            let is_near = window.is_near((self.number, self.length), offset);
            let is_wanted = buffer.len() <= SHORT && is_near;
            if is_wanted && window.get(offset, buffer.len()).is_none() {
                let (start, length) = match self.length <= WHOLE {
                    true => (0, self.length as usize),
                    false => (offset - offset % WINDOW as u64, WINDOW),
                };
                window.fill(start, length, |bytes| self.read(path, bytes, start));
            }
            match window.get(offset, buffer.len()) {
                Some(found) => {
                    buffer.copy_from_slice(found);
                    Ok(buffer.len())
                }
                None => self.read(path, buffer, offset),
            }
        })
    }

    fn read(&self, path: &Path, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match &self.file {
            Some(file) => file.read_at(buffer, offset),
            None => File::open(path)?.read_at(buffer, offset),
        }
    }
}

/// A stretch of the file that a thread last read a short piece of.
#[derive(Default)]
struct ReadAhead {
    /// The file's number, and where that piece was.
    at: (u64, u64),
    start: u64,
    bytes: Vec<u8>,
    /// How many of them are the file's.
    filled: usize,
}

impl ReadAhead {
    /// True for a piece that is not far from the last one, which it is from now on.
    fn is_near(&mut self, (number, length): (u64, u64), offset: u64) -> bool {
        let (last, before) = std::mem::replace(&mut self.at, (number, offset));
        if last != number {
            self.filled = 0;
        }
        last == number && (length <= WHOLE || offset.abs_diff(before) < WINDOW as u64)
    }

    fn get(&self, offset: u64, length: usize) -> Option<&[u8]> {
        let from = offset.checked_sub(self.start)? as usize;
        self.bytes.get(..self.filled)?.get(from..)?.get(..length)
    }

    /// Where that fails, the piece is read by itself.
    fn fill(
        &mut self,
        start: u64,
        length: usize,
        read: impl FnOnce(&mut [u8]) -> io::Result<usize>,
    ) {
        self.start = start;
        if self.bytes.len() < length {
            self.bytes.resize(length, 0);
        }
        self.filled = read(&mut self.bytes[..length]).unwrap_or(0);
    }
}

impl Drop for TraceFile {
    fn drop(&mut self) {
        if self.file.is_some() {
            HOLDING.fetch_sub(1, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: usize = WHOLE as usize + 2 * WINDOW;

    fn file(
        name: &str,
        length: usize,
        byte: impl Fn(usize) -> u8,
    ) -> (std::path::PathBuf, Vec<u8>) {
        let name = format!("iota-{name}-{}", std::process::id());
        let (path, bytes) = (
            std::env::temp_dir().join(name),
            (0..length).map(byte).collect::<Vec<_>>(),
        );
        std::fs::write(&path, &bytes).unwrap();
        (path, bytes)
    }

    fn piece(of: &(TraceFile, std::path::PathBuf), at: usize, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        let found = of.0.read_at(&of.1, &mut bytes, at as u64).unwrap();
        bytes.truncate(found);
        bytes
    }

    #[test]
    fn short_pieces_near_each_other_are_read_together() {
        let (path, bytes) = file("window", LONG, |n| (n / 7) as u8);
        let of = (TraceFile::open(&path).unwrap().0, path);
        assert_eq!(piece(&of, 20, 48), bytes[20..68]);
        assert_eq!(piece(&of, 100, 48), bytes[100..148]);
        File::create(&of.1).unwrap();
        assert_eq!(piece(&of, 200, SHORT), bytes[200..200 + SHORT]);
        assert_eq!(piece(&of, WINDOW + 200, 48), [], "another window");
        assert_eq!(piece(&of, 300, SHORT + 1), bytes[300..300 + SHORT + 1]);
        assert_eq!(piece(&of, WINDOW - 10, SHORT + 1), [], "not all of it");
        std::fs::remove_file(&of.1).unwrap();
    }

    #[test]
    fn a_small_file_is_read_whole() {
        let (path, bytes) = file("whole", WHOLE as usize, |n| (n / 5) as u8);
        let of = (TraceFile::open(&path).unwrap().0, path);
        assert_eq!(piece(&of, 20, 48), bytes[20..68]);
        assert_eq!(piece(&of, 300_000, 48), bytes[300_000..300_048]);
        File::create(&of.1).unwrap();
        let end = bytes.len() - WINDOW;
        assert_eq!(piece(&of, end, WINDOW), bytes[end..]);
        assert_eq!(piece(&of, 0, WINDOW + 1), [], "a long piece");
        std::fs::remove_file(&of.1).unwrap();
    }

    #[test]
    fn pieces_are_those_of_their_file_and_place() {
        let both = [1, 3].map(|factor| {
            let (path, bytes) = file(&format!("pieces-{factor}"), LONG, |n| {
                (n * factor / 5) as u8
            });
            ((TraceFile::open(&path).unwrap().0, path), bytes)
        });
        let mut random = 1usize;
        for n in 0..if cfg!(miri) { 100 } else { 2000 } {
            random = random
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let (of, bytes) = &both[(random >> 40) % 2 * (n % 3 / 2)];
            let at = (random >> 20) % (bytes.len() + 100);
            let length = 1 + (random >> 50) % (SHORT + 10);
            let from = at.min(bytes.len());
            let until = (at + length).min(bytes.len());
            assert_eq!(piece(of, at, length), bytes[from..until], "{at}, {length}");
        }
        both.iter()
            .for_each(|((_, path), _)| std::fs::remove_file(path).unwrap());
    }
}
