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
/// No longer piece is short.
const SHORT: usize = 1 << 10;

static NUMBERS: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static LAST: RefCell<Window> = RefCell::default();
}

/// A file that is held open, or opened when it is read.
#[derive(Debug)]
pub(super) struct Descriptor {
    file: Option<File>,
    /// No other has it.
    number: u64,
}

impl Descriptor {
    /// The file at `path`, and its length.
    pub fn open(path: &Path) -> io::Result<(Descriptor, u64)> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        let room = HOLDING.fetch_update(Relaxed, Relaxed, |held| (held < HELD).then_some(held + 1));
        let descriptor = Descriptor {
            file: room.is_ok().then_some(file),
            number: NUMBERS.fetch_add(1, Relaxed),
        };
        Ok((descriptor, len))
    }

    /// Reads at a place; `path` is that of the file.
    pub fn read_at(&self, path: &Path, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if buffer.len() > SHORT {
            return self.read(path, buffer, offset);
        }
        LAST.with_borrow_mut(|window| {
            let is_near = window.is_near(self.number, offset);
            window.at = (self.number, offset);
            if is_near && window.get(offset, buffer.len()).is_none() {
                window.fill(offset, |bytes, start| self.read(path, bytes, start));
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
struct Window {
    /// The file's number, and where that piece was.
    at: (u64, u64),
    start: u64,
    bytes: Vec<u8>,
}

impl Window {
    /// True for a piece that is not far from the last one.
    fn is_near(&mut self, number: u64, offset: u64) -> bool {
        if self.at.0 != number {
            self.bytes.clear();
        }
        self.at.0 == number && offset.abs_diff(self.at.1) < WINDOW as u64
    }

    fn get(&self, offset: u64, length: usize) -> Option<&[u8]> {
        let from = offset.checked_sub(self.start)? as usize;
        self.bytes.get(from..)?.get(..length)
    }

    /// Where that fails, the piece is read by itself.
    fn fill(&mut self, offset: u64, read: impl FnOnce(&mut [u8], u64) -> io::Result<usize>) {
        self.start = offset - offset % WINDOW as u64;
        self.bytes.resize(WINDOW, 0);
        let filled = read(&mut self.bytes, self.start).unwrap_or(0);
        self.bytes.truncate(filled);
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        if self.file.is_some() {
            HOLDING.fetch_sub(1, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, byte: impl Fn(usize) -> u8) -> (std::path::PathBuf, Vec<u8>) {
        let name = format!("iota-{name}-{}", std::process::id());
        let (path, bytes) = (
            std::env::temp_dir().join(name),
            (0..4 * WINDOW).map(byte).collect::<Vec<_>>(),
        );
        std::fs::write(&path, &bytes).unwrap();
        (path, bytes)
    }

    fn piece(of: &(Descriptor, std::path::PathBuf), at: usize, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        let found = of.0.read_at(&of.1, &mut bytes, at as u64).unwrap();
        bytes.truncate(found);
        bytes
    }

    #[test]
    fn short_pieces_near_each_other_are_read_together() {
        let (path, bytes) = file("window", |n| (n / 7) as u8);
        let of = (Descriptor::open(&path).unwrap().0, path);
        assert_eq!(piece(&of, 20, 48), bytes[20..68]);
        assert_eq!(piece(&of, 100, 48), bytes[100..148]);
        File::create(&of.1).unwrap();
        assert_eq!(piece(&of, 200, SHORT), bytes[200..200 + SHORT]);
        assert_eq!(piece(&of, WINDOW + 200, 48), [], "another window");
        assert_eq!(
            piece(&of, 300, SHORT + 1),
            [],
            "a long piece is read by itself"
        );
        std::fs::remove_file(&of.1).unwrap();
    }

    #[test]
    fn pieces_are_those_of_their_file_and_place() {
        let both = [1, 3].map(|factor| {
            let (path, bytes) = file(&format!("pieces-{factor}"), |n| (n * factor / 5) as u8);
            ((Descriptor::open(&path).unwrap().0, path), bytes)
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
