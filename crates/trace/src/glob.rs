//! Wildcards of `IOTA_FILES`, `IOTA_EXCLUDE` and `--where`: `*`, `?`, `[a-z]`, `[!x]` and `\` before a character to take as it is.
//!
//! A pattern with a `/` is held against the whole path, one without against the last component.
//! libc's `fnmatch` is not used: it allocates and depends on the locale.

/// What is wrong with a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A `[` without its `]`.
    OpenBracket,
    /// A `\` at the end.
    LoneBackslash,
}

/// True when one of the comma-separated `patterns` matches `path`.
pub fn any(patterns: &[u8], path: &[u8]) -> bool {
    each(patterns).any(|pattern| one(pattern, path))
}

/// The patterns of a list, without empty ones.
pub fn each(patterns: &[u8]) -> impl Iterator<Item = &[u8]> {
    patterns.split(|&b| b == b',').filter(|p| !p.is_empty())
}

/// Checks that a pattern can be read.
///
/// # Errors
/// What in it is not closed or not complete.
pub fn check(pattern: &[u8]) -> Result<(), Fault> {
    let mut rest = pattern;
    while let Some((&first, after)) = rest.split_first() {
        rest = match first {
            b'\\' => after.split_first().ok_or(Fault::LoneBackslash)?.1,
            b'[' => bracket(after, 0).ok_or(Fault::OpenBracket)?.1,
            _ => after,
        };
    }
    Ok(())
}

/// True when the pattern matches `path`: all of it, or its last component if the pattern has no `/`.
pub fn one(pattern: &[u8], path: &[u8]) -> bool {
    if pattern.contains(&b'/') {
        return matches(pattern, path);
    }
    matches(pattern, path.rsplit(|&b| b == b'/').next().unwrap_or(path))
}

/// Matching with one point of return, so that the time is bounded by the product of the lengths.
pub fn matches(mut pattern: &[u8], mut text: &[u8]) -> bool {
    let mut star: Option<(&[u8], &[u8])> = None;
    loop {
        if let Some((b'*', after)) = pattern.split_first() {
            star = Some((after, text));
            pattern = after;
            continue;
        }
        match (text.split_first(), step(pattern, text)) {
            (None, _) if pattern.is_empty() => return true,
            (Some((_, rest)), Some(after)) => (pattern, text) = (after, rest),
            _ => {
                let Some((after, from)) = star else {
                    return false;
                };
                let Some((_, from)) = from.split_first() else {
                    return false;
                };
                star = Some((after, from));
                (pattern, text) = (after, from);
            }
        }
    }
}

/// What remains of the pattern when its first element takes the first byte of the text.
fn step<'p>(pattern: &'p [u8], text: &[u8]) -> Option<&'p [u8]> {
    let (&first, after) = pattern.split_first()?;
    let (&byte, _) = text.split_first()?;
    match first {
        b'?' => Some(after),
        b'[' => bracket(after, byte).and_then(|(holds, rest)| holds.then_some(rest)),
        b'\\' => after
            .split_first()
            .and_then(|(&c, rest)| (c == byte).then_some(rest)),
        c => (c == byte).then_some(after),
    }
}

/// Reads a set after its `[`: does it hold `byte`, and what follows the `]`.
fn bracket(set: &[u8], byte: u8) -> Option<(bool, &[u8])> {
    let (negated, mut rest) = match set.split_first()? {
        (b'!' | b'^', rest) => (true, rest),
        _ => (false, set),
    };
    let (mut holds, mut first) = (false, true);
    loop {
        let (&low, after) = rest.split_first()?;
        if low == b']' && !first {
            return Some((holds != negated, after));
        }
        first = false;
        rest = match after {
            [b'-', high, after @ ..] if *high != b']' => {
                holds |= (low..=*high).contains(&byte);
                after
            }
            _ => {
                holds |= low == byte;
                after
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_as_in_a_shell() {
        let hits: &[(&[u8], &[u8])] = &[
            (b"*.h5", b"/scratch/a/out.h5"),
            (b"/scratch/*", b"/scratch/a/b"),
            (b"out?.[0-9][!a]", b"/x/out1.5z"),
            (b"[]]x", b"/]x"),
            (b"no,*yes*", b"/a/oyesx"),
            (b"\\*", b"/*"),
            (b"*a*b*c", b"/aXbYc"),
        ];
        for (pattern, path) in hits {
            assert!(
                any(pattern, path),
                "{} {}",
                pattern.escape_ascii(),
                path.escape_ascii()
            );
        }
        let misses: &[(&[u8], &[u8])] = &[
            (b"*.h5", b"/a/out.nc"),
            (b"/scratch/*", b"/home/a"),
            (b"", b"/a"),
            (b"?", b"/ab"),
            (b"\\*", b"/a"),
        ];
        for (pattern, path) in misses {
            assert!(
                !any(pattern, path),
                "{} {}",
                pattern.escape_ascii(),
                path.escape_ascii()
            );
        }
    }

    #[test]
    fn a_long_row_of_stars_takes_no_time() {
        assert!(!any(b"*a*a*a*a*a*a*a*a*a*a*a*a*b", &[b'a'; 4000]));
    }

    #[test]
    fn unreadable_patterns_are_reported() {
        assert_eq!(check(b"a[b"), Err(Fault::OpenBracket));
        assert_eq!(check(b"a\\"), Err(Fault::LoneBackslash));
        assert_eq!(check(b"a[]b]\\*"), Ok(()));
    }
}
