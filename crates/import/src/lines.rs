//! Lines of a log, with their numbers; what is wrong with them is counted, and the first is kept.

use crate::log::{ImportSummary, Log};
use anyhow::{Context, bail};
use iota_trace::Printable;
use iota_trace::read::place;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

/// Lines by which a format is recognised
const FIRST: usize = 64;
/// No line of sense is longer
const LONGEST: u64 = 1 << 20;
/// Nor is any time farther from the start, in ns
const FARTHEST: u64 = 1 << 62;

/// A log under way
pub struct Lines<'l> {
    /// What was found so far
    pub found: ImportSummary,
    /// Of the file, as people read it
    name: String,
    from: BufReader<Box<dyn Read + 'l>>,
    /// Read already, and not given out
    ahead: VecDeque<Vec<u8>>,
    line: Vec<u8>,
    number: u64,
    path: Arc<Path>,
    /// Bytes read
    at: u64,
    progress: &'l dyn Fn(u64),
}

impl<'l> Lines<'l> {
    /// Of a log
    pub fn new(log: Log<'l>) -> Lines<'l> {
        Lines {
            found: ImportSummary::default(),
            name: log.name,
            from: BufReader::with_capacity(1 << 18, log.from),
            ahead: VecDeque::new(),
            line: Vec::new(),
            number: 0,
            path: log.path.into(),
            at: 0,
            progress: log.progress,
        }
    }

    /// The name of the file
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The first lines, which come again
    pub fn first(&mut self) -> anyhow::Result<Vec<Vec<u8>>> {
        while self.ahead.len() < FIRST && self.read()? {
            self.ahead.push_back(self.line.clone());
        }
        if self.ahead.is_empty() {
            bail!(
                "{}: line 1: the file is empty; nothing was logged, or the disk was full",
                self.name
            );
        }
        Ok(self.ahead.iter().cloned().collect())
    }

    fn read(&mut self) -> anyhow::Result<bool> {
        self.line.clear();
        let read = (&mut self.from)
            .take(LONGEST)
            .read_until(b'\n', &mut self.line);
        let read = read.with_context(|| self.name.clone())?;
        (self.progress)(read as u64);
        place::set(&self.path, self.at);
        self.at += read as u64;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        }
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        Ok(read > 0)
    }

    /// Tells `take` each line; one that it finds wrong is counted
    pub fn each(
        &mut self,
        mut take: impl FnMut(&[u8]) -> anyhow::Result<Result<(), String>>,
    ) -> anyhow::Result<()> {
        loop {
            match self.ahead.pop_front() {
                Some(line) => self.line = line,
                None if self.read()? => {}
                None => return Ok(()),
            }
            self.number += 1;
            match take(&self.line)? {
                Ok(()) => self.found.good += 1,
                Err(cause) => {
                    self.found.bad += 1;
                    self.found.first_bad.get_or_insert((self.number, cause));
                }
            }
        }
    }
}

/// What is wrong with a field
pub fn wrong(what: &str, field: &[u8]) -> String {
    format!(
        "`{}` is no {what}",
        Printable(&field[..field.len().min(40)])
    )
}

/// A number of any kind
pub fn number<T: std::str::FromStr>(what: &str, field: &[u8]) -> Result<T, String> {
    let text = std::str::from_utf8(field).ok();
    text.and_then(|text| text.parse().ok())
        .ok_or_else(|| wrong(what, field))
}

/// Seconds with any number of digits behind the point, as nanoseconds
pub fn nanos(what: &str, field: &[u8]) -> Result<i64, String> {
    exact_nanos(field).ok_or_else(|| wrong(what, field))
}

/// When a call began and ended, where a trace can hold both
pub fn span(start: Option<i64>, end: Option<i64>) -> Result<(i64, i64), String> {
    let known = |time: Option<i64>| time.filter(|time| time.unsigned_abs() < FARTHEST);
    let span = known(start).zip(known(end));
    span.ok_or_else(|| "its time is too far from the start of the log".to_owned())
}

fn exact_nanos(field: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(field).ok()?;
    let (is_negative, text) = text
        .strip_prefix('-')
        .map_or((false, text), |rest| (true, rest));
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(part) {
        // As `%g` prints them: 1.5e-05
        let seconds: f64 = text
            .parse()
            .ok()
            .filter(|seconds: &f64| seconds.abs() < 9e9)?;
        let nanos = (seconds * 1e9).round() as i64;
        return Some(if is_negative { -nanos } else { nanos });
    }
    let fraction = format!("{part:0<9}");
    let nanos = whole.parse::<i64>().ok()?.checked_mul(1_000_000_000)?;
    let nanos = nanos.checked_add(fraction.get(..9)?.parse().ok()?)?;
    Some(if is_negative { -nanos } else { nanos })
}

/// A path as `iota text` prints it; `None` for `-`
pub fn path(field: &[u8]) -> Option<Vec<u8>> {
    if field == b"-" {
        return None;
    }
    let (mut path, mut rest) = (Vec::with_capacity(field.len()), field);
    while let [first, after @ ..] = rest {
        let (byte, after) = match (first, after) {
            (b'\\', [b't', after @ ..]) => (b'\t', after),
            (b'\\', [b'n', after @ ..]) => (b'\n', after),
            (b'\\', [b'\\', after @ ..]) => (b'\\', after),
            (b'\\', [b'x', high, low, after @ ..]) => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => (high << 4 | low, after),
                _ => (b'\\', &rest[1..]),
            },
            _ => (*first, after),
        };
        path.push(byte);
        rest = after;
    }
    Some(path)
}

/// The value of a hexadecimal digit
pub fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_no_trace_holds_are_wrong() {
        assert_eq!(span(Some(-5), Some(7)), Ok((-5, 7)));
        for (start, end) in [
            (None, Some(1)),
            (Some(1 << 62), Some(1)),
            (Some(1), Some(i64::MIN)),
        ] {
            assert!(span(start, end).is_err());
        }
    }

    #[test]
    fn seconds_are_exact() {
        let all = [
            "0",
            "1.5",
            "0.000000001",
            "-0.25",
            "1236204822.123456",
            "1.0000000019",
            "2e-05",
        ];
        let nanos = all.map(|text| exact_nanos(text.as_bytes()).unwrap());
        let expected = [
            0,
            1_500_000_000,
            1,
            -250_000_000,
            1_236_204_822_123_456_000,
            1_000_000_001,
            20_000,
        ];
        assert_eq!(nanos, expected);
        assert_eq!(
            ["", ".", "a", "1.x", "1e99", "nan"].map(|text| exact_nanos(text.as_bytes())),
            [None; 6]
        );
    }

    proptest::proptest! {
        #[test]
        fn paths_come_back(bytes in proptest::collection::vec(0u8.., 1..40)) {
            let mut text = b"".to_vec();
            iota_trace::Printable(&bytes).put(&mut text);
            let back = path(&text);
            proptest::prop_assert!(back.as_deref() == Some(&bytes[..]) || bytes == b"-");
        }
    }
}
