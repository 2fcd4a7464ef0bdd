//! The check that the table's signatures are those of the C library: a C file that compiles only if they are.
//!
//! A wrapper with a narrower offset than the function it stands for corrupts data, so every row is held against its
//! header. Optional libraries are checked where they are here. What no header declares is declared in `prototypes.h`, which says where each prototype comes from.

use crate::{Flavour, Libc, traced, types};
use iota_calls::{Call, Library, Variadic, rows};

/// The C source that checks every row that this C library has
pub fn signatures(libc: &Libc) -> String {
    let rows = traced(Flavour::Preload).into_iter();
    let rows = rows.filter(|(_, call)| libc.dynamic(call.name));
    let checks = rows.map(|(_, call)| check(call)).collect::<String>();
    let optional = optional(Library::Aio, AIO) + &optional(Library::Uring, URING);
    format!(
        "{HEAD}\n{}\n{checks}{optional}",
        include_str!("prototypes.h")
    )
}

/// The rows of an optional library, checked where its header is, as far as that is new enough
fn optional(library: Library, head: &str) -> String {
    let mut out = String::from(head);
    let of_library = |call: &&Call| call.library == library && !call.versions.is_empty();
    for call in rows().map(|(_, call)| call).filter(of_library) {
        let (_, number) = call.versions[0].rsplit_once('_').unwrap_or(("", "0.0"));
        let check = check(call);
        out += &format!(
            "#if AT_LEAST({})\n{check}#endif\n",
            number.replace('.', ", ")
        );
    }
    out + "#undef AT_LEAST\n#endif\n"
}

const AIO: &str = "
#if __has_include(<libaio.h>)
#include <libaio.h>
#define AT_LEAST(major, minor) 1
";

const URING: &str = "
#if __has_include(<liburing.h>)
#include <liburing.h>
#if __has_include(<liburing/io_uring_version.h>)
#include <liburing/io_uring_version.h>
#else
#define IO_URING_VERSION_MAJOR 2
#define IO_URING_VERSION_MINOR 3
#endif
#define AT_LEAST(major, minor) (IO_URING_VERSION_MAJOR * 100 + IO_URING_VERSION_MINOR >= major * 100 + minor)
";

fn check(call: &Call) -> String {
    let mut params = call
        .params()
        .map(|param| types::c(param.ty))
        .collect::<Vec<_>>();
    match call.variadic {
        Variadic::No if params.is_empty() => params.push("void".into()),
        Variadic::No => (),
        _ => params.push("...".into()),
    }
    let (name, ret, params) = (call.name, types::c(call.ret), params.join(", "));
    let same = if call.ret == "!" {
        "SAME_WITHOUT_RETURN"
    } else {
        "SAME"
    };
    format!("{same}({name}, {ret}, ({params}));\n")
}

pub const HEAD: &str = r#"/* Rendered by gen-wraps from the table in iota-calls. */
#define _GNU_SOURCE
#define _LARGEFILE64_SOURCE
#include <aio.h>
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <gshadow.h>
#include <mntent.h>
#include <pty.h>
#include <pwd.h>
#include <shadow.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>
#if __has_include(<sys/pidfd.h>)
#include <sys/pidfd.h>
#endif

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
_Static_assert(sizeof(off_t) == 8 && sizeof(off64_t) == 8 && sizeof(long) == 8, "a 64-bit machine");

#define SAME(name, ret, params) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), ret (*) params), "signature of " #name)
#define SAME_WITHOUT_RETURN(name, ret, params) \
    extern ret iota_##name params __attribute__((noreturn)); \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), __typeof__(&iota_##name)), "signature of " #name)
"#;
