//! How many bytes a call moved, and which way.

use iota_calls::{Counts, Effects, Handles, Kind};
use iota_trace::Event;
use iota_trace::read::Op;

/// Bytes by direction
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// From files
    pub read: u64,
    /// To files
    pub written: u64,
}

/// How to tell for one function
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    counts: Counts,
    reads: bool,
    writes: bool,
}

impl Meter {
    /// Of a function without a name: nothing moves
    pub const NONE: Meter = Meter {
        counts: Counts::Nothing,
        reads: false,
        writes: false,
    };

    /// Of a function as the trace tells of it
    pub fn of(op: Op) -> Meter {
        let (kind, effects) = (Kind::of(op.kind), Effects::of_byte(op.effects));
        let both = effects.handles == Handles::Copies;
        Meter {
            counts: effects.counts,
            reads: both || kind == Kind::Read,
            writes: both || kind == Kind::Write,
        }
    }

    /// The bytes of one call
    #[inline(always)]
    pub fn moved(self, event: &Event) -> Moved {
        let bytes = match self.counts {
            _ if event.ret < 0 => 0,
            Counts::Nothing => 0,
            Counts::Bytes => event.ret as u64,
            Counts::Items => items(event),
            Counts::Asked => event.length,
        };
        Moved {
            read: bytes * u64::from(self.reads),
            written: bytes * u64::from(self.writes),
        }
    }
}

/// Where their size is not known: all of what was asked for, if that could be, else items of one byte
fn items(event: &Event) -> u64 {
    let (items, asked) = (event.ret as u64, event.length);
    match u64::from(event.whence) {
        0 if items != 0 && asked.is_multiple_of(items) => asked,
        0 => items.min(asked),
        size => items.saturating_mul(size).min(asked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iota_calls::Layer;

    fn moved(name: &str, kind: Kind, ret: i64, length: u64, whence: u16) -> Moved {
        let event = Event {
            ret,
            length,
            whence,
            ..Event::default()
        };
        let effects = iota_calls::effects(name.as_bytes(), kind).byte();
        let (name, layer, kind) = (name.as_bytes(), Layer::Posix as u8, kind as u8);
        let op = Op {
            name,
            layer,
            kind,
            effects,
        };
        Meter::of(op).moved(&event)
    }

    #[test]
    fn results_are_bytes_items_or_neither() {
        let written = |written| Moved { read: 0, written };
        let read = |read| Moved { read, written: 0 };
        assert_eq!(moved("write", Kind::Write, 7, 10, 0), written(7));
        assert_eq!(moved("write", Kind::Write, -1, 10, 0), written(0));
        assert_eq!(moved("fread", Kind::Read, 3, 80, 8), read(24));
        assert_eq!(moved("fread", Kind::Read, 4, 80, 0), read(80));
        assert_eq!(moved("fread", Kind::Read, 3, 80, 0), read(3));
        assert_eq!(moved("fread", Kind::Read, 0, 80, 0), read(0));
        assert_eq!(moved("close", Kind::Close, 5, 5, 0), Moved::default());
        assert_eq!(moved("from_the_future", Kind::Read, 9, 0, 0), read(9));
    }
}
