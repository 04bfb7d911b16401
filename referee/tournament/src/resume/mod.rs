//! Resuming a tournament: its folder is opened again and checked against configuration and
//! schedule, to find the matches that are left. Nothing changes before everything is checked.

pub mod earlier_names;
pub(crate) mod extension;
pub(crate) mod set_aside;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use config::{Config, difference};
use files::{self, MOST_TEXT};
use log::{ChainBreak, CutLine, LOG_NAME, LogError, LogFile, LogWriter, WriteError};
use protocol::Record;
use schedule::{Schedule, Scheduled, Shape, Shard};
use thiserror::Error;
use toml::Table;

use crate::admission;
use crate::folder::dealing::{self, DealingError};
use crate::folder::{self, CONFIG_NAME, Folder, SCHEDULE_NAME};
use crate::playing::openings;

/// A tournament that cannot continue.
#[derive(Debug, Error)]
pub enum ResumeError {
    #[error(
        "there is no folder `{}` to resume; without --resume the tournament starts there",
        path.display()
    )]
    NoFolder { path: PathBuf },
    /// There is no folder of this tournament yet.
    #[error(
        "there is no folder `{}` to resume; without --resume the tournament starts in a new one",
        pattern.display()
    )]
    NoneYet { pattern: PathBuf },
    /// The folder holds no tournament.
    #[error(
        "nothing to resume in `{}`: there is no `{missing}` in it; without --resume a tournament \
         can start in an empty folder",
        path.display()
    )]
    Nothing {
        path: PathBuf,
        missing: &'static str,
    },
    /// The copy of the configuration, or the file of the schedule, is unreadable.
    #[error("`{}` cannot be read: {reason}", path.display())]
    Copy { path: PathBuf, reason: String },
    #[error(
        "the configuration changed since this tournament began: {differences}; nothing was \
         changed, resume with the configuration as it was (`{}`), {}start again in another folder",
        copy.display(),
        if *added {
            "use --extend to play what was added, too, or "
        } else {
            "or "
        }
    )]
    Changed {
        differences: String,
        /// True if there are only additions.
        added: bool,
        /// The copy of the old configuration.
        copy: PathBuf,
    },
    /// There are changes besides additions.
    #[error(
        "only bots, games and rounds can be added to a tournament, but {differences}; nothing was \
         changed, the configuration as it was is `{}`",
        copy.display()
    )]
    NotExtended {
        /// The other changes.
        differences: String,
        /// The copy of the old configuration.
        copy: PathBuf,
    },
    /// The format decides by results, so nothing can be added.
    #[error("only round robins and gauntlets can be extended; nothing was changed")]
    Format,
    /// The format decides by results, so no match can be rerun.
    #[error(
        "matches can be played again only in round robins and gauntlets: elsewhere later pairings \
         depend on their results; nothing was changed"
    )]
    FixedResults,
    /// The bot to rerun is not in the configuration.
    #[error("there is no bot `{name}`; the bots are {}; nothing was changed", names.join(", "))]
    NoBot {
        name: String,
        /// All names.
        names: Vec<String>,
    },
    /// The folder has another shard.
    #[error(
        "`{}` has {} of the schedule, not part {asked}; nothing was changed",
        path.display(),
        there.map_or("all".to_owned(), |there| format!("part {there}"))
    )]
    OtherShard {
        path: PathBuf,
        asked: Shard,
        /// `None` for the whole schedule.
        there: Option<Shard>,
    },
    /// The source of deals is unknown, or another one.
    #[error(transparent)]
    Dealing(#[from] DealingError),
    #[error(transparent)]
    Log(#[from] LogError),
    /// A match that is not in this tournament.
    #[error("`{}` line {line}: {reason}; nothing was changed", path.display())]
    Line {
        path: PathBuf,
        /// From 1.
        line: usize,
        reason: String,
    },
    #[error(
        "`{}` {broken}; nothing was changed: `referee replay --verify` checks each match",
        path.display()
    )]
    Chain { path: PathBuf, broken: ChainBreak },
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// A tournament that continues.
pub(crate) struct Resumed {
    /// Open for more matches.
    pub folder: Folder,
    /// With the finished matches entered.
    pub schedule: Schedule,
    /// The last line, if it was cut off; it is dropped.
    pub cut: Option<CutLine>,
}

