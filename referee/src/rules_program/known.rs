//! What is known about a position of a program: what it said at once, and what was asked for later.

use std::sync::atomic::AtomicU8;
use std::sync::{Arc, OnceLock};

use games::View;
use games::session::Tally;
use serde_json::Value;

use super::position::Position;

/// Things that callers want to know about a position besides what is always asked for.
#[derive(Clone, Copy)]
pub(super) enum Extra {
    State = 1,
    Key = 2,
    View = 4,
    Scores = 8,
}

impl Extra {
    const ALL: [(Extra, &str); 4] = [
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
    pub(super) position: Position,
    /// What was asked for later, and is kept.
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
    pub(super) fn of(mut position: Position) -> Arc<Self> {
        let known = Known {
            state: OnceLock::new(),
            key: OnceLock::new(),
            view: OnceLock::new(),
            tally: OnceLock::new(),
            asked: AtomicU8::new(0),
            sees: position
                .sees
                .take()
                .and_then(|mut steps| steps.pop())
                .unwrap_or_default(),
            position,
        };
        known.learn_from_position();
        Arc::new(known)
    }

    fn learn_from_position(&self) {
        // Nothing was set before.
        if let Some(state) = &self.position.state {
            let _ = self.state.set(state.clone());
        }
        if let Some(key) = &self.position.key {
            let _ = self.key.set(key.clone());
        }
        if let Some(tally) = &self.position.tally {
            let _ = self.tally.set(tally.clone());
        }
        if let Some(view) = &self.position.view {
            let _ = self.view.set(Some(view.clone()));
        }
    }
}

/// Keeps what was asked for, and gives it.
pub(super) fn keep<T>(cell: &OnceLock<T>, value: T) -> &T {
    cell.get_or_init(|| value)
}
