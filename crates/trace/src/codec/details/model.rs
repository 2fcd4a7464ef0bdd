//! What the next details of a block are expected to be, learnt from those before them.

use super::Whose;
use crate::codec::model::hash;
use crate::details::MOST_FIELDS;

/// Contexts that are remembered.
const CONTEXTS: usize = 32;

/// A field that goes on as before: by the difference that came twice in a row.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Field {
    last: u64,
    difference: u64,
    stride: u64,
}

impl Field {
    pub fn expected(&self) -> u64 {
        self.last.wrapping_add(self.stride)
    }

    pub fn learn(&mut self, value: u64) {
        let difference = value.wrapping_sub(self.last);
        if difference == self.difference {
            self.stride = difference;
        }
        (self.difference, self.last) = (difference, value);
    }
}

/// What the details of one form have in common, of calls of one op on one file.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Context {
    op: u16,
    form: u16,
    file: u32,
    next: Next,
    /// No later field was ever told.
    width: u16,
    fields: [Field; MOST_FIELDS],
}

/// What follows details: how many calls on the next ones are, and their form.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Next {
    pub gap: u32,
    pub form: u16,
}

impl Context {
    const NEW: Context = Context {
        op: 0,
        form: 0,
        file: 0,
        next: Next { gap: 0, form: 0 },
        width: 0,
        fields: [Field {
            last: 0,
            difference: 0,
            stride: 0,
        }; MOST_FIELDS],
    };
}

impl Context {
    /// The fields that were ever told, or are among so many: all others are 0, and expected to be.
    pub fn fields(&mut self, told: usize) -> &mut [Field] {
        self.width = self.width.max(told as u16);
        self.fields
            .get_mut(..usize::from(self.width))
            .unwrap_or_default()
    }
}

/// What is known of the details before.
#[repr(C)]
pub struct Model {
    contexts: [Context; CONTEXTS],
    /// For each form, the context that was used last.
    latest: [u8; CONTEXTS],
    /// The context of the last details.
    before: u8,
    /// The call that had the last details.
    pub index: u32,
}

impl Model {
    pub const NEW: Model = Model {
        contexts: [Context::NEW; CONTEXTS],
        latest: [0; CONTEXTS],
        before: 0,
        index: 0,
    };

    fn at(&mut self, at: u8) -> &mut Context {
        &mut self.contexts[usize::from(at) & (CONTEXTS - 1)]
    }

    /// What is expected after the last details.
    pub fn next(&mut self) -> Next {
        self.at(self.before).next
    }

    /// Learns what came after the last details, and of which call; its context.
    pub fn enter(&mut self, next: Next, whose: Whose) -> &mut Context {
        self.at(self.before).next = next;
        let Whose { index, op, file } = whose;
        let at =
            hash(u32::from(op) << 16 | u32::from(next.form), file) as u8 & (CONTEXTS - 1) as u8;
        let latest = &mut self.latest[usize::from(next.form) & (CONTEXTS - 1)];
        let like = core::mem::replace(latest, at);
        (self.before, self.index) = (at, index);
        let known = self.at(at);
        if (known.op, known.form, known.file) != (op, next.form, file) {
            self.replace(at, like, (op, next.form, file));
        }
        self.at(at)
    }

    /// A context for other calls, which begins as the last one of its form is.
    fn replace(&mut self, at: u8, like: u8, (op, form, file): (u16, u16, u32)) {
        let like = *self.at(like);
        let start = if like.form == form {
            like
        } else {
            Context::NEW
        };
        *self.at(at) = Context {
            op,
            form,
            file,
            ..start
        };
    }
}
