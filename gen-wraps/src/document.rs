//! docs/CALLS.md: what is intercepted, what of it is recorded, and what is left out and why.

use iota_calls::mpi::{LEFT_OUT_MPI, starts_and_ends};
use iota_calls::{Call, LEFT_OUT, LeftOut, SHARED_ONLY, SHARED_ONLY_BESIDE_STAT, rows};

/// The whole document
pub fn document() -> String {
    let left_out = |planned| {
        let groups = LEFT_OUT.iter().chain(LEFT_OUT_MPI);
        groups
            .filter(move |group| group.planned == planned)
            .map(paragraph)
            .collect::<String>()
    };
    [
        HEAD.replace("COUNT", &rows().count().to_string()),
        tables(),
        SHARED_ONLY_HEAD.into(),
        SHARED_ONLY
            .iter()
            .chain([&SHARED_ONLY_BESIDE_STAT])
            .map(paragraph)
            .collect(),
        LIBRARIES.into(),
        MPI_HEAD.replace(
            "NAMES",
            &quoted(&starts_and_ends().collect::<Vec<_>>().join(" ")),
        ),
        PLANNED_HEAD.into(),
        left_out(true),
        LEFT_OUT_HEAD.into(),
        left_out(false),
    ]
    .concat()
}

const HEAD: &str = "# Intercepted calls

Rendered by `gen-wraps calls-md` from the table in `crates/calls`; a test keeps it up to date.

COUNT functions are intercepted or requests told, each under its own name in the trace. Functions that the C library
of the machine where iota is built does not have are left out there. Of every call the trace has its time, what it
returned, errno, its thread and the call that encloses it; the last column says what else.
";

const SHARED_ONLY_HEAD: &str = "
# In the shared library only

In a static link `--wrap` rewrites the C library's own calls as well. Reserved names (`__read`, `_IO_fwrite`) that
objects of libc.a call are therefore hooked in the shared library only, and `wraps.txt` does not name them; nor these:
";

const LIBRARIES: &str = "
# libaio and io_uring

A request is an event of its own, under the name of the function that prepares it (`io_prep_pread`,
`io_uring_prep_write`): from its submission to the first call after which the program could know of its end, with what
the kernel answered. The calls that submit and wait are events as well; those that only look are not.

How they are seen:

- The shared library hooks the functions of libaio.so and liburing.so (and liburing-ffi.so) by their symbol versions,
  also where a plugin brings the library along. In a program linked with `wraps.txt` the library must stand behind these
  flags on the link line; what is preloaded, or run by `iota run`, is seen in any case.
- `syscall(2)` with the numbers of libaio and io_uring is decoded in every flavour: that is how language runtimes ask,
  and libaio itself from 0.3.113 on. Of a ring made so the program must map the memory by `mmap`.
- What enters the kernel by an instruction of its own is not seen: a liburing that is linked statically, and fio's own
  engine for io_uring on x86_64 and aarch64.

What cannot be known of a request, and is not told:

- Completions are read in memory, without a call. A request that was seen to end so is told at the next call that
  submits, waits or looks, and ends then. Where more have come meanwhile than the ring has places, the trace counts them
  as lost.
- Requests of a ring that are under way together and have the same `user_data` are told in the order in which they
  began: their number and bytes are right, which of them was the slow one is not known.
- Registered files (`IOSQE_FIXED_FILE`) and direct descriptors are numbers in a table of the ring: no descriptor, no path.
  The length of a read into a buffer that the kernel chooses is what was read.
- In a chain (`IOSQE_IO_LINK`) every request begins when the chain is submitted. A multishot request makes an event of
  each answer, all with its beginning.
- Without completion (`IOSQE_CQE_SKIP_SUCCESS`), and where the program never looks, there is no end and no event. So
  are rings of mixed entry sizes; and by hand those with a polling thread (`IORING_SETUP_SQPOLL`), with memory of the
  program's (`IORING_SETUP_NO_MMAP`) or entered by a registered number.
- Requests on sockets, timers, polls and futexes are no I/O on files, and are not told.
";

const MPI_HEAD: &str = "
# MPI

The trace of a rank starts and ends in NAMES, and in their Fortran forms. They make no event.
";

const PLANNED_HEAD: &str = "
# Planned

Not intercepted yet; `*` stands for any characters.
";

const LEFT_OUT_HEAD: &str = "
# Left out

Every other function of the C library and why it is not intercepted. A test fails on a function that this machine's C
library exports and neither the table nor this list has; what is private to the library (`GLIBC_PRIVATE`) no program
can call.
";

/// The table's rows under their headings
fn tables() -> String {
    let (mut out, mut group) = (String::new(), "");
    for (_, call) in rows() {
        if call.group != group {
            group = call.group;
            out +=
                &format!("\n## {group}\n\n| call | layer | kind | recorded |\n|---|---|---|---|\n");
        }
        out += &line(call);
    }
    out
}

fn line(call: &Call) -> String {
    format!(
        "| `{}` | {:?} | {:?} | {} |\n",
        call.name,
        call.layer,
        call.kind,
        call.shape.records()
    )
}

fn paragraph(group: &LeftOut) -> String {
    format!(
        "\n**{}**: {}.\n",
        capitalised(group.reason),
        quoted(group.names)
    )
}

fn capitalised(text: &str) -> String {
    let (first, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
    first.to_uppercase() + rest
}

fn quoted(names: &str) -> String {
    names
        .split_whitespace()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
