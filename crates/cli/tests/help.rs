//! Help, manual pages, completions: they name what there is, and nothing else.

mod common;

use common::Dir;

const COMMANDS: [&str; 20] = [
    "run",
    "text",
    "info",
    "stat",
    "layers",
    "convert",
    "plot",
    "report",
    "diff",
    "jobs",
    "head",
    "cut",
    "merge",
    "symbols",
    "recover",
    "load",
    "sql",
    "wraps",
    "completions",
    "man",
];

#[test]
fn help_names_every_command() {
    insta::assert_snapshot!(Dir::new().run(["--help"]).whole(), @r"
    Traces the I/O calls of a program (iota run) and reads traces (NAME.iota), whether iota run wrote
    them or a program linked with iota: prints their calls, summarises them, joins their parts, and
    recovers the traces of killed processes.

    Usage: iota <COMMAND>

    Commands:
      run          Runs a command and traces it with all processes that it starts
      text         Prints a trace, one line for each call
      info         Summarises a trace: programs, hosts, times, counts, and what is missing
      stat         Shows where the time went: findings first, then tables
      layers       Shows each MPI-IO call and what it caused below: the I/O stack as a tree
      convert      Converts a trace to another format, or a log of another tool to a trace
      diff         Shows what changed between two runs: by function, file and rank
      jobs         Lists jobs: a row of figures for each trace below some directories
      head         Prints the first calls of all ranks together
      cut          Copies selected calls of a trace to a new trace
      plot         Draws a plot of a trace: SVG, PNG, PDF, or in the terminal
      report       Makes an HTML report of a trace: one file, which needs no network
      merge        Joins the parts of a trace to one file
      symbols      Looks up the functions and lines of the stacks in a trace
      recover      Writes the traces of processes that were killed
      load         Generates I/O load, and logs the time of each step
      sql          Runs an SQL query on the calls of a trace
      wraps        Prints what to add to a link line
      completions  Prints a completion script for a shell
      man          Prints manual pages
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    A trace is one file, or several files in one directory, each with a part of it. Name any or all of
    these files.
    Exit status: 0, or 2 if something could not be read, written or understood. iota run exits with the
    status of its command.
    ");
}

#[test]
fn help_of_each_command_has_examples() {
    for command in COMMANDS {
        let help = Dir::new().run([command, "--help"]).whole();
        assert!(help.contains("\nExamples:\n"), "{help}");
        assert!(help.contains(&format!("  iota {command} ")), "{help}");
        assert!(
            help.lines().all(|line| line.chars().count() <= 100),
            "{help}"
        );
    }
}

#[test]
fn bad_usage_ends_with_status_2() {
    for args in [
        &[][..],
        &["text"],
        &["repair", "x"],
        &["text", "--nonsense", "x"],
        &["merge", "x"],
        &["text", "x", "--rank", "5-2"],
    ] {
        let said = Dir::new().run(args);
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{args:?}");
        assert!(!said.err.is_empty());
    }
}

#[test]
fn the_version_is_the_packages() {
    let expected = format!("iota {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(Dir::new().run(["--version"]).whole(), expected);
}

#[test]
fn there_is_a_page_for_each_command() {
    let dir = Dir::new();
    dir.run(["man", "--dir", "man1"]).whole();
    let page = |name: &str| std::fs::read_to_string(dir.file("man1").join(name)).unwrap();
    let main = page("iota.1");
    assert_eq!(main, dir.run(["man"]).whole());
    assert!(
        main.starts_with(".ie ") && main.contains(".TH iota 1"),
        "{main}"
    );
    for command in COMMANDS {
        assert_eq!(
            page(&format!("iota-{command}.1")),
            dir.run(["man", command]).whole()
        );
        assert!(main.contains(&format!("iota\\-{command}(1)")), "{main}");
    }
    assert_eq!(
        dir.run(["man", "repair"]).failed(),
        "iota: there is no command `repair`; `iota --help` lists them"
    );
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let script = Dir::new().run(["completions", shell]).whole();
        for command in COMMANDS {
            assert!(script.contains(command), "{shell} does not know {command}");
        }
    }
}

/// Bash itself says what it would offer
#[test]
fn completions_offer_files_where_files_are_wanted_and_words_where_words_are() {
    let dir = Dir::new().with("run.iota", b"");
    let script = dir.run(["completions", "bash"]).whole();
    let offered = |line: &str| {
        let words = line.split(' ').collect::<Vec<_>>();
        let ask = format!(
            "{script}\nCOMP_WORDS=({line}''); COMP_CWORD={}; _iota iota '' {}; echo \"${{COMPREPLY[*]}}\"",
            words.len() - 1,
            words[words.len() - 2]
        );
        let bash = std::process::Command::new("bash")
            .args(["-c", &ask])
            .current_dir(dir.path())
            .output();
        String::from_utf8(bash.unwrap().stdout)
            .unwrap()
            .trim()
            .to_owned()
    };
    assert!(offered("iota stat --by ").starts_with("op file family rank"));
    assert!(offered("iota plot -k ").contains("heatmap"));
    assert_eq!(offered("iota stat --top "), "");
    assert_eq!(offered("iota plot -o "), "run.iota");
}

#[test]
fn help_is_a_command_as_well() {
    let dir = Dir::new();
    assert_eq!(
        dir.run(["help", "stat"]).whole(),
        dir.run(["stat", "--help"]).whole()
    );
}

/// Whether a page has a word, not only as a part of another
fn names(page: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "-_".contains(c));
    page.match_indices(word).any(|(at, _)| {
        let (before, behind) = (&page[..at], &page[at + word.len()..]);
        !is_part(before.chars().last()) && !is_part(behind.chars().next())
    })
}

#[test]
fn pages_name_every_option() {
    let page = |name: &str| std::fs::read_to_string(iota_tests::root().join(name)).unwrap();
    let pages = ["README.md", "docs/CLI.md", "docs/LOAD.md", "docs/TABLES.md"].map(page);
    let pages = pages.concat();
    let mut untold = Vec::new();
    for command in COMMANDS {
        let help = Dir::new().run([command, "--help"]).whole();
        let lines = help.lines().map(str::trim_start);
        for line in lines.filter(|line| line.starts_with('-') && !line.starts_with("- ")) {
            let forms = line.split([' ', ',']).filter(|word| word.starts_with('-'));
            // Those of iota load may have one dash.
            let forms: Vec<_> = forms.flat_map(|form| [form, &form[1..]]).collect();
            let is_told = |form: &&&str| form.len() > 1 && names(&pages, form);
            if !line.starts_with("-h") && !forms.iter().any(|form| is_told(&form)) {
                untold.push(format!("{command} {line}"));
            }
        }
    }
    assert_eq!(untold, Vec::<String>::new());
}

#[test]
fn an_option_that_is_not_there_is_no_command() {
    let said = Dir::new().run(["run", "--ouput", "x.iota", "true"]);
    assert_eq!(said.status, 2);
    assert!(said.err.contains("'--ouput'"), "{}", said.err);
    assert!(said.err.contains("'--output'"), "{}", said.err);
}

#[test]
fn help_of_merge_says_which_findings_are_missing() {
    let help = Dir::new().run(["stat", "--help"]).whole();
    let words: Vec<_> = help.split_whitespace().collect();
    let said = "without --shard, but without the findings on layers above POSIX";
    assert!(words.join(" ").contains(said), "{help}");
}
