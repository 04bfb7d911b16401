//! A folder about each match that a bot lost by its own fault: what was said, what it printed on
//! stderr, how it ended, and how to play its side again.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use protocol::{Fault, LoggedMove, Player, Record, TimeControl};
use serde::Serialize;

use crate::bot::spec::BotSpec;
use crate::bot::{Evidence, file_name};

/// The folder of failures in a tournament's folder.
pub const FAILURES_NAME: &str = "failures";

/// A match that a bot lost by its own fault.
#[derive(Debug, Serialize)]
pub(super) struct Failure {
    #[serde(rename = "match")]
    match_id: String,
    game: String,
    player: Player,
    fault: Fault,
    /// How its process ended; null if it was still running then.
    exit: Option<String>,
    /// The limits that it had.
    time: TimeControl,
    /// Its last moves, with what they took.
    last_moves: Vec<LoggedMove>,
    started: String,
    /// Its working directory.
    dir: PathBuf,
    /// Added to its environment.
    env: BTreeMap<String, String>,
    /// The command that plays its side again.
    play_again: String,
}

/// So many of the bot's last moves are told.
const LAST_MOVES: usize = 10;

impl Failure {
    /// The failure of a seat, if it had one.
    pub(super) fn of(record: &Record, seat: usize, spec: &BotSpec, folder: &Path) -> Option<Self> {
        let mut faults = record.result.faults.iter();
        let fault = faults.find(|fault| fault.seat == seat && fault.code.is_fault())?;
        let mut last_moves: Vec<LoggedMove> = record.moves[record.opening as usize..]
            .iter()
            .rev()
            .filter(|played| played.seat == seat && !played.forced)
            .take(LAST_MOVES)
            .cloned()
            .collect();
        last_moves.reverse();
        Some(Failure {
            match_id: record.match_id.clone(),
            game: record.game.clone(),
            player: record.players[seat].clone(),
            fault: fault.clone(),
            exit: None,
            time: spec.time.clone(),
            last_moves,
            started: record.started.clone(),
            dir: spec.dir.clone(),
            env: spec.env.clone(),
            play_again: shell_words::join([
                "referee",
                "replay",
                &folder.to_string_lossy(),
                "--match",
                &record.match_id,
                "--bot",
                &spec.name,
                "--dir",
                &spec.dir.to_string_lossy(),
            ]),
        })
    }

    /// Writes the folder. A failure that cannot be written is no reason to stop anything.
    pub(super) fn write(mut self, folder: &Path, evidence: Option<Evidence>) {
        let (id, seat) = (&self.match_id, self.fault.seat);
        let name = format!("{id}-seat{seat}-{}", file_name(&self.player.name));
        let folder = folder.join(FAILURES_NAME).join(name);
        if let Err(error) = self.try_write(&folder, evidence) {
            tracing::warn!("{}: {error}", folder.display());
        }
    }

    fn try_write(&mut self, folder: &PathBuf, evidence: Option<Evidence>) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let lines = match evidence {
            Some(evidence) => {
                self.exit = evidence.exit.clone();
                if let Some(stderr) = &evidence.stderr {
                    fs::write(folder.join("stderr.txt"), stderr)?;
                }
                let file = File::create(folder.join("lines.jsonl"))?;
                evidence.write_lines(BufWriter::new(file))
            }
            // It was not started at all for this match.
            None => Ok(()),
        };
        let file = File::create(folder.join("failure.json"))?;
        serde_json::to_writer_pretty(BufWriter::new(file), self)?;
        lines
    }
}
