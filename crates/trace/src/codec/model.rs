//! What the next event of a thread is expected to be, learnt from those before it in the block.
//!
//! Both sides run [`Model::event`] over the same events and so hold the same expectations; nothing here
//! depends on what a call means, only on what followed what. All state is plain data: zeroed is new.

use super::{Seen, Side, column, main, rare};
use crate::Event;
use crate::record::flags;

mod calls;
use calls::Calls;

/// The state of one block.
#[repr(C)]
pub struct Model {
    /// The op that last followed the two before it.
    ops: [u16; 256],
    seen: Seen,
    /// The descriptor (+2) that an op last used after a call on another.
    fds: [i32; 256],
    /// The length (+1) that last followed two lengths of a key.
    lengths: [u64; 128],
    /// The key that an op last used.
    latest: [u8; 256],
    keys: [Key; KEYS],
    descriptors: [Descriptor; 128],
    /// How calls nest, by op and op before.
    nesting: [Nesting; 256],
    calls: Calls,
    before: Before,
    second: Second,
}

const KEYS: usize = 64;

/// What calls of one op on one descriptor have in common.
#[repr(C)]
#[derive(Clone, Copy)]
struct Key {
    tag: u64,
    length: u64,
    length_before: u64,
    /// Offset of the last call less where the call before it on the descriptor ended.
    gap: i64,
    ret: i64,
    /// What was returned less the offset.
    jump: i64,
    flags: u16,
    whence: u16,
    errno: u16,
    rule: u8,
    file_rule: u8,
    placed: bool,
    time: u8,
}

/// How `ret` was last told.
mod rule {
    pub const LENGTH: u8 = 0;
    pub const FD: u8 = 1;
    pub const SAME: u8 = 2;
    pub const JUMP: u8 = 3;
}

