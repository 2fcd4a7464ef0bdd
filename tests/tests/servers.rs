//! Calls of real file servers, joined to those of a job: a striped volume of GlusterFS, and `sftp-server` below sshfs.

use iota_tests::machine::{debian_libraries, left_out};
use iota_tests::mpi::{mpi_of_version_is_wanted, named};
use iota_tests::tables;
use iota_tests::{Build, Case, Program, Ran, Scratch, Way, bounded, root, wanted};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

fn number(of: &Value) -> u64 {
    of.as_u64().unwrap_or_else(|| panic!("no number: {of}"))
}

fn sum(servers: &[Value], key: &str) -> u64 {
    servers.iter().map(|server| number(&server[key])).sum()
}

fn servers(said: &Value) -> &[Value] {
    said["servers"].as_array().expect("servers")
}

/// How long the files of a brick are together. What the server itself keeps there is not counted.
fn bytes_of_files(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).expect("a brick is readable");
    let bytes = entries.map(|entry| {
        let entry = entry.expect("a brick is readable");
        let data = entry.metadata().expect("a file has metadata");
        match data.is_dir() {
            true if entry.file_name() == ".glusterfs" => 0,
            true => bytes_of_files(&entry.path()),
            false => data.len(),
        }
    });
    bytes.sum()
}

/// A striped volume that is mounted at `mnt`, whose servers are traced. There is one at a time.
struct Volume {
    script: Child,
    _turn: MutexGuard<'static, ()>,
}

static TURN: Mutex<()> = Mutex::new(());

