//! Functions that no slot leads to: those that only their own program or library calls. `iota run` decodes their first
//! instructions before the run (`iota_trace::patches`). Here a jump is written over them, if they are those that it saw: to an
//! [`island`](super::island), and from there to the trampoline, which calls what the jump displaced.

use super::island::{Code, Island};
use crate::real::objects::{self, Loaded};
use crate::state::{log, settings};
use crate::sys::{self, File};
use crate::tables::probed;
use core::ffi::{CStr, c_void};
use core::ops::Range;
use iota_trace::patches::{self, Patch};

// <elf.h>
const PF_X: u32 = 1;

/// Patches the objects that are loaded, before their own code runs.
pub fn start(trampoline: usize) {
    let path = &settings::get().patches;
    if path.is_empty() {
        return;
    }
    let Some((file, length)) = read(path.c_str()) else {
        return log::line(&[b"probes: cannot read ", path.bytes()]);
    };
    // SAFETY: so many bytes were read there.
    let bytes = unsafe { core::slice::from_raw_parts(file.cast::<u8>(), length) };
    match Code::open() {
        Some(code) => all(bytes, &code, trampoline),
        None => tell(b"the kernel does not write to code (/proc/self/mem)"),
    }
    // SAFETY: nothing refers to it any more.
    unsafe { sys::unmap(file, length) };
}

/// The bytes of a file, in memory of its own.
fn read(path: &CStr) -> Option<(*mut c_void, usize)> {
    let file = File::open(path, libc::O_RDONLY).ok()?;
    let length = file.length().ok()?;
    let at = sys::map_private(length, false).ok()?;
    // SAFETY: just mapped, so many bytes.
    let room = unsafe { core::slice::from_raw_parts_mut(at.cast::<u8>(), length) };
    match file.read_at(room, 0) {
        Ok(bytes) if bytes == length => Some((at, length)),
        _ => None,
    }
}

fn all(file: &[u8], code: &Code, trampoline: usize) {
    let others = sys::has_threads();
    let (mut is_program, mut sum) = (true, 0i64);
    objects::for_each_loaded(|loaded| {
        let object = Patched::new(loaded, file);
        // Threads that a library has started already may be in any library, but not in the program.
        let is_safe = core::mem::take(&mut is_program) || !others;
        match object {
            Some(object) if is_safe => sum = sum.wrapping_add(object.patch(code, trampoline)),
            Some(_) => tell(b"threads run already in a library, which is left as it is"),
            None => (),
        }
        false
    });
    let sum = log::number(sum);
    log::line(&[
        b"probes: ",
        sum.bytes(),
        b" functions by their first instructions",
    ]);
}

/// An object of which functions are to be patched.
struct Patched<'a> {
    loaded: &'a Loaded<'a>,
    file: &'a [u8],
    fingerprint: u64,
    count: usize,
}

impl<'a> Patched<'a> {
    fn new(loaded: &'a Loaded, file: &'a [u8]) -> Option<Patched<'a>> {
        let fingerprint = loaded.fingerprint();
        let of_it = |patch: &Patch| patch.object == fingerprint;
        let count = patches::each(file).filter(of_it).count();
        let object = Patched {
            loaded,
            file,
            fingerprint,
            count,
        };
        (count > 0).then_some(object)
    }

    /// Returns how many it could.
    fn patch(&self, code: &Code, trampoline: usize) -> i64 {
        let Some(mut island) = Island::near(&self.loaded.range_of_all(), self.count) else {
            tell(b"no memory for code near the program or a library");
            return 0;
        };
        if !island.begin(code, trampoline) {
            tell(b"the kernel does not write to code (/proc/self/mem)");
            return 0;
        }
        let all = patches::each(self.file).filter(|patch| patch.object == self.fingerprint);
        let done = all.filter(|patch| self.function(patch, &mut island, code));
        done.count() as i64
    }

    fn function(&self, patch: &Patch, island: &mut Island, code: &Code) -> bool {
        let base = self.loaded.object.base;
        let entry = base.wrapping_add(patch.entry as usize);
        if !self.has(entry, patch.original) {
            log::line(&[
                b"probe: ",
                patch.name,
                b": other instructions than expected",
            ]);
            return false;
        }
        let at = entry.wrapping_add(usize::from(patch.at));
        let number = probed::enter(patch.name, island.next_code());
        let way = number.and_then(|number| island.add(code, base, patch, number));
        let works = way.is_some_and(|way| code.jump(at, way));
        let what: &[u8] = match works {
            true => b": by its first instructions",
            false => b": no room for it, or none in reach",
        };
        log::line(&[b"probe: ", patch.name, what]);
        works
    }

    /// Whether these bytes stand there, in code.
    fn has(&self, entry: usize, bytes: &[u8]) -> bool {
        let is_inside = |code: Range<usize>| bytes.len() <= code.end.wrapping_sub(entry);
        let is_code = self.loaded.segment(entry, PF_X).is_some_and(is_inside);
        // SAFETY: in the object's code.
        is_code && bytes == unsafe { core::slice::from_raw_parts(entry as *const u8, bytes.len()) }
    }
}

fn tell(what: &[u8]) {
    log::line(&[b"probes: ", what]);
}
