//! Paths and other bytes as one line of text that a terminal can be trusted with.

use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Bytes with `\t`, `\n`, `\\` and `\xNN` for what is no printable UTF-8
pub fn printable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for piece in bytes.utf8_chunks() {
        piece.valid().chars().for_each(|c| push(&mut text, c));
        for byte in piece.invalid() {
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

/// The same of a path
pub fn path(path: &Path) -> String {
    printable(path.as_os_str().as_bytes())
}

fn push(text: &mut String, c: char) {
    match c {
        '\t' => text.push_str("\\t"),
        '\n' => text.push_str("\\n"),
        '\\' => text.push_str("\\\\"),
        c if c.is_control() => {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(text, "\\x{byte:02X}");
            }
        }
        c => text.push(c),
    }
}

/// A command line's arguments (a NUL after each), quoted where a shell would need it
pub fn command(argv: &[u8]) -> String {
    let argv = argv.strip_suffix(&[0]).unwrap_or(argv);
    let words = argv
        .split(|&byte| byte == 0)
        .map(|word| quoted(&printable(word)));
    words.collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-+=./:,@%^~".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_a_line() {
        assert_eq!(printable(b"/a b/\xC3\xA4\t\n\\"), "/a b/\u{e4}\\t\\n\\\\");
        assert_eq!(printable(b"\x1b[31m\xff\x00"), "\\x1B[31m\\xFF\\x00");
        assert_eq!(printable("\u{9b}".as_bytes()), "\\xC2\\x9B");
    }

    #[test]
    fn arguments_are_quoted_where_they_must_be() {
        assert_eq!(command(b"./a.out\0-n\x004\0"), "./a.out -n 4");
        assert_eq!(command(b"sh\0-c\0it's\0\0"), r"sh -c 'it'\''s' ''");
    }
}
