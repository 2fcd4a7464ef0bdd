//! What packagers install beside the command: completions and manual pages.

use crate::args::{Args, Completions, Man};
use crate::output;
use anyhow::{Context, bail};
use clap::{Arg, Command, CommandFactory, ValueHint};
use std::fs;
use std::path::Path;

/// `iota completions`
pub fn completions(args: &Completions) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "iota", &mut script);
    output::raw(&script)
}

/// The command line, where only options that take files complete files
fn command() -> Command {
    let plain = |arg: Arg| match arg.get_value_hint() {
        ValueHint::Unknown if arg.get_action().takes_values() => arg.value_hint(ValueHint::Other),
        _ => arg,
    };
    let iota = Args::command();
    iota.mut_subcommands(|command| command.mut_args(plain))
}

/// `iota man`
pub fn man(args: &Man) -> anyhow::Result<()> {
    match &args.dir {
        Some(dir) => write_pages(dir),
        None => print_page(args.command.as_deref()),
    }
}

fn print_page(name: Option<&str>) -> anyhow::Result<()> {
    let wanted = name.map_or("iota".to_owned(), |name| format!("iota-{name}"));
    let Some((_, page)) = pages()?.into_iter().find(|(name, _)| *name == wanted) else {
        bail!(
            "there is no command `{}`; `iota --help` lists them",
            name.unwrap_or_default()
        );
    };
    output::raw(&page)
}

fn write_pages(dir: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(dir).with_context(|| crate::names::path(dir))?;
    for (name, page) in pages()? {
        let file = dir.join(format!("{name}.1"));
        fs::write(&file, page).with_context(|| crate::names::path(&file))?;
    }
    Ok(())
}

/// Name and text of the page of `iota` and of each command
fn pages() -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let mut iota = Args::command();
    iota.build();
    let mut all = vec![iota.clone()];
    let commands = iota.get_subcommands();
    all.extend(
        commands
            .filter(|command| command.get_name() != "help")
            .cloned(),
    );
    all.into_iter().map(page).collect()
}

fn page(command: Command) -> anyhow::Result<(String, Vec<u8>)> {
    let name = command
        .get_display_name()
        .unwrap_or(command.get_name())
        .to_owned();
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    Ok((name, text))
}
