//! Texts that are composed while the tracer starts, one behind the other: each page that is touched costs a short program
//! something, and most of these texts are short.

use crate::sys::{Once, Starting, Text};
use core::ffi::CStr;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes of a path, with its NUL.
const PATH: usize = libc::PATH_MAX as usize;
/// Bytes of all of them: more than the user's wishes, the path of the log, the facts about the program, and five paths.
pub const ALL: usize = 128 << 10;

static TEXTS: Once<Text<ALL>> = Once::new(Text::EMPTY);
/// Where those begin that a forked child has of its own.
static OWN: AtomicUsize = AtomicUsize::new(0);

/// Where a text stands.
#[derive(Clone, Copy)]
pub struct Kept {
    at: usize,
    length: usize,
}

impl Kept {
    /// No text.
    pub const NONE: Kept = Kept { at: 0, length: 0 };

    /// The bytes, without NUL.
    pub fn bytes(&self) -> &'static [u8] {
        let end = self.at.wrapping_add(self.length);
        let all = TEXTS.get().bytes();
        all.get(self.at..end).unwrap_or_default()
    }

    /// As a C string.
    pub fn c_str(&self) -> &'static CStr {
        let end = self.at.wrapping_add(self.length).wrapping_add(1);
        let own = TEXTS.get().bytes().get(self.at..end);
        own.filter(|_| !self.is_empty())
            .and_then(|own| CStr::from_bytes_with_nul(own).ok())
            .unwrap_or(c"")
    }

    /// True when it says nothing.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}

/// A text of at most `PATH - 1` bytes that is being composed.
pub struct Composed<'t> {
    all: &'t mut Text<ALL>,
    at: usize,
}

impl Composed<'_> {
    /// Adds bytes.
    pub fn push(&mut self, more: &[u8]) -> &mut Self {
        let room = PATH.wrapping_sub(1).saturating_sub(self.bytes().len());
        self.all
            .push(more.get(..room.min(more.len())).unwrap_or_default());
        self
    }

    /// Adds a number in decimal.
    pub fn push_number(&mut self, number: u64) -> &mut Self {
        let mut digits = Text::<24>::EMPTY;
        self.push(digits.push_number(number).bytes())
    }

    /// What there is of it.
    pub fn bytes(&self) -> &[u8] {
        self.all.bytes().get(self.at..).unwrap_or_default()
    }

    /// As a C string, up to the first NUL.
    pub fn c_str(&self) -> &CStr {
        self.all.c_str_from(self.at)
    }

    /// Takes everything from `length` on away.
    pub fn truncate(&mut self, length: usize) {
        self.all.truncate(self.at.wrapping_add(length));
    }
}

/// Composes a text, and keeps it.
pub fn compose(starting: &mut Starting, compose: impl FnOnce(&mut Composed<'_>)) -> Kept {
    TEXTS.change(starting, |all| {
        let at = all.bytes().len();
        let mut text = Composed { all, at };
        compose(&mut text);
        let length = text.bytes().len();
        if length == 0 {
            return Kept::NONE;
        }
        text.all.push(b"\0");
        Kept { at, length }
    })
}

/// There is none yet. Their memory is written to before it is read: the kernel makes a page that is read first twice.
pub fn begin(starting: &mut Starting) {
    TEXTS.change(starting, Text::clear);
}

/// Keeps a text of any length.
pub fn keep(starting: &mut Starting, text: &[u8]) -> Kept {
    TEXTS.change(starting, |all| {
        let (at, length) = (all.bytes().len(), text.len());
        all.push(text).push(b"\0");
        Kept { at, length }
    })
}

/// Keeps what `fill` puts into a room of so many bytes.
pub fn filled(starting: &mut Starting, most: usize, fill: impl FnOnce(&mut [u8]) -> usize) -> Kept {
    TEXTS.change(starting, |all| {
        let at = all.bytes().len();
        all.fill(most, fill);
        let length = all.bytes().len().wrapping_sub(at);
        all.push(b"\0");
        Kept { at, length }
    })
}

/// What is kept from now on is this process' own; a forked child begins here again.
pub fn begin_own(starting: &mut Starting, is_main: bool) {
    TEXTS.change(starting, |all| match is_main {
        true => OWN.store(all.bytes().len(), Relaxed),
        false => all.truncate(OWN.load(Relaxed)),
    });
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    /// The right to change these texts.
    pub fn alone() -> MutexGuard<'static, ()> {
        static ALONE: Mutex<()> = Mutex::new(());
        ALONE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[test]
    fn texts_stay_and_a_child_has_its_own() {
        let _alone = alone();
        // SAFETY: no other test looks at these texts meanwhile.
        let starting = &mut unsafe { Starting::new() };
        let first = keep(starting, b"one");
        begin_own(starting, true);
        let path = compose(starting, |path| {
            path.push(b"/a/").push_number(70).push(b".iota");
            path.truncate(5);
        });
        assert_eq!((first.bytes(), path.c_str()), (&b"one"[..], c"/a/70"));
        let long = compose(starting, |path| {
            path.push(&[b'x'; PATH]).push(b"y");
        });
        assert_eq!(long.bytes().len(), PATH - 1);
        assert!(compose(starting, |_| ()).is_empty());
        begin_own(starting, false);
        let other = compose(starting, |path| {
            path.push(b"/b");
        });
        assert_eq!((first.c_str(), other.c_str()), (c"one", c"/b"));
    }
}
