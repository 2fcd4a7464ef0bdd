//! What it costs to record from where a call is made: bare, traced, and with stacks, in the same rounds; in C and in Python.

use crate::figures::median;
use iota_tests::{Case, Ran, Way, find, root};

const CALLS: u32 = 1_000_000;

/// Rows: medians.
pub fn text(rounds: usize) -> String {
    let program = Case::new("stacks_bench.c").args(&CALLS.to_string());
    let program = program.with(|program| program.flags("-O2"));
    let all: Vec<_> = (0..rounds).map(|_| round(&program)).collect();
    let mut text = row("known stack", &all, 0) + &row("new stack", &all, 1);
    if let Some(python) = find("python3") {
        let script = root().join("tests/programs/python_stacks_bench.py");
        let script = format!("{} {} {CALLS}", python.display(), script.display());
        let all: Vec<_> = (0..rounds).map(|_| round(&Case::shell(&script))).collect();
        text += &row("known stack, Python", &all, 0);
    }
    text
}

fn row(what: &str, all: &[[Vec<f64>; 3]], figure: usize) -> String {
    let [bare, traced, stacks] =
        [0, 1, 2].map(|way| median(all.iter().map(|round| round[way][figure]).collect()));
    format!(
        "\n{what}, ns a call: bare {bare:.0}, traced {:+.0}, with its stack {:+.0}\n",
        traced - bare,
        stacks - bare
    )
}

fn round(case: &Case) -> [Vec<f64>; 3] {
    let traced = case.clone().way(Way::Preload);
    let stacks = traced.clone().env("IOTA_STACKS", "1");
    [case.run_bare(), traced.run(), stacks.run()].map(|ran: Ran| {
        let printed = ran.succeeded().stdout();
        let figures = printed.split_whitespace().map(str::parse);
        figures.map(|figure| figure.expect("ns")).collect()
    })
}
