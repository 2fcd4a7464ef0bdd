//! The table of system calls, by their numbers on this machine.

use iota_calls::{Arguments, Kind, Layer, Op, SYSTEM_CALLS, SystemCall};
use std::collections::HashMap;
use std::sync::LazyLock;

/// What a system call is for whoever follows it
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// I/O, and where its arguments are
    Io(Arguments),
    /// Makes a process or thread
    Clone,
    /// Submits requests, as many as it returns, that nobody sees
    Submits,
    /// May make a ring whose requests nobody submits
    Polls,
}

/// A system call that is followed
#[derive(Clone, Copy, Debug)]
pub struct Followed {
    /// As the kernel calls it
    pub name: &'static str,
    /// The function that it is
    pub function: Op,
    /// What it is
    pub meaning: Meaning,
}

/// What the libc crate calls them, and those that it does not have on every machine
#[allow(non_upper_case_globals, reason = "as the libc crate names them")]
mod known {
    pub use libc::*;
    pub const SYS_io_pgetevents: c_long = if cfg!(target_arch = "aarch64") {
        292
    } else {
        333
    };
    pub const SYS_fchmodat2: c_long = 452;
}

macro_rules! numbers {
    (followed { $($(#[$on:meta])? $number:ident $function:ident;)* } others { $($(#[$and:meta])? $other:ident $its:ident;)* }) => {
        /// Those of all machines are in [`SYSTEM_CALLS`]; these are here.
        const HERE: &[(i64, &str)] = &[
            $($(#[$on])? (known::$number, stringify!($number)),)*
            $($(#[$and])? (known::$other, stringify!($other)),)*
        ];
    };
}

iota_calls::system_calls!(numbers);

static FOLLOWED: LazyLock<HashMap<i64, Followed>> = LazyLock::new(|| {
    let followed = |&(number, name): &(i64, &'static str)| {
        let name = name.trim_start_matches("SYS_");
        let call = SYSTEM_CALLS.iter().find(|call| call.name == name)?;
        let followed = Followed {
            name,
            function: call.function,
            meaning: meaning(call)?,
        };
        Some((number, followed))
    };
    HERE.iter().filter_map(followed).collect()
});

/// None: what does not read or write, or the end of a process
fn meaning(call: &SystemCall) -> Option<Meaning> {
    match (call.name, call.arguments()) {
        (_, Some(Arguments::Clone)) => Some(Meaning::Clone),
        (_, Some(arguments)) => Some(Meaning::Io(arguments)),
        ("io_submit" | "io_uring_enter", None) => Some(Meaning::Submits),
        ("io_uring_setup", None) => Some(Meaning::Polls),
        (_, None) => None,
    }
}

/// That of a number
pub fn followed(number: i64) -> Option<Followed> {
    FOLLOWED.get(&number).copied()
}

/// All numbers, those that programs use most first
pub fn all() -> Vec<i64> {
    let all = HERE.iter().map(|&(number, _)| number);
    all.filter(|number| FOLLOWED.contains_key(number)).collect()
}

/// What a trace says of a function, under the name of a system call
pub fn op_of(followed: Followed) -> iota_trace::read::Op<'static> {
    let info = followed.function.info();
    iota_trace::read::Op {
        name: followed.name.as_bytes(),
        layer: Layer::Posix as u8,
        kind: info.map_or(Kind::Other, |info| info.kind) as u8,
        effects: info.map_or(0, |info| info.effects.byte()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_followed_for_what_it_is() {
        let name = |number| followed(number).map(|followed| followed.name);
        assert_eq!(name(libc::SYS_write), Some("write"));
        assert_eq!(name(libc::SYS_newfstatat), Some("newfstatat"));
        assert_eq!(name(libc::SYS_getpid), None);
        assert_eq!(name(libc::SYS_exit_group), None);
        let meaning = |number| followed(number).map(|followed| followed.meaning);
        assert_eq!(meaning(libc::SYS_clone3), Some(Meaning::Clone));
        assert_eq!(meaning(libc::SYS_io_uring_enter), Some(Meaning::Submits));
        assert_eq!(
            meaning(libc::SYS_close),
            Some(Meaning::Io(Arguments::Close))
        );
        assert_eq!(all().first(), Some(&libc::SYS_read));
    }
}
