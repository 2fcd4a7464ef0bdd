//! Memory of the host that may not be there: read by the kernel, which tells instead of killing.

use super::{Errno, call, process_id};
use core::mem::MaybeUninit;
use libc::iovec;

/// As many of the `count` values at `from` as can be read.
pub fn copy_in<T: Copy, const N: usize>(
    from: usize,
    room: &mut [MaybeUninit<T>; N],
    count: usize,
) -> &[T] {
    let count = count.min(N);
    let remote = iovec {
        iov_base: core::ptr::without_provenance_mut(from),
        iov_len: count.wrapping_mul(size_of::<T>()),
    };
    read(core::slice::from_ref(&remote), room)
}

/// The values at these addresses, up to the first that cannot be read.
pub fn gather_in<'r, T: Copy, const N: usize>(
    from: &[usize],
    room: &'r mut [MaybeUninit<T>; N],
) -> &'r [T] {
    let mut remote = [const { MaybeUninit::<iovec>::uninit() }; N];
    for (place, at) in remote.iter_mut().zip(from) {
        place.write(iovec {
            iov_base: core::ptr::without_provenance_mut(*at),
            iov_len: size_of::<T>(),
        });
    }
    let count = from.len().min(N);
    // SAFETY: so many were written.
    let remote = unsafe { core::slice::from_raw_parts(remote.as_ptr().cast::<iovec>(), count) };
    read(remote, room)
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
        Ok(bytes) => bytes / size_of::<T>(),
        Err(Errno(libc::EFAULT)) => 0,
        Err(_) => read_plainly(remote, room),
    };
    // SAFETY: so many whole values were copied.
    unsafe { core::slice::from_raw_parts(room.as_ptr().cast(), copied.min(N)) }
}

/// Where the kernel may not be asked (seccomp) the host's word must do.
fn read_plainly<T: Copy, const N: usize>(
    remote: &[iovec],
    room: &mut [MaybeUninit<T>; N],
) -> usize {
    let mut values = remote.iter().flat_map(|part| {
        let first = part.iov_base.cast::<T>();
        (0..part.iov_len / size_of::<T>()).map(move |i| first.wrapping_add(i))
    });
    let mut copied = 0usize;
    for (place, value) in room.iter_mut().zip(&mut values) {
        // SAFETY: the host passed it to a call that reads it.
        place.write(unsafe { value.read_unaligned() });
        copied = copied.wrapping_add(1);
    }
    copied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_not_read() {
        let here = [3u64, 5];
        let mut room = [MaybeUninit::<u64>::uninit(); 4];
        assert_eq!(copy_in(here.as_ptr() as usize, &mut room, 2), here);
        assert_eq!(copy_in(8, &mut room, 2), []);
        let places = [&raw const here[1] as usize, 8, &raw const here[0] as usize];
        assert_eq!(gather_in(&places, &mut room), [5]);
    }
}
