//! Warnings about finished matches, each once.

use std::collections::HashSet;

use config::Config;
use protocol::Record;

/// Games with undeclared chance.
#[derive(Default)]
pub(super) struct UndeclaredChance(HashSet<String>);

impl UndeclaredChance {
    /// A warning, once for each game.
    pub(super) fn noticed(&mut self, config: &Config, record: &Record) -> Option<String> {
        let game = &record.game;
        if !record.moves.iter().any(|played| played.seat.is_none()) {
            return None;
        }
        let mut infos = config.games.iter().map(|game| game.rules.info());
        let says_it = infos.find(|info| info.id == *game)?.has_deals();
        (!says_it && self.0.insert(game.clone())).then(|| {
            format!(
                "chance is to move in `{game}`, but its rules say neither `\"chance\":true` nor \
                 `\"hidden\":true` in `hello`: what it brings follows from `seed`, so bots can compute it"
            )
        })
    }
}

/// Bots that have reported a warning with a move.
#[derive(Default)]
pub(super) struct BotsWarn(HashSet<String>);

impl BotsWarn {
    /// The bots' own warnings in this match, once a bot.
    pub(super) fn noticed(&mut self, record: &Record) -> Vec<String> {
        let mut warnings = Vec::new();
        for played in &record.moves {
            let player = played.seat.and_then(|seat| record.players.get(seat));
            if let (Some(player), Some(warning)) = (player, log::warning_of(played))
                && self.0.insert(player.name.clone())
            {
                let (name, id) = (&player.name, &record.match_id);
                warnings.push(format!("`{name}` says in match {id}: {warning}"));
            }
        }
        warnings
    }
}