/// How `file` was last told.
mod file_rule {
    pub const DESCRIPTOR: u8 = 0;
    pub const NONE: u8 = 1;
    pub const BEFORE: u8 = 2;
    pub const NEW: u8 = 3;
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Descriptor {
    fd: i32,
    file: u32,
    position: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Nesting {
    place: i32,
    inside: bool,
}

/// The event before.
#[repr(C)]
struct Before {
    op: u16,
    op_before: u16,
    fd: i32,
    file: u32,
    next_file: u32,
    end: i64,
}

/// The last second file, descriptor and offset.
#[repr(C)]
struct Second {
    file: u32,
    fd: i32,
    offset: i64,
    gap: i64,
    arg: u64,
}

impl Model {
    /// The state before the first block.
    pub const NEW: Model = Model {
        ops: [0; 256],
        seen: Seen::NEW,
        fds: [0; 256],
        lengths: [0; 128],
        latest: [0; 256],
        keys: [Key::NEW; KEYS],
        descriptors: [Descriptor {
            fd: 0,
            file: 0,
            position: 0,
        }; 128],
        nesting: [Nesting {
            place: 0,
            inside: false,
        }; 256],
        calls: Calls::NEW,
        before: Before {
            op: 0,
            op_before: 0,
            fd: 0,
            file: 0,
            next_file: 0,
            end: 0,
        },
        second: Second {
            file: 0,
            fd: 0,
            offset: 0,
            gap: 0,
            arg: 0,
        },
    };
}

#[inline(always)]
fn hash(a: u32, b: u32) -> usize {
    (a.wrapping_mul(0x9E37_79B1) ^ b.wrapping_mul(0x85EB_CA77)).wrapping_mul(0xC2B2_AE3D) as usize
        >> 16
}

impl Model {
    /// Starts a block: the time, call number and file number that the first event is told against.
    pub fn start(&mut self, end: i64, call: u64, file: u32) {
        *self = Model::NEW;
        self.before.end = end;
        self.before.next_file = file;
        self.calls.start(call);
    }

    /// The next event: its fields from `e` when encoding, to be filled in when decoding.
    #[inline(always)]
    pub fn event<S: Side>(&mut self, side: &mut S, e: &mut Event) {
        side.begin();
        self.op_and_fd(side, e);
        let (at, mut key) = self.key(e.op, e.fd);
        let place = descriptor_slot(e.fd);
        let descriptor = self.descriptor(place, e.fd);
        self.length(side, e, at, &key);
        self.file(side, e, &mut key, descriptor);
        position(side, e, &mut key, descriptor);
        ret(side, e, &mut key);
        self.learn_descriptor(place, e, descriptor);
        let enclosing = self.number(side, e, &mut key);
        side.end();
        self.times(side, e, &mut key, enclosing);
        self.learn(e, at, key);
    }

    #[inline(always)]
    fn op_and_fd<S: Side>(&mut self, side: &mut S, e: &mut Event) {
        let slot = hash(u32::from(self.before.op), u32::from(self.before.op_before)) & 255;
        e.op = side.op(self.ops[slot], &mut self.seen, e.op);
        self.ops[slot] = e.op;
        let slot = &mut self.fds[hash(u32::from(e.op), self.before.fd as u32) & 255];
        let expected = if *slot == 0 {
            self.before.fd
        } else {
            slot.wrapping_sub(2)
        };
        e.fd = side.field(main::FD, column::FD, expected.into(), -1, e.fd.into()) as i32;
        *slot = e.fd.wrapping_add(2);
    }

    /// The key of an op and a descriptor; a new one starts from the last of that op.
    #[inline(always)]
    fn key(&mut self, op: u16, fd: i32) -> (usize, Key) {
        let at = hash(u32::from(op), fd as u32) & (KEYS - 1);
        let tag = u64::from(op) << 32 | u64::from(fd as u32);
        let latest = &mut self.latest[usize::from(op & 255)];
        let from = if self.keys[at].tag == tag {
            at
        } else {
            usize::from(*latest) & (KEYS - 1)
        };
        *latest = at as u8;
        let key = self.keys[from];
        (
            at,
            if from == at && key.tag == tag {
                key
            } else {
                key.fresh(tag)
            },
        )
    }

    #[inline(always)]
    fn descriptor(&self, place: usize, fd: i32) -> Descriptor {
        let known = self.descriptors[place & 127];
        if known.fd == fd {
            known
        } else {
            Descriptor {
                fd,
                file: 0,
                position: 0,
            }
        }
    }

    #[inline(always)]
    fn length<S: Side>(&mut self, side: &mut S, e: &mut Event, at: usize, key: &Key) {
        let pair = (key.length as u32) ^ (key.length_before as u32).rotate_left(16);
        let slot = &mut self.lengths[hash(pair, at as u32) & 127];
        let expected = if *slot == 0 {
            key.length
        } else {
            slot.wrapping_sub(1)
        } as i64;
        e.length = side.field(
            main::LENGTH,
            column::LENGTH,
            expected,
            expected,
            e.length as i64,
        ) as u64;
        *slot = e.length.wrapping_add(1);
    }

    #[inline(always)]
    fn file<S: Side>(
        &mut self,
        side: &mut S,
        e: &mut Event,
        key: &mut Key,
        descriptor: Descriptor,
    ) {
        let Before {
            file: before,
            next_file: new,
            ..
        } = self.before;
        let expected = match key.file_rule {
            file_rule::DESCRIPTOR => descriptor.file,
            file_rule::BEFORE => before,
            file_rule::NEW => new,
            _ => 0,
        };
        e.file = side.field(
            main::FILE,
            column::FILE,
            expected.into(),
            new.into(),
            e.file.into(),
        ) as u32;
        key.file_rule = match e.file {
            file if file == descriptor.file => file_rule::DESCRIPTOR,
            0 => file_rule::NONE,
            file if file == before => file_rule::BEFORE,
            file if file == new => file_rule::NEW,
            _ => key.file_rule,
        };
        self.before.file = e.file;
        self.before.next_file = new.max(e.file.wrapping_add(1));
    }

    #[inline(always)]
    fn learn_descriptor(&mut self, place: usize, e: &Event, mut descriptor: Descriptor) {
        descriptor.file = e.file;
        if e.offset != -1 {
            descriptor.position = after(e);
        } else if e.ret == i64::from(e.fd) {
            // What returns its descriptor opened it.
            descriptor.position = 0;
        }
        self.descriptors[place & 127] = descriptor;
    }

    /// The call's number, and what is rarely not as expected. Says where the event encloses calls before it.
    #[inline(always)]
    fn number<S: Side>(&mut self, side: &mut S, e: &mut Event, key: &mut Key) -> Option<i64> {
        let nesting = &mut self.nesting[hash(u32::from(self.before.op), u32::from(e.op)) & 255];
        let place = self.calls.place(e.id);
        let place = side.field(main::ID, column::ID, nesting.place.into(), 0, place);
        nesting.place = place as i32;
        let (id, enclosing) = self.calls.take(place);
        e.id = id;
        side.begin_rare();
        let parent = if nesting.inside {
            self.calls.distance(id)
        } else {
            0
        };
        let actual = if e.parent == 0 {
            0
        } else {
            id.wrapping_sub(e.parent) as i64
        };
        let distance = side.rare(rare::PARENT, column::PARENT, parent, actual);
        e.parent = if distance == 0 {
            0
        } else {
            id.wrapping_sub(distance as u64)
        };
        nesting.inside = distance != 0;
        rarities(side, e, key);
        if e.flags & flags::MORE != 0 {
            self.second(side, e);
        }
        side.end_rare();
        enclosing
    }

    #[cold]
    fn second<S: Side>(&mut self, side: &mut S, e: &mut Event) {
        let (known, more) = (&mut self.second, &mut e.second);
        let file = side.rare(
            rare::FILE,
            column::SECOND_FILE,
            known.file.into(),
            more.file.into(),
        );
        let fd = side.rare(rare::FD, column::SECOND_FD, known.fd.into(), more.fd.into());
        let offset = known.offset.wrapping_add(known.gap);
        more.offset = side.rare(rare::OFFSET, column::SECOND_OFFSET, offset, more.offset);
        more.arg = side.rare(rare::ARG, column::ARG, known.arg as i64, more.arg as i64) as u64;
        (more.file, more.fd) = (file as u32, fd as i32);
        let gap = more.offset.wrapping_sub(known.offset);
        *known = Second {
            file: more.file,
            fd: more.fd,
            offset: more.offset,
            gap,
            arg: more.arg,
        };
    }

    #[inline(always)]
    fn times<S: Side>(
        &mut self,
        side: &mut S,
        e: &mut Event,
        key: &mut Key,
        enclosing: Option<i64>,
    ) {
        let before = self.before.end;
        if let Some(first) = enclosing {
            let first = if first == i64::MAX { before } else { first };
            e.start = first.wrapping_sub(side.always(column::LEAD, first.wrapping_sub(e.start)));
            e.end = before.wrapping_add(side.always(column::TAIL, e.end.wrapping_sub(before)));
        } else {
            e.start = before.wrapping_add(side.always(column::GAP, e.start.wrapping_sub(before)));
            let class = column::TIME.wrapping_add(usize::from(key.time & 3));
            let time = side.always(class, e.end.wrapping_sub(e.start));
            e.end = e.start.wrapping_add(time);
            key.time = size_class(time);
        }
        self.calls.started(e.start);
    }

    #[inline(always)]
    fn learn(&mut self, e: &Event, at: usize, mut key: Key) {
        key.length_before = key.length;
        key.length = e.length;
        self.keys[at & (KEYS - 1)] = key;
        self.before.op_before = self.before.op;
        self.before.op = e.op;
        self.before.fd = e.fd;
        self.before.end = e.end;
    }
}

impl Key {
    const NEW: Key = Key {
        tag: 0,
        length: 0,
        length_before: 0,
        gap: 0,
        ret: 0,
        jump: 0,
        flags: 0,
        whence: 0,
        errno: 0,
        rule: 0,
        file_rule: 0,
        placed: false,
        time: 0,
    };

    fn fresh(self, tag: u64) -> Key {
        Key {
            tag,
            gap: 0,
            ..self
        }
    }
}

fn descriptor_slot(fd: i32) -> usize {
    (fd as usize) & 127
}

/// Where a call left the position: behind what was moved, or where a seek went.
#[inline(always)]
fn after(e: &Event) -> i64 {
    let moved = e.ret.max(0);
    if moved as u64 > e.length || e.length == 0 {
        moved
    } else {
        e.offset.wrapping_add(moved)
    }
}

#[inline(always)]
fn position<S: Side>(side: &mut S, e: &mut Event, key: &mut Key, descriptor: Descriptor) {
    let next = descriptor.position.wrapping_add(key.gap);
    e.offset = side.offset(if key.placed { next } else { -1 }, e.length, e.offset);
    key.placed = e.offset != -1;
    if key.placed {
        key.gap = e.offset.wrapping_sub(descriptor.position);
    }
}

#[inline(always)]
fn ret<S: Side>(side: &mut S, e: &mut Event, key: &mut Key) {
    let length = e.length as i64;
    let expected = match key.rule {
        rule::LENGTH => length,
        rule::FD => e.fd.into(),
        rule::SAME => key.ret,
        _ => e.offset.wrapping_add(key.jump),
    };
    e.ret = side.field(main::RET, column::RET, expected, expected, e.ret);
    let jump = e.ret.wrapping_sub(e.offset);
    key.rule = match e.ret {
        ret if ret == length => rule::LENGTH,
        ret if ret == i64::from(e.fd) => rule::FD,
        ret if ret == key.ret => rule::SAME,
        _ if e.offset != -1 && jump == key.jump => rule::JUMP,
        _ => key.rule,
    };
    key.ret = e.ret;
    key.jump = jump;
}

#[inline(always)]
fn rarities<S: Side>(side: &mut S, e: &mut Event, key: &mut Key) {
    let errno = if e.ret < 0 { key.errno } else { 0 };
    e.errno = side.rare(rare::ERRNO, column::ERRNO, errno.into(), e.errno.into()) as u16;
    if e.ret < 0 {
        key.errno = e.errno;
    }
    e.flags = side.rare(rare::FLAGS, column::FLAGS, key.flags.into(), e.flags.into()) as u16;
    key.flags = e.flags;
    e.whence = side.rare(
        rare::WHENCE,
        column::WHENCE,
        key.whence.into(),
        e.whence.into(),
    ) as u16;
    key.whence = e.whence;
}

/// Calls that took about as long as the last time share a code.
#[inline(always)]
fn size_class(time: i64) -> u8 {
    match time {
        ..8 => 0,
        8..64 => 1,
        64..512 => 2,
        _ => 3,
    }
}
