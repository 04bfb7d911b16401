//! `referee completions` and `referee man`: for shells and `man`.

use std::fs;
use std::path::PathBuf;

use clap::Command;

use crate::cli::{CliError, VERSION, print, program};

/// Prints the completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee completions bash > ~/.local/share/bash-completion/completions/referee
  referee completions fish > ~/.config/fish/completions/referee.fish
  referee completions zsh > ~/.zfunc/_referee      with ~/.zfunc in `fpath`")]
pub(crate) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let mut out = Vec::new();
        clap_complete::generate(self.shell, &mut public(&program()), "referee", &mut out);
        print(&String::from_utf8_lossy(&out))
    }
}

/// Prints the manual page, or writes one for each subcommand
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee man | man -l -
  referee man --out ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// The folder for all pages: referee.1, referee-tournament.1, …
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self) -> Result<(), CliError> {
        match self.out {
            None => print(&page(public(&program()))?),
            Some(folder) => {
                fs::create_dir_all(&folder)?;
                Ok(clap_mangen::generate_to(public(&program()), folder)?)
            }
        }
    }
}

fn page(command: Command) -> Result<String, CliError> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// The command line without the subcommands that this build lacks.
fn public(whole: &Command) -> Command {
    let mut public = Command::new("referee")
        .version(VERSION)
        .args(whole.get_arguments().cloned())
        .subcommands(
            whole
                .get_subcommands()
                .filter(|c| !c.is_hide_set())
                .cloned(),
        );
    if let Some(about) = whole.get_about() {
        public = public.about(about.clone());
    }
    match whole.get_after_long_help() {
        Some(after) => public.after_long_help(after.clone()),
        None => public,
    }
}
