//! How tasks share the work, and the bytes of files.

use super::{Measure, Rules, percent};
use crate::TaskId;
use crate::filter::Select;
use crate::stat::figures::Spread;
use crate::stat::{Finding, TaskStat};
use crate::sums::sum;
use iota_quantity::{bytes, many, time};

impl Rules<'_> {
    pub(super) fn imbalance(&self) -> Option<Finding> {
        let tasks: Vec<TaskId> = self.stat.tasks.iter().map(|(task, _)| *task).collect();
        let of_groups = self.facts.tasks.alike(&tasks);
        let spreads = of_groups
            .iter()
            .filter_map(|group| self.imbalance_of(group));
        let (spread, ratio) = spreads.max_by_key(|(spread, _)| spread.max - spread.mean)?;
        Some(Finding {
            kind: "imbalance",
            cost: spread.max - spread.mean,
            what: format!(
                "{} is in I/O {ratio:.1} times as long as the average {}",
                self.facts.tasks.described(spread.max_task),
                self.facts.tasks.kind().word(),
            ),
            evidence: format!(
                "in I/O for {} at most ({}), {} on average, {} at least ({}); the others wait for it at the next synchronisation",
                time(spread.max),
                spread.max_of,
                time(spread.mean),
                time(spread.min),
                spread.min_of,
            ),
            advice: "Give each rank, worker or aggregator the same share; see `iota stat --by rank --sort time`.",
            select: Select::task(&self.facts.tasks, spread.max_task)
                .on_storage()
                .text(),
        })
    }

    /// How uneven the time in I/O of tasks is, which do the same, as a multiple of the mean.
    fn imbalance_of(&self, group: &[TaskId]) -> Option<(Spread, f64)> {
        let tasks = &self.facts.tasks;
        // Two commands of one name are no pool of workers.
        let are_many = match tasks.are_processes() {
            true => self.thresholds.ranks.is_reached(group.len() as u64),
            false => group.len() > 1,
        };
        if !are_many {
            return None;
        }
        let of_group = self.stat.tasks.iter();
        let of_group = of_group.filter(|(task, _)| group.binary_search(task).is_ok());
        // What an aggregator does in a collective call, it does for all.
        let together = |task| Some(*self.tree?.together.get(&task)?);
        let own = |(task, of): &(TaskId, TaskStat)| {
            (*task, of.busy.saturating_sub(together(*task).unwrap_or(0)))
        };
        let spread = Spread::over(tasks, of_group.map(own));
        let ratio = spread.imbalance()?;
        (ratio >= self.thresholds.imbalance.get()).then_some((spread, ratio))
    }

    pub(super) fn one_rank(&self) -> Option<Finding> {
        let (tasks, ranks) = (&self.facts.tasks, self.stat.tasks.len() as u64);
        let (spread, all) = (&self.bytes.spread, self.bytes.all);
        let is_most = self.thresholds.one_rank.is_reached(spread.max, all);
        // Processes of one job do different things.
        let are_ranks = !tasks.are_processes() && self.thresholds.ranks.is_reached(ranks);
        (is_most && are_ranks).then(|| Finding {
            kind: "one-rank",
            cost: self.bytes.time_of_most,
            what: format!("{} alone moves {} of all bytes", spread.max_of, percent(spread.max, all)),
            evidence: format!("{} of {}, by one of {}", bytes(spread.max), bytes(all), many(ranks, "rank")),
            advice: "Let ranks write in parallel (MPI-IO, parallel HDF5 or NetCDF), each its own part.",
            select: Select::task(tasks, spread.max_task).and("class", "read,write").on_storage().text(),
        })
    }

    pub(super) fn conflicts(&self) -> Option<Finding> {
        let conflicts = &self.report.files.conflicts;
        let files = || conflicts.iter().filter(|file| file.write_write.bytes > 0);
        let worst = files().next()?;
        let example = worst.example.as_ref().map_or(String::new(), |example| {
            let [a, b] = &example.of;
            format!(", as {a} and {b} at offset {}", example.offset)
        });
        let order = match worst.order_known {
            true => "",
            false => "; whether calls order these writes is not known (shares do not show it)",
        };
        Some(Finding {
            kind: "overwrites",
            cost: self
                .run_cost
                .share(Measure::Writes, sum(files().map(|file| file.time))),
            what: format!(
                "several {} write the same bytes",
                self.facts.tasks.kind().plural()
            ),
            evidence: format!(
                "{} of {}{example}; {} in all{order}",
                bytes(worst.write_write.bytes),
                worst.file,
                many(files().count() as u64, "file"),
            ),
            advice: "Unless they synchronise, it is undefined whose data the file keeps, and file locks move between them. \
                Let one of them write these bytes (often a header or halo).",
            select: Select::class("write").file(worst.path.as_slice()).text(),
        })
    }
}
