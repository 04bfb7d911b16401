//! What a tournament needs of this machine for its matches at a time, and what there is: said
//! before anything is played.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use config::Config;
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use schedule::Schedule;
use supervisor::spec::Tier;
use supervisor::{MAX_IDLE, Restart};
use thiserror::Error;

/// Descriptors of the referee itself: its log, its folder, its runtime, what it looks up.
const DESCRIPTORS: u64 = 32;
/// Of each match slot: its runtime, and what is open while a bot is started.
const DESCRIPTORS_A_SLOT: u64 = 6;
/// The descriptors of each bot's process: three pipes, the connection to its supervisor, and a handle
/// on that.
const DESCRIPTORS_A_BOT: u64 = 5;
/// Threads of the referee itself, but for those that count cores.
const THREADS: u64 = 8;

/// Too many matches at a time for this machine.
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

/// How much of something there is for this process, and who says so.
struct Supply {
    what: &'static str,
    there: u64,
    why: String,
}

/// What is needed of something.
struct Need {
    once: u64,
    a_slot: u64,
}

impl Need {
    fn of(&self, slots: u64) -> u64 {
        self.once.saturating_add(self.a_slot.saturating_mul(slots))
    }

    /// How many slots this amount is enough for.
    fn slots(&self, there: u64) -> u64 {
        there.saturating_sub(self.once) / self.a_slot.max(1)
    }
}

/// Makes sure that the machine has what the matches at a time need. Where the configuration leaves
/// their number to the machine it is lowered to what is possible; then this gives what is to be
/// said about that.
///
/// # Errors
/// If there is not enough.
pub fn fit(config: &mut Config) -> Result<Option<String>, TooMuch> {
    let needs = [need_of_descriptors(config), need_of_processes(config)];
    let supplies = [descriptors(), processes()];
    let mut slots = config.concurrency as u64;
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
        if possible == 0 || !config.concurrency_auto {
            return Err(too_much);
        }
        slots = possible;
        said = Some(too_much.to_string());
    }
    if said.is_some() {
        config.concurrency = usize::try_from(slots).unwrap_or(usize::MAX);
    }
    Ok(said)
}

/// How many processes of bots a slot can have at a time.
fn bots_a_slot(config: &Config) -> u64 {
    let seats = config.games.iter().map(|game| game.rules.seats()).max();
    let seats = seats.unwrap_or(2);
    let kept = config.bots.len().min(seats + MAX_IDLE);
    // Those of the match before end while those of the next one begin.
    let mut restarts = config.bots.iter().map(|bot| bot.restart);
    let mut games = config.games.iter();
    let anew = restarts.any(|restart| restart == Restart::EachMatch)
        || games.any(|game| game.rules.info().has_deals());
    (kept + if anew { seats } else { 0 }) as u64
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
    // A supervisor and the bot; in between there may be a sandbox of two processes.
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
    // Whoever started this may have left some open.
    let open = fs::read_dir("/proc/self/fd").map_or(0, |open| open.count() as u64);
    Some(Supply {
        what: "more descriptors",
        there: soft.saturating_sub(open),
        why: "`ulimit -n`".to_owned(),
    })
}

/// The least of what the user may have and what the control groups allow.
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

/// How many more processes and threads this user may have; `None` without a limit.
fn user_processes() -> Option<u64> {
    let (most, _) = getrlimit(Resource::RLIMIT_NPROC).ok()?;
    let me = fs::metadata("/proc/self").ok()?.uid();
    // The kernel lets root have more.
    if most == RLIM_INFINITY || me == 0 {
        return None;
    }
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mine = processes.filter(|entry| entry.metadata().is_ok_and(|meta| meta.uid() == me));
    let threads = mine.filter_map(|entry| fs::read_dir(entry.path().join("task")).ok());
    let there: u64 = threads.map(|tasks| tasks.count() as u64).sum();
    Some(most.saturating_sub(there))
}

/// The folders of this process's control groups of processes and those around them.
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