/// Differences that are allowed between the configuration and its copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    Nothing,
    /// New bots, games and rounds. Earlier matches come first and keep their numbers and results,
    /// new ones follow.
    Additions,
}

/// Opens the folder of a tournament again. `take` receives all finished matches, in the order of
/// the log.
///
/// # Errors
/// If it is not the folder of this very tournament, another referee is writing there, or it cannot
/// be written.
pub(crate) fn open(
    path: &Path,
    config: &Config,
    allowed: Allowed,
    mut take: impl FnMut(&Record),
) -> Result<Resumed, ResumeError> {
    let mut folder = open_folder(path)?;
    config.deal_from(dealing::of_folder(path, config, || {
        dealing::has_not_begun(path) || has_first_deals(path, config, allowed)
    })?);
    folder.set_shard(config.shard);
    let before = check_configuration(&mut folder, config, allowed)?;
    let version = folder.read_version();
    version.map_err(|reason| unreadable(path.join(SCHEDULE_NAME), reason))?;
    if let Some(asked) = config.shard
        && folder.shard() != Some(asked)
    {
        let path = path.to_owned();
        let there = folder.shard();
        return Err(ResumeError::OtherShard { path, asked, there });
    }
    let schedule = schedule(&folder, before.as_ref(), config)?;
    let mut ledger = Ledger::new(config, schedule);
    let cut = read_log(&folder, &mut ledger, &mut take)?;
    // From here on, things are changed.
    if let Some(cut) = &cut {
        folder.log.drop_cut(cut)?;
    }
    folder.keep_secret(config.deals())?;
    if let Some(before) = before {
        folder.extend(before.text, &config.text)?;
    }
    Ok(Resumed {
        folder,
        schedule: ledger.schedule,
        cut,
    })
}

/// True if this extension adds the first games with deals.
fn has_first_deals(path: &Path, config: &Config, allowed: Allowed) -> bool {
    let Ok(Some(copy)) = read_copy(&path.join(CONFIG_NAME)) else {
        return false;
    };
    let games = copy.table.get("games").and_then(toml::Value::as_array);
    let id = |game: &toml::Value| {
        let id = game.get("id").unwrap_or(game).as_str();
        id.map(str::to_owned)
    };
    let before: Vec<String> = games.into_iter().flatten().filter_map(id).collect();
    let had = config.games.iter().any(|game| {
        let info = game.rules.info();
        info.has_deals() && before.contains(&info.id)
    });
    allowed == Allowed::Additions && !had
}

/// The configuration and the schedule of the tournament in this folder, for read-only views: the
/// log is not opened, and no match counts as played.
///
/// # Errors
/// If the folder has no copy of the configuration that can be used on this machine.
pub fn planned(path: &Path) -> Result<(Config, Schedule), String> {
    let wrong = |error: ResumeError| error.to_string();
    let copy = read_copy(&path.join(CONFIG_NAME)).map_err(wrong)?;
    let copy = copy.ok_or_else(|| missing(path, CONFIG_NAME).to_string())?;
    let origin = folder::origin(path);
    let config = Config::recorded(&path.join(CONFIG_NAME), &copy.text, origin.as_deref());
    let config = config.map_err(|error| error.to_string())?;
    let config = admission::as_it_began(config, path).map_err(|error| error.to_string())?;
    let earlier = Folder::read_earlier(path).map_err(|error| error.to_string())?;
    let (version, shard) = folder::version_and_shard(path)?;
    let copy = path.join(CONFIG_NAME);
    let shape = Shape {
        version,
        shard,
        ..config.shape()
    };
    let earlier = all_parsed(&earlier, &copy).map_err(wrong)?;
    let schedule = extended(&earlier, &config, shape, &copy).map_err(wrong)?;
    Ok((config, schedule))
}

