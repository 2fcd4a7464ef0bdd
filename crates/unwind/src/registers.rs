//! Registers by their numbers in DWARF.

/// Registers that a frame may restore, by number: all general ones.
pub const COUNT: usize = 33;

/// The stack pointer.
#[cfg(target_arch = "x86_64")]
pub const STACK: usize = 7;

/// The stack pointer.
#[cfg(target_arch = "aarch64")]
pub const STACK: usize = 31;

/// What registers hold in a frame.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// By number; those that a call need not keep have any value.
    pub values: [usize; COUNT],
    /// The instruction that the frame is at, or returns to.
    pub place: usize,
    /// Whether that is the instruction itself, and not the one after a call.
    pub is_exact: bool,
}

impl Registers {
    /// None.
    pub const NONE: Registers = Registers {
        values: [0; COUNT],
        place: 0,
        is_exact: true,
    };

    /// Those of the function that asks, at this very place.
    #[inline(always)]
    pub fn here(&mut self) {
        let registers = self.values.as_mut_ptr();
        let place: usize;
        // SAFETY: stores eight bytes for each register that a call keeps, all below `COUNT`.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            core::arch::asm!(
                "mov [{0} + 8 * 3], rbx",
                "mov [{0} + 8 * 6], rbp",
                "mov [{0} + 8 * 7], rsp",
                "mov [{0} + 8 * 12], r12",
                "mov [{0} + 8 * 13], r13",
                "mov [{0} + 8 * 14], r14",
                "mov [{0} + 8 * 15], r15",
                "lea {1}, [rip]",
                in(reg) registers,
                out(reg) place,
                options(nostack, preserves_flags),
            );
        }
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        unsafe {
            core::arch::asm!(
                "stp x19, x20, [{0}, 8 * 19]",
                "stp x21, x22, [{0}, 8 * 21]",
                "stp x23, x24, [{0}, 8 * 23]",
                "stp x25, x26, [{0}, 8 * 25]",
                "stp x27, x28, [{0}, 8 * 27]",
                "stp x29, x30, [{0}, 8 * 29]",
                "mov {1}, sp",
                "str {1}, [{0}, 8 * 31]",
                "adr {1}, .",
                in(reg) registers,
                out(reg) place,
                options(nostack, preserves_flags),
            );
        }
        (self.place, self.is_exact) = (place, true);
    }

    /// What a register holds; 0 for one that there is not.
    pub fn get(&self, number: usize) -> usize {
        self.values.get(number).copied().unwrap_or(0)
    }

    /// An address inside the instruction.
    pub fn inside(&self) -> usize {
        self.place.wrapping_sub(usize::from(!self.is_exact))
    }
}

/// An address without the bits by which aarch64 signs it.
pub(crate) fn unsigned(address: usize) -> usize {
    match cfg!(target_arch = "aarch64") {
        true => address & ((1 << 48) - 1),
        false => address,
    }
}
