//! Monte Carlo tree search through [`Session`](games::Session), for any number of seats, each of which
//! plays for its own outcome (max^n), and any kind of step:
//!
//! - **Several seats at once**: decoupled UCT. Every seat has statistics of its own moves alone.
//! - **Chance**: outcomes are drawn by their probabilities, and every outcome has a child.
//! - **Hidden information**: each iteration takes one state that the seat cannot tell from the real
//!   one, and statistics belong to what a seat can tell apart, its observation, in whichever state it
//!   is met. So a seat does not choose different moves in states that look the same to it (no strategy
//!   fusion), neither at the root nor below. Some iterations take states that the *others* cannot tell
//!   from such a state, so that they do not answer as if they knew the root's hand, and the root's play
//!   with other hands is known, too. Only the seat from whose view the state was drawn learns from an
//!   iteration; the others play what they have learned on average. States are drawn as the rules draw
//!   them: what earlier moves say about hidden cards counts only as far as `sample` considers it.
//!
//! Where seats act at once or information is hidden, the move is drawn from how often each was tried at
//! the root: any fixed choice there has a best reply. Everywhere else it is the move tried most. A tree
//! of random games learns fast and not exactly; how much an opponent who knows it can gain in Kuhn poker
//! is measured in `bots/tests/any_game.rs`.

mod statistics;
mod tree;
mod worlds;

use std::time::Duration;

use games::session::Session;
use games::{BrokenRules, Rng};
use serde_json::{Value, json};

use super::budget::IterationBudget;
use super::{Known, SessionDecision, SessionQuestion, SessionSearch};
use statistics::Statistics;
use tree::{Node, SharedStatistics, Tree};
use worlds::Worlds;

/// At most this many moves of the principal variation are logged.
const LONGEST_LOGGED: usize = 12;

/// The search of one match, which keeps its tree from turn to turn unless information is hidden.
pub(crate) struct SessionMcts {
    /// The number of playouts a move; `None` for as many as there is time for.
    playouts: Option<u32>,
    /// Whether to ignore the clock.
    untimed: bool,
    /// The tree of the last turn, from the position that was reached since.
    root: Option<Node>,
    /// How long the slowest iteration of the last turn took.
    slowest: Duration,
}

/// What a search has found.
struct Found {
    statistics: SharedStatistics,
    /// Whether the move is drawn from how often each was tried.
    is_mixed: bool,
    playouts: u32,
    depth: usize,
}

impl SessionMcts {
    pub(crate) fn new(playouts: Option<u32>, untimed: bool) -> Self {
        SessionMcts {
            playouts,
            untimed,
            root: None,
            slowest: Duration::ZERO,
        }
    }

    fn budget(&self, question: &SessionQuestion<'_>) -> IterationBudget {
        let deadline = question.deadline.filter(|_| !self.untimed);
        // One slow iteration long ago says little.
        IterationBudget::new(self.playouts, deadline, self.slowest / 2)
    }

    /// Searches from a position that is known.
    fn search_position(
        &mut self,
        question: &SessionQuestion<'_>,
        session: &dyn Session,
        rng: &mut Rng,
    ) -> Result<Option<Found>, BrokenRules> {
        let mut budget = self.budget(question);
        let mut tree = Tree::new(question, rng);
        let kept = self.root.take();
        let mut root = match kept.filter(|root| root.session.ply() == session.ply()) {
            Some(root) => root,
            None => tree.open(session.fork())?,
        };
        tree.count(&root);
        let Some(statistics) = root.statistics_of(question.seat) else {
            return Ok(None);
        };
        let is_mixed = session.to_move().alone().is_none();
        while budget.go_on() {
            tree.iterate(&mut root, None)?;
            let may_stop = question.can_save_time && !is_mixed && budget.is_time_to_look();
            if may_stop && statistics.borrow().margin() > budget.left() {
                break;
            }
        }
        self.slowest = budget.slowest();
        self.root = Some(root);
        Ok(Some(Found {
            statistics,
            is_mixed,
            playouts: budget.done(),
            depth: tree.depth(),
        }))
    }

    /// Searches the states that the seat cannot tell from the real one; `None` if the rules draw none.
    fn search_observation(
        &mut self,
        question: &SessionQuestion<'_>,
        observation: &Value,
        rng: &mut Rng,
    ) -> Result<Option<Found>, BrokenRules> {
        let mut budget = self.budget(question);
        let mut tree = Tree::new(question, rng);
        let mut worlds = Worlds::new(question.rules);
        let Some(first) = worlds.draw(question.seat, observation, &mut tree)? else {
            return Ok(None);
        };
        let Some(statistics) = worlds.root(first).statistics_of(question.seat) else {
            return Ok(None);
        };
        while budget.go_on() {
            let Some((world, viewer)) = worlds.walk(question.seat, observation, &mut tree)? else {
                break;
            };
            tree.iterate(worlds.root(world), Some(viewer))?;
        }
        self.slowest = budget.slowest();
        Ok(Some(Found {
            statistics,
            is_mixed: true,
            playouts: budget.done(),
            depth: tree.depth(),
        }))
    }

    /// The moves that are most tried from here on, as long as one seat after the other acts.
    fn principal_variation(&self, first: &str) -> Vec<String> {
        let mut variation = vec![first.to_owned()];
        let mut node = self.root.as_ref();
        while let Some(next) = node.and_then(|node| node.child(&variation[variation.len() - 1..])) {
            let Some(mv) = next.most_tried() else { break };
            if variation.len() == LONGEST_LOGGED {
                break;
            }
            variation.push(mv);
            node = Some(next);
        }
        variation
    }

    /// The `info` of a move, for the log; `None` if there was no time for any search.
    fn info(&self, found: &Found, statistics: &Statistics, place: usize) -> Option<Value> {
        let value = statistics.value(place)?;
        let value = (value * 1000.0).round() / 1000.0;
        let mv = &statistics.moves()[place];
        let pv = if found.is_mixed {
            vec![mv.clone()]
        } else {
            self.principal_variation(mv)
        };
        let mut info =
            json!({"depth": found.depth, "nodes": found.playouts, "value": value, "pv": pv});
        if found.is_mixed {
            let share = 100.0 * statistics.mixture()[place];
            info["text"] = format!("drawn, with {share:.0} %").into();
        }
        Some(info)
    }
}

impl SessionSearch for SessionMcts {
    fn choose(
        &mut self,
        question: &SessionQuestion<'_>,
        rng: &mut Rng,
    ) -> Result<SessionDecision, BrokenRules> {
        let found = match question.known {
            Known::Position(session) => self.search_position(question, session, rng)?,
            Known::Observation(observation) => {
                self.search_observation(question, observation, rng)?
            }
        };
        let Some(found) = found else {
            return Ok(SessionDecision::random(question.legal, rng));
        };
        let statistics = found.statistics.borrow();
        let place = if found.is_mixed {
            statistics.draw_pruned(rng)
        } else {
            statistics.most_tried()
        };
        let mv = statistics.moves()[place].clone();
        if !question.legal.contains(&mv) {
            return Ok(SessionDecision::random(question.legal, rng));
        }
        let info = self.info(&found, &statistics, place);
        Ok(SessionDecision { mv, info })
    }

    fn played(&mut self, choices: &[String]) {
        self.root = self.root.take().and_then(|root| root.into_child(choices));
    }
}
