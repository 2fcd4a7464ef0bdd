//! `iota recover`: the traces of processes that were killed, from the spools that they left on this node.

use crate::args::Recover;
use crate::table::Table;
use crate::{names, output};
use anyhow::anyhow;
use iota_quantity::{count, many};
use iota_recover::{FoundSpool, Life, Options, Recovered, SpoolList, listed, recover};
use std::path::Path;

/// Recovers, or lists
pub fn run(args: &Recover) -> anyhow::Result<()> {
    if args.list || args.outputs.is_empty() {
        return list(args);
    }
    let options = Options {
        spools: args.spool.clone(),
        file: args.output.clone(),
        keep: args.keep,
        other_hosts: args.other_hosts,
        unseen: args.other_hosts,
    };
    let mut problems = Vec::new();
    for output in &args.outputs {
        match recover(output, &options) {
            Ok(done) => {
                say(output, &done);
                problems.extend(done.problems);
            }
            Err(error) => problems.push(format!("{error:#}")),
        }
    }
    fail(problems)
}

fn say(wanted: &Path, done: &Recovered) {
    for (file, processes, calls) in &done.files {
        let (processes, calls) = (many(*processes, "process"), many(*calls, "call"));
        anstream::eprintln!("{}: {processes} recovered, {calls}", names::path(file));
    }
    for note in &done.notes {
        anstream::eprintln!("{note}");
    }
    if done.files.is_empty() && done.notes.is_empty() && done.problems.is_empty() {
        anstream::eprintln!("{}: nothing to recover", names::path(wanted));
    }
}

/// A line for each problem; the last one ends the command.
fn fail(mut problems: Vec<String>) -> anyhow::Result<()> {
    problems.dedup();
    let Some(last) = problems.pop() else {
        return Ok(());
    };
    for problem in problems {
        anstream::eprintln!("iota: {problem}");
    }
    Err(anyhow!("{last}"))
}

fn list(args: &Recover) -> anyhow::Result<()> {
    let all = SpoolList::of(&args.outputs, &args.spool);
    let mut table = Table::new(&["state", "process", "rank", "calls", "output"]);
    all.found.iter().for_each(|found| table.row(row(found)));
    if !all.found.is_empty() {
        let mut text = String::new();
        table.print(&mut text, output::width());
        output::print(&text)?;
    } else {
        anstream::eprintln!("no spools of this user in {}", listed(&all.places));
    }
    fail(all.problems)
}

fn row(found: &FoundSpool) -> [String; 5] {
    let (ids, mut output) = (found.spool.ids(), found.base.clone().into_os_string());
    output.push(".iota");
    let state = match &found.life {
        Life::Dead => "dead".to_owned(),
        Life::Alive => "alive".to_owned(),
        Life::NonStorage(host) => format!("on {host}"),
        Life::Unseen => "not seen here".to_owned(),
    };
    [
        state,
        ids.pid.to_string(),
        ids.rank.to_string(),
        count(found.spool.calls()),
        names::path(Path::new(&output)),
    ]
}
