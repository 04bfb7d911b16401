//! The sandbox that a configuration asks for.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::resources::Resources;

/// Isolation of a bot from the machine.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Sandbox")]
pub enum Tier {
    /// Not at all: it is a program like any other of this user.
    #[default]
    None,
    /// Resources are limited.
    Limits,
    /// Besides, it reaches no network, no files but the system's and its own, and no other process,
    /// as far as Landlock and seccomp go.
    Restricted,
    /// Besides, it sees nothing of all that, as in a machine of its own; needs bubblewrap.
    Strict,
}

impl Tier {
    /// All tiers, from the most open to the strictest.
    pub const ALL: [Tier; 4] = [Tier::None, Tier::Limits, Tier::Restricted, Tier::Strict];

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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub tier: Tier,
    pub resources: Resources,
    /// Files and folders that a bot may read, besides the system's and its own folder, in a sandbox
    /// that hides files.
    pub readable: Vec<PathBuf>,
    /// Folders that it may write, besides its temporary one, in a sandbox that hides files. Where
    /// each bot is a user of its own, that user owns their contents while the bot runs.
    pub writable: Vec<PathBuf>,
    /// Files in those folders that it may neither write nor replace. Only "strict" can prevent
    /// that.
    pub protected: Vec<PathBuf>,
    /// It may use the network in the sandbox "strict"; "restricted" never lets it.
    pub network: bool,
    /// Go on without what this machine cannot enforce, instead of refusing.
    pub best_effort: bool,
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted {
            tier: Tier::None,
            resources: Resources::DEFAULT,
            readable: Vec::new(),
            writable: Vec::new(),
            protected: Vec::new(),
            network: false,
            best_effort: false,
        }
    }
}
