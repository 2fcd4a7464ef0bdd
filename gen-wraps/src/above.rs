//! Libraries above MPI-IO (HDF5, NetCDF, PnetCDF): an entry in C for each name, which finds the real function and hands it to
//! the hook in Rust.
//!
//! In the shared object the entries have the public names, and the real function is looked up, by caller. In the archive each
//! entry is a member of its own, which refers to the function: a link takes it only if the program calls the function.

use crate::params::{typed, untyped};
use crate::{Flavour, mpi, types};
use iota_calls::{Call, Library, Op, rows};
use std::fmt::Write;

/// Their rows
pub fn above_rows() -> impl Iterator<Item = (Op, &'static Call)> {
    rows().filter(|(_, call)| call.library.is_above())
}

const NETCDF: &str = "
typedef struct iota_memio NC_memio;
";

/// The symbols of a row: of its entries, and that of the hook, which its member in an archive calls
pub fn above_exports(flavour: Flavour, call: &Call) -> Vec<String> {
    match flavour {
        Flavour::Wrap => vec![hook_name(call)],
        Flavour::Preload => vec![call.name.into(), hook_name(call)],
    }
}

/// The functions of a family, which differ in the type of the elements, have one hook
fn hook_name(call: &Call) -> String {
    let own = if call.family.is_empty() {
        call.name
    } else {
        call.family
    };
    format!("iota_hook_{own}")
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
        Library::Netcdf => Above {
            shapes: "iota_netcdf",
            types: NETCDF,
            needs: "iota_netcdf_find",
        },
        Library::Pnetcdf => Above {
            shapes: "iota_netcdf",
            types: "",
            needs: "iota_pnetcdf_find",
        },
        Library::Libc | Library::Mpi | Library::Aio | Library::Uring => {
            unreachable!("a library above MPI-IO")
        }
    }
}

const HDF5: &str = r#"
/* HDF5. An id is an int before 1.10: the rest of its register or word on the stack goes on as it came. */
typedef long ssize_t;
typedef long long hid_t;
typedef int herr_t, htri_t, hbool_t, H5F_scope_t, H5_index_t, H5_iter_order_t;
typedef unsigned long long hsize_t, haddr_t;
typedef struct { hsize_t words[2]; } H5O_token_t;
typedef void *H5A_operator1_t, *H5A_operator2_t, *H5D_chunk_iter_op_t, *H5G_iterate_t, *H5L_iterate1_t, *H5L_iterate2_t;
typedef void *H5O_iterate1_t, *H5O_iterate2_t;
typedef struct iota_info H5A_info_t, H5G_info_t, H5G_stat_t, H5L_info1_t, H5L_info2_t, H5O_info1_t, H5O_info2_t;
typedef struct iota_info H5O_native_info_t;
"#;

/// The hooks: the real function comes first among the arguments. The shape gets where that is, because it may ask the
/// library for more
pub fn above_hooks() -> String {
    let mut last = "";
    let each = above_rows().map(|(op, call)| {
        let is_next =
            !call.family.is_empty() && call.family == std::mem::replace(&mut last, call.family);
        if is_next {
            String::new()
        } else {
            hook(op, call)
        }
    });
    each.collect()
}

/// That of a family gets which operation it is, and the `SIZE` of an element
fn hook(op: Op, call: &Call) -> String {
    let (name, params) = (hook_name(call), typed(call.params()));
    let arguments = call.args().map(|arg| format!(", {arg}"));
    let (more, op) = match call.family {
        "" => (String::new(), op.0.to_string()),
        _ => (String::from("op: u16, SIZE: u32, "), String::from("op")),
    };
    format!(
        "
#[unsafe(export_name = \"{name}\")]
#[allow(non_snake_case)]
unsafe extern \"C\" fn {plain}(real: unsafe extern \"C\" fn({params}) -> {ret}, {more}{params}) -> {ret} {{
    // SAFETY: the caller's arguments go on unchanged to the function that it meant to call
    unsafe {{ {shapes}::{shape}(Op({op}), real as *const c_void, || real({args}){arguments}) }}
}}
",
        plain = name.trim_start_matches("iota_hook_"),
        ret = call.ret,
        shapes = above(call.library).shapes,
        shape = call.shape.function(),
        args = untyped(call.params()),
        arguments = arguments.collect::<String>(),
    )
}

