//! What only the tree knows: in words, with the evidence, what to try, and the time that is at stake.

use super::layer_cost::LayerCost;
use super::names::Names;
use super::{FileFacts, Gathered, LayerReport, Layers, Sum, data};
use crate::FileId;
use crate::filter::Select;
use crate::stat::{Finding, dearest};
use crate::sums::{add, sum};
use crate::thresholds::Thresholds;
use iota_calls::{Kind, Layer};
use iota_quantity::{bytes, count, many, share, time as time_of};

/// All findings, the dearest first, and how many more are not worth a line.
pub(super) fn all(
    found: &Layers,
    report: &LayerReport,
    names: &Names,
    thresholds: &Thresholds,
    run: &LayerCost,
) -> (Vec<Finding>, u64) {
    let mut files: Vec<(FileId, &FileFacts)> =
        found.files.iter().map(|(id, of)| (*id, of)).collect();
    files.retain(|(file, facts)| *file != crate::NO_FILE && facts.sum.calls > 0);
    files.sort_unstable_by_key(|(file, _)| *file);
    let judge = LayerRules {
        found,
        report,
        names,
        files,
        thresholds,
        run,
    };
    let of_mpi = || {
        [
            judge.independent(),
            judge.unbuffered(),
            judge.few_aggregators(),
            judge.reads_first(),
            judge.late(),
            judge.opened_by_all(),
            judge.ignored(),
        ]
    };
    let found: Vec<Finding> = match found.layer == Layer::MpiIo as u8 {
        true => of_mpi().into_iter().flatten().collect(),
        false => data::all(found, names, thresholds, run),
    };
    dearest(found, |cost| thresholds.worth.is_reached(cost, run.base))
}

/// Numbers in its conditions that are no thresholds say what a finding is: several ranks are more than one, and a file that
/// one rank uses has one.
struct LayerRules<'a> {
    found: &'a Layers<'a>,
    report: &'a LayerReport,
    names: &'a Names<'a>,
    files: Vec<(FileId, &'a FileFacts)>,
    thresholds: &'a Thresholds,
    run: &'a LayerCost<'a>,
}

/// What the collective calls on a file come to.
#[derive(Default)]
struct Buffering {
    calls: u64,
    ranks: u64,
    /// Aggregators, at most.
    most: u64,
    /// Calls in which every rank with bytes moved them itself, in more than one piece.
    own: u64,
    bytes: u64,
    transfers: u64,
    /// Longest client latency of each call, summed.
    client: u64,
    time: u64,
}

