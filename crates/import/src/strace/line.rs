//! A line of strace: who, when, and the call, or the half of it that fitted between those of other threads.

use super::args;
use crate::lines::{nanos, number, wrong};
use iota_trace::errno;

/// A line
pub struct Line<'l> {
    /// Process or thread; on a terminal strace names none while there is only one
    pub thread: Option<u32>,
    /// In ns since 1970
    pub time: i64,
    /// What it tells
    pub what: LineKind<'l>,
}

/// What a line tells
pub enum LineKind<'l> {
    /// A call
    Whole(&'l [u8]),
    /// Its first half
    Begun(&'l [u8]),
    /// What is behind that
    Ended(&'l [u8]),
    /// A process or thread has come, and strace follows it
    Attached(u32),
    /// A call has begun, and this one has come, in one line
    BegunAndAttached(&'l [u8], u32),
    /// What is behind a call that had to make room for that, without who and when
    Continued(&'l [u8]),
    /// The end of a process or thread
    Exited,
    /// The other threads of a process have ended, because this one runs another program under the process's number
    Superseded(u32),
    /// A signal
    Nothing,
}

impl<'l> Line<'l> {
    /// `[pid 17] 1795301657.5 read(...`, `17 1795301657.5 read(...` or `1795301657.5 read(...`
    pub fn parse(line: &'l [u8]) -> Result<Line<'l>, String> {
        let line = line.trim_ascii();
        let (thread, rest) = match line.strip_prefix(b"[pid") {
            Some(rest) => word(rest.trim_ascii_start(), b']'),
            None if word(line, b' ').0.iter().all(u8::is_ascii_digit) => word(line, b' '),
            None => (&b""[..], line),
        };
        if line.is_empty() || line == UNFINISHED || line.starts_with(b"strace: ") {
            let what = attached(line).map_or(LineKind::Nothing, |(_, who)| LineKind::Attached(who));
            return Ok(Line::of_strace(what));
        }
        let continues = [&b", "[..], b")", b"=> "];
        if continues.iter().any(|start| line.starts_with(start)) {
            return Ok(Line::of_strace(LineKind::Continued(line)));
        }
        let (time, rest) = word(rest.trim_ascii_start(), b' ');
        if time.contains(&b':') {
            return Err("times of day without a date: run strace with -ttt".to_owned());
        }
        if !time.contains(&b'.') {
            return Err(format!("{}: run strace with -ttt", wrong("time", time)));
        }
        let thread = (!thread.is_empty()).then(|| number("process", thread));
        Ok(Line {
            thread: thread.transpose()?,
            time: nanos("time", time)?,
            what: LineKind::of(rest.trim_ascii_start()),
        })
    }
}

impl<'l> Line<'l> {
    fn of_strace(what: LineKind<'l>) -> Line<'l> {
        Line {
            thread: None,
            time: 0,
            what,
        }
    }
}

impl<'l> LineKind<'l> {
    fn of(text: &'l [u8]) -> LineKind<'l> {
        if let Some(rest) = text.strip_prefix(b"+++ superseded by execve in pid ") {
            let by = number("process", word(rest, b' ').0);
            return by.map_or(LineKind::Exited, LineKind::Superseded);
        }
        if text.starts_with(b"+++") {
            return LineKind::Exited;
        }
        if text.starts_with(b"---") || text.starts_with(b"???") {
            return LineKind::Nothing;
        }
        if let Some(rest) = text.strip_prefix(b"<... ") {
            let key = b" resumed>";
            let at = rest.windows(key.len()).position(|some| some == key);
            return at.map_or(LineKind::Nothing, |at| {
                LineKind::Ended(&rest[at + key.len()..])
            });
        }
        match (text.strip_suffix(UNFINISHED), attached(text)) {
            (Some(begun), _) => LineKind::Begun(begun.trim_ascii_end()),
            (None, Some((begun, who))) => LineKind::BegunAndAttached(begun, who),
            (None, None) => LineKind::Whole(text),
        }
    }
}

const UNFINISHED: &[u8] = b"<unfinished ...>";

/// `strace: Process 17 attached`, which on a terminal may come behind a call that has begun; what is before it
fn attached(text: &[u8]) -> Option<(&[u8], u32)> {
    let rest = text.strip_suffix(b" attached")?;
    let key = b"strace: Process ";
    let at = rest.windows(key.len()).rposition(|some| some == key)?;
    let who = number("process", &rest[at + key.len()..]).ok()?;
    Some((&text[..at], who))
}

/// Up to a byte, and what is behind it
fn word(text: &[u8], end: u8) -> (&[u8], &[u8]) {
    match text.iter().position(|byte| *byte == end) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, b""),
    }
}

/// What a call returned, with the path behind a descriptor, which may hold blanks; and the rest
fn returned(result: &[u8]) -> (&[u8], &[u8]) {
    let number = result.iter().position(|byte| matches!(byte, b' ' | b'<'));
    let end = result.iter().rposition(|byte| *byte == b'>');
    match (number, end) {
        (Some(at), Some(end)) if result[at] == b'<' => result.split_at(end + 1),
        _ => word(result, b' '),
    }
}

/// A call that has ended
pub struct Call<'l> {
    /// Name
    pub name: &'l str,
    /// As strace prints them
    pub args: Vec<&'l [u8]>,
    /// Result; -1 for a failure
    pub ret: i64,
    /// 0 where it succeeded
    pub errno: u16,
    /// With -y, the path of the descriptor that it returned
    pub made: Option<Vec<u8>>,
    /// In ns; with -T
    pub elapse: Option<i64>,
}

impl<'l> Call<'l> {
    /// `name(arg, arg) = result <0.000005>`; nothing of a call that does not return
    pub fn parse(text: &'l [u8]) -> Result<Option<Call<'l>>, String> {
        let open = text.iter().position(|byte| *byte == b'(');
        let open = open.ok_or_else(|| wrong("call", text))?;
        let name = std::str::from_utf8(&text[..open]).map_err(|_| wrong("call", text))?;
        if !name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            return Err(wrong("call", text));
        }
        let (args, rest) = args::split(&text[open + 1..]);
        let Some(result) = rest.trim_ascii_start().strip_prefix(b"=") else {
            return Err("a call without a result: the line is cut off".to_owned());
        };
        let (result, elapse) = elapsed(result.trim_ascii());
        let (ret, rest) = returned(result);
        if ret.starts_with(b"?") {
            return Ok(None);
        }
        let (ret, made) = args::descriptor(ret);
        let ret = args::number(ret).ok_or_else(|| wrong("result", ret))?;
        let error = std::str::from_utf8(word(rest, b' ').0)
            .ok()
            .and_then(errno::number);
        let errno = if ret < 0 { error.unwrap_or(0) } else { 0 };
        Ok(Some(Call {
            name,
            args,
            ret,
            errno,
            made,
            elapse,
        }))
    }
}

/// What is before ` <0.000005>`, and the time in it
fn elapsed(result: &[u8]) -> (&[u8], Option<i64>) {
    let inner = result.strip_suffix(b">").and_then(|rest| {
        let at = rest.iter().rposition(|byte| *byte == b'<')?;
        Some((
            rest[..at].trim_ascii_end(),
            nanos("time", &rest[at + 1..]).ok()?,
        ))
    });
    inner.map_or((result, None), |(result, elapse)| (result, Some(elapse)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_when_and_what_are_found_in_all_forms() {
        for line in [
            &b"17  5.25 read(3, \"\", 1) = 0"[..],
            b"[pid    17] 5.25 read(3, \"\", 1) = 0",
        ] {
            let line = Line::parse(line).unwrap();
            assert_eq!((line.thread, line.time), (Some(17), 5_250_000_000));
            assert!(matches!(
                line.what,
                LineKind::Whole(b"read(3, \"\", 1) = 0")
            ));
        }
        assert_eq!(Line::parse(b"5.25 close(3) = 0").unwrap().thread, None);
        let line = Line::parse(b"5.25 clone(flags=SIGCHLDstrace: Process 17 attached").unwrap();
        assert!(matches!(
            line.what,
            LineKind::BegunAndAttached(b"clone(flags=SIGCHLD", 17)
        ));
        let line = Line::parse(b"strace: Process 17 attached").unwrap();
        assert!(matches!(line.what, LineKind::Attached(17)));
        let line = Line::parse(b" <unfinished ...>").unwrap();
        assert!(matches!(line.what, LineKind::Nothing));
        assert!(Line::parse(b"17 12:30:01.5 close(3) = 0").is_err());
        assert!(Line::parse(b"17 close(3) = 0").is_err());
    }

    #[test]
    fn a_call_is_taken_apart() {
        let text = br#"openat(AT_FDCWD</a b>, "x, \"(y)", O_RDONLY) = 3</a b/x> <0.000006>"#;
        let call = Call::parse(text).unwrap().unwrap();
        assert_eq!((call.name, call.args.len(), call.ret), ("openat", 3, 3));
        assert_eq!(
            (call.made.as_deref(), call.elapse),
            (Some(&b"/a b/x"[..]), Some(6000))
        );
        let call = Call::parse(b"close(9)    = -1 EBADF (Bad file descriptor)")
            .unwrap()
            .unwrap();
        assert_eq!((call.ret, call.errno, call.elapse), (-1, 9, None));
        assert!(Call::parse(b"exit_group(0) = ?").unwrap().is_none());
        assert!(Call::parse(b"read(3, \"abc").is_err());
    }
}
