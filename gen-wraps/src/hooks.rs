//! The hooks, in Rust: `include!` it in a module that nothing else stands in.
//!
//! A hook takes its arguments to the shape of its row with the real call as a closure. Hooks are compiled once for both
//! flavours: that of `x` is `iota_hook_x`, and becomes `__wrap_x` in the archive and `x` in the shared object
//! ([`crate::renamed_symbols`]). Needs libc, `iota_calls`, `iota_runtime`, `iota_mpi::io` and the crates of libraries above MPI-IO.

use crate::above;
use crate::flavour::{Versioned, hooked, versioned};
use crate::found::{RESOLVED, names};
use crate::mpi::{self, mpi_rows};
use crate::older::stand_ins;
use crate::params::{typed, untyped};
use crate::{Flavour, Libc, types};
use iota_calls::{Call, Op, Param, Variadic};
use std::fmt::Write;

/// The Rust source of all hooks. What the C library that is here has says only under which versions functions are looked for
pub fn hooks(libc: &Libc) -> String {
    let mut out = HEAD.replace("    DEFINITIONS\n", &types::definitions());
    let rows = hooked();
    for (op, call) in &rows {
        out += &hook(*op, call);
    }
    for (op, call) in mpi_rows() {
        out += &mpi::hook(op, call);
    }
    out += &above::above_hooks();
    let optional = versioned(Flavour::Preload);
    for one in &optional {
        out += &hook_at_version(one);
    }
    out + &real(&rows, &optional, libc)
}

const HEAD: &str = r#"// Rendered by gen-wraps from the table in iota-calls.
use iota_calls::Op;
use iota_hdf5::{HERE, NAMED, NOW, UNNAMED};
use iota_netcdf::{ALONE, AS_OPENED, AS_SET, AS_STORED, ONE_ELEMENT, WHOLE, block, blocks, of_each, of_mpi, of_size, on, through};
use iota_mpi::io::{self, ALL, ONE, OWN, SHARED, at};
use iota_runtime::shape;
use types::*;

#[allow(unused_imports, non_camel_case_types, dead_code)]
mod types {
    pub use libc::*;
    DEFINITIONS
    unsafe extern "C" {
        pub static stdin: *mut FILE;
        pub static stdout: *mut FILE;
    }
}

#[allow(unused_macros)]
macro_rules! stdin { () => { types::stdin } }
#[allow(unused_macros)]
macro_rules! stdout { () => { types::stdout } }
"#;

fn hook(op: Op, call: &Call) -> String {
    if call.returns_twice() {
        return vfork(call, op);
    }
    exported(call.name) + &body(call, op, call.name)
}

/// Whether a row's hook is itself what a program calls: no stub in C stands before it
pub fn is_entry(call: &Call) -> bool {
    call.variadic == Variadic::No && !call.returns_twice()
}

/// The attribute before a hook
fn exported(name: &str) -> String {
    format!("\n#[unsafe(export_name = \"iota_hook_{name}\")]\n")
}

/// What the stub of `vfork` asks: where to go, and whether it is to come back
fn vfork(call: &Call, op: Op) -> String {
    let name = call.name;
    let body = format!(
        "#[allow(non_snake_case)]
unsafe extern \"C\" fn {name}(back: usize) -> shape::VforkTarget {{
    shape::{}(Op({}), back, real::address_of_{name}())
}}
",
        call.shape.function(),
        op.0
    );
    exported(name) + &body
}

/// The function that takes the arguments to the shape
fn body(call: &Call, op: Op, name: &str) -> String {
    let callee = call.variadic.via().unwrap_or(name);
    let params = typed(all_params(call));
    let arguments = call
        .args()
        .map(|arg| format!(", {arg}"))
        .collect::<String>();
    let ret = call.ret;
    format!(
        "#[allow(non_snake_case)]
unsafe extern \"C\" fn {name}({params}) -> {ret} {{
    // SAFETY: the caller's arguments go on unchanged to the function that it meant to call
    unsafe {{ shape::{}(Op({}), || real::{callee}({}){arguments}) }}
}}
",
        call.shape.function(),
        op.0,
        untyped(all_params(call)),
    )
}

