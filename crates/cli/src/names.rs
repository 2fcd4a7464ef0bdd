//! Paths and other bytes as one line of text that a terminal can be trusted with.

pub use iota_analysis::processes::command;
use iota_trace::Printable;
use std::path::Path;

/// Bytes as `iota text` writes paths: with `\t`, `\n`, `\\` and `\xNN` for what is no printable UTF-8
pub fn printable(bytes: &[u8]) -> String {
    Printable(bytes).to_string()
}

/// The same of a file's path
pub fn path(path: &Path) -> String {
    Printable::path(path)
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
    fn paths_are_shown_plainly() {
        let texts = ["./run.iota", ".", "../a", "/a/./b"].map(|text| path(Path::new(text)));
        assert_eq!(texts, ["run.iota", ".", "../a", "/a/./b"]);
    }
}
