//! Links the liblustreapi below the folder that `IOTA_LUSTREAPI` names (`make LUSTRE=/path`); without one, nothing.

use std::path::{Path, PathBuf};

const PLACES: [&str; 4] = ["lib64", "lib", "usr/lib64", "usr/lib"];
const NAMES: [&str; 2] = ["liblustreapi.so", "liblustreapi.a"];

fn main() {
    println!("cargo::rustc-check-cfg=cfg(lustreapi)");
    println!("cargo::rerun-if-env-changed=IOTA_LUSTREAPI");
    let Some(root) = std::env::var_os("IOTA_LUSTREAPI").filter(|root| !root.is_empty()) else {
        return;
    };
    let root = PathBuf::from(root);
    let Some(library) = find(&root) else {
        let (root, places) = (root.display(), PLACES.join(", "));
        println!("cargo::error=LUSTRE={root}: no liblustreapi in {places} below it");
        return;
    };
    let folder = library.display();
    println!("cargo::rustc-link-search=native={folder}");
    println!("cargo::rustc-link-lib=lustreapi");
    println!("cargo::rustc-cfg=lustreapi");
    println!("cargo::metadata=folder={folder}");
}

fn find(root: &Path) -> Option<PathBuf> {
    let has_library = |folder: &PathBuf| NAMES.iter().any(|name| folder.join(name).exists());
    PLACES
        .map(|place| root.join(place))
        .into_iter()
        .find(has_library)
}
