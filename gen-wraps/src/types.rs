//! Types: how the table spells them, and how C does.

/// A type without pointers: its name in the table, its name in C, and where Rust has it from
pub struct Base {
    pub rust: &'static str,
    pub c: &'static str,
    pub from: From,
}

/// Where a rendered file has a type from
pub enum From {
    /// The language, or the libc crate: shapes may look at it
    Libc,
    /// Made up: hooks only pass pointers to it on
    Opaque,
    /// Written out here
    Defined(&'static str),
}

const fn known(rust: &'static str, c: &'static str) -> Base {
    Base {
        rust,
        c,
        from: From::Libc,
    }
}

const fn opaque(rust: &'static str, c: &'static str) -> Base {
    Base {
        rust,
        c,
        from: From::Opaque,
    }
}

/// A pointer to a function, which hooks pass on
const fn function(rust: &'static str, c: &'static str) -> Base {
    Base {
        rust,
        c,
        from: From::Defined("*mut c_void"),
    }
}

/// A handle of MPI's, which hooks pass on as a word
const fn handle(name: &'static str) -> Base {
    Base {
        rust: name,
        c: name,
        from: From::Defined("usize"),
    }
}

/// Every type that rows may use
#[rustfmt::skip]
pub const BASES: &[Base] = &[
    known("()", "void"),
    known("!", "void"),
    known("c_void", "void"),
    known("c_char", "char"),
    known("c_int", "int"),
    known("c_uint", "unsigned int"),
    known("c_long", "long"),
    known("c_ulong", "unsigned long"),
    known("c_schar", "signed char"),
    known("c_uchar", "unsigned char"),
    known("c_short", "short"),
    known("c_ushort", "unsigned short"),
    known("c_longlong", "long long"),
    known("c_ulonglong", "unsigned long long"),
    known("c_float", "float"),
    known("c_double", "double"),
    known("ptrdiff_t", "ptrdiff_t"),
    known("size_t", "size_t"),
    known("ssize_t", "ssize_t"),
    known("off_t", "off_t"),
    known("off64_t", "off64_t"),
    known("mode_t", "mode_t"),
    known("uid_t", "uid_t"),
    known("gid_t", "gid_t"),
    known("pid_t", "pid_t"),
    known("dev_t", "dev_t"),
    known("key_t", "key_t"),
    known("socklen_t", "socklen_t"),
    known("wchar_t", "wchar_t"),
    known("FILE", "FILE"),
    known("DIR", "DIR"),
    known("iovec", "struct iovec"),
    known("open_how", "struct open_how"),
    known("aiocb", "struct aiocb"),
    known("sigevent", "struct sigevent"),
    opaque("aiocb64", "struct aiocb64"),
    opaque("termios", "struct termios"),
    opaque("winsize", "struct winsize"),
    opaque("posix_spawn_file_actions_t", "posix_spawn_file_actions_t"),
    opaque("posix_spawnattr_t", "posix_spawnattr_t"),
    opaque("stat", "struct stat"),
    opaque("stat64", "struct stat64"),
    opaque("statx", "struct statx"),
    opaque("statfs", "struct statfs"),
    opaque("statfs64", "struct statfs64"),
    opaque("statvfs", "struct statvfs"),
    opaque("statvfs64", "struct statvfs64"),
    opaque("dirent", "struct dirent"),
    opaque("dirent64", "struct dirent64"),
    opaque("file_handle", "struct file_handle"),
    opaque("utimbuf", "struct utimbuf"),
    opaque("timeval", "struct timeval"),
    opaque("timespec", "struct timespec"),
    opaque("sigset_t", "sigset_t"),
    opaque("fpos_t", "fpos_t"),
    opaque("fpos64_t", "fpos64_t"),
    opaque("glob_t", "glob_t"),
    opaque("glob64_t", "glob64_t"),
    opaque("FTS", "FTS"),
    opaque("FTSENT", "FTSENT"),
    opaque("FTS64", "FTS64"),
    opaque("FTSENT64", "FTSENT64"),
    opaque("mntent", "struct mntent"),
    opaque("passwd", "struct passwd"),
    opaque("group", "struct group"),
    opaque("spwd", "struct spwd"),
    opaque("sgrp", "struct sgrp"),
    opaque("NC_memio", "NC_memio"),
    opaque("iocb", "struct iocb"),
    opaque("io_event", "struct io_event"),
    opaque("io_uring", "struct io_uring"),
    opaque("io_uring_params", "struct io_uring_params"),
    opaque("io_uring_cqe", "struct io_uring_cqe"),
    opaque("kernel_timespec", "struct __kernel_timespec"),
    function("io_context_t", "io_context_t"),
    handle("MPI_Comm"),
    handle("MPI_File"),
    handle("MPI_Info"),
    handle("MPI_Datatype"),
    handle("MPI_Request"),
    handle("MPI_Group"),
    Base { rust: "MPI_Offset", c: "MPI_Offset", from: From::Defined("i64") },
    Base { rust: "MPI_Count", c: "MPI_Count", from: From::Defined("i64") },
    Base { rust: "MPI_Aint", c: "MPI_Aint", from: From::Defined("isize") },
    Base { rust: "MPI_Status", c: "MPI_Status", from: From::Defined("c_void") },
    Base { rust: "hid_t", c: "hid_t", from: From::Defined("i64") },
    Base { rust: "herr_t", c: "herr_t", from: From::Defined("c_int") },
    Base { rust: "u32", c: "uint32_t", from: From::Libc },
    Base { rust: "hsize_t", c: "hsize_t", from: From::Defined("u64") },
    Base { rust: "haddr_t", c: "haddr_t", from: From::Defined("u64") },
    Base { rust: "H5O_token_t", c: "H5O_token_t", from: From::Defined("TwoWords") },
    Base { rust: "htri_t", c: "htri_t", from: From::Defined("c_int") },
    Base { rust: "hbool_t", c: "hbool_t", from: From::Defined("c_int") },
    Base { rust: "H5F_scope_t", c: "H5F_scope_t", from: From::Defined("c_int") },
    Base { rust: "H5_index_t", c: "H5_index_t", from: From::Defined("c_int") },
    Base { rust: "H5_iter_order_t", c: "H5_iter_order_t", from: From::Defined("c_int") },
    function("H5A_operator1_t", "H5A_operator1_t"),
    function("H5A_operator2_t", "H5A_operator2_t"),
    function("H5D_chunk_iter_op_t", "H5D_chunk_iter_op_t"),
    function("H5G_iterate_t", "H5G_iterate_t"),
    function("H5L_iterate1_t", "H5L_iterate1_t"),
    function("H5L_iterate2_t", "H5L_iterate2_t"),
    function("H5O_iterate1_t", "H5O_iterate1_t"),
    function("H5O_iterate2_t", "H5O_iterate2_t"),
    opaque("H5A_info_t", "H5A_info_t"),
    opaque("H5G_info_t", "H5G_info_t"),
    opaque("H5G_stat_t", "H5G_stat_t"),
    opaque("H5L_info1_t", "H5L_info1_t"),
    opaque("H5L_info2_t", "H5L_info2_t"),
    opaque("H5O_info1_t", "H5O_info1_t"),
    opaque("H5O_info2_t", "H5O_info2_t"),
    opaque("H5O_native_info_t", "H5O_native_info_t"),
    Base { rust: "va_list", c: "va_list", from: From::Defined("*mut c_void") },
    Base { rust: "wint_t", c: "wint_t", from: From::Defined("c_uint") },
    Base { rust: "eventfd_t", c: "eventfd_t", from: From::Defined("u64") },
    Base { rust: "cookie_io_functions_t", c: "cookie_io_functions_t", from: From::Defined("FourPointers") },
    function("sockaddr_arg", "__SOCKADDR_ARG"),
    function("filter_fn", "int (*)(const struct dirent *)"),
    function("filter64_fn", "int (*)(const struct dirent64 *)"),
    function("order_fn", "int (*)(const struct dirent **, const struct dirent **)"),
    function("order64_fn", "int (*)(const struct dirent64 **, const struct dirent64 **)"),
    function("ftw_fn", "__ftw_func_t"),
    function("ftw64_fn", "__ftw64_func_t"),
    function("nftw_fn", "__nftw_func_t"),
    function("nftw64_fn", "__nftw64_func_t"),
    function("fts_order_fn", "int (*)(const FTSENT **, const FTSENT **)"),
    function("fts64_order_fn", "int (*)(const FTSENT64 **, const FTSENT64 **)"),
    function("clone_fn", "int (*)(void *)"),
    function("glob_error_fn", "int (*)(const char *, int)"),
];

/// The types that a rendered file must define itself, in Rust
pub fn definitions() -> String {
    let lines = BASES.iter().filter_map(|base| match base.from {
        From::Libc => None,
        From::Opaque => Some(format!("    pub enum {} {{}}\n", base.rust)),
        From::Defined(what) => Some(format!("    pub type {} = {what};\n", base.rust)),
    });
    lines
        .chain([FOUR_POINTERS.into(), TWO_WORDS.into()])
        .collect()
}

/// A structure passed by value: its size and alignment are all that a hook needs
const FOUR_POINTERS: &str = "    #[repr(C)]\n    pub struct FourPointers(*mut c_void, *mut c_void, *mut c_void, *mut c_void);\n";

const TWO_WORDS: &str = "    #[repr(C)]\n    pub struct TwoWords(u64, u64);\n";

/// True for a pointer to a function
pub fn is_function(ty: &str) -> bool {
    BASES
        .iter()
        .any(|base| base.rust == ty && matches!(base.from, From::Defined("*mut c_void")))
}

/// A type of the table in C, by itself
pub fn c(ty: &str) -> String {
    c_declaration(ty, "").trim_end().into()
}

/// A parameter of a type of the table in C
pub fn c_declaration(ty: &str, name: &str) -> String {
    if let Some(pointee) = ty.strip_prefix("*mut ") {
        return c_declaration(pointee, &format!("*{name}"));
    }
    if let Some(pointee) = ty.strip_prefix("*const ") {
        return c_declaration_const(pointee, &format!("*{name}"));
    }
    format!("{} {name}", base(ty))
}

/// The same, with the thing itself constant: `int *const *name`
fn c_declaration_const(ty: &str, name: &str) -> String {
    if ty.starts_with('*') {
        return c_declaration(ty, &format!("const {name}"));
    }
    format!("const {} {name}", base(ty))
}

fn base(ty: &str) -> &'static str {
    let known = BASES.iter().find(|base| base.rust == ty);
    known
        .unwrap_or_else(|| {
            panic!("the table uses the type `{ty}`, which gen-wraps/src/types.rs does not know")
        })
        .c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_turn_round() {
        assert_eq!(c("c_int"), "int");
        assert_eq!(c("*const c_char"), "const char *");
        assert_eq!(c("*mut *mut c_char"), "char **");
        assert_eq!(c("*const *mut c_char"), "char *const *");
        assert_eq!(c("*const *const c_char"), "const char *const *");
        assert_eq!(
            c_declaration("*mut *const c_char", "list"),
            "const char **list"
        );
    }
}