/// The hook of an optional library's function; the stub of the same name jumps here
fn hook_at_version(one: &Versioned) -> String {
    let hook = one.hook();
    exported(&hook) + &body(one.call, one.op, &hook)
}

fn all_params(call: &Call) -> Vec<Param> {
    let mut all = call.params().collect::<Vec<_>>();
    match call.variadic {
        Variadic::No => (),
        Variadic::One(param) | Variadic::List(param, _) => all.push(param),
        Variadic::Longs => all.extend(LONGS),
        Variadic::Words { environment, .. } => {
            all.pop();
            all.extend(if environment { WORDS } else { &WORDS[..1] });
        }
    }
    all
}

/// The arguments of a system call
const LONGS: [Param; 6] = {
    const fn long(name: &'static str) -> Param {
        Param { name, ty: "c_long" }
    }
    [
        long("a"),
        long("b"),
        long("c"),
        long("d"),
        long("e"),
        long("f"),
    ]
};

/// What the words behind a call become
const WORDS: &[Param] = &[
    Param {
        name: "argv",
        ty: "*const *mut c_char",
    },
    Param {
        name: "envp",
        ty: "*const *mut c_char",
    },
];

/// The real functions, which are found when they are first called
fn real(rows: &[(Op, &'static Call)], optional: &[Versioned], libc: &Libc) -> String {
    let mut out = String::from(RESOLVED);
    let mut symbols = String::new();
    for (i, (_, call)) in rows.iter().enumerate() {
        let name = call.name;
        // A row `via` another needs only that
        if call.variadic.via().is_some() {
            continue;
        }
        out += &if call.returns_twice() {
            format!(
                "\n    pub fn address_of_{name}() -> usize {{ symbols::{name}.get() as usize }}\n"
            )
        } else {
            real_one(call, name)
        };
        let _ = writeln!(symbols, "        pub const {name}: Symbol = Symbol({i});");
    }
    for one in optional {
        let (hook, call) = (one.hook(), one.call);
        out += &real_one(call, &hook);
        let _ = writeln!(
            symbols,
            "        pub static {hook}: Optional = Optional::new(c\"{}\", c\"{}\");",
            call.name, one.version,
        );
    }
    out += &names(rows, libc);
    out += &stand_ins(rows);
    let _ = writeln!(
        out,
        "\n    mod symbols {{\n        use super::{{Optional, Symbol}};\n{symbols}    }}\n}}"
    );
    out
}

fn real_one(call: &Call, name: &str) -> String {
    let (ret, params) = (call.ret, all_params(call));
    let dots = if call.variadic == Variadic::No {
        ""
    } else {
        ", ..."
    };
    format!(
        "
    pub unsafe fn {name}({}) -> {ret} {{
        let next_one = symbols::{name}.get();
        if next_one.is_null() {{
            return {};
        }}
        // SAFETY: the dynamic linker found the function of this name; its signature is checked against the headers
        unsafe {{
            let call_it: unsafe extern \"C\" fn({}{dots}) -> {ret} = core::mem::transmute(next_one);
            call_it({})
        }}
    }}
",
        typed(params.iter().copied()),
        absent(ret),
        typed(call.params()),
        untyped(params),
    )
}

/// What a function returns that could not be found; errno is ENOSYS then
fn absent(ret: &str) -> &'static str {
    match ret {
        "!" => "iota_runtime::real::leave()",
        "()" => "()",
        "size_t" | "c_uint" => "0",
        "*mut c_void" => "core::ptr::without_provenance_mut(usize::MAX)",
        "wint_t" => "wint_t::MAX",
        ret if ret.starts_with('*') => "core::ptr::null_mut()",
        _ => "-1",
    }
}
