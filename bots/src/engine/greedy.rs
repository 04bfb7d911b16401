//! The bot that looks one ply ahead: points first, then mobility.

use games::{Game, Rng};
use protocol::SearchLine;
use serde_json::json;

use crate::any_game::SessionSearch;
use crate::any_game::greedy::GreedySearch;
use crate::engine::{self, Decision, Engine, Question, Search};
use crate::evaluation;
use crate::evaluation::mobility;
use crate::evaluation::mobility::MoveRating;
use crate::order::sort_best_first;
use crate::turn::analysis;
use crate::turn::analysis::Analysis;

/// At most this many moves are examined more closely.
const SHORTLIST: usize = 24;
/// The number of random lines by which a move of the shortlist is judged.
const LINES: u32 = 8;

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
        let rated = rated_moves(question, rng);
        let mv = closer_look(question, &rated, rng);
        let pv = [engine::text(question.game, mv)];
        let info = json!({"depth": 1, "nodes": rated.len(), "pv": pv});
        Decision {
            mv,
            info: Some(info),
        }
    }

    /// The order is that of the ratings; the values are those of the game's evaluation.
    fn analyse(
        &mut self,
        question: &Question<'_, G>,
        analysis: &mut Analysis<'_>,
        rng: &mut Rng,
    ) -> Decision<G> {
        let rated = rated_moves(question, rng);
        let best = closer_look(question, &rated, rng);
        let others = rated.iter().map(|(_, mv)| *mv).filter(|mv| *mv != best);
        let moves = std::iter::once(best).chain(others).take(analysis.lines);
        let mut evaluation = evaluation::evaluation::<G>();
        let lines = moves.map(|mv| {
            let mut next = *question.position;
            question.game.play_unchecked(&mut next, mv);
            let value = evaluation::expected_outcome(question.game, &next, &mut *evaluation);
            SearchLine {
                value: Some(analysis::rounded(value[question.seat])),
                pv: vec![engine::text(question.game, mv).into()],
                depth: Some(1),
                nodes: None,
            }
        });
        Decision {
            mv: best,
            info: analysis::info(1, rated.len() as u64, lines.collect()),
        }
    }
}

/// All moves, the best first; equal ones in random order.
fn rated_moves<G: Game>(question: &Question<'_, G>, rng: &mut Rng) -> Vec<(MoveRating, G::Move)> {
    let Question {
        game,
        position,
        seat,
        ..
    } = *question;
    let mut moves = Vec::new();
    game.legal(position, &mut moves);
    rng.shuffle(&mut moves);
    let mut rated: Vec<(MoveRating, G::Move)> = moves
        .iter()
        .map(|&mv| (mobility::rate(game, position, seat, mv), mv))
        .collect();
    sort_best_first(&mut rated, |(rating, _)| *rating);
    rated
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
