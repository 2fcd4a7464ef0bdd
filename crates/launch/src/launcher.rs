//! Launchers of parallel programs: how a variable reaches the ranks, on all nodes, and not the launcher itself.
//!
//! Where the launcher has an option that sets a variable for the ranks alone, LD_PRELOAD goes there: a traced launcher
//! would be noise in the trace. The option stands right behind the
//! launcher's name, where every launcher takes options; one cannot tell in general where its program begins. Other
//! launchers get LD_PRELOAD in the environment, and are traced as well.

use super::program;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};
use std::slice;

const PRELOAD: &str = "LD_PRELOAD";
/// What MPIs call their launchers, with or without more behind: mpiexec.hydra
const MPIEXECS: [&str; 5] = ["mpiexec", "mpirun", "orterun", "prterun", "prun"];

/// Launchers by what options they take
#[derive(Debug, PartialEq, Eq)]
pub enum Launcher {
    /// mpiexec, mpirun, prterun: `-x NAME[=VALUE]`, for each program of several
    OpenMpi,
    /// MPICH's, Intel's and MVAPICH's mpiexec: `-genv NAME VALUE`
    Hydra,
    /// Slurm's: `--export=ALL,NAME=VALUE`
    Srun,
    /// Cray's: `-e NAME=VALUE`
    Aprun,
    /// Any other
    Other,
}

/// What the ranks get besides LD_PRELOAD
pub type Variables = BTreeMap<String, OsString>;

/// What launchers call the number of a rank
const RANKS: [&str; 9] = [
    "PMI_RANK",
    "PMIX_RANK",
    "OMPI_COMM_WORLD_RANK",
    "MV2_COMM_WORLD_RANK",
    "PALS_RANKID",
    "ALPS_APP_PE",
    "JSM_NAMESPACE_RANK",
    "FLUX_TASK_RANK",
    "SLURM_PROCID",
];

/// Whether a launcher started this very command, as a rank behind the first, which writes the job's trace
pub fn is_later_rank() -> bool {
    let rank = RANKS.iter().find_map(|name| std::env::var(name).ok());
    rank.is_some_and(|rank| rank.parse::<u64>().is_ok_and(|rank| rank > 0))
}

