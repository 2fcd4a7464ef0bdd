//! How many bytes a call moved, and which way.

use iota_calls::{Kind, TABLE};
use iota_trace::Event;

/// What a call's result says of the bytes
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// It is their number
    Bytes,
    /// It is a number of items, whose size stands in `whence`
    Items,
    /// All that was asked for, unless the call failed
    Asked,
}

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
    rule: Rule,
    reads: bool,
    writes: bool,
}

impl Meter {
    /// Of a function without a name: nothing moves
    pub const NONE: Meter = Meter {
        rule: Rule::Bytes,
        reads: false,
        writes: false,
    };

    /// Of the function `name`, of kind `kind` as the trace says; of one that this version does not know,
    /// the result counts
    pub fn of(name: &[u8], kind: u8) -> Meter {
        let shape = TABLE.iter().find(|call| call.name.as_bytes() == name);
        let shape = shape.map_or("", |call| call.shape);
        let both = shape == "copy";
        Meter {
            rule: rule(shape),
            reads: both || kind == Kind::Read as u8,
            writes: both || kind == Kind::Write as u8,
        }
    }

    /// The bytes of one call
    #[inline(always)]
    pub fn moved(self, event: &Event) -> Moved {
        let bytes = match self.rule {
            _ if event.ret < 0 => 0,
            Rule::Bytes => event.ret as u64,
            Rule::Items => items(event),
            Rule::Asked => event.length,
        };
        Moved {
            read: bytes * u64::from(self.reads),
            written: bytes * u64::from(self.writes),
        }
    }
}

fn rule(shape: &str) -> Rule {
    match shape {
        "stream_read" | "stream_write" => Rule::Items,
        "stream_getc" | "stream_putc" | "stream_puts" | "stream_puts_line" | "stream_scanned" => {
            Rule::Asked
        }
        _ => Rule::Bytes,
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

    fn moved(name: &str, kind: Kind, ret: i64, length: u64, whence: u16) -> Moved {
        let event = Event {
            ret,
            length,
            whence,
            ..Event::default()
        };
        Meter::of(name.as_bytes(), kind as u8).moved(&event)
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
