//! Levels: weaker forms of a bot, so that a person or a beginner's bot finds an equal.
//!
//! A level thinks less, and now and then does not think at all: then it plays any legal move.

use games::{Game, Rng};
use serde_json::json;

use crate::thinker::{Mind, Question, Thinker, Thought};

/// How strong a bot plays: from 1, which is nearly random, to 10, which is its full strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(usize);

/// What makes a level.
struct Grade {
    /// In how many of a hundred turns it does not think.
    slips: u64,
    /// The most playouts of `mcts`.
    playouts: u32,
    /// The most nodes of `alphabeta`.
    nodes: u64,
}

const fn grade(slips: u64, playouts: u32, nodes: u64) -> Grade {
    Grade {
        slips,
        playouts,
        nodes,
    }
}

/// The levels from 1 to 9.
const GRADES: [Grade; 9] = [
    grade(90, 1, 20),
    grade(72, 2, 40),
    grade(55, 4, 80),
    grade(40, 8, 160),
    grade(28, 16, 400),
    grade(18, 32, 1000),
    grade(10, 64, 2500),
    grade(4, 150, 6000),
    grade(0, 400, 20000),
];

impl Level {
    /// Full strength.
    pub const FULL: Level = Level(10);

    /// A level, if the number is between 1 and 10.
    ///
    /// ```
    /// use bots::level::Level;
    ///
    /// assert_eq!(Level::new(10), Some(Level::FULL));
    /// assert_eq!(Level::new(0), None);
    /// ```
    pub fn new(number: u8) -> Option<Level> {
        (1..=10).contains(&number).then_some(Level(number.into()))
    }

    fn grade(self) -> Option<&'static Grade> {
        GRADES.get(self.0 - 1)
    }

    /// The most playouts of `mcts`; `None` for no limit.
    pub fn playouts(self) -> Option<u32> {
        self.grade().map(|grade| grade.playouts)
    }

    /// The most nodes of `alphabeta`; `None` for no limit.
    pub fn nodes(self) -> Option<u64> {
        self.grade().map(|grade| grade.nodes)
    }

    /// In how many of a hundred turns it does not think.
    fn slips(self) -> u64 {
        self.grade().map_or(0, |grade| grade.slips)
    }
}

/// A thinker that sometimes does not think.
#[derive(Clone, Copy, Debug)]
pub struct Eased<T> {
    /// The one that thinks otherwise.
    pub thinker: T,
    /// How often that is.
    pub level: Level,
}

impl<T: Thinker> Thinker for Eased<T> {
    fn name(&self) -> &'static str {
        self.thinker.name()
    }

    fn mind<G: Game>(&self) -> Box<dyn Mind<G>> {
        Box::new(EasedMind {
            mind: self.thinker.mind::<G>(),
            level: self.level,
        })
    }
}

struct EasedMind<G: Game> {
    mind: Box<dyn Mind<G>>,
    level: Level,
}

impl<G: Game> Mind<G> for EasedMind<G> {
    fn choose(&mut self, question: &Question<'_, G>, rng: &mut Rng) -> Thought<G> {
        if rng.below(100) >= self.level.slips() {
            return self.mind.choose(question, rng);
        }
        let Question { game, position, .. } = *question;
        Thought {
            mv: game.random_move(position, rng, &mut Vec::new()),
            info: Some(json!({"text": "a move at random"})),
        }
    }

    fn played(&mut self, mv: G::Move) {
        self.mind.played(mv);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_thinks_more_and_slips_less_than_the_one_before() {
        let levels: Vec<Level> = (1..=10).filter_map(Level::new).collect();
        assert_eq!(levels.len(), 10);
        for pair in levels.windows(2) {
            let work = |level: Level| {
                let playouts = level.playouts().unwrap_or(u32::MAX);
                (playouts, level.nodes().unwrap_or(u64::MAX))
            };
            assert!(work(pair[0]).0 < work(pair[1]).0 && work(pair[0]).1 < work(pair[1]).1);
            assert!(pair[0].slips() > pair[1].slips() || pair[1] == Level::FULL);
        }
        assert_eq!((Level::FULL.playouts(), Level::FULL.slips()), (None, 0));
    }
}
