//! Builds a catalog entry from the text of a sheet.

use std::sync::Arc;
use std::time::{Duration, Instant};

use games::budget::Spent;
use games::session::{Description, Origin};
use games::{Entry, Info, Limits, Options, Rules};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::engine::Engine;
use crate::error::SheetError;
use crate::ground::{Ground, Ungroundable};
use crate::interpreter::Interpreter;
use crate::limits::{GroundLimits, within};
use crate::network::{Network, NetworkError, Sizes};
use crate::play::Play;
use crate::play::rules::GdlRules;
use crate::play::shared::SharedRules;
use crate::play::view::Grid;
use crate::read::{Sheet, as_kif};

/// The longest search for the examples of moves: forced steps may lead to the first choice, or nowhere.
const EXAMPLES_TIME: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub struct SheetGame {
    pub entry: Arc<Entry>,
    pub rules: Arc<dyn Rules>,
    pub report: Report,
}

/// The engine of a sheet, and its size.
#[derive(Clone, Debug)]
pub struct Report {
    pub rules: usize,
    /// The size of the network; an error if the sheet is interpreted.
    pub network: Result<Sizes, Ungroundable>,
    /// What was read with a meaning that the language does not give it, a sentence each.
    pub notes: Vec<String>,
    /// The time of reading and grounding.
    pub took: Duration,
}

#[derive(Clone, Debug)]
pub struct Names<'n> {
    pub id: &'n str,
    /// The id without the prefix from the configuration.
    pub own_id: &'n str,
}

impl SheetGame {
    /// The game of a sheet.
    ///
    /// # Errors
    /// If the sheet is not well formed.
    pub fn new(names: &Names<'_>, text: &str) -> Result<Self, SheetError> {
        Self::with_limits(names, text, &GroundLimits::DEFAULT)
    }

    /// The same, with other limits of grounding.
    ///
    /// # Errors
    /// If the sheet is not well formed.
    pub fn with_limits(
        names: &Names<'_>,
        text: &str,
        limits: &GroundLimits,
    ) -> Result<Self, SheetError> {
        let began = Instant::now();
        let budget = limits.budget();
        let read = budget.run(|| {
            let sheet = Sheet::read(text)?;
            let (count, hidden) = (sheet.rules(), sheet.is_hidden());
            let notes = sheet.notes.clone();
            Ok::<_, SheetError>((count, hidden, notes, made(&sheet, limits)?))
        });
        let (count, hidden, notes, made) = read?;
        let about = About {
            names,
            text,
            hidden,
            began,
            count,
            notes,
            time: limits.question_time,
        };
        match made {
            Ok(network) => {
                let sizes = network.sizes();
                let grid = Grid::of(network.all_facts().iter());
                Ok(about.game(network, grid, Ok(sizes)))
            }
            Err(Ungroundable::Spent(Spent::Cancelled)) => {
                let message = format!("reading stopped: {}", Spent::Cancelled);
                Err(SheetError::at_start(message))
            }
            Err(reason) => {
                let interpreter = Interpreter::new(Sheet::read(text)?, limits);
                // Only what is shown depends on the start: with no time for it, it is left out.
                let start = interpreter.start().ok();
                let facts = start.map(|start| interpreter.facts(&start));
                let grid = Grid::of(facts.unwrap_or_default().iter());
                Ok(about.game(interpreter, grid, Err(reason)))
            }
        }
    }
}

/// Grounds a sheet and builds its network: as it is written if it is small like that, else from other rules that
/// mean the same, or as it is written all the same if those are too many.
fn made(sheet: &Sheet, limits: &GroundLimits) -> Result<Result<Network, Ungroundable>, SheetError> {
    let too_large = |made: &Result<Network, Ungroundable>| matches!(made, Err(why) if !matches!(why, Ungroundable::Spent(_)));
    if !limits.rewritten {
        let made = grounded(sheet.clone(), &limits.small())?;
        if !too_large(&made) {
            return Ok(made);
        }
    }
    if let Some(rewritten) = Ground::rewritten(sheet) {
        let made = grounded(rewritten, limits)?;
        if !too_large(&made) {
            return Ok(made);
        }
    }
    grounded(sheet.clone(), limits)
}

