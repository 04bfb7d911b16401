//! A report as JSON: the statistics as they are.

use crate::sheet::statistics::{By, Sheet};
use log::{ModelUse, SameAnswers};
use serde::Serialize;

use ratings::report::{OVERSHOOT_MS, OpeningReport, Ratings, SHARES};
use ratings::{FAULT_CODES, Report};

/// Explains the document. The number is its version.
const NOTE: &str = "referee standings 1: bots and games are given by their index in `bots` and \
                    `games`; ratings are in Elo by expected score with 95 % intervals, `log_odds` are \
                    the model's; an end of an interval that is not known is null; `differences` are of \
                    the first bot less the second one, sure where `false_discovery` is at most 0.05; \
                    `across_games` has the intervals for games that were not played, its `differences` \
                    in the same order; `nash` has each bot's share of a mix that cannot be exploited, \
                    and its score against it; a bot's `faults` are in the order of `fault_codes`, the \
                    classes of `overshoot` end at `overshoot_ms`, those of `shares` at `share_ends`";

/// With `by` = `goal`.
const NOTE_ON_GOALS: &str = "; `goals` are means of the game's own scores, with their standard `error` and half of \
                             the 95 % interval (`reach`), null where they are not known";

#[derive(Serialize)]
struct Document<'a> {
    schema: String,
    by: Option<By>,
    fault_codes: [&'static str; FAULT_CODES.len()],
    overshoot_ms: [u64; OVERSHOOT_MS.len()],
    share_ends: [f64; SHARES.len()],
    /// With `by` = `game`: the ratings of each game alone, in the order of `games`.
    #[serde(skip_serializing_if = "<[Ratings]>::is_empty")]
    ratings_by_game: &'a [Ratings],
    /// With `by` = `opening`: the moves of each, in the order of `openings`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    opening_moves: Vec<Option<&'a Vec<String>>>,
    /// Pairs of bots that gave the same answer wherever both had a choice, with the number of
    /// positions.
    #[serde(skip_serializing_if = "<[SameAnswers]>::is_empty")]
    same_answers: &'a [SameAnswers],
    /// The use of language models by bot.
    #[serde(skip_serializing_if = "<[ModelUse]>::is_empty")]
    models: &'a [ModelUse],
    #[serde(flatten)]
    report: &'a Report,
}

pub(super) fn write(sheet: &Sheet) -> String {
    let openings = sheet.report.openings.iter().flatten();
    let moves = |opening: &OpeningReport| sheet.opening_moves.get(&opening.first);
    let document = Document {
        schema: match sheet.by {
            Some(By::Goal) => format!("{NOTE}{NOTE_ON_GOALS}"),
            _ => NOTE.to_owned(),
        },
        by: sheet.by,
        fault_codes: FAULT_CODES.map(|code| code.as_str()),
        overshoot_ms: OVERSHOOT_MS,
        share_ends: SHARES,
        ratings_by_game: &sheet.games,
        opening_moves: openings.map(moves).collect(),
        same_answers: &sheet.same_answers,
        models: &sheet.models,
        report: &sheet.report,
    };
    // Plain data with string keys always serializes.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}
