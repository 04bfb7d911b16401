//! The bot that plays any legal move, each equally likely.

use games::{Game, Rng};

use crate::any_game::{AnyMove, SessionSearch};
use crate::engine::{Decision, Engine, Question, RANDOM, Search};

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Random;

impl Engine for Random {
    fn name(&self) -> &'static str {
        RANDOM
    }

    fn new_search<G: Game>(&self) -> Box<dyn Search<G>> {
        Box::new(Random)
    }

    fn new_session_search(&self) -> Option<Box<dyn SessionSearch>> {
        Some(Box::new(AnyMove))
    }
}

impl<G: Game> Search<G> for Random {
    fn choose(&mut self, question: &Question<'_, G>, rng: &mut Rng) -> Decision<G> {
        let Question { game, position, .. } = question;
        let mv = game.random_move(position, rng, &mut Vec::new());
        Decision { mv, info: None }
    }
}
