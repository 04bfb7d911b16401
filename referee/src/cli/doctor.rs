//! `referee doctor`: what this machine can enforce on bots, and how to get the rest.

use std::collections::BTreeMap;

use serde::Serialize;
use supervisor::sandbox::account::Account;
use supervisor::sandbox::limits::Tier;
use supervisor::sandbox::machine::Machine;
use supervisor::sandbox::promises::{Means, Promise};

use super::format::{FormatArgs, print_json};
use super::{CliError, print};

/// Tells what this machine can enforce on bots, and how to get the rest
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee doctor
  referee doctor --promises
  referee doctor --format json")]
pub(super) struct Args {
    /// Print what each sandbox keeps a hostile bot from on this machine
    #[arg(long)]
    promises: bool,
    #[command(flatten)]
    format: FormatArgs,
}

/// One thing that a configuration can ask for.
#[derive(Debug, Serialize)]
struct Finding {
    /// The key, with its value where that matters.
    key: &'static str,
    /// What it is about.
    what: &'static str,
    /// Whether it can be enforced.
    enforced: bool,
    /// By whom, or why not.
    by: String,
    /// How to get it, or how to get it better.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'static str>,
}

const GROUPS: &str = "with control groups the kernel itself does it: run as root, or with \
                      `systemd-run --user --scope -p Delegate=yes referee …`";
const BUBBLEWRAP: &str = "install bubblewrap (the package is called `bubblewrap` in all common \
                          distributions) and allow user name spaces \
                          (`sysctl kernel.unprivileged_userns_clone=1`, or on Ubuntu \
                          `kernel.apparmor_restrict_unprivileged_userns=0`)";

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        let machine = Machine::examine();
        if self.promises {
            let promises = promises(machine.means());
            return match self.format.json() {
                true => print_json(&promises),
                false => print(&promises_in_words(&promises)),
            };
        }
        let findings = findings(&machine);
        match self.format.json() {
            true => print_json(&findings),
            false => print(&findings.iter().map(in_words).collect::<String>()),
        }
    }
}

/// What a bot cannot do, by sandbox.
#[derive(Debug, Serialize)]
struct Promised {
    id: Promise,
    /// After "a bot cannot".
    promise: &'static str,
    /// Where the machine can do all that the sandbox needs, by who runs the referee.
    held: BTreeMap<&'static str, Held>,
    /// On this machine, for this user.
    here: BTreeMap<&'static str, bool>,
}

#[derive(Debug, Serialize)]
struct Held {
    root: bool,
    ordinary: bool,
}

fn promises(means: Means) -> Vec<Promised> {
    let promised = |id: Promise| {
        let held = Tier::ALL.map(|tier| {
            let root = id.holds(tier, Means::ROOT);
            let ordinary = id.holds(tier, Means::ORDINARY);
            (tier.name(), Held { root, ordinary })
        });
        let here = Tier::ALL.map(|tier| (tier.name(), id.holds(tier, means)));
        Promised {
            id,
            promise: id.in_words(),
            held: held.into(),
            here: here.into(),
        }
    };
    Promise::ALL.map(promised).into()
}

fn promises_in_words(promises: &[Promised]) -> String {
    let names = Tier::ALL.map(|tier| format!("{:<10}", tier.name()));
    let mut text = format!(
        "{:<62}{}\n",
        "On this machine, a bot in this sandbox cannot",
        names.join("  ").trim_end()
    );
    for promised in promises {
        let marks = Tier::ALL.map(|tier| match promised.here[tier.name()] {
            true => format!("{:<10}", "yes"),
            false => format!("{:<10}", "-"),
        });
        let marks = marks.join("  ");
        text.push_str(&format!("  {:<60}{}\n", promised.promise, marks.trim_end()));
    }
    text
}

