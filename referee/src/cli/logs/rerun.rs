//! `referee replay LOG --match ID --bot NAME`: plays one side of a recorded match again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use config::{RecordedBot, recorded_bot};
use games::Catalog;
use play::rerun::{self, RerunEvent};
use protocol::{Millis, Player, Record, TimeControl, shown};
use report::{print_notice, sheet};
use rules::RulesSet;
use supervisor::spec::Wanted;
use supervisor::{BotFactory, BotSpec, Pool, Tracer};
use tournament::folder::{self, CONFIG_NAME};

use crate::cli::play::person;
use crate::cli::{CliError, block_on, on_interrupt, print};

/// Startup limit: a bot may be started in a debugger.
const STARTUP: Duration = Duration::from_secs(24 * 60 * 60);

/// The side to play again, and the bot that plays it.
#[derive(Debug, clap::Args)]
pub(crate) struct RerunArgs {
    /// Ask this bot of the match (--match) the same questions again, turn by turn and without time
    /// limits, and compare its answers; another command may follow after `--`
    #[arg(long, value_name = "NAME", requires = "match_id",
          conflicts_with_all = ["ply", "step", "all", "verify"])]
    pub(crate) bot: Option<String>,
    /// Its working directory [default: the one from the tournament, or the current one]
    #[arg(long, value_name = "DIR", requires = "bot", conflicts_with_all = ["ply", "step", "all", "verify"])]
    dir: Option<PathBuf>,
    /// Write every line in both directions, with times, to this file, or to a file in this folder
    #[arg(long, value_name = "PATH", requires = "bot", conflicts_with_all = ["ply", "step", "all", "verify"])]
    trace: Option<PathBuf>,
    /// Another command for the bot
    #[arg(last = true, value_name = "COMMAND", requires = "bot", conflicts_with_all = ["ply", "step", "all", "verify"])]
    command: Vec<String>,
}

impl RerunArgs {
    /// Plays the bot's side of this match of that log.
    pub(crate) fn run(&self, record: &Record, set: &RulesSet, log: &Path) -> Result<(), CliError> {
        let name = self.bot.as_deref().unwrap_or_default();
        let players = &record.players;
        let seat = players.iter().position(|player| player.name == name);
        let seat = seat.ok_or_else(|| {
            let names: Vec<String> = players.iter().map(|p| format!("`{}`", p.name)).collect();
            CliError::Usage(format!(
                "--bot: `{name}` does not play in `{}`; who plays there are {}",
                record.match_id,
                names.join(", ")
            ))
        })?;
        let log = log::locate(log);
        let config = log.with_file_name(CONFIG_NAME);
        let bot = recorded_bot(&config, name)?;
        let origin = log.parent().and_then(folder::origin);
        let mut spec = self.spec(&players[seat], bot, origin)?;
        set.equip(&mut spec);
        let spec = Arc::new(spec);
        let tracer = self.trace.as_deref().map(Tracer::new).transpose()?;
        block_on(play(record, &set.catalog, seat, spec, tracer))?
    }

    /// The bot as configured; relative paths in the configuration start at `origin`.
    fn spec(
        &self,
        player: &Player,
        recorded: Option<RecordedBot>,
        origin: Option<PathBuf>,
    ) -> Result<BotSpec, CliError> {
        if self.command.is_empty() && player.command == person::COMMAND {
            return Err(CliError::Usage(format!(
                "--bot: `{}` was a person; `-- COMMAND` names a bot to ask instead",
                player.name
            )));
        }
        if self.command.is_empty() && player.is_ggp() {
            return Err(CliError::Usage(format!(
                "--bot: `{}` was a player that was asked over HTTP; `-- COMMAND` names a bot to ask \
                 instead",
                player.name
            )));
        }
        let command = if self.command.is_empty() {
            player.command.clone()
        } else {
            self.command.clone()
        };
        let here = std::env::current_dir()?;
        let dir = match (&self.dir, &recorded, &origin) {
            (Some(dir), ..) => here.join(dir),
            (None, Some(recorded), Some(origin)) => origin.join(&recorded.dir),
            _ => here,
        };
        let time = TimeControl {
            startup: Millis(STARTUP),
            ..TimeControl::default()
        };
        let mut spec = BotSpec::new(player.name.clone(), command, dir, &time);
        let recorded = recorded.unwrap_or_default();
        spec.env = recorded.env;
        if let Some(wanted) = recorded.wanted
            && self.command.is_empty()
        {
            // Its author is no more trusted now.
            let origin = &origin.unwrap_or_default();
            let name = wanted.tier.name();
            print_notice(format_args!(
                "`{}` was handed in: it runs in its sandbox, `{name}`; a command after `--` runs in none\n",
                spec.name
            ));
            confine(&mut spec, wanted, &recorded.allowed, origin);
        }
        let usable = spec.program();
        usable.map_err(|error| CliError::Usage(format!("`{}`: {error}", spec.name)))?;
        Ok(spec)
    }
}

