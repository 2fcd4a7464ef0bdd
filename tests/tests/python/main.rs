//! Functions of Python as probes (`iota run --python-probe`) and as sites (`--stacks`), and jobs of Python with many processes.

mod jobs;
mod regions;
mod stacks;

use iota_calls::Layer;
use iota_tests::{Build, Call, Case, Part, Ran, find, wanted};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Python, and its version.
struct Python {
    path: PathBuf,
    version: (u32, u32),
}

/// One of each version from 3.8 on.
fn pythons() -> Vec<Python> {
    let own = ["python3", "/usr/bin/python3"].map(find);
    let mut all = BTreeMap::new();
    for path in own.into_iter().flatten().chain(of_pyenv()) {
        if let Some(version) = version(&path).filter(|version| *version >= (3, 8)) {
            all.entry(version).or_insert(path);
        }
    }
    let all = all.into_iter();
    let all: Vec<_> = all
        .map(|(version, path)| Python { path, version })
        .collect();
    wanted(
        "python3",
        !all.is_empty(),
        "scripts/deps.sh test gets it as root",
    );
    all
}

fn of_pyenv() -> impl Iterator<Item = PathBuf> {
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".pyenv"));
    let root = std::env::var_os("PYENV_ROOT").map(PathBuf::from).or(home);
    let versions = root.and_then(|root| std::fs::read_dir(root.join("versions")).ok());
    let folders = versions.into_iter().flatten().flatten();
    folders.map(|folder| folder.path().join("bin/python"))
}

/// Asked as itself, not as what a shim of pyenv chooses here.
fn version(python: &Path) -> Option<(u32, u32)> {
    let asked = "import sys; print('%d %d' % sys.version_info[:2])";
    let output = Command::new(python).args(["-c", asked]).output().ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    let mut numbers = said.split_whitespace().map(|word| word.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

fn programs() -> String {
    iota_tests::root()
        .join("tests/programs")
        .display()
        .to_string()
}

fn run(script: &str, options: &str) -> Ran {
    let command = format!("{} run {options} --", Build::first().iota().display());
    let case = Case::shell(script).env("PYTHONPATH", programs());
    let case = case.env("PYTHONDONTWRITEBYTECODE", "1");
    case.seconds(120).under(&command).run().succeeded()
}

fn of_user(part: &Part) -> impl Iterator<Item = &Call> {
    let calls = part.calls.iter();
    calls.filter(|call| call.layer == Layer::User as u8)
}

/// How often each process called what, as the trace has it.
fn recorded(ran: &Ran) -> BTreeMap<(u32, String), usize> {
    let mut counts = BTreeMap::new();
    for part in &ran.trace().parts {
        for call in of_user(part) {
            *counts.entry((part.pid, call.op.to_string())).or_default() += 1;
        }
    }
    counts
}

/// The same as the program told it.
fn told(ran: &Ran) -> BTreeMap<(u32, String), usize> {
    let mut counts = BTreeMap::new();
    for line in ran.stdout().lines() {
        let (pid, name) = line.split_once(' ').expect("pid and name");
        let pid = pid.parse().expect("a number");
        *counts.entry((pid, name.to_owned())).or_default() += 1;
    }
    counts
}

fn enclosing<'p>(call: &Call, part: &'p Part) -> Option<&'p Call> {
    let is_it = |other: &&Call| other.thread == call.thread && other.id == call.parent;
    part.calls.iter().find(is_it)
}

/// The functions that a call is made by, from the inside out.
fn chain(call: &Call, part: &Part) -> Vec<String> {
    let mut names = Vec::new();
    let mut above = enclosing(call, part);
    while let Some(call) = above {
        names.push(call.op.to_string());
        above = enclosing(call, part);
    }
    names
}

const ALL: &str = "--python-probe python_probes.[!mbt]*,python_probes.waits \
                   --python-probe python_loader.[!tdw]*,python_loader.deep";

#[test]
fn functions_of_python_in_every_process() {
    for python in pythons() {
        let script = format!("{} {}/python_probes.py", python.path.display(), programs());
        let ran = run(&script, ALL);
        let (told, recorded) = (told(&ran), recorded(&ran));
        assert_eq!(told, recorded, "Python {:?}", python.version);
        let processes: BTreeSet<_> = told.keys().map(|(pid, _)| pid).collect();
        // The program, its fork, a worker of each kind; the one that is started by name.
        assert!(processes.len() >= 6, "{processes:?}");
        assert!(recorded.len() > 15, "{recorded:?}");
    }
}

