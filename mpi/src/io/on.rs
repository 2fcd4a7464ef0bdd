//! What every call of MPI-IO is recorded by: the file, who makes the call, and which collective call of the file it is.

use super::files::{self, OpenFile};
use crate::abi::Word;
use crate::pmpi;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering::*};
use iota_calls::Form;
use iota_runtime::library::{FileId, Note, Span};
use iota_trace::Details;

/// Whether calls are recorded: the MPI is known, and the user wants them.
static IS_ON: AtomicBool = AtomicBool::new(false);

/// MPI has started.
pub fn start() {
    IS_ON.store(iota_runtime::rank::records_mpiio(), Release);
}

#[inline(always)]
pub(super) fn is_on() -> bool {
    IS_ON.load(Relaxed)
}

/// Who makes a call: one rank for itself, or all that have the file open together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Independent.
    One,
    /// Collective.
    All,
}

/// For rows.
pub const ONE: By = By::One;

/// For rows.
pub const ALL: By = By::All;

/// Which position a transfer begins at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// The offset that it is given, in etypes of the view.
    Given(i64),
    /// The file pointer of this rank.
    OwnPart,
    /// The one that all ranks share, which only MPI knows.
    Shared,
}

/// For rows.
pub const OWN: At = At::OwnPart;

/// For rows.
pub const SHARED: At = At::Shared;

/// At this offset.
pub fn at(offset: i64) -> At {
    At::Given(offset)
}

/// A call on an open file: which file, and which of its collective calls.
#[derive(Clone, Copy)]
pub(super) struct On {
    pub(super) file: Option<&'static OpenFile>,
    pub(super) collective: u64,
}

impl On {
    /// Before the call. A collective call is counted on each rank, whatever becomes of it.
    pub(super) fn of(handle: Word, by: By) -> On {
        On::file(files::find(handle), by)
    }

    pub(super) fn file(file: Option<&'static OpenFile>, by: By) -> On {
        let collective = match (file, by) {
            (Some(file), By::All) => file.next_collective(),
            _ => 0,
        };
        On { file, collective }
    }

    pub(super) fn name(self) -> FileId {
        self.file.map_or(FileId::NONE, OpenFile::name)
    }

    pub(super) fn ranks(self) -> u64 {
        self.file.map_or(0, OpenFile::ranks)
    }

    /// What every call says, and these numbers.
    pub(super) fn details(self, form: Form, more: &[u64]) -> Details {
        let mut numbers = [0; 6];
        let all = [self.ranks(), self.collective];
        for (to, from) in numbers.iter_mut().zip(all.iter().chain(more)) {
            *to = *from;
        }
        let count = more.len().wrapping_add(all.len());
        Details::new(form.0, numbers.get(..count).unwrap_or(&numbers))
    }

    /// The record of a call that gets what it returned, and nothing else.
    pub(super) fn record(self, span: Option<Span>, code: c_int, describe: impl FnOnce(&mut Note)) {
        let Some(span) = span else { return };
        let mut note = outcome(code);
        note.file = self.name();
        describe(&mut note);
        if self.collective == 0 {
            return span.record(note);
        }
        span.record_detailed(note, &[self.details(Form::MPIIO, &[])]);
    }
}

/// What a call returned: 0, or -1 and the class of the error.
#[inline(always)]
pub(super) fn outcome(code: c_int) -> Note {
    let mut note = Note::of(0);
    if code != pmpi::SUCCESS {
        (note.ret, note.errno) = (-1, c_int::from(pmpi::io::class(code)));
    }
    note
}
