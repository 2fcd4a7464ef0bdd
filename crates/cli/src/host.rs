//! The machine that the command runs on.

use std::fs;

/// Its name, as the kernel says it
pub fn name() -> Vec<u8> {
    let name = fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim_ascii().to_owned()
}
