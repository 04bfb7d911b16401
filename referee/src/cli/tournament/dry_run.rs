//! The plan that `referee tournament --dry-run` and `referee config check` print.

use std::fmt::Write as _;
use std::time::Duration;

use config::Config;
use report::forecast::{Forecast, MatchForecast};
use report::{print_notice, sheet};
use tournament::TournamentError;
use tournament::admission;

use crate::cli::CliError;
use crate::cli::common::format::{OutputFormat, print, print_json};

/// Most matches in the text output.
const FIRST: usize = 20;
/// Most bots by name.
const MOST_NAMES: usize = 12;

/// Leaves out the bots that are known to be broken without building or starting any, and reports
/// them.
pub(crate) async fn foreseen(config: Config) -> Result<Config, CliError> {
    let report = |line: &str| print_notice(format_args!("{line}\n"));
    Ok(admission::foreseen(config, report).map_err(TournamentError::from)?)
}

/// The whole schedule, as far as it is known.
pub(crate) fn print_schedule(config: &Config, format: OutputFormat) -> Result<(), CliError> {
    let forecast = Forecast::of(config)?;
    if format == OutputFormat::Json {
        return print_json(&forecast);
    }
    let mut text = summary(&forecast);
    text.push('\n');
    for scheduled in forecast.schedule.iter().take(FIRST) {
        let MatchForecast {
            match_id,
            round,
            game,
            ..
        } = scheduled;
        let players = scheduled.players.join(" – ");
        let _ = writeln!(text, "{match_id}  round {round}  {game}  {players}");
    }
    let known = forecast.schedule.count();
    if let Some(more) = known.checked_sub(FIRST as u64).filter(|more| *more > 0) {
        let _ = writeln!(text, "… and {more} more: `--format json` has all");
    }
    if known < forecast.matches_most {
        text += "What comes then depends on results.\n";
    }
    print(&text)
}

/// A summary of the tournament in a few lines, or in full as JSON.
pub(crate) fn print_summary(config: &Config, format: OutputFormat) -> Result<(), CliError> {
    let forecast = Forecast::of(config)?;
    match format {
        OutputFormat::Text => print(&summary(&forecast)),
        OutputFormat::Json => print_json(&forecast),
    }
}

fn summary(forecast: &Forecast<'_>) -> String {
    let Forecast {
        name,
        format,
        bots,
        concurrency,
        ..
    } = forecast;
    let rounds = match forecast.rounds {
        None => String::new(),
        Some(1) => ", 1 round".to_owned(),
        Some(rounds) => format!(", {rounds} rounds"),
    };
    let (count, players) = (forecast.count(), bots.len());
    let mut names = bots[..players.min(MOST_NAMES)].join(", ");
    if players > MOST_NAMES {
        names += ", …";
    }
    let players = sheet::count(players as u64, "bot", "bots");
    let mut text = format!(
        "{name}: {format}{rounds}\n{count} of {players} ({names}), {concurrency} at a time\n"
    );
    let _ = writeln!(
        text,
        "{}: from bots that answer at once to bots that use all their time, in games as long as \
         random ones",
        duration(forecast.seconds_at_once, forecast.seconds_most)
    );
    if let Some(test) = &forecast.test {
        text += &test.in_words();
    }
    for game in &forecast.games {
        let weight = match game.weight {
            1 => String::new(),
            weight => format!(", weight {weight}"),
        };
        let _ = writeln!(
            text,
            "  {}: about {}{weight}",
            label(game),
            sheet::count(game.plies.round() as u64, "ply", "plies")
        );
    }
    text
}

fn label(game: &report::forecast::GameForecast) -> String {
    ratings::game_label(&game.id, &game.options)
}

fn duration(least: u64, most: u64) -> String {
    let words = |seconds: u64| {
        let whole = humantime::format_duration(Duration::from_secs(seconds)).to_string();
        // Among days, seconds do not matter.
        whole.split(' ').take(2).collect::<Vec<_>>().join(" ")
    };
    if least == most {
        format!("About {}", words(most))
    } else {
        format!("About {} to {}", words(least), words(most))
    }
}
