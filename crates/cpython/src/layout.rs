//! Where CPython has what is read here: offsets in its structures, on machines with 64 bits.

use iota_unwind::Memory;

/// `ob_type` in an object.
pub const TYPE: usize = 8;
/// `ob_size` and `ob_sval` in `bytes`.
pub const BYTES: (usize, usize) = (16, 32);

/// `FRAME_OWNED_BY_CSTACK`
pub const FROM_C: u8 = 3;

/// How a frame says at which instruction it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// A C `int`: so many bytes of code, each as many as given here.
    Index(u32),
    /// The address of the instruction. The code begins at this offset in its object.
    Pointer(usize),
}

/// What a line table looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Pairs of distances: bytes of code, lines (3.9).
    Pairs,
    /// Pairs as well, each of a range of code (3.10).
    Ranges,
    /// Entries of several bytes, the first of which has the highest bit set (since 3.11).
    Entries,
}

/// Offsets of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// In the state of a thread: its innermost frame.
    pub frame: usize,
    /// What stands there is the address of a structure instead, which has the frame at this offset.
    pub inner: Option<usize>,
    /// In a frame: the one that called it, the code, the instruction.
    pub previous: usize,
    pub code: usize,
    pub instruction: usize,
    pub position: Position,
    /// A byte that is [`FROM_C`] where C calls the interpreter: in 3.12 such a frame has code as well.
    pub owner: Option<usize>,
    /// In a code object.
    pub first_line: usize,
    pub file: usize,
    pub name: usize,
    pub lines: usize,
    pub table: TableKind,
    /// Bytes before the characters of a text: of one of ASCII, of others.
    pub ascii: usize,
    pub compact: usize,
}

const V3_9: Layout = Layout {
    frame: 24,
    inner: None,
    previous: 24,
    code: 32,
    instruction: 104,
    position: Position::Index(1),
    owner: None,
    first_line: 40,
    file: 104,
    name: 112,
    lines: 120,
    table: TableKind::Pairs,
    ascii: 48,
    compact: 72,
};
const V3_10: Layout = Layout {
    instruction: 96,
    position: Position::Index(2),
    table: TableKind::Ranges,
    ..V3_9
};
const V3_11: Layout = Layout {
    frame: 56,
    inner: Some(8),
    previous: 48,
    code: 32,
    instruction: 56,
    position: Position::Pointer(184),
    first_line: 72,
    file: 112,
    name: 120,
    lines: 136,
    table: TableKind::Entries,
    ..V3_9
};
const V3_12: Layout = Layout {
    inner: Some(0),
    previous: 8,
    code: 0,
    position: Position::Pointer(192),
    owner: Some(70),
    first_line: 68,
    ascii: 40,
    compact: 56,
    ..V3_11
};

impl Layout {
    pub fn of(version: (u32, u32), runtime: usize, memory: &impl Memory) -> Option<Layout> {
        match version {
            (3, 9) => Some(V3_9),
            (3, 10) => Some(V3_10),
            (3, 11) => Some(V3_11),
            (3, 12) => Some(V3_12),
            // Words of `_Py_DebugOffsets` before those of the thread's state, the frame and the code object.
            (3, 13) => published(version, [19, 28, 34], runtime, memory),
            (3, 14) => published(version, [22, 31, 39], runtime, memory),
            _ => None,
        }
    }
}

/// What the interpreter says itself. None for builds without the global lock: there threads have copies of the code.
fn published(
    version: (u32, u32),
    [thread, frame, code]: [usize; 3],
    runtime: usize,
    memory: &impl Memory,
) -> Option<Layout> {
    let word = |n: usize| memory.word(runtime.wrapping_add(n.wrapping_mul(8)));
    let offset = |n: usize| word(n).filter(|offset| *offset < 1 << 8);
    let is_known = word(0) == Some(usize::from_ne_bytes(*b"xdebugpy"))
        && word(1).map(|hex| hex >> 16) == Some((version.0 << 8 | version.1) as usize)
        && word(2) == Some(0);
    if !is_known {
        return None;
    }
    Some(Layout {
        frame: offset(thread.wrapping_add(4))?,
        inner: None,
        previous: offset(frame.wrapping_add(1))?,
        code: offset(frame.wrapping_add(2))?,
        instruction: offset(frame.wrapping_add(3))?,
        file: offset(code.wrapping_add(1))?,
        name: offset(code.wrapping_add(2))?,
        lines: offset(code.wrapping_add(4))?,
        first_line: offset(code.wrapping_add(5))?,
        position: Position::Pointer(offset(code.wrapping_add(9))?),
        owner: None,
        ..V3_12
    })
}