impl LayerRules<'_> {
    /// The file for which a figure is greatest.
    fn worst(&self, value: impl Fn(&FileFacts) -> u64) -> Option<(FileId, &FileFacts)> {
        let valued = self
            .files
            .iter()
            .map(|(file, facts)| (value(facts), *file, *facts));
        let most = valued.max_by_key(|(value, file, _)| (*value, std::cmp::Reverse(*file)));
        most.filter(|(value, ..)| *value > 0)
            .map(|(_, file, facts)| (file, facts))
    }

    fn independent(&self) -> Option<Finding> {
        let is = |facts: &FileFacts| {
            let alone = &facts.sum.independent;
            let most = self.thresholds.independent;
            let is_many = self.thresholds.calls.is_reached(alone.calls)
                && most.is_reached(alone.calls, transfers(&facts.sum));
            facts.movers > 1 && is_many && self.is_small(alone.bytes / alone.calls.max(1))
        };
        let time = |facts: &FileFacts| {
            if is(facts) {
                facts.sum.independent.time
            } else {
                0
            }
        };
        let (file, worst) = self.worst(time)?;
        let concerned = || self.files.iter().filter(|(_, facts)| is(facts));
        let calls: u64 = concerned()
            .map(|(_, facts)| facts.sum.independent.calls)
            .sum();
        let cost = sum(concerned().map(|(_, facts)| time(facts)));
        let alone = worst.sum.independent;
        Some(Finding {
            kind: "independent",
            cost: self.run.share(cost, |sum| sum.independent.time),
            what: "several ranks read or write a shared file with small independent calls"
                .to_owned(),
            evidence: format!(
                "{} took {}; most in {}: {}, {} on average",
                many(calls, "independent transfer"),
                time_of(cost),
                self.names.file(file),
                many(worst.movers.into(), "rank"),
                bytes(alone.bytes / alone.calls),
            ),
            advice: "Use the collective calls (MPI_File_write_all, H5FD_MPIO_COLLECTIVE, nc_var_par_access, \
                ncmpi_put_vara_all): aggregators then join the pieces of all ranks to large transfers.",
            select: Select::mpiio().file(self.names.0.files.path(file)).text(),
        })
    }

    fn buffering(&self) -> Vec<(FileId, Buffering)> {
        let mut by_file: std::collections::BTreeMap<FileId, Buffering> = Default::default();
        for one in self.found.collectives.all.values() {
            let kind = self.names.0.ops.get(one.op).kind;
            if matches!(kind, Kind::Read | Kind::Write) {
                by_file.entry(one.file).or_default().add(one);
            }
        }
        by_file.into_iter().collect()
    }

    fn unbuffered(&self) -> Option<Finding> {
        let mut all = self.buffering();
        all.retain(|(_, of)| {
            let piece = of.bytes / of.transfers.max(1);
            of.ranks > 1
                && self.thresholds.own.is_reached(of.own, of.calls)
                && !self
                    .thresholds
                    .pieces
                    .is_kept(of.transfers, of.calls * of.ranks)
                && self.is_small(piece)
        });
        let (file, worst) = all.iter().max_by_key(|(_, of)| of.client)?;
        Some(Finding {
            kind: "no-collective-buffering",
            cost: sum(all.iter().map(|(_, of)| of.client)),
            what: "collective calls are carried out by each rank for itself, in small pieces"
                .to_owned(),
            evidence: format!(
                "{}: {} of {}, {} of {} below each call on average{}",
                self.names.file(*file),
                count(worst.own),
                many(worst.calls, "collective call"),
                many(worst.transfers / worst.calls.max(1), "transfer"),
                bytes(worst.bytes / worst.transfers.max(1)),
                self.hints(
                    *file,
                    &["romio_cb_write", "romio_cb_read", "collective_buffering"]
                ),
            ),
            advice: "Switch collective buffering on: the hints romio_cb_write=enable and romio_cb_read=enable (ROMIO), \
                or another fcoll component than individual (OMPIO).",
            select: Select::mpiio().file(self.names.0.files.path(*file)).text(),
        })
    }

    fn few_aggregators(&self) -> Option<Finding> {
        let hosts = self.names.hosts();
        // One on each node is what ROMIO takes by itself: on one node one is enough, unless very many ranks send to it.
        let each = self.thresholds.ranks_each.get().max(1);
        let enough = |of: &Buffering| hosts.max(of.ranks.div_ceil(each));
        let mut all = self.buffering();
        all.retain(|(_, of)| {
            let are_ranks = self.thresholds.ranks.is_reached(of.ranks);
            let is_few = are_ranks && of.most > 0 && of.most < enough(of);
            let is_much = self
                .thresholds
                .aggregated
                .is_reached(of.bytes / of.calls.max(1));
            is_few && is_much && self.thresholds.sub_calls.is_reached(of.client, of.time)
        });
        let (file, worst) = all.iter().max_by_key(|(_, of)| of.client)?;
        Some(Finding {
            kind: "few-aggregators",
            cost: sum(all.iter().map(|(_, of)| of.client)),
            what: format!(
                "{} for {} on {}",
                many(worst.most, "aggregator"),
                many(worst.ranks, "rank"),
                many(hosts, "node"),
            ),
            evidence: format!(
                "{}: {} in {}; sub-calls are {} of their time{}",
                self.names.file(*file),
                bytes(worst.bytes),
                many(worst.calls, "collective call"),
                share(worst.client, worst.time),
                self.hints(*file, &["cb_nodes", "cb_config_list", "num_aggregators"]),
            ),
            advice: "Let more ranks write: cb_nodes (at least one on each node; on Lustre as many as OSTs in the layout, \
                or a divisor), cb_config_list=*:1, or OMPIO's num_aggregators.",
            select: Select::mpiio().file(self.names.0.files.path(*file)).text(),
        })
    }

    fn reads_first(&self) -> Option<Finding> {
        let limit = self.thresholds.reads_first;
        let is = |sum: &Sum| limit.is_reached(sum.read_first.bytes, sum.moved[1]);
        let time = |facts: &FileFacts| {
            if is(&facts.sum) {
                facts.sum.read_first.time
            } else {
                0
            }
        };
        let (file, worst) = self.worst(time)?;
        let views = match worst.holes {
            0 => String::new(),
            holes => format!("; {} with holes", many(holes, "view")),
        };
        Some(Finding {
            kind: "read-before-write",
            cost: self.run.share(
                sum(self.files.iter().map(|(_, facts)| time(facts))),
                |sum| sum.read_first.time,
            ),
            what: "MPI reads the file before it writes".to_owned(),
            evidence: format!(
                "{}: {} of {} read {} to write {}, which took {}{views}{}",
                self.names.file(file),
                count(worst.sum.read_first.calls),
                many(worst.sum.transfers[1], "write"),
                bytes(worst.sum.read_first.bytes),
                bytes(worst.sum.moved[1]),
                time_of(worst.sum.read_first.time),
                self.hints(file, &["romio_ds_write", "romio_cb_write"]),
            ),
            advice: "Data sieving fills the holes between the pieces of a view. Write all pieces in one collective call, so \
                that no hole is left, lay the data out without holes, or try romio_ds_write=disable.",
            select: Select::mpiio().file(self.names.0.files.path(file)).text(),
        })
    }

    fn late(&self) -> Option<Finding> {
        let total = &self.report.total;
        let (worst, of_all) = (self.report.late.as_ref()?, total.waiting);
        let calls = self.report.limits.collectives_kept;
        let is_much = self
            .thresholds
            .late
            .is_reached(total.waiting, total.figures.time);
        is_much.then(|| Finding {
            kind: "late-ranks",
            cost: total.longest_waiting,
            what: match worst.cost > of_all / 2 {
                true => format!("rank {} comes late to collective calls, and the others wait for it", worst.rank),
                false => "ranks wait for others that come late to collective calls".to_owned(),
            },
            evidence: format!(
                "waiting is {} of the time in MPI-IO, {} in {}; rank {} came last to {} of them, which cost the others {}",
                share(of_all, total.figures.time),
                time_of(of_all),
                many(calls, "collective call"),
                worst.rank,
                count(worst.last),
                time_of(worst.cost),
            ),
            advice: "Look at what these ranks do before (`iota layers --where rank=N`): more work, output of their own, \
                or a slower node. Nonblocking collectives (MPI_File_iwrite_all) let the others go on.",
            select: Select::mpiio().and("rank", &worst.rank.to_string()).text(),
        })
    }

    fn opened_by_all(&self) -> Option<Finding> {
        let ranks = self.thresholds.ranks;
        let is = |facts: &FileFacts| {
            // A filter may have left out what others did with it.
            let are_all_seen = facts.ranks >= facts.communicator;
            ranks.is_reached(facts.communicator.into()) && facts.movers == 1 && are_all_seen
        };
        let time = |facts: &FileFacts| match is(facts) {
            true => facts.sum.without_transfers(),
            false => 0,
        };
        let (file, worst) = self.worst(time)?;
        let files = self.files.iter().filter(|(_, facts)| is(facts)).count() as u64;
        Some(Finding {
            kind: "opened-by-all",
            cost: self.run.share(
                sum(self.files.iter().map(|(_, facts)| time(facts))),
                Sum::without_transfers,
            ),
            what: "all ranks open files that one of them uses".to_owned(),
            evidence: format!(
                "{}: {} opened it, {} alone read or wrote; {} in all",
                self.names.file(file),
                many(worst.communicator.into(), "rank"),
                self.names.0.tasks.name(worst.mover),
                many(files, "such file"),
            ),
            advice: "Let the one rank open it, with MPI_COMM_SELF or with POSIX calls, and broadcast what all must know.",
            select: Select::mpiio().file(self.names.0.files.path(file)).text(),
        })
    }

    fn ignored(&self) -> Option<Finding> {
        let time = |facts: &FileFacts| match facts.ignored.is_empty() {
            true => 0,
            false => facts.sum.time,
        };
        let (file, worst) = self.worst(time)?;
        let files = self.files.iter().filter(|(_, facts)| time(facts) > 0);
        Some(Finding {
            kind: "ignored-hints",
            cost: self.of_files(time),
            what: "hints were given that MPI did not follow".to_owned(),
            evidence: format!(
                "{}: {}; {} in all",
                self.names.file(file),
                worst.ignored.join(", "),
                many(files.count() as u64, "such file"),
            ),
            advice: "Check the names of the hints (they differ between ROMIO, OMPIO and Cray MPI), their values, and that all \
                ranks give the same. MPI_File_get_info tells what is in force.",
            select: Select::mpiio().file(self.names.0.files.path(file)).text(),
        })
    }

    /// What calls on files cost the run.
    fn of_files(&self, time: impl Fn(&FileFacts) -> u64) -> u64 {
        let all = sum(self.files.iter().map(|(_, facts)| time(facts)));
        self.run.share(all, |sum| sum.time)
    }

    fn is_small(&self, piece: u64) -> bool {
        !self.thresholds.mpiio_bytes.is_reached(piece)
    }

    /// Hints in force that concern a finding.
    fn hints(&self, file: FileId, keys: &[&str]) -> String {
        let hints = self
            .found
            .files
            .get(&file)
            .and_then(|facts| facts.hints.as_ref());
        let hint = |key: &&str| Some(format!("{key}={}", hints?.get(key)?));
        let shown: Vec<String> = keys.iter().filter_map(hint).collect();
        match shown.is_empty() {
            true => String::new(),
            false => format!("; hints: {}", shown.join(", ")),
        }
    }
}

impl Buffering {
    fn add(&mut self, one: &Gathered) {
        let doers = one.aggregators();
        let movers = one.shares.iter().filter(|share| share.bytes > 0).count();
        let (start, end) = one.span();
        self.calls += 1;
        self.ranks = self.ranks.max(one.shares.len() as u64);
        self.most = self.most.max(doers.len() as u64);
        self.own += u64::from(movers > 1 && doers.len() >= movers);
        add(
            &mut self.bytes,
            sum(one.shares.iter().map(|share| share.bytes)),
        );
        self.transfers += one.shares.iter().map(|share| share.transfers).sum::<u64>();
        self.client += one
            .shares
            .iter()
            .map(|share| share.client)
            .max()
            .unwrap_or(0);
        add(&mut self.time, end.wrapping_sub(start).max(0) as u64);
    }
}

fn transfers(sum: &Sum) -> u64 {
    sum.transfers.iter().sum()
}
