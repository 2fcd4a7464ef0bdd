//! Entry points that Rust cannot define: variadic ones in C, and that of vfork.
//!
//! A stub fetches what its row says and calls the Rust hook `iota_hook_NAME`. It includes no header of the C library:
//! their inlines for fortified programs define the very names that are defined here.
//!
//! The shared flavour's `__wrap_` names are jumps: to our function of the public name, or to the program's own.

use crate::above;
use crate::flavour::{hooked, traced, versioned};
use crate::mpi::entries;
use crate::{Flavour, types};
use iota_calls::{Call, Op, Param, Variadic};
use std::fmt::Write;

/// Flags that the stubs are compiled with
pub const CFLAGS: &[&str] = &[
    "-O1",
    "-fPIC",
    "-fno-builtin",
    "-U_FORTIFY_SOURCE",
    "-fno-stack-protector",
    "-fasynchronous-unwind-tables",
    "-ffunction-sections",
];

/// The C source of the variadic entry points of a flavour, and of MPI's
pub fn variadic_stubs(flavour: Flavour) -> String {
    let mut out = String::from(HEAD);
    if flavour == Flavour::Wrap {
        out += &references();
        out += &found();
    }
    if flavour == Flavour::Preload {
        out += &wrapped();
        out += &at_versions(flavour);
    }
    let rows = traced(flavour).into_iter();
    for (_, call) in rows.filter(|(_, call)| !flavour.is_member(call)) {
        match call.variadic {
            Variadic::No if call.returns_twice() => out += &vfork(flavour, call),
            Variadic::No => (),
            Variadic::Longs => out += &longs(flavour, call),
            Variadic::Words { environment, .. } => out += &words(flavour, call, environment),
            Variadic::One(more) => out += &stub(flavour, call, more, &one(more), ""),
            Variadic::List(more, _) => out += &stub(flavour, call, more, &list(), ""),
        }
    }
    out + &entries(flavour) + &above::entries(flavour)
}

/// The C source of the members of the archive for functions that not every C library has or calls: each leaves the real function
/// where the hook looks for it
pub fn libc_members() -> String {
    let rows = traced(Flavour::Wrap).into_iter();
    let members = rows.filter(|(_, call)| Flavour::Wrap.is_member(call));
    let members = members.map(|(_, call)| member(call)).collect::<String>();
    format!(
        "{HEAD}{OPAQUE}\nextern void *iota_found[];\nint iota_is_within(uintptr_t frame);\n{members}"
    )
}

/// Types of the members' parameters, of which only pointers are passed on
const OPAQUE: &str = "
typedef long ssize_t;
typedef int pid_t;
typedef struct iota_actions posix_spawn_file_actions_t;
typedef struct iota_attributes posix_spawnattr_t;
typedef unsigned long dev_t;
struct open_how;
struct stat;
struct stat64;
struct termios;
struct winsize;
";

fn member(call: &Call) -> String {
    let real = call.variadic.via().unwrap_or(call.name);
    let number = hooked().iter().position(|(_, row)| row.name == real);
    let number = number.expect("a row that passes its arguments on to another row");
    // lld takes the function out of libc.a only for its plain name.
    let keep =
        format!("    __asm__(\".globl {real}\");\n    iota_found[{number}] = __real_{real};\n");
    let declared = format!("\nextern char __real_{real}[];");
    let keep = keep + &if_within(call);
    let entry = match call.variadic {
        Variadic::List(more, _) => stub(Flavour::Wrap, call, more, &list(), &keep),
        _ => plain(call, &keep),
    };
    declared + &entry
}

/// What objects of libc.a call for a function that the program has called is no call of the program's
fn if_within(call: &Call) -> String {
    if !call.is_called_before() {
        return String::new();
    }
    let (name, ret, params) = (call.name, types::c(call.ret), declared(call));
    let args = list_of(call.params(), |param| param.name.into());
    format!(
        "    if (iota_is_within((uintptr_t)__builtin_frame_address(0)))
        return (({ret} (*)({params}))__real_{name})({args});
"
    )
}

/// An entry with a fixed number of arguments
fn plain(call: &Call, before: &str) -> String {
    let (name, ret) = (call.name, types::c(call.ret));
    let params = declared(call);
    let args = list_of(call.params(), |param| param.name.into());
    let result = if call.ret == "()" { "" } else { "return " };
    format!(
        "
{ret} iota_hook_{name}({params});
{ret} __wrap_{name}({params});
{ret} __wrap_{name}({params})
{{
{before}    {result}iota_hook_{name}({args});
}}
"
    )
}

