//! The second half of an event on two files.

use crate::Second;
use crate::codec::side::Side;
use crate::codec::symbols::{column, rare};

/// The last second half of an event, and its offset less that of the one before.
#[repr(C)]
pub struct KnownSecond(Second, i64);

impl KnownSecond {
    pub const NEW: KnownSecond = KnownSecond(
        Second {
            file: 0,
            fd: 0,
            offset: 0,
            arg: 0,
        },
        0,
    );

    #[cold]
    pub fn fields<S: Side>(&mut self, side: &mut S, more: Second) -> Second {
        let Second {
            file,
            fd,
            offset,
            arg,
        } = self.0;
        let file = side.rare(
            rare::SECOND_FILE,
            column::SECOND_FILE,
            file.into(),
            file.into(),
            more.file.into(),
        ) as u32;
        let fd = side.rare(
            rare::SECOND_FD,
            column::SECOND_FD,
            fd.into(),
            0,
            more.fd.into(),
        ) as i32;
        let next = offset.wrapping_add(self.1);
        let offset = side.rare(
            rare::SECOND_OFFSET,
            column::SECOND_OFFSET,
            next,
            next,
            more.offset,
        );
        let arg = side.rare(
            rare::ARG,
            column::ARG,
            arg as i64,
            arg as i64,
            more.arg as i64,
        ) as u64;
        self.1 = offset.wrapping_sub(self.0.offset);
        self.0 = Second {
            file,
            fd,
            offset,
            arg,
        };
        self.0
    }
}
