//! Who started whom, as a table.

use crate::table::Table;
use iota_analysis::processes::{Line, Processes};

/// `None`: no process of the trace started another one of it
pub fn table(processes: &Processes, short: &dyn Fn(&str) -> String) -> Option<Table> {
    let heads = [
        "process",
        "parent",
        "ranks",
        "calls",
        "moved",
        "time",
        "below",
        "calls below",
        "moved below",
        "time below",
        "command",
    ];
    let mut table = Table::of_commands(&heads);
    let lines = processes.lines();
    lines.iter().for_each(|line| table.row(cells(line, short)));
    (processes.started > 0).then_some(table)
}

fn cells(line: &Line, short: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut cells = line.numbers().to_vec();
    cells.extend(line.figures());
    cells.extend(line.below());
    cells.push("  ".repeat(line.depth) + &line.name(short));
    cells
}
