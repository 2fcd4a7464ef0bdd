//! Functions that the user names (`iota run --probe`): the numbers that they get, and those that no probe may stand before.

use crate::{COUNT, Op};

/// A process has at most so many of them
pub const MOST_PROBES: usize = 4096;

const TWICE: &str = "it may return twice";
const CALLER: &str = "it looks at its caller";
const NEVER: &str = "it does not return";
const OTHER: &str = "its callers expect other registers to be kept than C's";
const STARTS: &str = "it starts the program";

/// Names, or how they begin (`*`), and why
const REFUSED: &[(&str, &[&str])] = &[
    (
        TWICE,
        &[
            "setjmp",
            "_setjmp",
            "__setjmp",
            "sigsetjmp",
            "__sigsetjmp",
            "getcontext",
            "swapcontext",
            "vfork",
            "__vfork",
            "__libc_vfork",
            "fork",
            "_Fork",
            "__fork",
            "__libc_fork",
            "clone",
            "__clone",
            "clone3",
            "savectx",
        ],
    ),
    (
        CALLER,
        &[
            "dlopen",
            "dlmopen",
            "dlsym",
            "dlvsym",
            "__libc_dlopen_mode",
            "__libc_dlsym",
            "_Unwind_*",
            "__cxa_throw",
            "__cxa_rethrow",
            "__gxx_personality_v0",
            "__gcc_personality_v0",
            "mcount",
            "_mcount",
            "__fentry__",
            "__cyg_profile_func_*",
            "__tsan_func_*",
            "_dl_*",
        ],
    ),
    (
        NEVER,
        &[
            "longjmp",
            "_longjmp",
            "siglongjmp",
            "__longjmp_chk",
            "setcontext",
            "exit",
            "_exit",
            "_Exit",
            "quick_exit",
            "abort",
            "pthread_exit",
            "thrd_exit",
            "__stack_chk_fail",
            "__assert_fail",
        ],
    ),
    (
        OTHER,
        &[
            "__tls_get_addr",
            "__tls_descriptor*",
            "__svml_*",
            "__intel_avx_*",
            "__x86_*",
            "__aarch64_*",
            "__morestack*",
            "__rust_probestack",
        ],
    ),
    (
        STARTS,
        &[
            "_init",
            "_fini",
            "_start",
            "main",
            "__libc_start_main",
            "__libc_csu_init",
            "__libc_csu_fini",
            "__cxa_finalize",
            "__gmon_start__",
            "__do_global_dtors_aux",
            "deregister_tm_clones",
            "register_tm_clones",
            "frame_dummy",
        ],
    ),
];

impl Op {
    /// The number of a function that the user named
    pub const fn of_probe(nth: u16) -> Op {
        Op((COUNT as u16).wrapping_add(nth))
    }

    /// Which of the functions that the user named it is
    pub const fn probe(self) -> Option<u16> {
        self.0.checked_sub(COUNT as u16)
    }
}

/// Why there is no probe for a function; None: there may be one
pub fn refused(name: &[u8]) -> Option<&'static str> {
    let mut rows = (1..COUNT as u16).filter_map(|number| Op(number).info());
    let traced = rows.any(|info| info.name.as_bytes() == name);
    if traced || is_start_of_mpi(name) {
        return Some("iota traces it already");
    }
    let is_one = |(_, all): &&(&str, &[&str])| all.iter().any(|one| is(one, name));
    REFUSED.iter().find(is_one).map(|(why, _)| *why)
}

fn is(one: &str, name: &[u8]) -> bool {
    match one.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning.as_bytes()),
        None => one.as_bytes() == name,
    }
}

/// The functions of c-shim/mpi
fn is_start_of_mpi(name: &[u8]) -> bool {
    let name = name.strip_prefix(b"P").unwrap_or(name);
    matches!(
        name,
        b"MPI_Init"
            | b"MPI_Init_thread"
            | b"MPI_Finalize"
            | b"MPI_Abort"
            | b"MPI_Session_init"
            | b"MPI_Session_finalize"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_probed_is_refused_with_a_reason() {
        assert_eq!(refused(b"_setjmp"), Some(TWICE));
        assert_eq!(refused(b"_Unwind_Resume"), Some(CALLER));
        assert_eq!(refused(b"__svml_exp8"), Some(OTHER));
        assert!(refused(b"pwrite64").is_some_and(|why| why.contains("already")));
        assert!(refused(b"PMPI_Init").is_some());
        assert!(refused(b"H5Dwrite").is_some());
        assert_eq!(refused(b"H5Tconvert"), None);
        assert_eq!(refused(b"setjmp_of_mine"), None);
        assert_eq!(refused(b""), None);
    }

    #[test]
    fn numbers_of_probes_are_behind_those_of_the_table() {
        assert_eq!(Op::of_probe(3).probe(), Some(3));
        assert_eq!(Op::of("pwrite64").probe(), None);
        assert!(Op::of_probe(0).info().is_none());
        assert!(COUNT + MOST_PROBES <= usize::from(u16::MAX));
    }
}
