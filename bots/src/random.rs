//! The bot that plays any legal move, each equally likely.

use games::{Game, Rng};

use crate::thinker::{Mind, Question, Thinker, Thought};

/// Plays at random.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl Thinker for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn mind<G: Game>(&self) -> Box<dyn Mind<G>> {
        Box::new(Random)
    }
}

impl<G: Game> Mind<G> for Random {
    fn choose(&mut self, question: &Question<'_, G>, rng: &mut Rng) -> Thought<G> {
        let Question { game, position, .. } = question;
        let mv = game.random_move(position, rng, &mut Vec::new());
        Thought { mv, info: None }
    }
}
