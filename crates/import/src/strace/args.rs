//! Arguments as strace prints them: numbers, strings with C's escapes, flags by name, descriptors with their paths.

use crate::lines::hex;

/// The arguments up to the parenthesis that closes them, and what is behind it
pub fn split(text: &[u8]) -> (Vec<&[u8]>, &[u8]) {
    let (mut args, mut start, mut depth, mut at) = (Vec::new(), 0, 0, 0);
    while at < text.len() {
        match text[at] {
            b'"' => at = end_of_string(text, at),
            b'<' if is_path(text, at) => at = end_of_path(text, at),
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 0 => {
                push(&mut args, &text[start..at]);
                return (args, &text[at + 1..]);
            }
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                push(&mut args, &text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    push(&mut args, &text[start.min(text.len())..]);
    (args, b"")
}

fn push<'t>(args: &mut Vec<&'t [u8]>, arg: &'t [u8]) {
    let arg = arg.trim_ascii();
    if !arg.is_empty() {
        args.push(arg);
    }
}

fn end_of_string(text: &[u8], mut at: usize) -> usize {
    at += 1;
    while at < text.len() && text[at] != b'"' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at
}

/// Not `1<<3`
fn is_path(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| text[before]);
    before.is_some_and(|byte| byte.is_ascii_alphanumeric())
        && !matches!(text.get(at + 1), Some(b'<' | b'=' | b' '))
}

/// `</a>`; of sockets -yy has both ends, as in `<TCP:[127.0.0.1:80->127.0.0.1:3317]>`
fn end_of_path(text: &[u8], at: usize) -> usize {
    let path = &text[at..];
    let end = path.iter().position(|byte| *byte == b'>');
    let bracket = path.windows(2).position(|two| two == b":[");
    let end = match (end, bracket) {
        (Some(end), Some(bracket)) if bracket < end && !path.starts_with(b"</") => {
            let closed = path.windows(2).position(|two| two == b"]>");
            closed.map(|closed| closed + 1)
        }
        _ => end,
    };
    end.map_or(at, |end| at + end)
}

/// A number in any base
pub fn number(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16)
            .ok()
            .map(|number| number as i64);
    }
    if text.len() > 1 && text.starts_with('0') {
        return i64::from_str_radix(text, 8).ok();
    }
    text.parse()
        .ok()
        .or_else(|| text.parse::<u64>().ok().map(|number| number as i64))
}

/// What stands behind a path that no file has any more: `3</path>(deleted)`
pub const DELETED: &[u8] = b"(deleted)";

/// `3</path>`: the number, and with -y the path where it is one
pub fn descriptor(text: &[u8]) -> (&[u8], Option<Vec<u8>>) {
    let Some(at) = text.iter().position(|byte| *byte == b'<') else {
        return (text, None);
    };
    let path = &text[at + 1..];
    let path = path.strip_suffix(DELETED).unwrap_or(path);
    let path = path.strip_suffix(b">").unwrap_or(path);
    // -yy adds what kind of device it is: `</dev/null<char 1:3>>`.
    let path = path.split(|byte| *byte == b'<').next().unwrap_or_default();
    (&text[..at], path.starts_with(b"/").then(|| unescaped(path)))
}

/// The working directory, which with -y stands behind AT_FDCWD
pub fn directory(arg: &[u8]) -> Option<Vec<u8>> {
    let is_known = arg.starts_with(b"AT_FDCWD<");
    is_known.then(|| descriptor(arg).1).flatten()
}

/// The bytes of a string in quotes; `None` for NULL, an address, or a string that was cut short
pub fn string(text: &[u8]) -> Option<Vec<u8>> {
    let inner = text.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    Some(unescaped(inner))
}

/// Without C's escapes
fn unescaped(text: &[u8]) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text);
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let [escape, after @ ..] = rest else { break };
        rest = after;
        bytes.push(match escape {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'v' => 0x0B,
            b'f' => 0x0C,
            b'x' => digits(&mut rest, 16, 2, 0),
            b'0'..=b'7' => digits(&mut rest, 8, 2, escape - b'0'),
            other => *other,
        });
    }
    bytes
}

fn digits(rest: &mut &[u8], base: u8, most: usize, mut value: u8) -> u8 {
    for _ in 0..most {
        let Some(digit) = rest
            .first()
            .and_then(|byte| hex(*byte))
            .filter(|digit| *digit < base)
        else {
            break;
        };
        value = value.wrapping_mul(base).wrapping_add(digit);
        *rest = &rest[1..];
    }
    value
}