/// A function in C: what it returns, its parameters; and its hook, with the arguments of that
struct Declared {
    ret: String,
    params: String,
    hook: String,
    hook_params: String,
    hook_args: String,
}

fn declared(op: Op, call: &Call) -> Declared {
    let params = call
        .params()
        .map(|param| types::c_declaration(param.ty, param.name));
    let params = params.collect::<Vec<_>>().join(", ");
    let args = untyped(call.params());
    let (hook_params, hook_args) = match call.family {
        "" if params.is_empty() => ("void *real".into(), "real".into()),
        "" => (format!("void *real, {params}"), format!("real, {args}")),
        _ => of_family(op, call, &args),
    };
    Declared {
        ret: types::c(call.ret),
        params: or_void(params),
        hook: hook_name(call),
        hook_params,
        hook_args,
    }
}

fn or_void(params: String) -> String {
    if params.is_empty() {
        "void".into()
    } else {
        params
    }
}

/// The type of the elements is not the hook's business
fn of_family(op: Op, call: &Call, args: &str) -> (String, String) {
    let params = call.params().map(|param| match param.ty {
        ty if ty.starts_with('*') => format!("const void *{}", param.name),
        ty => types::c_declaration(ty, param.name),
    });
    let params = params.collect::<Vec<_>>().join(", ");
    (
        format!("void *real, unsigned short op, unsigned size, {params}"),
        format!("real, {}, sizeof({}), {args}", op.0, element(call)),
    )
}

/// The type of a family's elements in C
fn element(call: &Call) -> &'static str {
    let (before, after) = call.family.split_once("TYPE").unwrap_or((call.family, ""));
    let name = call
        .name
        .strip_prefix(before)
        .and_then(|name| name.strip_suffix(after));
    match name.unwrap_or(call.name) {
        "text" | "schar" | "uchar" | "ubyte" => "char",
        "short" | "ushort" => "short",
        "int" | "uint" => "int",
        "float" => "float",
        "double" => "double",
        "long" => "long",
        "longlong" | "ulonglong" => "long long",
        other => panic!("a family with the type `{other}`, which gen-wraps does not know"),
    }
}

