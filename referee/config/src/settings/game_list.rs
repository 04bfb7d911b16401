//! The games of a configuration; a problem with one names its place.

use games::Catalog;

use crate::error::{Diagnostic, Problem};
use crate::settings::adjudicate;
use crate::setup::game::{GameError, GameSetup, game};
use crate::tables::{ConfigFile, GameEntry};

/// The games of the configuration, with their early endings.
pub(crate) fn games(file: &ConfigFile, catalog: &Catalog) -> Result<Vec<GameSetup>, Diagnostic> {
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
            // A game that is only an id has no keys.
            let shown = if matches!(entry, GameEntry::Id(_)) {
                ""
            } else {
                &key
            };
            let problem = Problem::Game {
                key: format!("games{shown}"),
                error: Box::new(error),
            };
            Diagnostic::new(format!("games.{i}{key}"), problem)
        })
    });
    let games = games.collect::<Result<Vec<_>, _>>()?;
    adjudicate::check(&early_ends, &games)?;
    Ok(games)
}
