//! The resources that a tournament's concurrent matches need, and those that this machine has;
//! checked before anything is played.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use config::Config;
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use schedule::Schedule;
use supervisor::spec::Tier;
use supervisor::{MAX_IDLE, Restart};
use thiserror::Error;

/// Descriptors of the referee itself: log, folder, runtime, look-ups.
const DESCRIPTORS: u64 = 32;
/// Descriptors of a slot: its runtime, and those that are open while a bot starts.
const DESCRIPTORS_A_SLOT: u64 = 6;
/// Descriptors of a bot's process: three pipes, the connection to its supervisor, and a handle on
/// that.
const DESCRIPTORS_A_BOT: u64 = 5;
/// Threads of the referee itself, except those that grow with the cores.
const THREADS: u64 = 8;

#[derive(Debug, Error)]
#[error(
    "`concurrency`: {slots} matches at a time need about {needed} {what}, and {why} allows {there}; \
     {possible}"
)]
pub struct TooMuch {
    slots: u64,
    needed: u64,
    there: u64,
    what: &'static str,
    why: String,
    possible: String,
}

/// The available amount of a resource, and its source.
struct Supply {
    what: &'static str,
    there: u64,
    why: String,
}

/// The required amount of a resource.
struct Need {
    once: u64,
    a_slot: u64,
}

impl Need {
    fn of(&self, slots: u64) -> u64 {
        self.once.saturating_add(self.a_slot.saturating_mul(slots))
    }

    /// The number of slots for which this amount suffices.
    fn slots(&self, there: u64) -> u64 {
        there.saturating_sub(self.once) / self.a_slot.max(1)
    }
}

/// Checks that the machine has enough resources for the concurrent matches. If the configuration
/// leaves their number to the machine, lowers it to the possible, and returns a note about that.
///
/// # Errors
/// If there is not enough.
pub fn fit(config: &mut Config) -> Result<Option<String>, TooMuch> {
    let needs = [need_of_descriptors(config), need_of_processes(config)];
    let supplies = [descriptors(), processes()];
    let mut slots = config.machine.concurrency as u64;
    let mut said = None;
    for (supply, need) in supplies.into_iter().zip(needs) {
        let Some(supply) = supply else { continue };
        if need.of(slots) > supply.there {
            // There are never more slots than matches.
            slots = slots.min(Schedule::new(&config.shape()).total());
        }
        if need.of(slots) <= supply.there {
            continue;
        }
        let possible = need.slots(supply.there);
        let too_much = TooMuch {
            slots,
            needed: need.of(slots),
            there: supply.there,
            what: supply.what,
            why: supply.why,
            possible: match possible {
                0 => "that is not enough for one".to_owned(),
                n => format!("that is enough for `concurrency = {n}`"),
            },
        };
        if possible == 0 || !config.machine.concurrency_auto {
            return Err(too_much);
        }
        slots = possible;
        said = Some(too_much.to_string());
    }
    if said.is_some() {
        config.machine.concurrency = usize::try_from(slots).unwrap_or(usize::MAX);
    }
    Ok(said)
}

/// The largest number of bot processes a slot has at a time.
fn bots_a_slot(config: &Config) -> u64 {
    let seats = config.games.iter().map(|game| game.rules.seats()).max();
    let seats = seats.unwrap_or(2);
    let kept = config.bots.len().min(seats + MAX_IDLE);
    // Processes of the last match end while those of the next one start.
    let mut restarts = config.bots.iter().map(|bot| bot.restart);
    let mut games = config.games.iter();
    let is_replaced = restarts.any(|restart| restart == Restart::EachMatch)
        || games.any(|game| game.rules.info().has_deals());
    (kept + if is_replaced { seats } else { 0 }) as u64
}

fn need_of_descriptors(config: &Config) -> Need {
    Need {
        once: DESCRIPTORS,
        a_slot: DESCRIPTORS_A_SLOT + DESCRIPTORS_A_BOT * bots_a_slot(config),
    }
}

fn need_of_processes(config: &Config) -> Need {
    let strict = |tier: &Tier| *tier == Tier::Strict;
    let mut sandboxes = config.bots.iter().map(|bot| bot.wanted.tier);
    // A supervisor and the bot, and at most two processes of a sandbox between them.
    let a_bot = if sandboxes.any(|sandbox| strict(&sandbox)) {
        4
    } else {
        2
    };
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    Need {
        once: THREADS + cores,
        a_slot: 1 + a_bot * bots_a_slot(config),
    }
}

fn descriptors() -> Option<Supply> {
    let (soft, _) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    // The parent process may have left some open.
    let open = fs::read_dir("/proc/self/fd").map_or(0, |open| open.count() as u64);
    Some(Supply {
        what: "more descriptors",
        there: soft.saturating_sub(open),
        why: "`ulimit -n`".to_owned(),
    })
}

/// The lower of the user's and the control groups' limits.
fn processes() -> Option<Supply> {
    let user = user_processes().map(|there| (there, "`ulimit -u`".to_owned()));
    let groups = groups().into_iter().filter_map(|folder| {
        let number = |name: &str| -> Option<u64> {
            let text = fs::read_to_string(folder.join(name)).ok()?;
            text.trim().parse().ok()
        };
        let there = number("pids.max")?.saturating_sub(number("pids.current")?);
        Some((there, format!("`{}/pids.max`", folder.display())))
    });
    let least = user.into_iter().chain(groups).min();
    least.map(|(there, why)| Supply {
        what: "more processes and threads",
        there,
        why,
    })
}

/// The processes and threads that this user may still start; `None` without a limit.
fn user_processes() -> Option<u64> {
    let (most, _) = getrlimit(Resource::RLIMIT_NPROC).ok()?;
    let me = fs::metadata("/proc/self").ok()?.uid();
    // The kernel does not hold root to it.
    if most == RLIM_INFINITY || me == 0 {
        return None;
    }
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mine = processes.filter(|entry| entry.metadata().is_ok_and(|meta| meta.uid() == me));
    let threads = mine.filter_map(|entry| fs::read_dir(entry.path().join("task")).ok());
    let there: u64 = threads.map(|tasks| tasks.count() as u64).sum();
    Some(most.saturating_sub(there))
}

/// The folders of this process's control group and its ancestors.
fn groups() -> Vec<PathBuf> {
    let text = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut folders = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let mount = match controllers {
            "" => Path::new("/sys/fs/cgroup"),
            "pids" => Path::new("/sys/fs/cgroup/pids"),
            _ => continue,
        };
        let own = mount.join(path.trim_start_matches('/'));
        let around = own
            .ancestors()
            .take_while(|folder| folder.starts_with(mount));
        folders.extend(around.map(Path::to_owned));
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_add_up() {
        let need = Need {
            once: 32,
            a_slot: 21,
        };
        assert_eq!(need.of(200), 4232);
        assert_eq!((need.slots(4232), need.slots(4231)), (200, 199));
        assert_eq!((need.slots(52), need.slots(0)), (0, 0));
    }
}
