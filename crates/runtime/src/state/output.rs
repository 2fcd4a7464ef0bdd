//! Where the trace goes: names made from `IOTA_OUTPUT`. No file is ever overwritten, and few names are tried: thousands of
//! processes may look for one at the same time, and each failing try is work for a metadata server.

pub use super::job::Path;
use super::texts::{self, Composed, Kept};
use super::{clock, environment, job, settings, striping};
use crate::sys::{self, Errno, File, Once, Starting, Text};

/// The ending of every trace.
const ENDING: &[u8] = b".iota";
/// The ending of a trace written as text.
const TEXT_ENDING: &[u8] = b".txt";

/// The path without its ending.
static BASE: Once<Kept> = Once::new(Kept::NONE);

/// The file that the processes of a run share; empty where there is none.
static SHARED: Once<Kept> = Once::new(Kept::NONE);

/// Works the names out.
pub fn start(starting: &mut Starting) {
    let program = job::facts().program.bytes();
    let base = texts::compose(starting, |path| find_base(program, path));
    BASE.set(starting, base);
    let shared = texts::compose(starting, |path| find_shared(program, path));
    SHARED.set(starting, shared);
}

#[inline(never)]
fn find_base(program: &[u8], path: &mut Composed<'_>) {
    let output = settings::get().output;
    if output.bytes().first() != Some(&b'/') {
        path.push(match job::facts().directory.bytes() {
            [] => b".",
            here => here,
        });
        path.push(if output.is_empty() { b"" } else { b"/" });
    }
    expand(output.bytes(), program, path);
    if path.bytes().last() == Some(&b'/') || !is_of_run() && is_directory(path) {
        path.push(b"/");
        expand(b"%e-%j", program, path);
    } else if output.is_empty() {
        expand(b"/%e-%j", program, path);
    }
    for ending in [ENDING, TEXT_ENDING] {
        if path.bytes().ends_with(ending) {
            path.truncate(path.bytes().len().saturating_sub(ending.len()));
        }
    }
}

fn find_shared(program: &[u8], path: &mut Composed<'_>) {
    expand(settings::get().shared.bytes(), program, path);
    // Whoever names another place for some processes wants their traces there.
    if folder(path.bytes()) != folder(base().bytes()) {
        path.truncate(0);
    }
}

fn folder(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|&b| b == b'/').unwrap_or(0);
    path.get(..end).unwrap_or_default()
}

/// Whether `iota run` named the output, in its own folder.
fn is_of_run() -> bool {
    let settings = settings::get();
    !settings.shared.is_empty()
        && folder(settings.shared.bytes()) == folder(settings.output.bytes())
}

fn is_directory(path: &Composed<'_>) -> bool {
    !settings::get().output.is_empty()
        && File::open(path.c_str(), libc::O_PATH | libc::O_DIRECTORY).is_ok()
}

/// Replaces %e, %j, %p, %h, %r and %%; any other character after % stays as it is.
fn expand(template: &[u8], program: &[u8], to: &mut Composed<'_>) {
    let mut pieces = template.split(|&b| b == b'%');
    to.push(pieces.next().unwrap_or_default());
    let mut literal = false;
    for piece in pieces {
        if core::mem::take(&mut literal) {
            to.push(piece);
            continue;
        }
        match piece.split_first() {
            // An empty piece: a second % follows.
            None => {
                to.push(b"%");
                literal = true;
            }
            Some((letter, rest)) => {
                if !expand_one(*letter, program, to) {
                    to.push(b"%").push(&[*letter]);
                }
                to.push(rest);
            }
        }
    }
}

#[inline(never)]
fn expand_one(letter: u8, program: &[u8], to: &mut Composed<'_>) -> bool {
    match letter {
        b'e' => to.push(program.rsplit(|&b| b == b'/').next().unwrap_or(program)),
        b'p' => to.push_number(u64::from(sys::process_id())),
        b'r' => to.push_number(u64::from(environment::launched_rank().unwrap_or(0))),
        b'h' => {
            // SAFETY: zero is valid for plain arrays.
            let mut name = unsafe { core::mem::zeroed() };
            to.push(sys::host_name(&mut name))
        }
        b'j' => {
            let mut id = Text::EMPTY;
            environment::job(&mut id);
            to.push(id.bytes())
        }
        _ => return false,
    };
    true
}

/// The base path, without an ending.
pub fn base() -> Kept {
    *BASE.get()
}

/// The file to which small parts of a run's processes are appended; empty where there is none.
pub fn shared() -> Kept {
    *SHARED.get()
}

/// Whether this process has such a file. A rank's part stays apart.
pub fn joins_others() -> bool {
    !SHARED.get().is_empty() && job::rank().is_none()
}

/// So many names are tried.
const TRIES: u32 = 3;

/// The name without its ending: NAME, NAME.1, and then one that no other process has, NAME.HOST-PID-MICROSECONDS.
fn push_stem(n: u32, to: &mut Path) {
    to.truncate(0);
    to.push(base().bytes());
    match n {
        0 => {}
        1 => _ = to.push(b".1"),
        _ => push_own(to),
    }
}

#[inline(never)]
fn push_own(to: &mut Path) {
    // SAFETY: zero is valid for plain arrays.
    let mut name = unsafe { core::mem::zeroed() };
    let host = sys::host_name(&mut name);
    to.push(b".")
        .push(host.split(|&b| b == b'.').next().unwrap_or_default());
    to.push(b"-").push_number(u64::from(sys::process_id()));
    to.push(b"-").push_number(clock::realtime_ns() / 1000);
}

/// The `n`th name for the whole.
pub fn candidate(n: u32, to: &mut Path) {
    push_stem(n, to);
    to.push(ENDING);
}

/// The `n`th name for a task's own file: NAME.<rank>.iota, NAME.1.<rank>.iota, ...; NAME.iota where there is no
/// rank, and nothing is flushed.
pub fn task_candidate(n: u32, to: &mut Path) {
    let task = job::rank().or(settings::get().flush.then_some(0));
    let Some(rank) = task else {
        return candidate(n, to);
    };
    push_stem(n, to);
    to.push(b".").push_number(u64::from(rank)).push(ENDING);
}

/// The `n`th name for a task's lines: as its own file's, but for the ending.
pub fn text_candidate(n: u32, to: &mut Path) {
    task_candidate(n, to);
    to.truncate(to.bytes().len().saturating_sub(ENDING.len()));
    to.push(TEXT_ENDING);
}

/// Creates the first file of `names` that does not exist; on Lustre with so many stripes.
pub fn create(names: impl Fn(u32, &mut Path), stripes: u32, path: &mut Path) -> sys::Result<File> {
    for n in 0..TRIES {
        names(n, path);
        match striping::create(path, stripes) {
            Err(Errno(libc::EEXIST)) => {}
            other => return other,
        }
    }
    Err(Errno(libc::EEXIST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(template: &[u8]) -> Vec<u8> {
        let _alone = texts::tests::alone();
        // SAFETY: no other test looks at these texts meanwhile.
        let starting = &mut unsafe { Starting::new() };
        let path = texts::compose(starting, |path| expand(template, b"/usr/bin/prog", path));
        path.bytes().to_vec()
    }

    #[test]
    fn patterns_are_replaced() {
        assert_eq!(expanded(b"/a/%e.x"), b"/a/prog.x");
        assert_eq!(expanded(b"%%e%"), b"%e%");
        assert_eq!(expanded(b"a%zb"), b"a%zb");
        assert_eq!(expanded(b"%p"), std::process::id().to_string().as_bytes());
    }
}
