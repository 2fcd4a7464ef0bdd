//! HDF5 1.14 and 2.0, of which wheels of h5py bring the libraries: the functions that 1.10 lacks, and the others.

use super::{INCLUDE, has_hdf5, is_told};
use iota_tests::{Program, Way, root, wanted};
use std::path::PathBuf;

/// What scripts/deps.sh calls them, and what the programs do.
const V1_14: (&str, u32) = ("1.14", 114);
const V2_0: (&str, u32) = ("2.0", 200);

fn library(version: &str) -> Option<PathBuf> {
    let dir = root().join("build/hdf5").join(version).join("h5py.libs");
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut paths = files.map(|file| file.path());
    paths.find(|path| path.to_string_lossy().contains("/libhdf5-"))
}

fn are_told(source: &str) {
    if !has_hdf5() {
        return;
    }
    for (version, number) in [V1_14, V2_0] {
        let library = library(version);
        let what = format!("HDF5 {version}");
        if !wanted(&what, library.is_some(), "scripts/deps.sh test gets it") {
            continue;
        }
        let library = library.expect("it is wanted");
        let dir = library.parent().expect("a folder").display().to_string();
        let program = Program::new(source).flags(&format!("{INCLUDE} -DHDF5={number}"));
        // The library itself does not say in each wheel where its own libraries are.
        let rpath = format!("-Wl,--disable-new-dtags,-rpath,{dir}");
        let program = program.behind(&format!("{} {rpath}", library.display()));
        for way in [Way::Preload, Way::Dynamic] {
            is_told(program.clone(), way);
        }
    }
}

#[test]
fn event_sets_and_several_datasets() {
    are_told("hdf5_newer.c");
}

#[test]
fn objects() {
    are_told("hdf5_objects.c");
}

#[test]
fn datasets() {
    are_told("hdf5_datasets.c");
}
