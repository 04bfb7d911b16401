//! The keys of the format.

use schedule::{Format, FormatName, SeatOrders, Shape};

use std::sync::Arc;

use crate::error::Diagnostic;
use crate::setup::game::GameSetup;
use crate::tables::{ConfigFile, KnockoutTable, Seeding, SprtTable};
use games::kit::text::nearest;
use ratings::MOST_SEATS;
use ratings::sprt::{BadHypotheses, Hypotheses};
use supervisor::BotSpec;

/// Limit on matches: the schedule is held in memory, and ids have six digits.
const MOST_MATCHES: u64 = 999_999;
/// Games of this many seats have 24 seat orders.
const MOST_PERMUTED: usize = 4;

fn wrong<T>(key: &str, message: impl Into<String>) -> Result<T, Diagnostic> {
    Err(Diagnostic::value(key, message))
}

pub(crate) fn format(file: &ConfigFile, bots: &[Arc<BotSpec>]) -> Result<Format, Diagnostic> {
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

fn challengers(names: &[String], bots: &[Arc<BotSpec>]) -> Result<Vec<usize>, Diagnostic> {
    if names.is_empty() {
        return wrong("challengers", "a gauntlet needs at least one, by its name");
    }
    let mut challengers = Vec::new();
    for name in names {
        let Some(bot) = bots.iter().position(|bot| bot.name == name.trim()) else {
            let names: Vec<&str> = bots.iter().map(|bot| &*bot.name).collect();
            let near = nearest(name, &names);
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            return wrong("challengers", format!("there is no bot `{name}`{near}"));
        };
        if challengers.contains(&bot) {
            return wrong("challengers", format!("the bot `{name}` is there twice"));
        }
        challengers.push(bot);
    }
    Ok(challengers)
}

fn sprt(table: &SprtTable, bots: usize) -> Result<Format, Diagnostic> {
    let SprtTable {
        model,
        elo0,
        elo1,
        alpha,
        beta,
        max_pairs,
    } = *table;
    let hypotheses = Hypotheses {
        model,
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

pub(crate) fn rounds(file: &ConfigFile, format: &Format, bots: usize) -> Result<u32, Diagnostic> {
    match (file.rounds, format) {
        (Some(_), Format::Sprt { .. }) => wrong(
            "rounds",
            "a test ends by itself, and `sprt.max_pairs` limits it: remove `rounds`",
        ),
        (Some(rounds), _) => Ok(rounds),
        (None, Format::Swiss) => Ok(bots.next_power_of_two().ilog2().max(1)),
        (None, _) => Ok(1),
    }
}

/// Checks that bots can meet in this format.
pub(crate) fn check(shape: &Shape, games: &[GameSetup]) -> Result<(), Diagnostic> {
    for game in games {
        let (seats, id) = (game.rules.seats(), &game.rules.info().id);
        if !(1..=MOST_SEATS).contains(&seats) {
            return wrong(
                "games",
                format!("{id} has {seats} seats; tournaments are of games with 1 to {MOST_SEATS}"),
            );
        }
        if shape.orders == SeatOrders::Permutations && seats > MOST_PERMUTED {
            return wrong(
                "seat_orders",
                format!(
                    "{id} has {seats} seats, and \"permutations\" is for games of at most {MOST_PERMUTED}; \
                     choose \"rotations\""
                ),
            );
        }
        if shape.bots < seats {
            let there = match shape.bots {
                1 => "1 bot is".to_owned(),
                bots => format!("{bots} bots are"),
            };
            return wrong(
                "bots",
                format!(
                    "{id} has {seats} seats but only {there} there; at least {seats} are needed"
                ),
            );
        }
        if shape.format.is_of_pairings() && seats != 2 {
            let message = format!(
                "{id} has {seats} seat{}; games that are not of 2 seats need \"round-robin\" or \"gauntlet\"",
                if seats == 1 { "" } else { "s" }
            );
            return wrong("format", message);
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
