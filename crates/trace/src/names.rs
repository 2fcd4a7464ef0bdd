//! Names blocks: what the file and op ids of the events behind them stand for.

use crate::block::{self, HEADER_SIZE, Header, Ids, kind};
use crate::bytes::{Get, Put};

const FILE: u8 = 1;
const OP: u8 = 2;
const LAYOUT: u8 = 3;

/// No attribute is longer.
pub const LONGEST: usize = 1 << 16;
/// Equal bytes that end a run of different ones: fewer cost more than they save.
const RUN: usize = 4;

/// Writes one block of names into a slice. The names outlive the writer, which compares each with the one before.
pub struct Writer<'o, 'n> {
    put: Put<'o>,
    before: &'n [u8],
    layout_before: &'n [u8],
    count: u32,
}

impl<'o, 'n> Writer<'o, 'n> {
    /// An empty block in `out`.
    pub fn new(out: &'o mut [u8]) -> Self {
        let mut put = Put::new(out);
        put.bytes(&[0; HEADER_SIZE]);
        Writer {
            put,
            before: &[],
            layout_before: &[],
            count: 0,
        }
    }

    /// A path's bytes. `false`: it did not fit, and the block is as before.
    pub fn file(&mut self, id: u32, path: &'n [u8]) -> bool {
        let shared = self
            .before
            .iter()
            .zip(path)
            .take_while(|(a, b)| a == b)
            .count();
        let rest = path.get(shared..).unwrap_or(&[]);
        let fits = self.entry(|put| {
            put.u8(FILE);
            put.varint(u64::from(id));
            put.varint(shared as u64);
            text(put, rest);
        });
        if fits {
            self.before = path;
        }
        fits
    }

    /// A call's name, layer and kind, as numbers of iota-calls. `false`: it did not fit.
    pub fn op(&mut self, id: u16, layer: u8, kind: u8, name: &[u8]) -> bool {
        self.entry(|put| {
            put.u8(OP);
            put.varint(u64::from(id));
            put.u8(layer);
            put.u8(kind);
            text(put, name);
        })
    }

    /// How a file lies on Lustre: its layout as the file system gives it. `false`: it did not fit.
    pub fn layout(&mut self, file: u32, layout: &'n [u8]) -> bool {
        let before = self.layout_before;
        let fits = self.entry(|put| {
            put.u8(LAYOUT);
            put.varint(u64::from(file));
            put.varint(layout.len() as u64);
            differences(put, before, layout);
        });
        if fits {
            self.layout_before = layout;
        }
        fits
    }

    fn entry(&mut self, write: impl FnOnce(&mut Put)) -> bool {
        let at = self.put.at();
        write(&mut self.put);
        if self.put.short() {
            self.put.back(at);
            return false;
        }
        self.count = self.count.wrapping_add(1);
        true
    }

    /// Names in the block so far.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Bytes of the whole block, if `out` had room for its header.
    pub fn finish(self, ids: Ids) -> Option<usize> {
        let payload_len = self.put.done()?.checked_sub(HEADER_SIZE)?;
        block::seal(
            Header::new(kind::NAMES, ids, self.count),
            payload_len,
            self.put.into_inner(),
        )
    }
}

/// Files of one directory have layouts that differ in a few bytes.
fn differences(put: &mut Put, before: &[u8], layout: &[u8]) {
    let is_same = |at: usize| before.get(at).unwrap_or(&0) == layout.get(at).unwrap_or(&0);
    let mut at = 0usize;
    while at < layout.len() {
        let same = (at..layout.len()).take_while(|at| is_same(*at)).count();
        let from = at.wrapping_add(same);
        let ends = |at: usize| (at..at.wrapping_add(RUN)).all(is_same);
        let length = (from..layout.len()).take_while(|at| !ends(*at)).count();
        put.varint(same as u64);
        at = from.wrapping_add(length);
        text(put, layout.get(from..at).unwrap_or(&[]));
    }
}

fn text(put: &mut Put, text: &[u8]) {
    put.varint(text.len() as u64);
    put.bytes(text);
}

/// One name as it stands in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name<'a> {
    /// The path of file `id`: the first `shared` bytes of the path before it, then `rest`.
    File {
        /// As events name it.
        id: u32,
        /// Bytes in common with the path before it in the block.
        shared: usize,
        /// The bytes after those.
        rest: &'a [u8],
    },
    /// A call.
    Op {
        /// As events name it.
        id: u16,
        /// `iota_calls::Layer`.
        layer: u8,
        /// `iota_calls::Kind`.
        kind: u8,
        /// The function's name.
        name: &'a [u8],
    },
    /// A file's layout on Lustre.
    Layout {
        /// As events name the file.
        file: u32,
        /// What differs from the layout before it in the block.
        layout: Differences<'a>,
    },
}

/// A layout as it stands in the block: what differs from the one before it, which has zeros behind its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Differences<'a> {
    /// Bytes of the layout.
    pub length: usize,
    runs: &'a [u8],
}

impl<'a> Differences<'a> {
    fn read(get: &mut Get<'a>) -> Option<Self> {
        let length = small(get)?;
        let (whole, mut at) = (get.0, 0usize);
        while at < length {
            let same: usize = small(get)?;
            let run = slice(get)?;
            at = at.checked_add(same)?.checked_add(run.len())?;
        }
        let runs = whole.get(..whole.len().wrapping_sub(get.0.len()))?;
        (at == length && length <= LONGEST).then_some(Differences { length, runs })
    }

