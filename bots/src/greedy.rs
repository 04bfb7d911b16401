//! The bot that looks one ply ahead: points first, then mobility.

use games::{Game, Rng};
use serde_json::json;

use crate::any_game::SessionSearch;
use crate::any_game::greedy::GreedySearch;
use crate::engine::{self, Decision, Engine, Question, Search};
use crate::mobility::{self, MoveRating};

/// How many moves, at most, are examined more closely.
const SHORTLIST: usize = 24;
/// The number of random lines by which a move of the shortlist is judged.
const LINES: u32 = 8;

/// The engine of the bot `greedy`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Greedy;

impl Engine for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn new_search<G: Game>(&self) -> Box<dyn Search<G>> {
        Box::new(Greedy)
    }

    fn new_session_search(&self) -> Option<Box<dyn SessionSearch>> {
        Some(Box::new(GreedySearch))
    }
}

impl<G: Game> Search<G> for Greedy {
    fn choose(&mut self, question: &Question<'_, G>, rng: &mut Rng) -> Decision<G> {
        let Question {
            game,
            position,
            seat,
            ..
        } = *question;
        let mut moves = Vec::new();
        game.legal(position, &mut moves);
        // The sort below is stable, so that equal moves stay in random order.
        rng.shuffle(&mut moves);
        let mut rated: Vec<(MoveRating, G::Move)> = moves
            .iter()
            .map(|&mv| (mobility::rate(game, position, seat, mv), mv))
            .collect();
        rated.sort_by_key(|(rating, _)| std::cmp::Reverse(*rating));
        let mv = closer_look(question, &rated, rng);
        let info = json!({"depth": 1, "nodes": moves.len(), "pv": [engine::text(game, mv)]});
        Decision {
            mv,
            info: Some(info),
        }
    }
}

/// Chooses among the best moves, those that are equal in points, by the seat's own mobility against
/// that of the others.
fn closer_look<G: Game>(
    question: &Question<'_, G>,
    rated: &[(MoveRating, G::Move)],
    rng: &mut Rng,
) -> G::Move {
    let Question {
        game,
        position,
        seat,
        ..
    } = *question;
    let mut scratch = Vec::new();
    let (best, mut choice) = rated[0];
    let equal = rated
        .iter()
        .take_while(|(rating, _)| rating.same_points(&best));
    let mut highest = f64::NEG_INFINITY;
    for &(_, mv) in equal.take(SHORTLIST) {
        let mut next = *position;
        game.play_unchecked(&mut next, mv);
        let value: f64 = (0..LINES)
            .map(|_| mobility::strengths(game, &next, rng, &mut scratch))
            .map(|strengths| mobility::lead(&strengths[..game.seats()], seat))
            .sum();
        if value > highest {
            (highest, choice) = (value, mv);
        }
    }
    choice
}