const LOOKED_UP: &str = r#"
/* What was found for an entry (src/shared/above.rs). */
struct iota_callers { void *at[3 * 8]; };
__attribute__((visibility("hidden"))) void *iota_known(struct iota_callers *, const char *name, const void *caller);
#define ABOVE(name, ret, params, hook, args)                                     \
    ret name params;                                                             \
    ret name params                                                              \
    {                                                                            \
        static struct iota_callers found;                                        \
        void *real = iota_known(&found, #name, __builtin_return_address(0));     \
        return real ? hook args : (ret)IOTA_ABSENT;                              \
    }
"#;

/// The C source of the shared object's entries
pub fn entries(flavour: Flavour) -> String {
    let mut out = String::new();
    if flavour == Flavour::Wrap {
        return out;
    }
    out += LOOKED_UP;
    let mut last = "";
    for (op, call) in above_rows() {
        let types = above(call.library).types;
        if types != last {
            (last, out) = (types, out + types);
        }
        out += &entry("ABOVE", op, call);
    }
    out
}

/// The hook's declaration, and the entry as a use of a macro
fn entry(template: &str, op: Op, call: &Call) -> String {
    let Declared {
        ret,
        params,
        hook,
        hook_params,
        hook_args,
    } = declared(op, call);
    format!(
        "{ret} {hook}({hook_params});
{template}({name}, {ret}, ({params}), {hook}, ({hook_args}))
",
        name = call.name,
    )
}

/// The C source of the archive's entries for a library. Each function is to be a member of its own (scripts/members.sh)
pub fn above_members(library: Library) -> String {
    let Above { types, needs, .. } = above(library);
    let mut out = format!(
        "/* Rendered by gen-wraps from the table in iota-calls. */
#include <stddef.h>
#include <stdint.h>
{handles}{types}
__asm__(\".globl {needs}\");
#define ENTRY(name, ret, params, hook, args)   \\
    extern ret __real_##name params;           \\
    ret __wrap_##name params;                  \\
    ret __wrap_##name params                   \\
    {{                                          \\
        void *real = (void *)__real_##name;    \\
        return hook args;                      \\
    }}
",
        handles = mpi::HEAD
    );
    for (op, call) in above_rows().filter(|(_, call)| call.library == library) {
        out += &entry("ENTRY", op, call);
    }
    out
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
        Library::Netcdf => NETCDF_CHECKS,
        Library::Pnetcdf => PNETCDF_CHECKS,
        Library::Libc | Library::Mpi | Library::Aio | Library::Uring => "",
    };
    for (_, call) in above_rows().filter(|(_, call)| call.library == library) {
        let version = |nth: usize| call.versions.get(nth).map(|one| one.replace('.', ", "));
        let since = version(0).unwrap_or_else(|| "0, 0".into());
        let until = version(1).unwrap_or_else(|| "1000, 0".into());
        let params = call.params().map(|param| types::c(param.ty));
        let params = or_void(params.collect::<Vec<_>>().join(", "));
        let is_of_mpi =
            call.name.contains("_par") || call.params().any(|param| param.ty.starts_with("MPI_"));
        let _ = writeln!(
            out,
            "#if AT_LEAST({since}) && !AT_LEAST({until}){}\nSAME({}, {}, ({params}))\n#endif",
            if is_of_mpi { " && HAS_MPI" } else { "" },
            call.name,
            types::c(call.ret),
        );
    }
    out
}

const HDF5_CHECKS: &str = r#"#include <hdf5.h>
#define AT_LEAST(major, minor) (H5_VERS_MAJOR * 1000 + H5_VERS_MINOR >= major * 1000 + minor)
_Static_assert(sizeof(hid_t) == (AT_LEAST(1, 10) ? 8 : 4) && (hid_t)-1 < 0, "an id");
_Static_assert(sizeof(herr_t) == 4 && sizeof(htri_t) == 4 && sizeof(H5_index_t) == 4, "a result or an enum");
_Static_assert(sizeof(hsize_t) == 8 && sizeof(haddr_t) == 8 && sizeof(hbool_t) <= 4, "a size");
#if AT_LEAST(1, 12)
_Static_assert(sizeof(H5O_token_t) == 16, "two words");
#else
#define H5L_info1_t H5L_info_t
#define H5O_info1_t H5O_info_t
#define H5L_iterate1_t H5L_iterate_t
#define H5O_iterate1_t H5O_iterate_t
#endif
"#;

const NETCDF_CHECKS: &str = r#"#include <netcdf.h>
#include <netcdf_mem.h>
#include <netcdf_meta.h>
#if NC_HAS_PARALLEL
#include <netcdf_par.h>
#endif
#define HAS_MPI NC_HAS_PARALLEL
#define AT_LEAST(major, minor) (NC_VERSION_MAJOR * 1000 + NC_VERSION_MINOR >= major * 1000 + minor)
_Static_assert(sizeof(nc_type) == sizeof(int) && sizeof(size_t) == 8, "sizes");
"#;

const PNETCDF_CHECKS: &str = r#"#include <pnetcdf.h>
#define HAS_MPI 1
#define AT_LEAST(major, minor) (PNETCDF_VERSION_MAJOR * 1000 + PNETCDF_VERSION_MINOR >= major * 1000 + minor)
_Static_assert(sizeof(nc_type) == sizeof(int) && sizeof(MPI_Offset) == 8, "sizes");
"#;
