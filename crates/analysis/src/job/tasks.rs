//! Tasks: what sharing, balance and conflicts are counted by. They are the ranks of a job, or, where it has none, its
//! processes.

use super::ids::TaskId;
use crate::processes;
use iota_quantity::many;
use iota_trace::read::Trace;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// What the tasks of a job are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskKind {
    /// Ranks.
    Rank,
    /// Processes of a job without ranks.
    Process,
}

impl TaskKind {
    /// One of them.
    pub fn word(self) -> &'static str {
        match self {
            TaskKind::Rank => "rank",
            TaskKind::Process => "process",
        }
    }

    /// Several of them.
    pub fn plural(self) -> &'static str {
        match self {
            TaskKind::Rank => "ranks",
            TaskKind::Process => "processes",
        }
    }
}

/// The tasks of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tasks {
    /// Processes by their numbers; none where tasks are ranks.
    processes: Vec<TaskProcess>,
    /// From the start to the end of each task, in ns since the job's start.
    spans: BTreeMap<TaskId, (i64, i64)>,
}

/// A process that is a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct TaskProcess {
    pid: u32,
    /// The last program that it was, where that is known.
    program: Option<String>,
}

impl Tasks {
    /// Those of a trace of a job of so many ranks, each part of which lasted from one moment to the other; and the task of
    /// each part.
    pub(super) fn of(trace: &Trace, ranks: u32, spans: &[(i64, i64)]) -> (Tasks, Vec<TaskId>) {
        let mut tasks = Tasks::default();
        let mut known = HashMap::new();
        let mut of_parts = Vec::new();
        for (part, span) in trace.parts().iter().zip(spans) {
            let task = match ranks > 1 {
                true => part.rank(),
                false => {
                    let next = known.len() as TaskId;
                    let task = *known.entry(part.of_process()).or_insert(next);
                    let program = processes::program_of(part);
                    match tasks.processes.get_mut(task as usize) {
                        Some(process) => process.program = program,
                        None => tasks.processes.push(TaskProcess {
                            pid: part.pid(),
                            program,
                        }),
                    }
                    task
                }
            };
            let all = tasks.spans.entry(task).or_insert(*span);
            *all = (all.0.min(span.0), all.1.max(span.1));
            of_parts.push(task);
        }
        (tasks, of_parts)
    }

    /// What they are.
    pub fn kind(&self) -> TaskKind {
        match self.processes.is_empty() {
            true => TaskKind::Rank,
            false => TaskKind::Process,
        }
    }

    /// Whether they are processes.
    pub fn are_processes(&self) -> bool {
        self.kind() == TaskKind::Process
    }

    /// So many of them.
    pub fn many(&self, count: u64) -> String {
        many(count, self.kind().word())
    }

    /// `rank 3`, or `process 4711`.
    pub fn name(&self, task: TaskId) -> String {
        match self.pid(task) {
            None => format!("rank {task}"),
            Some(pid) => format!("process {pid}"),
        }
    }

    /// `rank 3`, or `process 4711 (cat)`.
    pub fn described(&self, task: TaskId) -> String {
        let name = self.name(task);
        match self.program(task) {
            Some(program) => format!("{name} ({program})"),
            None => name,
        }
    }

    /// The process id of one that is a process.
    pub fn pid(&self, task: TaskId) -> Option<u32> {
        Some(self.processes.get(task as usize)?.pid)
    }

    /// The name of its program, if it is a process and that is known.
    pub fn program(&self, task: TaskId) -> Option<&str> {
        self.processes.get(task as usize)?.program.as_deref()
    }

    /// Processes that have one program in common, as the workers of a pool have; or all ranks.
    pub fn alike(&self, tasks: &[TaskId]) -> Vec<Vec<TaskId>> {
        let mut by_program: BTreeMap<&str, Vec<TaskId>> = BTreeMap::new();
        for task in tasks {
            let program = self.program(*task).unwrap_or_default();
            by_program.entry(program).or_default().push(*task);
        }
        by_program.into_values().collect()
    }

    /// Groups of tasks that did not all end before those of another began, each with what belongs to it.
    pub fn at_once<T>(&self, mut of_tasks: Vec<(TaskId, T)>) -> Vec<Vec<(TaskId, T)>> {
        let span = |task: &TaskId| {
            self.spans
                .get(task)
                .copied()
                .unwrap_or((i64::MIN, i64::MAX))
        };
        of_tasks.sort_by_key(|(task, _)| (span(task), *task));
        let (mut groups, mut until): (Vec<Vec<_>>, _) = (Vec::new(), i64::MIN);
        for (task, of_task) in of_tasks {
            let (start, end) = span(&task);
            match groups.last_mut() {
                Some(group) if start <= until => group.push((task, of_task)),
                _ => groups.push(vec![(task, of_task)]),
            }
            until = until.max(end);
        }
        groups
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.spans.len()
    }
}
