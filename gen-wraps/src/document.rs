//! docs/CALLS.md: what is intercepted, what of it is recorded, and what is left out and why.

use iota_calls::mpi::{LEFT_OUT_MPI, starts_ranks, without_events};
use iota_calls::netcdf::LEFT_OUT_NETCDF;
use iota_calls::{Arguments, Call, LEFT_OUT, LeftOut, SHARED_ONLY, SYSTEM_CALLS, rows};

/// The whole document
pub fn document() -> String {
    let left_out = LEFT_OUT.iter().chain(LEFT_OUT_MPI).chain(LEFT_OUT_NETCDF);
    let (starters, ends): (Vec<_>, Vec<_>) = without_events().partition(|name| starts_ranks(name));
    [
        HEAD.replace("COUNT", &rows().count().to_string()),
        tables(),
        SHARED_ONLY_HEAD.into(),
        SHARED_ONLY.iter().map(paragraph).collect(),
        LIBRARIES.into(),
        MPI_HEAD
            .replace("NAMES", &quoted(&ends.join(" ")))
            .replace("STARTERS", &quoted(&starters.join(" "))),
        FOLLOWED_HEAD.replace("NAMES", &quoted(&followed())),
        LEFT_OUT_HEAD.into(),
        left_out.map(paragraph).collect(),
    ]
    .concat()
}

const HEAD: &str = "# Intercepted calls

Rendered by `gen-wraps calls-md` from the table in `crates/calls`; a test keeps it up to date.

iota records COUNT functions and kinds of requests, each under its own name. A build serves glibc 2.28 and all later
versions; the table names the version of functions that came after 2.28. For every call the trace has its time, result, errno, thread and the call
that encloses it; the last column lists what else is recorded.

In names of PnetCDF and NetCDF `TYPE` stands for each type of elements: `text`, `schar`, `uchar`, `short`, `ushort`,
`int`, `uint`, `long`, `float`, `double`, `longlong`, `ulonglong`, and in NetCDF `ubyte`.
";

const SHARED_ONLY_HEAD: &str = "
# In the shared library only

These functions are hooked in the shared library only, and are not wrapped in a link:
";

const LIBRARIES: &str = "
# The end of a process

Calls in handlers of `atexit`, `at_quick_exit` and SIGABRT are recorded. If a handler of `at_quick_exit` was registered
before the tracer started (in `.preinit_array`, or by a library that is initialised before the tracer), its calls are
not recorded.

# Asynchronous transfers of POSIX

A transfer is an event, under the name of the call that began it. It lasts until `aio_error` or `aio_return` says that
it has ended, and has its result. If the program asks neither, the transfer is recorded when its control block is used
for another transfer, or when the process ends, and lasts until then. Its result is then what the control block says;
if the program has overwritten this, the result is wrong. A transfer that has not ended by then has the error
EINPROGRESS.

# libaio and io_uring

A request is an event, under the name of the function that prepares it (`io_prep_pread`, `io_uring_prep_write`). It
lasts from its submission to the first call after which the program could know that it had ended, and has the kernel's
result. Calls that submit or wait are events as well; calls that only check for completions are not.

How requests are intercepted:

- The shared library hooks the functions of libaio.so and liburing.so (and liburing-ffi.so) by their symbol versions,
  even if a plugin loads these libraries. When a program is linked with `wraps.txt`, they must come after these flags on
  the link line. With `iota run` or LD_PRELOAD they are hooked in any case.
- `syscall(2)` with the numbers of libaio and io_uring is decoded in every flavour: language runtimes use it, and so
  does libaio itself since 0.3.113. The program must map the memory of such a ring by `mmap`.
- Code that enters the kernel by its own instructions is not intercepted: a statically linked liburing, and fio's own
  engine for io_uring on x86_64 and aarch64.

What iota cannot record of a request:

- The program can read completions in memory, without a call. Such a request is recorded at the next call that submits,
  waits or checks, with the time of that call as its end. If more requests completed meanwhile than the ring has
  entries, the trace counts them as lost.
- Requests with the same `user_data` that are in flight in one ring at the same time are recorded in the order in which
  they began. Their number and bytes are right, but a time may be that of another of them.
- Registered files (`IOSQE_FIXED_FILE`) and direct descriptors are numbers in a table of the ring, so these requests
  have no descriptor and no path. The length of a read into a buffer that the kernel chooses is the number of bytes read.
- In a chain (`IOSQE_IO_LINK`) every request begins when the chain is submitted. A multishot request is one event for
  each completion, and all of them have the same beginning.
- A request without a completion (`IOSQE_CQE_SKIP_SUCCESS`), or whose completion the program never checks, has no event.
  Nor have requests of rings with mixed entry sizes. Without liburing this is also true of rings with a polling thread
  (`IORING_SETUP_SQPOLL`), with memory of the program (`IORING_SETUP_NO_MMAP`), or entered by a registered number or an
  inline system call. `iota info` says how many requests were taken from a ring without being seen, and that the trace is
  not complete, if the program mapped the ring by a call that was seen.
- Requests on sockets, timers, polls and futexes are not recorded: they are no I/O on files.
";

const MPI_HEAD: &str = "
# MPI

The trace of a rank starts and ends in NAMES, and in their Fortran forms. The trace also says which rank has started
others in STARTERS. These calls are not events.
";

const FOLLOWED_HEAD: &str = "
# Followed system calls

Of processes that `iota run` [follows](CLI.md#iota-run) these system calls are recorded, under their own names: NAMES.
";

/// Their names
fn followed() -> String {
    let recorded = SYSTEM_CALLS.iter().filter(|call| {
        let arguments = call.arguments();
        arguments.is_some_and(|arguments| arguments != Arguments::Clone)
    });
    recorded.map(|call| call.name).collect::<Vec<_>>().join(" ")
}

const LEFT_OUT_HEAD: &str = "
# Left out

All other functions of the C library, of MPI-IO, PnetCDF and NetCDF, and why they are not intercepted. A test fails if this machine's C library exports
a function that is neither in the table nor in this list. Programs cannot call functions that are private to the library
(`GLIBC_PRIVATE`).
";

/// The table's rows under their headings
fn tables() -> String {
    let (mut out, mut group, mut family) = (String::new(), "", "");
    for (_, call) in rows() {
        // Functions that differ in the type of the elements have one line.
        let last = std::mem::replace(&mut family, call.family);
        if !family.is_empty() && family == last {
            continue;
        }
        if call.group != group {
            group = call.group;
            out += &format!(
                "\n## {group}\n\n| call | layer | class | recorded |\n|---|---|---|---|\n"
            );
        }
        out += &line(call);
    }
    out
}

fn line(call: &Call) -> String {
    format!(
        "| {} | {:?} | {:?} | {} |\n",
        match (call.family, call.since()) {
            ("", None) => format!("`{}`", call.name),
            ("", Some(since)) => format!(
                "`{}` ({})",
                call.name,
                since.replace('_', " ").to_lowercase()
            ),
            (family, _) => format!("`{family}`"),
        },
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
