//! One run: its spools and the files beside the output, joined to one file.

use super::family::{Member, all_belong, belongs};
use super::life::{Life, is_here, lives};
use super::names::base;
use super::options::{Options, Recovered};
use super::recovery_dir::{RecoveryDir, sync_directory};
use super::spools::FoundSpool;
use super::target::{TraceFile, given, names_of, target, whole};
use anyhow::{Context, bail};
use iota_output::{Draft, Inputs};
use iota_quantity::many;
use iota_trace::JobMark;
use iota_trace::Printable;
use iota_trace::part::reason;
use iota_trace::read::{self, Part, Problem, Spool, Trace, distinct, join};
use std::fs::{self, OpenOptions};
use std::io::BufWriter;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A process needs less to write to a file that it has made.
const AT_ONCE: Duration = Duration::from_secs(1);

/// The dead processes of a run
pub struct DeadRun {
    base: PathBuf,
    spools: Vec<Spool>,
    members: Vec<Member>,
}

/// A spool made into a part, and what is wrong with it
struct RecoveredPart {
    file: PathBuf,
    trace: Trace,
    spool: PathBuf,
    /// The task's own file, where it began
    beginning: Option<PathBuf>,
    problems: Vec<String>,
    /// Threads whose latest calls are nowhere
    gone: u32,
}

impl DeadRun {
    /// The runs that these spools are of; those whose processes may live are named.
    pub fn all(mut found: Vec<FoundSpool>, done: &mut Recovered) -> Vec<DeadRun> {
        let mut runs: Vec<DeadRun> = Vec::new();
        found.sort_by_key(FoundSpool::began);
        for found in found {
            match &found.life {
                Life::Dead => DeadRun::add(&mut runs, found),
                life => done.notes.push(alone(&found, life)),
            }
        }
        runs
    }

    fn add(runs: &mut Vec<DeadRun>, found: FoundSpool) {
        let member = Member::of_spool(&found.spool);
        let of = |run: &&mut DeadRun| run.base == found.base && belongs(&run.members, &member);
        match runs.iter_mut().find(of) {
            Some(run) => {
                run.spools.push(found.spool);
                run.members.push(member);
            }
            None => runs.push(DeadRun {
                base: found.base,
                spools: vec![found.spool],
                members: vec![member],
            }),
        }
    }

    /// Writes the run's file.
    pub fn recover(mut self, options: &Options, done: &mut Recovered) -> anyhow::Result<()> {
        let lock = options.file.clone().unwrap_or_else(|| whole(&self.base));
        let workshop = RecoveryDir::new(&lock)?;
        // Another command may have been at it until now.
        self.spools.retain(|spool| spool.path().exists());
        if self.spools.is_empty() {
            return Ok(());
        }
        let beside = self.beside(options.file.as_deref(), done);
        let made = self.parts(&workshop, &beside, done);
        self.remove_unwritten();
        let target = match &options.file {
            Some(file) => given(file, &beside)?,
            None => target(&self.base, &beside),
        };
        if let Some((processes, calls)) = write(&target, &beside, &made, done)? {
            done.files.push((target.clone(), processes, calls));
        }
        let damaged = made.iter().filter(|made| !is_done(made, &beside));
        done.problems
            .extend(damaged.flat_map(|made| made.problems.iter().cloned()));
        done.notes
            .extend(made.iter().filter_map(RecoveredPart::lost_message));
        if !options.keep {
            clean(&target, &beside, &made, done);
        }
        Ok(())
    }

    /// The files beside the output that are of this run alone, and of no process that may still write to them.
    fn beside(&mut self, named: Option<&Path>, done: &mut Recovered) -> Vec<TraceFile> {
        let named = named.filter(|file| file.is_file() && base(file) != self.base);
        let paths = names_of(&self.base).chain(named.map(Path::to_owned));
        let traces = paths.filter_map(|path| {
            let trace = Trace::open(std::slice::from_ref(&path), read::Options::default());
            Some(TraceFile {
                length: length(&path),
                path,
                trace: trace.ok()?,
            })
        });
        let mut waiting: Vec<TraceFile> = traces.collect();
        let mut ours = Vec::new();
        // Each file that belongs may bring others: children of its processes.
        while let Some((at, members)) = self.next_of(&waiting) {
            let file = waiting.remove(at);
            self.members.extend(members);
            match self.living(&file.trace) {
                Some(pid) => done.notes.push(format!(
                    "{}: process {pid} is still running; its file is skipped",
                    Printable::path(&file.path)
                )),
                None => ours.push(file),
            }
        }
        ours
    }

