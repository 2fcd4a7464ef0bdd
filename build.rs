//! Renders the table's rows for this C library, and compiles c-shim/ with the variadic entry points. Both flavours are
//! built by this file: which one it is, the package's name says.

use gen_wraps::{CFLAGS, Flavour, Libc, hooks, variadic_stubs};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let is_shared = variable("CARGO_PKG_NAME") == "iota-preload";
    let flavour = if is_shared {
        Flavour::Preload
    } else {
        Flavour::Wrap
    };
    let libc = Libc::probe().unwrap_or_else(|why| panic!("{why}"));
    let out = PathBuf::from(variable("OUT_DIR"));
    let stubs = out.join("stubs.c");
    write(&out.join("hooks.rs"), &hooks(flavour, &libc));
    write(&stubs, &variadic_stubs(flavour, &libc));
    let house = house();
    shim(is_shared)
        .files(sources(&house.join("c-shim")))
        .files(mpi_sources(&house.join("c-shim/mpi"), is_shared))
        .files(
            sources(&house.join("c-shim/above"))
                .into_iter()
                .filter(|_| !is_shared),
        )
        .file(trampoline(&house.join("c-shim/probe")))
        .file(stubs)
        .compile("iota_shim");
    println!("cargo:rerun-if-changed={}", house.join("c-shim").display());
    println!("cargo:rerun-if-env-changed=CC");
}

fn shim(is_shared: bool) -> cc::Build {
    let mut build = cc::Build::new();
    for flag in CFLAGS {
        build.flag(flag);
    }
    if is_shared {
        build.define("IOTA_PRELOAD", None);
    }
    let features = variable("CARGO_CFG_TARGET_FEATURE");
    if features.split(',').any(|feature| feature == "avx") {
        build.define("IOTA_AVX", None);
    }
    build
}

/// The workspace, from whichever package is built.
fn house() -> PathBuf {
    let package = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let house = package.ancestors().find(|dir| dir.join("c-shim").is_dir());
    house
        .expect("c-shim lies beside or above the package")
        .to_path_buf()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let pattern = folder.join("*.c").display().to_string();
    glob::glob(&pattern)
        .expect("the pattern is well-formed")
        .flatten()
        .collect()
}

/// Fortran's entries are needed in the shared object alone, because in a link every language passes a wrapped name; and
/// references to MPI in the archive alone, because the shared object looks its functions up.
fn mpi_sources(folder: &Path, is_shared: bool) -> Vec<PathBuf> {
    let of_other = if is_shared { "archive.c" } else { "fortran.c" };
    let of_flavour = |path: &PathBuf| !path.ends_with(of_other);
    sources(folder).into_iter().filter(of_flavour).collect()
}

/// What stands before a probed function, for this processor.
fn trampoline(folder: &Path) -> PathBuf {
    folder.join(variable("CARGO_CFG_TARGET_ARCH") + ".S")
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|why| panic!("{name}, which cargo sets: {why}"))
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
}
