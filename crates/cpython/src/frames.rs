//! The frames of a thread, innermost first.

use crate::interpreter::Interpreter;
use crate::layout::{FROM_C, Position, TYPE};
use iota_unwind::Memory;

/// Frames that are gone through at most, also those that are no functions of Python: a chain may be damaged.
const MOST: usize = 4096;

/// A function that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its code object.
    code: usize,
    /// Bytes of its code before the instruction at which it is.
    pub(crate) instruction: u32,
    /// What the code object has: texts of the source file and of the name, the table of lines, the first line.
    pub(crate) file: usize,
    pub(crate) name: usize,
    pub(crate) lines: usize,
    pub(crate) first_line: u32,
}

impl Interpreter {
    /// The functions that a thread is in, innermost first. `state` is its `PyThreadState`.
    pub fn frames<'m, M: Memory>(&'m self, memory: &'m M, state: usize) -> Frames<'m, M> {
        Frames::new(self, memory, state)
    }

    /// Tells functions and instructions of the innermost `most` frames from all others. 0: there is none.
    pub fn fingerprint(&self, memory: &impl Memory, state: usize, most: usize) -> u64 {
        let mut all = 0u64;
        let mut add = |value: u64| {
            all = (all.rotate_left(5) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        };
        for frame in self.frames(memory, state).take(most) {
            // A function may lie where one lay that is gone: its names and its line are compared as well.
            add(frame.code as u64);
            add(frame.file as u64);
            add(frame.name as u64);
            add(u64::from(frame.instruction) << 32 | u64::from(frame.first_line));
        }
        all
    }
}

/// Those of a thread.
pub struct Frames<'m, M> {
    interpreter: &'m Interpreter,
    memory: &'m M,
    next: usize,
    left: usize,
}

impl<'m, M: Memory> Frames<'m, M> {
    fn new(interpreter: &'m Interpreter, memory: &'m M, state: usize) -> Self {
        let layout = &interpreter.layout;
        let first = memory.word(state.wrapping_add(layout.frame));
        let next = match (first, layout.inner) {
            (Some(0), _) | (None, _) => None,
            (Some(holder), Some(offset)) => memory.word(holder.wrapping_add(offset)),
            (frame, None) => frame,
        };
        Frames {
            interpreter,
            memory,
            next: next.unwrap_or(0),
            left: MOST,
        }
    }

    /// The code object at an address, with the instruction that a frame is at. None: it is something else.
    fn code(&self, at: usize, frame: usize) -> Option<Frame> {
        let Interpreter {
            layout, code_type, ..
        } = self.interpreter;
        let word = |offset| self.memory.word(at.wrapping_add(offset));
        let is_code = at != 0 && at.is_multiple_of(8) && word(TYPE)? == *code_type;
        if !is_code {
            return None;
        }
        let place = frame.wrapping_add(layout.instruction);
        let instruction = match layout.position {
            Position::Index(unit) => half(self.memory, place)?.wrapping_mul(unit),
            Position::Pointer(offset) => {
                let begin = at.wrapping_add(offset);
                self.memory.word(place)?.wrapping_sub(begin) as u32
            }
        };
        Some(Frame {
            instruction,
            code: at,
            file: word(layout.file)?,
            name: word(layout.name)?,
            lines: word(layout.lines)?,
            first_line: half(self.memory, at.wrapping_add(layout.first_line))?,
        })
    }
}

impl<M: Memory> Iterator for Frames<'_, M> {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        let layout = &self.interpreter.layout;
        while self.next != 0 && self.left > 0 {
            let frame = core::mem::take(&mut self.next);
            self.left = self.left.wrapping_sub(1);
            self.next = self.memory.word(frame.wrapping_add(layout.previous))?;
            // What calls the interpreter from C stands among them with something else than code. The lowest bits of a
            // reference are the interpreter's own.
            let owner = layout.owner.map(|owner| frame.wrapping_add(owner));
            if owner.is_some_and(|owner| byte(self.memory, owner) == Some(FROM_C)) {
                continue;
            }
            let code = self.memory.word(frame.wrapping_add(layout.code))? & !7;
            let found = self.code(code, frame);
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// A C `int`.
fn half(memory: &impl Memory, at: usize) -> Option<u32> {
    let mut bytes = [0; 4];
    memory
        .read(at, &mut bytes)
        .then(|| u32::from_ne_bytes(bytes))
}

fn byte(memory: &impl Memory, at: usize) -> Option<u8> {
    let mut byte = [0];
    memory.read(at, &mut byte).then_some(byte[0])
}
