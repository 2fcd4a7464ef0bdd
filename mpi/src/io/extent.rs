//! Where a transfer lies in its file, through the view.

use super::files::OpenFile;
use super::on::{At, On};
use crate::abi::Word;
use crate::part::quietly;
use crate::pmpi::io as mpi;

/// Where a transfer begins, and what its bytes span.
#[derive(Clone, Copy)]
pub struct FileExtent {
    /// The first byte; -1: not known.
    pub offset: i64,
    /// Bytes to behind the last one.
    pub extent: u64,
}

/// Which position a transfer will begin at, in etypes: asked before it moves the file pointer.
pub fn position(on: On, handle: Word, at: At) -> Option<i64> {
    let file = on.file?;
    match at {
        At::Given(offset) => Some(offset),
        At::OwnPart if file.has_positions() => quietly(|| mpi::position(handle)),
        At::OwnPart | At::Shared => None,
    }
}

/// Where so many bytes lie from a position on. `may_ask` says that the handle can be used.
#[inline(always)]
pub fn of(on: On, handle: Word, position: Option<i64>, length: u64, may_ask: bool) -> FileExtent {
    let known = || {
        let (file, position) = (on.file?, position.filter(|position| *position >= 0)?);
        match file.byte_of(position) {
            Some(offset) => Some(FileExtent {
                offset,
                extent: length,
            }),
            None => may_ask.then(|| through_view(file, handle, position, length))?,
        }
    };
    known().unwrap_or(FileExtent {
        offset: -1,
        extent: length,
    })
}

/// A view may leave bytes out; its order is that of the file.
#[inline(never)]
fn through_view(file: &OpenFile, handle: Word, position: i64, length: u64) -> Option<FileExtent> {
    let first = mpi::byte_of(handle, position)?;
    let etypes = (length as i64).wrapping_div(file.etype().max(1));
    if etypes <= 0 {
        return Some(FileExtent {
            offset: first,
            extent: length,
        });
    }
    let last = mpi::byte_of(handle, position.wrapping_add(etypes).wrapping_sub(1))?;
    let extent = last.wrapping_sub(first).wrapping_add(file.etype_span());
    Some(FileExtent {
        offset: first,
        extent: extent.max(0) as u64,
    })
}