/// The copy of a configuration in a tournament's folder.
pub(crate) struct Copy {
    text: String,
    /// The text, parsed.
    pub(crate) table: Table,
}

impl Copy {
    /// The names of the bots.
    pub(crate) fn bots(&self) -> Vec<String> {
        difference::names(&self.table)
    }
}

/// Opens the folder and its log.
fn open_folder(path: &Path) -> Result<Folder, ResumeError> {
    if !path.is_dir() {
        return Err(ResumeError::NoFolder {
            path: path.to_owned(),
        });
    }
    let log = path.join(LOG_NAME);
    if !log.is_file() {
        return Err(missing(path, LOG_NAME));
    }
    // Opened, and so locked, first: nobody writes to what is read from here on.
    let mut folder = Folder::with(path, LogWriter::go_on(&log)?)?;
    let earlier = Folder::read_earlier(path);
    folder.earlier = earlier.map_err(|error| unreadable(path.join(CONFIG_NAME), error))?;
    Ok(folder)
}

fn missing(folder: &Path, missing: &'static str) -> ResumeError {
    ResumeError::Nothing {
        path: folder.to_owned(),
        missing,
    }
}

fn unreadable(path: PathBuf, reason: impl ToString) -> ResumeError {
    ResumeError::Copy {
        path,
        reason: reason.to_string(),
    }
}

/// Compares the configuration with the copy in the folder. Returns the copy if an extension has to
/// replace it.
fn check_configuration(
    folder: &mut Folder,
    config: &Config,
    allowed: Allowed,
) -> Result<Option<Copy>, ResumeError> {
    match read_copy(&folder.path.join(CONFIG_NAME))? {
        Some(copy) => {
            let differs = differs(&copy.table, config, allowed, &folder.path)?;
            Ok(differs.then_some(copy))
        }
        // The referee was killed between making the two files.
        None if folder.log.is_empty() => {
            folder.begin(&config.text, config.deals())?;
            Ok(None)
        }
        None => Err(missing(&folder.path, CONFIG_NAME)),
    }
}

/// The schedule on top of those before each extension; `before` is the copy that is extended now.
fn schedule(
    folder: &Folder,
    before: Option<&Copy>,
    config: &Config,
) -> Result<Schedule, ResumeError> {
    let copy = folder.path.join(CONFIG_NAME);
    let mut tables = all_parsed(&folder.earlier, &copy)?;
    tables.extend(before.map(|before| before.table.clone()));
    let shape = Shape {
        version: folder.version(),
        shard: folder.shard(),
        ..config.shape()
    };
    extended(&tables, config, shape, &copy)
}

/// The schedule of this shape, extending the schedules of these configurations; `copy` is the file
/// of the newest one.
pub(crate) fn extended(
    tables: &[Table],
    config: &Config,
    shape: Shape,
    copy: &Path,
) -> Result<Schedule, ResumeError> {
    let earlier = tables.iter().map(|table| {
        let found = extension::earlier(table, config, shape.version);
        found.map_err(|differences| ResumeError::NotExtended {
            differences,
            copy: copy.to_owned(),
        })
    });
    let earlier = earlier.collect::<Result<Vec<_>, _>>()?;
    Ok(Schedule::extending(&shape, &earlier))
}

/// Enters all matches of the log. Returns the last line if it was cut off.
fn read_log(
    folder: &Folder,
    ledger: &mut Ledger<'_>,
    take: &mut impl FnMut(&Record),
) -> Result<Option<CutLine>, ResumeError> {
    let path = folder.path.join(LOG_NAME);
    let mut file = LogFile::open(&path)?.checking_chain();
    while let Some(record) = file.next() {
        let record = record?;
        let line = file.line();
        if let Some(&broken) = file.breaks().first() {
            return Err(ResumeError::Chain { path, broken });
        }
        if let Err(reason) = ledger.enter(&record, line) {
            return Err(ResumeError::Line { path, line, reason });
        }
        take(&record);
    }
    Ok(file.cut().cloned())
}

