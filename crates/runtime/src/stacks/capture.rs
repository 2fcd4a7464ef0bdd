//! A stack that was not seen before is unwound. One thread does it at a time, with its signals blocked.

use super::frames::{FRAMES, ReturnAddress};
use super::memory::Pages;
use super::objects::{MappedObject, MappedObjects};
use super::python::Functions;
use crate::arena::lock::{Guard, Lock};
use crate::sys::atomics::{AtomicU32, AtomicUsize};
use crate::sys::{self, Once, Starting, Text, Zeroed};
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use iota_unwind::{Memory, Registers, Unwinder, step};

/// Frames that are gone through: those of hooks, then those that are wanted.
const STEPS: usize = FRAMES + 32;
/// Bytes of a text: those of a path.
const TEXT: usize = 4096;

static RIGHT: Lock<()> = Lock::of(
    AtomicUsize::new(0),
    AtomicU32::new(0),
    AtomicU32::new(0),
    (),
);
static WORKSPACE: Once<Option<&'static CaptureSpace>> = Once::new(None);

/// What is too large for a thread's stack; whoever has the right uses it.
struct CaptureSpace(UnsafeCell<Inner>);

// SAFETY: numbers, texts of which zeros are empty, and what is written before it is read.
unsafe impl Zeroed for CaptureSpace {}
// SAFETY: only the holder of `RIGHT` uses it.
unsafe impl Sync for CaptureSpace {}

struct Inner {
    pages: Pages,
    objects: MappedObjects,
    /// Whether the next one is ready.
    is_ready: bool,
    unwinder: MaybeUninit<Unwinder>,
    registers: MaybeUninit<Registers>,
    returns: [MaybeUninit<ReturnAddress>; FRAMES],
    text: Text<TEXT>,
}

/// Maps what is needed; false where there is no memory for it.
pub fn start(starting: &mut Starting) -> bool {
    RIGHT.free(starting);
    if WORKSPACE.get().is_none() {
        let Ok(workspace) = sys::map_table() else {
            return false;
        };
        WORKSPACE.set(starting, Some(workspace));
    }
    true
}

/// The right to unwind.
pub struct Capture<'l> {
    inner: &'l mut Inner,
    _right: Guard<'l, ()>,
}

/// A stack.
pub struct Stack<'c> {
    /// Its return addresses, innermost first.
    pub returns: &'c [ReturnAddress],
    /// What describes it.
    pub text: &'c [u8],
}

/// Waits for the right.
pub fn begin() -> Option<Capture<'static>> {
    let right = RIGHT.lock()?;
    let workspace = (*WORKSPACE.get())?;
    // SAFETY: the right is ours, and there is one.
    let inner = unsafe { &mut *workspace.0.get() };
    Some(Capture {
        inner,
        _right: right,
    })
}

impl Capture<'_> {
    /// The stack from the caller of the hook that has a variable at `frame`. Nothing where that is not found. The functions of
    /// Python stand for what is between the first and the last frame of the interpreter.
    #[inline(never)]
    pub fn unwind(&mut self, frame: usize, functions: Option<Functions>) -> Option<Stack<'_>> {
        let Inner {
            pages,
            objects,
            is_ready,
            unwinder,
            registers,
            returns,
            text,
        } = &mut *self.inner;
        if !core::mem::replace(is_ready, true) {
            Unwinder::begin(unwinder);
        }
        // SAFETY: it was begun, now or earlier.
        let unwinder = unsafe { unwinder.assume_init_mut() };
        let registers = registers.write(Registers::NONE);
        pages.forget();
        registers.here();
        let own = own_code(objects, pages, registers.place);
        text.clear();
        let (mut count, mut before) = (0usize, 0);
        // Where the text of the functions of Python ends
        let mut python = None;
        let mut object = objects.find(pages, registers.inside());
        for _ in 0..STEPS {
            let Some(of) = object.filter(|of| of.header != 0) else {
                break;
            };
            let Some(caller) = step(unwinder, pages, of.header, registers) else {
                break;
            };
            let is_further = caller.end > before;
            before = caller.end;
            object = objects.find(pages, registers.inside());
            let Some(at) = caller.return_at.filter(|_| is_further) else {
                break;
            };
            if caller.end <= frame || own.is_some_and(|own| own.holds(registers.place)) {
                continue;
            }
            let Some(value) = pages.word(at) else {
                break;
            };
            let Some(place) = returns.get_mut(count) else {
                break;
            };
            place.write(ReturnAddress { at, value });
            count = count.wrapping_add(1);
            let is_interpreter = |functions: &Functions| {
                object.is_some_and(|object| object.holds(functions.interpreter()))
            };
            match functions.filter(is_interpreter) {
                Some(functions) => {
                    let end = *python.get_or_insert_with(|| {
                        functions.describe(text, pages);
                        text.bytes().len()
                    });
                    text.truncate(end);
                }
                None => {
                    objects.mark(registers.inside());
                    describe(text, objects, object.as_ref(), registers.inside());
                }
            }
        }
        if let (Some(functions), None) = (functions, python) {
            functions.describe(text, pages);
        }
        let returns = returns.get(..count).filter(|returns| !returns.is_empty())?;
        // SAFETY: so many were written.
        let returns = unsafe { core::slice::from_raw_parts(returns.as_ptr().cast(), count) };
        Some(Stack {
            returns,
            text: text.bytes(),
        })
    }

    /// The build ids of objects that stacks have: texts that a part gets once.
    pub fn build_ids(&mut self, part: u32, give: impl FnMut(&[u8])) {
        let Inner { objects, text, .. } = &mut *self.inner;
        objects.build_ids(part, text, give);
    }
}

/// The shared object in which the hooks are; none in a program that is linked with them.
fn own_code(objects: &mut MappedObjects, pages: &Pages, place: usize) -> Option<MappedObject> {
    let own = objects.find(pages, place)?;
    let program = sys::auxiliary(libc::AT_ENTRY);
    let is_program = objects
        .find(pages, program)
        .is_some_and(|program| program.bias == own.bias);
    (!is_program).then_some(own)
}

/// Adds a frame: a tab and the address in the object's file, behind the object's path on a line of its own where that is
/// another one than before. Not where there is no room for all of it.
fn describe(
    text: &mut Text<TEXT>,
    objects: &MappedObjects,
    object: Option<&MappedObject>,
    place: usize,
) {
    let name = object.map_or(&b"?"[..], |object| objects.name(object));
    let end = text.bytes().len();
    let bytes = text.bytes();
    let line = bytes
        .rsplit(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let known = line.split(|byte| *byte == b'\t').next().unwrap_or_default();
    let (is_first, is_other) = (bytes.is_empty(), known != name);
    if is_first || is_other {
        if !is_first {
            text.push(b"\n");
        }
        text.push(name);
    }
    let bias = object.map_or(0, |object| object.bias);
    text.push(b"\t");
    push_hexadecimal(text, place.wrapping_sub(bias));
    if text.is_full() {
        text.truncate(end);
    }
}

fn push_hexadecimal(text: &mut Text<TEXT>, number: usize) {
    let digits = (usize::BITS - number.leading_zeros()).div_ceil(4).max(1);
    for at in (0..digits).rev() {
        let digit = char::from_digit((number >> (4 * at)) as u32 & 15, 16);
        text.push(&[digit.unwrap_or('0') as u8]);
    }
}
