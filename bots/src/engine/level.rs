//! Levels: weaker forms of a bot, so that a person or a beginner's bot finds an equal opponent.
//!
//! A lower level searches less, and in some turns does not search at all but plays a random move.

use games::{BrokenRules, Game, Rng};
use serde_json::json;

use crate::any_game::{SessionDecision, SessionQuestion, SessionSearch};
use crate::engine::{Decision, Engine, Question, Search};
use crate::turn::analysis::Analysis;

/// The `text` of a random move, for the log.
const RANDOM: &str = "a move at random";

/// The strength of a bot, from 1 to 10, which is its full strength. On level 1, `greedy` plays nearly at
/// random; what searches is far above that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(usize);

/// The handicaps of a level.
struct Grade {
    /// The percentage of turns in which `greedy`, in which nothing else can be limited, plays a random move.
    greedy_percent: u64,
    /// That of `mcts` and `alphabeta`.
    random_percent: u64,
    /// At most this many playouts a move, for `mcts`.
    playouts: u32,
    /// At most this many nodes a move, for `alphabeta`.
    nodes: u64,
}

const fn grade(greedy_percent: u64, random_percent: u64, playouts: u32, nodes: u64) -> Grade {
    Grade {
        greedy_percent,
        random_percent,
        playouts,
        nodes,
    }
}

/// Levels 1 to 9; level 10 is not weakened. BENCHMARKS.md has what they are worth.
const GRADES: [Grade; 9] = [
    grade(90, 27, 29, 360),
    grade(72, 18, 58, 500),
    grade(55, 13, 90, 1200),
    grade(40, 8, 124, 1800),
    grade(28, 6, 172, 3000),
    grade(18, 2, 290, 5000),
    grade(10, 0, 465, 8600),
    grade(5, 0, 960, 23000),
    grade(2, 0, 1750, 72000),
];

impl Level {
    /// Level 10, full strength.
    pub const FULL: Level = Level(10);

    /// The level with this number, or `None` unless it is from 1 to 10.
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

    /// The limit on the playouts of `mcts` in one move; `None` at full strength.
    pub fn playouts(self) -> Option<u32> {
        self.grade().map(|grade| grade.playouts)
    }

    /// The limit on the nodes of `alphabeta` in one move; `None` at full strength.
    pub fn nodes(self) -> Option<u64> {
        self.grade().map(|grade| grade.nodes)
    }

    /// The percentage of turns in which `mcts` and `alphabeta` play a random move.
    pub(crate) fn random_percent(self) -> u64 {
        self.grade().map_or(0, |grade| grade.random_percent)
    }

    /// That of `greedy`.
    pub(crate) fn greedy_percent(self) -> u64 {
        self.grade().map_or(0, |grade| grade.greedy_percent)
    }
}

/// An engine that plays a random move in some of its turns.
#[derive(Clone, Copy, Debug)]
pub struct Weakened<E> {
    /// The engine that chooses the other moves.
    pub engine: E,
    /// The percentage of turns in which it plays a random move.
    pub random_percent: u64,
}

impl<E: Engine> Engine for Weakened<E> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn new_search<G: Game>(&self) -> Box<dyn Search<G>> {
        Box::new(WeakenedSearch {
            search: self.engine.new_search::<G>(),
            random_percent: self.random_percent,
        })
    }

    fn new_session_search(&self) -> Option<Box<dyn SessionSearch>> {
        Some(Box::new(WeakenedSessionSearch {
            search: self.engine.new_session_search()?,
            random_percent: self.random_percent,
        }))
    }
}

struct WeakenedSearch<G: Game> {
    search: Box<dyn Search<G>>,
    random_percent: u64,
}

impl<G: Game> Search<G> for WeakenedSearch<G> {
    fn choose(&mut self, question: &Question<'_, G>, rng: &mut Rng) -> Decision<G> {
        if rng.below(100) >= self.random_percent {
            return self.search.choose(question, rng);
        }
        let Question { game, position, .. } = *question;
        Decision {
            mv: game.random_move(position, rng, &mut Vec::new()),
            info: Some(json!({"text": RANDOM})),
        }
    }

    fn analyse(
        &mut self,
        question: &Question<'_, G>,
        analysis: &mut Analysis<'_>,
        rng: &mut Rng,
    ) -> Decision<G> {
        self.search.analyse(question, analysis, rng)
    }

    fn played(&mut self, mv: G::Move) {
        self.search.played(mv);
    }
}

struct WeakenedSessionSearch {
    search: Box<dyn SessionSearch>,
    random_percent: u64,
}

impl SessionSearch for WeakenedSessionSearch {
    fn choose(
        &mut self,
        question: &SessionQuestion<'_>,
        rng: &mut Rng,
    ) -> Result<SessionDecision, BrokenRules> {
        if rng.below(100) >= self.random_percent {
            return self.search.choose(question, rng);
        }
        let random = SessionDecision::random(question.legal, rng);
        Ok(SessionDecision {
            info: Some(json!({"text": RANDOM})),
            ..random
        })
    }

    fn analyse(
        &mut self,
        question: &SessionQuestion<'_>,
        analysis: &mut Analysis<'_>,
        rng: &mut Rng,
    ) -> Result<SessionDecision, BrokenRules> {
        self.search.analyse(question, analysis, rng)
    }

    fn played(&mut self, choices: &[String]) {
        self.search.played(choices);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_searches_more_and_plays_fewer_random_moves_than_the_one_below() {
        let levels: Vec<Level> = (1..=10).filter_map(Level::new).collect();
        assert_eq!(levels.len(), 10);
        for pair in levels.windows(2) {
            let work = |level: Level| {
                let playouts = level.playouts().unwrap_or(u32::MAX);
                (playouts, level.nodes().unwrap_or(u64::MAX))
            };
            assert!(work(pair[0]).0 < work(pair[1]).0 && work(pair[0]).1 < work(pair[1]).1);
            assert!(pair[0].random_percent() >= pair[1].random_percent());
            assert!(pair[0].greedy_percent() > pair[1].greedy_percent());
        }
        assert_eq!(
            (Level::FULL.playouts(), Level::FULL.random_percent()),
            (None, 0)
        );
    }
}
