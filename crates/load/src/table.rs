//! `-h`: every argument with its default and what it does, in columns.

use crate::options::Options;
use clap::Arg;

/// The text that `-h` prints: options, defaults, descriptions.
pub fn table() -> String {
    let command = Options::command();
    let rows: Vec<[String; 3]> = command.get_arguments().filter_map(row).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    let mut out = format!(
        "{:first$}  {:second$}  Description\n",
        "Argument", "Default"
    );
    for [argument, default, help] in &rows {
        out += &format!("{argument:first$}  {default:second$}  {help}\n");
    }
    out
}

fn row(arg: &Arg) -> Option<[String; 3]> {
    let name = match arg.get_long_and_visible_aliases() {
        Some(longs) => names(&longs),
        None => format!("-{}", arg.get_short()?),
    };
    let help = arg.get_help()?.to_string();
    let (help, noted) = match help.split_once(" [default: ") {
        Some((help, default)) => (help, default.trim_end_matches(']').to_owned()),
        None => (help.as_str(), default(arg)),
    };
    Some([format!("{name}{}", value(arg)), noted, help.to_owned()])
}

/// Aliases that differ by more than `-` for `_`
fn names(longs: &[&str]) -> String {
    let mut names: Vec<String> = longs.iter().map(|long| long.replace('-', "_")).collect();
    names.dedup();
    names
        .iter()
        .map(|name| format!("-{name}"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn value(arg: &Arg) -> String {
    if !arg.get_action().takes_values() {
        return String::new();
    }
    let choices = arg.get_possible_values();
    let choices: Vec<&str> = choices.iter().map(|choice| choice.get_name()).collect();
    match (choices.as_slice(), arg.get_value_names()) {
        ([], Some([name, ..])) => format!(" {name}"),
        ([], _) => " VALUE".to_owned(),
        (choices, _) => format!(" {}", choices.join("|")),
    }
}

/// What holds when the argument is not given; of a switch: no
fn default(arg: &Arg) -> String {
    let values = arg.get_default_values();
    match (values.first(), arg.get_action().takes_values()) {
        (Some(value), true) => value.to_string_lossy().into_owned(),
        (None, true) => "-".to_owned(),
        (_, false) => "no".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_argument_has_a_row() {
        let table = table();
        for arg in Options::command().get_arguments() {
            let Some(long) = arg.get_long() else { continue };
            assert!(table.contains(&format!("-{long}")), "{long}");
            assert!(arg.get_help().is_some(), "{long}");
        }
    }

    #[test]
    fn h_tells_the_truth_about_noseek() {
        let table = table();
        let line = table
            .lines()
            .find(|line| line.starts_with("-noseek"))
            .unwrap();
        assert_eq!(line.split_whitespace().nth(1), Some("no"), "{line}");
        assert!(!Options::parse(&[]).unwrap().noseek, "and so it does seek");
    }

    #[test]
    fn stripes_are_called_pieces() {
        let table = table();
        assert!(table.contains("\n-npieces, -nstripes N "), "{table}");
    }
}
