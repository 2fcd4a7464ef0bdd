//! System calls that are I/O, by name.

use iota_calls::{Arguments, Op, SYSTEM_CALLS};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The function that a system call is recorded as, and its arguments
#[derive(Clone, Copy, Debug)]
pub struct SystemCall {
    pub function: Op,
    pub arguments: Arguments,
}

static CALLS: LazyLock<HashMap<&str, SystemCall>> = LazyLock::new(|| {
    let known = SYSTEM_CALLS.iter().filter_map(|call| {
        let arguments = call.arguments()?;
        let function = call.function;
        Some((
            call.name,
            SystemCall {
                function,
                arguments,
            },
        ))
    });
    known.collect()
});

/// That of a name; nothing of a call that is no I/O
pub fn find(name: &str) -> Option<SystemCall> {
    CALLS.get(name).copied()
}
