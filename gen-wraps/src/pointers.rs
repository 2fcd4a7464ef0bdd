//! A program that calls every function of the table with good and bad arguments, to be run bare and traced.
//!
//! Each parameter gets the values of its sort (`pointers.c`): what its type and its name say of it. What the program leaves
//! alone stands in [`NOT_CALLED`], with the reason.

use crate::{Libc, types};
use iota_calls::{Call, Library, Param, Variadic, rows};
use std::fmt::Write;

/// Functions that are not called with bad arguments, and why
pub const NOT_CALLED: &[(&str, &str)] = &[
    (
        "vfork __vfork",
        "takes no argument, and its child would return from the frame of its parent",
    ),
    (
        "clone __clone",
        "a child in our memory that the arguments describe: clone.c has those that make sense",
    ),
    ("daemon", "ends the process that would tell"),
    (
        "_exit _Exit quick_exit abort",
        "ends the process that would tell",
    ),
    ("sync syncfs", "waits for every disk of the machine"),
    ("shm_open", "makes names that the whole machine sees"),
    (
        "fts_read fts_children fts_close fts64_read fts64_children fts64_close",
        "takes nothing but what fts_open has made",
    ),
    (
        "__uflow __underflow __overflow __wuflow __wunderflow __woverflow",
        "called from within getc and putc, on streams in a state that nothing else makes",
    ),
];

/// Whether [`NOT_CALLED`] has this function
pub fn is_not_called(name: &str) -> bool {
    let mut all = NOT_CALLED.iter();
    all.any(|(names, _)| names.split(' ').any(|each| each == name))
}

/// The functions that the program calls. The others have no name here that a link finds, or are requests in memory
pub fn called(libc: &Libc) -> Vec<&'static Call> {
    let all = rows().map(|(_, call)| call);
    all.filter(|call| {
        call.library == Library::Libc && libc.callable(call.name) && !is_not_called(call.name)
    })
    .collect()
}

/// The C source of the program
pub fn pointers(libc: &Libc) -> String {
    let called = called(libc);
    let bodies = called.iter().map(|call| body(call)).collect::<String>();
    let lines = called.iter().map(|call| line(call)).collect::<String>();
    let (head, tail) = (crate::signatures::HEAD, include_str!("pointers.c"));
    let prototypes = include_str!("prototypes.h");
    let (before, behind) = tail.split_once(ROWS).expect("where the rows go");
    format!(
        "{head}\n{prototypes}\n{before}\n{bodies}\nstatic const struct row rows[] = {{\n{lines}    {{0}},\n}};\n{behind}"
    )
}

/// The line of `pointers.c` in whose place the rows stand
const ROWS: &str = "/* ROWS */\n";

fn body(call: &Call) -> String {
    let (name, all) = (call.name, all_params(call));
    let mut out = format!("static long call_{name}(const long *a)\n{{\n    (void)a;\n");
    let mut args = all
        .iter()
        .enumerate()
        .map(|(i, param)| argument(param, i))
        .collect::<Vec<_>>();
    if let Variadic::Words { environment, .. } = call.variadic {
        args.push("(char *)0".into());
        args.extend(environment.then(|| "(char **)0".into()));
    }
    let args = args.join(", ");
    let _ = match call.ret {
        "()" => write!(out, "    {name}({args});\n    return 0;\n}}\n"),
        _ => write!(out, "    return (long){name}({args});\n}}\n"),
    };
    out
}

fn argument(param: &Param, i: usize) -> String {
    match param.ty {
        "va_list" => "no_arguments".into(),
        "cookie_io_functions_t" => "(cookie_io_functions_t){0}".into(),
        "sockaddr_arg" => format!("(struct sockaddr *)a[{i}]"),
        ty if types::is_function(ty) => format!("(void *)a[{i}]"),
        ty => format!("({})a[{i}]", types::c(ty)),
    }
}

/// The parameters, and what may stand behind them
fn all_params(call: &Call) -> Vec<Param> {
    let more = match call.variadic {
        Variadic::One(param) => vec![param],
        Variadic::Longs => ["a", "b", "c", "d", "e", "f"]
            .map(|name| Param { name, ty: "c_long" })
            .into(),
        _ => vec![],
    };
    call.params().chain(more).collect()
}

fn line(call: &Call) -> String {
    let kinds = all_params(call)
        .iter()
        .map(|param| kind(call, param))
        .collect::<Vec<_>>();
    let (name, count) = (call.name, kinds.len());
    let kinds = if kinds.is_empty() {
        "NOTHING".into()
    } else {
        kinds.join(", ")
    };
    format!(
        "    {{\"{name}\", call_{name}, {}, {count}, {{{kinds}}}}},\n",
        result(call)
    )
}

