//! The seccomp filter: of all system calls only those that are followed stop, and cost more than before.

use crate::numbers;
use libc::{sock_filter, sock_fprog};
use std::io;

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

/// Where `struct seccomp_data` has them
const NUMBER: u32 = 0;
const MACHINE: u32 = 4;
/// The low half of the fifth argument: the descriptor of `mmap`
const FIFTH: u32 = 16 + 4 * 8;

/// `AUDIT_ARCH_X86_64`, `AUDIT_ARCH_AARCH64`: calls of 32-bit programs have other numbers
const THIS_MACHINE: u32 = match cfg!(target_arch = "aarch64") {
    true => 0xC000_00B7,
    false => 0xC000_003E,
};

const fn step(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// The filter as a program for the kernel
pub struct Filter(Vec<sock_filter>);

impl Filter {
    /// Stops at every call of the table but mappings of no file
    pub fn of_io() -> Filter {
        let numbers: Vec<_> = numbers::all()
            .into_iter()
            .filter(|number| *number != libc::SYS_mmap)
            .collect();
        // Behind the last number comes "go on", then "stop".
        let last = numbers.len() as u8;
        let mut program = vec![
            step(LOAD, MACHINE, 0, 0),
            step(IF_EQUAL, THIS_MACHINE, 1, 0),
            step(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0),
            step(LOAD, NUMBER, 0, 0),
            step(IF_EQUAL, libc::SYS_mmap as u32, 0, 2),
            step(LOAD, FIFTH, 0, 0),
            step(IF_EQUAL, u32::MAX, last, last + 1),
        ];
        let left = (1..=last).rev();
        let each = numbers.iter().zip(left);
        program.extend(each.map(|(number, left)| step(IF_EQUAL, *number as u32, left, 0)));
        program.push(step(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0));
        program.push(step(RETURN, libc::SECCOMP_RET_TRACE, 0, 0));
        Filter(program)
    }

    /// Installs it for this process and all that it starts: system calls alone. Without privileges the kernel wants that the
    /// process gains none by `exec` from then on
    ///
    /// # Errors
    /// The kernel has no seccomp, or does not allow it.
    pub fn install(&self) -> io::Result<()> {
        if self.set() {
            return Ok(());
        }
        // SAFETY: no memory is passed.
        unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
        match self.set() {
            true => Ok(()),
            false => Err(io::Error::last_os_error()),
        }
    }

    fn set(&self) -> bool {
        let program = sock_fprog {
            len: self.0.len() as u16,
            filter: self.0.as_ptr().cast_mut(),
        };
        // SAFETY: the kernel reads the program, and copies it.
        let set = unsafe {
            libc::prctl(
                libc::PR_SET_SECCOMP,
                libc::SECCOMP_MODE_FILTER,
                &raw const program,
            )
        };
        set == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the kernel would answer
    fn run(number: i64, fifth: u64, machine: u32) -> u32 {
        let program = Filter::of_io().0;
        let (mut at, mut word) = (0, 0);
        loop {
            let step = program[at];
            at += 1;
            match step.code {
                LOAD if step.k == NUMBER => word = number as u32,
                LOAD if step.k == MACHINE => word = machine,
                LOAD => word = fifth as u32,
                IF_EQUAL if word == step.k => at += usize::from(step.jt),
                IF_EQUAL => at += usize::from(step.jf),
                _ => return step.k,
            }
        }
    }

    #[test]
    fn io_stops_and_nothing_else() {
        let (stops, goes) = (libc::SECCOMP_RET_TRACE, libc::SECCOMP_RET_ALLOW);
        let here = |number| run(number, 7, THIS_MACHINE);
        for number in numbers::all() {
            assert_eq!(here(number), stops, "{number}");
        }
        for number in [libc::SYS_getpid, libc::SYS_futex, libc::SYS_exit_group] {
            assert_eq!(here(number), goes, "{number}");
        }
        let nowhere = u64::from(u32::MAX);
        assert_eq!(run(libc::SYS_mmap, nowhere, THIS_MACHINE), goes);
        assert_eq!(run(libc::SYS_write, nowhere, THIS_MACHINE), stops);
        assert_eq!(run(libc::SYS_write, 7, 0x4000_0003), goes);
    }
}
