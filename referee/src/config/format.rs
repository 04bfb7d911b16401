//! The keys of a configuration that say how bots meet.

use std::sync::Arc;

use super::error::Problem;
use super::file::{ConfigFile, KnockoutTable, Seeding, SprtModel, SprtTable};
use super::game::GameSetup;
use crate::tournament::schedule::{Format, FormatName, Shape};
use ratings::sprt::{BadHypotheses, EloModel, Hypotheses};
use supervisor::BotSpec;

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
    if given != FormatName::Gauntlet && !file.challengers.is_empty() {
        return wrong("challengers", "`format = \"gauntlet\"` is needed for that");
    }
    if given != FormatName::Knockout && file.knockout.is_some() {
        return wrong("knockout", "`format = \"knockout\"` is needed for that");
    }
    if given != FormatName::Sprt && file.sprt.is_some() {
        return wrong("sprt", "`format = \"sprt\"` is needed for that");
    }
    Ok(match given {
        FormatName::RoundRobin => Format::RoundRobin,
        FormatName::Gauntlet => Format::Gauntlet {
            challengers: challengers(&file.challengers, bots)?,
        },
        FormatName::Swiss => Format::Swiss,
        FormatName::Knockout => {
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
        FormatName::Sprt => sprt(&file.sprt.unwrap_or_default(), bots.len())?,
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
            SprtModel::Logistic => EloModel::Logistic,
            SprtModel::Normalized => EloModel::Normalized,
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
