//! Asks bots, by `hello`, for their games: once, before a new tournament starts.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

use config::Config;
use futures_util::stream::{self, StreamExt as _};
use itertools::Itertools as _;
use log::WriteError;
use serde::{Deserialize, Serialize};
use supervisor::{BotFactory, BotSpec};

use crate::admission::builds;
use crate::admission::error::AdmissionError;
use crate::admission::notes::{read_note, write_note};

pub(super) const ANSWERS: &str = "bot-games.toml";
/// Answers come from untrusted bots and are read again, so at most this many ids are kept.
const MOST_GAMES: usize = 16;
const LONGEST_ID: usize = 40;
const COMMENT: &str = "# The games of bots whose configuration does not name them, as their `hello` did before the first match.\n";

#[derive(Default, Serialize, Deserialize)]
struct AnswersFile {
    games: BTreeMap<String, Vec<String>>,
}

/// True if there are bots to ask, among all or those of these names.
pub fn are_wanted(config: &Config, among: Option<&[String]>) -> bool {
    to_ask(config, among).next().is_some()
}

/// The bots whose games are unknown. None for shards: all machines must agree on the schedule
/// without asking. None if later pairings depend on results: everybody plays everything there, as
/// an answer must not stop a contest.
fn to_ask<'a>(
    config: &'a Config,
    among: Option<&'a [String]>,
) -> impl Iterator<Item = &'a Arc<BotSpec>> {
    let bots = config.bots.iter().filter(move |bot| {
        let is_meant = among.is_none_or(|names| names.contains(&bot.name));
        is_meant && bot.games.is_none() && bot.ggp.is_none()
    });
    bots.filter(|_| config.plays_here_alone() && !config.schedule.format.is_of_pairings())
}

/// Asks bots (all, or those of these names) for their games, and returns the configuration with the
/// answers. A bot that does not start plays all games, and forfeits them.
///
/// # Errors
/// If nothing can be started on this machine, or the bots cannot meet in the games that they play.
pub async fn ask(mut config: Config, among: Option<&[String]>) -> Result<Config, AdmissionError> {
    let at_a_time = available_parallelism().map_or(1, |cores| cores.get());
    let asked: Vec<_> = to_ask(&config, among).cloned().collect();
    let answers = asked.iter().map(|spec| games_of(&config, spec));
    let mut answers = stream::iter(answers).buffered(at_a_time);
    let mut answered = config.admission.answered.clone();
    let mut specs = asked.iter();
    while let (Some(games), Some(spec)) = (answers.next().await, specs.next()) {
        if let Some(games) = games? {
            answered.insert(spec.name.clone(), games);
        }
    }
    drop(answers);
    config.admission.answered = answered;
    let met = config.check_participation();
    met.map_err(AdmissionError::Games)?;
    Ok(config)
}

/// The games that a bot names; `None` if it names none, or does not start.
async fn games_of(
    config: &Config,
    spec: &Arc<BotSpec>,
) -> Result<Option<Vec<String>>, AdmissionError> {
    let hidden = builds::others(config, spec);
    let factory = BotFactory::new(std::slice::from_ref(spec), &hidden, None)?;
    let hello = factory.hello_of(spec).await;
    let games = hello.and_then(|hello| hello.games);
    // Known games first, so that unknown ids cannot crowd them out.
    let known = |id: &String| config.rules.catalog.find(id).is_ok();
    Ok(games.map(|games| {
        let (known, others): (Vec<_>, Vec<_>) = games.into_iter().unique().partition(known);
        let others = others
            .into_iter()
            .filter(|id| id.len() <= LONGEST_ID)
            .take(MOST_GAMES);
        known.into_iter().chain(others).collect()
    }))
}

/// Saves the answers in the folder of the tournament.
///
/// # Errors
/// If that cannot be written.
pub fn note(folder: &Path, config: &Config) -> Result<(), WriteError> {
    let file = AnswersFile {
        games: config.admission.answered.clone(),
    };
    write_note(
        folder,
        ANSWERS,
        config.admission.answered.is_empty(),
        COMMENT,
        &file,
    )
}

/// Reads the answers that a folder has.
///
/// # Errors
/// If the file cannot be used.
pub fn noted(folder: &Path) -> Result<BTreeMap<String, Vec<String>>, AdmissionError> {
    let file: Option<AnswersFile> = read_note(folder, ANSWERS)?;
    Ok(file.unwrap_or_default().games)
}