fn in_words(finding: &Finding) -> String {
    let mark = if finding.enforced { "yes" } else { "NO " };
    let Finding { key, what, by, .. } = finding;
    let mut text = format!("{mark}  {key:<22} {what}: {by}\n");
    if let Some(advice) = finding.advice {
        text.push_str(&format!("{:27}{advice}\n", ""));
    }
    text
}

fn findings(machine: &Machine) -> Vec<Finding> {
    let finding = |key, what, by: Result<&str, &str>, advice: Option<&'static str>| Finding {
        key,
        what,
        enforced: by.is_ok(),
        by: by.unwrap_or_else(|why| why).to_owned(),
        advice,
    };
    let counted = |in_group: bool, watched: &'static str| match (in_group, machine.process_trees) {
        (true, _) => (Ok("a control group"), None),
        (_, true) => (Ok(watched), Some(GROUPS)),
        _ => (Err("this system has no control groups and no /proc"), None),
    };
    let memory = counted(
        machine.cgroups.memory(),
        "setrlimit for each process, and a look at all of them every 10 ms",
    );
    let processes = counted(machine.cgroups.pids(), "a look at them every 10 ms");
    let cpu = match (machine.cgroups.cpu(), machine.cpu_times) {
        (true, _) => {
            Ok("a control group in a sandbox; outside, an estimate by the clocks of processes")
        }
        (_, true) => {
            Ok("an estimate by the clocks of all processes: a bot can hide some of its time")
        }
        _ => Err("this system does not tell the CPU time of other processes"),
    };
    let cpu_advice = (!machine.cgroups.cpu()).then_some(GROUPS);
    let frozen = match (machine.cgroups.freezer(), &machine.bubblewrap) {
        (true, _) => "a control group in a sandbox, SIGSTOP for all processes outside",
        (_, Ok(_)) => "SIGSTOP from inside in the sandbox strict, from outside else",
        _ => "SIGSTOP for all processes of a bot",
    };
    let root = match &machine.account {
        Account::Ordinary => Ok("an ordinary user runs the referee, and the bots"),
        Account::Root(_) => Ok("root runs the referee; bots in a sandbox get users of their own"),
        Account::Stuck(why) => Err(why.as_str()),
    };
    let restricted = match &machine.landlock {
        Ok(()) => Ok("Landlock and seccomp"),
        Err(why) => Err(why.as_str()),
    };
    let strict = match &machine.bubblewrap {
        Ok(bubblewrap) => (Ok(bubblewrap.version.clone()), None),
        Err(why) => (Err(why.clone()), Some(BUBBLEWRAP)),
    };
    vec![
        finding("resources.memory", "memory of a bot", memory.0, memory.1),
        finding(
            "resources.processes",
            "processes and threads of a bot",
            processes.0,
            processes.1,
        ),
        finding(
            "resources.file_size",
            "size of a file",
            Ok("setrlimit"),
            None,
        ),
        finding("resources.open_files", "open files", Ok("setrlimit"), None),
        finding("resources.cpu_time", "CPU time of a match", cpu, cpu_advice),
        finding("clock = \"cpu\"", "CPU time of a move", cpu, cpu_advice),
        finding(
            "resources.output_*",
            "lines and bytes that are printed",
            Ok("the referee"),
            None,
        ),
        finding(
            "idle = \"freeze\"",
            "bots at rest between turns",
            Ok(frozen),
            None,
        ),
        finding("sandbox", "bots are not root", root, None),
        finding(
            "affinity = \"cores\"",
            "one core for each slot",
            match cfg!(target_os = "linux") {
                true => Ok("sched_setaffinity"),
                false => Err("this system does not let processes choose their cores"),
            },
            None,
        ),
        finding(
            "sandbox = \"restricted\"",
            "no network, no files of others, no signals",
            restricted,
            None,
        ),
        finding(
            "sandbox = \"strict\"",
            "a machine of its own",
            strict.0.as_deref().map_err(String::as_str),
            strict.1,
        ),
    ]
}
