//! How files lie on Lustre: asked of the file system once for each file, by descriptor and by raw system call.
//!
//! Where no Lustre is mounted an open costs a load more and nothing else, but for the first few of a process, which come
//! before that is known. Where one is, an open asks for device and inode, and a file that was not seen before for its
//! layout, which is kept as the file system gives it: who reads the trace takes it apart.

use super::file::FileId;
use super::paths;
use crate::state::settings::{self, Layouts};
use crate::state::{FUSE_SUPER_MAGIC, node};
use crate::sys::{self, Errno, Once, Starting, Zeroed};
use crate::thread::Thread;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};
use iota_trace::lustre::{ATTRIBUTE, Layout, SUPER_MAGIC};
use iota_trace::names::LONGEST;

/// Bytes of a layout that the stack has room for: 40 stripes.
const USUAL: usize = 1024;

/// Whether an open may be on Lustre at all: 0, [`MOUNTED`], or so many opens until that is looked up. The list of mounts
/// costs a short program more than all that it opens.
static ARMED: AtomicU32 = AtomicU32::new(0);
const MOUNTED: u32 = u32::MAX;
const UNKNOWN: u32 = 32;

/// Files whose layout was recorded; a power of two.
const ENTRIES: usize = 1 << 14;

/// A file by its id; a forked child finds all places empty.
struct LayoutEntry {
    /// Its id; in the upper half 1 while it may get objects that its layout has not yet.
    id: AtomicU64,
    /// Device and inode.
    key: AtomicU64,
}

const INCOMPLETE: u64 = 1 << 32;

struct LayoutTable([LayoutEntry; ENTRIES]);

// SAFETY: atomics, of which zero is a value: no file.
unsafe impl Zeroed for LayoutTable {}

/// Whether one is recorded at all; elsewhere their entries are not touched.
static IS_SOME: AtomicBool = AtomicBool::new(false);
static SEEN: Once<Option<&'static LayoutTable>> = Once::new(None);

/// Devices that were asked what they are: twice the number, and one more where it is Lustre.
#[unsafe(link_section = ".bss.iota_start")]
static DEVICES: [AtomicU64; 16] = [const { AtomicU64::new(0) }; 16];

/// Sees to it that opens are looked at where that is wanted.
pub fn start(starting: &mut Starting) -> bool {
    let is_forked = SEEN.get().is_some();
    let is_off = settings::get().layouts == Layouts::Off;
    if is_off || is_forked && ARMED.load(Relaxed) == 0 {
        return true;
    }
    if !is_forked {
        SEEN.set(starting, sys::map_table().ok());
        let opens = if node::knows_mounts() { 1 } else { UNKNOWN };
        ARMED.store(opens, Relaxed);
    }
    SEEN.get().is_some()
}

/// One of the first opens; the last of them looks whether Lustre is mounted, or may be mounted by being touched.
#[cold]
fn decide(left: u32) {
    let next = match left {
        1 if is_mounted(settings::get().layouts) => MOUNTED,
        _ => left.saturating_sub(1),
    };
    // Threads that do so at once come to the same.
    ARMED.store(next, Relaxed);
}

/// A part ended: the layouts in it are not in the next.
pub fn begin_part() {
    if !IS_SOME.load(Relaxed) {
        return;
    }
    let places = SEEN.get().iter().flat_map(|seen| &seen.0);
    places.for_each(|place| place.id.store(0, Relaxed));
}

/// `fd` was just opened: records how its file lies on Lustre, if it does. A path that has become another file gets
/// another id, which is returned, so that each call is tied to the layout of its time.
#[inline(always)]
pub fn opened(thread: &Thread, fd: c_int, file: FileId) -> FileId {
    if ARMED.load(Relaxed) != 0 && file.is_named() {
        look(thread, fd, file)
    } else {
        file
    }
}

/// `fd` will be closed: a file that had not all of its objects when it was opened may have them now.
#[inline(always)]
pub fn closing(thread: &Thread, fd: c_int, file: FileId) {
    if ARMED.load(Relaxed) != 0 && file.is_named() {
        look_again(thread, fd, file);
    }
}

fn place(id: u32) -> Option<&'static LayoutEntry> {
    (*SEEN.get())?.0.get(id as usize & (ENTRIES - 1))
}

#[cold]
#[inline(never)]
fn look(thread: &Thread, fd: c_int, file: FileId) -> FileId {
    let armed = ARMED.load(Relaxed);
    if armed != MOUNTED {
        decide(armed);
        if ARMED.load(Relaxed) == 0 {
            return file;
        }
    }
    let Ok(found) = sys::identity(fd) else {
        return file;
    };
    if found.kind != libc::S_IFREG || !is_lustre(fd, found.device) {
        return file;
    }
    let key = found.inode ^ found.device.rotate_left(48);
    let Some(seen) = place(file.id()) else {
        return file;
    };
    let file = if seen.id.load(Relaxed) as u32 != file.id() {
        file
    } else if seen.key.load(Relaxed) == key {
        return file;
    } else {
        paths::renewed(thread, fd, file)
    };
    record(thread, fd, file, key);
    file
}

