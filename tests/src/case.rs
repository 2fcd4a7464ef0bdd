//! A case: a program, a way, an environment; run in a directory of its own under a time limit.

use crate::limits::limited;
use crate::nodes;
use crate::uncalled::assert_little;
use crate::{Build, Program, Ran, Scratch, Way};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Some ranks of a parallel run.
#[derive(Clone, Debug)]
struct Group {
    ranks: u32,
    program: Program,
    way: Way,
    env: Vec<(String, String)>,
}

/// What to run. `{}` in the value of an environment variable stands for the test's directory.
#[derive(Clone, Debug)]
pub struct Case {
    program: Program,
    way: Way,
    env: Vec<(String, OsString)>,
    args: Vec<String>,
    input: Vec<u8>,
    limit: Duration,
    groups: Vec<Group>,
    launcher: Vec<String>,
    under: Vec<String>,
    each_rank: Vec<String>,
    prepare: Option<fn(&Path)>,
    makes_system_calls: bool,
}

impl Case {
    /// A program of tests/programs, bare.
    pub fn new(source: &str) -> Case {
        Case::of(Program::new(source))
    }

    /// A program that needs more than its name.
    pub fn of(program: Program) -> Case {
        Case {
            program,
            way: Way::Bare,
            env: Vec::new(),
            args: Vec::new(),
            input: Vec::new(),
            limit: Duration::from_secs(60),
            groups: Vec::new(),
            launcher: Vec::new(),
            under: Vec::new(),
            each_rank: Vec::new(),
            prepare: None,
            makes_system_calls: false,
        }
    }

    /// A shell script.
    pub fn shell(script: &str) -> Case {
        let mut case = Case::of(Program::command("/bin/sh"));
        case.args = vec!["-c".into(), script.into()];
        case
    }

    /// A parallel program on some ranks of a build's MPI.
    pub fn mpi(source: &str, build: &'static Build, ranks: u32) -> Case {
        Case::on_ranks(Program::new(source).mpi(build), ranks)
    }

    /// The same with a program that needs more than its name.
    pub fn on_ranks(program: Program, ranks: u32) -> Case {
        let build = program.build();
        let mut case = Case::of(program);
        case.launcher = build.words("MPIEXEC");
        case.launcher.extend(build.words("MPIEXEC_FLAGS"));
        case.way = build.way();
        case.and(ranks, build.way(), &[])
    }

    /// On two nodes, so many ranks on each ([`machine::NODES`](crate::machine::NODES)).
    pub fn on_nodes(mut self, ranks_each: u32) -> Case {
        let flags = nodes::flags(self.program.build(), ranks_each);
        self.launcher.extend(flags);
        self
    }

    /// How it is linked.
    pub fn way(mut self, way: Way) -> Case {
        self.way = way;
        self.groups.iter_mut().for_each(|group| group.way = way);
        self
    }

    /// The program's changes: flags, linker, libraries.
    pub fn with(mut self, change: impl Fn(Program) -> Program) -> Case {
        self.program = change(self.program);
        for group in &mut self.groups {
            group.program = self.program.clone();
        }
        self
    }

