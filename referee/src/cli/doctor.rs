//! `referee doctor`: what this machine can enforce on bots, and how to get the rest.

use serde::Serialize;

use super::format::{FormatArgs, print_json};
use super::{CliError, print};
use crate::bot::cage::Machine;

/// Tells what this machine can enforce on bots, and how to get the rest
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee doctor
  referee doctor --format json")]
pub(super) struct Args {
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
        let findings = findings(&Machine::look());
        match self.format.json() {
            true => print_json(&findings),
            false => print(&findings.iter().map(in_words).collect::<String>()),
        }
    }
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
    let counted = |in_group: bool, watched: &'static str| match (in_group, machine.trees) {
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
        (true, _) => Ok("a control group in a sandbox, the clocks of processes outside"),
        (_, true) => Ok("the clocks of all processes"),
        _ => Err("this system does not tell the CPU time of other processes"),
    };
    let strict = match (&machine.bubblewrap, &machine.walls) {
        (Ok(bubblewrap), _) => (Ok(bubblewrap.version.clone()), None),
        (Err(why), None) => {
            let why = format!(
                "{why}; Landlock and seccomp can do all of it but limit the size of /tmp, with \
                 `best_effort = true`"
            );
            (Err(why), Some(BUBBLEWRAP))
        }
        (Err(why), Some(lacking)) => (Err(format!("{why}; {lacking}")), Some(BUBBLEWRAP)),
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
        finding("resources.cpu_time", "CPU time of a match", cpu, None),
        finding("clock = \"cpu\"", "CPU time of a move", cpu, None),
        finding(
            "resources.output_*",
            "lines and bytes that are printed",
            Ok("the referee"),
            None,
        ),
        finding(
            "idle = \"freeze\"",
            "bots at rest between turns",
            Ok(match machine.trees {
                true => "SIGSTOP for all processes of a bot",
                false => "SIGSTOP for a bot's process group",
            }),
            None,
        ),
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
            "sandbox = \"strict\"",
            "no network, no files of others, no other process",
            strict.0.as_deref().map_err(String::as_str),
            strict.1,
        ),
    ]
}
