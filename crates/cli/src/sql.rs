//! `iota sql`: a query put to DuckDB, an installed command, over the table that `iota convert` makes of traces.
//!
//! The table lies in a folder of the user's own, which goes when the query has ended, also by a signal. What DuckDB cannot
//! hold in memory lies there as well.

use crate::args::{self, Output};
use crate::{convert, failure, names};
use anyhow::{Context, bail, ensure};
use iota_calls::Layer;
use iota_export::columns::RENAMED;
use iota_output::Closed;
use iota_output::temp_guard::{self, TempGuard};
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, DirEntry};
use std::io::{self, ErrorKind, IsTerminal};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Asks DuckDB
pub fn run(args: &args::Sql) -> anyhow::Result<()> {
    let (traces, query) = parted(&args.words)?;
    let duckdb = command()?;
    let folder = folder()?;
    let tables: Vec<_> = traces.iter().map(|path| files(path)).collect();
    let (files, whole) = match tables.iter().any(|files| !files.is_empty()) {
        true => (together(tables)?, Ok(())),
        false => converted(traces, folder.path())?,
    };
    let spill = folder.path().join("spill");
    let mut ask = Command::new(duckdb);
    ask.args(["-init", "/dev/null", "-bail", mode(args), "-cmd"])
        .arg(format!("set temp_directory = {}", quoted(text(&spill)?)))
        .arg("-cmd")
        .arg(format!("create view calls as from {}", table(&files)?));
    match query {
        Some(query) => drop(ask.args(["-c", query])),
        None => temp_guard::spare_prompt(io::stdin().is_terminal()),
    }
    let asked = ended(&mut ask);
    if let (Err(_), Err(damage)) = (&asked, &whole) {
        failure::say(damage);
    }
    if let (Err(_), Some(query)) = (&asked, query) {
        renamed(query).for_each(|note| failure::note(&note));
    }
    asked.and(whole)
}

/// Traces, and the query if there is one: the last word, if it has a blank and names nothing that is there.
fn parted(words: &[PathBuf]) -> anyhow::Result<(&[PathBuf], Option<&str>)> {
    let is_query = |word: &&str| word.contains(char::is_whitespace) && !Path::new(word).exists();
    let last = words.split_last();
    let query = last.and_then(|(last, _)| last.to_str()).filter(is_query);
    let traces = match (last, query) {
        (Some((_, before)), Some(_)) => before,
        _ => words,
    };
    ensure!(!traces.is_empty(), "name a trace before the query");
    Ok((traces, query))
}

/// Columns whose names were others, and are in the query; in quotes there are no names
fn renamed(query: &str) -> impl Iterator<Item = String> {
    let words = query.split('\'').step_by(2);
    let words = words.flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let all = RENAMED.iter();
    let here = all.filter(move |(old, _)| words.clone().any(|word| word.eq_ignore_ascii_case(old)));
    here.map(|(old, new)| format!("the column {old} is now called {new}"))
}

/// The name of DuckDB's command, which can be run
fn command() -> anyhow::Result<PathBuf> {
    let named = std::env::var_os("IOTA_DUCKDB").filter(|name| !name.is_empty());
    let name = PathBuf::from(named.unwrap_or_else(|| "duckdb".into()));
    let mut try_it = Command::new(&name);
    try_it.arg("-version").stdin(Stdio::null());
    match try_it.stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(_) => Ok(name),
        Err(error) if error.kind() == ErrorKind::NotFound => bail!(
            "{}: not found; get DuckDB's command (the distribution's, or pip install duckdb-cli), or name it in \
             IOTA_DUCKDB; or write the table for another program: iota convert --to parquet",
            names::path(&name)
        ),
        Err(error) => Err(error).with_context(|| names::path(&name)),
    }
}

/// For nobody else's eyes, as the traces may be
fn folder() -> anyhow::Result<TempGuard> {
    let all = std::env::temp_dir();
    let ours = format!("iota-sql-{}-", host());
    sweep(&all, &ours);
    let name = |n| all.join(format!("{ours}{}-{n}", std::process::id()));
    for path in (0..).map(name) {
        let make = |path: &Path| DirBuilder::new().mode(0o700).create(path);
        match TempGuard::made(path.clone(), make) {
            Ok((left, ())) => return Ok(left),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| names::path(&path)),
        }
    }
    bail!("{}: every name is taken", names::path(&all))
}

