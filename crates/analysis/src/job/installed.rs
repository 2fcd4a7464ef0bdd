//! Which files are part of an installation: programs, libraries, modules of Python and what they come with. A job reads them
//! to start; what it works on are others.

use super::file_name;

/// Folders of systems. Others of `/usr` are not among them: centres keep work there.
const SYSTEM: [&[u8]; 7] = [
    b"/etc/", b"/lib/", b"/lib32/", b"/lib64/", b"/bin/", b"/sbin/", b"/snap/",
];
/// Below /usr and /usr/local.
const USR: [&[u8]; 9] = [
    b"bin/",
    b"sbin/",
    b"lib/",
    b"lib32/",
    b"lib64/",
    b"libexec/",
    b"share/",
    b"include/",
    b"etc/",
];
/// Folders of packages of Python, wherever they are.
const PACKAGES: [&[u8]; 3] = [b"site-packages", b"dist-packages", b"__pycache__"];
/// Ends of names: modules of Python, compiled.
const COMPILED: [&[u8]; 2] = [b".pyc", b".pyo"];

/// Whether a path is that of a file of an installation. A file that the job writes is none, whatever its name: who asks
/// looks at that as well.
pub fn is_installed(path: &[u8]) -> bool {
    is_of_system(path)
        || has_package(path)
        || is_library(file_name(path))
        || is_compiled(path)
        || file_name(path) == b"pyvenv.cfg"
}

pub(super) fn is_of_system(path: &[u8]) -> bool {
    let usr = path.strip_prefix(b"/usr/");
    let usr = usr.map(|rest| rest.strip_prefix(b"local/").unwrap_or(rest));
    usr.is_some_and(|rest| USR.iter().any(|folder| is_in(rest, folder)))
        || SYSTEM.iter().any(|folder| is_in(path, folder))
}

/// A folder, whose name ends with a slash here, is in itself.
fn is_in(path: &[u8], folder: &[u8]) -> bool {
    path.starts_with(folder) || folder.strip_suffix(b"/") == Some(path)
}

/// A folder of packages, or a standard library: `lib/python3.11`.
pub(super) fn has_package(path: &[u8]) -> bool {
    let mut before: &[u8] = b"";
    path.split(|byte| *byte == b'/').any(|folder| {
        let is_standard = matches!(before, b"lib" | b"lib64") && is_versioned(folder);
        before = folder;
        is_standard || PACKAGES.contains(&folder)
    })
}

fn is_versioned(folder: &[u8]) -> bool {
    let version = folder.strip_prefix(b"python");
    version.is_some_and(|version| version.first().is_some_and(u8::is_ascii_digit))
}

fn is_compiled(path: &[u8]) -> bool {
    COMPILED.iter().any(|end| path.ends_with(end))
}

/// `libm.so`, `libm.so.6`, `libm-2.31.so`.
fn is_library(name: &[u8]) -> bool {
    let mut rest = name;
    while let Some(at) = rest.windows(3).position(|three| three == b".so") {
        rest = &rest[at + 3..];
        let is_version = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
        if rest.is_empty() || (rest[0] == b'.' && rest.iter().all(is_version)) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::is_installed;

    #[test]
    fn paths_say_what_is_installed() {
        for path in [
            "/usr/lib/x86_64-linux-gnu/libm.so.6",
            "/etc/ld.so.cache",
            "/lib64/ld-linux-x86-64.so.2",
            "/usr/local/share/zoneinfo/UTC",
            "/home/u/venv/lib/python3.11/os.py",
            "/home/u/.local/lib/python3.11/site-packages/numpy/version.py",
            "/opt/conda/lib/libmkl_rt.so",
            "/work/model/ext.cpython-311-x86_64-linux-gnu.so",
            "/work/train/__pycache__/data.cpython-311.pyc",
            "/opt/app/libfoo-2.31.so.1.2",
            "/usr/lib",
            "/usr/pyvenv.cfg",
        ] {
            assert!(is_installed(path.as_bytes()), "{path}");
        }
        for path in [
            "",
            "a",
            "/work/data/shard.0001",
            "/usr/workspace/u/in.h5",
            "/home/u/train.py",
            "/scratch/x.solution",
            "/scratch/restart.so.bak",
            "/library/x",
            "/data/python3.11/x",
            "/usr",
        ] {
            assert!(!is_installed(path.as_bytes()), "{path}");
        }
    }
}
