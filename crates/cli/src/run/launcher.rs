//! Launchers of parallel programs: how a variable reaches the ranks, on all nodes, and not the launcher itself.
//!
//! Where the launcher has an option that sets a variable for the ranks alone, LD_PRELOAD goes there: a traced launcher
//! would be noise in the trace. The option stands right behind the
//! launcher's name, where every launcher takes options; one cannot tell in general where its program begins. Other
//! launchers get LD_PRELOAD in the environment, and are traced as well.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};

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
                Some(Launcher::told(&asked(file)))
            }
            _ => None,
        }
    }

    /// By what it says of its version: all MPIs call theirs mpiexec.
    fn told(version: &str) -> Launcher {
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
            Launcher::Srun => srun(words, preload),
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

/// Slurm takes the last `--export` alone, and hands on all variables unless told otherwise: one of the user's stays.
fn srun(words: &[OsString], preload: &OsStr) -> Option<Vec<OsString>> {
    let is_export = |word: &OsString| word.as_encoded_bytes().starts_with(b"--export");
    let has_comma = preload.as_encoded_bytes().contains(&b',');
    let is_told = std::env::var_os("SLURM_EXPORT_ENV").is_some() || words.iter().any(is_export);
    if is_told || has_comma {
        return None;
    }
    let mut option = OsString::from("--export=ALL,");
    option.push(set(preload));
    Some(behind_name(words, vec![option]))
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
        let told = |text| Launcher::told(text);
        assert_eq!(told("mpiexec.openmpi (OpenRTE) 4.1.4"), Launcher::OpenMpi);
        assert_eq!(told("mpirun (Open MPI) 5.0.3"), Launcher::OpenMpi);
        assert_eq!(
            told("HYDRA build details:\n  Version: 4.0.2"),
            Launcher::Hydra
        );
        assert_eq!(
            told("Intel(R) MPI Library for Linux* OS, Version 2021.9"),
            Launcher::Hydra
        );
        assert_eq!(told("PALS version 1.3"), Launcher::Other);
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
        assert_eq!(command(Launcher::Srun, "srun --export=NONE ./a"), None);
        expands_to(Launcher::Aprun, "aprun ./a", "aprun -e LD_PRELOAD=i.so ./a");
        assert_eq!(command(Launcher::Other, "flux run ./a"), None);
    }
}
