//! No I/O at all: what the generator itself costs.

use super::{Api, Calls, Handle, Open};
use std::io;

/// The interface.
pub struct Dummy;

struct Nothing;

impl Api for Dummy {
    fn name(&self) -> &'static str {
        "dummy"
    }

    fn calls(&self) -> Calls {
        Calls {
            open: "dummy_open",
            seek: "dummy_seek",
            read: "dummy_read",
            write: "dummy_write",
            sync: ["dummy_sync"; 2],
            close: "dummy_close",
        }
    }

    fn positional(&self) -> bool {
        false
    }

    fn open(&self, _open: &Open) -> io::Result<Box<dyn Handle>> {
        Ok(Box::new(Nothing))
    }
}

impl Handle for Nothing {
    fn fd(&self) -> i32 {
        -1
    }

    fn read(&self, buffer: &mut [u8], _offset: u64) -> io::Result<usize> {
        Ok(buffer.len())
    }

    fn write(&self, buffer: &[u8], _offset: u64) -> io::Result<usize> {
        Ok(buffer.len())
    }

    fn sync(&self, _data_only: bool) -> io::Result<()> {
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        Ok(())
    }
}
