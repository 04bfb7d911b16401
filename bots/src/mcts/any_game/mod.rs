//! Monte Carlo tree search through [`Session`](games::Session), for any number of seats, each of which
//! plays for its own outcome (max^n), and any kind of step:
//!
//! - **Several seats at once**: decoupled UCT. Every seat has statistics of its own moves alone.
//! - **Chance**: outcomes are drawn by their probabilities, and every outcome has a child.
//! - **Hidden information**: each iteration samples one state of the seat's information set,
//!   and statistics belong to observations, not to the state in which one
//!   is met. So a seat does not choose different moves in states that look the same to it (no strategy
//!   fusion), neither at the root nor below. Some iterations take states that look the same to the *others*
//!   from such a state, so that they do not answer as if they knew the root's hand, and the root's play
//!   with other hands is known, too. Only the seat from whose view the state was drawn learns from an
//!   iteration; the others play what they have learned on average. States are drawn as the rules draw
//!   them: what earlier moves say about hidden cards counts only as far as `sample` considers it.
//!
//! Solved positions are proven if up to two seats move in turn with perfect information: proven
//! values replace the means of playouts, and the search ends once the root is proven.
//!
//! With simultaneous moves or hidden information, the move is drawn by the visit counts of the
//! root, since an opponent can exploit any fixed choice. Otherwise, the most visited move is
//! played, or a proven win; never a proven loss if there is an alternative. Monte Carlo search
//! learns fast and inexactly: `bots/tests/any_game.rs` measures how much an opponent who knows it
//! gains in Kuhn poker.

mod discarded;
mod pace;
mod statistics;
mod texts;
mod tree;
mod worlds;

use std::time::{Duration, Instant};

use games::session::Session;
use games::{BrokenRules, Rng};
use protocol::SearchLine;
use serde_json::{Value, json};

use crate::any_game::budget::IterationBudget;
use crate::any_game::{Known, SessionDecision, SessionQuestion, SessionSearch};
use crate::any_game::{in_time, wrong_sample};
use crate::turn::analysis;
use crate::turn::analysis::Analysis;
use discarded::Discarded;
use pace::{Games, Pace};
use statistics::Statistics;
use texts::Texts;
use tree::{Node, SharedStatistics, Tree};
use worlds::Worlds;

/// At most this many moves of the principal variation are logged.
const LONGEST_LOGGED: usize = 12;

/// The search of one match, which keeps its tree from turn to turn unless information is hidden.
pub(crate) struct SessionMcts {
    /// The number of playouts a move; `None` for as many as there is time for.
    playouts: Option<u32>,
    /// Ignore the clock.
    untimed: bool,
    /// The tree of the last turn, from the position that was reached since.
    root: Option<Node>,
    discarded: Discarded,
    texts: Texts,
    /// The time of the slowest iteration of the last turn.
    slowest: Duration,
    pace: Pace,
}

struct Found {
    statistics: SharedStatistics,
    /// True if the move is drawn from the visit counts.
    is_mixed: bool,
    playouts: u32,
    depth: usize,
}

impl Found {
    /// The place of the move to play.
    fn choice(&self, statistics: &Statistics, rng: &mut Rng) -> usize {
        if self.is_mixed {
            statistics.draw_pruned(rng)
        } else {
            statistics.best()
        }
    }
}

impl SessionMcts {
    pub(crate) fn new(playouts: Option<u32>, untimed: bool) -> Self {
        SessionMcts {
            playouts,
            untimed,
            root: None,
            discarded: Discarded::default(),
            texts: Texts::default(),
            slowest: Duration::ZERO,
            pace: Pace::default(),
        }
    }

    fn budget(&self, question: &SessionQuestion<'_>) -> IterationBudget {
        let deadline = question.deadline.filter(|_| !self.untimed);
        // One slow iteration long ago says little.
        IterationBudget::new(self.playouts, deadline, self.slowest / 2)
    }

