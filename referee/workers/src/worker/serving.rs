//! A tournament on a worker: its configuration, and the factory of its bots.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bundle::Bundles;
use cluster::TournamentId;
use config::{BotPlaces, Config};
use machine::identity;
use protocol::Machine;
use schedule::Scheduled;
use supervisor::{BotFactory, BotSpec};
use tokio::runtime::Handle;
use tokio::sync::{OnceCell, watch};
use tournament::admission;
use tournament::folder::STDERR_NAME;
use tournament::playing::capacity;
use tournament::playing::failures::Failures;

use super::allowed::{self, Along};
use super::options::WorkerOptions;
use crate::dispatch::MOST_GROUPS;
use crate::wire::{Announced, JobContent, unpack};

const MOST_NUMBER: usize = 999_999;
/// The most matches of a group: the orders of four seats.
const MOST_ORDERS: usize = 24;

/// A tournament that this worker can play matches of.
pub(super) struct Serving {
    pub(super) id: TournamentId,
    pub(super) config: Config,
    /// The hash of the configuration as it was announced.
    pub(super) hash: String,
    pub(super) lease: Duration,
    pub(super) factory: Arc<BotFactory>,
    pub(super) failures: Arc<Failures>,
    /// The machine's entry in the log.
    pub(super) machine: Arc<Machine>,
    /// By bot, once it was tried here: the reason if it cannot play.
    tried: Mutex<BTreeMap<usize, Arc<OnceCell<Option<String>>>>>,
    /// True once there are no more matches.
    over: watch::Sender<bool>,
}

impl Serving {
    /// Prepares a tournament in the folder `own`. Runs the `setup` of bots from bundles, which may take long;
    /// `report` gets a line for each.
    ///
    /// # Errors
    /// The reason why this worker cannot play it.
    pub(super) fn open(
        id: &TournamentId,
        announced: &Announced,
        bundles: Option<Arc<Bundles>>,
        (options, room): (&WorkerOptions, Room),
        own: &Path,
        report: impl FnMut(&str),
    ) -> Result<Self, String> {
        let in_words = |error: io::Error| error.to_string();
        fs::create_dir_all(own).map_err(in_words)?;
        let folder = options.folder.as_deref();
        let mut config = if options.trust {
            let table = announced.with_files(&own.join("files")).map_err(in_words)?;
            let folder = folder.unwrap_or(&announced.folder);
            let places = match bundles {
                Some(bundles) => BotPlaces::Bundles(bundles),
                None => BotPlaces::Configured,
            };
            let config = Config::parse_at(&table.to_string(), folder, places);
            config.map_err(|error| error.to_string())?
        } else {
            untrusted(announced, bundles, folder, own)?
        };
        config.machine.concurrency = room.slots;
        config.machine.concurrency_auto = false;
        capacity::fit(&mut config).map_err(|error| error.to_string())?;
        room.scale(&mut config)?;
        let set_up = Handle::current().block_on(admission::set_up(&config, report));
        set_up.map_err(|error| error.to_string())?;
        let hidden: Vec<PathBuf> = own.parent().map(Path::to_owned).into_iter().collect();
        let factory = BotFactory::new(&config.bots, &hidden, Some(own.join(STDERR_NAME)));
        let factory = factory.map_err(|error| without_sandbox(&error.to_string(), options))?;
        let factory = factory.keeping(config.keep.stderr);
        config.share_records(&factory);
        let name = options.name.as_ref().map(ToString::to_string);
        Ok(Serving {
            id: id.clone(),
            hash: announced.hash.clone(),
            lease: announced.lease(),
            factory: Arc::new(factory),
            failures: Arc::new(Failures::of(own, config.keep.failures)),
            machine: Arc::new(Machine {
                speed: room.speed,
                ..identity::here(name.as_deref())
            }),
            config,
            tried: Mutex::default(),
            over: watch::Sender::new(false),
        })
    }

