//! Games of a tournament: rules with their options, limits, weight.

use std::sync::Arc;

use arbiter::early_end::EarlyEnds;
use games::{BrokenRules, Catalog, ConfigureError, Limits, OptionError, Rules, UnknownGame};
use itertools::Itertools as _;
use schedule::GameShape;
use serde_json::Value;
use thiserror::Error;

use crate::tables::{GameEntry, GameTable, LimitsTable};

/// A game as a tournament plays it.
#[derive(Clone)]
pub struct GameSetup {
    /// The rules with their options.
    pub rules: Arc<dyn Rules>,
    pub limits: Limits,
    /// Adjudication.
    pub early_ends: EarlyEnds,
    /// Matches for each match of a game of weight 1.
    pub weight: u32,
}

impl GameSetup {
    /// The game for a schedule; `games` has the games of each bot, `None` for all.
    pub fn shape<'a>(&self, games: impl Iterator<Item = Option<&'a [String]>>) -> GameShape {
        let id = &self.rules.info().id;
        let abstains = |games: Option<&[String]>| games.is_some_and(|games| !games.contains(id));
        GameShape {
            seats: self.rules.seats(),
            weight: self.weight,
            absent: games.positions(abstains).collect(),
        }
    }
}

#[derive(Debug, Error)]
pub enum GameError {
    #[error(transparent)]
    Unknown(#[from] UnknownGame),
    #[error(transparent)]
    Option(#[from] OptionError),
    /// Rules from outside do not work.
    #[error(transparent)]
    Broken(#[from] BrokenRules),
}

impl From<ConfigureError> for GameError {
    fn from(error: ConfigureError) -> Self {
        match error {
            ConfigureError::Option(error) => GameError::Option(error),
            ConfigureError::Broken(broken) => GameError::Broken(broken),
        }
    }
}

/// A game from the configuration; `limits` are those for all games. It has no adjudication yet.
pub fn game(
    entry: &GameEntry,
    limits: &LimitsTable,
    catalog: &Catalog,
) -> Result<GameSetup, GameError> {
    let whole;
    let table = match entry {
        GameEntry::Table(table) => table,
        GameEntry::Id(id) => {
            whole = GameTable {
                id: id.clone(),
                options: Value::Null,
                limits: LimitsTable::default(),
                weight: 1,
            };
            &whole
        }
    };
    let game = catalog.find(&table.id)?;
    let rules = game.configure(&table.options)?;
    Ok(GameSetup {
        rules,
        limits: table.limits.over(limits.over(game.info.limits)),
        early_ends: EarlyEnds::default(),
        weight: table.weight,
    })
}
