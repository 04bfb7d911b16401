//! Seats, points, and the outcomes that points are worth.

use arrayvec::ArrayVec;

/// The most seats that a game can have.
pub const MAX_SEATS: usize = 4;

/// The number of a player, from 0; seat 0 moves first.
pub type Seat = usize;

/// Points, one entry a seat.
pub type Scores = ArrayVec<i32, MAX_SEATS>;

/// Results in [0, 1], one entry a seat: (seats beaten + half the seats tied with) / (seats − 1).
pub type Outcome = ArrayVec<f64, MAX_SEATS>;

/// The points of a game without points: 1 for the winner of two seats, and nothing while there is none.
pub(crate) fn win_as_points(winner: Option<Seat>) -> Scores {
    (0..2).map(|seat| i32::from(winner == Some(seat))).collect()
}

/// The outcome by scores: more points are better, and equal points are a tie.
///
/// ```
/// let outcome: Vec<f64> = games::rank(&[3, 1, 3]);
/// assert_eq!(outcome, [0.75, 0.0, 0.75]);
/// ```
pub fn rank<N: PartialOrd, O: FromIterator<f64>>(scores: &[N]) -> O {
    let others = (scores.len().max(2) - 1) as f64;
    scores
        .iter()
        .map(|mine| {
            let beaten = scores.iter().filter(|s| *s < mine).count() as f64;
            let tied = scores.iter().filter(|s| *s == mine).count() as f64 - 1.0;
            (beaten + tied / 2.0) / others
        })
        .collect()
}
