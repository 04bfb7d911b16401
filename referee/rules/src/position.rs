//! What a rules program says about a position.

use std::sync::Arc;

use games::session::{End, Tally};
use games::{ToMove, View};
use protocol::MoveList;
use serde_json::Value;

/// No move is longer, in bytes.
pub(super) const LONGEST_MOVE: usize = 200;

/// All that one answer says about a position.
#[derive(Debug, PartialEq)]
pub(super) struct Position {
    pub(super) ply: u32,
    pub(super) to_move: ToMove,
    pub(super) end: Option<End>,
    /// `None` if the answer does not say it, as when nobody wanted to know.
    pub(super) legal: Option<Legal>,
    /// As JSON on one line, as serde writes it.
    pub(super) state: Option<Arc<str>>,
    pub(super) key: Option<String>,
    pub(super) view: Option<View>,
    pub(super) tally: Option<Tally>,
    pub(super) roles: Option<Vec<String>>,
    /// What each seat perceived, step by step.
    pub(super) sees: Option<Vec<Vec<Vec<Value>>>>,
}

impl Position {
    /// The same position, if the answer lists what is legal.
    ///
    /// # Errors
    /// If not, in words as of [`Position::read`].
    pub(super) fn listed(self) -> Result<Self, String> {
        if self.legal.is_some() {
            Ok(self)
        } else {
            Err("gives no `legal`, which was wanted".to_owned())
        }
    }
}

/// What is legal in a position.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Legal {
    /// By seat, ascending.
    pub(super) moves: Vec<(usize, MoveList)>,
    /// What chance may bring, in the order of the texts.
    pub(super) chances: Vec<(String, f64)>,
}

impl Legal {
    /// The moves of a seat; `None` if it does not act.
    pub(super) fn of(&self, seat: usize) -> Option<&MoveList> {
        let mut moves = self.moves.iter();
        moves.find(|(of, _)| *of == seat).map(|(_, moves)| moves)
    }
}
