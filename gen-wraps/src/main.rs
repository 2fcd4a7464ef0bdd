//! `gen-wraps`: what make writes to files.

use gen_wraps::{
    Flavour, Libc, above_flags, above_members, above_signatures, document, exported_symbols, hooks,
    mpi_signatures, pointers, probe_flags, probe_object, signatures, variadic_stubs, wrap_flags,
    wraps_line,
};
use iota_calls::Library;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

const USAGE: &str = "usage: gen-wraps wraps-line --lib-dir DIR           the line of wraps.txt
       gen-wraps wraps                             the response file that it names
       gen-wraps wraps-above                       the same for libraries above MPI-IO that are linked statically
       gen-wraps --probe NAME,... -o FILE.o        an object for links that records calls of these functions; prints what to
                                                   add to the link line
       gen-wraps exports --flavour wrap|preload    the symbols that a library keeps
       gen-wraps calls-md                          docs/CALLS.md
       gen-wraps signatures                        the C file that checks every signature
       gen-wraps mpi-signatures                    the same for MPI's
       gen-wraps hdf5-signatures                   the same for HDF5's
       gen-wraps netcdf-signatures                 the same for NetCDF's
       gen-wraps pnetcdf-signatures                the same for PnetCDF's
       gen-wraps hdf5-members                      the C file of the archive's entries for HDF5
       gen-wraps netcdf-members                    the same for NetCDF
       gen-wraps pnetcdf-members                   the same for PnetCDF
       gen-wraps pointers                          the program that calls every function with bad arguments
       gen-wraps hooks --flavour wrap|preload      the hooks in Rust
       gen-wraps stubs --flavour wrap|preload      the variadic entry points in C
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
        ["wraps-line", "--lib-dir", dir] => Ok(wraps_line(lib_dir(dir)?)),
        ["wraps"] => Ok(wrap_flags(&probe()?)),
        ["wraps-above"] => Ok(above_flags()),
        ["exports", "--flavour", name] => Ok(exported_symbols(flavour(name)?, &probe()?)),
        ["--probe", names, "-o", object] => probed(names, object),
        ["calls-md"] => Ok(document()),
        ["mpi-signatures"] => Ok(mpi_signatures()),
        ["hdf5-signatures"] => Ok(above_signatures(Library::Hdf5)),
        ["netcdf-signatures"] => Ok(above_signatures(Library::Netcdf)),
        ["pnetcdf-signatures"] => Ok(above_signatures(Library::Pnetcdf)),
        ["hdf5-members"] => Ok(above_members(Library::Hdf5)),
        ["netcdf-members"] => Ok(above_members(Library::Netcdf)),
        ["pnetcdf-members"] => Ok(above_members(Library::Pnetcdf)),
        ["signatures"] => Ok(signatures(&probe()?)),
        ["pointers"] => Ok(pointers(&probe()?)),
        ["hooks", "--flavour", name] => Ok(hooks(flavour(name)?, &probe()?)),
        ["stubs", "--flavour", name] => Ok(variadic_stubs(flavour(name)?, &probe()?)),
        _ => Err(format!("cannot do {args:?}\n{USAGE}")),
    }
}

/// Makes the object and, beside it, the file of its flags; the words that a link line needs.
fn probed(names: &str, object: &str) -> Result<String, String> {
    let names: Vec<_> = names.split(',').collect();
    let source = probe_object(&names)?;
    let object = std::path::absolute(object).map_err(|error| format!("{object}: {error}\n"))?;
    let flags = object.with_extension("rsp");
    lib_dir(&flags.display().to_string())?;
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

/// The flags are to work from any directory, and a shell splits them at white space, the compiler at commas
fn lib_dir(dir: &str) -> Result<&Path, String> {
    let path = Path::new(dir);
    if !path.is_absolute() {
        return Err(format!("--lib-dir {dir}: not an absolute path\n"));
    }
    if dir.contains(|c: char| c.is_whitespace() || c == ',') {
        return Err(format!(
            "--lib-dir {dir:?}: white space or a comma, which no link line can carry\n"
        ));
    }
    Ok(path)
}

fn probe() -> Result<Libc, String> {
    Libc::probe().map_err(|error| error + "\n")
}

fn flavour(name: &str) -> Result<Flavour, String> {
    match name {
        "wrap" => Ok(Flavour::Wrap),
        "preload" => Ok(Flavour::Preload),
        _ => Err(format!("no flavour `{name}`\n{USAGE}")),
    }
}