/// Puts a bot into its former sandbox; relative paths start at `origin`.
fn confine(spec: &mut BotSpec, mut wanted: Wanted, allowed: &[PathBuf], origin: &Path) {
    for path in &mut wanted.readable {
        *path = origin.join(&*path);
    }
    let allowed = allowed.iter().map(|path| origin.join(path));
    let mut bounds = vec![spec.dir.clone()];
    bounds.extend(allowed.filter_map(|path| path.canonicalize().ok()));
    spec.bounds = Some(bounds);
    spec.wanted = wanted;
}

async fn play(
    record: &Record,
    catalog: &Catalog,
    seat: usize,
    spec: Arc<BotSpec>,
    tracer: Option<Tracer>,
) -> Result<(), CliError> {
    let factory = BotFactory::new(std::slice::from_ref(&spec), &[], None)?.traced(tracer);
    let mut pool = Pool::new(Arc::new(factory));
    let mut stop = on_interrupt()?;
    let again = async {
        let started = pool.take(std::slice::from_ref(&spec)).await.remove(0);
        let dir = spec.dir.display();
        let bot = match started {
            Ok(bot) => bot,
            Err(not) => {
                let why = not.failure.message;
                let what = format!("{why} (in {dir}; --dir names another working directory)");
                return not_started(record, seat, what);
            }
        };
        let (mut same, mut other): (u64, u64) = (0, 0);
        let print_event = |news: RerunEvent<'_>| {
            match &news {
                RerunEvent::Answer {
                    mv,
                    recorded: Some((old, _)),
                    ..
                } if mv == old => same += 1,
                RerunEvent::Answer { .. } => other += 1,
                _ => {}
            }
            // If nobody reads it, we go on.
            let _ = print(&(shown(&in_words(&news)) + "\n"));
        };
        rerun::play(record, catalog, seat, bot, print_event)
            .await
            .map_err(|error| CliError::Verify(error.to_string()))?;
        let same = sheet::count(same, "move", "moves");
        print(&format!(
            "{same} as recorded, {}\n",
            sheet::count(other, "other", "others")
        ))
    };
    tokio::select! {
        done = again => done,
        _ = stop.wait_for(|stop| *stop) => Err(CliError::Interrupted),
    }
}

/// Reports a bot that does not even start.
fn not_started(record: &Record, seat: usize, what: String) -> Result<(), CliError> {
    let took = Duration::ZERO;
    let ply = None;
    print(&(shown(&in_words(&RerunEvent::Failed { ply, what, took })) + "\n"))?;
    let mut faults = record.result.faults.iter();
    match faults.find(|fault| fault.seat == seat) {
        Some(fault) => print(&(shown(&in_words(&RerunEvent::Recorded(fault))) + "\n")),
        None => Ok(()),
    }
}

fn in_words(news: &RerunEvent<'_>) -> String {
    let ms = |time: &Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    match news {
        RerunEvent::Answer {
            ply,
            mv,
            took,
            recorded,
        } => {
            let then = match recorded {
                Some((old, then)) if old == mv => format!("as recorded, {} then", ms(then)),
                Some((old, then)) => format!("recorded is {old} after {}", ms(then)),
                None => "recorded is a fault".to_owned(),
            };
            format!("ply {ply}: {mv} after {}; {then}", ms(took))
        }
        RerunEvent::Dropped { ply, named } => {
            format!("ply {ply}: an answer with \"ply\":{named} is dropped; waiting for another")
        }
        RerunEvent::Failed {
            ply: Some(ply),
            what,
            took,
        } => {
            format!("ply {ply}: {what}, after {}", ms(took))
        }
        RerunEvent::Failed {
            ply: None, what, ..
        } => {
            format!("before the first ply: {what}")
        }
        RerunEvent::Recorded(fault) => format!(
            "recorded at ply {}: {}: {}",
            fault.ply, fault.code, fault.message
        ),
    }
}
