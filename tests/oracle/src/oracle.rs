//! A game as a position with its moves.

use serde_json::Value;

use crate::board;
use crate::outcome::Outcome;

/// One position of one game under given options.
pub trait Oracle {
    /// The state as the rule file's JSON.
    fn state(&self) -> Value;
    /// All legal moves, sorted, without duplicates; empty exactly when the game is over.
    fn legal(&self) -> Vec<String>;
    /// Plays one of `legal()`.
    fn play(&mut self, mv: &str);
    /// `None` while the game runs.
    fn result(&self) -> Option<Outcome>;
    fn clone_box(&self) -> Box<dyn Oracle>;
    /// A string that is equal exactly for positions from which play goes on equally.
    fn key(&self) -> String;
}

/// The part of an [`Oracle`] that each game writes itself.
pub(crate) trait Rules: Clone + 'static {
    /// The state as the rule file's JSON.
    fn write(&self) -> Value;
    /// `None` when the game is over.
    fn to_move(&self) -> Option<usize>;
    /// The legal moves of the seat to move, in any order.
    fn moves_of(&self, seat: usize) -> Vec<String>;
    /// Plays a legal move of the seat to move.
    fn make(&mut self, seat: usize, mv: &str);
    /// Only called when the game is over.
    fn outcome(&self) -> Outcome;
    /// By default the state decides alone how play goes on.
    fn identity(&self) -> String {
        board::key(self.write(), &Value::Null)
    }
}

impl<G: Rules> Oracle for G {
    fn state(&self) -> Value {
        self.write()
    }

    fn legal(&self) -> Vec<String> {
        let moves = self.to_move().map(|seat| self.moves_of(seat));
        board::sorted(moves.unwrap_or_default())
    }

    fn play(&mut self, mv: &str) {
        assert!(self.legal().iter().any(|m| m == mv), "not legal: {mv}");
        let seat = self.to_move().expect("a seat to move");
        self.make(seat, mv);
    }

    fn result(&self) -> Option<Outcome> {
        self.to_move().is_none().then(|| self.outcome())
    }

    fn clone_box(&self) -> Box<dyn Oracle> {
        Box::new(self.clone())
    }

    fn key(&self) -> String {
        self.identity()
    }
}
