//! What the environment says: of the user's wishes, of the launcher, of the batch system.

use super::early;
use crate::sys::{self, File, Text};
use core::ffi::CStr;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// False while nobody knows what the user wants: the program's earliest code is not traced.
pub fn is_readable() -> bool {
    early::has_environment()
}

/// Bits of the names that there may be. To look for each of those that the tracer knows, most of which are not there, takes
/// as long as all else of its start.
static NAMES: [AtomicU64; 4] = [const { AtomicU64::new(u64::MAX) }; 4];

/// The word and the bit of a name.
fn bit(name: &[u8]) -> (usize, u64) {
    let last = name.iter().rev().take(3);
    let sum = last.fold(name.len(), |sum, &byte| {
        sum.wrapping_mul(7).wrapping_add(byte.into())
    });
    (sum / 64 % NAMES.len(), 1 << (sum % 64))
}

/// The tracer starts: looks once which names there are.
pub fn begin() {
    let mut names = [0u64; 4];
    early::for_each_name(|name| {
        let (word, bit) = bit(name);
        names[word] |= bit;
    });
    if names != [0; 4] {
        NAMES
            .iter()
            .zip(names)
            .for_each(|(to, word)| to.store(word, Relaxed));
    }
}

/// It has started: from now on the program may set any.
pub fn end() {
    NAMES.iter().for_each(|to| to.store(u64::MAX, Relaxed));
}

/// The value of an environment variable; none for setuid programs. Not kept: the program may change it.
pub fn variable(name: &CStr) -> Option<&'static [u8]> {
    let (word, bit) = bit(name.to_bytes());
    if NAMES[word].load(Relaxed) & bit == 0 {
        return None;
    }
    early::variable(name.to_bytes())
}

/// Decimal digits with an optional k, m or g (powers of 1024).
pub fn number(value: &[u8]) -> Option<u64> {
    let (digits, shift) = match value.split_last()? {
        (b'k' | b'K', digits) => (digits, 10),
        (b'm' | b'M', digits) => (digits, 20),
        (b'g' | b'G', digits) => (digits, 30),
        _ => (value, 0),
    };
    let mut sum = 0u64;
    if digits.is_empty() {
        return None;
    }
    for digit in digits {
        let digit = digit.checked_sub(b'0').filter(|d| *d < 10)?;
        sum = sum.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    sum.checked_mul(1 << shift)
}

/// The rank that the launcher gave this process, before or without MPI_Init.
pub fn launched_rank() -> Option<u32> {
    let names = [
        c"PMI_RANK",
        c"PMIX_RANK",
        c"OMPI_COMM_WORLD_RANK",
        c"MV2_COMM_WORLD_RANK",
        c"PALS_RANKID",
        c"ALPS_APP_PE",
        c"JSM_NAMESPACE_RANK",
        c"FLUX_TASK_RANK",
        c"SLURM_PROCID",
    ];
    // A batch script of Slurm's has a number as well, but is no rank.
    let is_step = variable(c"SLURM_STEP_ID").is_some();
    let is_rank = |name: &&&CStr| is_step || **name != c"SLURM_PROCID";
    names
        .iter()
        .filter(is_rank)
        .find_map(|name| number(variable(name)?))
        .map(|rank| rank as u32)
}

/// What the ranks of one launch have in common, on all nodes if the launcher gives it a name; never 0.
pub fn launch() -> u32 {
    let named = [c"PMIX_NAMESPACE", c"I_MPI_HYDRA_UUID"];
    let name = named.iter().find_map(|name| variable(name));
    let launch = name.map(|name| mixed(0, name)).or_else(of_hydra);
    launch.unwrap_or_else(sys::parent_id).max(1)
}

fn mixed(sum: u32, name: &[u8]) -> u32 {
    name.iter().fold(sum, |sum, byte| {
        let mixed = (sum ^ u32::from(*byte)).wrapping_mul(0x9E37_79B1);
        mixed.rotate_left(13)
    })
}

/// MPICH's launcher gives its launches no name, but its proxy on each node knows where to report.
#[inline(never)]
fn of_hydra() -> Option<u32> {
    let (mut path, mut room) = (Text::<32>::EMPTY, [0; 2048]);
    path.push(b"/proc/")
        .push_number(u64::from(sys::parent_id()));
    path.push(b"/cmdline");
    let length = File::open(path.c_str(), libc::O_RDONLY)
        .ok()?
        .read(&mut room)
        .ok()?;
    let after = |option: &[u8]| {
        let mut words = room.get(..length)?.split(|byte| *byte == 0);
        words.find(|word| *word == option)?;
        words.next()
    };
    let launcher = mixed(0, after(b"--control-port")?);
    // One proxy may start ranks of several worlds.
    Some(mixed(launcher, variable(c"PMI_SPAWNED").unwrap_or(b"0")))
}

/// Whether this process descends from a call of MPI_Comm_spawn; and who made it, where the launcher tells.
pub fn spawner() -> Option<&'static [u8]> {
    let is_spawned = variable(c"PMI_SPAWNED").is_some_and(|value| value != b"0");
    // The job and rank of the root, then a number of the port.
    let port = variable(c"OMPI_PARENT_PORT");
    let who = port.and_then(|port| port.split(|byte| *byte == b':').next());
    who.or(is_spawned.then_some(b""))
}

/// How many ranks the launcher has started on this node, where it says so.
pub fn local_size() -> Option<u32> {
    let names = [
        c"MPI_LOCALNRANKS",
        c"OMPI_COMM_WORLD_LOCAL_SIZE",
        c"MV2_COMM_WORLD_LOCAL_SIZE",
    ];
    names
        .iter()
        .find_map(|name| number(variable(name)?))
        .map(|size| size as u32)
}

/// The batch system's job, or what names the launch, or the process.
pub fn job(to: &mut Text<256>) {
    let batch = [
        c"SLURM_JOB_ID",
        c"PBS_JOBID",
        c"LSB_JOBID",
        c"FLUX_JOB_ID",
        c"COBALT_JOBID",
        c"JOB_ID",
        c"PMIX_NAMESPACE",
    ];
    match batch
        .iter()
        .find_map(|name| variable(name).filter(|value| !value.is_empty()))
    {
        // A job id becomes part of a file name.
        Some(id) => {
            for &b in id {
                to.push(&[if b == b'/' { b'_' } else { b }]);
            }
        }
        // The ranks of a node have the launcher in common.
        None if launched_rank().is_some() => {
            to.push_number(u64::from(sys::parent_id()));
        }
        None => {
            to.push_number(u64::from(sys::process_id()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn sizes_are_read_and_nonsense_is_not() {
        assert_eq!(number(b"64k"), Some(65_536));
        assert_eq!(number(b"3"), Some(3));
        for nonsense in [&b""[..], b"k", b"-1", b"1.5m", b"99999999999g", b"0x10"] {
            assert_eq!(number(nonsense), None, "{}", nonsense.escape_ascii());
        }
    }
}
