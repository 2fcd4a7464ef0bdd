//! Every column, key and field of a filter is in docs/GLOSSARY.md, under one name: asked of the commands themselves.

mod common;

use common::Dir;
use common::trace::{Part, writes};
use common::tree::{MPI, Mpi, SUB, Sub, Tree, UPPER, Upper};
use iota_trace::flags;
use iota_trace::lustre::blob::plain;
use serde_json::Value;
use std::collections::BTreeSet;

type Names = BTreeSet<String>;

/// What the page has in a column: words in backticks
fn column(at: usize) -> Names {
    let page = include_str!("../../../docs/GLOSSARY.md").lines();
    let rows = page.filter_map(|line| line.strip_prefix("| ")?.strip_suffix('|'));
    let cells = rows.filter_map(|row| row.split(" |").nth(at));
    cells.flat_map(quoted).collect()
}

fn quoted(cell: &str) -> Vec<String> {
    let words = cell.split('`').skip(1).step_by(2);
    words.map(str::to_owned).collect()
}

fn names() -> Names {
    column(0)
}

/// Two ranks write a file together, one for both, below a dataset.
fn trace() -> Dir {
    let mut tree = Tree::new(2, 2);
    tree.upper(&Upper {
        object: "/density",
        start: 400_000,
        end: 450_000,
        bytes: 100,
        says: &[("chunk", 4096)],
        ..UPPER
    });
    for rank in 0..2 {
        let id = tree.number(rank, 0);
        tree.sub(&Sub {
            rank,
            parent: if rank == 0 { id } else { 0 },
            start: 1_000_000,
            end: 2_000_000,
            bytes: 1 << 20,
            flags: if rank == 0 { flags::UNDER_LIBRARY } else { 0 },
            ..SUB
        });
        tree.mpi(&Mpi {
            op: "MPI_File_write_at_all",
            rank,
            ranks: 2,
            id,
            start: 500_000,
            end: 3_000_000,
            bytes: 1 << 19,
            collective: 1,
            hints: "cb_nodes=1",
            ..MPI
        });
    }
    Dir::new()
        .with("run.iota", &tree.finish())
        .with("striped.iota", &striped())
        .with("servers.iota", &server())
}

/// The server of their file
fn server() -> Vec<u8> {
    let mut tree = Tree::new(1, 1);
    tree.sub(&Sub {
        start: 1_200_000,
        end: 1_800_000,
        file: "/srv/brick/shared",
        bytes: 1 << 20,
        ..SUB
    });
    tree.finish()
}

/// A write to a file on Lustre
fn striped() -> Vec<u8> {
    let mut part = Part::new(0, 1, 0);
    let layout = plain(1, 1 << 20, 3, &[7, 8, 9], Some("flash"));
    part.file(1, b"/scratch/striped").layout(1, &layout);
    let written = iota_trace::Record {
        file: 1,
        ..writes(1, 8)[0]
    };
    part.calls(&[written]).finish()
}

fn unknown(told: impl IntoIterator<Item = String>, known: &Names) -> Vec<String> {
    told.into_iter()
        .filter(|name| !known.contains(name))
        .collect()
}

fn words(text: &str, by: &[char]) -> Vec<String> {
    text.split(by).map(str::to_owned).collect()
}

#[test]
fn columns_of_tables_are_in_the_glossary() {
    let dir = trace();
    let csv = dir.run(["convert", "run.iota", "--to", "csv", "-o", "-"]);
    let csv = csv.whole();
    let columns = words(csv.lines().next().unwrap(), &[',']);
    assert!(columns.len() > 20, "{columns:?}");
    assert_eq!(unknown(columns.clone(), &names()), [""; 0]);
    dir.run(["convert", "run.iota", "-o", "run.parquet"])
        .whole();
    assert_eq!(parquet(&dir), columns);
}

fn parquet(dir: &Dir) -> Vec<String> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let file = std::fs::File::open(dir.file("run.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let columns = reader.metadata().file_metadata().schema_descr().columns();
    columns.iter().map(|of| of.name().to_owned()).collect()
}

#[test]
fn columns_of_text_are_in_the_glossary() {
    let known = &names() | &column(3);
    for option in ["", "-v"] {
        let words_of = ["text", "run.iota", option];
        let asked = words_of.into_iter().filter(|word| !word.is_empty());
        let text = trace().run(asked).whole();
        let mut head = text.lines().filter_map(|line| line.strip_prefix("# "));
        let columns = words(head.next_back().unwrap(), &['\t', '/']);
        assert!(columns.len() > 8, "{columns:?}");
        assert_eq!(unknown(columns, &known), [""; 0], "{option}");
    }
}

/// A wrong field is answered with all that there are.
#[test]
fn fields_of_filters_are_in_the_glossary() {
    let said = trace().run(["text", "run.iota", "--where", "nosuch=1"]);
    let told = said.failed().to_owned();
    let (_, fields) = told.split_once("fields are ").expect("they are told");
    let fields = fields.replace(" and ", ", ").replace(';', ",");
    let fields = fields.split(" have no value").next().unwrap().split(", ");
    let fields: Vec<String> = fields.map(|field| field.trim().to_owned()).collect();
    assert!(fields.len() > 20, "{fields:?}");
    assert_eq!(unknown(fields.clone(), &names()), [""; 0]);
    let mut taken = fields;
    taken.extend(column(4));
    for field in taken {
        let is_taken = |term: &str| {
            let said = trace().run(["text", "run.iota", "--where", term]);
            said.status == 0
        };
        let tried = ["", "=1", "=read", "=storage"].map(|value| format!("{field}{value}"));
        assert!(tried.iter().any(|term| is_taken(term)), "{field}");
    }
}

/// Keys of an object and of those in it; hints are the user's words.
fn keys(value: &Value, to: &mut Names) {
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| {
            to.insert(key.clone());
            if key != "hints" {
                keys(value, to);
            }
        }),
        Value::Array(all) => all.iter().for_each(|value| keys(value, to)),
        _ => {}
    }
}

