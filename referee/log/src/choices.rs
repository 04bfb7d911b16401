//! Checks whether bots that always answered alike had a choice, as statistics do not store legal moves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use protocol::{Player, Record};
use ratings::Number;
use ratings::store::Alike;

use super::read::{LogError, LogFile};

/// Minimum number of different positions with more than one legal move to say that two bots answer
/// alike.
pub const MIN_CHOICES: usize = 50;

/// Two bots that are probably the same.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SameAnswers {
    /// Their names.
    pub bots: [String; 2],
    /// The number of positions in which both had a choice and chose the same move.
    pub positions: usize,
}

/// Those of these pairs that had a choice often enough. Bots with the same files are left out: that
/// was said when the tournament began.
///
/// # Errors
/// If a log cannot be read.
pub fn same_answers(logs: &[PathBuf], alike: Vec<Alike>) -> Result<Vec<SameAnswers>, LogError> {
    let mut wanted: BTreeMap<Number, BTreeSet<u32>> = BTreeMap::new();
    for (number, ply) in alike.iter().flat_map(|pair| &pair.positions) {
        wanted.entry(*number).or_default().insert(*ply);
    }
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut choices = BTreeSet::new();
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (log, path) in (0..).zip(logs) {
        let look = |record: Record, (): &mut ()| {
            let number = Number::new(log, &record.match_id);
            let plies = wanted.get(&number)?;
            Some((number, with_choice(&record, plies), record.players))
        };
        LogFile::open(path)?.each(look, |seen| {
            if let Some((number, plies, players)) = seen {
                choices.extend(plies.iter().map(|ply| (*number, *ply)));
                files.extend(players.iter().map(|it| (it.name.clone(), made_of(it))));
            }
            Ok::<_, LogError>(())
        })?;
    }
    let pairs = alike.into_iter().map(|pair| SameAnswers {
        positions: pair
            .positions
            .iter()
            .filter(|it| choices.contains(it))
            .count(),
        bots: {
            // Independent of the order in the log: that of concurrent matches is arbitrary.
            let mut bots = pair.bots;
            bots.sort();
            bots
        },
    });
    let is_news = |pair: &SameAnswers| {
        let [one, other] = pair.bots.each_ref().map(|bot| files.get(bot));
        let same_files = one == other && one.is_some_and(|words| !words.is_empty());
        pair.positions >= MIN_CHOICES && !same_files
    };
    Ok(pairs.filter(is_news).collect())
}

/// The command of a bot with digests in the place of its files; empty if it names none.
fn made_of(player: &Player) -> Vec<String> {
    if player.files.is_empty() {
        return Vec::new();
    }
    let word = |word: &String| player.files.get(word).unwrap_or(word).clone();
    player.command.iter().map(word).collect()
}

/// Those of these plies at which there was more than one legal move.
fn with_choice(record: &Record, plies: &BTreeSet<u32>) -> Vec<u32> {
    let mut found = Vec::new();
    // Statistics ask no rules programs.
    let Some(game) = games::find(&record.game) else {
        return found;
    };
    let Ok(rules) = game.configure(&record.options) else {
        return found;
    };
    let Ok(mut session) = rules.load(&record.start) else {
        return found;
    };
    for (ply, played) in (0..).zip(&record.moves) {
        if plies.contains(&ply) && session.legal().is_ok_and(|legal| legal.len() > 1) {
            found.push(ply);
        }
        if session.play(&played.mv).is_err() {
            break;
        }
    }
    found
}