#[test]
fn reads_have_the_functions_that_wanted_them() {
    for python in pythons() {
        let script = format!("{} {}/python_probes.py", python.path.display(), programs());
        let ran = run(&script, ALL);
        let trace = ran.trace();
        let mut found = BTreeSet::new();
        for part in &trace.parts {
            let reads = part.calls.iter().filter(|call| &*call.op == "read");
            for read in reads {
                found.insert((read.length, chain(read, part).join(" ")));
            }
        }
        let expected = [
            (11, "read_some read_more P.at_top.<locals>.inner P.at_top"),
            (4, "read_some read_more P.at_top.<locals>.inner P.at_top"),
            (5, "read_some Shard.__getitem__"),
            (7, "read_some batches"),
            (6, "read_some P.in_process"),
            (8, "read_some P.in_process"),
            (9, "read_some P.in_process"),
            (2, "read_some"),
        ];
        for (length, names) in expected {
            let names = names.split(' ').map(|name| match name.strip_prefix("P.") {
                Some(name) => format!("python_probes.{name}"),
                None => format!("python_loader.{name}"),
            });
            let names: Vec<_> = names.collect();
            let wanted = (length, names.join(" "));
            assert!(
                found.contains(&wanted),
                "{:?}: {wanted:?} of {found:?}",
                python.version
            );
        }
        let deep = found.iter().find(|(length, _)| *length == 3).expect("deep");
        assert_eq!(deep.1.matches("python_loader.deep").count(), 21);
    }
}

/// An exception that leaves a function is its result.
#[test]
fn exceptions_that_leave_a_function() {
    for python in pythons() {
        let script = format!("{} {}/python_probes.py", python.path.display(), programs());
        let ran = run(&script, ALL);
        let trace = ran.trace();
        let items = trace
            .calls()
            .filter(|call| &*call.op == "python_loader.Shard.__getitem__");
        let results: Vec<_> = items.map(|call| call.ret).collect();
        assert_eq!(results, [0, 0, -1], "Python {:?}", python.version);
    }
}

/// Nothing that keeps a user's settings away from Python keeps the probes away, and nothing of the user's is replaced.
#[test]
fn options_and_environments_of_python() {
    let script = "import os\ndef probed(): return os.stat('/')\n[probed() for _ in range(5)]\n\
                  import sys; print(sys.flags.isolated, sys.flags.no_site, 'usercustom' in sys.modules)";
    for python in pythons() {
        for options in ["", "-I", "-S", "-E -s", "-I -S", "-X utf8 -O"] {
            let command = format!(
                "mkdir -p own; echo 'import sys; sys.modules[\"usercustom\"] = sys' >own/sitecustomize.py; \
                 echo \"{script}\" >train.py; PYTHONPATH=$PWD/own {} {options} train.py",
                python.path.display()
            );
            let ran = run(&command, "--python-probe train.probed");
            let (isolated, no_site) = (options.contains('I'), options.contains('S'));
            let has_own = !options.contains(['I', 'S', 'E']);
            let said = format!(
                "{} {} {}",
                isolated as u8,
                no_site as u8,
                if has_own { "True" } else { "False" }
            );
            assert_eq!(ran.stdout().trim(), said, "{:?} {options}", python.version);
            assert_eq!(
                ran.trace().count("train.probed"),
                5,
                "{:?} {options}",
                python.version
            );
        }
    }
}

#[test]
fn a_virtual_environment_and_a_module_that_is_run() {
    let script = "python3 -m venv --without-pip v >&2 && mkdir p && echo >p/__init__.py && \
                  printf 'def f():\\n  open(__file__).close()\\nf()\\n' >p/run.py && v/bin/python -m p.run && \
                  printf 'def g():\\n  pass\\ng()\\n' | v/bin/python - && v/bin/python -c 'import p.run as r; r.f()'";
    let ran = run(script, "--python-probe p.run.*,__main__.g");
    let trace = ran.trace();
    assert_eq!((trace.count("p.run.f"), trace.count("__main__.g")), (3, 1));
}

#[test]
fn what_no_function_matches_is_told() {
    let ran = run(
        "python3 -c 'def f(): pass\nf()'",
        "--python-probe nowhere.*,__main__.f",
    );
    let said = ran.output.errors();
    assert!(
        said.contains("python-probe nowhere.*: no call was recorded"),
        "{said}"
    );
    assert!(!said.contains("__main__.f:"), "{said}");
    let wrong = Command::new(Build::first().iota())
        .args(["run", "--python-probe", "train.[x", "--", "true"])
        .output()
        .expect("iota runs");
    let said = String::from_utf8_lossy(&wrong.stderr);
    assert!(
        said.contains("--python-probe train.[x: a [ without ]"),
        "{said}"
    );
}

