//! What the fields of a call are written against: where the calls before it in its block left its descriptor, and how many
//! files and calls there were.

/// Descriptors that are followed at once.
const DESCRIPTORS: usize = 128;

/// How the file of a call is written.
mod file {
    /// The file that the last call on the same descriptor had.
    pub const OF_DESCRIPTOR: i64 = 0;
    /// The number after the highest one.
    pub const NEXT: i64 = 1;
    /// With this more: its number.
    pub const OTHER: i64 = 2;
}

/// A descriptor, and where the last call on it left it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Descriptor {
    fd: i32,
    file: u32,
    pub position: i64,
}

/// Descriptors by their low bits, each of which takes the place of another; and the highest number of a file.
#[repr(C)]
pub struct State {
    descriptors: [Descriptor; DESCRIPTORS],
    highest_file: u32,
}

impl State {
    pub const NEW: State = State {
        descriptors: [Descriptor {
            fd: 0,
            file: 0,
            position: 0,
        }; DESCRIPTORS],
        highest_file: 0,
    };

    /// For a new block.
    pub fn begin(&mut self, highest_file: u32) {
        *self = State {
            highest_file,
            ..State::NEW
        };
    }

    #[inline(always)]
    pub fn descriptor(&mut self, fd: i32) -> &mut Descriptor {
        let place = &mut self.descriptors[fd as usize & (DESCRIPTORS - 1)];
        if place.fd != fd {
            *place = Descriptor {
                fd,
                file: 0,
                position: 0,
            };
        }
        place
    }

    /// A call on the descriptor has this file; how it is written.
    #[inline(always)]
    pub fn file(&mut self, fd: i32, file: u32) -> i64 {
        let highest = self.highest_file;
        let descriptor = self.descriptor(fd);
        if file == descriptor.file {
            return file::OF_DESCRIPTOR;
        }
        descriptor.file = file;
        if file == highest.wrapping_add(1) {
            self.highest_file = file;
            return file::NEXT;
        }
        self.highest_file = highest.max(file);
        i64::from(file).wrapping_add(file::OTHER)
    }

    /// A call without a descriptor that returned one opened it.
    #[inline(always)]
    pub fn open(&mut self, fd: i32, file: u32, ret: i64) {
        if fd == -1 && file != 0 && (1..=i64::from(i32::MAX)).contains(&ret) {
            let opened = self.descriptor(ret as i32);
            (opened.file, opened.position) = (file, 0);
        }
    }

    /// The file of a call on the descriptor, from how it is written.
    #[inline(always)]
    pub fn file_of(&mut self, fd: i32, written: i64) -> u32 {
        let next = self.highest_file.wrapping_add(1);
        let descriptor = self.descriptor(fd);
        if written == file::OF_DESCRIPTOR {
            return descriptor.file;
        }
        let file = match written {
            file::NEXT => next,
            other => other.wrapping_sub(file::OTHER) as u32,
        };
        descriptor.file = file;
        self.highest_file = match written {
            file::NEXT => file,
            _ => self.highest_file.max(file),
        };
        file
    }
}

impl Descriptor {
    /// A call with an offset left it behind what it moved, or where a seek went.
    #[inline(always)]
    pub fn pass(&mut self, offset: i64, length: u64, ret: i64) {
        let moved = ret.max(0);
        let is_seek = moved as u64 > length || length == 0;
        self.position = if is_seek {
            moved
        } else {
            offset.wrapping_add(moved)
        };
    }
}