    /// Makes `layout`, which holds the one before and is as long as this one, this one.
    pub fn apply(&self, layout: &mut [u8]) {
        let (mut get, mut at) = (Get(self.runs), 0usize);
        while let (Some(same), Some(run)) = (small::<usize>(&mut get), slice(&mut get)) {
            let from = at.wrapping_add(same);
            at = from.wrapping_add(run.len());
            if let Some(place) = layout.get_mut(from..at) {
                place.iter_mut().zip(run).for_each(|(to, from)| *to = *from);
            }
        }
    }
}

/// The names of a block's payload, up to the first that makes no sense.
pub struct Names<'a>(Get<'a>);

impl<'a> Names<'a> {
    /// Of a names block's payload.
    pub fn new(payload: &'a [u8]) -> Self {
        Names(Get(payload))
    }

    /// Whether all of the payload was read.
    pub fn complete(&self) -> bool {
        self.0.0.is_empty()
    }
}

impl<'a> Iterator for Names<'a> {
    type Item = Name<'a>;

    fn next(&mut self) -> Option<Name<'a>> {
        let mut get = self.0;
        let name = match get.u8()? {
            FILE => Name::File {
                id: small(&mut get)?,
                shared: small::<u32>(&mut get)? as usize,
                rest: slice(&mut get)?,
            },
            OP => Name::Op {
                id: small(&mut get)?,
                layer: get.u8()?,
                kind: get.u8()?,
                name: slice(&mut get)?,
            },
            LAYOUT => Name::Layout {
                file: small(&mut get)?,
                layout: Differences::read(&mut get)?,
            },
            _ => return None,
        };
        self.0 = get;
        Some(name)
    }
}

fn small<T: TryFrom<u64>>(get: &mut Get) -> Option<T> {
    T::try_from(get.varint()?).ok()
}

fn slice<'a>(get: &mut Get<'a>) -> Option<&'a [u8]> {
    let len = small(get)?;
    get.bytes(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        let mut out = [0u8; 256];
        let mut writer = Writer::new(&mut out);
        assert!(writer.file(1, b"/scratch/run/a.dat"));
        assert!(writer.op(300, 5, 4, b"pwrite64"));
        assert!(writer.file(2, b"/scratch/run/b.dat"));
        let len = writer.finish(Ids::default()).unwrap();
        let mut names = Names::new(&out[HEADER_SIZE..len]);
        let all: Vec<Name> = names.by_ref().collect();
        assert!(names.complete());
        assert_eq!(
            all[0],
            Name::File {
                id: 1,
                shared: 0,
                rest: b"/scratch/run/a.dat"
            }
        );
        assert_eq!(
            all[1],
            Name::Op {
                id: 300,
                layer: 5,
                kind: 4,
                name: b"pwrite64"
            }
        );
        assert_eq!(
            all[2],
            Name::File {
                id: 2,
                shared: 13,
                rest: b"b.dat"
            }
        );
        assert_eq!(Header::parse(&out).unwrap().count, 3);
    }

    #[test]
    fn layouts_come_back_and_what_they_have_in_common_costs_nothing() {
        use crate::lustre::blob::plain;
        let layouts = [
            plain(1, 1 << 20, 2, &[7, 9], None),
            plain(1, 1 << 20, 2, &[8, 10], None),
            plain(1, 1 << 20, 1, &[8], None),
            vec![],
            plain(1, 1 << 20, 4, &[0, 1, 2, 3], Some("pool")),
        ];
        let mut out = [0u8; 1024];
        let mut writer = Writer::new(&mut out);
        for (file, layout) in (1..).zip(&layouts) {
            assert!(writer.layout(file, layout));
        }
        let len = writer.finish(Ids::default()).unwrap();
        let mut names = Names::new(&out[HEADER_SIZE..len]);
        let mut now = Vec::new();
        for (expected, layout) in (1..).zip(&layouts) {
            let Some(Name::Layout {
                file,
                layout: found,
            }) = names.next()
            else {
                panic!("layout {expected} is missing");
            };
            now.resize(found.length, 0);
            found.apply(&mut now);
            assert_eq!((file, &now), (expected, layout));
        }
        assert!(names.complete());
        let mut one = [0u8; 1024];
        let mut writer = Writer::new(&mut one);
        writer.layout(1, &layouts[0]);
        writer.layout(2, &layouts[1]);
        let both = writer.finish(Ids::default()).unwrap() - HEADER_SIZE;
        assert!(both < layouts[0].len() + 12, "{both}");
    }

    #[test]
    fn a_layout_stands_in_a_block_as_the_format_says() {
        let mut out = [0u8; 128];
        let mut writer = Writer::new(&mut out);
        let first = b"abcdefghij";
        let second = b"abXdefghiYZ";
        assert!(writer.layout(5, first) && writer.layout(300, second));
        let len = writer.finish(Ids::default()).unwrap();
        let first = b"\x03\x05\x0a\x00\x0aabcdefghij";
        let second = b"\x03\xac\x02\x0b\x02\x01X\x06\x02YZ";
        assert_eq!(&out[HEADER_SIZE..len], [&first[..], second].concat());
    }

    #[test]
    fn what_does_not_fit_leaves_the_block_whole() {
        let mut out = [0u8; HEADER_SIZE + 10];
        let mut writer = Writer::new(&mut out);
        assert!(writer.file(1, b"/abc"));
        assert!(!writer.file(2, b"/abd and much more"));
        assert!(!writer.op(1, 5, 4, b"pwrite64"));
        let len = writer.finish(Ids::default()).unwrap();
        assert_eq!(Names::new(&out[HEADER_SIZE..len]).count(), 1);
    }
}