/// What launchers call the number of a rank, and of how many. In a batch script Slurm sets the first without a step.
const SIZES: [(&str, &str); 6] = [
    ("PMI_RANK", "PMI_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    ("JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"),
    ("FLUX_TASK_RANK", "FLUX_JOB_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
];

/// The rank that the variables of a process say, and of how many
pub fn rank_in(variables: &[u8]) -> Option<(u32, u32)> {
    let number = |name: &str| {
        let mut all = variables.split(|byte| *byte == 0);
        let digits = all.find_map(|variable| {
            let value = variable.strip_prefix(name.as_bytes())?;
            value.strip_prefix(b"=")
        })?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    };
    let mut all = SIZES.iter();
    all.find_map(|(rank, size)| number(rank).zip(number(size)))
}

/// Which of several ranks this very command is, if a launcher started it so
pub fn rank_of_several() -> Option<u64> {
    let number = |name| std::env::var(name).ok()?.parse::<u64>().ok();
    let mut all = SIZES
        .iter()
        .filter_map(|(rank, size)| number(rank).zip(number(size)));
    all.find_map(|(rank, size)| (size > 1).then_some(rank))
}

impl Launcher {
    /// If a command is one
    pub fn of(file: &Path) -> Option<Launcher> {
        let name = file.file_name()?.to_str()?;
        match name {
            "srun" => Some(Launcher::Srun),
            "aprun" => Some(Launcher::Aprun),
            "jsrun" | "lrun" | "ibrun" | "flux" => Some(Launcher::Other),
            _ if MPIEXECS.iter().any(|stem| name.starts_with(stem)) => {
                Some(Launcher::of_version(&asked(file)))
            }
            _ => None,
        }
    }

    /// By what it says of its version: all MPIs call theirs mpiexec.
    fn of_version(version: &str) -> Launcher {
        let says = |words: &[&str]| words.iter().any(|word| version.contains(word));
        match () {
            () if says(&["Open MPI", "OpenRTE", "PRRTE"]) => Launcher::OpenMpi,
            () if says(&["HYDRA", "Intel(R) MPI"]) => Launcher::Hydra,
            () => Launcher::Other,
        }
    }

    /// The command with what makes it preload; `None`: it has no way of its own, the environment must do
    pub fn command(
        &self,
        words: &[OsString],
        preload: &OsStr,
        variables: &Variables,
    ) -> Option<Vec<OsString>> {
        match self {
            Launcher::OpenMpi => Some(open_mpi(words, preload, variables)),
            Launcher::Hydra => Some(hydra(words, preload, variables)),
            Launcher::Srun => {
                let exported = std::env::var_os("SLURM_EXPORT_ENV");
                srun(words, preload, variables, exported)
            }
            Launcher::Aprun => Some(behind_name(words, vec!["-e".into(), set(preload)])),
            Launcher::Other => None,
        }
    }
}

fn asked(file: &Path) -> String {
    let mut command = Command::new(file);
    let output = command.arg("--version").stdin(Stdio::null()).output();
    output.map_or(String::new(), |output| {
        String::from_utf8_lossy(&output.stdout).into_owned()
    })
}

fn set(preload: &OsStr) -> OsString {
    let mut word = OsString::from(format!("{PRELOAD}="));
    word.push(preload);
    word
}

fn behind_name(words: &[OsString], options: Vec<OsString>) -> Vec<OsString> {
    let (name, rest) = words.split_at(1);
    [name, &options, rest].concat()
}

/// A colon begins the options of a further program. Of two values for a variable the last counts: one that the user
/// gives is completed.
fn open_mpi(words: &[OsString], preload: &OsStr, variables: &Variables) -> Vec<OsString> {
    let mut options = vec!["-x".into(), set(preload)];
    for name in variables.keys() {
        options.extend(["-x".into(), name.into()]);
    }
    let mut all = behind_name(words, options.clone());
    for at in (1 + options.len()..all.len()).rev() {
        if all[at] == ":" {
            all.splice(at + 1..at + 1, options.iter().cloned());
        } else if all[at - 1] == "-x" {
            complete(&mut all[at], &format!("{PRELOAD}="), preload);
        }
    }
    all
}

fn hydra(words: &[OsString], preload: &OsStr, variables: &Variables) -> Vec<OsString> {
    let mut options = vec!["-genv".into(), PRELOAD.into(), preload.into()];
    for (name, value) in variables {
        options.extend(["-genv".into(), name.into(), value.clone()]);
    }
    let mut all = behind_name(words, options.clone());
    for at in 1 + options.len() + 2..all.len() {
        if all[at - 1] == PRELOAD
            && ["-genv", "-env"]
                .iter()
                .any(|option| all[at - 2] == *option)
        {
            complete(&mut all[at], "", preload);
        }
    }
    all
}

/// Slurm takes the last `--export` alone, and hands on all variables unless one, or `SLURM_EXPORT_ENV`, says otherwise: the
/// tracer's are added to it.
fn srun(
    words: &[OsString],
    preload: &OsStr,
    variables: &Variables,
    exported: Option<OsString>,
) -> Option<Vec<OsString>> {
    // A comma cannot be written in a value there.
    if preload.as_encoded_bytes().contains(&b',') {
        return None;
    }
    let is_export = |word: &OsString| word.as_encoded_bytes().starts_with(EXPORT.as_bytes());
    let given = words.iter().rposition(is_export);
    let Some(at) = given else {
        let value = exported.unwrap_or_else(|| "ALL".into());
        let mut option = OsString::from(EXPORT);
        option.push("=");
        option.push(export(value.to_str()?, preload, variables));
        return Some(behind_name(words, vec![option]));
    };
    // One behind the program is an argument of its own.
    let is_ours = at < first_program(words);
    let word = words[at].to_str().filter(|_| is_ours)?;
    let (at, before, value) = match word.strip_prefix(EXPORT)? {
        "" => (at + 1, "", words.get(at + 1)?.to_str()?),
        rest => (at, "--export=", rest.strip_prefix('=')?),
    };
    let mut all = words.to_vec();
    all[at] = before.into();
    all[at].push(export(value, preload, variables));
    Some(all)
}

const EXPORT: &str = "--export";

/// What `--export` is to say: of the tracer's variables the names do, since srun itself has them.
fn export(value: &str, preload: &OsStr, variables: &Variables) -> OsString {
    let theirs = |word: &&str| word.split('=').next() == Some(PRELOAD);
    let (preloaded, kept): (Vec<_>, Vec<_>) = value.split(',').partition(theirs);
    let is_all = kept.contains(&"ALL");
    let kept = kept
        .into_iter()
        .filter(|word| !matches!(*word, "" | "NONE" | "NIL"));
    let mut tracer = set(preload);
    if let Some((_, theirs)) = preloaded.last().and_then(|word| word.split_once('=')) {
        tracer.push(":");
        tracer.push(theirs);
    }
    let names = variables.keys().filter(|_| !is_all);
    let all: Vec<OsString> = kept
        .map(OsString::from)
        .chain([tracer])
        .chain(names.map(OsString::from))
        .collect();
    all.join(OsStr::new(","))
}

/// Where srun's own options end, as far as is known: at a program, or at a word that is no option's value
fn first_program(words: &[OsString]) -> usize {
    let is_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
    let may_have_value =
        |word: &OsString| is_option(word) && !word.as_encoded_bytes().contains(&b'=');
    let is_program = |at: &usize| {
        let word = &words[*at];
        !is_option(word)
            && (!may_have_value(&words[at - 1]) || program::among(slice::from_ref(word)).len() == 1)
    };
    (1..words.len()).find(is_program).unwrap_or(words.len())
}

/// Puts the tracer before what a word preloads.
fn complete(word: &mut OsString, prefix: &str, preload: &OsStr) {
    let Some(theirs) = word.to_str().and_then(|text| text.strip_prefix(prefix)) else {
        return;
    };
    let mut value = OsString::from(prefix);
    value.push(preload);
    if !theirs.is_empty() {
        value.push(":");
        value.push(theirs);
    }
    *word = value;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(launcher: Launcher, text: &str) -> Option<String> {
        let words: Vec<OsString> = text.split(' ').map(OsString::from).collect();
        let variables = Variables::from([("IOTA_OUTPUT".to_owned(), "/d/%p".into())]);
        let all = launcher.command(&words, OsStr::new("i.so"), &variables)?;
        Some(all.join(OsStr::new(" ")).into_string().unwrap())
    }

    fn expands_to(launcher: Launcher, text: &str, expected: &str) {
        assert_eq!(command(launcher, text).as_deref(), Some(expected));
    }

    #[test]
    fn launchers_say_what_they_are() {
        let of_version = |text| Launcher::of_version(text);
        assert_eq!(
            of_version("mpiexec.openmpi (OpenRTE) 4.1.4"),
            Launcher::OpenMpi
        );
        assert_eq!(of_version("mpirun (Open MPI) 5.0.3"), Launcher::OpenMpi);
        assert_eq!(
            of_version("HYDRA build details:\n  Version: 4.0.2"),
            Launcher::Hydra
        );
        assert_eq!(
            of_version("Intel(R) MPI Library for Linux* OS, Version 2021.9"),
            Launcher::Hydra
        );
        assert_eq!(of_version("PALS version 1.3"), Launcher::Other);
        assert_eq!(
            Launcher::of(Path::new("/usr/bin/srun")),
            Some(Launcher::Srun)
        );
        assert_eq!(Launcher::of(Path::new("/bin/sh")), None);
    }

    #[test]
    fn open_mpi_sets_it_for_every_program() {
        let ours = "-x LD_PRELOAD=i.so -x IOTA_OUTPUT";
        expands_to(
            Launcher::OpenMpi,
            "mpiexec -n 1 ./a : -n 2 ./b",
            &format!("mpiexec {ours} -n 1 ./a : {ours} -n 2 ./b"),
        );
    }

    #[test]
    fn what_the_user_preloads_in_ranks_is_kept() {
        expands_to(
            Launcher::OpenMpi,
            "mpirun -x LD_PRELOAD=j.so ./a LD_PRELOAD=k.so",
            "mpirun -x LD_PRELOAD=i.so -x IOTA_OUTPUT -x LD_PRELOAD=i.so:j.so ./a LD_PRELOAD=k.so",
        );
        expands_to(
            Launcher::Hydra,
            "mpiexec -genv LD_PRELOAD j.so ./a",
            "mpiexec -genv LD_PRELOAD i.so -genv IOTA_OUTPUT /d/%p -genv LD_PRELOAD i.so:j.so ./a",
        );
    }

    #[test]
    fn other_launchers_have_their_own_ways() {
        expands_to(
            Launcher::Srun,
            "srun -n 4 ./a",
            "srun --export=ALL,LD_PRELOAD=i.so -n 4 ./a",
        );
        expands_to(Launcher::Aprun, "aprun ./a", "aprun -e LD_PRELOAD=i.so ./a");
        assert_eq!(command(Launcher::Other, "flux run ./a"), None);
    }

    #[test]
    fn what_srun_exports_is_completed() {
        let expands = |text: &str, expected: &str| expands_to(Launcher::Srun, text, expected);
        expands(
            "srun --export=NONE ./a",
            "srun --export=LD_PRELOAD=i.so,IOTA_OUTPUT ./a",
        );
        expands(
            "srun -l --export A,B=1 -n 4 ./a",
            "srun -l --export A,B=1,LD_PRELOAD=i.so,IOTA_OUTPUT -n 4 ./a",
        );
        expands(
            "srun --export=ALL,LD_PRELOAD=j.so ./a",
            "srun --export=ALL,LD_PRELOAD=i.so:j.so ./a",
        );
        // Whose option this is is not known.
        for text in ["srun -n 4 ./a --export=NONE", "srun --export-file=f ./a"] {
            assert_eq!(command(Launcher::Srun, text), None, "{text}");
        }
        let words = ["srun", "./a"].map(OsString::from);
        let exported = Some("NONE".into());
        let all = srun(&words, OsStr::new("i.so"), &Variables::new(), exported);
        assert_eq!(all.expect("words")[1], "--export=LD_PRELOAD=i.so");
    }
}
