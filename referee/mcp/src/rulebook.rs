//! Games and their rules.

use std::sync::Arc;

use games::registry::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::Answer;
use crate::background::blocking;
use crate::client::Caller;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoParameters {}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Games {
    games: Vec<GameLine>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct GameLine {
    /// The id, for all other tools.
    id: String,
    title: String,
    /// One sentence.
    summary: String,
    /// The names of the seats, in seat order, where there are as many as the game allows.
    roles: Vec<String>,
    /// The seats do not know everything.
    hidden: bool,
    /// Chance takes part after the start.
    chance: bool,
}

pub(crate) async fn list_games(caller: Caller, _: NoParameters) -> Answer<Games> {
    let games = caller.server.settings.rules.catalog.iter();
    let line = |entry: &Arc<Entry>| GameLine {
        id: entry.info.id.clone(),
        title: entry.info.title.clone(),
        summary: entry.info.summary.clone(),
        roles: entry.info.roles.clone(),
        hidden: entry.info.hidden,
        chance: entry.info.chance,
    };
    Ok(Games {
        games: games.map(line).collect(),
    })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetRules {
    /// The id of the game.
    game: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RulesAnswer {
    game: String,
    title: String,
    /// The rules in words, as Markdown.
    rules: String,
    /// The names of the seats, in seat order, with the default options.
    roles: Vec<String>,
    /// How moves are written.
    notation: Vec<Notation>,
    /// What can be given as `options` of new_match.
    options: Vec<OptionAnswer>,
    hidden: bool,
    chance: bool,
    /// A match ends when this many plies were made.
    max_plies: Option<u32>,
    /// A match ends when a position has occurred this many times.
    repetition: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Notation {
    example: String,
    meaning: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct OptionAnswer {
    name: String,
    /// The allowed values, in words.
    allowed: String,
    /// Null for an option that is absent by default.
    default: Value,
    help: String,
}

pub(crate) async fn get_rules(caller: Caller, asked: GetRules) -> Answer<RulesAnswer> {
    let entry = caller
        .server
        .settings
        .rules
        .catalog
        .find(&asked.game)?
        .clone();
    blocking(move || rules(&entry)).await
}

fn rules(entry: &Entry) -> Answer<RulesAnswer> {
    let info = &entry.info;
    let guide = match entry.guide.is_empty() {
        true => format!("# {}\n\n{}\n", info.title, info.summary),
        false => entry.guide.clone(),
    };
    let notation = info.notation.iter().map(|(example, meaning)| Notation {
        example: example.clone(),
        meaning: meaning.clone(),
    });
    let options = info.options.iter().map(|option| OptionAnswer {
        name: option.name.clone(),
        allowed: option.kind.allowed(),
        default: option.kind.default().unwrap_or_default(),
        help: option.help.clone(),
    });
    Ok(RulesAnswer {
        game: info.id.clone(),
        title: info.title.clone(),
        rules: guide,
        roles: entry.configure(&Value::Null)?.roles().to_vec(),
        notation: notation.collect(),
        options: options.collect(),
        hidden: info.hidden,
        chance: info.chance,
        max_plies: info.limits.max_plies,
        repetition: info.limits.repetition,
    })
}
