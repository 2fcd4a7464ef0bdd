//! The tree's rows one below the other, in words.

use super::{ProcessGroup, ProcessRow, Processes};
use iota_quantity::{bytes, count, listed, many, time};

/// A row, or what is left out behind the rows before it.
#[derive(Clone, Copy, Debug)]
pub struct Line<'p> {
    /// How many rows it stands below.
    pub depth: usize,
    row: Option<&'p ProcessRow>,
    own: &'p ProcessGroup,
}

impl Processes {
    /// All rows, each before those below it.
    pub fn lines(&self) -> Vec<Line<'_>> {
        let mut lines = Vec::new();
        siblings(&mut lines, (&self.tree, &self.folded), 0);
        lines
    }
}

fn siblings<'p>(
    out: &mut Vec<Line<'p>>,
    (rows, folded): (&'p [ProcessRow], &'p ProcessGroup),
    depth: usize,
) {
    for row in rows {
        let (own, row_of) = (&row.own, Some(row));
        out.push(Line {
            depth,
            row: row_of,
            own,
        });
        siblings(out, (&row.below, &row.folded), depth + 1);
    }
    if folded.processes > 0 {
        out.push(Line {
            depth,
            row: None,
            own: folded,
        });
    }
}

impl Line<'_> {
    /// The command, which `short` may cut.
    pub fn name(&self, short: impl Fn(&str) -> String) -> String {
        match (self.row, self.own.processes) {
            (None, processes) => format!("and {}", many(processes, "more process")),
            (Some(row), 1) => short(&row.command),
            (Some(row), several) => format!("{} \u{d7} {}", count(several), short(&row.command)),
        }
    }

    /// Process, parent, ranks.
    pub fn numbers(&self) -> [String; 3] {
        let number = |of: Option<u32>| of.map_or("-".to_owned(), |number| number.to_string());
        self.row.map_or_else(Default::default, |row| {
            [number(row.pid), number(row.ppid), listed(&row.ranks)]
        })
    }

    /// Calls, bytes, time.
    pub fn figures(&self) -> [String; 3] {
        figures(self.own)
    }

    /// How many processes are below, and their calls, bytes, time.
    pub fn below(&self) -> [String; 4] {
        let Some(row) = self.row else {
            return Default::default();
        };
        let none = || ["-", "", "", ""].map(str::to_owned);
        let [calls, moved, time] = figures(&row.descendants);
        match row.descendants.processes {
            0 => none(),
            processes => [count(processes), calls, moved, time],
        }
    }
}

fn figures(of: &ProcessGroup) -> [String; 3] {
    [
        count(of.sums.calls),
        bytes(of.sums.bytes()),
        time(of.sums.time),
    ]
}