/// `None` if the file is missing.
pub(crate) fn read_copy(path: &Path) -> Result<Option<Copy>, ResumeError> {
    match files::read(path, 4 * MOST_TEXT) {
        Ok(text) => {
            let table = parsed(&text, path)?;
            Ok(Some(Copy { text, table }))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path.to_owned(), error)),
    }
}

/// Parses copies of configurations; `copy` is the file of the newest one, for messages.
pub(crate) fn all_parsed(texts: &[String], copy: &Path) -> Result<Vec<Table>, ResumeError> {
    texts.iter().map(|text| parsed(text, copy)).collect()
}

/// Parses a copy of a configuration.
pub(crate) fn parsed(text: &str, path: &Path) -> Result<Table, ResumeError> {
    let parsed: Result<Table, toml::de::Error> = text.parse();
    parsed.map_err(|error| unreadable(path.to_owned(), error.message()))
}

/// True if there are differences, and all of them are allowed.
pub(crate) fn differs(
    copy: &Table,
    config: &Config,
    allowed: Allowed,
    folder: &Path,
) -> Result<bool, ResumeError> {
    let current = &config.table;
    let all = difference::differences(copy, current);
    if all.is_empty() {
        return Ok(false);
    }
    let beyond = difference::beyond_additions(copy, current);
    let fixed = !config.format.is_of_pairings();
    let copy = folder.join(CONFIG_NAME);
    match allowed {
        Allowed::Nothing => Err(ResumeError::Changed {
            differences: difference::in_words(&all),
            added: beyond.is_empty() && fixed,
            copy,
        }),
        Allowed::Additions if !beyond.is_empty() => Err(ResumeError::NotExtended {
            differences: difference::in_words(&beyond),
            copy,
        }),
        Allowed::Additions if !fixed => Err(ResumeError::Format),
        Allowed::Additions => Ok(true),
    }
}

/// The matches of a schedule that are in a log: each at most once, and as scheduled.
pub(crate) struct Ledger<'a> {
    config: &'a Config,
    pub(crate) schedule: Schedule,
    /// The line of the log, by the match's number less one.
    lines: Vec<Option<usize>>,
}

impl<'a> Ledger<'a> {
    pub(crate) fn new(config: &'a Config, schedule: Schedule) -> Self {
        Ledger {
            config,
            schedule,
            lines: Vec::new(),
        }
    }

    /// Enters a match; the error explains why it does not belong here.
    pub(crate) fn enter(&mut self, record: &Record, line: usize) -> Result<(), String> {
        let id = &record.match_id;
        let number = id.strip_prefix("m-").and_then(|digits| digits.parse().ok());
        let scheduled = number.and_then(|number| self.schedule.get(number));
        let scheduled = scheduled.filter(|scheduled| scheduled.id() == *id).cloned();
        let scheduled = scheduled.ok_or_else(|| {
            format!("the match `{id}` is not in the schedule of this configuration")
        })?;
        if self.schedule.is_elsewhere(scheduled.number) {
            return Err(format!(
                "the match `{id}` is of another part of the schedule"
            ));
        }
        let at = scheduled.number - 1;
        if let Some(Some(before)) = self.lines.get(at) {
            return Err(format!(
                "the match `{id}` is there already, in line {before}"
            ));
        }
        compare(self.config, record, &scheduled)?;
        if self.lines.len() <= at {
            self.lines.resize(at + 1, None);
        }
        self.lines[at] = Some(line);
        let outcome = &record.result.outcome;
        let repetition = || ratings::repetition(record);
        self.schedule
            .finish_match(scheduled.number, outcome, repetition);
        Ok(())
    }
}

