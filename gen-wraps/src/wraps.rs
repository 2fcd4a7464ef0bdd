//! wraps.txt: what a user adds to a link line.

use crate::{Flavour, Libc, traced};
use std::path::Path;

/// The flags of every function that a link may wrap here. `-u` pulls the function itself into a static link: lld can
/// take `__real_x` for a weak reference, which pulls nothing, and then the program dies in its first call
pub fn wrap_flags(libc: &Libc) -> String {
    let flags = traced(Flavour::Wrap, libc).into_iter();
    flags
        .map(|(_, call)| format!("-Wl,--wrap={0} -Wl,-u,{0}", call.name))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The flags behind them: where the library is, and that it is needed whatever the linker thinks.
///
/// `-u` pulls the archive's object into a static link, `--no-as-needed` keeps the shared object in a dynamic one. There
/// is no rpath: the shared object's own name is its absolute path, and a `-static-pie` program with an rpath dies
pub fn tail(lib_dir: &Path, lib: &str) -> String {
    let dir = lib_dir.display();
    format!(
        "-Wl,-u,iota_start -L{dir} -Wl,--push-state,--no-as-needed -l{lib} -Wl,--pop-state -lpthread -ldl"
    )
}

/// wraps.txt, one line
pub fn wraps_line(libc: &Libc, lib_dir: &Path, lib: &str) -> String {
    format!("{} {}\n", wrap_flags(libc), tail(lib_dir, lib))
}
