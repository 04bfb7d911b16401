//! Points and mobility: an evaluation for any game without a search.

use std::array;

use games::{Game, MAX_SEATS, Rng, Seat};

/// Rates a move one ply ahead: by outcome if it ends the game, then points, then mobility.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MoveRating {
    /// The outcome if the move ends the game, between -1000 and 1000; 0 if the game goes on.
    outcome: i32,
    /// The seat's points less those of the best other seat.
    margin: i32,
    /// The number of moves in the next position: positive if the same seat is to move again, else
    /// negative.
    mobility: i64,
}

impl MoveRating {
    /// True if the two differ in mobility at most.
    pub(crate) fn same_points(&self, other: &MoveRating) -> bool {
        (self.outcome, self.margin) == (other.outcome, other.margin)
    }
}

/// Rates a legal move of `seat`, whose turn it is.
pub(crate) fn rate<G: Game>(
    game: &G,
    position: &G::Position,
    seat: Seat,
    mv: G::Move,
) -> MoveRating {
    let mut next = *position;
    game.play_unchecked(&mut next, mv);
    let (outcome, mobility) = match game.to_move(&next) {
        None => ((game.outcome(&next)[seat] * 2000.0) as i32 - 1000, 0),
        Some(mover) => {
            let moves = game.count_legal(&next) as i64;
            (0, if mover == seat { moves } else { -moves })
        }
    };
    MoveRating {
        outcome,
        margin: margin(&game.scores(&next), seat),
        mobility,
    }
}

fn margin(scores: &[i32], seat: Seat) -> i32 {
    let others = scores
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != seat);
    scores[seat] - others.map(|(_, score)| *score).max().unwrap_or(0)
}

/// The weight of a point, in the unit of [`Strengths`].
const POINT: f64 = 0.4;
/// The weight of the logarithm of the number of moves.
const MOBILITY: f64 = 2.0;

/// The strength of each seat. Values can be compared between positions, and between seats that play by
/// the same rules.
pub(crate) type Strengths = [f64; MAX_SEATS];

/// The strength of each seat by points and mobility. A seat's mobility is counted when it is next to
/// move, after random moves of the seats before it.
pub(crate) fn strengths<G: Game>(
    game: &G,
    position: &G::Position,
    rng: &mut Rng,
    scratch: &mut Vec<G::Move>,
) -> Strengths {
    let scores = game.scores(position);
    let mobility = mobility(game, position, rng, scratch);
    array::from_fn(|seat| {
        let points = scores.get(seat).copied().unwrap_or(0);
        POINT * f64::from(points) + MOBILITY * (mobility[seat] as f64 + 1.0).ln()
    })
}

/// The mean of [`strengths`] over several random lines.
pub(crate) fn mean_strengths<G: Game>(
    game: &G,
    position: &G::Position,
    rng: &mut Rng,
) -> Strengths {
    const LINES: u32 = 16;
    let mut scratch = Vec::new();
    let mut mean = Strengths::default();
    for _ in 0..LINES {
        let one = strengths(game, position, rng, &mut scratch);
        for (mean, one) in mean.iter_mut().zip(one) {
            *mean += one / f64::from(LINES);
        }
    }
    mean
}

/// The lead of a seat over the strongest of the others.
pub(crate) fn lead(strengths: &[f64], seat: Seat) -> f64 {
    let others = strengths
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != seat);
    strengths[seat] - others.map(|(_, s)| *s).fold(f64::NEG_INFINITY, f64::max)
}

/// The number of moves that each seat has when it is next to move, along one random line; 0 for
/// a seat that is not to move again.
fn mobility<G: Game>(
    game: &G,
    position: &G::Position,
    rng: &mut Rng,
    scratch: &mut Vec<G::Move>,
) -> [u64; MAX_SEATS] {
    let mut counts = [0; MAX_SEATS];
    let mut missing = game.seats();
    let mut position = *position;
    for _ in 0..2 * game.seats() {
        let Some(seat) = game.to_move(&position) else {
            break;
        };
        if counts[seat] == 0 {
            counts[seat] = game.count_legal(&position);
            missing -= 1;
        }
        if missing == 0 {
            break;
        }
        let mv = game.random_move(&position, rng, scratch);
        game.play_unchecked(&mut position, mv);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_put_outcomes_before_points_before_mobility() {
        let rating = |outcome, margin, mobility| MoveRating {
            outcome,
            margin,
            mobility,
        };
        assert!(rating(1000, -9, 0) > rating(0, 9, 9));
        assert!(rating(0, 9, 9) > rating(-1000, 9, 9));
        assert!(rating(0, 1, -9) > rating(0, 0, 9));
        assert!(rating(0, 0, 1) > rating(0, 0, -1));
        assert!(rating(0, 1, 5).same_points(&rating(0, 1, 6)));
    }

    #[test]
    fn margins_and_leads_are_over_the_best_other_seat() {
        assert_eq!(margin(&[5, 3, 7], 0), -2);
        assert_eq!(margin(&[5, 3, 7], 2), 2);
        assert_eq!(lead(&[1.0, 4.0], 1), 3.0);
    }
}