    /// Searches the position or information set; `None` if neither is known.
    fn search(
        &mut self,
        question: &SessionQuestion<'_>,
        audience: Option<&mut Analysis<'_>>,
        rng: &mut Rng,
    ) -> Result<Option<Found>, BrokenRules> {
        let mut budget = self.budget(question);
        let rest = budget.rest();
        let found = rest.run(|| match question.known {
            Known::Position(session) => {
                self.search_position((question, session), &mut budget, audience, rng)
            }
            Known::Observation(observation) => {
                self.search_observation((question, observation), &mut budget, audience, rng)
            }
        });
        self.slowest = budget.slowest();
        Ok(in_time(found)?.flatten())
    }

    fn search_position(
        &mut self,
        (question, session): (&SessionQuestion<'_>, &dyn Session),
        budget: &mut IterationBudget,
        mut audience: Option<&mut Analysis<'_>>,
        rng: &mut Rng,
    ) -> Result<Option<Found>, BrokenRules> {
        let mut tree = Tree::new(question, &mut self.discarded, &mut self.texts, rng);
        let mut root = match self.root.take() {
            Some(root) if root.session.ply() == session.ply() => root,
            kept => {
                kept.into_iter().for_each(|root| tree.discard(root));
                tree.open(session.fork())?
            }
        };
        tree.list_acting(&mut root)?;
        tree.count(&root);
        let Some(statistics) = root.statistics_of(question.seat) else {
            return Ok(None);
        };
        let is_mixed = session.to_move().alone().is_none();
        // Without a clock, the same seed gives the same move.
        let is_timed = question.deadline.is_some() && !self.untimed;
        let may_play_many = is_timed && session.games_at_once() > 1;
        while !root.is_proven() && budget.go_on() {
            tree.games = match may_play_many {
                true => self.pace.next(),
                false => Games::Single,
            };
            let began = Instant::now();
            let iterated = tree.iterate(&mut root, None);
            self.pace.add(began.elapsed(), tree.spent);
            if in_time(iterated)?.is_none() {
                break;
            }
            report_if_due(&mut audience, Some(&root), || Found {
                statistics: statistics.clone(),
                is_mixed,
                playouts: budget.done(),
                depth: tree.depth(),
            });
            let may_stop = question.can_save_time && !is_mixed && budget.is_time_to_look();
            if may_stop && statistics.borrow().margin() > budget.left() {
                break;
            }
        }
        self.root = Some(root);
        Ok(Some(Found {
            statistics,
            is_mixed,
            playouts: budget.done(),
            depth: tree.depth(),
        }))
    }

    /// Searches the seat's information set; `None` if the rules draw no states.
    fn search_observation(
        &mut self,
        (question, observation): (&SessionQuestion<'_>, &Value),
        budget: &mut IterationBudget,
        mut audience: Option<&mut Analysis<'_>>,
        rng: &mut Rng,
    ) -> Result<Option<Found>, BrokenRules> {
        let mut tree = Tree::new(question, &mut self.discarded, &mut self.texts, rng);
        let mut worlds = Worlds::new(question.rules);
        let Some(first) = worlds.draw(question.seat, observation, &mut tree)? else {
            return Ok(None);
        };
        let Some(statistics) = worlds.root(first).statistics_of(question.seat) else {
            let what = format!("seat {} is not to move in one of its states", question.seat);
            return Err(wrong_sample(&what));
        };
        while budget.go_on() {
            let walked = in_time(worlds.walk(question.seat, observation, &mut tree))?;
            let Some((world, viewer)) = walked.flatten() else {
                break;
            };
            if in_time(tree.iterate(worlds.root(world), Some(viewer)))?.is_none() {
                break;
            }
            report_if_due(&mut audience, None, || Found {
                statistics: statistics.clone(),
                is_mixed: true,
                playouts: budget.done(),
                depth: tree.depth(),
            });
        }
        worlds.discard(&mut tree);
        Ok(Some(Found {
            statistics,
            is_mixed: true,
            playouts: budget.done(),
            depth: tree.depth(),
        }))
    }

    /// The `info` of a move, for the log; `None` if there was no time for any search.
    fn info(&self, found: &Found, statistics: &Statistics, place: usize) -> Option<Value> {
        let value = statistics.value(place)?;
        let value = analysis::rounded(value);
        let mv = &*statistics.moves()[place];
        let pv = if found.is_mixed {
            vec![mv.to_owned()]
        } else {
            principal_variation(self.root.as_ref(), mv)
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

/// Reports to an analysis if a report is due.
fn report_if_due(
    audience: &mut Option<&mut Analysis<'_>>,
    root: Option<&Node>,
    found: impl FnOnce() -> Found,
) {
    if let Some(analysis) = audience
        && analysis.is_due()
    {
        analysis.report(lines_info(&found(), root, analysis.lines));
    }
}

/// The best moves after a first one, as long as one seat at a time acts.
fn principal_variation(root: Option<&Node>, first: &str) -> Vec<String> {
    let mut variation = vec![first.to_owned()];
    let mut node = root;
    while let Some(next) = node.and_then(|node| node.child(&variation[variation.len() - 1..])) {
        let Some(mv) = next.best() else { break };
        if variation.len() == LONGEST_LOGGED {
            break;
        }
        variation.push(mv);
        node = Some(next);
    }
    variation
}

/// The `info` with the best moves; `None` if there was no time for any search.
fn lines_info(found: &Found, root: Option<&Node>, most: usize) -> Option<Value> {
    let statistics = found.statistics.borrow();
    let places = statistics.best_first().into_iter().take(most);
    let lines = places.map(|place| {
        let mv = &*statistics.moves()[place];
        let variation = if found.is_mixed {
            vec![mv.to_owned()]
        } else {
            principal_variation(root, mv)
        };
        SearchLine {
            value: statistics.value(place).map(analysis::rounded),
            depth: Some(variation.len() as u64),
            nodes: Some(u64::from(statistics.visits(place))),
            pv: variation.into_iter().map(Into::into).collect(),
        }
    });
    let lines = lines.collect();
    let mut info = analysis::info(found.depth, u64::from(found.playouts), lines)?;
    if found.is_mixed {
        info["text"] = "its move is drawn from how often each was tried".into();
    }
    Some(info)
}

/// Checks that the move is legal by the referee's list, too.
fn is_legal(question: &SessionQuestion<'_>, mv: &str) -> Result<(), BrokenRules> {
    if question.legal.iter().any(|legal| legal == mv) {
        return Ok(());
    }
    Err(match question.known {
        Known::Observation(_) => {
            let seat = question.seat;
            wrong_sample(&format!(
                "in its states, seat {seat} has the move `{mv}`, which it has not"
            ))
        }
        Known::Position(_) => {
            BrokenRules::new(format!("the rules list `{mv}`, but the referee does not"))
        }
    })
}

impl SessionSearch for SessionMcts {
    fn choose(
        &mut self,
        question: &SessionQuestion<'_>,
        rng: &mut Rng,
    ) -> Result<SessionDecision, BrokenRules> {
        let Some(found) = self.search(question, None, rng)? else {
            return Ok(SessionDecision::random(question.legal, rng));
        };
        let statistics = found.statistics.borrow();
        let place = found.choice(&statistics, rng);
        let mv = statistics.moves()[place].to_string();
        is_legal(question, &mv)?;
        let info = self.info(&found, &statistics, place);
        Ok(SessionDecision { mv, info })
    }

    fn analyse(
        &mut self,
        question: &SessionQuestion<'_>,
        analysis: &mut Analysis<'_>,
        rng: &mut Rng,
    ) -> Result<SessionDecision, BrokenRules> {
        let most = analysis.lines;
        let Some(found) = self.search(question, Some(analysis), rng)? else {
            return Ok(SessionDecision::random(question.legal, rng));
        };
        let statistics = found.statistics.borrow();
        let mv = statistics.moves()[found.choice(&statistics, rng)].to_string();
        is_legal(question, &mv)?;
        let info = lines_info(&found, self.root.as_ref(), most);
        Ok(SessionDecision { mv, info })
    }

    fn played(&mut self, choices: &[String]) {
        if let Some(mut root) = self.root.take() {
            self.root = root.remove_child(choices);
            self.discarded.add(root);
        }
    }
}
