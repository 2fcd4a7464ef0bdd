//! `gen-wraps`: probes for links, and what documents and tests are rendered with.

use gen_wraps::{
    Libc, above_signatures, document, mpi_signatures, pointers, probe_flags, probe_object,
    signatures,
};
use iota_calls::Library;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

const USAGE: &str = "usage: gen-wraps --probe NAME,... -o FILE.o        an object for links that records calls of these functions; prints what to
                                                   add to the link line
       gen-wraps calls-md                          docs/CALLS.md
       gen-wraps signatures                        the C file that checks every signature
       gen-wraps mpi-signatures                    the same for MPI's
       gen-wraps hdf5-signatures                   the same for HDF5's
       gen-wraps netcdf-signatures                 the same for NetCDF's
       gen-wraps pnetcdf-signatures                the same for PnetCDF's
       gen-wraps pointers                          the program that calls every function with bad arguments
";

fn main() -> ExitCode {
    let args = std::env::args().skip(1).collect::<Vec<_>>();
    let args = args.iter().map(String::as_str).collect::<Vec<_>>();
    match render(&args) {
        Ok(text) => print(&text),
        Err(error) => {
            eprint!("gen-wraps: {error}");
            ExitCode::from(2)
        }
    }
}

fn print(text: &str) -> ExitCode {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gen-wraps: standard output: {error}");
            ExitCode::from(2)
        }
    }
}

fn render(args: &[&str]) -> Result<String, String> {
    match *args {
        ["--probe", names, "-o", object] => probed(names, object),
        ["calls-md"] => Ok(document()),
        ["mpi-signatures"] => Ok(mpi_signatures()),
        ["hdf5-signatures"] => Ok(above_signatures(Library::Hdf5)),
        ["netcdf-signatures"] => Ok(above_signatures(Library::Netcdf)),
        ["pnetcdf-signatures"] => Ok(above_signatures(Library::Pnetcdf)),
        ["signatures"] => Ok(signatures(&probe()?)),
        ["pointers"] => Ok(pointers(&probe()?)),
        _ => Err(format!("cannot do {args:?}\n{USAGE}")),
    }
}

/// Makes the object and, beside it, the file of its flags; the words that a link line needs.
fn probed(names: &str, object: &str) -> Result<String, String> {
    let names: Vec<_> = names.split(',').collect();
    let source = probe_object(&names)?;
    let object = std::path::absolute(object).map_err(|error| format!("{object}: {error}\n"))?;
    let flags = object.with_extension("rsp");
    check_flags(&flags)?;
    assemble(&source, &object).map_err(|error| format!("{}: {error}\n", object.display()))?;
    fs::write(&flags, probe_flags(&names))
        .map_err(|error| format!("{}: {error}\n", flags.display()))?;
    Ok(format!("{} -Wl,@{}\n", object.display(), flags.display()))
}

fn assemble(source: &str, object: &Path) -> io::Result<()> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut words = compiler.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("cc"));
    command
        .args(words)
        .args(["-c", "-x", "assembler", "-", "-o"]);
    let mut child = command.arg(object).stdin(Stdio::piped()).spawn()?;
    if let Some(mut to) = child.stdin.take() {
        to.write_all(source.as_bytes())?;
    }
    match child.wait()?.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("{compiler} failed"))),
    }
}

/// A shell splits the link line at white space, the compiler at commas
fn check_flags(file: &Path) -> Result<(), String> {
    let name = file.display().to_string();
    match name.contains(|c: char| c.is_whitespace() || c == ',') {
        true => Err(format!(
            "{name:?}: white space or a comma, which no link line can carry\n"
        )),
        false => Ok(()),
    }
}

fn probe() -> Result<Libc, String> {
    Libc::probe().map_err(|error| error + "\n")
}
