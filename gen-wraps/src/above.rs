//! Libraries above MPI-IO (HDF5, NetCDF, PnetCDF): an entry in C for each name, which finds the real function and hands it to
//! the hook in Rust.
//!
//! In the shared object the entries have the public names, and the real function is looked up, by caller. In the archive each
//! entry is a member of its own, which refers to the function: a link takes it only if the program calls the function.

use crate::{Flavour, hooks, types};
use iota_calls::{Call, Library, Op, rows};
use std::fmt::Write;

/// Their rows
pub fn above_rows() -> impl Iterator<Item = (Op, &'static Call)> {
    rows().filter(|(_, call)| call.library.is_above())
}

/// The symbols of a row: of its entries, and in the archive's main object that of the hook, which its member calls
pub fn above_exports(flavour: Flavour, name: &str) -> Vec<String> {
    match flavour {
        Flavour::Wrap => vec![format!("iota_hook_{name}")],
        Flavour::Preload => flavour.exports(name),
    }
}

/// What differs between the libraries
struct Above {
    /// The crate with its shapes
    shapes: &'static str,
    /// Its types in C. No header of the library is read: a handle is a word, which goes on as it came
    types: &'static str,
    /// What a member of the archive refers to besides, so that the tracer has the functions that it asks
    needs: &'static str,
}

fn above(library: Library) -> Above {
    match library {
        Library::Hdf5 => Above {
            shapes: "iota_hdf5",
            types: HDF5,
            needs: "iota_hdf5_find",
        },
        Library::Netcdf | Library::Pnetcdf => Above {
            shapes: "iota_netcdf",
            types: "",
            needs: "iota_netcdf_find",
        },
        Library::Libc | Library::Mpi | Library::Aio | Library::Uring => {
            unreachable!("a library above MPI-IO")
        }
    }
}

const HDF5: &str = r#"
/* HDF5. An id is an int before 1.10: the rest of its register or word on the stack goes on as it came. */
typedef long long hid_t;
typedef int herr_t;
"#;

/// The hook: the real function comes first among its arguments. The shape is told where that is, because it may ask the
/// library for more
pub fn hook(op: Op, call: &Call) -> String {
    let (name, params) = (call.name, hooks::typed(call.params));
    let told = call.args.iter().map(|arg| format!(", {arg}"));
    format!(
        "
#[unsafe(export_name = \"iota_hook_{name}\")]
#[allow(non_snake_case)]
unsafe extern \"C\" fn {name}(real: unsafe extern \"C\" fn({params}) -> {ret}, {params}) -> {ret} {{
    // SAFETY: the caller's arguments go on unchanged to the function that it meant to call
    unsafe {{ {shapes}::{shape}(Op({op}), real as *const c_void, || real({args}){told}) }}
}}
",
        ret = call.ret,
        shapes = above(call.library).shapes,
        shape = call.shape.function(),
        op = op.0,
        args = hooks::untyped(call.params),
        told = told.collect::<String>(),
    )
}

/// A function in C: what it returns, its parameters, and their names
struct Declared {
    ret: String,
    params: String,
    args: String,
}

fn declared(call: &Call) -> Declared {
    let params = call.params.iter();
    let params = params.map(|param| types::c_declaration(param.ty, param.name));
    Declared {
        ret: types::c(call.ret),
        params: params.collect::<Vec<_>>().join(", "),
        args: hooks::untyped(call.params),
    }
}

const LOOKED_UP: &str = r#"
/* What was found for an entry (crates/preload/src/ways.rs). */
__attribute__((visibility("hidden"))) void *iota_known(struct iota_found *, const char *name, const void *caller, int is_meant);
#define ABOVE_ENTRY(entry, plain, is_meant, ret, params, hook, args)                               \
    ret entry params;                                                                              \
    ret entry params                                                                               \
    {                                                                                              \
        static struct iota_found found;                                                            \
        void *real = iota_known(&found, #plain, __builtin_return_address(0), is_meant);            \
        return real ? hook args : (ret)IOTA_ABSENT;                                                \
    }
#define ABOVE(name, ret, params, hook, args)               \
    ABOVE_ENTRY(name, name, 0, ret, params, hook, args)    \
    ABOVE_ENTRY(__wrap_##name, name, 1, ret, params, hook, args)
"#;

/// The C source of the shared object's entries
pub fn entries(flavour: Flavour) -> String {
    let mut out = String::new();
    if flavour == Flavour::Wrap {
        return out;
    }
    out += LOOKED_UP;
    let mut last = "";
    for (_, call) in above_rows() {
        let types = above(call.library).types;
        if types != last {
            (last, out) = (types, out + types);
        }
        let Declared { ret, params, args } = declared(call);
        let (name, hook) = (call.name, format!("iota_hook_{}", call.name));
        let _ = writeln!(out, "{ret} {hook}(void *real, {params});");
        let _ = writeln!(
            out,
            "ABOVE({name}, {ret}, ({params}), {hook}, (real, {args}))"
        );
    }
    out
}

/// A member of the archive: the entry of one function
pub struct Member {
    /// The function
    pub name: &'static str,
    /// C
    pub source: String,
}

/// The archive's members
pub fn members() -> Vec<Member> {
    let all = above_rows().map(|(_, call)| Member {
        name: call.name,
        source: member(call),
    });
    all.collect()
}

fn member(call: &Call) -> String {
    let Declared { ret, params, args } = declared(call);
    let (name, Above { types, needs, .. }) = (call.name, above(call.library));
    format!(
        "/* Rendered by gen-wraps from the table in iota-calls. */
#include <stddef.h>
{types}
__asm__(\".globl {needs}\");
extern {ret} __real_{name}({params});
{ret} iota_hook_{name}(void *real, {params});
{ret} __wrap_{name}({params});
{ret} __wrap_{name}({params})
{{
    return iota_hook_{name}((void *)__real_{name}, {args});
}}
"
    )
}

/// The C source that checks every row of a library against its header, as far as that is new enough
pub fn above_signatures(library: Library) -> String {
    let mut out = String::from(
        "/* Rendered by gen-wraps from the table in iota-calls. */
#define SAME(name, ret, params) \\
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), ret (*) params), \"signature of \" #name);
",
    );
    out += match library {
        Library::Hdf5 => HDF5_CHECKS,
        Library::Netcdf | Library::Pnetcdf => "",
        Library::Libc | Library::Mpi | Library::Aio | Library::Uring => "",
    };
    for (_, call) in above_rows().filter(|(_, call)| call.library == library) {
        let since = call.versions.first().copied().unwrap_or("0.0");
        let params = call.params.iter().map(|param| types::c(param.ty));
        let params = params.collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            out,
            "#if AT_LEAST({})\nSAME({}, {}, ({params}))\n#endif",
            since.replace('.', ", "),
            call.name,
            types::c(call.ret),
        );
    }
    out
}

const HDF5_CHECKS: &str = r#"#include <hdf5.h>
#define AT_LEAST(major, minor) (H5_VERS_MAJOR * 1000 + H5_VERS_MINOR >= major * 1000 + minor)
_Static_assert(sizeof(hid_t) == (AT_LEAST(1, 10) ? 8 : 4) && (hid_t)-1 < 0, "an id");
_Static_assert(sizeof(herr_t) == 4, "a result");
"#;