    /// Further ranks, linked in another way or with an environment of their own.
    pub fn and(mut self, ranks: u32, way: Way, env: &[(&str, &str)]) -> Case {
        let env = env
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()));
        self.groups.push(Group {
            ranks,
            program: self.program.clone(),
            way,
            env: env.collect(),
        });
        self
    }

    /// Further ranks, of another program, linked as the first.
    pub fn beside(mut self, source: &str, ranks: u32) -> Case {
        let program = Program::new(source).mpi(self.program.build());
        let (way, env) = (self.way, Vec::new());
        self.groups.push(Group {
            ranks,
            program,
            way,
            env,
        });
        self
    }

    /// An environment variable.
    pub fn env(mut self, key: &str, value: impl AsRef<OsStr>) -> Case {
        self.env.push((key.into(), value.as_ref().into()));
        self
    }

    /// Arguments, separated by blanks.
    pub fn args(mut self, args: &str) -> Case {
        self.args.extend(args.split_whitespace().map(String::from));
        self
    }

    /// Standard input.
    pub fn input(mut self, input: &str) -> Case {
        self.input = input.into();
        self
    }

    /// Seconds that it may take.
    pub fn seconds(mut self, seconds: u64) -> Case {
        self.limit = Duration::from_secs(seconds);
        self
    }

    /// It reads and writes past the C library.
    pub fn makes_system_calls(mut self) -> Case {
        self.makes_system_calls = true;
        self
    }

    /// A command that starts it, separated by blanks; `{}` as in the environment.
    pub fn under(mut self, command: &str) -> Case {
        self.under = command.split_whitespace().map(String::from).collect();
        self
    }

    /// A shell script around it, in which `"$@"` runs it; `{}` as in the environment.
    pub fn script(mut self, script: &str) -> Case {
        self.under = ["sh", "-c", script, "sh"].map(String::from).into();
        self
    }

    /// A shell script around each rank, in which `"$@"` runs it.
    pub fn each_rank(mut self, script: &str) -> Case {
        self.each_rank = ["sh", "-c", script, "sh"].map(String::from).into();
        self
    }

    /// A script in which mounts and limits are its own.
    pub fn in_namespace(mut self, script: &str) -> Case {
        self.under = [
            "unshare",
            "--mount",
            "--map-root-user",
            "sh",
            "-c",
            script,
            "sh",
        ]
        .map(String::from)
        .into();
        self
    }

    /// Something to do in the test's directory before it runs.
    pub fn prepare(mut self, step: fn(&Path)) -> Case {
        self.prepare = Some(step);
        self
    }

    /// Runs it in a fresh scratch directory.
    pub fn run(&self) -> Ran {
        let scratch = Scratch::new();
        let (work, _) = (
            scratch.dir("work"),
            (scratch.dir("trace"), scratch.dir("spool")),
        );
        if let Some(step) = self.prepare {
            step(scratch.path());
        }
        let mut command = self.command(scratch.path());
        self.set_environment(&mut command, scratch.path());
        let output = limited(command.current_dir(work), &self.input, self.limit);
        if !self.makes_system_calls {
            assert_little(&scratch.path().join("trace"), output.text().len());
        }
        Ran { output, scratch }
    }

    /// Runs it in the way's bare form.
    pub fn run_bare(&self) -> Ran {
        self.clone().way(self.way.bare()).run()
    }

    /// True where this machine can build it; else the test is left out.
    pub fn can_be_built(&self) -> bool {
        self.program.has_compiler()
    }

    /// What is run when nothing starts it.
    pub fn executable(&self) -> PathBuf {
        self.program.executable(self.way)
    }

    fn command(&self, scratch: &Path) -> Command {
        let mut words: Vec<OsString> = self
            .under
            .iter()
            .map(|word| at(scratch, word.as_ref()))
            .collect();
        words.extend(self.launcher.iter().map(OsString::from));
        if self.launcher.is_empty() {
            words.push(self.executable().into());
            words.extend(self.program.plugin_file().map(OsString::from));
            words.extend(self.args.iter().map(OsString::from));
        } else {
            words.extend(
                self.groups
                    .iter()
                    .enumerate()
                    .flat_map(|(index, group)| self.group(index, group)),
            );
        }
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command
    }

    /// `-n RANKS env NAME=VALUE... PROGRAM ARGUMENTS`, with a colon between groups.
    fn group(&self, index: usize, group: &Group) -> Vec<OsString> {
        let mut words: Vec<OsString> = if index > 0 {
            vec![":".into()]
        } else {
            Vec::new()
        };
        words.extend(["-n".into(), group.ranks.to_string().into()]);
        words.extend(self.each_rank.iter().map(OsString::from));
        let mut env: Vec<OsString> = group
            .env
            .iter()
            .map(|(key, value)| format!("{key}={value}").into())
            .collect();
        if group.way == Way::Preload {
            let mut preload = OsString::from("LD_PRELOAD=");
            preload.push(group.program.shared_object());
            env.push(preload);
        }
        if !env.is_empty() {
            words.push("env".into());
            words.extend(env);
        }
        words.push(group.program.executable(group.way).into());
        words.extend(group.program.plugin_file().map(OsString::from));
        words.extend(self.args.iter().map(OsString::from));
        words
    }

    fn set_environment(&self, command: &mut Command, scratch: &Path) {
        for (key, _) in
            std::env::vars_os().filter(|(key, _)| key.to_string_lossy().starts_with("IOTA_"))
        {
            command.env_remove(key);
        }
        command.env("LC_ALL", "C").env_remove("LD_PRELOAD");
        if self.launcher.is_empty() && self.way == Way::Preload {
            command.env("LD_PRELOAD", self.program.shared_object());
        }
        for (key, value) in [
            ("IOTA_OUTPUT", "{}/trace/run.iota"),
            ("IOTA_LOG", "{}/log"),
            ("IOTA_SPOOL", "{}/spool"),
        ] {
            command.env(key, at(scratch, value.as_ref()));
        }
        for (key, value) in &self.env {
            command.env(key, at(scratch, value));
        }
    }
}

/// The value with the test's directory in it.
fn at(scratch: &Path, value: &OsStr) -> OsString {
    match value.to_str() {
        Some(text) => text.replace("{}", &scratch.display().to_string()).into(),
        None => value.into(),
    }
}
