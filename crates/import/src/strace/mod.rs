//! What `strace -f -ttt -T [-y]` writes: system calls of processes and their threads. Descriptors are followed from the
//! calls that make them, so that a transfer has its file and its place in it.

mod args;
mod calls;
mod held;
mod line;
mod processes;
mod seen;
mod sizes;
mod thread;
mod transfers;
mod who;

use crate::builder::Builder;
use crate::format::Format;
use crate::lines::{Lines, span};
use line::{Line, LineKind};
use processes::Processes;
use std::collections::HashMap;
use who::ProcessGuess;

/// `9886  1795301657.569612 read(3</a>, "..."..., 4096) = 6 <0.000026>`
pub struct Strace;

/// Calls that began and whose end another line tells, by thread
type Begun = HashMap<u32, (i64, Vec<u8>)>;

impl Format for Strace {
    fn knows(&self, line: &[u8]) -> bool {
        Line::parse(line).is_ok_and(|line| !matches!(line.what, LineKind::Nothing))
    }

    fn read(&self, lines: &mut Lines, to: &mut Builder) -> anyhow::Result<()> {
        let (mut processes, mut begun, mut untimed) = (Processes::default(), Begun::new(), 0u64);
        let (mut who, mut broken) = (ProcessGuess::new(), None);
        lines.each(|text| {
            let line = match Line::parse(text) {
                Ok(line) => line,
                Err(cause) => return Ok(Err(cause)),
            };
            if let LineKind::Attached(child) = line.what {
                who.attached(child);
                return Ok(Ok(()));
            }
            let (time, thread) = match (&line.what, broken.take()) {
                (LineKind::Continued(_), Some(of)) => of,
                (LineKind::Continued(_), None) => {
                    return Ok(Err("a call without its beginning".to_owned()));
                }
                // What strace says about itself has no time.
                (LineKind::Nothing, _) if line.time == 0 => return Ok(Ok(())),
                _ => (line.time, who.is(line.thread)),
            };
            let start = *to.start.get_or_insert(time);
            let (begins, text) = match line.what {
                LineKind::Exited => {
                    who.exited(thread);
                    begun.remove(&thread);
                    processes.exited(thread, time.saturating_sub(start));
                    return Ok(Ok(()));
                }
                LineKind::Superseded(by) => {
                    let by = who.is(Some(by));
                    who.exited(by);
                    processes.superseded(thread, by);
                    if let Some(exec) = begun.remove(&by) {
                        begun.insert(thread, exec);
                    }
                    return Ok(Ok(()));
                }
                LineKind::Attached(_) | LineKind::Nothing => return Ok(Ok(())),
                LineKind::Begun(text) | LineKind::BegunAndAttached(text, _) => {
                    if let LineKind::BegunAndAttached(_, child) = line.what {
                        who.attached(child);
                        broken = Some((time, thread));
                    }
                    processes.begin(thread, text);
                    begun.insert(thread, (time, text.to_owned()));
                    return Ok(Ok(()));
                }
                LineKind::Ended(rest) | LineKind::Continued(rest) => match begun.remove(&thread) {
                    Some((begins, text)) => (begins, [&text, rest].concat()),
                    // It began before strace was attached.
                    None => return Ok(Ok(())),
                },
                LineKind::Whole(text) => (time, text.to_owned()),
            };
            let call = match line::Call::parse(&text) {
                Ok(Some(call)) => call,
                Ok(None) => return Ok(Ok(())),
                Err(cause) => return Ok(Err(cause)),
            };
            untimed += u64::from(call.elapse.is_none());
            let ends = match call.elapse {
                Some(elapse) => begins.checked_add(elapse),
                None => Some(time),
            };
            let from_start = |time: i64| time.checked_sub(start);
            match span(from_start(begins), ends.and_then(from_start)) {
                Ok(span) => processes.call(thread, span, (&call, &text), to).map(Ok),
                Err(cause) => Ok(Err(cause)),
            }
        })?;
        processes.finish(to)?;
        if untimed > 0 {
            lines.found.note = Some(format!(
                "the time that the call took is missing in {}: run strace with -T",
                iota_quantity::many(untimed, "line")
            ));
        }
        Ok(())
    }
}
