//! `referee doctor`: lists what this machine can enforce on bots, and how to get the rest.

use check::capabilities::{Capability, Promised, capabilities, promises};
use supervisor::sandbox::machine::Machine;
use supervisor::spec::Tier;

use crate::cli::common::format::{FormatArgs, print_json};
use crate::cli::{CliError, print};

/// Prints what this machine can enforce on bots
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee doctor
  referee doctor --promises
  referee doctor --format json")]
pub(crate) struct Args {
    /// Print what each sandbox keeps a hostile bot from on this machine
    #[arg(long)]
    promises: bool,
    #[command(flatten)]
    format: FormatArgs,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let machine = Machine::examine();
        if self.promises {
            let promises = promises(machine.means());
            return if self.format.json() {
                print_json(&promises)
            } else {
                print(&promises_in_words(&promises))
            };
        }
        let capabilities = capabilities(&machine);
        if self.format.json() {
            print_json(&capabilities)
        } else {
            print(&capabilities.iter().map(in_words).collect::<String>())
        }
    }
}

fn promises_in_words(promises: &[Promised]) -> String {
    let names = Tier::ALL.map(|tier| format!("{:<10}", tier.name()));
    let mut text = format!(
        "{:<62}{}\n",
        "On this machine, a bot in this sandbox cannot",
        names.join("  ").trim_end()
    );
    for promised in promises {
        let marks = Tier::ALL.map(|tier| {
            if promised.here[tier.name()] {
                format!("{:<10}", "yes")
            } else {
                format!("{:<10}", "-")
            }
        });
        let marks = marks.join("  ");
        text.push_str(&format!("  {:<60}{}\n", promised.promise, marks.trim_end()));
    }
    text
}

fn in_words(capability: &Capability) -> String {
    let mark = if capability.enforced { "yes" } else { "NO " };
    let Capability { key, what, by, .. } = capability;
    let mut text = format!("{mark}  {key:<22} {what}: {by}\n");
    if let Some(advice) = capability.advice {
        text.push_str(&format!("{:27}{advice}\n", ""));
    }
    text
}
