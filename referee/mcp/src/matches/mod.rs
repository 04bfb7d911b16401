//! Matches in which a client has a seat: the tools for them, and the table of all.

mod client_match;
mod position;
mod recorded_rules;
mod seated;
mod table;

use std::sync::Arc;

use config::{Time, TimeFlags};
use games::Rules;
use games::kit::text::nearest;
use protocol::TimeControl;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use supervisor::BotSpec;
use tournament::playing::one_match::SingleMatch;

use crate::Server;
use crate::answer::{Answer, PlayerAnswer, Refusal};
use crate::background::blocking;
use crate::client::Caller;
use crate::commands;

pub(crate) use client_match::Match;
pub(crate) use position::Position;
pub(crate) use seated::is_client;
pub(crate) use table::{Matches, new_folder};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMatch {
    /// The id of the game; list_games has them.
    game: String,
    /// The options of the game, such as {"size": 6}; get_rules explains them.
    #[serde(default)]
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    options: Value,
    /// Your seat: its number from 0, or its role.
    seat: SeatWord,
    /// The bots in the other seats, in seat order, such as "mcts --playouts 100"; list_bots has their
    /// names.
    #[serde(default)]
    opponents: Vec<String>,
    /// Determines a random start and what chance brings; without it each match is another one.
    seed: Option<u64>,
    /// The time that the opponents have for a move, such as "100ms" [default: 1s].
    per_move: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum SeatWord {
    Number(usize),
    Role(String),
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NewMatchAnswer {
    /// The id of the match, for all other tools.
    #[serde(rename = "match")]
    id: String,
    /// Where the match is logged when it is over; `referee replay FOLDER` shows it.
    folder: String,
    /// Your seat.
    seat: usize,
    /// Its role.
    role: String,
    players: Vec<PlayerAnswer>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneMatch {
    /// The id of the match, as new_match answered.
    #[serde(rename = "match")]
    id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayMove {
    /// The id of the match, as new_match answered.
    #[serde(rename = "match")]
    id: String,
    /// One of the legal moves, exactly as get_position writes it.
    #[serde(rename = "move")]
    mv: String,
}

pub(crate) async fn new_match(caller: Caller, asked: NewMatch) -> Answer<NewMatchAnswer> {
    let begun = blocking(move || begin(&caller, &asked)).await?;
    begun.turn().await;
    Ok(NewMatchAnswer {
        id: begun.id.clone(),
        folder: begun.folder.display().to_string(),
        seat: begun.seat,
        role: begun.rules.roles()[begun.seat].clone(),
        players: begun.players(),
    })
}

fn begin(caller: &Caller, asked: &NewMatch) -> Answer<Arc<Match>> {
    let server = &caller.server;
    let place = server.matches.place()?;
    let rules = server.settings.rules.catalog.find(&asked.game)?;
    let rules = rules.configure(&asked.options)?;
    let seat = asked.seat.of(&*rules)?;
    let time = time(asked.per_move.as_deref())?;
    let specs = specs(server, &*rules, seat, &asked.opponents, &time)?;
    let seed = seated::seed(asked.seed, seat, rules.info().hidden);
    let single = SingleMatch {
        limits: rules.info().limits,
        start: rules.start(seed)?,
        rules,
        seed,
        random_plies: 0,
        time,
        specs,
    };
    server
        .matches
        .begin(place, single.run()?, seat, caller.session)
}

pub(crate) async fn get_position(caller: Caller, asked: OneMatch) -> Answer<Position> {
    caller.server.matches.find(&asked.id)?.position()
}

pub(crate) async fn play_move(caller: Caller, asked: PlayMove) -> Answer<Position> {
    let found = caller.server.matches.find(&asked.id)?;
    found.play(&asked.mv)?;
    found.turn().await;
    found.position()
}

pub(crate) async fn resign(caller: Caller, asked: OneMatch) -> Answer<Position> {
    let found = caller.server.matches.find(&asked.id)?;
    found.resign()?;
    found.turn().await;
    found.position()
}

impl SeatWord {
    fn of(&self, rules: &dyn Rules) -> Answer<usize> {
        let roles = rules.roles();
        let (word, number) = match self {
            SeatWord::Number(number) => (number.to_string(), Some(*number)),
            SeatWord::Role(role) => (role.clone(), role.parse().ok()),
        };
        let number = number.filter(|seat| *seat < roles.len());
        let seat = number.or_else(|| roles.iter().position(|role| *role == word));
        seat.ok_or_else(|| {
            let known = roles.iter().enumerate();
            let known: Vec<String> = known
                .map(|(seat, role)| format!("{seat} ({role})"))
                .collect();
            let names: Vec<&str> = roles.iter().map(String::as_str).collect();
            let near = nearest(&word, &names);
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            let (id, known) = (&rules.info().id, known.join(", "));
            Refusal(format!(
                "`{word}` is no seat of {id}, which has {known}{near}"
            ))
        })
    }
}

/// The time control of the opponents.
pub(crate) fn time(per_move: Option<&str>) -> Answer<TimeControl> {
    let per_move = per_move.map(str::parse::<Time>).transpose();
    let per_move = per_move.map_err(|why| Refusal(format!("per_move: {why}")))?;
    let flags = TimeFlags {
        per_move,
        ..TimeFlags::default()
    };
    Ok(flags.control()?)
}

/// The players in seat order.
fn specs(
    server: &Server,
    rules: &dyn Rules,
    seat: usize,
    opponents: &[String],
    time: &TimeControl,
) -> Answer<Vec<Arc<BotSpec>>> {
    let (id, others) = (&rules.info().id, rules.seats() - 1);
    if opponents.len() != others {
        let given = opponents.len();
        return Err(Refusal(format!(
            "{id} needs {others} opponents, and the number given is {given}"
        )));
    }
    let mut specs: Vec<Arc<BotSpec>> = Vec::new();
    for line in opponents {
        specs.push(Arc::new(commands::spec(server, line, &specs, time)?));
    }
    specs.insert(seat, Arc::new(seated::client_spec(time)?));
    Ok(specs)
}
