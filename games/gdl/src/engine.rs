//! The engines of sheets: the network, or the interpreter for sheets that do not ground.

use games::Rng;
use games::budget::Spent;
use thiserror::Error;

use crate::play::learning::Catalog;

/// Percepts of a step, by role.
pub(crate) type Percepts = Vec<Vec<String>>;

/// A sheet that cannot be played further, or a fact that it does not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum Failure {
    /// A fact that is not true in any position.
    #[error("`{0}` is not true in any position of this game")]
    NoFact(String),
    #[error("a goal of `{0}` is not a whole number from 0 to 100")]
    GoalValue(String),
    #[error("{0}")]
    Interpreter(String),
    /// There was no time for it.
    #[error("{0}")]
    Spent(#[from] Spent),
}

/// Random games from a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Series<'s, P> {
    /// The roles whose goals are asked for.
    pub(crate) seats: &'s [usize],
    pub(crate) from: P,
    pub(crate) ply: u32,
    /// The ply at which games stop.
    pub(crate) last: u32,
    pub(crate) count: u32,
    /// Game `n` begins with the legal move `n + first`, counted round and round, of the seat that acts alone;
    /// `None` if that move is drawn, too.
    pub(crate) first: Option<usize>,
}

/// Called with the plies and goals of each game; `false` ends the series.
pub(crate) type TakeGame<'t> = &'t mut dyn FnMut(u32, &[i64]) -> bool;

/// A series that does not go on.
#[derive(Clone, Debug)]
pub(crate) enum SeriesError<P> {
    Failure(Failure),
    /// A role has no legal move in a position that is not over.
    Stuck {
        position: P,
        role: usize,
    },
    /// Nobody has a choice any more, and the game does not end.
    Endless,
}

/// The rules of a sheet. Roles are numbered in the order of the sheet, `random` included; moves are
/// numbered for a role and a position.
pub(crate) trait Engine: Send + Sync + 'static {
    type Position: Clone + Send + Sync;
    type Snapshot: Clone + Send + Sync;

    fn roles(&self) -> &[String];
    /// All moves and facts that there can be; `None` if nobody knows them.
    fn catalog(&self) -> Option<Catalog> {
        None
    }
    /// The position that the sheet begins with.
    fn start(&self) -> Result<Self::Position, Failure>;
    /// The position in which these facts are true, given in small letters.
    fn load(&self, facts: &[String]) -> Result<Self::Position, Failure>;
    /// The facts that are true, sorted.
    fn facts(&self, position: &Self::Position) -> Vec<String>;
    fn snapshot(&self, position: &Self::Position) -> Self::Snapshot;
    fn restore(
        &self,
        position: &mut Self::Position,
        snapshot: &Self::Snapshot,
    ) -> Result<(), Failure>;
    fn is_over(&self, position: &Self::Position) -> bool;
    fn count_legal(&self, position: &Self::Position, role: usize) -> usize;
    /// One of them, in an order that is always the same.
    fn nth_legal(&self, position: &Self::Position, role: usize, index: usize) -> u32;
    fn legal(&self, position: &Self::Position, role: usize, out: &mut Vec<u32>);
    fn is_legal(&self, position: &Self::Position, role: usize, mv: u32) -> bool {
        let mut legal = Vec::new();
        self.legal(position, role, &mut legal);
        legal.contains(&mv)
    }
    /// A move in its canonical form.
    fn text<'a>(&'a self, position: &'a Self::Position, role: usize, mv: u32) -> &'a str;
    /// The move with this text, in its canonical form and in small letters. It need not be legal.
    fn find(&self, position: &Self::Position, role: usize, text: &str) -> Option<u32>;
    /// Calls `take` with the largest goal of each of these roles; `None` for a role that has none here.
    fn each_goal(
        &self,
        position: &Self::Position,
        roles: &[usize],
        take: &mut dyn FnMut(Option<i64>),
    ) -> Result<(), Failure>;
    /// The number of random games that, played at once, take not much longer than one.
    fn games_at_once(&self) -> u32 {
        1
    }
    /// Plays the games of a series, if that is faster than one by one; `None` if not.
    fn play_many(
        &self,
        _series: &Series<'_, &Self::Position>,
        _rng: &mut Rng,
        _take: TakeGame<'_>,
    ) -> Option<Result<(), SeriesError<Self::Position>>> {
        None
    }
    /// Makes a step, given a legal move of each role. Adds what they see to `percepts`.
    fn step(
        &self,
        position: &mut Self::Position,
        joint: &[u32],
        percepts: Option<&mut Percepts>,
    ) -> Result<(), Failure>;
}
