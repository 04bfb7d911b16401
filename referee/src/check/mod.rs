//! The compliance check: a bot is started again and again and asked what the protocol allows a
//! referee to ask. Each check has a stable name, and says what is wrong and how to mend it.

mod game;
mod list;
mod manners;
mod matches;
mod style;
mod talk;

use std::sync::Arc;
use std::time::{Duration, Instant};

use games::Rules;
use games::kit::info::OptionKind;
use games::registry::Entry;
use protocol::{BotHello, Millis, TimeControl};
use serde::Serialize;
use serde_json::json;
use supervisor::bot::shebang::ShebangError;
use supervisor::{BotFactory, BotSpec, CommandError, FactoryError, Tracer};
use tempfile::TempDir;

pub use list::{Check, Kind, checks};
pub use talk::Spoken;
use talk::{Talk, Trouble};

/// After so many checks without any answer the rest is not tried.
const MOST_SILENT: u32 = 3;
/// The most of its last words on stderr that are shown.
const LAST_WORDS: usize = 5;

/// A game with the number of seats that it is checked with.
pub struct Variant {
    /// The game's id; with the number of seats where there is a choice.
    pub label: String,
    /// The rules.
    pub rules: Arc<dyn Rules>,
}

impl Variant {
    /// The variants of a game: one for each number of seats.
    pub fn of(entry: &Entry) -> Vec<Self> {
        let id = entry.info.id;
        let Ok(rules) = entry.configure(&serde_json::Value::Null) else {
            return Vec::new();
        };
        let mut variants = vec![Variant {
            label: id.to_owned(),
            rules,
        }];
        let numbers = entry
            .info
            .options
            .iter()
            .filter_map(|option| match option.kind {
                OptionKind::Int { min, max, .. } if max - min < 8 => Some((option.name, min..=max)),
                _ => None,
            });
        for (name, values) in numbers {
            for value in values {
                let rules = entry.configure(&json!({name: value}));
                let Ok(rules) = rules else { continue };
                let seats = rules.seats();
                if variants.iter().all(|other| other.rules.seats() != seats) {
                    let label = format!("{id}-{seats}");
                    variants.push(Variant { label, rules });
                }
            }
        }
        variants.sort_by_key(|variant| variant.rules.seats());
        variants
    }
}

/// How much is checked.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// The limit on a move.
    pub time: Duration,
    /// How long an answer may take where no clock is checked.
    pub patience: Duration,
    /// What is tolerated on top of limits where a clock is checked.
    pub margin: Duration,
    /// What all positions are made from.
    pub seed: u64,
    /// How many moves the bot makes in a match.
    pub turns: u32,
    /// How many positions of each game it is asked about.
    pub positions: u32,
}

/// Where a bot is checked.
pub struct Lab {
    spec: BotSpec,
    factory: BotFactory,
    extent: Extent,
    patience: Duration,
    /// What the bot prints on stderr goes there.
    _stderr: TempDir,
}

/// What came of a check.
#[derive(Debug)]
pub enum Outcome {
    /// All is well; perhaps there is something to tell.
    Passed(Option<String>),
    /// Something is wrong.
    Failed(Box<Finding>),
    /// It was not tried, for this reason.
    Skipped(String),
}

/// What is wrong with a bot.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// What, in a sentence.
    pub what: String,
    /// The lines that were said last, both ways.
    pub said: Vec<Spoken>,
    /// The end of what it printed on stderr, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// How to mend it.
    pub mend: Vec<String>,
}

/// A check with what came of it.
#[derive(Debug)]
pub struct Report {
    /// The check's name.
    pub name: String,
    /// What is checked.
    pub about: &'static str,
    /// What came of it.
    pub outcome: Outcome,
    /// How long it took.
    pub took: Duration,
}

impl Report {
    /// A bot whose command cannot be run at all fails the first check.
    pub fn unstartable(error: &CommandError) -> Self {
        let handshake = Check::handshake();
        let mend = match error {
            CommandError::NotExecutable(_) => {
                "give the script its run bit, or name its interpreter"
            }
            CommandError::Shebang(ShebangError::NoInterpreter { .. }) => {
                "write the first line so that it names an interpreter that is there"
            }
            CommandError::Shebang(ShebangError::WindowsLineEnds(_)) => {
                "write the script with Unix line ends"
            }
            CommandError::Missing { program, .. } if program.contains(' ') => {
                "give the program and each argument as a word of its own, without quotes around all"
            }
            CommandError::Missing { program, .. } if program.contains('/') => {
                "build the bot first, and run this in the bot's folder or name that with --dir"
            }
            CommandError::Missing { .. } => {
                "give a program that is there; one in the bot's folder needs `./` before it"
            }
            _ => "give the bot's program and its arguments after `--`",
        };
        Report {
            name: handshake.name,
            about: handshake.about,
            outcome: Outcome::Failed(Box::new(Finding {
                what: error.to_string(),
                said: Vec::new(),
                stderr: None,
                mend: vec![mend.to_owned()],
            })),
            took: Duration::ZERO,
        }
    }
}

/// What a check gives: something to tell, perhaps.
type Note = Option<String>;

