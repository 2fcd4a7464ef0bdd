//! Who started whom, as a table.

use crate::hosts::listed;
use crate::table::Table;
use crate::units::{bytes, count, many, time};
use iota_analysis::processes::{Processes, Row, Several};

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
    let Processes { tree, folded, .. } = processes;
    siblings(&mut table, (tree, folded), 0, short);
    (processes.started > 0).then_some(table)
}

fn siblings(
    table: &mut Table,
    (rows, folded): (&[Row], &Several),
    depth: usize,
    short: &dyn Fn(&str) -> String,
) {
    for row in rows {
        table.row(cells(row, depth, short));
        siblings(table, (&row.below, &row.folded), depth + 1, short);
    }
    if folded.processes > 0 {
        let more = many(folded.processes, "more process");
        let mut cells = vec![String::new(); 3];
        cells.extend(sums(folded));
        cells.resize(10, String::new());
        cells.push(format!("{}and {more}", indent(depth)));
        table.row(cells);
    }
}

fn cells(row: &Row, depth: usize, short: &dyn Fn(&str) -> String) -> Vec<String> {
    let number = |of: Option<u32>| of.map_or("-".to_owned(), |number| number.to_string());
    let mut cells = vec![number(row.pid), number(row.ppid), listed(&row.ranks)];
    cells.extend(sums(&row.own));
    cells.push(match row.descendants.processes {
        0 => "-".to_owned(),
        processes => count(processes),
    });
    cells.extend(match row.descendants.processes {
        0 => [const { String::new() }; 3],
        _ => sums(&row.descendants),
    });
    let several = match row.own.processes {
        1 => String::new(),
        processes => format!("{} \u{d7} ", count(processes)),
    };
    let command = short(&row.command);
    cells.push(format!("{}{several}{command}", indent(depth)));
    cells
}

fn sums(of: &Several) -> [String; 3] {
    [
        count(of.sums.calls),
        bytes(of.sums.bytes()),
        time(of.sums.time),
    ]
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}
