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
    let mut serial = shim(is_shared);
    serial
        .files(sources(&house.join("c-shim")))
        .file(stubs)
        .compile("iota_shim");
    if env::var_os("CARGO_FEATURE_MPI").is_some() {
        let mpi = house.join("c-shim/mpi");
        shim(is_shared)
            .compiler(mpicc())
            .files(mpi_sources(&mpi, is_shared))
            .compile("iota_mpi_shim");
    }
    println!("cargo:rerun-if-changed={}", house.join("c-shim").display());
    println!("cargo:rerun-if-env-changed=CC");
    println!("cargo:rerun-if-env-changed=MPICC");
}

fn shim(is_shared: bool) -> cc::Build {
    let mut build = cc::Build::new();
    for flag in CFLAGS {
        build.flag(flag);
    }
    if is_shared {
        build.define("IOTA_PRELOAD", None);
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

/// Fortran's entries are needed in the shared object alone: in a link every language passes a wrapped name.
fn mpi_sources(folder: &Path, is_shared: bool) -> Vec<PathBuf> {
    let of_flavour = |path: &PathBuf| is_shared || !path.ends_with("fortran.c");
    sources(folder).into_iter().filter(of_flavour).collect()
}

/// cc's own variables would choose another compiler than the one that knows where MPI is.
fn mpicc() -> String {
    env::var("MPICC").unwrap_or_else(|_| "mpicc".into())
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|why| panic!("{name}, which cargo sets: {why}"))
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
}
