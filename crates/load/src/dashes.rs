//! Options with one dash, as the manual page writes them, and `-` for `_` in their names.

use std::ffi::{OsStr, OsString};

use crate::options::Options;

/// The words with two dashes before every long option: `-nfiles 4`, `-nfiles=4` and `--nfiles 4` are the same.
pub fn doubled(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let command = Options::command();
    let longs: Vec<&str> = command
        .get_arguments()
        .flat_map(|arg| arg.get_long_and_visible_aliases().unwrap_or_default())
        .collect();
    let double = |word: OsString| with_two(&word, &longs).unwrap_or(word);
    words.into_iter().map(double).collect()
}

fn with_two(word: &OsStr, longs: &[&str]) -> Option<OsString> {
    let name = word.to_str()?.strip_prefix('-')?;
    let name = name.strip_prefix('-').unwrap_or(name);
    let (name, value) = match name.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (name, None),
    };
    let known = longs
        .iter()
        .find(|long| long.replace('-', "_") == name.replace('-', "_"));
    let long = known.copied().or_else(|| unknown(name))?;
    Some(match value {
        Some(value) => format!("--{long}={value}").into(),
        None => format!("--{long}").into(),
    })
}

/// A long name that there is not: with two dashes it is reported as what it is, and not as a row of short options.
fn unknown(name: &str) -> Option<&str> {
    let is_short = name.len() < 2 || name.starts_with(['h', 'o', 'q']);
    (!is_short && name.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(line: &str) -> Options {
        let words = line.split_whitespace().map(OsString::from);
        Options::parse(&doubled(words)).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn one_dash_is_as_good_as_two() {
        for line in [
            "-nfiles 4 -lock_atomic",
            "--nfiles=4 --lock-atomic",
            "-nfiles=4 -lock-atomic",
        ] {
            let options = options(line);
            assert_eq!((options.nfiles, options.lock_atomic), (4, true), "{line}");
        }
    }

    #[test]
    fn the_last_of_an_option_counts() {
        assert_eq!(options("-bufsz 1k -bufsz 2k").bufsz, 2048);
    }

    #[test]
    fn a_mistyped_name_is_reported_whole() {
        let error = Options::parse(&doubled(["-nfils".into()])).unwrap_err();
        let message = crate::one_line(error).to_string();
        assert!(
            message.contains("--nfils") && message.contains("'--nfiles'"),
            "{message}"
        );
    }

    #[test]
    fn values_and_short_options_stay() {
        let words = ["-q", "-o", "-x", "4", "-", "-5", "file", "-oresult"].map(OsString::from);
        assert_eq!(doubled(words.clone()), words);
    }
}
