//! Paths and other bytes as one line of text that a terminal can be trusted with.

use iota_trace::Shown;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Bytes as `iota text` writes paths: with `\t`, `\n`, `\\` and `\xNN` for what is no printable UTF-8
pub fn printable(bytes: &[u8]) -> String {
    Shown(bytes).to_string()
}

/// The same of a file's path
pub fn path(path: &Path) -> String {
    let plain = path.strip_prefix(".").ok();
    let plain = plain.filter(|plain| !plain.as_os_str().is_empty());
    printable(plain.unwrap_or(path).as_os_str().as_bytes())
}

/// A command line's arguments (a NUL after each), quoted where a shell would need it
pub fn command(argv: &[u8]) -> String {
    let argv = argv.strip_suffix(&[0]).unwrap_or(argv);
    let words = argv.split(|&byte| byte == 0).map(quoted);
    words.collect::<Vec<_>>().join(" ")
}

fn quoted(word: &[u8]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-+=./:,@%^~".contains(c);
    if word.is_empty() {
        return "''".to_owned();
    }
    let word = printable(word);
    if word.chars().all(plain) {
        word
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
        assert_eq!(printable(b"\x1b[31m\xff\x00"), "\\x1b[31m\\xff\\x00");
    }

    #[test]
    fn paths_are_told_plainly() {
        let texts = ["./run.iota", ".", "../a", "/a/./b"].map(|text| path(Path::new(text)));
        assert_eq!(texts, ["run.iota", ".", "../a", "/a/./b"]);
    }

    #[test]
    fn arguments_are_quoted_where_they_must_be() {
        assert_eq!(command(b"./a.out\0-n\x004\0"), "./a.out -n 4");
        assert_eq!(command(b"sh\0-c\0it's\0\0"), r"sh -c 'it'\''s' ''");
    }
}
