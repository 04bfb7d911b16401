//! What is known about a position of a program: what it said at once, and what was asked for later.

use std::sync::atomic::AtomicU8;
use std::sync::{Arc, OnceLock};

use games::session::{End, Tally};
use games::{ToMove, View};
use serde_json::Value;

use super::position::{Legal, Position};

/// Things that callers may want to know about a position besides who is to move and how it ended.
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

/// A position, with what is known about it.
pub(super) struct Known {
    pub(super) ply: u32,
    pub(super) to_move: ToMove,
    pub(super) end: Option<End>,
    /// What may be asked for later, and is kept then.
    pub(super) legal: OnceLock<Legal>,
    pub(super) state: OnceLock<Arc<str>>,
    pub(super) key: OnceLock<String>,
    pub(super) view: OnceLock<Option<View>>,
    pub(super) tally: OnceLock<Tally>,
    /// Which extras somebody has asked for. Whoever wants the state here will want it after the next
    /// step, so it comes in one answer with that.
    pub(super) asked: AtomicU8,
    /// What each seat perceived of the step before.
    pub(super) sees: Vec<Vec<Value>>,
}

impl Known {
    pub(super) fn of(position: Position) -> Arc<Self> {
        let last_step = position.sees.and_then(|mut steps| steps.pop());
        Arc::new(Known {
            ply: position.ply,
            to_move: position.to_move,
            end: position.end,
            legal: cell(position.legal),
            state: cell(position.state),
            key: cell(position.key),
            view: cell(position.view.map(Some)),
            tally: cell(position.tally),
            asked: AtomicU8::new(0),
            sees: last_step.unwrap_or_default(),
        })
    }
}

/// A cell that has a value already if there is one.
fn cell<T>(value: Option<T>) -> OnceLock<T> {
    value.map_or_else(OnceLock::new, OnceLock::from)
}

/// Keeps what was asked for, and gives it.
pub(super) fn keep<T>(cell: &OnceLock<T>, value: T) -> &T {
    cell.get_or_init(|| value)
}
