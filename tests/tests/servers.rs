//! Calls of real file servers, joined to those of a job: a striped volume of GlusterFS, and `sftp-server` below sshfs.

use iota_tests::machine::{debian_libraries, left_out};
use iota_tests::mpi::{mpi_of_version_is_wanted, named};
use iota_tests::{Build, Case, Program, Ran, Scratch, Way, bounded, root, wanted};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
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
    let mut command = Command::new(root().join("tests/servers/gluster.sh"));
    let mut volume = bounded(&mut command)
        .arg(scratch.path())
        .arg(Build::first().iota())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut ready = String::new();
    let said = volume.stdout.take().map(BufReader::new).expect("piped");
    { said }.read_line(&mut ready).expect("a pipe is readable");
    if ready != "ready\n" {
        let mut why = String::new();
        let errors = volume.stderr.take().expect("piped");
        { errors }.read_to_string(&mut why).expect("a message");
        let _ = volume.wait();
        return left_out(&format!("no GlusterFS here ({})", why.trim()));
    }
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
    drop(volume.stdin.take());
    assert!(volume.wait().expect("the script").success());
    let trace = scratch.path().join("servers.iota");
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
    let mut layers = Command::new(iota);
    let layers = bounded(&mut layers)
        .args(["layers", "--json", "run.iota", "--server", "servers.iota"])
        .current_dir(scratch.path())
        .output()
        .expect("iota runs");
    let errors = String::from_utf8_lossy(&layers.stderr);
    let said: Value =
        serde_json::from_slice(&layers.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"));
    let servers = servers(&said);
    assert_eq!(servers.len(), 1, "{servers:#?}");
    let name = servers[0]["name"].as_str().unwrap_or_default();
    assert!(name.ends_with(&format!(":{}", export.display())), "{name}");
    assert_eq!(sum(servers, "bytes_written"), 4 << 20, "{servers:#?}");
    assert_eq!(sum(servers, "untied"), 0, "{servers:#?}");
}
