//! What a game is here: a position with its moves.

use serde_json::Value;

/// How a finished game ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Points, one entry a seat.
    pub scores: Vec<i64>,
    /// What they are worth, in [0, 1], one entry a seat.
    pub outcome: Vec<f64>,
    /// What ended the game.
    pub reason: String,
}

/// One position of one game under given options.
pub trait Oracle {
    /// The state as the rule file's JSON.
    fn state(&self) -> Value;
    /// All legal moves, sorted, without duplicates; empty exactly when the game is over.
    fn legal(&self) -> Vec<String>;
    /// Plays one of `legal()`.
    ///
    /// # Panics
    /// If the move is not legal.
    fn play(&mut self, mv: &str);
    /// `None` while the game runs.
    fn result(&self) -> Option<Outcome>;
    /// The same position once more.
    fn clone_box(&self) -> Box<dyn Oracle>;
    /// A string that is equal exactly for positions from which play goes on equally.
    fn key(&self) -> String;
}