fn object(dir: &Dir, args: &[&str]) -> Names {
    let said = dir.run(args).whole();
    let mut told = Names::new();
    keys(&serde_json::from_str(&said).unwrap(), &mut told);
    assert!(told.len() > 5, "{args:?}");
    told
}

#[test]
fn keys_of_objects_are_in_the_glossary() {
    let (dir, known) = (trace(), names());
    let by = "op,file,rank,thread,pid,host,dir,layer,object,ost";
    let commands: [&[&str]; 8] = [
        &["info", "--json", "striped.iota"],
        &["stat", "--json", "striped.iota", "--by", by],
        &["info", "--json", "run.iota"],
        &["stat", "--json", "run.iota", "--by", by],
        &["stat", "--json", "run.iota", "--where", "layer=mpiio"],
        &["layers", "--json", "run.iota", "--server", "servers.iota"],
        &["diff", "--json", "run.iota", "run.iota"],
        &["jobs", "--json", "--by", "program", "run.iota"],
    ];
    let told = commands.into_iter().flat_map(|args| object(&dir, args));
    let wrong: Names = unknown(told, &known).into_iter().collect();
    assert_eq!(wrong, Names::new());
    assert_eq!(
        unknown(words(by, &[',']), &(&known | &column(4))),
        [""; 0],
        "--by"
    );
}

/// A table is asked for, headed and told by one word; the older word for objects is still understood.
#[test]
fn tables_have_the_name_that_they_are_asked_for_by() {
    let dir = trace();
    let has_column = |command: &[&str], by: &str| {
        let args = [command, &["run.iota", "--by", by]].concat();
        let page = dir.run(args).whole();
        let (_, table) = page.rsplit_once("\n\n").expect("a table stands last");
        let mut heads = table.lines().next().unwrap().split_whitespace();
        assert!(
            heads.any(|head| head == by),
            "{command:?} --by {by}: {page}"
        );
    };
    for by in [
        "op", "file", "rank", "thread", "host", "dir", "layer", "object",
    ] {
        let said = dir.run(["stat", "run.iota", "--json", "--by", by]).whole();
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["tables"][0]["by"], by);
        has_column(&["stat"], by);
    }
    for by in ["op", "file", "rank", "object"] {
        has_column(&["layers", "--layer", "hdf5"], by);
    }
    for command in ["stat", "layers"] {
        let said = ["object", "dataset"].map(|by| dir.run([command, "run.iota", "--by", by]));
        let [object, dataset] = said.map(common::Said::whole);
        assert_eq!(object, dataset);
    }
}

/// A name that nothing prints any more is no name.
#[test]
fn the_glossary_has_no_other_names() {
    let sources = sources(&["cli", "analysis", "export", "jobs", "trace"]);
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = sources.lines().filter(is_code);
    let words: BTreeSet<&str> = words.flat_map(|line| line.split(|c| !is_part(c))).collect();
    let gone = names().into_iter();
    let gone = gone.filter(|name| !words.contains(name.as_str()));
    assert_eq!(gone.collect::<Vec<_>>(), [""; 0]);
}

/// Things that are counted in messages
const THINGS: [&str; 21] = [
    "calls",
    "ranks",
    "files",
    "processes",
    "threads",
    "transfers",
    "lines",
    "hosts",
    "nodes",
    "opens",
    "seeks",
    "writes",
    "parts",
    "operations",
    "pieces",
    "descriptors",
    "functions",
    "problems",
    "blocks",
    "records",
    "events",
];
/// A template of the bar, and what is found from 100 on only
const OTHERS: [&str; 2] = ["{human_len} calls", "{} opens and queries"];

/// `many` groups digits, and knows that one call is no "1 calls".
#[test]
fn what_is_counted_in_messages_agrees_with_its_number() {
    let sources = sources(&[
        "cli", "analysis", "plot", "report", "load", "load-mpi", "import", "export", "jobs",
        "launch", "recover", "output",
    ]);
    let is_wrong = |line: &&str| {
        // Of fractions there are several always: 1.0 calls.
        let line = &line.replace(":.1}", "");
        let is_counted = |thing: &&str| {
            let begins = format!("}} {thing}");
            let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric());
            let mut after = line.split(&begins).skip(1);
            after.any(ends)
        };
        let is_code = !line.trim_start().starts_with("//");
        is_code && THINGS.iter().any(is_counted) && !OTHERS.iter().any(|of| line.contains(of))
    };
    let wrong: Vec<_> = sources.lines().filter(is_wrong).collect();
    assert_eq!(wrong, [""; 0]);
}

fn sources(crates: &[&str]) -> String {
    let mut all = String::new();
    for name in crates {
        let folder = iota_tests::root().join("crates").join(name).join("src");
        read(&folder, &mut all);
    }
    all
}

fn read(folder: &std::path::Path, to: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => read(&path, to),
            false => to.push_str(&std::fs::read_to_string(path).unwrap()),
        }
    }
}
