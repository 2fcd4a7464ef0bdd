//! The functions of Python that a thread is in, from the memory of CPython: source file, function and line of each.
//!
//! It runs inside the traced program: it allocates nothing, calls nothing of the interpreter, takes no reference, and reads
//! only through [`Memory`]. Where things lie is known for the usual builds of 3.9 to 3.12, and published by the interpreter
//! itself (`_Py_DebugOffsets`) since 3.13. Line tables are those of CPython's `Objects/lnotab_notes.txt` (3.9), of PEP 626
//! (3.10) and of `InternalDocs/code_objects.md` (since 3.11).
#![cfg_attr(not(test), no_std)]

#[cfg(test)]
mod fake;
mod frames;
mod interpreter;
mod layout;
mod lines;
mod text;

pub use frames::{Frame, Frames};
pub use interpreter::{Interpreter, Symbols};
use iota_unwind::Memory;
use lines::Table;

impl Interpreter {
    /// The source file of a frame, piece by piece. False: there is no such text.
    pub fn file(&self, memory: &impl Memory, frame: Frame, piece: impl FnMut(&[u8])) -> bool {
        self.text(memory, frame.file, piece)
    }

    /// The name of a frame's function, likewise.
    pub fn name(&self, memory: &impl Memory, frame: Frame, piece: impl FnMut(&[u8])) -> bool {
        self.text(memory, frame.name, piece)
    }

    fn text(&self, memory: &impl Memory, object: usize, piece: impl FnMut(&[u8])) -> bool {
        let is_aligned = object.is_multiple_of(align_of::<usize>());
        is_aligned
            && memory.word(object.wrapping_add(layout::TYPE)) == Some(self.text_type)
            && text::decode(memory, &self.layout, object, piece).is_some()
    }

