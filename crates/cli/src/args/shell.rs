//! Arguments of `iota completions` and `iota man`.

use clap::ValueHint;
use clap_complete::Shell;
use std::path::PathBuf;

/// Prints a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
        iota completions bash > ~/.local/share/bash-completion/completions/iota\n  \
        iota completions zsh > ~/.zfunc/_iota")]
pub struct Completions {
    /// The shell
    pub shell: Shell,
}

/// Prints manual pages
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