/// What of a result is the same in each run
fn result(call: &Call) -> &'static str {
    match call.ret {
        "()" => "NO_RESULT",
        "pid_t" | "key_t" => "SIGN",
        _ if call.name == "telldir" => "SIGN",
        ret if ret.starts_with('*') => "POINTER",
        _ => "PLAIN",
    }
}

/// The sort of a parameter
fn kind(call: &Call, param: &Param) -> &'static str {
    if call.variadic == Variadic::Longs {
        return if param.name == "number" {
            "CALL"
        } else {
            "ANY"
        };
    }
    let is_memory = param_named(call, "addr", "*mut c_void");
    match (param.ty, param.name) {
        ("c_int" | "c_uint", name) if name.ends_with("fd") || name == "first" || name == "last" => {
            "DESCRIPTOR"
        }
        ("off_t" | "off64_t" | "c_int", _)
            if call.name.contains("allocate") && param.name != "fd" =>
        {
            "EXTENT"
        }
        // With a count of thousands a walk takes seconds; without room getmntent_r never ends.
        ("c_int", "descriptors") => "ROOM",
        ("c_int", "len") => "ROOM",
        // A child that shares our memory reads them with all signals blocked.
        (ty, _) if ty.contains("posix_spawn") => "NOTHING",
        ("*const c_char", "file") => "NAME",
        ("*const c_char" | "*mut c_char", name) => text(name),
        ("*mut FILE", _) => "STREAM",
        ("*mut DIR", _) => "DIRECTORY",
        ("*mut FTS" | "*mut FTS64", _) => "WALK",
        ("*const iovec", _) => "VECTOR",
        ("*const open_how", _) => "HOW",
        ("*const timespec", "times") => "TIMES",
        ("*mut off_t" | "*mut off64_t", _) => "OFFSET",
        ("*mut aiocb" | "*mut aiocb64" | "*const aiocb" | "*const aiocb64", _) => "CONTROL",
        (ty, "list") if ty.contains("aiocb") => "CONTROLS",
        ("*const *mut c_char", _) => "WORDS",
        ("*mut *mut c_char" | "*mut *mut wchar_t", _) => "LINE",
        ("ftw_fn" | "ftw64_fn" | "nftw_fn" | "nftw64_fn", _) => "VISIT",
        ("va_list" | "cookie_io_functions_t" | "mode_t", _) => "NOTHING",
        (ty, _) if types::is_function(ty) && ty != "sockaddr_arg" => "NOTHING",
        ("*mut c_void", "addr") => "ADDRESS",
        ("size_t", _) if is_memory => "LENGTH",
        ("c_long", "new_addr") => "NOTHING",
        ("c_long", "arg") => "ANY",
        (ty, _) if ty.starts_with('*') || ty == "sockaddr_arg" => "MEMORY",
        ("c_int", "flags") if is_memory && call.args().any(|arg| arg == "flags") => "MAP_FLAGS",
        ("c_int", "flags") if is_memory => "NOTHING",
        ("c_int", "flags") if call.kind == iota_calls::Kind::Open => "OPEN_FLAGS",
        ("c_int" | "c_uint" | "c_ulong", "flags" | "flag" | "prot" | "advice" | "request") => {
            "FLAGS"
        }
        ("c_int" | "c_uint" | "uid_t" | "gid_t" | "dev_t" | "pid_t" | "wchar_t" | "wint_t", _) => {
            "NUMBER"
        }
        _ => "SIZE",
    }
}

fn param_named(call: &Call, name: &str, ty: &str) -> bool {
    call.params()
        .any(|param| param.name == name && param.ty == ty)
}

/// What a string is for, its name says
fn text(name: &str) -> &'static str {
    match name {
        "path" | "oldpath" | "newpath" | "target" | "linkpath" | "pattern" => "PATH",
        "mode" => "MODE_TEXT",
        "s" | "format" | "command" | "name" | "arg" => "TEXT",
        "template" => "TEXT",
        _ => "MEMORY",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_alone_is_in_the_table() {
        for name in NOT_CALLED.iter().flat_map(|(names, _)| names.split(' ')) {
            assert!(rows().any(|(_, call)| call.name == name), "{name}");
        }
    }

    #[test]
    fn every_other_function_that_a_link_finds_is_called() {
        let libc = Libc::probe().expect("a C library");
        let source = pointers(&libc);
        for (_, call) in
            rows().filter(|(_, call)| call.library == Library::Libc && libc.callable(call.name))
        {
            let is_called = source.contains(&format!("    {{\"{}\", call_{0}, ", call.name));
            assert!(is_called != is_not_called(call.name), "{}", call.name);
        }
    }
}
