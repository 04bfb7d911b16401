//! The moves of openings, which statistics do not keep.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use ratings::Number;
use serde::Deserialize;

use super::read::{LogError, LogFile, LogLine};

/// A match as far as its opening.
#[derive(Deserialize)]
struct Begun {
    format: u32,
    #[serde(rename = "match")]
    match_id: String,
    opening: u32,
    moves: Vec<OpeningMove>,
}

#[derive(Deserialize)]
struct OpeningMove {
    #[serde(rename = "move")]
    mv: String,
}

impl LogLine for Begun {
    type Memo = ();

    fn read(text: &[u8], (): &mut ()) -> serde_json::Result<Self> {
        serde_json::from_slice(text)
    }

    fn format(&self) -> u32 {
        self.format
    }
}

/// The moves that the referee made in these matches of some logs, which are counted from 0.
///
/// # Errors
/// If a log cannot be read.
pub fn opening_moves(
    logs: &[PathBuf],
    matches: &BTreeSet<Number>,
) -> Result<BTreeMap<Number, Vec<String>>, LogError> {
    let mut found = BTreeMap::new();
    if matches.is_empty() {
        return Ok(found);
    }
    for (log, path) in (0..).zip(logs) {
        let moves = |mut begun: Begun, (): &mut ()| {
            let number = Number::new(log, &begun.match_id);
            matches.contains(&number).then(|| {
                begun.moves.truncate(begun.opening as usize);
                let moves = begun.moves.into_iter().map(|it| it.mv);
                (number, moves.collect::<Vec<String>>())
            })
        };
        LogFile::open(path)?.each(moves, |moves| {
            found.extend(moves.take());
            Ok::<_, LogError>(())
        })?;
    }
    Ok(found)
}
