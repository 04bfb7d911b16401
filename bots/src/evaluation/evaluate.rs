//! The trait of evaluations, and the scale of their scores.

use games::{Game, MAX_SEATS, Seat};

/// If two scores differ by more than this, the outcome is certain: the seat with the higher one wins
/// against best play, and the rest of the difference says by how much.
pub const CERTAIN: f32 = 40.0;

/// The number of positions that counting separate regions may take, for each: a tenth of a millisecond.
/// More of them won no more matches, and made searches that ask again and again miss their deadline.
pub(super) const EFFORT: u32 = 300;

pub trait Evaluate<G: Game>: Send {
    /// The prospects of each seat, in units of log odds: with two seats, the logistic function of
    /// the difference is about the expected outcome of one against the other; with more, the same
    /// holds for each pair. Entries beyond the number of seats mean nothing. Finished games are
    /// allowed, but their outcome is more exact.
    ///
    /// The same position always gets the same scores.
    fn scores(&mut self, game: &G, position: &G::Position) -> [f32; MAX_SEATS];

    /// Says which seat asks from now on: in a game whose sides are very different, each may have
    /// weights of its own. Until it is called, the scores favour no seat.
    fn asked_by(&mut self, seat: Seat) {
        let _ = seat;
    }

    /// The exploration constant of `mcts`: the less, the more its search trusts the scores.
    fn exploration(&self) -> f32 {
        1.0
    }

    /// Replaces the contents of `moves` by the moves that are worth a search to this depth; all legal
    /// moves if in doubt.
    fn shortlist(
        &mut self,
        game: &G,
        position: &G::Position,
        depth: i32,
        moves: &mut Vec<G::Move>,
    ) {
        let _ = depth;
        game.legal(position, moves);
    }

    /// Appends the noisy moves, after which the scores may be very different, with their promise: a
    /// search does not trust the scores of a position before it has tried these. `mcts`, which
    /// evaluates all moves of a position at once, plays no better with them.
    fn noisy(&mut self, game: &G, position: &G::Position, moves: &mut Vec<(i32, G::Move)>) {
        let _ = (game, position, moves);
    }
}

/// The expected outcome of the first against the second of two seats with these scores.
///
/// ```
/// assert_eq!(bots::evaluation::expected(1.5, 1.5), 0.5);
/// assert!(bots::evaluation::expected(3.0, 0.0) > 0.95);
/// ```
pub fn expected(one: f32, other: f32) -> f32 {
    1.0 / (1.0 + (other - one).exp())
}
