//! `iota convert --to otf2` with the machine's libotf2: what otf2-print sums up is what `iota stat` says, our
//! declarations are those of the headers, and a library of another version is refused.

use iota_tests::{
    Build, Case, Ran, Way, command_output, find, limited, machine::header_is_here, on_mpis, root,
    wanted,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Descriptors, streams, copies, processes, failures
const SCRIPT: &str = "seq 1 20000 >a; cp a 'b,\"c\".txt'; sort -r a >d; dd if=a of=e bs=1k conv=fsync status=none; \
    cat missing 2>/dev/null; mkdir x; mv e x/; rm d; awk 'NR % 100 == 0 { print $1 * 2 }' a >f";

const REMEDY: &str = "scripts/deps.sh test gets it";

fn is_wanted() -> bool {
    wanted("otf2-print", find("otf2-print").is_some(), REMEDY)
}

fn headers_are_wanted() -> bool {
    header_is_here("otf2/otf2.h")
}

fn compiler() -> Command {
    Command::new(std::env::var("CC").unwrap_or("cc".into()))
}

fn iota(ran: &Ran) -> Command {
    let mut command = Command::new(Build::first().iota());
    command.current_dir(ran.work());
    command
}

fn traced() -> (Ran, String) {
    let case = Case::shell(SCRIPT).way(Way::Preload);
    let ran = case.seconds(120).run().succeeded();
    let trace = ran.trace_dir().display().to_string();
    (ran, trace)
}

/// What follows `key` on a line, to the next comma
fn field<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let rest = &line[line.find(key)? + key.len()..];
    rest.split(',').next()
}

/// Calls by function, and bytes read and written through descriptors and streams, as otf2-print has them
fn printed(archive: &Path) -> (BTreeMap<String, u64>, [u64; 2]) {
    let mut command = Command::new("otf2-print");
    let text = command_output(command.arg(archive.join("traces.otf2")));
    let (mut calls, mut bytes) = (BTreeMap::new(), [0; 2]);
    let mut modes = BTreeMap::new();
    for line in text.lines() {
        let location = || {
            line.split_whitespace()
                .nth(1)
                .expect("a location")
                .to_owned()
        };
        let id = || {
            (
                location(),
                field(line, "Matching Id: ").expect("an id").to_owned(),
            )
        };
        if line.starts_with("ENTER ") {
            let region = line.split('"').nth(1).expect("a region");
            *calls.entry(region.to_owned()).or_default() += 1;
        } else if line.starts_with("IO_OPERATION_BEGIN ") {
            modes.insert(id(), field(line, "Mode: ").expect("a mode").to_owned());
        } else if line.starts_with("IO_OPERATION_COMPLETE ") {
            let moved = field(line, "Bytes Result: ").and_then(|n| n.parse::<u64>().ok());
            match modes.remove(&id()).expect("it has begun").as_str() {
                "READ" => bytes[0] += moved.expect("a number"),
                "WRITE" => bytes[1] += moved.expect("a number"),
                _ => {}
            }
        }
    }
    assert!(modes.is_empty(), "what began has ended");
    (calls, bytes)
}

#[test]
fn archives_say_what_stat_says() {
    if !is_wanted() {
        return;
    }
    let (ran, trace) = traced();
    // What stat counts
    let only = ["--where", "on=storage"];
    let args = ["convert", &trace, "-o", "run.otf2"];
    command_output(iota(&ran).args(args).args(only));
    let (calls, bytes) = printed(&ran.work().join("run.otf2"));
    let stat = ["stat", &trace, "--json", "--top", "0", "--by", "op,rank"];
    let said: Value = serde_json::from_str(&command_output(iota(&ran).args(stat))).expect("JSON");
    let rows = |nth: usize| said["tables"][nth]["rows"].as_array().expect("rows");
    let number = |row: &Value, key: &str| row.get(key).map_or(0, |n| n.as_u64().expect("a number"));
    let name = |row: &Value| row["name"].as_str().expect("a name").to_owned();
    let by_op = rows(0).iter().map(|row| (name(row), number(row, "calls")));
    assert_eq!(calls, by_op.collect());
    // A row for each process.
    let sum = |key| rows(1).iter().map(|row| number(row, key)).sum::<u64>();
    assert_eq!(bytes, ["bytes_read", "bytes_written"].map(sum));
}

