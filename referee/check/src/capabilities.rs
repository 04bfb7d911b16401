//! The capabilities of this machine: what it can enforce on bots, by which means, and how to get the rest.

use std::collections::BTreeMap;

use machine::cores::CAN_CHOOSE;
use machine::{identity, yardstick};
use serde::Serialize;
use supervisor::sandbox::account::Account;
use supervisor::sandbox::machine::Machine;
use supervisor::sandbox::promises::{Means, Promise};
use supervisor::spec::Tier;

/// Something that a configuration can ask for.
#[derive(Debug, Serialize)]
pub struct Capability {
    /// The key, with its value where that matters.
    pub key: &'static str,
    /// A description.
    pub what: &'static str,
    pub enforced: bool,
    /// The means of enforcement, or the reason why there is none.
    pub by: String,
    /// How to enable or improve it; `None` if nothing is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<&'static str>,
}

const GROUPS: &str = "with control groups the kernel itself does it: run as root, or with \
                      `systemd-run --user --scope -p Delegate=yes referee …`";
const BUBBLEWRAP: &str = "install bubblewrap (the package is called `bubblewrap` in all common \
                          distributions) and allow user name spaces \
                          (`sysctl kernel.unprivileged_userns_clone=1`, or on Ubuntu \
                          `kernel.apparmor_restrict_unprivileged_userns=0`)";

/// A restriction on bots, by sandbox.
#[derive(Debug, Serialize)]
pub struct Promised {
    pub id: Promise,
    /// After "a bot cannot".
    pub promise: &'static str,
    /// On a machine with everything the sandbox needs, by the referee's user.
    pub held: BTreeMap<&'static str, Held>,
    /// On this machine, for this user.
    pub here: BTreeMap<&'static str, bool>,
}

#[derive(Debug, Serialize)]
pub struct Held {
    pub root: bool,
    pub ordinary: bool,
}

pub fn promises(means: Means) -> Vec<Promised> {
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

/// The means of enforcement or the reason why there is none, and how to enable or improve it.
struct Enforcement {
    by: Result<String, String>,
    advice: Option<&'static str>,
}

impl Enforcement {
    fn by(means: &str) -> Self {
        Enforcement {
            by: Ok(means.to_owned()),
            advice: None,
        }
    }

    fn missing(why: &str) -> Self {
        Enforcement {
            by: Err(why.to_owned()),
            advice: None,
        }
    }

    fn advice(self, advice: &'static str) -> Self {
        Enforcement {
            advice: Some(advice),
            ..self
        }
    }

    fn of(self, key: &'static str, what: &'static str) -> Capability {
        Capability {
            key,
            what,
            enforced: self.by.is_ok(),
            by: self.by.unwrap_or_else(|why| why),
            advice: self.advice,
        }
    }
}

pub fn capabilities(machine: &Machine) -> Vec<Capability> {
    let memory = "setrlimit for each process, and a look at all of them every 10 ms";
    let memory = counted(machine, machine.cgroups.memory(), memory);
    let processes = counted(
        machine,
        machine.cgroups.pids(),
        "a look at them every 10 ms",
    );
    vec![
        memory.of("resources.memory", "memory of a bot"),
        processes.of("resources.processes", "processes and threads of a bot"),
        Enforcement::by("setrlimit").of("resources.file_size", "size of a file"),
        Enforcement::by("setrlimit").of("resources.open_files", "open files"),
        cpu_time(machine).of("resources.cpu_time", "CPU time of a match"),
        cpu_time(machine).of("clock = \"cpu\"", "CPU time of a move"),
        Enforcement::by("the referee").of("resources.output_*", "lines and bytes that are printed"),
        freezing(machine).of("idle = \"freeze\"", "bots at rest between turns"),
        account(machine).of("sandbox", "bots are not root"),
        cores().of("affinity = \"cores\"", "one core for each slot"),
        yardstick().of("time.scale", "time limits by the machine's speed"),
        restricted(machine).of(
            "sandbox = \"restricted\"",
            "no network, no files of others, no signals",
        ),
        strict(machine).of("sandbox = \"strict\"", "a machine of its own"),
    ]
}

/// A limit that control groups enforce, or else the referee itself.
fn counted(machine: &Machine, in_group: bool, watched: &str) -> Enforcement {
    if in_group {
        Enforcement::by("a control group")
    } else if machine.process_trees {
        Enforcement::by(watched).advice(GROUPS)
    } else {
        Enforcement::missing("this system has no control groups and no /proc")
    }
}

fn cpu_time(machine: &Machine) -> Enforcement {
    if machine.cgroups.cpu() {
        let by = "a control group in a sandbox; outside, an estimate by the clocks of processes";
        return Enforcement::by(by);
    }
    let estimate = if machine.cpu_times {
        let by = "an estimate by the clocks of all processes: a bot can hide some of its time";
        Enforcement::by(by)
    } else {
        Enforcement::missing("this system does not report the CPU time of other processes")
    };
    estimate.advice(GROUPS)
}

fn freezing(machine: &Machine) -> Enforcement {
    Enforcement::by(if machine.cgroups.freezer() {
        "a control group in a sandbox, SIGSTOP for all processes outside"
    } else if machine.bubblewrap.is_ok() {
        "SIGSTOP from inside in the sandbox strict, from outside else"
    } else {
        "SIGSTOP for all processes of a bot"
    })
}

fn account(machine: &Machine) -> Enforcement {
    match &machine.account {
        Account::Ordinary => Enforcement::by("an ordinary user runs the referee, and the bots"),
        Account::Root(_) => {
            Enforcement::by("root runs the referee; bots in a sandbox get users of their own")
        }
        Account::Stuck(why) => Enforcement::missing(why),
    }
}

fn cores() -> Enforcement {
    if cfg!(target_os = "linux") {
        Enforcement::by("sched_setaffinity")
    } else {
        Enforcement::missing("this system does not let processes choose their cores")
    }
}

/// Measured as for a tournament with a match on each core.
fn yardstick() -> Enforcement {
    let slots = identity::cores() as usize;
    match yardstick::measure(slots, CAN_CHOOSE, yardstick::LOOK) {
        Some(speed) => Enforcement::by(&format!(
            "the speed is {:.1} (`time.reference`): million steps of the yardstick a second, a slot, on \
             {slots} slots at once",
            yardstick::rounded(speed)
        )),
        None => Enforcement::missing("no threads can be started to measure it"),
    }
}

fn restricted(machine: &Machine) -> Enforcement {
    match &machine.landlock {
        Ok(()) => Enforcement::by("Landlock and seccomp"),
        Err(why) => Enforcement::missing(why),
    }
}

fn strict(machine: &Machine) -> Enforcement {
    match &machine.bubblewrap {
        Ok(bubblewrap) => Enforcement::by(&bubblewrap.version),
        Err(why) => Enforcement::missing(why).advice(BUBBLEWRAP),
    }
}