fn host() -> String {
    names::printable(&iota_recover::host::name()).replace('/', "_")
}

/// Removes what commands on this machine left that were killed. What is not ours cannot be removed.
fn sweep(all: &Path, ours: &str) {
    let is_left = |entry: &DirEntry| {
        let name = entry.file_name();
        let numbers = name.to_str().and_then(|name| name.strip_prefix(ours));
        let process = numbers.and_then(|numbers| numbers.split('-').next()?.parse::<u32>().ok());
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_dir && process.is_some_and(|process| !iota_recover::lives(process))
    };
    let entries = fs::read_dir(all).into_iter().flatten().flatten();
    let left = entries.filter(is_left);
    left.for_each(|entry| drop(fs::remove_dir_all(entry.path())));
}

/// A table of traces, and whether that is all of them: what is whole in a damaged one can be asked about, too.
fn converted(
    traces: &[PathBuf],
    folder: &Path,
) -> anyhow::Result<(Vec<PathBuf>, anyhow::Result<()>)> {
    let output = folder.join("calls.parquet");
    let whole = convert::run(&args::Convert {
        traces: traces.to_vec(),
        output: output.clone(),
        to: Some(Output::Parquet),
        columns: Vec::new(),
        from: None,
        rank: None,
        wanted: Vec::new(),
        file: None,
        layer: Layer::Posix,
        shards: None,
        servers: args::ServerArgs::default(),
        raw_clock: false,
        yes: true,
        force: false,
    });
    match output.exists() {
        true => Ok((vec![output], whole)),
        false => Err(whole.err().context("nothing was converted")?),
    }
}

/// The files of tables that are there: themselves, or those in a directory of shards
fn files(path: &Path) -> Vec<PathBuf> {
    let is_parquet = |path: &PathBuf| path.extension() == Some(OsStr::new("parquet"));
    let entries = path.read_dir().into_iter().flatten().flatten();
    let held = entries.map(|entry| entry.path());
    let all = held.chain([path.to_owned()]).filter(is_parquet);
    all.filter(|path| !path.is_dir()).collect()
}

fn together(tables: Vec<Vec<PathBuf>>) -> anyhow::Result<Vec<PathBuf>> {
    let has_traces = tables.iter().any(Vec::is_empty);
    ensure!(!has_traces, "name traces or .parquet files, not both");
    Ok(tables.concat())
}

/// What is asked, of files where they lie. Their names must not be taken for patterns.
fn table(files: &[PathBuf]) -> anyhow::Result<String> {
    let plain = |c: char| match c {
        '*' | '?' | '[' => format!("[{c}]"),
        _ => c.to_string(),
    };
    let names = files
        .iter()
        .map(|file| Ok(text(file)?.chars().map(plain).collect()));
    let names: Vec<String> = names.collect::<anyhow::Result<_>>()?;
    let names: Vec<_> = names.iter().map(|name| quoted(name)).collect();
    Ok(format!("read_parquet([{}])", names.join(", ")))
}

fn text(path: &Path) -> anyhow::Result<&str> {
    path.to_str()
        .with_context(|| format!("{}: DuckDB accepts only names in UTF-8", names::path(path)))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn mode(args: &args::Sql) -> &'static str {
    match (args.csv, args.json) {
        (true, _) => "-csv",
        (_, true) => "-json",
        _ => "-box",
    }
}

/// Runs it to its end. It ends with this command whatever ends this one, or would go on with a table that is gone.
fn ended(duckdb: &mut Command) -> anyhow::Result<()> {
    let die_too = || {
        // SAFETY: a plain system call.
        match unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: what a forked child may do.
    unsafe { duckdb.pre_exec(die_too) };
    let name = names::path(Path::new(duckdb.get_program()));
    let status = duckdb.status().with_context(|| name.clone())?;
    match status.signal() {
        Some(libc::SIGPIPE) => bail!(Closed),
        _ if status.success() => Ok(()),
        _ => bail!("{name}: {status}"),
    }
}
