//! Remarks: what bots write in the `info` of their turns that statistics repeat, which are warnings and the
//! use of language models.

use std::collections::BTreeMap;

use memchr::memmem;
use protocol::{LoggedMove, Record, excerpt};
use ratings::MatchSummary;
use ratings::matches::REMARKS;

use super::model_use::{ModelUse, models_of};

/// Bytes of a warning.
const LONGEST: usize = 300;
/// Distinct warnings of a bot: bots may write anything.
const MOST: usize = 3;

/// A warning of a bot: that a move is worse than usual.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct BotWarning {
    pub bot: String,
    /// Its text, escaped and shortened.
    pub text: String,
    /// The number of moves with it.
    pub moves: u64,
    /// The id of the first match with it.
    pub first: String,
}

/// The warning that a bot sent with a move, escaped and shortened.
pub fn warning_of(played: &LoggedMove) -> Option<String> {
    let warning = played.info.as_ref()?.get("warning")?.as_str()?;
    Some(excerpt(warning.as_bytes(), LONGEST))
}

/// The remarks in one match.
#[derive(Debug)]
pub(super) struct MatchRemarks {
    /// The seat and the text of each.
    warnings: Vec<(usize, String)>,
    /// By seat.
    models: Vec<Option<ModelUse>>,
}

impl MatchRemarks {
    /// Those in a line of a log, if it has any. Hardly any has, and the moves of others need not be read.
    pub(super) fn read(line: &[u8], played: &MatchSummary) -> Option<Box<Self>> {
        // A bot may also say something about its fault.
        let has_any = played.moves.list.iter().any(|ply| ply.info.has_remark)
            || (!played.result.faults.is_empty()
                && REMARKS
                    .iter()
                    .any(|key| memmem::find(line, key.as_bytes()).is_some()));
        if !has_any {
            return None;
        }
        let record: Record = serde_json::from_slice(line).ok()?;
        let moves = record.moves.iter();
        let warnings = moves.filter_map(|played| Some((played.seat?, warning_of(played)?)));
        Some(Box::new(MatchRemarks {
            warnings: warnings.collect(),
            models: models_of(&record),
        }))
    }
}

/// The remarks in many matches.
#[derive(Debug, Default)]
pub struct Remarks {
    /// By bot.
    warnings: BTreeMap<String, Vec<BotWarning>>,
    /// By bot.
    models: BTreeMap<String, ModelUse>,
}

impl Remarks {
    /// Adds those of a match, by the names that its summary has for the bots.
    pub(super) fn add(&mut self, played: &MatchSummary, remarks: &MatchRemarks) {
        for (seat, text) in &remarks.warnings {
            if let Some(player) = played.players.get(*seat) {
                self.warn(&player.name, text, &played.match_id);
            }
        }
        for (player, used) in played.players.iter().zip(&remarks.models) {
            if let Some(used) = used {
                let sum = self.models.entry(player.name.to_string()).or_default();
                sum.add(ModelUse {
                    bot: player.name.to_string(),
                    ..used.clone()
                });
            }
        }
    }

    fn warn(&mut self, bot: &str, text: &str, match_id: &str) {
        let warnings = self.warnings.entry(bot.to_owned()).or_default();
        if let Some(known) = warnings.iter_mut().find(|known| known.text == text) {
            known.moves += 1;
        } else if warnings.len() < MOST {
            warnings.push(BotWarning {
                bot: bot.to_owned(),
                text: text.to_owned(),
                moves: 1,
                first: match_id.to_owned(),
            });
        }
    }

    /// The warnings, and the use of models by bot.
    pub fn into_lists(self) -> (Vec<BotWarning>, Vec<ModelUse>) {
        let warnings = self.warnings.into_values().flatten().collect();
        (warnings, self.models.into_values().collect())
    }
}
