//! Static evaluations of positions. Each game has its own file; a game without one is evaluated by
//! points and mobility.

pub(crate) mod evaluate;
pub(crate) mod features;
mod general;
pub(crate) mod linear;
pub(crate) mod mobility;
mod position_value;

use games::Game;

pub use evaluate::{CERTAIN, Evaluate, expected};
pub use general::General;
use linear::Linear;
pub(crate) use position_value::expected_outcome;
pub use position_value::{PositionValue, position_value};

/// Defines `own`, which returns a game's own evaluation, if it has one.
macro_rules! own_evaluations {
    ($($game:ty => $evaluation:expr,)*) => {
        pub(crate) fn own<G: Game>() -> Option<Box<dyn Evaluate<G>>> {
            $(if G::INFO.id == <$game as Game>::INFO.id {
                let evaluation: Box<dyn Evaluate<$game>> = Box::new($evaluation);
                // Games with the same id are the same type.
                let evaluation: Box<dyn std::any::Any> = Box::new(evaluation);
                return evaluation.downcast().ok().map(|evaluation| *evaluation);
            })*
            None
        }
    };
}

own_evaluations![
    games::rules::amazon_penguins::AmazonPenguins => Linear::<features::amazon_penguins::AmazonPenguinsFeatures>::default(),
    games::rules::amazons::Amazons => Linear::<features::amazons::AmazonsFeatures>::default(),
    games::rules::elephant_run::ElephantRun => Linear::<features::elephant_run::ElephantRunFeatures>::default(),
    games::rules::giantslayer::Giantslayer => Linear::<features::giantslayer::GiantslayerFeatures>::default(),
    games::rules::paper_penguins::PaperPenguins => Linear::<features::paper_penguins::PaperPenguinsFeatures>::default(),
    games::rules::penguins::Penguins => Linear::<features::penguins::PenguinsFeatures>::default(),
    games::rules::run::Run => Linear::<features::run::RunFeatures>::default(),
    games::rules::siam::Siam => Linear::<features::siam::SiamFeatures>::default(),
];

/// The evaluation of a game: its own or, if it has none, [`General`].
pub fn evaluation<G: Game>() -> Box<dyn Evaluate<G>> {
    own::<G>().unwrap_or_else(|| Box::new(General::default()))
}

/// True if a game has no evaluation of its own.
pub(crate) fn is_general<G: Game>() -> bool {
    own::<G>().is_none()
}

#[cfg(test)]
mod tests {
    use games::registry::{self, Visitor};
    use games::{GAMES, MAX_SEATS, Options, Rng};

    use super::*;

    /// Checks the evaluation of every position of some random games.
    struct Sane;

    impl Visitor for Sane {
        type Output = ();

        fn visit<G: Game>(self) {
            let game = G::new(&Options::defaults_of::<G>()).unwrap();
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
                    game.play_unchecked(&mut position, mv);
                }
            }
        }
    }

    #[test]
    fn every_evaluation_is_finite_and_the_same_for_the_same_position() {
        for game in GAMES.iter() {
            registry::visit(&game.info.id, &serde_json::Value::Null, Sane).unwrap();
        }
    }

    /// Checks that a position with the seats exchanged has the opposite value.
    struct Swapped;

    impl Visitor for Swapped {
        type Output = ();

        fn visit<G: Game>(self) {
            let game = G::new(&Options::defaults_of::<G>()).unwrap();
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
                game.play_unchecked(&mut position, mv);
            }
        }
    }

    #[test]
    fn the_seats_are_judged_alike_where_they_play_alike() {
        for id in ["amazons", "siam"] {
            registry::visit(id, &serde_json::Value::Null, Swapped).unwrap();
        }
    }
}
