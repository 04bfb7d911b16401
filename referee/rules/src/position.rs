//! All that is known of a position of a rules program: what its answers have said so far.

use std::sync::atomic::AtomicU8;
use std::sync::{Arc, OnceLock};

use games::session::{End, Tally};
use games::{ToMove, View};
use protocol::MoveList;
use serde_json::Value;

/// The longest move, in bytes.
pub(super) const LONGEST_MOVE: usize = 200;

/// A position as far as the program has described it.
#[derive(Debug)]
pub(super) struct Position {
    pub(super) ply: u32,
    pub(super) to_move: ToMove,
    pub(super) end: Option<End>,
    /// This and the following are empty until an answer says them.
    pub(super) legal: OnceLock<Legal>,
    /// As JSON on one line, as serde writes it.
    pub(super) state: OnceLock<Arc<str>>,
    pub(super) key: OnceLock<String>,
    /// Holds `None` if the program draws no picture of this position.
    pub(super) view: OnceLock<Option<View>>,
    pub(super) tally: OnceLock<Tally>,
    pub(super) roles: Option<Vec<String>>,
    /// The perceptions of each seat, by steps: those that led here in one request.
    pub(super) sees: Vec<Vec<Vec<Value>>>,
    /// The [`Extra`]s that callers have asked for. Who wants the state here will want it after the next
    /// step, too, so one answer brings both.
    pub(super) asked: AtomicU8,
}

impl Position {
    /// The same position, if the answer lists what is legal.
    ///
    /// # Errors
    /// If not, in words as of [`Position::read`].
    pub(super) fn listed(self) -> Result<Self, String> {
        if self.legal.get().is_some() {
            Ok(self)
        } else {
            Err("gives no `legal`, which was wanted".to_owned())
        }
    }
}

/// A cell that already holds the value, if there is one.
pub(super) fn cell<T>(value: Option<T>) -> OnceLock<T> {
    value.map_or_else(OnceLock::new, OnceLock::from)
}

/// Parts of a position that a program describes only when asked, as bits.
#[derive(Clone, Copy)]
pub(super) enum Extra {
    State = 1,
    Key = 2,
    View = 4,
    Scores = 8,
    Legal = 16,
}

impl Extra {
    const ALL: [(Extra, &str); 5] = [
        (Extra::Legal, "legal"),
        (Extra::State, "state"),
        (Extra::Key, "key"),
        (Extra::View, "view"),
        (Extra::Scores, "scores"),
    ];

    /// The words of `want` for these bits.
    pub(super) fn words(bits: u8) -> impl Iterator<Item = &'static str> {
        let wanted = Self::ALL.into_iter();
        let wanted = wanted.filter(move |(extra, _)| bits & *extra as u8 != 0);
        wanted.map(|(_, word)| word)
    }
}

/// The choices in a position.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Legal {
    /// By seat, ascending.
    pub(super) moves: Vec<(usize, MoveList)>,
    /// The outcomes of chance with their probabilities, in the order of the texts.
    pub(super) chances: Vec<(String, f64)>,
}

impl Legal {
    /// The moves of a seat; `None` if it does not act.
    pub(super) fn of(&self, seat: usize) -> Option<&MoveList> {
        let mut moves = self.moves.iter();
        moves.find(|(of, _)| *of == seat).map(|(_, moves)| moves)
    }
}
