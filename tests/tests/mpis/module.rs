//! MPI that an interpreter loads for one of its modules alone (RTLD_LOCAL).

use crate::{job, written};
use iota_tests::machine::wanted;
use iota_tests::{Build, Program, Way, root};
use std::path::{Path, PathBuf};
use std::process::Command;

const SCRIPT: &str = "from mpi4py import MPI
print(MPI.Get_library_version())
rank = MPI.COMM_WORLD.Get_rank()
open(f'py.{rank}', 'w').write('x' * (100 + rank))
MPI.COMM_WORLD.Barrier()
";

/// A Python whose mpi4py can load this MPI, and what it has to be told for that.
fn python(build: &Build) -> (PathBuf, &'static str) {
    let version = build.value("MPI_VERSION");
    match build.value("MPI") {
        // Beside Open MPI is no MPICH that it would take first. Debian's has another name than MPICH gives itself.
        "mpich" if version.starts_with("4.") => (
            root().join("build/mpis/openmpi/bin/python3"),
            "export MPI4PY_MPIABI=mpich LD_LIBRARY_PATH=$PWD
library=$(/sbin/ldconfig -p | sed -n '/libmpich.so.12 .*x86-64/s/.*=> //p')
[ -e libmpi.so.12 ] || ln -s \"$library\" libmpi.so.12\n",
        ),
        "openmpi" if version.starts_with("4.") => ("/usr/bin/python3".into(), ""),
        _ => {
            let launcher = build.words("MPIEXEC").pop().expect("a launcher");
            (Path::new(&launcher).with_file_name("python3"), "")
        }
    }
}

pub fn is_loaded(build: &'static Build) {
    let (python, told) = python(build);
    let mut asked = Command::new(&python);
    asked.args([
        "-c",
        "import importlib.util as u, sys; sys.exit(not u.find_spec('mpi4py'))",
    ]);
    let has_module = asked.status().is_ok_and(|status| status.success());
    if !wanted(
        "mpi4py",
        has_module,
        "make test-all gets it with pip; Debian: python3-mpi4py",
    ) {
        return;
    }
    let program = Program::command(python.to_str().expect("a path in UTF-8")).of_mpi();
    let case = job(build)
        .with(|_| program.clone())
        .way(Way::Preload)
        .args("module.py");
    let script = format!("cat >module.py <<'END'\n{SCRIPT}END\n{told}exec \"$@\"");
    let ran = case.script(&script).run().succeeded();
    assert_eq!(ran.trace_files(), ["run.iota"], "{}", ran.log());
    let trace = ran.trace();
    trace.assert_whole();
    for rank in 0..2 {
        let of_world = trace.parts.iter().filter(|part| part.rank == rank);
        assert!(of_world.clone().all(|part| part.size == 2));
        assert_eq!(
            written(&trace, rank, &format!("/py.{rank}")),
            u64::from(100 + rank)
        );
    }
}