    /// There are no more matches: no slot needs its bots any more.
    pub(super) fn end(&self) {
        self.over.send_replace(true);
    }

    /// Waits until there are no more matches.
    pub(super) async fn ended(&self) {
        // The sender is there as long as `self`.
        let _ = self.over.subscribe().wait_for(|over| *over).await;
    }

    /// The matches of a job.
    ///
    /// # Errors
    /// The reason if they are not matches of this configuration.
    pub(super) fn matches(&self, payload: &[u8]) -> Result<JobContent, String> {
        jobs_of(&self.config, &self.hash, payload)
    }

    /// The first bot that cannot play on this machine, and the reason. Each bot is tried once, when it is
    /// first needed: it has to send `hello` and to move in a position of each of its games.
    pub(super) async fn unable(&self, matches: &[Scheduled]) -> Option<(&BotSpec, String)> {
        for &bot in matches.iter().flat_map(|scheduled| &scheduled.seats) {
            let spec = &self.config.bots[bot];
            let cell = {
                let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
                tried.entry(bot).or_default().clone()
            };
            let why =
                cell.get_or_init(
                    async || match admission::cannot_play(&self.config, spec).await {
                        Ok(why) => why,
                        Err(error) => Some(error.to_string()),
                    },
                );
            if let Some(why) = why.await {
                return Some((spec, why.clone()));
            }
        }
        None
    }
}

/// The matches of a job, if they are of the configuration with this hash.
///
/// # Errors
/// The reason if they are not.
pub fn jobs_of(config: &Config, hash: &str, payload: &[u8]) -> Result<JobContent, String> {
    let job: JobContent = unpack(payload)?;
    if job.config != hash {
        // Its indices belong to another configuration.
        return Ok(job);
    }
    let fits = |scheduled: &Scheduled| {
        let game = config.games.get(scheduled.game);
        let seats = &scheduled.seats;
        game.is_some_and(|game| game.rules.seats() == seats.len())
            && seats.iter().all(|&bot| bot < config.bots.len())
            && scheduled.group().windows(2).all(|pair| pair[0] != pair[1])
            && (1..=MOST_NUMBER).contains(&scheduled.number)
    };
    let mut numbers: Vec<usize> = job.matches.iter().map(|it| it.number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let is_once = numbers.len() == job.matches.len();
    let is_some = (1..=MOST_GROUPS * MOST_ORDERS).contains(&numbers.len());
    let group = job.matches.first().map(Scheduled::group);
    let may_share = job.deal.is_none() || job.matches.iter().all(|it| Some(it.group()) == group);
    if !(is_once && is_some && may_share && job.matches.iter().all(fits)) {
        return Err("these are no matches of the configuration".to_owned());
    }
    Ok(job)
}

/// The capacity of a worker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) slots: usize,
    /// The speed of the machine by the yardstick, with all slots busy; `None` if it was not measured.
    pub(super) speed: Option<f64>,
}

impl Room {
    /// Scales time limits by the speed of the machine, if configured.
    fn scale(self, config: &mut Config) -> Result<(), String> {
        let Some(scale) = config.machine.time_scale else {
            return Ok(());
        };
        let speed = self.speed.ok_or(
            "its time limits depend on the speed of the machine, which this worker has not measured \
             (REFEREE_YARDSTICK=off)",
        )?;
        config.scale_time(scale, speed).map(drop)
    }
}

/// Checks an announcement for a worker without `--trust`, before any bundle is fetched.
///
/// # Errors
/// The reason why it is declined.
pub fn check(announced: &Announced, folder: Option<&Path>) -> Result<(), String> {
    let table = announced.table()?;
    let along = along(announced, None, folder);
    allowed::check(&table, &along).map_err(|declined| declined.to_string())?;
    let bots = table.get("bots").and_then(toml::Value::as_array);
    let names = bots.into_iter().flatten();
    let names = names.filter_map(|bot| Some(bot.get("name")?.as_str()?.trim()));
    let names: BTreeSet<&str> = names.collect();
    match along.bundled.iter().find(|bot| !names.contains(**bot)) {
        Some(bot) => {
            let bot = protocol::excerpt(bot.as_bytes(), 60);
            Err(format!(
                "it comes with a bundle of `{bot}`, and there is no such bot"
            ))
        }
        None => Ok(()),
    }
}

