//! What shows a finding on the page: a plot, and a row of a table.

use iota_analysis::Filter;
use iota_analysis::filter::{Name, Number, Term};
use iota_analysis::stat::Finding;
use iota_plot::printable;

/// Where a finding is seen, by its kind; others are seen over time.
const PLOTS: [(&str, &[&str]); 6] = [
    (
        "by-offset",
        &[
            "random-reads",
            "random-writes",
            "unaligned-writes",
            "rereads",
            "rewrites",
            "overwrites",
        ],
    ),
    ("sizes", &["small-reads", "small-writes"]),
    (
        "by-rank",
        &["imbalance", "node-imbalance", "one-rank", "late-ranks"],
    ),
    ("both", &["stall"]),
    ("bandwidth", &["slow-phases"]),
    (
        "under-way",
        &[
            "metadata",
            "failed-lookups",
            "open-per-access",
            "repeated-opens",
            "unused-opens",
            "crowded-directory",
            "idle-seeks",
            "sync",
        ],
    ),
];

/// What shows a finding.
#[derive(Debug, PartialEq, Eq)]
pub struct FindingLink {
    /// The element with the plot.
    pub plot: &'static str,
    /// What the table has rows for.
    pub table: &'static str,
    /// The name of a row, or a part of the names of several; empty for all.
    pub row: String,
    /// The moments to show, in ns since the job's start.
    pub time: Option<(i64, i64)>,
}

impl FindingLink {
    /// That of a finding; one on layers above descriptors is seen in their tree, if the page has that.
    pub fn of(finding: &Finding, has_tree: bool) -> FindingLink {
        let kind = finding.kind;
        let known = PLOTS.iter().find(|(_, kinds)| kinds.contains(&kind));
        let elsewhere = if has_tree { "layers" } else { "over-time" };
        // An expression that was written for people to use again is one that is understood.
        let filter: Filter = finding.select.parse().unwrap_or_default();
        let (table, row) = rows(&filter);
        FindingLink {
            plot: known.map_or(elsewhere, |(plot, _)| plot),
            table,
            row,
            // The filter of the page, if there is one, stands first.
            time: filter.terms.iter().rev().find_map(|term| match term {
                Term::During(time) => Some((*time.start(), *time.end())),
                _ => None,
            }),
        }
    }
}

/// The table and the rows of what a filter names last; functions if it names nothing.
fn rows(filter: &Filter) -> (&'static str, String) {
    let named = filter.terms.iter().rev().find_map(|term| match term {
        Term::Named(Name::File, true, globs) => Some(("file", literal(globs))),
        Term::Named(Name::Dir, true, globs) => Some(("dir", literal(globs))),
        Term::Named(Name::Op, true, globs) => Some(("op", literal(globs))),
        Term::Among(Number::Rank | Number::Pid, true, ranges) => {
            Some(("rank", ranges.first()?.start().to_string()))
        }
        _ => None,
    });
    named.unwrap_or(("op", String::new()))
}

/// The longest piece of a wildcard that is as it is.
fn literal(globs: &[Vec<u8>]) -> String {
    let mut pieces = vec![Vec::new()];
    let mut bytes = globs.first().into_iter().flatten();
    while let Some(byte) = bytes.next() {
        match byte {
            b'*' | b'?' | b'[' => pieces.push(Vec::new()),
            _ => {
                let byte = if *byte == b'\\' {
                    bytes.next()
                } else {
                    Some(byte)
                };
                let last = pieces.last_mut();
                last.into_iter().for_each(|last| last.extend(byte));
            }
        }
    }
    let longest = pieces.into_iter().max_by_key(Vec::len).unwrap_or_default();
    printable(&longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(kind: &'static str, select: &str) -> FindingLink {
        let finding = Finding {
            kind,
            cost: 0,
            what: String::new(),
            evidence: String::new(),
            advice: "",
            select: select.to_owned(),
        };
        FindingLink::of(&finding, false)
    }

    #[test]
    fn a_finding_is_shown_by_what_it_selects() {
        for (kind, select, plot, table, row) in [
            (
                "rereads",
                "class=read,off>=0,file=/scratch/in.nc",
                "by-offset",
                "file",
                "/scratch/in.nc",
            ),
            (
                "small-writes",
                r#"class=write,file="/a b/x\[1]/out*.dat""#,
                "sizes",
                "file",
                "/a b/x[1]/out",
            ),
            ("imbalance", "rank=3,on=storage", "by-rank", "rank", "3"),
            ("metadata", "class=open,on=storage", "under-way", "op", ""),
            (
                "failed-lookups",
                "class=open,dir=/usr/lib",
                "under-way",
                "dir",
                "/usr/lib",
            ),
            (
                "independent",
                "layer=mpiio,file=/x",
                "over-time",
                "file",
                "/x",
            ),
        ] {
            let found = link(kind, select);
            assert_eq!((found.plot, found.table, &*found.row), (plot, table, row));
        }
        let slow = link("slow-phases", "class=write,during=5ns..900ns,on=storage");
        assert_eq!(slow.time, Some((5, 900)));
        let within = link(
            "slow-phases",
            "during=1ns..999ns,class=write,during=5ns..900ns",
        );
        assert_eq!(within.time, Some((5, 900)));
    }
}