/// Compares a match with the schedule.
pub fn compare(config: &Config, record: &Record, scheduled: &Scheduled) -> Result<(), String> {
    let id = &record.match_id;
    let rules = &config.games[scheduled.game].rules;
    let bots = scheduled.seats.iter().map(|&bot| &config.bots[bot]);
    let names: Vec<&str> = bots.map(|bot| &*bot.name).collect();
    let players: Vec<&str> = record.players.iter().map(|p| &*p.name).collect();
    let seed = openings::seed(config, scheduled);
    let wrong = |what: &str, recorded: &str, right: &str| {
        Err(format!(
            "the match `{id}` has the {what} {recorded}, but is scheduled with {right}"
        ))
    };
    if record.game != rules.info().id {
        return wrong("game", &record.game, &rules.info().id);
    }
    if record.options != rules.options().to_json() {
        let right = rules.options().to_json().to_string();
        return wrong("options", &record.options.to_string(), &right);
    }
    if record.seed != seed {
        return wrong("seed", &record.seed.to_string(), &seed.to_string());
    }
    let deal = config.deals().commitment();
    let deal = deal.filter(|_| rules.info().has_deals());
    if record.deal != deal {
        let none = || "none".to_owned();
        let [recorded, right] = [record.deal.clone(), deal].map(|deal| deal.unwrap_or_else(none));
        return wrong("deal", &recorded, &right);
    }
    if players != names {
        return wrong("players", &players.join(", "), &names.join(", "));
    }
    let dealt = openings::from_book(config, scheduled);
    if let Some((start, moves)) = dealt.map_err(|broken| broken.to_string())? {
        let opened = record.moves.iter().map(|played| &*played.mv);
        let opened: Vec<&str> = opened.take(moves.len()).collect();
        let state = start.state().map_err(|broken| broken.to_string())?;
        if record.start != state || opened != moves {
            return Err(format!(
                "the match `{id}` has another opening than the book deals to it: was the \
                 book changed?"
            ));
        }
    }
    if record.result.outcome.len() != names.len() {
        return Err(format!("the match `{id}` has no outcome for each seat"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedule::Next;
    use serde_json::{Value, json};
    use std::fs;

    const CONFIG: &str = "name = \"t\"\nrounds = 2\n\
        games = [{ id = \"amazons\", options = { size = 5 } }]\n\
        [[bots]]\nname = \"a\"\ncommand = \"referee bot random\"\n\
        [[bots]]\nname = \"b\"\ncommand = \"referee bot random\"\n";

    /// A folder with a log.
    struct ResumedFolder {
        folder: tempfile::TempDir,
        config: Config,
        schedule: Vec<Scheduled>,
    }

    fn known(config: &Config) -> Vec<Scheduled> {
        Schedule::new(&config.shape()).known().cloned().collect()
    }

    impl ResumedFolder {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(CONFIG_NAME), CONFIG).unwrap();
            let config = Config::parse(CONFIG, Path::new("/")).unwrap();
            ResumedFolder {
                schedule: known(&config),
                folder,
                config,
            }
        }

        /// The line of the n-th match.
        fn line(&self, n: usize) -> String {
            self.changed(n, |_| ())
        }

        fn changed(&self, n: usize, change: impl FnOnce(&mut Value)) -> String {
            let scheduled = &self.schedule[n - 1];
            let player = |bot: &usize| {
                let name = &self.config.bots[*bot].name;
                json!({"name": name, "role": "x", "command": []})
            };
            let mut record = json!({
                "format": 1, "match": scheduled.id(), "game": "amazons",
                "options": self.config.games[0].rules.options().to_json(),
                "seed": openings::seed(&self.config, scheduled), "start": {},
                "players": scheduled.seats.iter().map(player).collect::<Vec<_>>(),
                "time": {"startup_ms": 1, "margin_ms": 1},
                "limits": {"max_plies": null, "repetition": null}, "opening": 0, "moves": [],
                "result": {"scores": [], "outcome": [0.5, 0.5], "reason": "x", "faults": []},
                "started": "", "duration_ms": 1, "referee": ""
            });
            change(&mut record);
            format!("{record}\n")
        }

        fn resume(&self, log: &str) -> (Result<Resumed, ResumeError>, Vec<String>) {
            self.write(log);
            let mut taken = Vec::new();
            let take = |record: &Record| taken.push(record.match_id.clone());
            let resumed = open(self.folder.path(), &self.config, Allowed::Nothing, take);
            (resumed, taken)
        }

        fn write(&self, log: &str) {
            fs::write(self.folder.path().join(LOG_NAME), log).unwrap();
        }

        fn log(&self) -> String {
            fs::read_to_string(self.folder.path().join(LOG_NAME)).unwrap()
        }

        /// Opens this log, which must be refused and left as it is; returns the reason.
        #[track_caller]
        fn refused(&self, log: &str) -> String {
            let error = self.resume(log).0.err().unwrap();
            assert_eq!(self.log(), log, "nothing is changed");
            error.to_string()
        }
    }

    /// The numbers of the matches that are left.
    fn numbers(mut schedule: Schedule) -> Vec<usize> {
        let mut numbers = Vec::new();
        while let Next::Match(scheduled) = schedule.take() {
            numbers.push(scheduled.number);
        }
        numbers
    }

    #[test]
    fn what_was_played_is_taken_and_the_rest_is_left() {
        let place = ResumedFolder::new();
        let log = place.line(3) + &place.line(1);
        let (resumed, taken) = place.resume(&log);
        let resumed = resumed.unwrap();
        assert_eq!(taken, ["m-000003", "m-000001"]);
        assert_eq!(resumed.cut, None);
        assert_eq!(numbers(resumed.schedule), [2, 4]);
        let all: String = (1..=4).map(|n| place.line(n)).collect();
        drop(resumed.folder);
        assert!(place.resume(&all).0.unwrap().schedule.is_over());
    }

    #[test]
    fn a_cut_line_is_dropped() {
        let place = ResumedFolder::new();
        let whole = place.line(1);
        for bytes in [1, 30, whole.len() - 1] {
            let (resumed, taken) = place.resume(&format!("{whole}{}", &place.line(2)[..bytes]));
            let resumed = resumed.unwrap();
            assert_eq!(resumed.cut, Some(CutLine { line: 2, bytes }));
            assert_eq!((taken.len(), place.log()), (1, whole.clone()));
            assert_eq!(numbers(resumed.schedule), [2, 3, 4]);
        }
    }

    #[test]
    fn what_is_not_of_this_tournament_is_refused() {
        let place = ResumedFolder::new();
        let first = place.line(1);
        let after = |line: &str| place.refused(&format!("{first}{line}"));
        let twice = after(&first);
        assert!(
            twice.contains("line 2: the match `m-000001` is there already, in line 1"),
            "{twice}"
        );
        let changed =
            |field: &str, value: Value| after(&place.changed(2, |record| record[field] = value));
        assert!(changed("match", json!("m-000005")).contains("`m-000005` is not in the schedule"));
        assert!(changed("game", json!("siam")).contains("has the game siam, but"));
        assert!(changed("seed", json!(7)).contains("has the seed 7, but"));
        assert!(
            changed("options", json!({"size": 6})).contains("has the options {\"size\":6}, but")
        );
        assert!(changed("format", json!(99)).contains("format 99"));
        let swapped = after(&place.changed(2, |record| {
            record["players"].as_array_mut().unwrap().reverse();
        }));
        assert!(
            swapped.contains("has the players a, b, but is scheduled with b, a"),
            "{swapped}"
        );
        assert!(after("nonsense\n").contains("line 2 is not a match"));
        // Also before a line that is cut off.
        assert!(after(&format!("{first}{{\"form")).contains("already"));
    }

    #[test]
    fn another_configuration_is_refused() {
        let mut place = ResumedFolder::new();
        let text = CONFIG.replace("rounds = 2", "rounds = 3");
        place.config = Config::parse(&text, Path::new("/")).unwrap();
        let error = place.refused("");
        assert!(error.contains("`rounds` was 2 and is 3 now"), "{error}");
    }

    #[test]
    fn what_is_no_folder_of_a_tournament_is_refused() {
        let place = ResumedFolder::new();
        let path = place.folder.path();
        let open = |path: &Path| {
            let opened = open(path, &place.config, Allowed::Nothing, |_| ());
            opened.err().unwrap()
        };
        assert!(matches!(
            open(&path.join("x")),
            ResumeError::NoFolder { .. }
        ));
        assert!(matches!(
            open(path),
            ResumeError::Nothing {
                missing: LOG_NAME,
                ..
            }
        ));
        fs::write(path.join(CONFIG_NAME), "name = ").unwrap();
        place.write("");
        assert!(matches!(open(path), ResumeError::Copy { .. }));
        fs::remove_file(path.join(CONFIG_NAME)).unwrap();
        place.write("{}");
        assert!(matches!(
            open(path),
            ResumeError::Nothing {
                missing: CONFIG_NAME,
                ..
            }
        ));
    }

    #[test]
    fn a_start_that_was_killed_at_once_goes_on() {
        let place = ResumedFolder::new();
        fs::remove_file(place.folder.path().join(CONFIG_NAME)).unwrap();
        let resumed = place.resume("").0.unwrap();
        assert_eq!(numbers(resumed.schedule).len(), 4);
        let copy = fs::read_to_string(place.folder.path().join(CONFIG_NAME)).unwrap();
        assert_eq!(copy, CONFIG);
    }

    /// Three bots in three seats.
    fn of_three() -> (Config, String) {
        let text = CONFIG
            .replace(
                "games = [{ id = \"amazons\", options = { size = 5 } }]",
                THREE,
            )
            .replace("rounds = 2", "rounds = 4")
            + "[[bots]]\nname = \"c\"\ncommand = \"referee bot random\"\n";
        (Config::parse(&text, Path::new("/")).unwrap(), text)
    }

    const THREE: &str = "games = [{ id = \"penguins\", options = { players = 3 } }]";

    #[test]
    fn a_tournament_keeps_the_version_of_its_schedule() {
        let (config, text) = of_three();
        let place = tempfile::tempdir().unwrap();
        let folder =
            Folder::create(&place.path().join("new"), &text, None, config.deals()).unwrap();
        drop(folder);
        let old = place.path().join("old");
        fs::create_dir(&old).unwrap();
        fs::write(old.join(CONFIG_NAME), &text).unwrap();
        fs::write(old.join(LOG_NAME), "").unwrap();
        let orders = |path: &Path, config: &Config, allowed| -> Vec<Vec<usize>> {
            let resumed = open(path, config, allowed, |_| ()).unwrap();
            let known = resumed.schedule.known();
            known.map(|scheduled| scheduled.seats.to_vec()).collect()
        };
        let new = place.path().join("new");
        let [first, second] = [&old, &new].map(|path| orders(path, &config, Allowed::Nothing));
        let rotations = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];
        assert_eq!(first, [rotations; 4].concat());
        assert!(second.contains(&vec![0, 2, 1]) && second.contains(&vec![0, 1, 2]));
        assert_eq!(
            second,
            known(&config)
                .iter()
                .map(|m| m.seats.to_vec())
                .collect::<Vec<_>>()
        );
        // An extension continues from these matches.
        let more = text.replace("rounds = 4", "rounds = 6");
        let more = Config::parse(&more, Path::new("/")).unwrap();
        for (path, before) in [(&old, &first), (&new, &second)] {
            let extended = orders(path, &more, Allowed::Additions);
            assert_eq!(extended[..before.len()], before[..]);
            assert_eq!(extended.len(), 18);
        }
        assert_eq!(
            orders(&old, &more, Allowed::Nothing),
            [rotations; 6].concat()
        );
        fs::write(new.join(SCHEDULE_NAME), "version = 99").unwrap();
        let error = open(&new, &more, Allowed::Nothing, |_| ()).err().unwrap();
        let error = error.to_string();
        assert!(
            error.contains("schedule.toml") && error.contains("up to 2 only"),
            "{error}"
        );
    }

    #[test]
    fn one_at_a_time() {
        let place = ResumedFolder::new();
        let first = place.resume("").0.unwrap();
        let error = place.refused("");
        assert!(error.contains("another referee is writing"), "{error}");
        drop(first);
        place.resume("").0.unwrap();
    }
}
