//! What options alone tell: numbers that make no sense, options that contradict each other, and what deserves a word.

use super::{Plan, World};
use crate::api::Api;
use crate::engine::scheduling::Policy;
use crate::options::{Access, Fsync, Log, Op, OpenSync, Options, Scope, Test};
use anyhow::{bail, ensure};

/// Numbers that must not be 0, or too large.
pub fn numbers(options: &Options) -> anyhow::Result<()> {
    let zero = [
        ("bufsz", options.bufsz == 0, "must be at least one byte"),
        ("nfiles", options.nfiles == 0, "must be at least 1"),
        ("nops", options.nops == Some(0), "must be at least 1"),
        ("npieces", options.npieces == 0, "must be at least 1"),
        ("qd", options.qd == 0, "must be at least 1"),
        (
            "stride",
            options.stride == Some(0),
            "must be at least one byte",
        ),
        (
            "fsize",
            options.fsize == Some(0),
            "must be at least one byte",
        ),
        ("rate", options.rate == Some(0), "must be more than 0"),
        (
            "rate_iops",
            options.rate_iops == Some(0),
            "must be more than 0",
        ),
        (
            "time",
            options.time.is_some_and(|time| time.is_zero()),
            "must be more than 0",
        ),
    ];
    if let Some((name, _, why)) = zero.iter().find(|(_, is_zero, _)| *is_zero) {
        bail!("-{name} 0: {why}");
    }
    ensure!(
        options.read_share.unwrap_or(0) <= 100,
        "-read_share: a percentage, at most 100"
    );
    ensure!(
        options.nops.unwrap_or(0) < 1 << 32,
        "-nops: more than 4294967295 operations; use -time and -fsize"
    );
    if let Some(policy) = &options.sched {
        Policy::parse(policy)?;
    }
    ensure!(
        options.nfiles <= 100_000,
        "-nfiles: at most 100000, because file names have five digits"
    );
    Ok(())
}

/// IORING_MAX_ENTRIES of the kernel
const LONGEST_RING: u32 = 1 << 15;

/// Options that cannot both be meant.
pub fn contradictions(options: &Options, api: &dyn Api, world: World) -> anyhow::Result<()> {
    let positional = format!("-io_api {} passes an offset with each transfer", api.name());
    let cases: [(bool, String); 19] = [
        (options.noseek && api.positional(), format!("-noseek: {positional}; use unixio or stdio")),
        (options.noseek && options.access != Access::Sequential, "-noseek never moves back: -access must be sequential".into()),
        (options.noseek && (options.fsize.is_some() || options.time.is_some()), "-noseek never returns to the start of a file: leave out -fsize and -time".into()),
        (options.noseek && options.test != Test::None && options.npieces > 1, "-test with -noseek: the offset of a piece, and so its pattern, is not known; use one piece".into()),
        (options.noseek && options.op == Op::Rw && options.npieces > 1, "-op rw with -noseek: the offset of a piece is not known; use one piece".into()),
        ((options.access == Access::Strided) != options.stride.is_some(), "-access strided and -stride must be used together".into()),
        (options.read_share.is_some() && options.op != Op::Rw, "-read_share is for -op rw".into()),
        (options.qd > 1 && !api.queued(), format!("-qd {}: -io_api {} has one transfer in flight; use aio or io_uring", options.qd, api.name())),
        (options.qd > LONGEST_RING && api.ring(), format!("-qd {}: a ring of io_uring has at most {LONGEST_RING} entries", options.qd)),
        (options.direct && !api.direct(), format!("-direct: -io_api {} has a buffer of its own", api.name())),
        (options.osync != OpenSync::None && !api.opens_by_flags(), format!("-osync: -io_api {} cannot pass open flags", api.name())),
        (options.op == Op::R && options.fsync != Fsync::None, "-fsync: with -op r nothing is written".into()),
        (options.op == Op::R && options.osync != OpenSync::None, "-osync: with -op r nothing is written".into()),
        (options.fdatasync && options.fsync == Fsync::None, "-fdatasync needs -fsync end or -fsync N".into()),
        (options.share_files && world.ranks == 1, "-share_files is for the ranks of iota-load-mpi".into()),
        (options.collective && !api.collective(), "-collective is for -io_api mpiio, which iota-load-mpi has".into()),
        (options.collective && (options.npieces > 1 || options.time.is_some() || options.op == Op::Rw), "-collective: all ranks must make the same calls: one piece, no -time, no mix".into()),
        (options.speed.is_some() && options.replay.is_none(), "-speed is for -replay".into()),
        (options.qd > 1 && options.op_sync, "-op_sync with -qd: transfers in flight can be more than one operation ahead".into()),
    ];
    match cases.into_iter().find(|(is_so, _)| *is_so) {
        Some((_, what)) => bail!(what),
        None => Ok(()),
    }
}

/// Offsets that no file has.
pub fn reach(plan: &Plan) -> anyhow::Result<()> {
    ensure!(
        plan.end().is_some(),
        "a file would be larger than 2^63 bytes, which no file system allows"
    );
    Ok(())
}

/// What is not wrong, but may not be what is meant.
pub fn warnings(plan: &Plan) -> Vec<String> {
    let Options {
        noseek,
        share,
        lock_atomic,
        npieces,
        scope,
        ..
    } = &plan.options;
    let mut warnings = Vec::new();
    let mut warn = |is_so: bool, what: &str| {
        if is_so {
            warnings.push(what.to_owned());
        }
    };
    warn(
        *noseek && !share && *npieces > 1,
        "-noseek without -share: every piece starts at offset 0, so pieces overlap",
    );
    warn(
        *noseek && !share && *npieces == 1,
        "-noseek without -share: every file is accessed from offset 0 on",
    );
    warn(
        plan.seeks() && *share && !lock_atomic && *npieces > 1,
        "-share without -lock_atomic: another piece may seek between a seek and its transfer",
    );
    warn(
        *lock_atomic && *noseek,
        "-lock_atomic has no effect with -noseek",
    );
    warn(
        *lock_atomic && plan.api.positional(),
        &format!(
            "-lock_atomic has no effect: -io_api {} does not seek",
            plan.api.name()
        ),
    );
    warn(
        plan.options.trace.is_some() && plan.options.logged() != Log::All,
        "-trace: transfers are not logged, so the trace will not have them; -log all logs them",
    );
    warn(
        *scope == Scope::Proc,
        "-scope proc: Linux has system scope only",
    );
    let stride = plan.options.stride;
    warn(
        stride.is_some_and(|stride| stride < plan.options.bufsz),
        "-stride is less than -bufsz: operations overlap",
    );
    warnings
}
