//! wraps.txt: what a user adds to a link line; and the response file that it names. A linker reads that by itself, so that
//! hundreds of flags pass neither a shell nor a compiler's wrapper.

use crate::above::above_rows;
use crate::mpi::mpi_rows;
use crate::{Flavour, traced};
use iota_calls::Call;
use iota_calls::glibc::{CALLED_UNTIL, FLOOR, release};
use std::collections::BTreeMap;
use std::path::Path;

/// The response file's name, beside the library
pub const RESPONSE_FILE: &str = "libiota.rsp";

/// The flags of every function that a link with any C library may wrap, one a line. `--undefined` pulls the function
/// itself into a static link: lld can take `__real_x` for a weak reference, which pulls nothing, and then the program dies
/// in its first call.
pub fn wrap_flags() -> String {
    let rows = wrapped().filter(|call| !Flavour::Wrap.is_member(call));
    let flags = rows.map(|call| format!("--wrap={0}\n--undefined={0}\n", call.name));
    flags
        .chain(mpi_rows().map(|(_, call)| mpi_flags(call.name)))
        .collect()
}

/// Response files of C libraries, by the version of the library: the flags of what it has and the floor has not, and of what
/// programs no longer call in newer ones. The archive's member is asked for as well: a library that stands behind ours on a link line may be the first to call the
/// function
pub fn newer_flags() -> BTreeMap<&'static str, String> {
    let versions = wrapped().filter_map(Call::since);
    let versions = versions.chain([FLOOR, CALLED_UNTIL]);
    let flags_of = |version: &'static str| {
        let is_called = |call: &&Call| match call.since() {
            Some(since) => release(since) <= release(version),
            None => call.is_called_before() && release(version) < release(CALLED_UNTIL),
        };
        let flags = wrapped().filter(is_called);
        let flags = flags.map(|call| {
            format!(
                "--wrap={0}\n--undefined={0}\n--undefined=__wrap_{0}\n",
                call.name
            )
        });
        // Of 2.33: it saves the tracer from asking the processor.
        let ask = match release(version) >= release("GLIBC_2.33") {
            true => "--undefined=__x86_get_cpuid_feature_leaf\n",
            false => "",
        };
        (version, flags.chain([ask.into()]).collect())
    };
    versions.map(flags_of).collect()
}

fn wrapped() -> impl Iterator<Item = &'static Call> {
    traced(Flavour::Wrap).into_iter().map(|(_, call)| call)
}

/// The response file for programs that have HDF5, NetCDF or PnetCDF in themselves: their calls of these go to members of an
/// archive. It is one of its own, because the order of libraries matters to what it asks for; the functions of shared
/// libraries the shared object sees by their plain names
pub fn above_flags() -> String {
    let flags = above_rows().map(|(_, call)| format!("--wrap={}\n", call.name));
    flags.chain(["-l:libiota-above.a\n".into()]).collect()
}

/// Both names of a function of MPI, and its object out of a static libmpi.a, which is no error where nothing has it: the
/// entry refers to the other name
fn mpi_flags(name: &str) -> String {
    format!("--wrap={name}\n--wrap=P{name}\n--undefined={name}\n")
}

/// wraps.txt, one line: the flags, in `newer` those of functions that the oldest C library lacks, where the library is, and that it is needed whatever the linker thinks. In `link/` is what
/// a dynamic link sees of the shared object (scripts/stub.sh); the archive is not there.
///
/// `-u` pulls the archive's object into a static link, `--no-as-needed` keeps the shared object in a dynamic one. There
/// is no rpath: the shared object's own name is its absolute path, and a `-static-pie` program with an rpath dies
pub fn wraps_line(lib_dir: &Path, newer: &str) -> String {
    let dir = lib_dir.display();
    format!(
        "-Wl,@{dir}/{RESPONSE_FILE} {newer}-Wl,-u,iota_start -L{dir}/link -L{dir} -Wl,--push-state,--no-as-needed -liota -Wl,--pop-state -lpthread -ldl\n"
    )
}
