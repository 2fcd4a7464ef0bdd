//! `module load iota`, and then `cc` and `ftn` as on a Cray: programs are traced without a word on their link lines.

use iota_tests::{
    Case, Program, Scratch, Trace, Way, command_output, find, released, root, wanted,
};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A release that is unpacked, and the wrappers of a Cray
struct Cray {
    scratch: Scratch,
    release: PathBuf,
}

impl Cray {
    fn new() -> Option<Cray> {
        let archive = released(".tar.xz")?;
        for (program, package) in [
            ("tclsh", "tcl"),
            ("pkg-config", "pkgconf"),
            ("gfortran", "gfortran"),
        ] {
            let remedy = format!("apt-get install {package}");
            if !wanted(program, find(program).is_some(), &remedy) {
                return None;
            }
        }
        let scratch = Scratch::new();
        let (wrappers, tree) = (scratch.dir("wrappers"), scratch.dir("tree"));
        for name in ["cc", "ftn"] {
            let wrapper = root().join("tests/craype/wrapper.sh");
            std::os::unix::fs::symlink(wrapper, wrappers.join(name)).expect("a link");
        }
        let mut tar = Command::new("tar");
        command_output(tar.arg("-xf").arg(archive).arg("-C").arg(&tree));
        let mut entries = std::fs::read_dir(&tree).expect("a directory");
        let release = entries.next().expect("a tree").expect("an entry").path();
        Some(Cray { scratch, release })
    }

    /// Links a program after `module load`.
    fn link(&self, wrapper: &str, source: &str, options: &str) -> PathBuf {
        let modules = self.release.join("share/modulefiles/iota");
        let mut modules = std::fs::read_dir(modules).expect("modulefiles");
        let module = modules.next().expect("one").expect("an entry").path();
        let program = self.scratch.path().join(format!("{wrapper}{options}"));
        let source = root().join("tests/programs").join(source);
        let line = format!(
            "eval \"$(tclsh {}/tests/craype/module.tcl {})\" && {wrapper} {options} {} -o {}",
            root().display(),
            module.display(),
            source.display(),
            program.display(),
        );
        let path = std::env::var("PATH").unwrap_or_default();
        let wrappers = self.scratch.path().join("wrappers");
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]);
        shell.env("PATH", format!("{}:{path}", wrappers.display()));
        command_output(&mut shell);
        program
    }
}

fn traced(program: &Path, args: &str) -> Trace {
    let program = Program::command(&program.display().to_string());
    let ran = Case::of(program).way(Way::Bare).args(args).run();
    let trace = ran.succeeded().trace();
    trace.assert_whole();
    trace
}

#[test]
fn programs_in_c() {
    let Some(cray) = Cray::new() else { return };
    for options in ["", "-static", "-O2"] {
        let trace = traced(&cray.link("cc", "many.c", options), "100");
        assert_eq!(trace.count("pwrite"), 100, "cc {options}");
    }
}

#[test]
fn programs_in_fortran() {
    let Some(cray) = Cray::new() else { return };
    for options in ["", "-static"] {
        let trace = traced(&cray.link("ftn", "fortran_io.f90", options), "");
        let formatted = trace
            .calls()
            .filter(|call| call.path.ends_with(b"/formatted"));
        assert!(formatted.count() > 3, "ftn {options}");
    }
}
