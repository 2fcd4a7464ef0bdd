//! Both flavours built around a runtime that only counts, as the real libraries are: of the same hooks, renamed, one object
//! made by `ld -r`, its symbols localised, in an archive and a shared object.

use gen_wraps::{
    CFLAGS, Flavour, Libc, RESPONSE_FILE, above_members, above_rows, definitions, exported_symbols,
    hooks, libc_members, newer_flags, renamed_symbols, traced, variadic_stubs, versioned,
    wrap_flags,
};
use iota_calls::glibc::release;
use iota_calls::{Library, Shape, rows};
use iota_tests::bounded;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A directory with libiota.a, libiota.so, ops.h and what they were made of
pub struct Built {
    pub dir: PathBuf,
    pub libc: Libc,
}

/// Runs a command to its end and returns its standard output; a failure shows all that it said
#[track_caller]
pub fn run(command: &mut Command) -> String {
    let output = bounded(command)
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{out}{err}",
        output.status
    );
    out
}

/// The path of a file of the link tests
pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/link")
        .join(name)
}

/// Built once for a test program
pub fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("link");
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).expect("a directory");
        let built = Built {
            dir,
            libc: Libc::probe().expect("a C library"),
        };
        built.foundations();
        built.hooks();
        let flags = wrap_flags() + &newer(&built.libc);
        fs::write(built.path(RESPONSE_FILE), flags).expect("a written file");
        built.archive(&built.core(Flavour::Wrap, "wrap"));
        built.shared_object(&built.core(Flavour::Preload, "preload"));
        built
    })
}