/// Whether a list of flags has one
pub fn has(flags: &[u8], flag: &str) -> bool {
    flags
        .split(|byte| *byte == b'|' || *byte == b'=')
        .any(|some| some == flag.as_bytes())
}

/// Flags of an open by their numbers
pub fn open_flags(flags: &[u8]) -> u64 {
    const FLAGS: [(&str, i32); 17] = [
        ("O_WRONLY", libc::O_WRONLY),
        ("O_RDWR", libc::O_RDWR),
        ("O_CREAT", libc::O_CREAT),
        ("O_EXCL", libc::O_EXCL),
        ("O_NOCTTY", libc::O_NOCTTY),
        ("O_TRUNC", libc::O_TRUNC),
        ("O_APPEND", libc::O_APPEND),
        ("O_NONBLOCK", libc::O_NONBLOCK),
        ("O_DSYNC", libc::O_DSYNC),
        ("O_DIRECT", libc::O_DIRECT),
        ("O_DIRECTORY", libc::O_DIRECTORY),
        ("O_NOFOLLOW", libc::O_NOFOLLOW),
        ("O_NOATIME", libc::O_NOATIME),
        ("O_CLOEXEC", libc::O_CLOEXEC),
        ("O_SYNC", libc::O_SYNC),
        ("O_PATH", libc::O_PATH),
        ("O_TMPFILE", libc::O_TMPFILE),
    ];
    let known = FLAGS.iter().filter(|(name, _)| has(flags, name));
    known.fold(0, |all, (_, flag)| all | *flag as u64)
}

/// What stands behind `key` in a structure: `st_size=17`
pub fn field(text: &[u8], key: &str) -> Option<i64> {
    let at = text
        .windows(key.len())
        .position(|some| some == key.as_bytes())?;
    let digits = &text[at + key.len()..];
    let end = digits
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(digits.len());
    number(&digits[..end])
}

/// The sum of what stands behind each `iov_len=`
pub fn vector(text: &[u8]) -> u64 {
    const KEY: &[u8] = b"iov_len=";
    let places = text
        .windows(KEY.len())
        .enumerate()
        .filter(|(_, some)| *some == KEY);
    places
        .filter_map(|(at, _)| field(&text[at..], "iov_len="))
        .fold(0, |sum, len| sum.saturating_add(len as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_or_nested_is_one_argument() {
        let text = br#"3</a,b>, "x\"),", {a=[1, 2], b="}"}, 1<<3) = 0"#;
        let (args, rest) = split(text);
        assert_eq!(
            args,
            [
                &b"3</a,b>"[..],
                br#""x\"),""#,
                br#"{a=[1, 2], b="}"}"#,
                b"1<<3"
            ]
        );
        assert_eq!(rest, b" = 0");
    }

    #[test]
    fn sockets_have_two_ends_and_a_name_may_end_as_an_arrow() {
        for one in [
            &b"3<TCP:[127.0.0.1:36874->127.0.0.1:80]>"[..],
            b"3<TCPv6:[[::1]:36874->[::1]:80]>",
            br#"3<UNIX-STREAM:[17->18, "/run/a, b"]>"#,
            b"3<pipe:[17]>",
            b"3</a[->",
            b"3</a:[b>",
            b"3</a>(deleted)",
            b"3</dev/null<char 1:3>>",
        ] {
            let line = [one, b", 17) = 0"].concat();
            let (args, rest) = split(&line);
            assert_eq!((args, rest), (vec![one, b"17"], &b" = 0"[..]));
        }
    }

    #[test]
    fn escapes_are_those_of_c() {
        assert_eq!(
            string(br#""a\tb\"\\\377\0011\x41""#).unwrap(),
            b"a\tb\"\\\xFF\x011A"
        );
        assert_eq!((string(b"NULL"), string(b"\"cut\"...")), (None, None));
    }

    #[test]
    fn descriptors_have_paths() {
        assert_eq!(descriptor(b"3</a b>"), (&b"3"[..], Some(b"/a b".to_vec())));
        assert_eq!(descriptor(b"3<pipe:[17]>"), (&b"3"[..], None));
        assert_eq!(
            descriptor(b"0</dev/null<char 1:3>>"),
            (&b"0"[..], Some(b"/dev/null".to_vec()))
        );
        assert_eq!(
            descriptor(b"3</a->(deleted)"),
            (&b"3"[..], Some(b"/a-".to_vec()))
        );
        assert_eq!(number(b"0x10"), Some(16));
        assert_eq!(number(b"0644"), Some(0o644));
    }
}
