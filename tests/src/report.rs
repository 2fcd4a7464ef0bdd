//! The report of a test program (see program.h) read as the list of calls that a trace of it must hold.

use crate::Call;
use crate::canonical::canonical;

/// A call that the program says it made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The line of the report.
    pub line: String,
    op: String,
    ret: Option<i64>,
    errno: Option<i32>,
    offset: Option<i64>,
    path: Option<String>,
}

impl Expected {
    /// The calls of a report, in their order.
    pub fn all(report: &str) -> Vec<Expected> {
        let mut all: Vec<Expected> = Vec::new();
        for line in report.lines() {
            match (line.strip_prefix("  path: "), all.last_mut()) {
                (Some(path), Some(last)) => last.path = Some(path.into()),
                _ => all.extend(Expected::parse(line)),
            }
        }
        all
    }

    /// `@OFFSET op(...) = RET errno E`; None for a line that says something else.
    fn parse(line: &str) -> Option<Expected> {
        let (offset, call) = match line.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
            Some((offset, rest)) => (Some(offset.parse().ok()?), rest),
            None => (None, line),
        };
        let (call, result) = call.rsplit_once(" = ")?;
        let (op, arguments) = call.trim_start_matches('(').split_once('(')?;
        let op = match arguments.strip_prefix("SYS_") {
            Some(number) if op == "syscall" => by_number(number),
            _ => op,
        };
        let (ret, errno) = result.split_once(" errno ").unwrap_or((result, ""));
        let is_name = |op: &str| op.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_name(op).then(|| Expected {
            line: line.into(),
            op: op.into(),
            ret: ret.split(',').next().and_then(|ret| ret.parse().ok()),
            errno: errno.parse().ok(),
            offset,
            path: None,
        })
    }

    /// True when `call` is this one.
    fn is(&self, call: &Call) -> bool {
        canonical(&self.op) == canonical(&call.op)
            && self.ret.is_none_or(|ret| ret == call.ret)
            && self.errno.is_none_or(|errno| errno == call.errno)
            && (self.errno.is_some() || self.ret.is_none_or(|ret| ret < 0) || call.errno == 0)
            && self.offset.is_none_or(|offset| offset == call.offset)
            && self
                .path
                .as_ref()
                .is_none_or(|path| without_dots(&escaped(&call.path)).ends_with(path))
    }

    /// Fails unless `calls` are exactly those that the report tells of, in its order.
    pub fn assert_traced(report: &str, calls: &[Call]) {
        let expected = Expected::all(report);
        assert!(!expected.is_empty(), "the report tells of no calls");
        let wrong: Vec<String> = differences(&expected, calls).into_iter().take(12).collect();
        assert!(
            wrong.is_empty(),
            "the program says one thing, the trace another:\n{}",
            wrong.join("\n")
        );
    }
}

/// The function of a system call's number.
fn by_number(arguments: &str) -> &str {
    match arguments.split(',').next().unwrap_or_default() {
        "newfstatat" => "fstatat",
        name => name,
    }
}

/// Each difference in a line; after one, both sides are taken up again where they next agree.
fn differences(expected: &[Expected], calls: &[Call]) -> Vec<String> {
    let (mut wrong, mut at, mut of) = (Vec::new(), 0, 0);
    while at < expected.len() || of < calls.len() {
        match (expected.get(at), calls.get(of)) {
            (Some(one), Some(call)) if one.is(call) => (at, of) = (at + 1, of + 1),
            (Some(one), Some(call)) if canonical(&one.op) == canonical(&call.op) => {
                wrong.push(format!("  {}\n    traced as {}", one.line, call));
                (at, of) = (at + 1, of + 1);
            }
            (Some(one), Some(_)) if !calls[of..].iter().take(4).any(|call| one.is(call)) => {
                wrong.push(format!("  {}\n    not in the trace", one.line));
                at += 1;
            }
            (Some(one), None) => {
                wrong.push(format!("  {}\n    not in the trace", one.line));
                at += 1;
            }
            (_, Some(call)) => {
                wrong.push(format!("  not in the report: {}", call));
                of += 1;
            }
            (None, None) => break,
        }
    }
    wrong
}

/// The path without `name/..`; a tracer may leave these, because `name` may be a link.
fn without_dots(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        if name == ".." {
            names.pop();
        } else {
            names.push(name);
        }
    }
    names.join("/")
}

/// As program.h shows bytes.
fn escaped(bytes: &[u8]) -> String {
    let one = |&byte: &u8| match byte {
        b'\\' | 0..b' ' | 127.. => format!("\\x{byte:02x}"),
        _ => char::from(byte).to_string(),
    };
    bytes.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_the_build_added() {
        for name in ["open", "open64", "__open_2", "__open64_2", "__open64"] {
            assert_eq!(canonical(name), "open");
        }
        assert_eq!(canonical("__isoc99_fscanf"), "fscanf");
        assert_eq!(canonical("_IO_getc"), "getc");
        assert_eq!(canonical("preadv64v2"), "preadv2");
        assert_eq!(canonical("__fgets_unlocked_chk"), "fgets_unlocked");
    }

    #[test]
    fn report_lines_are_calls() {
        let report = "@5 write(fd, \"a = b\", 3) = -1 errno 9\n  size 3\nopen(\"x\") = 4\n  path: /x\nfopen() = ~\n";
        let calls = Expected::all(report);
        assert_eq!(calls.len(), 3);
        assert_eq!(
            (calls[0].offset, calls[0].ret, calls[0].errno),
            (Some(5), Some(-1), Some(9))
        );
        assert_eq!(
            (calls[1].ret, calls[1].path.as_deref()),
            (Some(4), Some("/x"))
        );
        assert_eq!(calls[2].ret, None);
    }
}
