//! The bot that looks one ply ahead: points first, then mobility.

use games::{Game, Rng};
use serde_json::json;

use crate::rating::{self, Rating};
use crate::thinker::{self, Mind, Question, Thinker, Thought};

/// Moves that are looked at more closely.
const SHORTLIST: usize = 24;
/// Random lines that tell a shortlisted move's worth.
const LINES: u32 = 8;

/// Takes what looks best at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy;

impl Thinker for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn mind<G: Game>(&self) -> Box<dyn Mind<G>> {
        Box::new(Greedy)
    }
}

impl<G: Game> Mind<G> for Greedy {
    fn choose(&mut self, question: &Question<'_, G>, rng: &mut Rng) -> Thought<G> {
        let Question {
            game,
            position,
            seat,
            ..
        } = *question;
        let mut moves = Vec::new();
        game.legal(position, &mut moves);
        // Moves that look the same are taken in random order.
        rng.shuffle(&mut moves);
        let mut rated: Vec<(Rating, G::Move)> = moves
            .iter()
            .map(|&mv| (rating::rate(game, position, seat, mv), mv))
            .collect();
        rated.sort_by_key(|(rating, _)| std::cmp::Reverse(*rating));
        let mv = closer_look(question, &rated, rng);
        let info = json!({"depth": 1, "nodes": moves.len(), "pv": [thinker::text(game, mv)]});
        Thought {
            mv,
            info: Some(info),
        }
    }
}

/// The best of the first moves, which are equal in points, now with the seat's own mobility
/// against that of the others.
fn closer_look<G: Game>(
    question: &Question<'_, G>,
    rated: &[(Rating, G::Move)],
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
        game.play(&mut next, mv);
        let value: f64 = (0..LINES)
            .map(|_| rating::strengths(game, &next, rng, &mut scratch))
            .map(|strengths| rating::lead(&strengths[..game.seats()], seat))
            .sum();
        if value > highest {
            (highest, choice) = (value, mv);
        }
    }
    choice
}
