//! Stacks as texts of details have them, and what was looked up of them.
//!
//! As recorded, a stack is a line for each object, innermost first: the object's path, and behind tabs the addresses in its
//! file of the instructions that made the calls, in hexadecimal. A function of Python is a line number and a name with `@`
//! between them, behind the path of its source file. A text of its own says the build id of an object, in hexadecimal: the
//! path, a tab, and `=` before the digits. What was looked up of an address is a line for each function
//! there, the innermost inlined one first: the object, the address, and as far as they are known the function, the source file
//! and the line, with tabs between them.

use crate::Printable;
use std::fmt::Write;

/// The name of the form whose only field is the text of a stack.
pub const FORM: &[u8] = b"stack";

/// A function that was under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frame {
    /// The path of the program or library; empty: not known. Of a function of Python, the source file.
    pub object: Vec<u8>,
    /// The instruction in its file that made the call; 0 in a function of Python.
    pub address: u64,
    /// Its name; empty: not known.
    pub function: String,
    /// The source file; empty: not known.
    pub file: String,
    /// The line in it; 0: not known.
    pub line: u32,
    /// A function of Python, whose name, file and line were recorded.
    pub is_python: bool,
}

/// The frames of a stack as it was recorded. None if the text is no stack.
pub fn recorded(text: &[u8]) -> Option<Vec<Frame>> {
    let mut frames = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let mut words = line.split(|byte| *byte == b'\t');
        let object = words.next()?;
        let known = frames.len();
        for word in words {
            let word = String::from_utf8(word.to_owned()).ok()?;
            let frame = match word.split_once('@') {
                Some((line, function)) => Frame {
                    function: function.to_owned(),
                    file: Printable(object).to_string(),
                    line: line.parse().ok()?,
                    is_python: true,
                    ..Frame::default()
                },
                None => Frame {
                    address: u64::from_str_radix(&word, 16).ok()?,
                    ..Frame::default()
                },
            };
            frames.push(Frame {
                object: object.to_owned(),
                ..frame
            });
        }
        if frames.len() == known {
            return None;
        }
    }
    Some(frames)
}

/// What a text says that has the build id of a program or library: its path, and hexadecimal digits. None: it is another
/// text.
pub fn build_id(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|byte| *byte == b'\t')?;
    let (object, rest) = text.split_at(at);
    let id = rest.strip_prefix(b"\t=")?;
    let is_id = !id.is_empty() && id.iter().all(u8::is_ascii_hexdigit);
    is_id.then_some((object, id))
}

/// The functions at an address that was looked up; lines that make no sense are passed over.
pub fn known(text: &[u8]) -> Vec<Frame> {
    let lines = text.split(|byte| *byte == b'\n');
    lines.filter_map(frame).collect()
}

fn frame(line: &[u8]) -> Option<Frame> {
    let mut words = line.split(|byte| *byte == b'\t');
    let (object, address) = (words.next()?, words.next()?);
    let mut text = || String::from_utf8(words.next()?.to_owned()).ok();
    Some(Frame {
        object: object.to_owned(),
        address: u64::from_str_radix(std::str::from_utf8(address).ok()?, 16).ok()?,
        function: text()?,
        file: text()?,
        line: text()?.parse().unwrap_or(0),
        is_python: false,
    })
}

/// Frames as [`known`] reads them. What would break a line is left out.
pub fn written(frames: &[Frame]) -> Vec<u8> {
    let plain = |text: &str| text.replace(['\t', '\n'], " ");
    let mut out = Vec::new();
    for frame in frames {
        if !out.is_empty() {
            out.push(b'\n');
        }
        let object = frame.object.iter().map(|byte| match byte {
            b'\t' | b'\n' => b'?',
            byte => *byte,
        });
        out.extend(object);
        let mut rest = String::new();
        let (function, file) = (plain(&frame.function), plain(&frame.file));
        let line = match frame.line {
            0 => String::new(),
            line => line.to_string(),
        };
        // A text takes everything.
        let _ = write!(rest, "\t{:x}\t{function}\t{file}\t{line}", frame.address);
        out.extend(rest.into_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_recorded_stack_has_its_frames() {
        let frames = recorded(b"/bin/app\t10d6\tff\n/lib/libc.so.6\t27249").unwrap();
        let all: Vec<_> = frames.iter().map(|of| (&*of.object, of.address)).collect();
        let (app, libc) = (&b"/bin/app"[..], &b"/lib/libc.so.6"[..]);
        assert_eq!(all, [(app, 0x10d6), (app, 0xff), (libc, 0x27249)]);
        let frames =
            recorded(b"/lib/_ext.so\t1f\n/home/u/data.py\t57@__getitem__\t9@<module>\n/bin/app\t2")
                .unwrap();
        let python: Vec<_> = frames.iter().filter(|of| of.is_python).collect();
        let names = python.iter().map(|of| (&*of.file, of.line, &*of.function));
        let expected = [
            ("/home/u/data.py", 57, "__getitem__"),
            ("/home/u/data.py", 9, "<module>"),
        ];
        assert!(names.eq(expected) && frames.len() == 4, "{frames:?}");
        let text = b"/bin/app\t=0a1f";
        assert_eq!(build_id(text), Some((&b"/bin/app"[..], &b"0a1f"[..])));
        assert_eq!((recorded(text), build_id(b"/bin/app\t1f")), (None, None));
        for none in [
            &b""[..],
            b"romio_cb_write=enable",
            b"/bin/app",
            b"/bin/app\tx",
            b"data.py\tx@f",
            b"data.py\t-1@f",
            b"a\t1\nb",
        ] {
            assert_eq!(recorded(none), None, "{}", String::from_utf8_lossy(none));
        }
    }

    proptest! {
        #[test]
        fn looked_up_frames_come_back(all in prop::collection::vec(("[ -~]{0,9}", any::<u64>(), "[ -~é]{0,9}", "[ -~]{0,9}", any::<u32>()), 1..5)) {
            let frame = |(object, address, function, file, line): (String, u64, String, String, u32)| Frame {
                object: object.into_bytes(), address, function, file, line, is_python: false,
            };
            let all: Vec<Frame> = all.into_iter().map(frame).collect();
            prop_assert_eq!(known(&written(&all)), all);
        }

        #[test]
        fn any_text_is_read(text: Vec<u8>) {
            let _ = (recorded(&text), known(&text));
        }
    }
}