/// Plain references to the functions that are wrapped. lld takes a member out of libc.a only for a plain name: where
/// nothing but `__real_x` asks for x, a static link would leave x at address 0
fn references() -> String {
    let rows = in_object();
    let lines = rows.map(|(_, call)| format!("    \".globl {}\\n\"\n", call.name));
    format!("\n__asm__(\n{});\n", lines.collect::<String>())
}

/// The rows whose hooks are in the archive's one object
fn in_object() -> impl Iterator<Item = (Op, &'static Call)> {
    let rows = traced(Flavour::Wrap).into_iter();
    rows.filter(|(_, call)| !Flavour::Wrap.is_member(call))
}

/// The functions by their numbers, as the link editor finds them; members add theirs. A row that passes its arguments on to
/// another needs only that
fn found() -> String {
    let (mut declared, mut found) = (String::new(), String::new());
    let own = in_object().map(|(op, _)| op).collect::<Vec<_>>();
    for (op, call) in hooked() {
        let name = call.name;
        if own.contains(&op) && call.variadic.via().is_none() {
            let _ = writeln!(declared, "extern char __real_{name}[];");
            let _ = writeln!(found, "    __real_{name},");
        } else {
            let _ = writeln!(found, "    NULL, /* {name} */");
        }
    }
    format!(
        "
{declared}void *iota_found[] = {{
{found}}};
void *iota_find(unsigned short number);
void *iota_find(unsigned short number)
{{
    return iota_found[number];
}}
"
    )
}

/// `__wrap_x`, which jumps to where the word of `x` in `iota_meant` says; at first it is 0: to `x` here
fn wrapped() -> String {
    let mut out = String::from(JUMP);
    let rows = hooked();
    for (i, (_, call)) in rows.iter().enumerate() {
        let _ = writeln!(out, "JUMP(\"{}\", \"{}\")", call.name, 8 * i);
    }
    let _ = writeln!(
        out,
        "__attribute__((visibility(\"hidden\"))) void *iota_meant[{}];",
        rows.len()
    );
    out
}

/// Jumps under the names and versions of optional libraries' functions
fn at_versions(flavour: Flavour) -> String {
    let all = versioned(flavour).into_iter();
    let lines = all.map(|one| format!("AT_VERSION(\"{}\", \"{}\")\n", one.hook(), one.symbol()));
    String::from(AT_VERSION) + &lines.collect::<String>()
}

const AT_VERSION: &str = r#"
#if defined __x86_64__
#define GO(hook) "endbr64\njmp " hook "\n"
#else
#define GO(hook) "hint #34\nb " hook "\n"
#endif
#define AT_VERSION(hook, symbol)                                                                              \
    __asm__(".section .text.iota_at_" hook ",\"ax\",%progbits\n.balign 16\n.globl iota_at_" hook "\n"          \
            ".hidden iota_hook_" hook "\n.type iota_at_" hook ", %function\niota_at_" hook ":\n"              \
            ".cfi_startproc\n" GO("iota_hook_" hook) ".cfi_endproc\n.size iota_at_" hook ", .-iota_at_" hook "\n" \
            ".symver iota_at_" hook ", " symbol "\n.text\n");
"#;

const JUMP: &str = r#"
#if defined __x86_64__
#define TO(name, place) "endbr64\nmov iota_meant+" place "(%rip), %r11\ntest %r11, %r11\njz " name "\njmp *%r11\n"
#else
#define TO(name, place)                                                                                       \
    "hint #34\nadrp x16, iota_meant+" place "\nldr x16, [x16, #:lo12:iota_meant+" place "]\n"                \
    "cbz x16, 1f\nbr x16\n1: b " name "\n"
#endif
#define JUMP(name, place)                                                                                     \
    __asm__(".section .text.__wrap_" name ",\"ax\",%progbits\n.balign 16\n.globl __wrap_" name "\n"            \
            ".type __wrap_" name ", %function\n__wrap_" name ":\n.cfi_startproc\n" TO(name, place)                   \
            ".cfi_endproc\n.size __wrap_" name ", .-__wrap_" name "\n.text\n");
"#;

const HEAD: &str = r#"/* Rendered by gen-wraps from the table in iota-calls. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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
/* The hook says where to go on untraced, or 0, and where the real function is; iota_vforked where to go on. */
#if defined __x86_64__
#define VFORK_BODY(hook)                                                                                 \
    "endbr64\npop %rdi\ncall " hook "\ntest %rax, %rax\njnz 1f\n"                                       \
    "call *%rdx\nmov %eax, %edi\ncall iota_vforked\nmov %rax, %rcx\nmov %edx, %eax\njmp *%rcx\n"       \
    "1: push %rax\njmp *%rdx\n"
#else
#define VFORK_BODY(hook)                                                                                 \
    "hint #34\nstr x30, [sp, #-16]!\nmov x0, x30\nbl " hook "\nldr x30, [sp], #16\ncbnz x0, 1f\n"       \
    "blr x1\nbl iota_vforked\nmov x16, x0\nmov x0, x1\nbr x16\n"                                        \
    "1: br x1\n"
