//! Memory of the program that may not be there: read by the kernel, which reports an error instead of a signal.

use super::call::{Errno, call};
use super::process::process_id;
use core::ffi::{c_char, c_void};
use core::mem::MaybeUninit;
use libc::iovec;

/// No page is smaller, and none ends but at a multiple of it.
const PAGE: usize = 4096;
/// Bytes of a string that are read at a time: most paths are shorter.
const PIECE: usize = 256;

/// As many of the `count` values at `from` as can be read.
pub fn copy_in<T: Copy, const N: usize>(
    from: usize,
    room: &mut [MaybeUninit<T>; N],
    count: usize,
) -> &[T] {
    const { assert!(N * size_of::<T>() <= PAGE, "two pieces hold it") };
    let length = count.min(N).wrapping_mul(size_of::<T>());
    // The kernel need not copy a part of a piece: each lies in one page.
    let first = length.min(rest_of_page(from));
    let remote = [
        piece(from, first),
        piece(from.wrapping_add(first), length.wrapping_sub(first)),
    ];
    read(&remote, room)
}

/// The values at these addresses, up to the first that cannot be read.
pub fn gather_in<'r, T: Copy, const N: usize>(
    from: &[usize],
    room: &'r mut [MaybeUninit<T>; N],
) -> &'r [T] {
    let mut remote = [const { MaybeUninit::<iovec>::uninit() }; N];
    for (place, at) in remote.iter_mut().zip(from) {
        place.write(piece(*at, size_of::<T>()));
    }
    let count = from.len().min(N);
    // SAFETY: so many were written.
    let remote = unsafe { core::slice::from_raw_parts(remote.as_ptr().cast::<iovec>(), count) };
    read(remote, room)
}

/// How long the string at `from` is, if its NUL is among the first `most` bytes and all before it can be read.
pub fn string_length(from: usize, most: usize) -> Option<usize> {
    let mut length = 0usize;
    while length < most {
        let mut room = [MaybeUninit::<u8>::uninit(); PIECE];
        let at = from.wrapping_add(length);
        let wanted = most.wrapping_sub(length).min(rest_of_page(at));
        let bytes = copy_in(at, &mut room, wanted);
        if let Some(end) = bytes.iter().position(|&b| b == 0) {
            return Some(length.wrapping_add(end));
        }
        if bytes.is_empty() {
            return None;
        }
        length = length.wrapping_add(bytes.len());
    }
    None
}

/// True when each of the `length` bytes at `from` can be read.
pub fn is_readable(from: usize, length: usize) -> bool {
    let end = from.wrapping_add(length);
    let mut at = from;
    while at < end {
        if !is_page_readable(at) {
            return false;
        }
        at = at.wrapping_add(rest_of_page(at));
    }
    true
}

/// True when a word can be written to: the kernel is asked to add nothing to it.
pub fn is_writable(word: usize) -> bool {
    /// `FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG`
    const WAKE_OP: usize = 5 | 128;
    /// `FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)`
    const ADD_NOTHING: usize = 1 << 28;
    let nobody = 0u32;
    let arguments = [
        &raw const nobody as usize,
        WAKE_OP,
        0,
        0,
        word & !3,
        ADD_NOTHING,
    ];
    // SAFETY: nobody is woken, and the word stays what it is.
    unsafe { call(libc::SYS_futex, arguments) }.is_ok()
}

/// Has the kernel give memory to pages; false where there is none.
pub fn touch(at: *mut c_void, length: usize) -> bool {
    let at = at as usize;
    let mut pages = (at..at.wrapping_add(length)).step_by(PAGE);
    pages.all(is_writable)
}

/// True when the `length` bytes at `from` lie in one page: what can read one of them can read all.
#[inline(always)]
pub fn is_in_one_page(from: usize, length: usize) -> bool {
    length <= rest_of_page(from)
}

/// True when the string has its NUL in the page in which it begins: who has read its first byte can read all of it.
///
/// # Safety
/// The first byte can be read.
pub unsafe fn ends_in_its_page(string: *const c_char) -> bool {
    let length = rest_of_page(string.addr());
    // SAFETY: what can read one byte of a page can read all.
    let rest = unsafe { core::slice::from_raw_parts(string.cast::<u8>(), length) };
    rest.contains(&0)
}

#[inline(always)]
fn rest_of_page(at: usize) -> usize {
    PAGE.wrapping_sub(at & (PAGE - 1))
}

fn piece(at: usize, length: usize) -> iovec {
    iovec {
        iov_base: core::ptr::without_provenance_mut(at),
        iov_len: length,
    }
}

fn read<'r, T: Copy, const N: usize>(
    remote: &[iovec],
    room: &'r mut [MaybeUninit<T>; N],
) -> &'r [T] {
    let local = iovec {
        iov_base: room.as_mut_ptr().cast(),
        iov_len: size_of_val(room),
    };
    let arguments = [
        process_id() as usize,
        &raw const local as usize,
        1,
        remote.as_ptr() as usize,
        remote.len(),
        0,
    ];
    // SAFETY: the kernel writes to `room` alone, and looks whether it may read the rest.
    let copied = match unsafe { call(libc::SYS_process_vm_readv, arguments) } {
        Ok(bytes) => bytes,
        Err(Errno(libc::EFAULT)) => 0,
        Err(_) => read_plainly(remote, room),
    };
    // SAFETY: so many whole values were copied.
    unsafe { core::slice::from_raw_parts(room.as_ptr().cast(), (copied / size_of::<T>()).min(N)) }
}

