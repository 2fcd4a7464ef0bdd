//! Types: how the table spells them, and how C does.

/// A type without pointers: its name in the table, its name in C, and whether the libc crate lacks it
pub struct Base {
    pub rust: &'static str,
    pub c: &'static str,
    pub opaque: bool,
}

const fn known(rust: &'static str, c: &'static str) -> Base {
    Base {
        rust,
        c,
        opaque: false,
    }
}

/// Every type that rows may use
pub const BASES: &[Base] = &[
    known("()", "void"),
    known("!", "void"),
    known("c_void", "void"),
    known("c_char", "char"),
    known("c_int", "int"),
    known("c_uint", "unsigned int"),
    known("c_long", "long"),
    known("c_ulong", "unsigned long"),
    known("size_t", "size_t"),
    known("ssize_t", "ssize_t"),
    known("off_t", "off_t"),
    known("off64_t", "off64_t"),
    known("mode_t", "mode_t"),
    known("va_list", "va_list"),
    known("FILE", "FILE"),
    known("iovec", "struct iovec"),
];

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