#endif
#define VFORK(name, hook)                                                                                \
    __asm__(".section .text." name ",\"ax\",%progbits\n.balign 16\n.globl " name "\n"                    \
            ".type " name ", %function\n" name ":\n" VFORK_BODY(hook) ".size " name ", .-" name "\n.text\n");

#define IOTA_O_CREAT 0100
#define IOTA_O_TMPFILE (020000000 | IOTA_O_DIRECTORY)
#define IOTA_CREATES(flags) (((flags) & IOTA_O_CREAT) != 0 || ((flags) & IOTA_O_TMPFILE) == IOTA_O_TMPFILE)
"#;

fn stub(flavour: Flavour, call: &Call, more: Param, body: &[String; 2], before: &str) -> String {
    let (name, ret) = (call.name, types::c(call.ret));
    let params = declared(call);
    let args = list_of(call.params(), |param| param.name.into());
    let last = call.params().last().map_or("", |param| param.name);
    let [fetch, more_ty] = body;
    let prefix = prefix(flavour);
    format!(
        "
{ret} iota_hook_{name}({params}, {more_ty});
{ret} {prefix}{name}({params}, ...);
{ret} {prefix}{name}({params}, ...)
{{
{before}    va_list rest;
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
    )
}

fn prefix(flavour: Flavour) -> &'static str {
    match flavour {
        Flavour::Wrap => "__wrap_",
        Flavour::Preload => "",
    }
}

/// All that a system call may take; what was not passed is read as well, and not looked at
fn longs(flavour: Flavour, call: &Call) -> String {
    let (name, ret, prefix) = (call.name, types::c(call.ret), prefix(flavour));
    let params = declared(call);
    let args = list_of(call.params(), |param| param.name.into());
    let last = call.params().last().map_or("", |param| param.name);
    let fetch = "abcdef"
        .chars()
        .map(|letter| format!("    long {letter} = va_arg(rest, long);\n"));
    format!(
        "
{ret} iota_hook_{name}({params}, long a, long b, long c, long d, long e, long f);
{ret} {prefix}{name}({params}, ...);
{ret} {prefix}{name}({params}, ...)
{{
    va_list rest;
    va_start(rest, {last});
{}    va_end(rest);
    return iota_hook_{name}({args}, a, b, c, d, e, f);
}}
",
        fetch.collect::<String>()
    )
}

/// Words up to NULL as an array, counted first, as the C library itself does
fn words(flavour: Flavour, call: &Call, environment: bool) -> String {
    let (name, prefix) = (call.name, prefix(flavour));
    let mut names = call.params().map(|param| param.name);
    let [path, first] = [(); 2].map(|()| names.next().unwrap_or_default());
    let (declared, fetched, passed) = if environment {
        (
            ", char *const *envp",
            "    char *const *envp = va_arg(rest, char *const *);\n",
            ", envp",
        )
    } else {
        ("", "", "")
    };
    format!(
        "
int iota_hook_{name}(const char *{path}, char *const *argv{declared});
int {prefix}{name}(const char *{path}, const char *{first}, ...);
int {prefix}{name}(const char *{path}, const char *{first}, ...)
{{
    size_t count = 1;
    va_list rest;
    va_start(rest, {first});
    while (va_arg(rest, char *))
        count++;
    va_end(rest);
    char *argv[count + 1];
    argv[0] = (char *){first};
    va_start(rest, {first});
    for (size_t i = 1; i <= count; i++)
        argv[i] = va_arg(rest, char *);
{fetched}    va_end(rest);
    return iota_hook_{name}({path}, argv{passed});
}}
"
    )
}

/// The child of vfork returns first, on its parent's stack, and whatever it calls then overwrites what lies below. So the
/// address to return to is kept elsewhere, and nothing of ours stays on the stack
fn vfork(flavour: Flavour, call: &Call) -> String {
    format!(
        "\nVFORK(\"{}{}\", \"iota_hook_{}\")\n",
        prefix(flavour),
        call.name,
        call.name
    )
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

/// The arguments themselves
fn list() -> [String; 2] {
    [String::new(), "va_list".into()]
}

/// The fixed parameters; a function is passed on, whatever it takes
fn declared(call: &Call) -> String {
    list_of(call.params(), |param| match types::is_function(param.ty) {
        true => format!("void *{}", param.name),
        false => types::c_declaration(param.ty, param.name),
    })
}

fn list_of(params: impl Iterator<Item = Param>, each: impl Fn(Param) -> String) -> String {
    params.map(each).collect::<Vec<_>>().join(", ")
}
