//! What differs between versions of glibc. A row says since when its function exists, if that is above the floor.

use crate::{Call, Library};

/// The oldest glibc that a build serves
pub const FLOOR: &str = "GLIBC_2.28";

/// Functions that were in libc_nonshared.a before glibc 2.33, so that each program had its own: the name, and what that
/// one called in the shared library, with a version number before the arguments
pub const CALLED_BEFORE: &[(&str, &str)] = &[
    ("stat", "__xstat"),
    ("stat64", "__xstat64"),
    ("lstat", "__lxstat"),
    ("lstat64", "__lxstat64"),
    ("fstat", "__fxstat"),
    ("fstat64", "__fxstat64"),
    ("fstatat", "__fxstatat"),
    ("fstatat64", "__fxstatat64"),
    ("mknod", "__xmknod"),
    ("mknodat", "__xmknodat"),
];

/// Since when no program that is linked calls them any more
pub const CALLED_UNTIL: &str = "GLIBC_2.33";

/// Functions above the floor that do nothing but a system call of the same name
pub const SYSTEM_CALLS: &[&str] = &[
    "getdents64",
    "close_range",
    "execveat",
    "pidfd_open",
    "pidfd_getfd",
    "openat2",
];

impl Call {
    /// Since which version above the floor glibc has a function; None: the floor has it, or it is not glibc's
    pub fn since(&self) -> Option<&'static str> {
        let first = self.versions.first().copied();
        first.filter(|_| self.library == Library::Libc)
    }

    /// Whether programs that are linked with an older C library call it in the place of another function, as objects of libc.a do
    pub fn is_called_before(&self) -> bool {
        CALLED_BEFORE.iter().any(|(_, name)| *name == self.name)
    }
}

/// The numbers of a version of glibc, to compare; those of another library's are 0
pub fn release(version: &str) -> [u32; 3] {
    let mut numbers = version
        .strip_prefix("GLIBC_")
        .unwrap_or_default()
        .split('.');
    [(); 3].map(|()| {
        numbers
            .next()
            .and_then(|number| number.parse().ok())
            .unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_number() {
        assert!(release("GLIBC_2.34") > release("GLIBC_2.4"));
        assert!(release("GLIBC_2.2.5") < release("GLIBC_2.3"));
        assert!(release("GLIBC_2.17") > release(""));
    }

    #[test]
    fn rows_name_a_version_only_above_the_floor() {
        for (_, call) in crate::rows() {
            let since = call
                .since()
                .is_none_or(|version| release(version) > release(FLOOR));
            assert!(since, "{}: {:?}", call.name, call.versions);
        }
    }
}