fn grounded(
    sheet: Sheet,
    limits: &GroundLimits,
) -> Result<Result<Network, Ungroundable>, SheetError> {
    let ground = match Ground::new(sheet, limits) {
        Ok(ground) => ground,
        Err(why) => return Ok(Err(why)),
    };
    match Network::new(&ground, limits.change) {
        Ok(network) => Ok(Ok(network)),
        Err(NetworkError::Ungroundable(why)) => Ok(Err(why)),
        Err(NetworkError::Sheet(error)) => Err(error),
    }
}

struct About<'a> {
    names: &'a Names<'a>,
    text: &'a str,
    hidden: bool,
    began: Instant,
    count: usize,
    notes: Vec<String>,
    time: Option<Duration>,
}

impl About<'_> {
    fn game<E: Engine>(
        &self,
        engine: E,
        grid: Grid,
        network: Result<Sizes, Ungroundable>,
    ) -> SheetGame {
        let play = Play::new(engine, self.names.own_id, self.hidden);
        let seats = play.seats.iter();
        let roles: Vec<String> = seats
            .map(|role| play.engine.roles()[*role].clone())
            .collect();
        let info = self.info(&play, &roles);
        let options = Options::read(&info, &Value::Null).expect("sheets have no options");
        let rules: Arc<dyn Rules> = Arc::new(GdlRules::new(SharedRules {
            play,
            description: Description {
                own_id: self.names.own_id.to_owned(),
                origin: Some(self.origin()),
                ..Description::new(info.clone(), options)
            },
            text: as_kif(self.text).into(),
            grid,
            time: self.time,
        }));
        let made = rules.clone();
        let for_options = info.clone();
        let entry = Entry::new(info, self.guide(), move |options| {
            Options::read(&for_options, options)?;
            Ok(made.clone())
        });
        SheetGame {
            entry: Arc::new(entry),
            rules,
            report: Report {
                rules: self.count,
                notes: self.notes.clone(),
                network,
                took: self.began.elapsed(),
            },
        }
    }

    fn info<E: Engine>(&self, play: &Play<E>, roles: &[String]) -> Info {
        let title = self.names.own_id.replace(['-', '_'], " ");
        let mut letters = title.chars();
        let first = letters.next().map(|c| c.to_uppercase().to_string());
        let title = first.unwrap_or_default() + letters.as_str();
        Info {
            id: self.names.id.to_owned(),
            title,
            summary: format!("A game of {} by rules in GDL.", counted(roles.len())),
            roles: roles.to_vec(),
            symmetric: false,
            hidden: self.hidden,
            chance: play.random.is_some(),
            options: Vec::new(),
            notation: {
                let time = self
                    .time
                    .map_or(EXAMPLES_TIME, |time| time.min(EXAMPLES_TIME));
                within(Some(time)).run(|| notation(play))
            },
            limits: Limits::NONE,
        }
    }

    fn origin(&self) -> Origin {
        let hash = Sha256::digest(self.text.as_bytes());
        Origin {
            name: self.names.own_id.to_owned(),
            version: None,
            sha256: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }

    /// The sheet itself, as the rules for people.
    fn guide(&self) -> String {
        format!("```\n{}\n```\n", self.text.trim_end())
    }
}

fn counted(roles: usize) -> String {
    match roles {
        1 => "one player".to_owned(),
        _ => format!("{roles} players"),
    }
}

/// Examples of moves: the first legal one of each seat at the start; none if there is no time for it.
fn notation<E: Engine>(play: &Play<E>) -> Vec<(String, String)> {
    let Ok(mut position) = play.engine.start() else {
        return Vec::new();
    };
    let mut counts = Vec::new();
    if play
        .settle(&mut position, &mut counts, &mut |_, _| {})
        .is_err()
    {
        return Vec::new();
    }
    let choosing = play.seats.iter().find(|role| counts[**role] > 1);
    let example = choosing.map(|role| {
        let mv = play.engine.nth_legal(&position, *role, 0);
        let text = play.engine.text(&position, *role, mv).to_owned();
        (text, "a move as the sheet writes it".to_owned())
    });
    example.into_iter().collect()
}
