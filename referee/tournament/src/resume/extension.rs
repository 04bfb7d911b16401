//! The schedule of a tournament before its extension.

use config::game;
use config::tables::ConfigFile;
use config::{Config, GameSetup};
use schedule::{Earlier, Format, FormatName, Shape, Version};
use toml::Table;

/// The schedule of a tournament before it was extended to this one, from its configuration.
///
/// # Errors
/// Why this one is no extension of it.
pub(crate) fn earlier(table: &Table, now: &Config, version: Version) -> Result<Earlier, String> {
    let file: ConfigFile = table
        .clone()
        .try_into()
        .map_err(|error: toml::de::Error| error.message().to_owned())?;
    let names: Vec<&str> = file.bots.iter().map(|bot| bot.name.trim()).collect();
    let bot = |name: &&str| {
        let at = now.bots.iter().position(|bot| bot.name == *name);
        at.ok_or_else(|| format!("the bot `{name}` is not there any more"))
    };
    let mut games = Vec::new();
    let mut places = Vec::new();
    for entry in &file.games {
        let game =
            game(entry, &file.limits, &now.rules.catalog).map_err(|problem| problem.to_string())?;
        // Games of the same kind keep their order.
        let from = places.last().map_or(0, |last| last + 1);
        let place = (from..now.games.len()).find(|&at| same(&game, &now.games[at]));
        let id = &game.rules.info().id;
        places.push(place.ok_or_else(|| format!("the game `{id}` is not there any more"))?);
        games.push(game.shape(file.bots.iter().map(|bot| {
            let answered = || now.admission.answered.get(bot.name.trim());
            bot.games.as_ref().or_else(answered).map(Vec::as_slice)
        })));
    }
    let challenger = |name: &String| {
        let at = names.iter().position(|other| *other == name.trim());
        at.ok_or_else(|| format!("there is no challenger `{name}`"))
    };
    let challengers = file.challengers.iter().map(challenger);
    Ok(Earlier {
        bots: names.iter().map(bot).collect::<Result<_, _>>()?,
        games: places,
        shape: Shape {
            format: match file.format {
                FormatName::Gauntlet => Format::Gauntlet {
                    challengers: challengers.collect::<Result<_, _>>()?,
                },
                _ => Format::RoundRobin,
            },
            games,
            bots: names.len(),
            rounds: file.rounds.unwrap_or(1),
            orders: file.seat_orders,
            seed: file.seed,
            version,
            shard: None,
        },
    })
}

fn same(one: &GameSetup, other: &GameSetup) -> bool {
    let key = |game: &GameSetup| (game.rules.info().id.clone(), game.rules.options().to_json());
    key(one) == key(other) && one.limits == other.limits && one.weight == other.weight
}
