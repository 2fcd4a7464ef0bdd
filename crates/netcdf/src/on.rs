//! What a call on an open file is about.

use crate::asks::Library;
use crate::files::{self, OpenFile};
use crate::record::outcome;
use crate::types::Access;
use crate::variables;
use core::ffi::c_int;
use iota_calls::Form;
use iota_mpi::above::By;
use iota_runtime::library::{FileId, Span};
use iota_trace::Details;

/// A call on an open file: which file, and which of its collective calls.
#[derive(Clone, Copy)]
pub(crate) struct On {
    pub(crate) file: Option<&'static OpenFile>,
    pub(crate) collective: u64,
}

impl On {
    /// Before the call. A collective call is counted on each rank, whatever becomes of it.
    pub(crate) fn of(library: Library, ncid: c_int, varid: c_int, access: Access) -> On {
        let file = files::find(library, ncid);
        let is_collective = file.is_some_and(|file| match access {
            Access::Is(by) => by == By::All,
            Access::AsOpened => file.is_shared(),
            Access::AsSet => file.is_shared() && variables::is_collective(file, ncid, varid),
        });
        On {
            file,
            collective: file
                .filter(|_| is_collective)
                .map_or(0, OpenFile::next_collective),
        }
    }

    pub(crate) fn name(self) -> FileId {
        self.file.map_or(FileId::NONE, OpenFile::name)
    }

    pub(crate) fn ranks(self) -> u64 {
        self.file.map_or(0, OpenFile::ranks)
    }

    /// The object, what every call says, and these numbers; zeros at the end are left out.
    pub(crate) fn details(self, form: Form, object: u64, more: &[u64]) -> Details {
        let mut numbers = [0; 12];
        let all = [object, self.ranks(), self.collective];
        for (to, from) in numbers.iter_mut().zip(all.iter().chain(more)) {
            *to = *from;
        }
        let last = numbers.iter().rposition(|number| *number != 0);
        let count = last.map_or(1, |last| last.wrapping_add(1));
        Details::new(form.0, numbers.get(..count).unwrap_or(&numbers))
    }

    /// The record of a call that gets what it returned, and which object it is on.
    pub(crate) fn record(self, span: Option<Span>, code: c_int, object: u64) {
        let Some(span) = span else { return };
        let mut note = outcome(code);
        note.file = self.name();
        if self.collective == 0 && object == 0 {
            return span.record(note);
        }
        span.record_detailed(note, &[self.details(Form::VARIABLE, object, &[])]);
    }
}
