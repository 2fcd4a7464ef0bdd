//! The page's section on processes: who started whom.

use crate::tree::{Line, Table, some};
use iota_analysis::Job;
use iota_analysis::processes::{Bounds, Processes, Row, Several};
use iota_analysis::stat::Stat;
use iota_quantity::{bytes, count, listed, many};

/// Rows of the tree.
const ROWS: usize = 50;
const COLUMNS: usize = 11;

/// `None`: no process of the trace started another one of it.
pub fn find(job: &Job, stat: &Stat) -> Option<Table> {
    let found = Processes::of(job.trace, stat.parts.iter().copied(), Bounds::top(ROWS));
    let mut rows = Vec::new();
    siblings(&mut rows, (&found.tree, &found.folded), 0);
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

fn siblings(out: &mut Vec<Line>, (rows, folded): (&[Row], &Several), depth: usize) {
    for row in rows {
        let cells = cells(row);
        out.push(Line { depth, cells });
        siblings(out, (&row.below, &row.folded), depth + 1);
    }
    if folded.processes > 0 {
        let name = format!("and {}", many(folded.processes, "more process"));
        let mut cells = vec![name, String::new(), String::new(), String::new()];
        cells.extend(sums(folded));
        cells.resize(COLUMNS, String::new());
        out.push(Line { depth, cells });
    }
}

fn cells(row: &Row) -> Vec<String> {
    let number = |of: Option<u32>| of.map_or("-".to_owned(), |number| number.to_string());
    let name = match row.own.processes {
        1 => short(&row.command),
        several => format!("{} \u{d7} {}", count(several), row.command),
    };
    let mut cells = vec![name, number(row.pid), number(row.ppid), listed(&row.ranks)];
    cells.extend(sums(&row.own));
    if row.descendants.processes > 0 {
        cells.push(count(row.descendants.processes));
        cells.extend(sums(&row.descendants));
    }
    cells.resize(COLUMNS, "-".to_owned());
    cells
}

fn sums(of: &Several) -> [String; 3] {
    [
        count(of.sums.calls),
        bytes(of.sums.bytes()),
        some(of.sums.time),
    ]
}

/// Command lines may take pages.
fn short(command: &str) -> String {
    match command.char_indices().nth(200) {
        Some((end, _)) => format!("{}\u{2026}", &command[..end]),
        None => command.to_owned(),
    }
}