/// The configuration of an untrusted announcement: it refers to nothing on this machine, and all its
/// programs run in the strict sandbox.
///
/// # Errors
/// The reason why it is declined.
pub fn untrusted(
    announced: &Announced,
    bundles: Option<Arc<Bundles>>,
    folder: Option<&Path>,
    own: &Path,
) -> Result<Config, String> {
    let in_words = |error: io::Error| error.to_string();
    let mut along = along(announced, bundles.as_deref(), folder);
    // Only what was fetched is here.
    along.bundled.retain(|bot| along.unpacked.contains_key(bot));
    let table = announced.table()?;
    allowed::check(&table, &along).map_err(|declined| declined.to_string())?;
    let mut table = announced.with_files(&own.join("files")).map_err(in_words)?;
    confine(&mut table);
    // Bots without own files start in an empty folder.
    let empty = own.join("empty");
    fs::create_dir_all(&empty).map_err(in_words)?;
    let folder = folder.unwrap_or(&empty);
    let places = BotPlaces::Announced(bundles);
    let config = Config::parse_at(&table.to_string(), folder, places);
    let config = config.map_err(|error| error.to_string())?;
    if config.all_strict() && config.bots.iter().all(|bot| bot.ggp.is_none()) {
        Ok(config)
    } else {
        Err("it would have bots outside of the strict sandbox".to_owned())
    }
}

/// The files that come with an announcement.
fn along<'a>(
    announced: &'a Announced,
    bundles: Option<&'a Bundles>,
    folder: Option<&'a Path>,
) -> Along<'a> {
    let unpacked = bundles.into_iter().flat_map(|bundles| &bundles.bots);
    Along {
        folder,
        bundled: announced.bundles.keys().map(String::as_str).collect(),
        unpacked: unpacked.map(|(bot, it)| (bot.as_str(), it.dir())).collect(),
        files: announced.files.keys().map(String::as_str).collect(),
    }
}

/// Moves all programs of a configuration to the strict sandbox.
fn confine(table: &mut toml::Table) {
    table.insert("sandbox".to_owned(), "strict".into());
    table.remove("best_effort");
    // The folder of a sheet at the coordinator means nothing here, and bots would see all of it.
    for (list, key) in [("bots", "sandbox"), ("rules", "sandbox"), ("rules", "dir")] {
        let Some(toml::Value::Array(list)) = table.get_mut(list) else {
            continue;
        };
        for entry in list.iter_mut().filter_map(toml::Value::as_table_mut) {
            entry.remove(key);
        }
    }
}

/// Explains why a worker needs the sandbox.
fn without_sandbox(why: &str, options: &WorkerOptions) -> String {
    if options.trust {
        return why.to_owned();
    }
    format!("{why} (workers have bots in the strict sandbox unless they are started with --trust)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_configuration_lets_programs_out_of_the_sandbox() {
        let mut table: toml::Table = "name = \"t\"\nsandbox = \"none\"\nbest_effort = true\n\
             games = [\"siam\"]\nrules = [\"sh\", { command = \"sh\", sandbox = \"none\" }]\n\
             [[bots]]\nname = \"a\"\ncommand = \"sh\"\nsandbox = \"limits\"\n"
            .parse()
            .unwrap();
        confine(&mut table);
        let text = table.to_string();
        assert_eq!(text.matches("sandbox").count(), 1, "{text}");
        assert!(
            text.contains("sandbox = \"strict\"") && !text.contains("best_effort"),
            "{text}"
        );
    }
}
