//! Functions of Python on a stack: read from the state of the thread's own interpreter, which stands still while the thread
//! is inside a call.

use super::extent;
use super::frames::FRAMES;
use super::memory::Pages;
use crate::real::{self, cpython};
use crate::state::log;
use crate::sys::{self, Once, Starting, Text};
use crate::thread::Thread;
use core::ffi::{CStr, c_int, c_void};
use core::mem::{MaybeUninit, transmute};
use core::ptr;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
use iota_cpython::{Frame, Interpreter, Symbols};
use iota_unwind::Memory;

/// Where the program's Python has its functions.
#[derive(Clone, Copy)]
struct Python {
    interpreter: Interpreter,
    /// `PyGILState_GetThisThreadState`: that of the thread, whether it holds the interpreter's lock or not.
    state: State,
    /// `_Py_IsFinalizing`
    is_ending: IsEnding,
}

type State = unsafe extern "C" fn() -> *const c_void;
type IsEnding = unsafe extern "C" fn() -> c_int;

static PYTHON: Once<Option<Python>> = Once::new(None);
/// Whether things lie where they should: the first stack with functions of Python is read through the kernel.
static LAYOUT: AtomicU8 = AtomicU8::new(UNCHECKED);
const UNCHECKED: u8 = 0;
const RIGHT: u8 = 1;
const WRONG: u8 = 2;

/// Looks for a Python in the program.
pub fn start(starting: &mut Starting) {
    let Some(version) = cpython::version() else {
        return;
    };
    let python = find(version);
    if python.is_none() {
        log::line(&[
            b"IOTA_STACKS: python ",
            version.to_bytes(),
            b": functions of this version are not seen",
        ]);
    }
    PYTHON.set(starting, python);
}

fn find(version: &CStr) -> Option<Python> {
    let address = |name| Some(real::first(name)).filter(|found| !found.is_null());
    let symbols = Symbols {
        code_type: address(c"PyCode_Type")?.addr(),
        text_type: address(c"PyUnicode_Type")?.addr(),
        runtime: address(c"_PyRuntime")?.addr(),
    };
    let interpreter = Interpreter::new(version.to_bytes(), symbols, &CheckedMemory)?;
    let state = address(c"PyGILState_GetThisThreadState")?;
    let is_ending = address(c"_Py_IsFinalizing").or_else(|| address(c"Py_IsFinalizing"))?;
    // SAFETY: functions of these types in all versions.
    let (state, is_ending) = unsafe {
        (
            transmute::<*mut c_void, State>(state),
            transmute::<*mut c_void, IsEnding>(is_ending),
        )
    };
    Some(Python {
        interpreter,
        state,
        is_ending,
    })
}

/// The functions of Python that the calling thread is in.
#[derive(Clone, Copy)]
pub struct Functions {
    python: &'static Python,
    state: usize,
    /// Tells them from others.
    pub fingerprint: u64,
}

/// None where there is none.
#[inline]
pub fn functions(thread: &Thread) -> Option<Functions> {
    let python = (*PYTHON.get()).as_ref()?;
    let checked = LAYOUT.load(Relaxed);
    if checked == WRONG {
        return None;
    }
    // SAFETY: it may be called in any thread, at any time.
    let state = unsafe { (python.state)() }.addr();
    if state == 0 || checked == UNCHECKED && !check(python, state) {
        return None;
    }
    // What ends takes away the state of threads that go on (daemons).
    // SAFETY: likewise.
    if !extent::is_of_first(thread) && unsafe { (python.is_ending)() } != 0 {
        return None;
    }
    let fingerprint = python.interpreter.fingerprint(&OwnMemory, state, FRAMES);
    (fingerprint != 0).then_some(Functions {
        python,
        state,
        fingerprint,
    })
}

/// Whether the frames of a thread are where they should be. Until there are some, nobody knows.
#[cold]
#[inline(never)]
fn check(python: &Python, state: usize) -> bool {
    let interpreter = &python.interpreter;
    let Some(frame) = interpreter.frames(&CheckedMemory, state).next() else {
        return false;
    };
    let is_right = interpreter.file(&CheckedMemory, frame, |_| ())
        && interpreter.name(&CheckedMemory, frame, |_| ());
    LAYOUT.store(if is_right { RIGHT } else { WRONG }, Relaxed);
    if !is_right {
        log::line(&[
            b"IOTA_STACKS: functions of Python are not where they should be, and not seen",
        ]);
    }
    is_right
}

impl Functions {
    /// An instruction of the interpreter.
    pub fn interpreter(&self) -> usize {
        self.python.state as usize
    }

    /// Adds them to a text, innermost first: a tab and `line@function`, behind the source file on a line of its own where that
    /// is another one than before. Those that there is no room for are left out.
    pub fn describe<const N: usize>(&self, text: &mut Text<N>, pages: &Pages) {
        let interpreter = &self.python.interpreter;
        // Where the line of the text begins that has the source file, and the file's name ends.
        let mut file = None;
        for frame in interpreter.frames(pages, self.state).take(FRAMES) {
            let end = text.bytes().len();
            if self.one(text, pages, frame, &mut file).is_none() || text.is_full() {
                text.truncate(end);
                break;
            }
        }
    }

    fn one<const N: usize>(
        &self,
        text: &mut Text<N>,
        pages: &Pages,
        frame: Frame,
        file: &mut Option<(usize, usize)>,
    ) -> Option<()> {
        let interpreter = &self.python.interpreter;
        let before = text.bytes().len();
        if before > 0 {
            text.push(b"\n");
        }
        let from = text.bytes().len();
        let is_named = interpreter.file(pages, frame, |piece| {
            text.push(piece);
        });
        let to = text.bytes().len();
        if !is_named || from == to {
            return None;
        }
        let bytes = text.bytes();
        if file.is_some_and(|(start, end)| bytes.get(start..end) == bytes.get(from..to)) {
            text.truncate(before);
        } else {
            *file = Some((from, to));
        }
        text.push(b"\t");
        text.push_number(interpreter.line(pages, frame).into());
        text.push(b"@");
        interpreter
            .name(pages, frame, |piece| {
                text.push(piece);
            })
            .then_some(())
    }
}

/// Memory of the thread's own interpreter, which is there.
struct OwnMemory;

impl Memory for OwnMemory {
    #[inline(always)]
    fn read(&self, at: usize, to: &mut [u8]) -> bool {
        // Neither a small number nor an address of the kernel's.
        const ADDRESSES: u32 = if cfg!(target_arch = "aarch64") {
            48
        } else {
            47
        };
        let is_address = (1 << 16..1 << ADDRESSES).contains(&at);
        if is_address {
            // SAFETY: objects that the frames of this thread hold, where they were found to lie.
            unsafe { ptr::copy_nonoverlapping(at as *const u8, to.as_mut_ptr(), to.len()) };
        }
        is_address
    }
}

/// Any memory, read by the kernel.
struct CheckedMemory;

impl Memory for CheckedMemory {
    fn read(&self, at: usize, to: &mut [u8]) -> bool {
        const PIECE: usize = 192;
        let mut at = at;
        to.chunks_mut(PIECE).all(|to| {
            let mut room = [MaybeUninit::<u8>::uninit(); PIECE];
            let read = sys::copy_in(at, &mut room, to.len());
            at = at.wrapping_add(to.len());
            let is_whole = read.len() == to.len();
            if is_whole {
                to.copy_from_slice(read);
            }
            is_whole
        })
    }
}
