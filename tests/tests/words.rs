//! Types have names of the field, as CONTRIBUTING.md says: nouns, and not what was done to the thing or how.

use iota_tests::{command_output, root, wanted};
use std::collections::BTreeMap;
use std::process::Command;

/// No types are called so
const NO_NOUNS: [&str; 34] = [
    "Told",
    "Said",
    "Shown",
    "How",
    "What",
    "Whose",
    "Who",
    "Way",
    "About",
    "Around",
    "Beside",
    "Came",
    "Habit",
    "Hope",
    "InTurn",
    "Kin",
    "LastWord",
    "Lately",
    "Learnt",
    "Made",
    "Own",
    "Pace",
    "Played",
    "Retelling",
    "Seams",
    "Stranger",
    "Through",
    "UnderWay",
    "Wants",
    "Words",
    "Workshop",
    "Fellow",
    "DoneBy",
    "Elsewhere",
];

/// What a line declares, if it declares a type
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let line = match line.strip_prefix("pub(") {
        Some(line) => line.split_once(") ")?.1,
        None => line,
    };
    let kinds = ["struct ", "enum ", "trait ", "union ", "type "];
    let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&rest[..end.unwrap_or(rest.len())])
}

/// The sources, without those of tests
fn sources() -> Option<Vec<String>> {
    // An archive of the sources has no list of them, and was made of files that had passed.
    if !wanted("git clone", root().join(".git").exists(), "clone iota") {
        return None;
    }
    let mut git = Command::new("git");
    git.args(["-c", "safe.directory=*", "ls-files", "-z"]);
    git.args([
        "crates/*/src/*.rs",
        "mpi/src/*.rs",
        "gen-wraps/src/*.rs",
        "src/*.rs",
    ]);
    let files = command_output(git.current_dir(root()));
    let files: Vec<String> = files.split_terminator('\0').map(str::to_owned).collect();
    assert!(files.len() > 300, "{files:?}");
    Some(files)
}

/// A type is known by its name alone, wherever it is used.
#[test]
fn types_of_a_crate_have_names_of_their_own() {
    let Some(files) = sources() else {
        return;
    };
    let mut found: BTreeMap<(&str, String), u32> = BTreeMap::new();
    for file in files.iter().filter(|file| !file.ends_with("/tests.rs")) {
        let (crate_of, _) = file.split_once("/src/").unwrap_or_default();
        let text = std::fs::read_to_string(root().join(file)).unwrap_or_default();
        let (text, _) = text
            .split_once("#[cfg(test)]\nmod tests")
            .unwrap_or((&text, ""));
        let is_alias = |line: &str| line.contains("type ");
        for name in text
            .lines()
            .filter(|line| !is_alias(line))
            .filter_map(declared)
        {
            *found.entry((crate_of, name.to_owned())).or_default() += 1;
        }
    }
    found.retain(|_, count| *count > 1);
    let found: Vec<String> = found
        .keys()
        .map(|(of, name)| format!("{of}: {name}"))
        .collect();
    assert_eq!(found, Vec::<String>::new(), "name each by what it is");
}

#[test]
fn sources_use_words_of_the_field() {
    let Some(files) = sources() else {
        return;
    };
    let mut wrong = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(root().join(&file)).unwrap_or_default();
        for (number, line) in (1..).zip(text.lines()) {
            let is_wrong = declared(line).is_some_and(|name| NO_NOUNS.contains(&name));
            if is_wrong
                || line
                    .split(|c: char| !c.is_alphabetic())
                    .any(|word| word == "told")
            {
                wrong.push(format!("{file}:{number}: {}", line.trim()));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "name them by what they are");
}

#[test]
fn declarations_are_found() {
    assert_eq!(declared("pub(super) type Said = u64;"), Some("Said"));
    assert_eq!(
        declared("pub struct Shown<'a>(pub &'a [u8]);"),
        Some("Shown")
    );
    assert_eq!(declared("    enum Way {"), Some("Way"));
    assert_eq!(declared("let type_of = Way::Static;"), None);
}