impl Lab {
    /// A lab for this bot.
    ///
    /// # Errors
    /// If the machine does not let this process look after others.
    pub fn new(
        mut spec: BotSpec,
        extent: Extent,
        tracer: Option<Tracer>,
    ) -> Result<Self, FactoryError> {
        let stderr = tempfile::tempdir()?;
        spec.time = TimeControl {
            startup: Millis(extent.patience),
            ..TimeControl::default()
        };
        let shared = Arc::new(spec.clone());
        let factory = BotFactory::new(
            std::slice::from_ref(&shared),
            &[],
            Some(stderr.path().to_owned()),
        )?;
        Ok(Lab {
            factory: factory.traced(tracer),
            patience: extent.patience,
            spec,
            extent,
            _stderr: stderr,
        })
    }

    /// A time control under which the bot is told its limit on a move, but is given all patience.
    fn lenient(&self) -> TimeControl {
        TimeControl {
            per_move: Some(Millis(self.extent.time)),
            startup: Millis(self.patience),
            margin: Millis(self.patience),
            ..TimeControl::default()
        }
    }

    /// Runs a check with a process of its own.
    async fn with_process(
        &self,
        check: impl AsyncFnOnce(&mut Talk<'_>) -> Result<Note, Trouble>,
    ) -> Result<Note, (Box<Finding>, Trouble)> {
        let mut talk = match Talk::open(self).await {
            Ok(talk) => talk,
            Err(trouble) => return Err((self.finding(&trouble, Vec::new(), None), trouble)),
        };
        let done = check(&mut talk).await;
        let said = talk.said();
        let evidence = talk.bot.end().await;
        done.map_err(|trouble| (self.finding(&trouble, said, evidence.stderr), trouble))
    }

    fn finding(
        &self,
        trouble: &Trouble,
        said: Vec<Spoken>,
        stderr: Option<String>,
    ) -> Box<Finding> {
        let stderr = stderr.as_deref().map(last_words);
        Box::new(Finding {
            what: trouble.what.clone(),
            said,
            stderr: stderr.filter(|words| !words.is_empty()),
            mend: trouble.mend.iter().cloned().collect(),
        })
    }
}

/// The last lines of what was printed.
fn last_words(stderr: &str) -> String {
    let lines: Vec<&str> = stderr
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let from = lines.len().saturating_sub(LAST_WORDS);
    let lines = lines[from..]
        .iter()
        .map(|line| talk::shown(line.as_bytes()));
    lines.collect::<Vec<_>>().join("\n")
}

/// Which checks are wanted.
#[derive(Debug, Default)]
pub struct Selection {
    /// Games, by id; all that the bot plays if there are none.
    pub games: Vec<String>,
    /// Beginnings of names; all if there are none.
    pub only: Vec<String>,
}

impl Selection {
    /// Whether a check of this name is wanted.
    pub fn has(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|begin| name.starts_with(&**begin))
    }

    /// The variants of all games that are wanted.
    pub fn variants(&self) -> Vec<Variant> {
        let wanted = |entry: &&Entry| {
            let id = entry.info.id;
            self.games.is_empty() || self.games.iter().any(|game| game == id)
        };
        games::GAMES
            .iter()
            .filter(wanted)
            .flat_map(Variant::of)
            .collect()
    }
}

/// Runs all checks, one after another; each is told when it is done.
pub async fn run(lab: &Lab, selection: &Selection, mut tell: impl FnMut(Report)) {
    let mut variants = selection.variants();
    let mut silent = 0;
    let mut stop = None;
    let mut hello = None;
    let mut done = |check: &Check, outcome, began: Instant| {
        tell(Report {
            name: check.name.clone(),
            about: check.about,
            outcome,
            took: began.elapsed(),
        });
    };
    // What the bot says about itself decides what else there is to check.
    let handshake = Check::handshake();
    let began = Instant::now();
    let introduced = lab.with_process(async |talk| {
        let (told, note) = manners::handshake(talk, &variants, &selection.games).await?;
        hello = Some(told);
        Ok(note)
    });
    let introduced = introduced.await;
    if let Some(games) = hello.as_ref().and_then(|hello| hello.games.as_ref()) {
        variants.retain(|variant| games.iter().any(|id| id == variant.rules.info().id));
    }
    if introduced.is_err() {
        stop = Some("the handshake failed".to_owned());
    }
    done(&handshake, outcome(&handshake, introduced), began);
    let hello = hello.unwrap_or_else(nobody);
    for check in checks(&variants).iter().filter(|c| selection.has(&c.name)) {
        let began = Instant::now();
        if let Some(why) = &stop {
            done(check, Outcome::Skipped(why.clone()), began);
            continue;
        }
        let result = check.run(lab, &variants, &hello).await;
        if result.as_ref().is_err_and(|(_, trouble)| trouble.silent) {
            silent += 1;
            if silent >= MOST_SILENT {
                stop = Some(format!("the bot did not answer in {silent} checks"));
            }
        }
        done(check, outcome(check, result), began);
    }
    lab.factory.all_gone().await;
}

/// A bot that said nothing about itself; nothing is asked of it either.
fn nobody() -> BotHello {
    BotHello {
        protocol: protocol::PROTOCOL,
        name: String::new(),
        version: None,
        author: None,
        games: None,
        wants: protocol::Wants::default(),
    }
}

fn outcome(check: &Check, result: Result<Note, (Box<Finding>, Trouble)>) -> Outcome {
    match result {
        Ok(note) => Outcome::Passed(note),
        Err((mut finding, trouble)) => {
            let usual = check.mend.filter(|_| !trouble.known);
            finding.mend.extend(usual.map(str::to_owned));
            Outcome::Failed(finding)
        }
    }
}
