//! The keys of a configuration that say how bots meet.

use std::sync::Arc;

use supervisor::BotSpec;

use super::config::{self, Config, GameSetup};
use super::config_error::Problem;
use super::config_file::{
    ConfigFile, EloModel as GivenModel, Format as Given, KnockoutTable, SeatOrders as GivenOrders,
    Seeding, SprtTable,
};
use super::schedule::{Earlier, Format, SeatOrders, Shape, Version};
use ratings::sprt::{BadHypotheses, EloModel, Hypotheses};

/// No tournament has more matches: the schedule is held in memory, and ids have six digits.
const MOST_MATCHES: u64 = 999_999;
/// A game of more weight than this would better be played in more rounds.
const MOST_WEIGHT: u32 = 1000;

fn wrong<T>(key: &'static str, message: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::Value {
        key,
        message: message.into(),
    })
}

/// How bots meet.
pub(super) fn format(file: &ConfigFile, bots: &[Arc<BotSpec>]) -> Result<Format, Problem> {
    let given = file.format;
    if given != Given::Gauntlet && !file.challengers.is_empty() {
        return wrong("challengers", "`format = \"gauntlet\"` is needed for that");
    }
    if given != Given::Knockout && file.knockout.is_some() {
        return wrong("knockout", "`format = \"knockout\"` is needed for that");
    }
    if given != Given::Sprt && file.sprt.is_some() {
        return wrong("sprt", "`format = \"sprt\"` is needed for that");
    }
    Ok(match given {
        Given::RoundRobin => Format::RoundRobin,
        Given::Gauntlet => Format::Gauntlet {
            challengers: challengers(&file.challengers, bots)?,
        },
        Given::Swiss => Format::Swiss,
        Given::Knockout => {
            let KnockoutTable {
                seeding,
                tie_breaks,
                third_place,
            } = file.knockout.unwrap_or_default();
            Format::Knockout {
                drawn: seeding == Seeding::Lot,
                tie_breaks,
                third_place,
            }
        }
        Given::Sprt => sprt(&file.sprt.unwrap_or_default(), bots.len())?,
    })
}

fn challengers(names: &[String], bots: &[Arc<BotSpec>]) -> Result<Vec<usize>, Problem> {
    if names.is_empty() {
        return wrong("challengers", "a gauntlet needs at least one, by its name");
    }
    let mut challengers = Vec::new();
    for name in names {
        let Some(bot) = bots.iter().position(|bot| bot.name == name.trim()) else {
            return wrong("challengers", format!("there is no bot `{name}`"));
        };
        if challengers.contains(&bot) {
            return wrong("challengers", format!("the bot `{name}` is there twice"));
        }
        challengers.push(bot);
    }
    Ok(challengers)
}

fn sprt(table: &SprtTable, bots: usize) -> Result<Format, Problem> {
    let SprtTable {
        model,
        elo0,
        elo1,
        alpha,
        beta,
        max_pairs,
    } = *table;
    let hypotheses = Hypotheses {
        model: match model {
            GivenModel::Logistic => EloModel::Logistic,
            GivenModel::Normalized => EloModel::Normalized,
        },
        elo0,
        elo1,
        alpha,
        beta,
    };
    if let Err(bad) = hypotheses.check() {
        let key = match bad {
            BadHypotheses::Elo | BadHypotheses::NormalizedElo => "sprt.elo1",
            BadHypotheses::Alpha => "sprt.alpha",
            BadHypotheses::Beta => "sprt.beta",
        };
        return wrong(key, bad.to_string());
    }
    if max_pairs == 0 {
        return wrong("sprt.max_pairs", "at least 1 pair is needed");
    }
    if bots != 2 {
        return wrong(
            "bots",
            format!("a test is between 2 bots, but {bots} are there"),
        );
    }
    Ok(Format::Sprt {
        hypotheses,
        max_pairs,
    })
}

/// How often everything is played.
pub(super) fn rounds(file: &ConfigFile, format: &Format, bots: usize) -> Result<u32, Problem> {
    match (file.rounds, format) {
        (Some(_), Format::Sprt { .. }) => wrong(
            "rounds",
            "a test ends by itself; `sprt.max_pairs` limits it",
        ),
        (Some(0), _) => wrong("rounds", "at least 1 round is needed"),
        (Some(rounds), _) => Ok(rounds),
        (None, Format::Swiss) => Ok(bots.next_power_of_two().ilog2().max(1)),
        (None, _) => Ok(1),
    }
}

/// The schedule of a tournament that was extended to this one, from its configuration.
///
/// # Errors
/// Why this one is no extension of it.
pub(super) fn earlier(text: &str, now: &Config, version: Version) -> Result<Earlier, String> {
    let file: ConfigFile = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let names: Vec<&str> = file.bots.iter().map(|bot| bot.name.trim()).collect();
    let bot = |name: &&str| {
        let at = now.bots.iter().position(|bot| bot.name == *name);
        at.ok_or_else(|| format!("the bot `{name}` is not there any more"))
    };
    let mut games = Vec::new();
    let mut places = Vec::new();
    for entry in &file.games {
        let game = config::game(entry, &file.limits).map_err(|problem| problem.to_string())?;
        // Those of the same kind keep their order.
        let from = places.last().map_or(0, |last| last + 1);
        let place = (from..now.games.len()).find(|&at| same(&game, &now.games[at]));
        let id = game.rules.info().id;
        places.push(place.ok_or_else(|| format!("the game `{id}` is not there any more"))?);
        games.push(game.shape());
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
                Given::Gauntlet => Format::Gauntlet {
                    challengers: challengers.collect::<Result<_, _>>()?,
                },
                _ => Format::RoundRobin,
            },
            games,
            bots: names.len(),
            rounds: file.rounds.unwrap_or(1),
            orders: seat_orders(&file),
            seed: file.seed,
            version,
        },
    })
}

fn same(one: &GameSetup, other: &GameSetup) -> bool {
    let key = |game: &GameSetup| (game.rules.info().id, game.rules.options().to_json());
    key(one) == key(other) && one.limits == other.limits && one.weight == other.weight
}

/// In which orders the bots of a group sit.
pub(super) fn seat_orders(file: &ConfigFile) -> SeatOrders {
    match file.seat_orders {
        GivenOrders::Rotations => SeatOrders::Rotations,
        GivenOrders::Permutations => SeatOrders::Permutations,
    }
}

/// Whether bots can meet like this.
pub(super) fn check(shape: &Shape, games: &[GameSetup]) -> Result<(), Problem> {
    for game in games {
        let (seats, id) = (game.rules.seats(), game.rules.info().id);
        if shape.bots < seats {
            let bots = shape.bots;
            return wrong(
                "bots",
                format!("{id} has {seats} seats but only {bots} bots are there"),
            );
        }
        if shape.format.is_of_pairings() && seats != 2 {
            let message = format!(
                "{id} has {seats} seats; games of more than 2 need \"round-robin\" or \"gauntlet\""
            );
            return wrong("format", message);
        }
        if !(1..=MOST_WEIGHT).contains(&game.weight) {
            let weight = game.weight;
            return wrong(
                "games.weight",
                format!("{weight} of {id}, but weights are from 1 to {MOST_WEIGHT}"),
            );
        }
    }
    let matches = shape.count().most;
    if matches > MOST_MATCHES {
        let key = match shape.format {
            Format::Sprt { .. } => "sprt.max_pairs",
            _ => "rounds",
        };
        let message = format!("these are {matches} matches; at most {MOST_MATCHES} are allowed");
        return wrong(key, message);
    }
    Ok(())
}