/// Python 2 and versions whose functions cannot be probed run as ever.
#[test]
fn other_pythons_are_left_alone() {
    for path in of_pyenv() {
        let is_other = |path: &Path| version(path).is_some_and(|version| version < (3, 8));
        if is_other(&path) {
            let script = format!("{} -c 'def f(): return 3\nprint(f())'", path.display());
            let ran = run(&script, "--python-probe __main__.f");
            assert_eq!(ran.stdout(), "3\n");
            assert!(ran.output.errors().contains("CPython 3.8 and later"));
        }
    }
}

/// From 3.12 on, functions without a probe are asked about once.
#[test]
fn others_tools_for_monitoring_are_kept() {
    let monitored: Vec<_> = pythons()
        .into_iter()
        .filter(|python| python.version >= (3, 12))
        .collect();
    wanted(
        "a Python with sys.monitoring",
        !monitored.is_empty(),
        "install Python 3.12",
    );
    let script = "import cProfile, sys\ndef f(): pass\ndef g(): f()\nm = sys.monitoring\nm.use_tool_id(3, \"mine\")\n\
                  seen = []\nm.register_callback(3, m.events.PY_START, lambda code, _: seen.append(code.co_name))\n\
                  m.set_events(3, m.events.PY_START)\ncProfile.run(\"g()\", sort=1)\ng()\nm.set_events(3, 0)\n\
                  assert seen.count(\"f\") == 2, seen\nprint(m.get_tool(4), m.get_tool(3))";
    for python in monitored {
        let command = format!("{} -c '{script}' | tail -n 1", python.path.display());
        let ran = run(&command, "--python-probe __main__.f");
        assert_eq!(ran.stdout(), "iota mine\n");
        assert_eq!(ran.trace().count("__main__.f"), 2);
    }
}

/// Exceptions that are thrown into generators and coroutines arrive there: in those with a probe, which go on, and in others.
#[test]
fn exceptions_that_are_thrown_into_generators() {
    let script = "import asyncio, contextlib\n@contextlib.contextmanager\ndef guard():\n    try: yield\n    \
                  except KeyError: print(\"guarded\")\ndef probed():\n    try: yield 1\n    \
                  except KeyError: yield 2\n    finally: print(\"closed\")\nany(x for x in (1, 2))\n\
                  for _ in range(3):\n    with guard(): raise KeyError\none = probed()\n\
                  print(next(one), one.throw(KeyError))\none.close()\nasync def wait(): await asyncio.sleep(60)\n\
                  async def cancel():\n    task = asyncio.create_task(wait())\n    await asyncio.sleep(0)\n    \
                  task.cancel()\n    try: await task\n    except asyncio.CancelledError: print(\"cancelled\")\n\
                  asyncio.run(cancel())";
    for python in pythons() {
        let command = format!("{} -c '{script}'", python.path.display());
        let ran = run(&command, "--python-probe __main__.probed");
        let said = "guarded\nguarded\nguarded\n1 2\nclosed\ncancelled\n";
        assert_eq!(ran.stdout(), said, "Python {:?}", python.version);
        let errors = ran.output.errors();
        assert!(!errors.contains("Error"), "{:?}: {errors}", python.version);
        let trace = ran.trace();
        let results = trace.calls().filter(|call| &*call.op == "__main__.probed");
        let results: Vec<_> = results.map(|call| call.ret).collect();
        assert_eq!(results, [0, 0, -1], "Python {:?}", python.version);
    }
}

/// Exceptions of the program's handlers for signals arrive, also while the tracer asks about a function.
#[test]
fn exceptions_of_handlers_of_signals() {
    let script = "import signal\nclass Base(BaseException): pass\nclass Usual(Exception): pass\n\
                  raised = caught = i = 0\ninside = False\ndef handler(*_):\n    global raised, inside\n    \
                  if inside:\n        raised, inside = raised + 1, False\n        raise (Base, Usual)[raised % 2]\n\
                  space = {}\nexec(\"\".join(\"def f%d(): pass\\n\" % i for i in range(8000)), space)\n\
                  def work():\n    global i, inside\n    inside = True\n    while i < 8000:\n        i += 1\n        \
                  space[\"f%d\" % (i - 1)]()\n    inside = False\n\
                  signal.signal(signal.SIGALRM, handler)\nsignal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\n\
                  while i < 8000:\n    try: work()\n    except (Base, Usual): caught += 1\n\
                  signal.setitimer(signal.ITIMER_REAL, 0)\nprint(raised - caught)";
    for python in pythons() {
        let command = format!("{} -c '{script}'", python.path.display());
        let ran = run(&command, "--python-probe elsewhere.absent");
        assert_eq!(ran.stdout(), "0\n", "Python {:?}", python.version);
    }
}
