//! Figures for eyes and for programs.

use crate::figures::{Figure, Value, WAYS};
use std::fmt::Write;

/// A line for each figure: what is to be reached, then for each way bare, what tracing adds, and the ratio.
pub fn text(figures: &[Figure]) -> String {
    let mut out = format!("{:<32} {:>8} {:>6}", "", "", "goal");
    for (_, name) in WAYS {
        let _ = write!(out, " | {name:>8} {:>8} {:>6}", "+", "x");
    }
    out.push('\n');
    for figure in figures {
        let goal = figure.goal.map_or(String::new(), |goal| format!("{goal}"));
        let _ = write!(out, "{:<32} {:>8} {goal:>6}", figure.name, figure.unit);
        for value in &figure.values {
            let _ = write!(
                out,
                " | {:>8.1} {:>+8.2} {:>6}",
                value.bare,
                value.added,
                ratio(value)
            );
        }
        out.push('\n');
    }
    out
}

fn ratio(Value { bare, added }: &Value) -> String {
    if *bare > 0.0 {
        format!("{:.2}", 1.0 + added / bare)
    } else {
        String::new()
    }
}

/// The same as one line of JSON.
pub fn json(figures: &[Figure]) -> String {
    let one = |figure: &Figure| {
        let goal = figure.goal.map_or("null".into(), |goal| goal.to_string());
        let ways = WAYS.iter().zip(&figure.values);
        let ways = ways.map(|((_, way), Value { bare, added })| {
            format!(r#""{way}":{{"bare":{bare:.4},"added":{added:.4}}}"#)
        });
        let ways = ways.collect::<Vec<_>>().join(",");
        format!(
            r#"{{"name":"{}","unit":"{}","goal":{goal},{ways}}}"#,
            figure.name, figure.unit
        )
    };
    format!(
        "[{}]",
        figures.iter().map(one).collect::<Vec<_>>().join(",")
    )
}