    /// The line on which a frame is. 0: it has none.
    pub fn line(&self, memory: &impl Memory, frame: Frame) -> u32 {
        let line = Table::new(memory, frame.lines).and_then(|table| {
            let first = frame.first_line as i32;
            lines::line(self.layout.table, table, first, frame.instruction)
        });
        line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fake::Fake;
    use layout::TYPE;
    use proptest::prelude::*;

    const CODE: usize = 0x1000;
    const TEXT: usize = 0x2000;
    const SYMBOLS: Symbols = Symbols {
        code_type: CODE,
        text_type: TEXT,
        runtime: 0,
    };

    fn interpreter(memory: &Fake) -> Interpreter {
        Interpreter::new(b"3.12.1 (main)", SYMBOLS, memory).expect("known")
    }

    fn text(memory: &mut Fake, width: usize, characters: &[u32]) -> usize {
        let is_ascii = characters.iter().all(|character| *character < 128);
        let header = if is_ascii { 40 } else { 56 };
        let at = memory.object(header + characters.len() * width);
        memory.put_word(at + TYPE, TEXT);
        memory.put_word(at + 16, characters.len());
        memory.put_word(at + 32, width << 2 | 1 << 5 | usize::from(is_ascii) << 6);
        for (n, character) in characters.iter().enumerate() {
            memory.put(at + header + n * width, &character.to_le_bytes()[..width]);
        }
        at
    }

    fn characters(text: &str) -> Vec<u32> {
        text.chars().map(u32::from).collect()
    }

    /// The state of a thread of 3.12 that is in `inner`, called by C, called by `outer`.
    fn state(memory: &mut Fake) -> usize {
        let file = text(memory, 1, &characters("/home/u/data.py"));
        let frames = ["inner", "outer"].map(|name| {
            let (name, lines) = (
                text(memory, 1, &characters(name)),
                memory.bytes(&[0xD8, 0, 1]),
            );
            let code = memory.object(200);
            memory.put_word(code + TYPE, CODE);
            memory.put(code + 68, &41u32.to_le_bytes());
            for (at, object) in [(112, file), (120, name), (136, lines)] {
                memory.put_word(code + at, object);
            }
            let frame = memory.object(72);
            memory.put_word(frame, code);
            memory.put_word(frame + 56, code + 192);
            frame
        });
        let (from_c, holder, state) = (memory.object(72), memory.object(8), memory.object(64));
        let [inner, outer] = frames;
        memory.put_word(inner + 8, from_c);
        memory.put_word(from_c + 8, outer);
        // Code of the interpreter's own.
        memory.put_word(from_c, memory.word(inner).unwrap());
        memory.put(from_c + 70, &[3]);
        memory.put_word(holder, inner);
        memory.put_word(state + 56, holder);
        state
    }

    #[test]
    fn functions_of_a_thread() {
        let mut memory = Fake::default();
        let state = state(&mut memory);
        let interpreter = interpreter(&memory);
        let all = interpreter.frames(&memory, state).map(|frame| {
            let (mut file, mut name) = (Vec::new(), Vec::new());
            assert!(interpreter.file(&memory, frame, |piece| file.extend_from_slice(piece)));
            assert!(interpreter.name(&memory, frame, |piece| name.extend_from_slice(piece)));
            assert_eq!(file, b"/home/u/data.py");
            (name, interpreter.line(&memory, frame))
        });
        let all: Vec<_> = all.collect();
        assert_eq!(all, [(b"inner".to_vec(), 42), (b"outer".to_vec(), 42)]);
        let print = |memory: &Fake, most| interpreter.fingerprint(memory, state, most);
        let (one, both) = (print(&memory, 1), print(&memory, 64));
        assert!(one != 0 && both != 0 && one != both);
        assert_eq!(
            interpreter.fingerprint(&memory, 0, 64),
            0,
            "no thread of Python"
        );
        // Another instruction
        let inner = memory.word(memory.word(state + 56).unwrap()).unwrap();
        memory.put_word(inner + 56, memory.word(inner).unwrap() + 194);
        assert_ne!(print(&memory, 64), both);
    }

    #[test]
    fn texts_of_all_widths() {
        for (width, given, expected) in [
            (
                1,
                characters("pl\u{e4}ne.py"),
                "pl\u{e4}ne.py".as_bytes().to_vec(),
            ),
            (
                2,
                characters("\u{3b1}\t\n.py"),
                "\u{3b1}??.py".as_bytes().to_vec(),
            ),
            (4, characters("\u{1f600}"), "\u{1f600}".as_bytes().to_vec()),
            (2, vec![0x61, 0xDCFF, 0xD800], b"a\xff?".to_vec()),
        ] {
            let mut memory = Fake::default();
            let object = text(&mut memory, width, &given);
            let (mut said, layout) = (Vec::new(), interpreter(&memory).layout);
            text::decode(&memory, &layout, object, |piece| {
                said.extend_from_slice(piece)
            })
            .unwrap();
            assert_eq!(said, expected);
        }
    }

    #[test]
    fn versions() {
        let mut memory = Fake::default();
        let is_known = |memory: &Fake, version: &str, runtime| {
            let symbols = Symbols { runtime, ..SYMBOLS };
            Interpreter::new(version.as_bytes(), symbols, memory).is_some()
        };
        for version in ["3.9.18 (main, x)", "3.10.0+", "3.11.7", "3.12.1rc2"] {
            assert!(is_known(&memory, version, 0), "{version}");
        }
        for version in ["", "3", "3.8.1", "2.7.18", "3.13.0", "4294967299.9", "x.y"] {
            assert!(!is_known(&memory, version, 0), "{version}");
        }
        let runtime = memory.object(400);
        memory.put(runtime, b"xdebugpy");
        memory.put_word(runtime + 8, 0x030D_00F0);
        assert!(is_known(&memory, "3.13.0", runtime));
        assert!(!is_known(&memory, "3.14.0", runtime), "another's");
        memory.put_word(runtime + 16, 1);
        assert!(!is_known(&memory, "3.13.0", runtime), "without the lock");
    }

    proptest! {
        /// Whatever stands in memory, the frames end, and nothing else than it is read.
        #[test]
        fn any_memory(bytes in prop::collection::vec(any::<u8>(), 0..600), links in prop::collection::vec((0usize..75, 0usize..75), 0..40)) {
            let mut memory = Fake::default();
            let base = memory.object(600);
            memory.put(base, &bytes);
            for (at, to) in links {
                memory.put_word(base + at * 8, base + to * 8);
            }
            for version in ["3.9", "3.10", "3.11", "3.12"] {
                let symbols = Symbols { code_type: base, text_type: base + 8, runtime: base };
                let interpreter = Interpreter::new(version.as_bytes(), symbols, &memory).unwrap();
                for state in (0..600).step_by(8) {
                    for frame in interpreter.frames(&memory, base + state).take(9) {
                        interpreter.file(&memory, frame, |_| ());
                        interpreter.line(&memory, frame);
                    }
                    interpreter.fingerprint(&memory, base + state, 9);
                }
            }
        }
    }
}