    /// Removes an output that a process of this run had just made when it was killed: it holds a mark at most, and no call.
    fn remove_unwritten(&self) {
        let unwritten = names_of(&self.base).filter(|path| match length(path) {
            0 => self.has_left(path),
            _ => mark(path).is_some_and(|mark| self.members.iter().any(|one| one.made(mark))),
        });
        unwritten.for_each(|path| drop(fs::remove_file(path)));
    }

    /// Whether an empty file came while the run lived. A process that lives writes to one at once.
    fn has_left(&self, path: &Path) -> bool {
        let Ok(made) = path.metadata().and_then(|data| data.modified()) else {
            return false;
        };
        let is_old = made.elapsed().is_ok_and(|age| age >= AT_ONCE);
        is_old && self.members.iter().any(|member| made >= member.start())
    }

    /// The first file of which all processes are of this run, and those.
    fn next_of(&self, files: &[TraceFile]) -> Option<(usize, Vec<Member>)> {
        files.iter().enumerate().find_map(|(at, file)| {
            let members = file.trace.parts().iter().map(Member::of_part);
            Some((
                at,
                all_belong(&self.members, members.collect::<Option<_>>()?)?,
            ))
        })
    }

    fn living(&self, trace: &Trace) -> Option<u32> {
        let dead = |part: &Part| {
            let key = part.process_key();
            self.spools.iter().any(|spool| spool.process_key() == key)
        };
        let mut parts = trace.parts().iter();
        let writing = |part: &&Part| {
            part.end().is_none() && is_here(part.host()) && !dead(part) && lives(part.pid())
        };
        parts.find(writing).map(Part::pid)
    }

    /// A part of each spool, in the workshop.
    fn parts(
        &self,
        workshop: &RecoveryDir,
        beside: &[TraceFile],
        done: &mut Recovered,
    ) -> Vec<RecoveredPart> {
        let mut all = Vec::new();
        for (number, spool) in self.spools.iter().enumerate() {
            let file = workshop.file(number);
            match make(spool, beginning(spool, beside), &file) {
                Ok(made) => all.push(made),
                Err(error) => done.problems.push(format!("{error:#}")),
            }
        }
        all
    }
}

impl RecoveredPart {
    fn lost_message(&self) -> Option<String> {
        let threads = many(u64::from(self.gone), "thread");
        let spool = Printable::path(&self.spool);
        (self.gone > 0).then(|| {
            format!("{spool}: calls of {threads} are lost: they were in private memory, not in the spool")
        })
    }
}

fn alone(found: &FoundSpool, life: &Life) -> String {
    let (spool, pid) = (Printable::path(found.spool.path()), found.spool.ids().pid);
    match life {
        Life::NonStorage(host) => format!(
            "{spool}: process {pid} ran on {host}; recover it there, or use --other-hosts if it has ended"
        ),
        Life::Unseen => format!(
            "{spool}: process {pid} ran in another PID namespace; recover it there, or use --other-hosts if it has ended"
        ),
        _ => format!("{spool}: process {pid} is still running; skipped"),
    }
}

fn make(spool: &Spool, beginning: Option<&Path>, file: &Path) -> anyhow::Result<RecoveredPart> {
    let out = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
        .with_context(|| Printable::path(file))?;
    let made = spool.part(beginning, BufWriter::with_capacity(1 << 20, out))?;
    let trace = Trace::open(&[file.to_owned()], read::Options::default())?;
    Ok(RecoveredPart {
        file: file.to_owned(),
        trace,
        spool: spool.path().to_owned(),
        beginning: beginning.map(Path::to_owned),
        problems: made.problems.iter().map(Problem::message).collect(),
        gone: made.gone,
    })
}

/// The task's own file, where the spool's part begins: preferably one that has not ended.
fn beginning<'a>(spool: &Spool, beside: &'a [TraceFile]) -> Option<&'a Path> {
    if spool.spilled() == 0 {
        return None;
    }
    let own = beside.iter().filter(|file| {
        let first = file.trace.parts().first();
        first.is_some_and(|part| part.process_key() == spool.process_key())
    });
    let has_ended = |file: &&TraceFile| file.trace.parts().iter().all(|part| part.end().is_some());
    own.min_by_key(has_ended).map(|file| &*file.path)
}

