//! Command lines as text.

use crate::job::file_name;
use iota_trace::Printable;

/// A command line's arguments (a NUL after each), quoted where a shell would need it
pub fn command(argv: &[u8]) -> String {
    let argv = argv.strip_suffix(&[0]).unwrap_or(argv);
    let words = argv.split(|&byte| byte == 0).map(quoted);
    words.collect::<Vec<_>>().join(" ")
}

/// The same, without the folder of its program.
pub fn brief(argv: &[u8], exe: &[u8]) -> String {
    let argv = argv.strip_suffix(&[0]).unwrap_or(argv);
    let others = argv.split(|&byte| byte == 0).skip(1).map(quoted);
    let words = std::iter::once(program(argv, exe)).chain(others);
    words.collect::<Vec<_>>().join(" ")
}

fn quoted(word: &[u8]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-+=./:,@%^~".contains(c);
    if word.is_empty() {
        return "''".to_owned();
    }
    let word = Printable(word).to_string();
    if word.chars().all(plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The name of the program that a command line begins with, without its folder
pub(super) fn program(argv: &[u8], exe: &[u8]) -> String {
    let first = argv.split(|byte| *byte == 0).next().unwrap_or_default();
    let path = if first.is_empty() { exe } else { first };
    match file_name(path) {
        b"" => "?".to_owned(),
        name => Printable(name).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_where_they_must_be() {
        assert_eq!(command(b"./a.out\0-n\x004\0"), "./a.out -n 4");
        assert_eq!(command(b"sh\0-c\0it's\0\0"), r"sh -c 'it'\''s' ''");
    }

    #[test]
    fn programs_have_a_name() {
        assert_eq!(program(b"/usr/bin/cat\0x\0", b""), "cat");
        assert_eq!(program(b"", b"/bin/sh"), "sh");
        assert_eq!(program(b"", b""), "?");
        assert_eq!(brief(b"/usr/bin/sh\0a b.sh\0x\0", b""), "sh 'a b.sh' x");
        assert_eq!(brief(b"", b"/bin/sh"), "sh");
    }
}