impl Built {
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).expect("a written file");
        path
    }

    /// The crates that hooks are built on, and the operations' numbers for C
    fn foundations(&self) {
        self.crate_of("rlib", "libc", &source("libc.rs"), &[]);
        self.crate_of("rlib", "iota_calls", &source("iota_calls.rs"), &[]);
        let runtime = fs::read_to_string(source("runtime.rs")).expect("runtime.rs");
        let runtime = self.write("runtime.rs", &(runtime + &shape_functions()));
        self.crate_of("rlib", "iota_runtime", &runtime, &["libc", "iota_calls"]);
        let mpi = self.write("iota_mpi.rs", "#![no_std]\npub use iota_runtime::io;\n");
        self.crate_of("rlib", "iota_mpi", &mpi, &["iota_runtime"]);
        let hdf5 = self.write(
            "iota_hdf5.rs",
            "#![no_std]\npub use iota_runtime::hdf5::*;\n",
        );
        self.crate_of("rlib", "iota_hdf5", &hdf5, &["iota_runtime"]);
        let netcdf = self.write(
            "iota_netcdf.rs",
            "#![no_std]\npub use iota_runtime::netcdf::*;\n",
        );
        self.crate_of("rlib", "iota_netcdf", &netcdf, &["iota_runtime"]);
        let ops = rows().map(|(op, call)| format!("#define OP_{} {}\n", call.name, op.0));
        self.write("ops.h", &ops.collect::<String>());
    }

    fn crate_of(&self, kind: &str, name: &str, source: &Path, uses: &[&str]) {
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
        rustc.args([
            "--edition",
            "2024",
            "--crate-type",
            kind,
            "--crate-name",
            name,
        ]);
        rustc.args([
            "-Cpanic=abort",
            "-Copt-level=3",
            "-Ccodegen-units=1",
            "-Cembed-bitcode=yes",
        ]);
        rustc
            .arg("-Crelocation-model=pic")
            .arg("--out-dir")
            .arg(&self.dir)
            .arg("-L")
            .arg(&self.dir);
        if kind == "staticlib" {
            rustc
                .arg("-Clto=fat")
                .env("IOTA_HOOKS", self.path(&format!("{name}.rs")));
        }
        for used in uses {
            let path = self.path(&format!("lib{used}.rlib"));
            rustc
                .arg("--extern")
                .arg(format!("{used}={}", path.display()));
        }
        run(rustc.arg(source));
    }

    /// The hooks of both flavours
    fn hooks(&self) {
        self.write("hooks.rs", &hooks(&self.libc));
        self.crate_of(
            "staticlib",
            "hooks",
            &source("root.rs"),
            &[
                "libc",
                "iota_calls",
                "iota_runtime",
                "iota_mpi",
                "iota_hdf5",
                "iota_netcdf",
            ],
        );
    }

    /// The one object that a flavour's library consists of
    fn core(&self, flavour: Flavour, name: &str) -> PathBuf {
        let renames = self.write(&format!("{name}.renames"), &renamed_symbols(flavour));
        let renamed = self.path(&format!("lib{name}.a"));
        run(Command::new("objcopy")
            .arg(format!("--redefine-syms={}", renames.display()))
            .arg(self.path("libhooks.a"))
            .arg(&renamed));
        let mut stubs = variadic_stubs(flavour);
        if flavour == Flavour::Preload {
            stubs += AT_START;
        }
        let stubs = self.write(&format!("{name}.c"), &stubs);
        let object = self.path(&format!("{name}-stubs.o"));
        run(Command::new("cc")
            .args(CFLAGS)
            .args(["-Wall", "-Wextra", "-Werror", "-c"])
            .arg(stubs)
            .arg("-o")
            .arg(&object));
        let keep = exported_symbols(flavour) + "iota_start\niota_seen\niota_resolved\n";
        let keep_file = self.write(&format!("{name}.keep"), &keep);
        let roots = keep
            .lines()
            .map(|symbol| format!("-u {symbol}\n"))
            .collect::<String>();
        let roots = self.write(&format!("{name}.roots"), &roots);
        let core = self.path(&format!("{name}.o"));
        let mut ld = Command::new("ld");
        ld.args(["-r", "--gc-sections", "-o"])
            .arg(&core)
            .arg(format!("@{}", roots.display()));
        run(ld.arg(object).arg(renamed));
        run(Command::new("objcopy")
            .arg(format!("--keep-global-symbols={}", keep_file.display()))
            .arg(&core));
        core
    }

    fn archive(&self, core: &Path) {
        let mut ar = Command::new("ar");
        ar.arg("rcs").arg(self.path("libiota.a")).arg(core);
        run(ar.args(self.members()));
    }

    /// The entries of libraries above MPI-IO and of newer functions of the C library, compiled
    fn members(&self) -> Vec<PathBuf> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/members.sh");
        let out = self.path("members");
        for library in [Library::Hdf5, Library::Netcdf, Library::Pnetcdf] {
            let source = self.write("members.c", &above_members(library));
            run(Command::new(&script).arg(source).arg(&out));
        }
        let source = self.write("members.c", &libc_members());
        run(Command::new(&script).arg(source).arg(&out));
        let newer = traced(Flavour::Wrap).into_iter();
        let newer = newer.filter(|(_, call)| Flavour::Wrap.is_member(call));
        let all = above_rows().chain(newer);
        all.map(|(_, call)| out.join(format!("{}.o", call.name)))
            .collect()
    }

    fn shared_object(&self, core: &Path) {
        let mut cc = Command::new("cc");
        let path = self.path("libiota.so");
        let nodes = versioned(Flavour::Preload)
            .iter()
            .map(|one| format!("{} {{}};\n", one.version))
            .collect::<BTreeSet<_>>();
        let script = self.write("versions", &nodes.into_iter().collect::<String>());
        cc.args(["-shared", "-Wl,-z,defs", "-Wl,-Bsymbolic-functions", "-o"])
            .arg(&path)
            .arg(format!("-Wl,--version-script={}", script.display()));
        run(cc
            .arg(format!("-Wl,-soname,{}", path.display()))
            .arg(core)
            .arg("-ldl"));
    }
}

/// The flags of functions that the C library has which is here, and the oldest has not
fn newer(libc: &Libc) -> String {
    let newest = libc.functions().filter_map(|name| libc.since(name));
    let newest = newest.map(release).max().expect("a function");
    let files = newer_flags().into_iter().rev();
    let mut files = files.filter(|(version, _)| release(version) <= newest);
    files.next().map_or_else(String::new, |(_, flags)| flags)
}

