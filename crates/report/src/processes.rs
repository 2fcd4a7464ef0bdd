//! The page's section on processes: who started whom.

use crate::tree::{Line, Table};
use iota_analysis::Job;
use iota_analysis::processes::{self, Bounds, Processes};
use iota_analysis::stat::Stat;

/// Rows of the tree.
const ROWS: usize = 50;

/// `None`: no process of the trace started another one of it.
pub fn find(job: &Job, stat: &Stat) -> Option<Table> {
    let found = Processes::of(job.trace, stat.parts.iter().copied(), Bounds::top(ROWS));
    let rows = found.lines().iter().map(cells).collect();
    (found.started > 0).then_some(Table {
        title: "Who started whom",
        heads: &[
            "command",
            "process",
            "parent",
            "ranks",
            "calls",
            "moved",
            "time",
            "processes below",
            "their calls",
            "moved",
            "time",
        ],
        rows,
        more: 0,
    })
}

fn cells(line: &processes::Line) -> Line {
    let mut cells = vec![line.name(short)];
    cells.extend(line.numbers());
    cells.extend(line.figures());
    cells.extend(line.below());
    Line {
        depth: line.depth,
        cells,
    }
}

/// Command lines may take pages.
fn short(command: &str) -> String {
    match command.char_indices().nth(200) {
        Some((end, _)) => format!("{}\u{2026}", &command[..end]),
        None => command.to_owned(),
    }
}
