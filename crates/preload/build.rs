//! Renders the table's rows for this C library, and compiles c-shim/ with the variadic entry points.

use gen_wraps::{CFLAGS, Flavour, Libc, hooks, variadic_stubs};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let libc = Libc::probe().unwrap_or_else(|why| panic!("{why}"));
    let stubs = out.join("stubs.c");
    write(&out.join("hooks.rs"), &hooks(Flavour::Preload, &libc));
    write(&stubs, &variadic_stubs(Flavour::Preload, &libc));
    let mut build = cc::Build::new();
    for flag in CFLAGS {
        build.flag(flag);
    }
    for file in glob::glob("../../c-shim/*.c").expect("the pattern is well-formed").flatten() {
        println!("cargo:rerun-if-changed={}", file.display());
        build.file(file);
    }
    build.file(stubs).warnings(true).compile("iota_shim");
    println!("cargo:rerun-if-changed=../../c-shim");
    println!("cargo:rerun-if-env-changed=CC");
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
}