/// What one location of an archive is in the middle of
#[derive(Default)]
struct Location {
    /// Regions that were entered, and not left
    inside: Vec<String>,
    /// Regions that each call of MPI-IO entered, and bytes that operations inside moved
    below: BTreeMap<String, (u64, u64)>,
    /// Bytes that calls of MPI-IO moved themselves
    moved: BTreeMap<String, u64>,
}

impl Location {
    fn line(&mut self, line: &str) {
        let is_mpi = |region: &String| region.starts_with("MPI_File_");
        let region = line.split('"').nth(1).unwrap_or_default().to_owned();
        let (top, above) = match &self.inside[..] {
            [.., above, top] => (Some(top), Some(above)),
            rest => (rest.last(), None),
        };
        if line.starts_with("ENTER ") {
            if let Some(mpi) = top.filter(|top| is_mpi(top)) {
                assert!(!is_mpi(&region), "{line}");
                self.below.entry(mpi.clone()).or_default().0 += 1;
            }
            self.inside.push(region);
        } else if line.starts_with("LEAVE ") {
            assert_eq!(self.inside.pop(), Some(region), "{line}");
        } else if line.starts_with("IO_OPERATION_COMPLETE ") {
            let bytes = field(line, "Bytes Result: ").and_then(|n| n.parse::<u64>().ok());
            let bytes = bytes.unwrap_or(0);
            match (top, above) {
                (Some(mpi), _) if is_mpi(mpi) => {
                    *self.moved.entry(mpi.clone()).or_default() += bytes
                }
                (_, Some(mpi)) if is_mpi(mpi) => {
                    self.below.entry(mpi.clone()).or_default().1 += bytes
                }
                _ => {}
            }
        }
    }
}

on_mpis!(calls_of_mpi_io_enclose_those_that_they_make: mpich_4 openmpi_4);

/// Regions nest as calls do, with as many calls and bytes below each function as the tree has.
fn calls_of_mpi_io_enclose_those_that_they_make(build: &'static Build) {
    if !is_wanted() {
        return;
    }
    let case = Case::mpi("mpiio_layers.c", build, 4).way(Way::Dynamic);
    let ran = case.seconds(120).run().succeeded();
    let trace = ran.trace_dir().display().to_string();
    command_output(iota(&ran).args(["convert", &trace, "-o", "run.otf2"]));
    let mut command = Command::new("otf2-print");
    let text = command_output(command.arg(ran.work().join("run.otf2/traces.otf2")));
    let mut locations: BTreeMap<&str, Location> = BTreeMap::new();
    for line in text.lines() {
        if let Some(location) = line.split_whitespace().nth(1) {
            locations.entry(location).or_default().line(line);
        }
    }
    let layers = ["layers", &trace, "--json", "--top", "0"];
    let said: Value = serde_json::from_str(&command_output(iota(&ran).args(layers))).expect("JSON");
    for op in [
        "MPI_File_write_at_all",
        "MPI_File_write_at",
        "MPI_File_open",
    ] {
        let rows = said["ops"].as_array().expect("functions");
        let row = rows.iter().find(|row| row["name"] == op).expect(op);
        let number = |key: &str| row[key].as_u64().expect("a number");
        let all = |of: &dyn Fn(&Location) -> u64| locations.values().map(of).sum::<u64>();
        let below = |place: &Location| place.below.get(op).copied().unwrap_or_default();
        let bytes = number("sub_read") + number("sub_written") + number("sub_elsewhere");
        assert_eq!(all(&|place| below(place).0), number("sub_calls"), "{op}");
        assert_eq!(all(&|place| below(place).1), bytes, "{op}");
        let moved = all(&|place| place.moved.get(op).copied().unwrap_or(0));
        assert_eq!(moved, number("bytes_written"), "{op}");
        assert!(number("sub_calls") > 0, "{op}: {row}");
    }
    assert!(locations.values().all(|place| place.inside.is_empty()));
}

