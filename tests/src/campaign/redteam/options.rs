//! Options: tiers, users, tricks.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use nix::unistd::geteuid;

/// The part of the matrix to run; all of it by default.
#[derive(Debug, Default, Args)]
pub struct Options {
    /// Only this tier of the sandbox
    #[arg(long)]
    pub tier: Option<Tier>,
    /// Only with the referee run by this user
    #[arg(long)]
    pub user: Option<User>,
    /// Only this trick, all those of a promise, or this scene; prints every attempt
    #[arg(long)]
    pub trick: Option<String>,
    /// All tricks but those of this promise
    #[arg(long)]
    pub except: Option<String>,
    /// Only the tier `strict`, and no slow tricks
    #[arg(long)]
    pub short: bool,
    /// Replace the table between the two marks in this file; as root only, so that it is whole
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tier", "user", "trick", "except", "short"])]
    pub write: Option<PathBuf>,
}

/// Sandboxes, from weak to strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Tier {
    None,
    Limits,
    Restricted,
    Strict,
}

impl Tier {
    /// The name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Tier::None => "none",
            Tier::Limits => "limits",
            Tier::Restricted => "restricted",
            Tier::Strict => "strict",
        }
    }
}

/// The user who runs the referee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum User {
    Root,
    /// An unprivileged user.
    Ordinary,
}

impl User {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            User::Root => "root",
            User::Ordinary => "ordinary",
        }
    }

    /// The users that this process can become.
    pub(super) fn possible() -> Vec<User> {
        if geteuid().is_root() {
            vec![User::Root, User::Ordinary]
        } else {
            vec![User::Ordinary]
        }
    }
}