/// Writes what is not in the target yet; how many processes of spools that was, and their calls. None: all is there.
fn write(
    target: &Path,
    beside: &[TraceFile],
    made: &[RecoveredPart],
    done: &mut Recovered,
) -> anyhow::Result<Option<(u64, u64)>> {
    let old = beside.iter().flat_map(|file| file.trace.parts());
    let new = made.iter().flat_map(|made| made.trace.parts());
    let parts = distinct(old.chain(new));
    if parts.iter().all(|part| part.file() == target) {
        return Ok(None);
    }
    // The one output that may be replaced by more of the same: that of the run itself.
    let draft = Draft::beside(target, &Inputs::NONE)?;
    join(
        parts.iter().copied(),
        BufWriter::with_capacity(1 << 20, &draft.file),
    )?;
    unchanged(beside)?;
    draft.publish(target, beside.iter().any(|file| file.path == target))?;
    sync_directory(target);
    let used = |file: &&TraceFile| parts.iter().any(|part| part.file() == file.path);
    let problems = beside
        .iter()
        .filter(used)
        .flat_map(|file| file.trace.problems());
    done.problems
        .extend(problems.map(|problem| problem.message()));
    let is_new = |part: &&&Part| made.iter().any(|made| made.file == part.file());
    let new: Vec<u64> = parts
        .iter()
        .filter(is_new)
        .map(|part| part.event_count())
        .collect();
    Ok(Some((new.len() as u64, new.iter().sum())))
}

/// What a file holds that has nothing but a mark
fn mark(path: &Path) -> Option<JobMark> {
    let is_mark = length(path) == JobMark::SIZE as u64;
    let bytes = is_mark.then(|| fs::read(path).ok()).flatten()?;
    bytes.try_into().ok().map(JobMark::parse)
}

/// A process that lives may have appended to the file that is to be replaced.
fn unchanged(beside: &[TraceFile]) -> anyhow::Result<()> {
    match beside.iter().find(|file| length(&file.path) != file.length) {
        Some(file) => bail!(
            "{}: changed while iota read it; recover again when the job has ended",
            Printable::path(&file.path)
        ),
        None => Ok(()),
    }
}

fn length(path: &Path) -> u64 {
    path.metadata().map_or(0, |data| data.len())
}

/// What stands in the target goes away; what had problems, or may still be written to elsewhere, stays.
fn clean(target: &Path, beside: &[TraceFile], made: &[RecoveredPart], done: &mut Recovered) {
    for made in made {
        if is_done(made, beside) {
            remove(&made.spool, done);
        } else {
            let spool = Printable::path(&made.spool);
            done.notes
                .push(format!("{spool}: kept, because part of it is damaged"));
        }
    }
    for file in beside.iter().filter(|file| file.path != target) {
        match file.trace.parts().iter().find(|part| may_grow(part)) {
            Some(part) => done.notes.push(format!(
                "{}: kept, because process {} may still be running on {}",
                Printable::path(&file.path),
                part.pid(),
                Printable(part.host())
            )),
            None if file.trace.is_damaged() && !begins_whole(&file.path, made) => {
                done.notes.push(format!(
                    "{}: kept, because part of it is damaged",
                    Printable::path(&file.path)
                ));
            }
            None => remove(&file.path, done),
        }
    }
}

/// Whether all of a spool is in the trace
fn is_done(made: &RecoveredPart, beside: &[TraceFile]) -> bool {
    made.problems.is_empty() || has_ended(made, beside)
}

/// Whether the file is a prefix of an intact spool.
fn begins_whole(file: &Path, made: &[RecoveredPart]) -> bool {
    made.iter()
        .any(|made| made.problems.is_empty() && made.beginning.as_deref() == Some(file))
}

/// Whether the process had written all of its part itself, and died before it gave the spool back
fn has_ended(made: &RecoveredPart, beside: &[TraceFile]) -> bool {
    let by_itself = |part: &&Part| {
        part.end()
            .is_some_and(|end| end.reason != reason::RECOVERED)
    };
    let mut others = beside
        .iter()
        .flat_map(|file| file.trace.parts())
        .filter(by_itself);
    let holds = |other: &Part, part: &Part| {
        let kept = distinct([other, part]);
        other.process_key() == part.process_key()
            && kept.len() == 1
            && kept[0].file() == other.file()
    };
    let part = made.trace.parts().first();
    part.is_some_and(|part| others.any(|other| holds(other, part)))
}

fn may_grow(part: &Part) -> bool {
    part.end().is_none() && !is_here(part.host())
}

fn remove(path: &Path, done: &mut Recovered) {
    if let Err(error) = fs::remove_file(path) {
        done.problems.push(format!(
            "{}: cannot be removed: {error}",
            Printable::path(path)
        ));
    }
}
