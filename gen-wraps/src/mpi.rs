//! The hooks of MPI's rows: an entry in C for each name, which finds the real function and hands it to the hook in Rust.
//!
//! Linked in, the entries are `__wrap_MPI_X` and `__wrap_PMPI_X`, which refer weakly to what lies below them, because a program
//! may have no MPI. In the shared object they have the public names as well, and the real function is looked up.

use crate::Flavour;
use crate::params::{typed, untyped};
use crate::types;
use iota_calls::{Call, Library, Op, rows};
use std::fmt::Write;

/// MPI's rows
pub fn mpi_rows() -> impl Iterator<Item = (Op, &'static Call)> {
    rows().filter(|(_, call)| call.library == Library::Mpi)
}

/// The symbols of a row's entries
pub fn mpi_exports(flavour: Flavour, name: &str) -> Vec<String> {
    let both = [name.to_string(), format!("P{name}")];
    both.iter().flat_map(|name| flavour.exports(name)).collect()
}

/// The hook: the real function comes first among its arguments
pub fn hook(op: Op, call: &Call) -> String {
    let (name, params) = (call.name, typed(call.params()));
    let arguments = call.args().map(|arg| format!(", {arg}"));
    let status = call.params().find(|param| is_status(param.ty));
    format!(
        "
#[unsafe(export_name = \"iota_hook_{name}\")]
#[allow(non_snake_case)]
unsafe extern \"C\" fn {name}(real: unsafe extern \"C\" fn({params}) -> {ret}, {params}) -> {ret} {{
    // SAFETY: the caller's arguments go on to the function that it meant to call, but for a status that it does not want
    unsafe {{ io::{shape}(Op({op}), |{status}| real({args}){arguments}) }}
}}
",
        ret = call.ret,
        shape = call.shape.function(),
        op = op.0,
        status = status.map_or("", |param| param.name),
        args = untyped(call.params()),
        arguments = arguments.collect::<String>(),
    )
}

fn is_status(ty: &str) -> bool {
    ty == "*mut MPI_Status"
}

/// MPI's handles in C
pub const HEAD: &str = r#"
/* MPI: handles are words here, whatever they are for the MPI (mpi/src/abi.rs) */
typedef void *MPI_Comm, *MPI_File, *MPI_Info, *MPI_Datatype, *MPI_Request, *MPI_Group;
typedef struct iota_status MPI_Status;
typedef long MPI_Aint;
typedef long long MPI_Offset, MPI_Count;
enum { IOTA_ABSENT = -1 };
"#;

const LOOKED_UP: &str = r#"
/* What was found for an entry (src/shared/mpi.rs). */
struct iota_found { void *at[8]; };
__attribute__((visibility("hidden"))) void *iota_mpi_known(struct iota_found *, const char *name, const void *caller, int is_meant);
#define ENTRY(entry, plain, is_meant, params, hook, args)                                                   \
    int entry params;                                                                                       \
    int entry params                                                                                        \
    {                                                                                                       \
        static struct iota_found found;                                                                     \
        void *real = iota_mpi_known(&found, #plain, __builtin_return_address(0), is_meant);                 \
        return real ? hook args : IOTA_ABSENT;                                                              \
    }
#define MPI(name, params, hook, args)                      \
    ENTRY(MPI_##name, MPI_##name, 0, params, hook, args)   \
    ENTRY(PMPI_##name, PMPI_##name, 0, params, hook, args) \
    ENTRY(__wrap_MPI_##name, MPI_##name, 1, params, hook, args) \
    ENTRY(__wrap_PMPI_##name, PMPI_##name, 1, params, hook, args)
"#;

const WEAK: &str = r#"
#define ENTRY(entry, below, params, hook, args)  \
    int entry params;                            \
    int entry params                             \
    {                                            \
        void *real = (void *)below;              \
        return real ? hook args : IOTA_ABSENT;   \
    }
#define MPI(name, params, hook, args)                                        \
    extern int __real_PMPI_##name params __attribute__((weak));              \
    ENTRY(__wrap_MPI_##name, __real_PMPI_##name, params, hook, args)         \
    ENTRY(__wrap_PMPI_##name, __real_PMPI_##name, params, hook, args)
"#;

/// The C source of the entries
pub fn entries(flavour: Flavour) -> String {
    let mut out = String::from(HEAD);
    out += match flavour {
        Flavour::Wrap => WEAK,
        Flavour::Preload => LOOKED_UP,
    };
    for (_, call) in mpi_rows() {
        let declared = call.params();
        let declared = declared.map(|param| types::c_declaration(param.ty, param.name));
        let declared = declared.collect::<Vec<_>>().join(", ");
        let args = untyped(call.params());
        let (name, hook) = (call.name, format!("iota_hook_{}", call.name));
        let plain = name.strip_prefix("MPI_").unwrap_or(name);
        let _ = writeln!(out, "int {hook}(void *real, {declared});");
        let _ = writeln!(out, "MPI({plain}, ({declared}), {hook}, (real, {args}))");
    }
    out
}

/// The C source that checks every row against `mpi.h`, as far as that has the function
pub fn mpi_signatures() -> String {
    let mut out = String::from(
        "/* Rendered by gen-wraps from the table in iota-calls. */
#include <mpi.h>
#define SAME(name, ret, params) \\
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), ret (*) params), \"signature of \" #name);
_Static_assert(sizeof(MPI_Offset) == 8 && sizeof(MPI_Count) == 8 && sizeof(MPI_Aint) == 8, \"sizes\");
_Static_assert(sizeof(MPI_File) == sizeof(void *), \"a file is an address\");
",
    );
    for (_, call) in mpi_rows() {
        let params = call.params().map(|param| types::c(param.ty));
        let params = params.collect::<Vec<_>>().join(", ");
        let check = format!("SAME({}, int, ({params}))", call.name);
        let _ = if call.name.ends_with("_c") {
            writeln!(out, "#if MPI_VERSION >= 4\n{check}\n#endif")
        } else {
            writeln!(out, "{check}")
        };
    }
    out
}
