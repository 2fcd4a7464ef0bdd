//! What a call adds to the kernel's counters of a task (`/proc/PID/io`): against them is held what was recorded.

use crate::{COUNT, Call, Kind, Layer, Library, Op, Shape, TABLE};

/// Which counters a call moves, and by how much at most
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Accounting {
    /// None: what it moves goes past them, or it moves nothing
    Nothing,
    /// `rchar`, by what it returned
    Read,
    /// `wchar`, by what it returned
    Written,
    /// Both, by what it returned
    Copied,
    /// `rchar`, by the eight bytes of an eventfd, which is not what it returned
    EventRead,
    /// `wchar`, likewise
    EventWritten,
    /// `rchar`, by no amount that the call tells: a stream reads ahead, and again after it was positioned
    StreamRead,
    /// `wchar`, by what was asked for, now or when the stream's buffer is written
    StreamWritten,
    /// `wchar`, by what was asked for or by a buffer: of wide characters, and of single ones that a program puts into the
    /// buffer itself, a call may not tell how many bytes they are
    StreamPrinted,
    /// Both, by as many bytes as it reserves: where the file system cannot reserve, the C library writes
    Reserved,
}

impl Accounting {
    /// Of a call; one that is not in the table moves nothing
    #[inline(always)]
    pub fn of(op: Op) -> Accounting {
        let known = ALL.get(usize::from(op.0)).copied();
        known.unwrap_or(Accounting::Nothing)
    }

    const fn of_row(row: &Call) -> Accounting {
        if !matches!(row.library, Library::Libc) || matches!(row.shape, Shape::Request) {
            return Accounting::Nothing;
        }
        match (row.layer, row.shape, row.kind) {
            (Layer::Posix, Shape::RangeAnswered, Kind::Meta) => Accounting::Reserved,
            (Layer::Posix, Shape::OnFd, Kind::Read) => Accounting::EventRead,
            (Layer::Posix, Shape::OnFd, Kind::Write) => Accounting::EventWritten,
            (Layer::Posix, Shape::Copy, _) => Accounting::Copied,
            (Layer::Posix, _, Kind::Read) => Accounting::Read,
            (Layer::Posix, _, Kind::Write) => Accounting::Written,
            (Layer::Stdio, _, Kind::Read) => Accounting::StreamRead,
            (Layer::Stdio, Shape::StreamScanned, Kind::Write) => Accounting::StreamPrinted,
            (Layer::Stdio, _, Kind::Write) => Accounting::StreamWritten,
            _ => Accounting::Nothing,
        }
    }
}

/// At each index that of the row there: apart from the rest, for it is looked at for every call
static ALL: [Accounting; COUNT] = {
    let mut all = [Accounting::Nothing; COUNT];
    let mut index = 1;
    while index < COUNT {
        all[index] = Accounting::of_row(&TABLE[index]);
        index += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_move_the_counters_that_the_kernel_moves_for_them() {
        let accounting = |name| Accounting::of(Op::of(name));
        let cases = [
            ("read", Accounting::Read),
            ("preadv2", Accounting::Read),
            ("aio_read", Accounting::Read),
            ("pwrite64", Accounting::Written),
            ("dprintf", Accounting::Written),
            ("sendfile", Accounting::Copied),
            ("copy_file_range", Accounting::Copied),
            ("eventfd_write", Accounting::EventWritten),
            ("posix_fallocate", Accounting::Reserved),
            ("fread", Accounting::StreamRead),
            ("fwrite", Accounting::StreamWritten),
            ("__overflow", Accounting::StreamPrinted),
            ("posix_fadvise", Accounting::Nothing),
            ("fallocate", Accounting::Nothing),
            ("open", Accounting::Nothing),
            ("io_prep_pread", Accounting::Nothing),
            ("MPI_File_write", Accounting::Nothing),
        ];
        for (name, expected) in cases {
            assert_eq!(accounting(name), expected, "{name}");
        }
        assert_eq!(Accounting::of(Op(COUNT as u16)), Accounting::Nothing);
    }
}
