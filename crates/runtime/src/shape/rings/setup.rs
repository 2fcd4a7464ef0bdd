//! Of the kernel's interface: `IORING_SETUP_`.

pub const SETUP_SQPOLL: u32 = 1 << 1;
pub const SETUP_SQE128: u32 = 1 << 10;
pub const SETUP_CQE32: u32 = 1 << 11;
pub const SETUP_NO_MMAP: u32 = 1 << 14;
pub const SETUP_NO_SQARRAY: u32 = 1 << 16;
pub const SETUP_MIXED: u32 = 1 << 18 | 1 << 19;
