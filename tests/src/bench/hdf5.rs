//! What recording HDF5 costs: a loop of it bare, with the POSIX calls alone, and with both layers, in the same rounds.

use crate::figures::median;
use iota_tests::machine::header_is_here;
use iota_tests::{Program, Scratch, Way, limited};
use std::process::Command;
use std::time::Duration;

const COUNT: &str = "200000";

/// A row: medians.
pub fn text(rounds: usize) -> String {
    if !header_is_here("hdf5/serial/hdf5.h") {
        return "\nHDF5: not measured, because there is no libhdf5-dev\n".into();
    }
    let program = Program::new("hdf5_bench.c").flags("-O2 -I/usr/include/hdf5/serial");
    let program = program.behind("-lhdf5_serial");
    // None: bare; otherwise whether HDF5 is recorded as well.
    let ways = [None, Some("0"), Some("1")];
    let all: Vec<_> = (0..rounds)
        .map(|_| ways.map(|traced| looped(&program, traced)))
        .collect();
    let [bare, posix, both] =
        [0, 1, 2].map(|which| median(all.iter().map(|round| round[which]).collect()));
    format!(
        "\nHDF5, ns a write of 8 bytes: bare; added by tracing POSIX alone, and by both layers\n\
         H5Dwrite {bare:>10.0} {:>+8.0} {:>+8.0}   difference {:>+6.0}\n",
        posix - bare,
        both - bare,
        both - posix
    )
}

fn looped(program: &Program, traced: Option<&str>) -> f64 {
    let scratch = Scratch::in_memory();
    let mut command = Command::new(program.executable(Way::Bare));
    if let Some(hdf5) = traced {
        command.env("LD_PRELOAD", program.shared_object());
        command.env("IOTA_OUTPUT", scratch.path().join("run"));
        command.env("IOTA_HDF5", hdf5);
    }
    let command = command.arg(COUNT).current_dir(scratch.path());
    let ran = limited(command, b"", Duration::from_secs(600));
    assert_eq!(ran.code(), 0, "{command:?}: {}", ran.errors());
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    said.trim()
        .parse()
        .unwrap_or_else(|_| panic!("it printed: {said}"))
}
