//! The command line, from which help, manual pages and completions are made.

use clap::{Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use std::path::PathBuf;

/// Reads I/O traces: prints, summarises and joins them
#[derive(Debug, Parser)]
#[command(
    name = "iota",
    version,
    long_about = "Reads the I/O traces that a program linked with iota leaves behind (NAME.iota): \
        prints their calls, summarises them, joins their parts.",
    after_help = "A trace is one file, or several parts that a job left beside each other: \
        name any or all of them.\n\
        Exit status: 0, or 2 when something could not be read, written or understood.",
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// One variant for each command
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Prints a completion script for a shell
    Completions(Completions),
    /// Prints manual pages
    Man(Man),
}

/// `iota completions`
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
        iota completions bash > ~/.local/share/bash-completion/completions/iota\n  \
        iota completions zsh > ~/.zfunc/_iota")]
pub struct Completions {
    /// The shell
    pub shell: Shell,
}

/// `iota man`
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
        iota man | man -l -\n  \
        iota man info | man -l -\n  \
        iota man --dir /usr/local/share/man/man1")]
pub struct Man {
    /// The command whose page to print
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    pub command: Option<String>,
    /// Writes all pages to this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}
