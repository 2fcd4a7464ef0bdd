//! A Slurm of the tests' own, with two nodes on this machine (tests/slurm/cluster.sh).

use crate::machine::left_out;
use crate::{Case, Program, Scratch, Way, root};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// It ends, with all its jobs, when its standard input does: with the tests.
pub struct Cluster {
    dir: PathBuf,
    _daemons: Child,
}

impl Cluster {
    /// The one that all tests share; None, and the test is left out, where it cannot be had.
    pub fn wanted() -> Option<&'static Cluster> {
        static CLUSTER: OnceLock<Result<Cluster, String>> = OnceLock::new();
        let cluster = CLUSTER.get_or_init(Cluster::start).as_ref();
        cluster
            .inspect_err(|why| left_out(&format!("no Slurm here ({why})")))
            .ok()
    }

    fn start() -> Result<Cluster, String> {
        let dir = Scratch::kept("slurm");
        let mut daemons = Command::new(root().join("tests/slurm/cluster.sh"))
            .arg(&dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let (mut said, mut errors) = (String::new(), String::new());
        let stdout = daemons.stdout.take().expect("piped");
        let read = BufReader::new(stdout).read_line(&mut said);
        if read.is_ok() && said == "ready\n" {
            let _daemons = daemons;
            return Ok(Cluster { dir, _daemons });
        }
        let stderr = daemons.stderr.take().expect("piped");
        let _ = BufReader::new(stderr).read_to_string(&mut errors);
        let _ = daemons.wait();
        Err(errors)
    }

    /// A shell script on the login node, where `iota` and the commands of Slurm are on PATH, and $APP is a program. Its
    /// spools lie in a directory of the test's own in the memory of each node.
    pub fn script(&self, program: &Program, way: Way, script: &str) -> Case {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let spools = NEXT.fetch_add(1, Ordering::Relaxed);
        let build = program.build();
        let bin = build.iota();
        let bin = bin.parent().expect("it lies in a directory").display();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut case = Case::shell(script)
            .env("SLURM_CONF", self.dir.join("slurm.conf"))
            .env("PATH", format!("{bin}:{path}"))
            .env("IOTA_SPOOL", Path::new("/dev/shm").join(spools.to_string()))
            .env("APP", program.executable(way));
        for word in build.words("MPIEXEC") {
            if let Some((name @ "LD_LIBRARY_PATH", value)) = word.split_once('=') {
                case = case.env(name, value);
            }
        }
        case
    }
}
