//! Bytes that the sub-calls of a call moved, by file, and where they read.

use super::sub_calls::SubCall;
use crate::FileId;
use crate::stat::Touched;
use crate::sums::{add, sum};

/// Files whose bytes are counted apart.
const FILES: usize = 4;
/// Ranges of a file that calls on an object read and that are kept exactly.
pub(super) const PLACES: usize = 4096;

/// Bytes by file. The last place is for all files for which there is no other.
#[derive(Clone, Debug, Default)]
pub struct FilesBelow([FileBytes; FILES]);

/// Bytes of a file.
#[derive(Clone, Debug, Default)]
struct FileBytes {
    file: FileId,
    moved: [u64; 2],
    /// Where it was read, of calls on objects.
    read: Option<Box<Touched>>,
}

impl FileBytes {
    fn is_free(&self) -> bool {
        self.moved == [0, 0]
    }
}

impl FilesBelow {
    /// One sub-call more.
    pub fn add(&mut self, sub: &SubCall) {
        let Some(of_file) = self.bytes(sub.file, [sub.moved.read, sub.moved.written]) else {
            return;
        };
        if let (Ok(start), bytes @ 1..) = (u64::try_from(sub.offset), sub.moved.read) {
            let read = of_file.read.get_or_insert_default();
            read.add(start, start.saturating_add(bytes), PLACES);
        }
    }

    fn bytes(&mut self, file: FileId, moved: [u64; 2]) -> Option<&mut FileBytes> {
        if moved == [0, 0] {
            return None;
        }
        let is_it = |known: &FileBytes| known.file == file || known.is_free();
        let at = self.0.iter().position(is_it);
        let place = &mut self.0[at.unwrap_or(FILES - 1)];
        if place.is_free() {
            place.file = file;
        }
        add(&mut place.moved[0], moved[0]);
        add(&mut place.moved[1], moved[1]);
        Some(place)
    }

    /// Takes in what calls inside caused.
    pub fn merge(&mut self, inner: &FilesBelow) {
        for known in &inner.0 {
            let of_file = self.bytes(known.file, known.moved);
            if let (Some(of_file), Some(read)) = (of_file, &known.read) {
                let places = of_file.read.get_or_insert_default();
                places.merge((**read).clone(), PLACES);
            }
        }
    }

    /// Bytes read and written of a file. Where none is known under this name, MPI has another one for it: of a call that
    /// `moves` bytes they are those of the file of which most were moved.
    pub fn of_file(&self, file: FileId, moves: bool) -> [u64; 2] {
        self.known(file, moves).map_or([0, 0], |known| known.moved)
    }

    /// Where this file was read, as far as that is known.
    pub fn read_of(&self, file: FileId, moves: bool) -> Option<&Touched> {
        self.known(file, moves)?.read.as_deref()
    }

    fn known(&self, file: FileId, moves: bool) -> Option<&FileBytes> {
        let own = self.0.iter().find(|known| known.file == file);
        let most = || {
            let all = |known: &&FileBytes| sum(known.moved);
            self.0.iter().max_by_key(all).filter(|_| moves)
        };
        own.or_else(most)
    }

    /// Bytes read and written of all files.
    pub fn of_all(&self) -> [u64; 2] {
        [0, 1].map(|way| sum(self.0.iter().map(|known| known.moved[way])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Moved;
    use crate::servers::Servers;

    #[test]
    fn bytes_are_those_of_the_file_of_the_call() {
        let mut below = FilesBelow::default();
        let sub = |file, read, written| SubCall {
            file,
            start: 0,
            end: 1,
            moved: Moved { read, written },
            offset: -1,
            way: None,
            servers: Servers::default(),
        };
        for file in 1..=6 {
            below.add(&sub(file, u64::from(file), 0));
        }
        below.add(&sub(2, 0, 100));
        assert_eq!(below.of_file(2, false), [2, 100]);
        assert_eq!(
            below.of_file(99, true),
            [2, 100],
            "the one with the most bytes"
        );
        assert_eq!(below.of_file(99, false), [0, 0]);
        assert_eq!(below.of_all(), [21, 100]);
    }
}