/// A type of the declarations in C
fn c_type(rust: &str) -> String {
    match rust.trim() {
        "u8" => "uint8_t".to_owned(),
        "u32" => "uint32_t".to_owned(),
        "u64" => "uint64_t".to_owned(),
        "i64" => "int64_t".to_owned(),
        "Code" => "OTF2_ErrorCode".to_owned(),
        "Option<ErrorCallback>" => "OTF2_ErrorCallback".to_owned(),
        "*const c_char" => "const char*".to_owned(),
        "*mut c_void" => "void*".to_owned(),
        "*const c_void" => "const OTF2_AttributeValue*".to_owned(),
        "*const MemoryCallbacks" => "const OTF2_MemoryCallbacks*".to_owned(),
        "*const FlushCallbacks" => "const OTF2_FlushCallbacks*".to_owned(),
        "*const u8" => "const uint8_t*".to_owned(),
        "*mut u8" => "uint8_t*".to_owned(),
        "*mut u64" => "uint64_t*".to_owned(),
        other => match other.strip_prefix("*mut ") {
            Some(opaque) => format!("OTF2_{opaque}*"),
            None => panic!("a type that the test does not know: {other}"),
        },
    }
}

/// A C file that compiles if every function is declared as we call it
fn declarations() -> String {
    let file = root().join("crates/otf2/src/api.rs");
    let text = std::fs::read_to_string(file).expect("the source is there");
    let list = text.split("functions! {").nth(1).expect("the list");
    let list = list.split("\n}").next().expect("its end");
    let mut c = "#include <otf2/otf2.h>\n".to_owned();
    for row in list.split(';').filter(|row| row.contains(" = \"")) {
        let name = row.split('"').nth(1).expect("a name");
        let args = &row[row.find("\"(").expect("arguments") + 2..];
        let (args, ret) = args.rsplit_once(") -> ").expect("a result");
        let args: Vec<_> = args
            .split(',')
            .filter(|arg| !arg.trim().is_empty())
            .map(c_type)
            .collect();
        let args = if args.is_empty() {
            "void".to_owned()
        } else {
            args.join(", ")
        };
        c += &format!("{} (*p_{name})({args}) = OTF2_{name};\n", c_type(ret));
    }
    c + "_Static_assert(sizeof(OTF2_ErrorCode) == sizeof(int) && OTF2_VERSION_MAJOR == 3, \"\");\n"
}

#[test]
fn functions_are_declared_as_the_headers_have_them() {
    if !headers_are_wanted() {
        return;
    }
    let c = declarations();
    assert!(c.lines().count() > 40, "{c}");
    let dir = std::env::temp_dir().join(format!("iota-otf2-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory");
    let source = dir.join("declared.c");
    std::fs::write(&source, c).expect("a file");
    let flags = [
        "-Werror=incompatible-pointer-types",
        "-Werror=int-conversion",
        "-fsyntax-only",
    ];
    command_output(compiler().args(flags).arg(&source));
    std::fs::remove_dir_all(&dir).expect("it was ours");
}

#[test]
fn another_version_of_the_library_is_refused() {
    if !headers_are_wanted() {
        return;
    }
    let (ran, trace) = traced();
    let library = ran.work().join("libfuture.so");
    let source = ran.work().join("future.c");
    let text = "#include <otf2/otf2.h>\nOTF2_ErrorCode OTF2_Archive_GetVersion(OTF2_Archive* a, uint8_t* x, uint8_t* y, \
                uint8_t* z) { *x = 4; *y = 1; *z = 0; return OTF2_SUCCESS; }\n";
    std::fs::write(&source, text).expect("a file");
    let mut cc = compiler();
    cc.args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(&source);
    // All other functions are the library's own.
    command_output(cc.args(["-Wl,--no-as-needed", "-lotf2"]));
    let mut command = iota(&ran);
    command
        .args(["convert", &trace, "-o", "run.otf2"])
        .env("IOTA_OTF2", &library);
    let output = limited(&mut command, b"", Duration::from_secs(60));
    let error = output.errors();
    assert_eq!(output.code(), 2, "{error}");
    assert!(
        error.contains("libotf2 is of version 4.1.0, and 3.x is needed"),
        "{error}"
    );
    assert!(!ran.work().join("run.otf2").exists());
}