/// As c-shim/start.c has it
const AT_START: &str = "
void iota_find_all(void);
__attribute__((constructor)) static void find_all(void)
{
    iota_find_all();
}
";

/// Shape functions that count the operation and make the real call: those of the C library, and those of each library
/// above, in its module
fn shape_functions() -> String {
    let head = "pub mod shape {\n    pub use crate::{VforkTarget, vfork};\n    use crate::{Op, seen};\n    use libc::*;\n";
    let mut modules = [
        ("", head.to_owned()),
        ("mpi_", of_library("io", IO)),
        ("h5_", of_library("hdf5", HDF5)),
        ("nc_", of_library("netcdf", NETCDF)),
    ];
    for one in Shape::ALL.iter().filter(|shape| **shape != Shape::Vfork) {
        let mut all = modules.iter_mut().rev();
        let (beginning, module) = all
            .find(|(beginning, _)| one.function().starts_with(beginning))
            .expect("the first has all others");
        *module += &shape_function(*one, matches!(*beginning, "h5_" | "nc_"));
    }
    modules.map(|(_, module)| module + "}\n").concat()
}

/// The module of a library's shapes, with the types of its rows
fn of_library(name: &str, what: &str) -> String {
    format!(
        "#[allow(non_camel_case_types, dead_code, unused)]
pub mod {name} {{
    use crate::{{Op, seen}};
    use libc::*;
{}{what}",
        definitions()
    )
}

/// One that takes a status hands it to the real call
fn shape_function(shape: Shape, is_above: bool) -> String {
    let (mut params, mut takes, mut gives) = (String::new(), "", "");
    for ty in shape.args() {
        match *ty {
            "*mut MPI_Status" => {
                params += ", status: *mut c_void";
                (takes, gives) = ("*mut c_void", "status");
            }
            "MPI_Count" => params += ", _: impl Into<i64>",
            "Access" => params += ", _: impl Into<Access>",
            ty => params += &format!(", _: {ty}"),
        }
    }
    let (name, real) = (
        shape.function(),
        if is_above { ", _: *const c_void" } else { "" },
    );
    format!(
        "    pub unsafe fn {name}<R>(op: Op{real}, call: impl FnOnce({takes}) -> R{params}) -> R {{
        seen(op);
        call({gives})
    }}
"
    )
}

const IO: &str = "    pub struct By;
    pub struct At;
    pub const ONE: By = By;
    pub const ALL: By = By;
    pub const OWN: At = At;
    pub const SHARED: At = At;
    pub fn at(_: i64) -> At {
        At
    }
";

const HDF5: &str = "    pub struct Naming;
    pub const NAMED: Naming = Naming;
    pub const UNNAMED: Naming = Naming;
    pub const NOW: hid_t = 0;
    pub const HERE: *const c_char = core::ptr::null();
";

const NETCDF: &str = "    pub use crate::io::By;
    pub enum Access {
        AsSet,
    }
    impl From<By> for Access {
        fn from(_: By) -> Access {
            Access::AsSet
        }
    }
    pub const AS_SET: Access = Access::AsSet;
    pub const AS_OPENED: Access = Access::AsSet;
    pub struct Ranks;
    pub const ALONE: Ranks = Ranks;
    pub fn on(_: MPI_Comm) -> Ranks {
        Ranks
    }
    pub struct Part;
    pub const WHOLE: Part = Part;
    pub const ONE_ELEMENT: Part = Part;
    pub fn block(_: *const i64) -> Part {
        Part
    }
    pub fn blocks(_: c_int, _: *const *mut i64) -> Part {
        Part
    }
    pub fn through(_: MPI_Datatype) -> Part {
        Part
    }
    pub struct Element;
    pub const AS_STORED: Element = Element;
    pub fn of_size(_: u32) -> Element {
        Element
    }
    pub fn of_mpi(_: i64, _: MPI_Datatype) -> Element {
        Element
    }
    pub fn of_each(_: *const i64, _: *const MPI_Datatype) -> Element {
        Element
    }
";
