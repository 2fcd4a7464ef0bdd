//! What the kernel counted of a process or thread (`/proc/PID/io`).

use super::file::File;
use core::ffi::CStr;
use iota_trace::part::Traffic;

/// What a file of this kind says.
pub fn traffic(path: &CStr) -> Option<Traffic> {
    let mut room = [0; 256];
    let read = File::open(path, libc::O_RDONLY).and_then(|file| file.read(&mut room));
    parse(room.get(..read.ok()?)?)
}

/// `rchar: N`, `wchar: N`, `syscr: N`, `syscw: N`, each on a line.
fn parse(text: &[u8]) -> Option<Traffic> {
    let mut lines = text.split(|byte| *byte == b'\n');
    let mut number = |name: &[u8]| -> Option<u64> {
        let digits = lines.next()?.strip_prefix(name)?.strip_prefix(b": ")?;
        core::str::from_utf8(digits).ok()?.parse().ok()
    };
    Some(Traffic {
        read: number(b"rchar")?,
        written: number(b"wchar")?,
        reads: number(b"syscr")?,
        writes: number(b"syscw")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_says_is_read() {
        let text =
            b"rchar: 6976\nwchar: 18446744073709551615\nsyscr: 10\nsyscw: 0\nread_bytes: 0\n";
        let traffic = Traffic {
            read: 6976,
            reads: 10,
            written: u64::MAX,
            writes: 0,
        };
        assert_eq!(parse(text), Some(traffic));
        for bad in [
            &b""[..],
            b"rchar: 1\n",
            b"rchar: x\nwchar: 0\nsyscr: 0\nsyscw: 0\n",
        ] {
            assert_eq!(parse(bad), None);
        }
    }
}
