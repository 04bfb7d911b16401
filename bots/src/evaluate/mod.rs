//! Evaluations: what a position is worth to each seat without searching. Each game has its own
//! file; a game without one is judged by points and mobility.

mod amazon_penguins;
mod amazons;
mod catch;
mod elephant_run;
#[cfg(test)]
mod fit;
mod general;
mod giantslayer;
mod grid;
mod halves;
mod linear;
mod paper_penguins;
mod penguins;
mod run;
mod siam;
mod solo;

use games::{Game, MAX_SEATS, Seat};

pub use general::General;
use linear::Linear;

/// If two scores are farther apart than this, the outcome is certain: the seat with the higher one
/// wins against best play, and the difference beyond it tells by how much.
pub const CERTAIN: f32 = 40.0;

/// Judges positions of one game.
pub trait Evaluate<G: Game>: Send {
    /// How well each seat stands, in units of log odds: with two seats, the logistic function of
    /// the difference is about the expected outcome of the one against the other; with more, the
    /// same holds for each pair. Entries beyond the seats mean nothing. Positions of finished
    /// games may be given, but the outcome tells more about them.
    ///
    /// The same position always gets the same scores.
    fn scores(&mut self, game: &G, position: &G::Position) -> [f32; MAX_SEATS];

    /// Tells which seat asks from now on: in a game whose sides are very different, each may judge
    /// by its own lights. Without it no seat is meant.
    fn asked_by(&mut self, seat: Seat) {
        let _ = seat;
    }

    /// How promising a legal move looks at once, compared to others: the unit is that of the
    /// ordering of a search, 2^20 for a move that is tried before all others.
    fn promise(&mut self, game: &G, position: &G::Position, mv: G::Move) -> i32 {
        let _ = (game, position, mv);
        0
    }

    /// Lists the moves that are worth a search to this depth; all of them if in doubt.
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

    /// Appends the moves after which the scores may be very different, with their promise: a
    /// search does not rely on the scores of a position before it has looked at these. `mcts`, which
    /// looks at all moves of a position at once, plays no better with them.
    fn noisy(&mut self, game: &G, position: &G::Position, moves: &mut Vec<(i32, G::Move)>) {
        let _ = (game, position, moves);
    }
}

/// Gives the own evaluation to each game that has one.
macro_rules! own_evaluations {
    ($($game:ty => $evaluation:expr,)*) => {
        fn own<G: Game>() -> Option<Box<dyn Evaluate<G>>> {
            $(if G::INFO.id == <$game as Game>::INFO.id {
                let evaluation: Box<dyn Evaluate<$game>> = Box::new($evaluation);
                // The two types are one, if they are of the same game.
                let evaluation: Box<dyn std::any::Any> = Box::new(evaluation);
                return evaluation.downcast().ok().map(|evaluation| *evaluation);
            })*
            None
        }
    };
}

own_evaluations![
    games::amazon_penguins::AmazonPenguins => Linear::<amazon_penguins::Reach>::default(),
    games::amazons::Amazons => Linear::<amazons::Territory>::default(),
    games::elephant_run::ElephantRun => Linear::<elephant_run::Chase>::default(),
    games::giantslayer::Giantslayer => Linear::<giantslayer::Siege>::default(),
    games::paper_penguins::PaperPenguins => Linear::<paper_penguins::Reach>::default(),
    games::penguins::Penguins => Linear::<penguins::Reach>::default(),
    games::run::Run => Linear::<run::Drive>::default(),
    games::siam::Siam => Linear::<siam::Force>::default(),
];

/// The game's own evaluation or, for a game without one, the general one.
pub fn evaluation<G: Game>() -> Box<dyn Evaluate<G>> {
    own::<G>().unwrap_or_else(|| Box::new(General::default()))
}

/// Whether a game has no evaluation of its own.
pub(crate) fn is_general<G: Game>() -> bool {
    own::<G>().is_none()
}

/// The expected outcome of the first against the second of two seats with these scores.
///
/// ```
/// assert_eq!(bots::evaluate::expected(1.5, 1.5), 0.5);
/// assert!(bots::evaluate::expected(3.0, 0.0) > 0.95);
/// ```
pub fn expected(one: f32, other: f32) -> f32 {
    1.0 / (1.0 + (other - one).exp())
}

#[cfg(test)]
mod tests {
    use games::registry::{self, Visitor};
    use games::{GAMES, Options, Rng};

    use super::*;

    /// Plays random games and looks at what the evaluation says on the way.
    struct Sane;

    impl Visitor for Sane {
        type Output = ();

        fn visit<G: Game>(self) {
            let game = G::new(&Options::defaults(&G::INFO)).unwrap();
            let mut evaluation = evaluation::<G>();
            let mut scratch = Vec::new();
            for seed in 0..4 {
                let mut rng = Rng::new(seed);
                let mut position = game.start(&mut rng);
                for _ in 0..200 {
                    let scores = evaluation.scores(&game, &position);
                    let seats = &scores[..game.seats()];
                    assert!(seats.iter().all(|score| score.abs() < 1000.0), "{scores:?}");
                    assert_eq!(scores, evaluation.scores(&game, &position));
                    if game.to_move(&position).is_none() {
                        break;
                    }
                    let mv = game.random_move(&position, &mut rng, &mut scratch);
                    game.play(&mut position, mv);
                }
            }
        }
    }

    #[test]
    fn every_evaluation_is_finite_and_the_same_for_the_same_position() {
        for game in GAMES {
            registry::visit(game.info.id, Sane).unwrap();
        }
    }

    /// A position seen with the seats' colours changed is worth the opposite.
    struct Swapped;

    impl Visitor for Swapped {
        type Output = ();

        fn visit<G: Game>(self) {
            let game = G::new(&Options::defaults(&G::INFO)).unwrap();
            let mut evaluation = evaluation::<G>();
            let mut scratch = Vec::new();
            let mut rng = Rng::new(8);
            let mut position = game.start(&mut rng);
            while let Some(seat) = game.to_move(&position) {
                let mut state = game.save(&position);
                for field in ["amazons", "penguins", "pieces", "exits", "scores"] {
                    if let Some(list) = state.get_mut(field).and_then(|list| list.as_array_mut()) {
                        list.reverse();
                    }
                }
                if let Some(elephants) = state.get_mut("elephants").map(serde_json::Value::take) {
                    state["elephants"] = state["rhinos"].take();
                    state["rhinos"] = elephants;
                }
                state["to_move"] = (1 - seat).into();
                let swapped = game.load(&state).unwrap();
                let lead = |scores: [f32; MAX_SEATS]| scores[0] - scores[1];
                let one = lead(evaluation.scores(&game, &position));
                let other = lead(evaluation.scores(&game, &swapped));
                assert!((one + other).abs() < 1e-3, "{one} and {other}: {state}");
                let mv = game.random_move(&position, &mut rng, &mut scratch);
                game.play(&mut position, mv);
            }
        }
    }

    #[test]
    fn the_seats_are_judged_alike_where_they_play_alike() {
        for id in ["amazons", "siam"] {
            registry::visit(id, Swapped).unwrap();
        }
    }
}
