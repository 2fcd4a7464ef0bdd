//! Renders the table's rows: the hooks for src/, and in OUT_DIR what scripts/archives.mk makes the libraries
//! and the link flags of. The C of each flavour is compiled here, too.

use gen_wraps::{
    CFLAGS, Flavour, Libc, above_flags, above_members, exported_symbols, hooks, libc_members,
    newer_flags, renamed_symbols, variadic_stubs, wrap_flags, wraps_line,
};
use iota_calls::Library;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let libc = Libc::probe().unwrap_or_else(|why| panic!("{why}"));
    let out = PathBuf::from(variable("OUT_DIR"));
    write(&out.join("hooks.rs"), &hooks(&libc));
    for (name, flavour) in [("wrap", Flavour::Wrap), ("preload", Flavour::Preload)] {
        let out = out.join(name);
        fs::create_dir_all(&out).unwrap_or_else(|why| panic!("{}: {why}", out.display()));
        write(&out.join("exports"), &exported_symbols(flavour));
        write(&out.join("renames"), &renamed_symbols(flavour));
        write(&out.join("stubs.c"), &variadic_stubs(flavour));
        compile(flavour, &out);
    }
    write(
        &out.join("wraps.txt"),
        &wraps_line(Path::new("LIB_DIR"), "NEWER"),
    );
    write(&out.join("wraps.rsp"), &wrap_flags());
    for (version, flags) in newer_flags() {
        write(&out.join(format!("{version}.rsp")), &flags);
    }
    write(&out.join("members-libc.c"), &libc_members());
    write(&out.join("above.rsp"), &above_flags());
    for (name, library) in [
        ("hdf5", Library::Hdf5),
        ("netcdf", Library::Netcdf),
        ("pnetcdf", Library::Pnetcdf),
    ] {
        write(
            &out.join(format!("members-{name}.c")),
            &above_members(library),
        );
    }
    println!("cargo:rerun-if-changed=c-shim");
    println!("cargo:rerun-if-env-changed=CC");
}

/// c-shim/ and the rendered stubs, as libiota_shim.a. It is not linked here: the two of them define the same names.
fn compile(flavour: Flavour, out: &Path) {
    let is_shared = flavour == Flavour::Preload;
    let shim = Path::new("c-shim");
    let mut build = cc::Build::new();
    for flag in CFLAGS {
        build.flag(flag);
    }
    if is_shared {
        build.define("IOTA_PRELOAD", None);
    } else {
        build.files(sources(&shim.join("above")));
    }
    let features = variable("CARGO_CFG_TARGET_FEATURE");
    if features.split(',').any(|feature| feature == "avx") {
        build.define("IOTA_AVX", None);
    }
    build
        .files(sources(shim))
        .files(mpi_sources(&shim.join("mpi"), is_shared))
        .file(trampoline(&shim.join("probe")))
        .file(out.join("stubs.c"))
        .cargo_metadata(false)
        .out_dir(out)
        .compile("iota_shim");
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
