//! All games of a configuration; one that cannot be played is named with its place.

use games::Catalog;

use crate::error::{Problem, WrongValue};
use crate::settings::adjudicate;
use crate::tables::file::{ConfigFile, GameEntry};
use crate::tables::game::{GameError, GameSetup, game};

/// All games of the configuration, with what ends their matches.
pub(crate) fn games(file: &ConfigFile, catalog: &Catalog) -> Result<Vec<GameSetup>, WrongValue> {
    let early_ends = adjudicate::early_ends(&file.adjudicate)?;
    let games = file.games.iter().enumerate().map(|(i, entry)| {
        let setup = game(entry, &file.limits, catalog).map(|setup| GameSetup {
            early_ends,
            ..setup
        });
        setup.map_err(|error| {
            let key = match &error {
                GameError::Unknown(_) | GameError::Broken(_) => ".id".to_owned(),
                GameError::Option(error) => format!(".options.{}", error.name),
            };
            // A game may be its id alone, which has no keys.
            let shown = if matches!(entry, GameEntry::Id(_)) {
                ""
            } else {
                &key
            };
            let problem = Problem::Game {
                key: format!("games{shown}"),
                error: Box::new(error),
            };
            WrongValue::new(format!("games.{i}{key}"), problem)
        })
    });
    let games = games.collect::<Result<Vec<_>, _>>()?;
    adjudicate::check(&early_ends, &games)?;
    Ok(games)
}
