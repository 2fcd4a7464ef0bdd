//! The start of the command as `vfork` does it: a copy of this process would cost more than all else that begins a command.
//! Unlike `posix_spawn` it leaves the actions of all signals to this program.

use libc::{c_char, c_int, c_void};
use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::io;
use std::marker::PhantomData;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::Command;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// Bytes of stack that a search along PATH leaves most of
const STACK: usize = 64 << 10;
/// Nobody sees this: the error is reported
pub const FAILED: c_int = 127;

/// What a child becomes: words and variables, in the form in which the kernel takes them
pub struct ChildImage {
    words: Vec<CString>,
    variables: Vec<CString>,
}

/// The same as lists of pointers, which end with a null pointer
pub struct Pointers<'i> {
    words: Vec<*const c_char>,
    variables: Vec<*const c_char>,
    _image: PhantomData<&'i ChildImage>,
}

impl ChildImage {
    /// Of a command
    pub fn of(command: &Command) -> io::Result<ChildImage> {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words = words.map(|word| CString::new(word.as_bytes()));
        let variables = variables(command).map(CString::new);
        Ok(ChildImage {
            words: words.collect::<Result<_, _>>()?,
            variables: variables.collect::<Result<_, _>>()?,
        })
    }

    pub fn pointers(&self) -> Pointers<'_> {
        Pointers {
            words: pointers(&self.words),
            variables: pointers(&self.variables),
            _image: PhantomData,
        }
    }
}

impl Pointers<'_> {
    /// Becomes it, by system calls alone; the error number if that fails
    pub fn exec(&self) -> i32 {
        let (words, variables) = (self.words.as_ptr(), self.variables.as_ptr());
        // SAFETY: lists of C strings that end with a null pointer; there is a first word.
        unsafe { libc::execvpe(*words, words, variables) };
        let error = io::Error::last_os_error();
        error.raw_os_error().unwrap_or(libc::EINVAL)
    }
}

/// What the child uses of its parent, which waits until it needs that no more
struct Start<'a> {
    image: &'a Pointers<'a>,
    prepare: &'a dyn Fn(),
    failed: AtomicI32,
}

/// Starts it after `prepare`, which may make system calls alone; its process id
pub fn start(command: &Command, prepare: &dyn Fn()) -> io::Result<u32> {
    let image = ChildImage::of(command)?;
    let image = image.pointers();
    let mut start = Start {
        image: &image,
        prepare,
        failed: AtomicI32::new(0),
    };
    // A script that does not say what runs it is run by a shell, which takes a second list of the words on the stack.
    let length = STACK + size_of_val(&*image.words);
    let mut stack = Vec::<u128>::with_capacity(length / size_of::<u128>());
    let end = stack.spare_capacity_mut().as_mut_ptr_range().end;
    let how = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the child has a stack of its own, and until it has ended or become another program, this thread waits.
    let child = unsafe { libc::clone(begin, end.cast(), how, ptr::from_mut(&mut start).cast()) };
    let child = u32::try_from(child).map_err(|_| io::Error::last_os_error())?;
    match start.failed.load(Relaxed) {
        0 => Ok(child),
        error => {
            // SAFETY: a child of this process that has ended, and of which nobody else knows.
            unsafe { libc::waitpid(child as c_int, ptr::null_mut(), 0) };
            Err(io::Error::from_raw_os_error(error))
        }
    }
}

extern "C" fn begin(start: *mut c_void) -> c_int {
    // SAFETY: the parent lends it, and waits.
    let start = unsafe { &*start.cast::<Start>() };
    (start.prepare)();
    start.failed.store(start.image.exec(), Relaxed);
    // SAFETY: nothing of the parent's is cleaned up.
    unsafe { libc::_exit(FAILED) }
}

/// NAME=VALUE: those of this process, with what the command has in their place
fn variables(command: &Command) -> impl Iterator<Item = Vec<u8>> {
    let mut all: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => all.insert(name.to_owned(), value.to_owned()),
            None => all.remove(name),
        };
    }
    all.into_iter().map(|(mut text, value)| {
        text.push("=");
        text.push(value);
        text.into_vec()
    })
}

/// As C has lists of strings
fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    let texts = texts.iter().map(|text| text.as_ptr());
    texts.chain([ptr::null()]).collect()
}
