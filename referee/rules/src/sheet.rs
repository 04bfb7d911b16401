//! Sheets in the Game Description Language as sources of rules. They are evaluated in this process,
//! which needs no supervisor: a sheet can do nothing but be true or false.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use games::Entry;
use gdl::{GroundLimits, Names, Report, SheetGame};

use crate::program::source::{RulesSource, SHEET, SourceError};

/// A longer file is no sheet, in bytes.
const MOST_BYTES: u64 = 8 << 20;

/// A sheet that is a game now.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The game's id.
    pub id: String,
    /// The name of the file, without its folders.
    pub file: String,
    pub text: Arc<str>,
    pub report: Report,
}

/// The id of a sheet: the file's name without its end, in small letters, with hyphens in place of what
/// ids cannot have.
fn own_id(path: &Path) -> String {
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().to_lowercase());
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let id: String = stem.unwrap_or_default().chars().map(plain).collect();
    match id.trim_matches('-') {
        "" => "sheet".to_owned(),
        id => id.to_owned(),
    }
}

impl RulesSource {
    /// The file of the sheet that this source is; `None` if it is a program.
    pub(super) fn sheet(&self) -> Option<PathBuf> {
        match &self.command[..] {
            [file] if file.ends_with(SHEET) => Some(self.dir.join(file)),
            _ => None,
        }
    }

    /// Reads the sheet in this file. What is not grounded after that long is interpreted, and no
    /// question about a position takes longer than the other.
    ///
    /// # Errors
    /// If it cannot be read, or is not well formed.
    pub(super) fn open_sheet(
        &self,
        path: &Path,
        (grounding, timeout): (Duration, Duration),
    ) -> Result<(Sheet, Arc<Entry>), SourceError> {
        let text = files::read(path, MOST_BYTES).map_err(|error| SourceError::File {
            name: self.name(),
            error,
        })?;
        let own_id = own_id(path);
        let id = self.id(&own_id);
        let names = Names {
            id: &id,
            own_id: &own_id,
        };
        let limits = GroundLimits {
            time: Some(grounding),
            question_time: Some(timeout),
            ..GroundLimits::DEFAULT
        };
        let game = SheetGame::with_limits(&names, &text, &limits);
        let game = game.map_err(|error| SourceError::Sheet {
            name: self.name(),
            error,
        })?;
        let file = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let sheet = Sheet {
            file: file.unwrap_or_default(),
            text: text.into(),
            report: game.report,
            id,
        };
        Ok((sheet, game.entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_become_ids() {
        for (path, id) in [
            ("games/nim.kif", "nim"),
            ("ticTacToe.kif", "tictactoe"),
            ("chinese_checkers 6.v2.kif", "chinese-checkers-6-v2"),
            ("_.kif", "sheet"),
        ] {
            assert_eq!(own_id(Path::new(path)), id);
        }
    }
}
