//! docs/CALLS.md: what is intercepted, what of it is recorded, and what is left out and why.

use iota_calls::mpi::{LEFT_OUT_MPI, STARTS_AND_ENDS};
use iota_calls::{Call, LEFT_OUT, LeftOut, SHARED_ONLY, SHARED_ONLY_BESIDE_STAT, rows, shapes};

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
        MPI_HEAD.replace("NAMES", &quoted(STARTS_AND_ENDS)),
        PLANNED_HEAD.into(),
        left_out(true),
        LEFT_OUT_HEAD.into(),
        left_out(false),
    ]
    .concat()
}

const HEAD: &str = "# Intercepted calls

Rendered by `gen-wraps calls-md` from the table in `crates/calls`; a test keeps it up to date.

COUNT functions of the C library are intercepted, each under its own name in the trace. Functions that the C library
of the machine where iota is built does not have are left out there. Of every call the trace has its time, what it
returned, errno, its thread and the call that encloses it; the last column says what else.
";

const SHARED_ONLY_HEAD: &str = "
# In the shared library only

In a static link `--wrap` rewrites the C library's own calls as well. Reserved names (`__read`, `_IO_fwrite`) that
objects of libc.a call are therefore hooked in the shared library only, and `wraps.txt` does not name them; nor these:
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
    let recorded = shapes::find(call.shape).map_or("", |shape| shape.records);
    format!(
        "| `{}` | {:?} | {:?} | {recorded} |\n",
        call.name, call.layer, call.kind
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
