//! Variadic entry points, in C: Rust cannot define them.
//!
//! A stub fetches what its row says and calls the Rust hook `iota_hook_NAME`. It includes no header of the C library:
//! their inlines for fortified programs define the very names that are defined here.

use crate::{Flavour, Libc, traced, types};
use iota_calls::{Call, Param, Variadic};

/// Flags that the stubs are compiled with
pub const CFLAGS: &[&str] = &[
    "-O2",
    "-fPIC",
    "-fno-builtin",
    "-U_FORTIFY_SOURCE",
    "-fno-stack-protector",
    "-fasynchronous-unwind-tables",
    "-ffunction-sections",
];

/// The C source of the variadic entry points of a flavour
pub fn variadic_stubs(flavour: Flavour, libc: &Libc) -> String {
    let mut out = String::from(HEAD);
    if flavour == Flavour::Wrap {
        out += &references(libc);
    }
    for (_, call) in traced(flavour, libc) {
        match call.variadic {
            Variadic::No => (),
            Variadic::One(more) => out += &stub(flavour, call, more, &one(more)),
            Variadic::List(more, _) => {
                out += &stub(flavour, call, more, &[String::new(), "va_list".into()])
            }
        }
    }
    out
}

/// Plain references to the functions that are wrapped. lld takes a member out of libc.a only for a plain name: where
/// nothing but `__real_x` asks for x, a static link would leave x at address 0
fn references(libc: &Libc) -> String {
    let rows = traced(Flavour::Wrap, libc).into_iter();
    let lines = rows.map(|(_, call)| format!("    \".globl {}\\n\"\n", call.name));
    format!("\n__asm__(\n{});\n", lines.collect::<String>())
}

const HEAD: &str = r#"/* Rendered by gen-wraps from the table in iota-calls. */
#include <stdarg.h>
#include <stddef.h>

typedef unsigned int mode_t;
typedef struct iota_stream FILE;

/* of the kernel's interface, which no library changes; a directory's bit is part of O_TMPFILE */
#if defined __x86_64__
#define IOTA_O_DIRECTORY 0200000
#elif defined __aarch64__
#define IOTA_O_DIRECTORY 040000
#else
#error "not a machine that iota knows"
#endif
#define IOTA_O_CREAT 0100
#define IOTA_O_TMPFILE (020000000 | IOTA_O_DIRECTORY)
#define IOTA_CREATES(flags) (((flags) & IOTA_O_CREAT) != 0 || ((flags) & IOTA_O_TMPFILE) == IOTA_O_TMPFILE)
"#;

fn stub(flavour: Flavour, call: &Call, more: Param, body: &[String; 2]) -> String {
    let (name, ret) = (call.name, types::c(call.ret));
    let params = list_of(call.params, |param| {
        types::c_declaration(param.ty, param.name)
    });
    let args = list_of(call.params, |param| param.name.into());
    let last = call.params.last().map_or("", |param| param.name);
    let [fetch, more_ty] = body;
    let mut out = format!(
        "
{ret} iota_hook_{name}({params}, {more_ty});
{ret} __wrap_{name}({params}, ...);
{ret} __wrap_{name}({params}, ...)
{{
    va_list rest;
    va_start(rest, {last});
{fetch}    {ret} result = iota_hook_{name}({args}, {});
    va_end(rest);
    return result;
}}
",
        if matches!(call.variadic, Variadic::List(..)) {
            "rest"
        } else {
            more.name
        },
    );
    if flavour == Flavour::Preload {
        out += &format!("{ret} {name}({params}, ...) __attribute__((alias(\"__wrap_{name}\")));\n");
    }
    out
}

/// A mode is there only when the flags create a file; any other argument is always taken, as the C library does
fn one(more: Param) -> [String; 2] {
    let (name, ty) = (more.name, types::c(more.ty));
    let taken = format!("va_arg(rest, {ty})");
    let fetch = match more.ty {
        "mode_t" => format!("IOTA_CREATES(flags) ? {taken} : 0"),
        _ => taken,
    };
    [format!("    {ty} {name} = {fetch};\n"), ty]
}

fn list_of(params: &[Param], each: impl Fn(&Param) -> String) -> String {
    params.iter().map(each).collect::<Vec<_>>().join(", ")
}