#[cold]
#[inline(never)]
fn look_again(thread: &Thread, fd: c_int, file: FileId) {
    if IS_SOME.load(Relaxed)
        && let Some(seen) = place(file.id())
        && seen.id.load(Relaxed) == u64::from(file.id()) | INCOMPLETE
    {
        record(thread, fd, file, seen.key.load(Relaxed));
    }
}

/// Records the layout of the file below `fd`, and that it is.
fn record(thread: &Thread, fd: c_int, file: FileId, key: u64) {
    let mut room = [0; USUAL];
    let complete = match sys::attribute(fd, ATTRIBUTE, &mut room) {
        Ok(layout) => define(thread, file, layout),
        Err(Errno(libc::ERANGE)) => record_long(thread, fd, file),
        // No layout yet: the first write will give it one.
        Err(_) => false,
    };
    if let Some(seen) = place(file.id()) {
        IS_SOME.store(true, Relaxed);
        let mark = if complete { 0 } else { INCOMPLETE };
        seen.key.store(key, Relaxed);
        seen.id.store(u64::from(file.id()) | mark, Relaxed);
    }
}

fn define(thread: &Thread, file: FileId, layout: &[u8]) -> bool {
    thread.own_slot().define_layout(file.id(), layout);
    Layout(layout).is_complete()
}

fn record_long(thread: &Thread, fd: c_int, file: FileId) -> bool {
    let Ok(at) = sys::map_private(LONGEST, false) else {
        return true;
    };
    // SAFETY: LONGEST bytes, just mapped.
    let room = unsafe { core::slice::from_raw_parts_mut(at.cast::<u8>(), LONGEST) };
    let complete =
        sys::attribute(fd, ATTRIBUTE, room).map_or(true, |layout| define(thread, file, layout));
    // SAFETY: `room` is not used any more.
    unsafe { sys::unmap(at, LONGEST) };
    complete
}

/// Whether the file system below `fd`, of device `device`, is one that has layouts; each is asked once.
fn is_lustre(fd: c_int, device: u64) -> bool {
    let asked = device.wrapping_add(1).wrapping_mul(2);
    let known = |verdict: &u64| verdict & !1 == asked;
    let devices = DEVICES.iter().map(|device| device.load(Relaxed));
    if let Some(verdict) = devices.clone().find(known) {
        return verdict & 1 == 1;
    }
    let kind = sys::kind_below(fd).unwrap_or(0);
    let is = kind == SUPER_MAGIC
        || kind == FUSE_SUPER_MAGIC && settings::get().layouts == Layouts::Probe;
    let at = devices.take_while(|verdict| *verdict != 0).count();
    let place = DEVICES.get(at).or(DEVICES.get(device as usize % 16));
    if let Some(place) = place {
        place.store(asked | u64::from(is), Relaxed);
    }
    is
}

/// Whether a file system is mounted that has layouts, or one that mounts others when they are touched.
fn is_mounted(wish: Layouts) -> bool {
    if wish == Layouts::On && node::is_without_lustre() {
        return false;
    }
    let Ok(mounts) = sys::File::open(c"/proc/self/mountinfo", libc::O_RDONLY) else {
        return false;
    };
    let (mut room, mut held) = ([0u8; 2048], 0usize);
    loop {
        let rest = room.get_mut(held..).unwrap_or_default();
        let Ok(read @ 1..) = mounts.read(rest) else {
            return false;
        };
        let filled = held.wrapping_add(read);
        let text = room.get(..filled).unwrap_or_default();
        let end = text
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |n| n.wrapping_add(1));
        if text.get(..end).is_some_and(|lines| has_lustre(lines, wish)) {
            return true;
        }
        // Of a line that is longer than the room the beginning is not needed.
        let kept = if end == 0 {
            filled.saturating_sub(64)
        } else {
            end
        };
        held = filled.saturating_sub(kept);
        sys::move_within(&mut room, kept, 0, held);
    }
}

/// Whether one of the lines of mountinfo names such a file system: the word behind the lone hyphen.
fn has_lustre(lines: &[u8], wish: Layouts) -> bool {
    lines.split(|&b| b == b'\n').any(|line| {
        let mut words = line.split(|&b| b == b' ').skip_while(|word| *word != b"-");
        match words.nth(1) {
            Some(b"lustre" | b"autofs") => true,
            Some(kind) => wish == Layouts::Probe && kind.starts_with(b"fuse"),
            None => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_are_known_by_their_kind_alone() {
        let lustre = b"36 25 0:31 / /lustre rw - ext4 10.0.0.1@o2ib:/work rw\n\
            40 25 0:33 / /work rw,flock shared:1 - lustre 10.0.0.1@o2ib:/work rw,checksum\n";
        assert!(has_lustre(lustre, Layouts::On));
        let ext4 = b"36 25 0:31 / /lustre rw - ext4 /dev/lustre rw\n";
        assert!(!has_lustre(ext4, Layouts::On));
        let fuse = b"36 25 0:31 / /mnt rw shared:3 master:1 - fuse.sshfs lustre rw\n";
        assert!(!has_lustre(fuse, Layouts::On));
        assert!(has_lustre(fuse, Layouts::Probe));
        assert!(has_lustre(
            b"1 2 0:3 / /net rw - autofs auto rw\n",
            Layouts::On
        ));
    }
}