impl Volume {
    /// With a library that slows servers down, if there is one; None where it cannot be had, which is said.
    fn mount(scratch: &Scratch, slow: Option<&Path>) -> Option<Volume> {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut command = Command::new(root().join("tests/servers/gluster.sh"));
        let mut script = bounded(&mut command)
            .arg(scratch.path())
            .arg(Build::first().iota())
            .args(slow)
            .env("SLOW_FILES", "/brick2/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut ready = String::new();
        let said = script.stdout.take().map(BufReader::new).expect("piped");
        { said }.read_line(&mut ready).expect("a pipe is readable");
        if ready != "ready\n" {
            let mut why = String::new();
            let errors = script.stderr.take().expect("piped");
            { errors }.read_to_string(&mut why).expect("a message");
            let _ = script.wait();
            left_out(&format!("no GlusterFS here ({})", why.trim()));
            return None;
        }
        Some(Volume {
            script,
            _turn: turn,
        })
    }

    /// Takes it away; the trace of its servers.
    fn end(mut self, scratch: &Scratch) -> PathBuf {
        drop(self.script.stdin.take());
        assert!(self.script.wait().expect("the script").success());
        scratch.path().join("servers.iota")
    }
}

/// What `iota layers` says of a job and the servers
fn joined(ran: &Ran, job: &str, servers: &Path) -> Value {
    let output = ran.iota(&format!(
        "layers --json -n 0 {job} --server {}",
        servers.display()
    ));
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

/// Takes what each server wrote from the bytes of its brick.
fn take(bricks: &mut [(String, u64)], servers: &[Value]) {
    for server in servers {
        let name = server["name"].as_str().unwrap_or_default();
        let brick = bricks.iter_mut().find(|brick| name.ends_with(&brick.0));
        let brick = brick.unwrap_or_else(|| panic!("{servers:#?}"));
        brick.1 = brick.1.saturating_sub(number(&server["bytes_written"]));
    }
}

/// Bytes of two datasets in each of two checkpoints, of three ranks
const CHECKPOINTS: u64 = 2 * 2 * 3 * 1_600_000;

/// A simulation that writes checkpoints by HDF5 on the volume, with its stacks
fn checkpoint(name: &str, build: &'static Build, dir: &str) -> Option<Ran> {
    let modules = format!("/usr/include/hdf5/{name}");
    let is_here = Path::new(&modules).join("hdf5.mod").exists();
    let remedy = format!("Debian: libhdf5-{name}-dev");
    wanted("HDF5 for Fortran and MPI", is_here, &remedy).then(|| {
        let libraries = format!("{}/hdf5/{name}", debian_libraries());
        let program = Program::new("simulation.f90")
            .mpi(build)
            .shared("checkpoint.f90")
            .flags(&format!("-g -I{modules}"))
            .behind(&format!("-L{libraries} -lhdf5_fortran -lhdf5"));
        let case = Case::on_ranks(program, 3).way(Way::Preload);
        let case = case.env("IOTA_STACKS", "1").seconds(120);
        let script = format!("cd {dir} && exec \"$@\"");
        case.script(&script).run().succeeded()
    })
}

/// The tree goes from the line of the program over HDF5, MPI-IO and POSIX to the servers, and the bytes stay the same.
fn assert_line_to_disk(said: &Value) {
    fn below<'v>(rows: &'v Value, names: &[&str], found: &mut Vec<&'v Value>) {
        let rows = rows.as_array().expect("rows");
        let Some((name, rest)) = names.split_first() else {
            return found.extend(rows);
        };
        let is_it = |row: &&Value| {
            row["name"]
                .as_str()
                .is_some_and(|known| known.starts_with(name))
        };
        for row in rows.iter().filter(is_it) {
            below(&row["below"], rest, found);
        }
    }
    // Which line gfortran writes down for a call of a generic procedure is its own affair.
    let site = "write_checkpoint (checkpoint.f90:";
    let path = [site, "H5Dwrite", "MPI_File_write_at_all", "pwrite"];
    for depth in 1..path.len() {
        let mut found = Vec::new();
        below(&said["tree"], &path[..depth], &mut found);
        let found: Vec<_> = found.into_iter().cloned().collect();
        assert_eq!(
            sum(&found, "bytes_written"),
            CHECKPOINTS,
            "{:#}",
            said["tree"]
        );
    }
    let mut found = Vec::new();
    below(&said["tree"], &path, &mut found);
    assert!(
        found.iter().all(|row| row["layer"] == "SERVER"),
        "{found:#?}"
    );
    let found: Vec<_> = found.into_iter().cloned().collect();
    assert_eq!(sum(&found, "bytes_written"), CHECKPOINTS, "{found:#?}");
    assert_eq!(sum(servers(said), "untied"), 0, "{:#}", said["servers"]);
}

/// Twenty-four blocks in six shards on two bricks: each byte that a server writes is one that a rank wrote.
#[test]
fn a_striped_volume() {
    let scratch = Scratch::new();
    let Some(volume) = Volume::mount(&scratch, None) else {
        return;
    };
    let (mut runs, mut checkpoints) = (Vec::new(), Vec::new());
    for (name, version) in [named::mpich_4, named::openmpi_4] {
        let Some((build, _turn)) = mpi_of_version_is_wanted(name, version) else {
            continue;
        };
        let dir = scratch.dir(&format!("mnt/{name}")).display().to_string();
        let case = Case::mpi("mpiio_striped.c", build, 3).way(Way::Dynamic);
        let case = case.args(&format!("{dir}/file")).seconds(120);
        runs.push(case.run().succeeded());
        checkpoints.extend(checkpoint(name, build, &dir));
    }
    let trace = volume.end(&scratch);
    // The volume chooses a brick for each shard by chance: the bricks say how much of the files each has.
    let mut bricks = ["brick1", "brick2"].map(|name| {
        let brick = scratch.path().join(name);
        (format!(":{}", brick.display()), bytes_of_files(&brick))
    });
    for ran in checkpoints {
        let done = ran.iota("symbols run.iota -o known.iota");
        assert!(done.status.success(), "{done:?}");
        let said = joined(&ran, "known.iota", &trace);
        assert_line_to_disk(&said);
        take(&mut bricks, servers(&said));
    }
    for ran in runs {
        let said = joined(&ran, ".", &trace);
        let servers = servers(&said);
        assert_eq!(sum(servers, "bytes_written"), 24 << 20, "{servers:#?}");
        assert_eq!(sum(servers, "untied"), 0, "{servers:#?}");
        take(&mut bricks, servers);
        let total = &said["total"];
        assert_eq!(number(&total["bytes_written"]), 24 << 20);
        assert!(number(&total["server"]) > 0, "{total:#}");
        assert!(
            number(&total["server"]) < number(&total["client"]),
            "{total:#}"
        );
    }
    // Files of HDF5 have holes, which nobody writes.
    let is_all = bricks.iter().all(|brick| brick.1 < 64 << 10);
    assert!(is_all, "{bricks:?}");
}

/// What `iota layers` says of `run.iota` in a directory and the servers
fn layers_in(dir: &Path, servers: &Path) -> Value {
    let mut layers = Command::new(Build::first().iota());
    let layers = bounded(&mut layers)
        .args(["layers", "--json", "run.iota", "--server"])
        .arg(servers)
        .current_dir(dir)
        .output()
        .expect("iota runs");
    let errors = String::from_utf8_lossy(&layers.stderr);
    serde_json::from_slice(&layers.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

/// One brick takes 3 ms longer for each write, and the finding names it. Of eighteen shards some are on either brick.
#[test]
fn a_slow_brick() {
    let scratch = Scratch::new();
    let library = scratch.path().join("slow.so");
    let mut compiler = Command::new(Build::first().value("CC"));
    let compiled = bounded(&mut compiler)
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(root().join("tests/programs/slow_files.c"))
        .status();
    assert!(compiled.expect("a compiler").success());
    let Some(volume) = Volume::mount(&scratch, Some(&library)) else {
        return;
    };
    let mut job = Command::new(Build::first().iota());
    let job = bounded(&mut job)
        .args([
            "run",
            "--quiet",
            "-o",
            "run.iota",
            "--",
            "dd",
            "if=/dev/zero",
        ])
        .args(["of=mnt/file", "bs=1M", "count=72", "oflag=sync"])
        .current_dir(scratch.path())
        .output();
    let servers = volume.end(&scratch);
    assert!(
        job.as_ref().is_ok_and(|job| job.status.success()),
        "{job:?}"
    );
    let said = layers_in(scratch.path(), &servers);
    let findings = said["findings"].as_array().expect("findings");
    let slow = findings.iter().find(|of| of["kind"] == "slow-server");
    let slow = slow.unwrap_or_else(|| panic!("{findings:#?}: {:#}", said["servers"]));
    let evidence = slow["evidence"].as_str().unwrap_or_default();
    assert!(evidence.contains("/brick2"), "{evidence}");
}

/// The simplest server: it reads and writes below its directory what its client does.
#[test]
fn a_server_of_sftp() {
    let server = Path::new("/usr/lib/openssh/sftp-server");
    let is_here = |path: &str| Path::new(path).exists();
    let has_all = is_here("/usr/bin/sshfs") && server.exists();
    let remedy = "apt-get install sshfs openssh-sftp-server";
    if !wanted("sshfs with sftp-server", has_all, remedy)
        || !wanted("FUSE", is_here("/dev/fuse"), "modprobe fuse")
    {
        return;
    }
    let scratch = Scratch::new();
    let (export, mount) = (scratch.dir("export"), scratch.dir("mnt"));
    let iota = Build::first().iota();
    let script = format!(
        "#!/bin/sh\nexec {} run -o {} -- {}\n",
        iota.display(),
        scratch.path().join("servers.iota").display(),
        server.display()
    );
    let ssh = scratch.path().join("ssh");
    std::fs::write(&ssh, script).expect("a script");
    let script = format!(
        "chmod +x {ssh} && sshfs -o ssh_command={ssh} host:{export} {mount} || exit 77
         cd {dir}
         {iota} run -o run.iota -- dd if=/dev/zero of={mount}/out bs=256k count=16 conv=fsync 2>said; status=$?
         fusermount3 -u {mount} || umount {mount}; exit $status",
        ssh = ssh.display(),
        export = export.display(),
        mount = mount.display(),
        dir = scratch.path().display(),
        iota = iota.display(),
    );
    let mut shell = Command::new("sh");
    let ended = bounded(&mut shell).args(["-c", &script]).output();
    let ended = ended.expect("a shell");
    if ended.status.code() == Some(77) {
        let why = String::from_utf8_lossy(&ended.stderr);
        return left_out(&format!("sshfs cannot mount here ({})", why.trim()));
    }
    assert!(ended.status.success(), "{ended:?}");
    // The server ends once its client is gone.
    let trace = scratch.path().join("servers.iota");
    let since = Instant::now();
    while !trace.exists() && since.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let said = layers_in(scratch.path(), &trace);
    let servers = servers(&said);
    assert_eq!(servers.len(), 1, "{servers:#?}");
    let name = servers[0]["name"].as_str().unwrap_or_default();
    assert!(name.ends_with(&format!(":{}", export.display())), "{name}");
    assert_eq!(sum(servers, "bytes_written"), 4 << 20, "{servers:#?}");
    assert_eq!(sum(servers, "untied"), 0, "{servers:#?}");
    assert_arrows(scratch.path(), number(&servers[0]["calls"]));
}

/// Perfetto shows an arrow to each call of the server.
fn assert_arrows(dir: &Path, calls: u64) {
    if !tables::are_wanted() {
        return;
    }
    let mut convert = Command::new(Build::first().iota());
    let convert = bounded(&mut convert)
        .args(["convert", "run.iota", "--server", "servers.iota"])
        .args(["-o", "run.pftrace"])
        .current_dir(dir)
        .output()
        .expect("iota runs");
    assert!(convert.status.success(), "{convert:?}");
    let said = tables::say("tests/tables/perfetto_slices.py", "run.pftrace", dir);
    assert_eq!(
        said["servers"].as_array().map(Vec::len),
        Some(1),
        "{said:#}"
    );
    assert_eq!(number(&said["to_servers"]), calls, "{said:#}");
}