/// Where the kernel may not be asked for a copy (seccomp), it is asked whether the pages are there; the bytes copied.
fn read_plainly<T: Copy, const N: usize>(
    remote: &[iovec],
    room: &mut [MaybeUninit<T>; N],
) -> usize {
    let (mut copied, to) = (0usize, room.as_mut_ptr().cast::<u8>());
    for part in remote {
        let fits = part.iov_len.min(size_of_val(room).wrapping_sub(copied));
        if !is_readable(part.iov_base.addr(), fits) {
            break;
        }
        // SAFETY: it can be read, and fits behind what was copied.
        unsafe { core::ptr::copy_nonoverlapping(part.iov_base.cast(), to.add(copied), fits) };
        copied = copied.wrapping_add(fits);
    }
    copied
}

/// The kernel reads a set of signals before it refuses what is to be done with it. Any other answer is somebody else's
/// (seccomp), and tells nothing.
fn is_page_readable(at: usize) -> bool {
    const NOTHING: usize = 1 << 20;
    // Not at the page's start: at address 0 there is no set at all.
    let place = (at | (PAGE - 1)) & !7;
    // SAFETY: the kernel looks whether it can read there, and changes nothing.
    let asked = unsafe { call(libc::SYS_rt_sigprocmask, [NOTHING, place, 0, 8, 0, 0]) };
    asked == Err(Errno(libc::EINVAL))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "the kernel is asked what can be read")]
    fn what_is_not_there_is_not_read() {
        let here = [3u64, 5];
        let mut room = [MaybeUninit::<u64>::uninit(); 4];
        assert_eq!(copy_in(here.as_ptr() as usize, &mut room, 2), here);
        assert_eq!(copy_in(8, &mut room, 2), []);
        let places = [&raw const here[1] as usize, 8, &raw const here[0] as usize];
        assert_eq!(gather_in(&places, &mut room), [5]);
    }

    /// Two pages of `fill`, and one behind them that cannot be read: the address of that one.
    fn guarded(fill: u8) -> usize {
        let at = super::super::mapping::map_private(3 * PAGE, false).expect("memory");
        // SAFETY: just mapped; the last page is nobody's.
        unsafe {
            core::ptr::write_bytes(at.cast::<u8>(), fill, 2 * PAGE);
            let guard = at.add(2 * PAGE);
            assert_eq!(libc::mprotect(guard, PAGE, libc::PROT_NONE), 0);
            guard as usize
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "the kernel is asked for memory")]
    fn memory_that_is_not_there_is_no_signal() {
        use super::super::{File, map_behind, unlink};
        let path = c"/tmp/iota-touched";
        let _ = unlink(path);
        let file = File::create_new(path, 0).expect("a file");
        file.set_len(4 * PAGE as u64).expect("a hole");
        let at = file.map_shared(0, 2 * PAGE).expect("memory");
        drop(file);
        unlink(path).expect("made here");
        let end = at.wrapping_byte_add(2 * PAGE);
        // SAFETY: there the mapping ends, and stays.
        let behind = unsafe { map_behind(end, 3 * PAGE) }.expect("memory");
        assert!(touch(at, 2 * PAGE) && touch(behind, 2 * PAGE));
        assert!(!touch(behind, 3 * PAGE), "behind the end of the file");
        // SAFETY: mapped, and nobody else's.
        unsafe { behind.cast::<u8>().write(7) };
    }

    #[test]
    #[cfg_attr(miri, ignore = "the kernel is asked what can be read")]
    fn values_are_read_up_to_the_page_that_is_not_there() {
        let guard = guarded(7);
        let mut room = [MaybeUninit::<u64>::uninit(); 8];
        assert_eq!(
            copy_in(guard - 24, &mut room, 8),
            [0x0707_0707_0707_0707; 3]
        );
        assert_eq!(copy_in(guard - 20, &mut room, 8).len(), 2);
        assert_eq!(copy_in(guard, &mut room, 8), []);
    }

    #[test]
    #[cfg_attr(miri, ignore = "the kernel is asked what can be read")]
    fn strings_end_with_nul_before_the_page_that_is_not_there() {
        let guard = guarded(b'a');
        assert_eq!(string_length(guard - 4098, 4096), None);
        assert_eq!(string_length(guard - 10, 4096), None);
        // SAFETY: in the page before.
        unsafe { *((guard - 1) as *mut u8) = 0 };
        for length in [0, 1, 255, 256, 257, 4095] {
            assert_eq!(string_length(guard - 1 - length, 4096), Some(length));
        }
        assert_eq!(string_length(guard - 1 - 4096, 4096), None);
        assert_eq!(string_length(0, 4096), None);
        assert_eq!(string_length(usize::MAX - 3, 4096), None);
        let ends = |before: usize| {
            // SAFETY: in the pages before.
            unsafe { ends_in_its_page((guard - before) as *const c_char) }
        };
        assert!(ends(1) && ends(4096) && !ends(4097));
    }

    #[test]
    #[cfg_attr(miri, ignore = "the kernel is asked what can be read")]
    fn what_can_be_written_to_is_known() {
        let word = 7u32;
        assert!(is_writable(&raw const word as usize) && word == 7);
        assert!(!is_writable(guarded(1)) && !is_writable(8));
        static CONSTANT: [u32; 2] = [1, 2];
        assert!(!is_writable(CONSTANT.as_ptr() as usize));
    }

    #[test]
    #[cfg_attr(miri, ignore = "the kernel is asked what can be read")]
    fn without_process_vm_readv_pages_are_asked_for() {
        let guard = guarded(1);
        assert!(is_readable(guard - 4100, 4100));
        assert!(!is_readable(guard - 4100, 4101) && !is_readable(8, 1));
        let mut room = [MaybeUninit::<u64>::uninit(); 4];
        let remote = [piece(guard - 8, 8), piece(guard, 8)];
        assert_eq!(read_plainly(&remote, &mut room), 8);
    }
}
