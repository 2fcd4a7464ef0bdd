//! One call as the hook leaves it in its thread's buffer: 64 bytes, a cache line.

/// `Record::op` of a slot that is not filled (yet).
pub const OP_NONE: u16 = 0;
/// `Record::op` of the second half of an event, see [`Record::more`].
pub const OP_MORE: u16 = 0xFFFF;
/// `Record::op` of what follows a call that has [`crate::Details`].
pub const OP_DETAILS: u16 = 0xFFFE;

/// Bits of [`Record::flags`].
pub mod flags {
    /// Those that say something of the call; above them stand a ring's turn and a check ([`crate::spool::Slot::put`]).
    pub const ALL: u16 = 0x3F;
    /// The offset was worked out by the tracer, not passed by the caller.
    pub const OFFSET_INFERRED: u16 = 1;
    /// The next record holds this event's second file, descriptor, offset and argument.
    pub const MORE: u16 = 2;
    /// The call was made while MPI starts or ends, in `MPI_Init` or `MPI_Finalize`, by MPI itself.
    pub const MPI_STARTUP: u16 = 4;
    /// Of the calls that enclose it all are of functions that the user named: no call of an I/O library does.
    pub const UNDER_PROBE: u16 = 8;
    /// The call only began the transfer; its end is when the program learnt of it.
    pub const ASYNCHRONOUS: u16 = 16;
    /// The call that encloses it is one of a library above descriptors and streams (MPI-IO, HDF5, ...).
    pub const UNDER_LIBRARY: u16 = 32;
}

/// One call. In a ring the last eight bytes are written last, at once: they say whether the place holds a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Clock ticks before the call.
    pub start: u64,
    /// Clock ticks after the call.
    pub end: u64,
    /// What the call returned.
    pub ret: i64,
    /// File position before the call; -1 where there is none.
    pub offset: i64,
    /// Bytes asked for (open: flags, and mode << 32).
    pub length: u64,
    /// Low half of the thread's call number, from 1.
    pub id: u32,
    /// Low half of the number of the enclosing call; 0: none.
    pub parent: u32,
    /// The path's id in the process; 0: none.
    pub file: u32,
    /// The descriptor; -1: none.
    pub fd: i32,
    /// The call's index in the table.
    pub op: u16,
    /// `errno` after a call that failed, else 0.
    pub errno: u16,
    /// See [`flags`].
    pub flags: u16,
    /// `whence` of a seek, or another small argument.
    pub whence: u16,
}

const _: () = assert!(size_of::<Record>() == 64 && align_of::<Record>() == 8);

impl Record {
    /// What says of which kind it is, in one word.
    #[inline(always)]
    pub(crate) fn words(&self) -> u64 {
        let flags = self.flags & flags::ALL;
        u64::from(self.op)
            | u64::from(self.errno) << 16
            | u64::from(flags) << 32
            | u64::from(self.whence) << 48
    }

    /// Whether it is of a call on the same, with the same length and result.
    #[inline(always)]
    pub(crate) fn is_as(&self, other: &Record) -> bool {
        let place = |record: &Record| u64::from(record.file) | u64::from(record.fd as u32) << 32;
        let apart = (self.ret ^ other.ret) as u64
            | (self.length ^ other.length)
            | (place(self) ^ place(other));
        apart | u64::from(self.parent ^ other.parent) == 0
    }

    /// The record that follows one with [`flags::MORE`]: its second file, descriptor and offset, and one argument.
    pub const fn more(file: u32, fd: i32, offset: i64, arg: u64) -> Record {
        Record {
            start: 0,
            end: 0,
            ret: 0,
            offset,
            length: arg,
            id: 0,
            parent: 0,
            file,
            fd,
            op: OP_MORE,
            errno: 0,
            flags: 0,
            whence: 0,
        }
    }
}
