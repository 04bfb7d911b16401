//! The search tree: positions, statistics of the acting seats, and iterations.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use games::session::Session;
use games::{Actor, BrokenRules, Rng, Seat};

use crate::any_game::{Known, SessionQuestion, make, outcome, playout};
use crate::mcts::session::statistics::Statistics;

/// A tree does not grow beyond this many positions; the search then goes on in those that it has.
const MOST_NODES: usize = 200_000;
/// An iteration goes no deeper.
const DEEPEST: usize = 256;

/// The statistics of a seat, shared by the positions of an information set.
pub(super) type SharedStatistics = Rc<RefCell<Statistics>>;

pub(super) struct Node {
    pub(super) session: Box<dyn Session>,
    acting: Vec<Acting>,
    /// Proven outcome for each seat; `None` while the position is unproven.
    worth: Option<Vec<f64>>,
    /// Identifies the position, if positions must not repeat.
    identity: Option<String>,
    /// By the index of each choice among those of the actor.
    children: HashMap<Vec<usize>, Node>,
}

/// An actor in a position.
enum Acting {
    Seat(Seat, SharedStatistics),
    Chance(Vec<(String, f64)>),
}

impl Acting {
    fn text(&self, place: usize) -> String {
        match self {
            Acting::Seat(_, statistics) => statistics.borrow().moves()[place].clone(),
            Acting::Chance(chances) => chances[place].0.clone(),
        }
    }

    fn place(&self, text: &str) -> Option<usize> {
        match self {
            Acting::Seat(_, statistics) => {
                statistics.borrow().moves().iter().position(|mv| mv == text)
            }
            Acting::Chance(chances) => chances.iter().position(|(outcome, _)| outcome == text),
        }
    }
}

impl Node {
    pub(super) fn statistics_of(&self, seat: Seat) -> Option<SharedStatistics> {
        self.acting.iter().find_map(|acting| match acting {
            Acting::Seat(acts, statistics) if *acts == seat => Some(statistics.clone()),
            _ => None,
        })
    }

    fn places(&self, choices: &[String]) -> Option<Vec<usize>> {
        if choices.len() != self.acting.len() {
            return None;
        }
        let acting = self.acting.iter().zip(choices);
        acting.map(|(acting, text)| acting.place(text)).collect()
    }

    /// The position after a step, if it was visited.
    pub(super) fn child(&self, choices: &[String]) -> Option<&Node> {
        self.children.get(&self.places(choices)?)
    }

    pub(super) fn into_child(mut self, choices: &[String]) -> Option<Node> {
        let places = self.places(choices)?;
        self.children.remove(&places)
    }

    pub(super) fn is_proven(&self) -> bool {
        self.worth.is_some()
    }

    /// Records the proven outcome of a step of a single seat, and proves this position if that
    /// decides it.
    fn prove(&mut self, places: &[usize]) {
        let [Acting::Seat(seat, statistics)] = &self.acting[..] else {
            return;
        };
        let worth = |places: &[usize]| self.children.get(places)?.worth.as_ref();
        let Some(after) = worth(places) else { return };
        let mut statistics = statistics.borrow_mut();
        statistics.prove(places[0], after[*seat]);
        let found = statistics.proof().and_then(|place| worth(&[place]));
        let found = found.cloned();
        drop(statistics);
        self.worth = found;
    }

    /// The best move by what was found, where one seat acts alone and any was tried.
    pub(super) fn best(&self) -> Option<String> {
        let [Acting::Seat(_, statistics)] = &self.acting[..] else {
            return None;
        };
        let statistics = statistics.borrow();
        let place = statistics.best();
        statistics.value(place)?;
        Some(statistics.moves()[place].clone())
    }
}

/// When new positions are played out.
#[derive(Clone, Copy)]
enum Playouts {
    /// Where they are reached, which takes no copy of them.
    Now,
    /// Together with others.
    Later,
}

/// The end of the way down.
enum Reached {
    /// A position whose outcome is proven, or was played out.
    Worth(Vec<f64>),
    /// A position to play on from at random.
    New(Box<dyn Session>),
}

/// The data that all iterations of one turn share.
pub(super) struct Tree<'a> {
    question: &'a SessionQuestion<'a>,
    pub(super) rng: &'a mut Rng,
    /// With hidden information: statistics by information set.
    by_observation: HashMap<String, SharedStatistics>,
    is_hidden: bool,
    /// True if positions can be proven. With more than two seats, which of its equally good moves a
    /// seat makes would still matter to the others.
    can_prove: bool,
    /// The identities of the positions from the root to the current one, if they must not repeat.
    path: Vec<String>,
    /// The ply at which the match is stopped.
    last_ply: Option<u32>,
    nodes: usize,
    depth: usize,
}

impl<'a> Tree<'a> {
    pub(super) fn new(question: &'a SessionQuestion<'a>, rng: &'a mut Rng) -> Self {
        Tree {
            is_hidden: matches!(question.known, Known::Observation(_)),
            can_prove: matches!(question.known, Known::Position(_)) && question.rules.seats() <= 2,
            question,
            rng,
            by_observation: HashMap::new(),
            path: Vec::new(),
            last_ply: None,
            nodes: 0,
            depth: 0,
        }
    }

    /// Counts the positions of a tree that was kept.
    pub(super) fn count(&mut self, root: &Node) {
        fn size(node: &Node) -> usize {
            1 + node.children.values().map(size).sum::<usize>()
        }
        self.nodes = size(root);
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn is_full(&self) -> bool {
        self.nodes >= MOST_NODES
    }

    /// Creates the node of a position.
    pub(super) fn open(&mut self, mut session: Box<dyn Session>) -> Result<Node, BrokenRules> {
        self.nodes += 1;
        let identity = match self.question.repetition {
            Some(_) if !self.is_hidden => Some(session.identity()?),
            _ => None,
        };
        let worth = if self.is_over(&*session, identity.as_deref()) {
            Some(outcome(&*session)?)
        } else {
            None
        };
        let mut acting = Vec::new();
        if worth.is_none() {
            for actor in session.to_move().actors() {
                acting.push(match actor {
                    Actor::Chance => Acting::Chance(session.chances()),
                    Actor::Seat(seat) => Acting::Seat(seat, self.statistics(&mut *session, seat)?),
                });
            }
        }
        Ok(Node {
            session,
            acting,
            worth,
            identity,
            children: HashMap::new(),
        })
    }

    /// True if the match is over in a position below the current path.
    fn is_over(&self, session: &dyn Session, identity: Option<&str>) -> bool {
        if session.to_move().is_over() {
            return true;
        }
        let is_stopped = self.last_ply.is_some_and(|last| session.ply() >= last);
        let (Some(identity), Some(most)) = (identity, self.question.repetition) else {
            return is_stopped;
        };
        // The root is the last of the history, and the first of the path.
        let before = self.question.history.iter().chain(self.path.iter().skip(1));
        let times = before.filter(|known| *known == identity).count() as u32;
        is_stopped || (!self.path.is_empty() && times + 1 >= most)
    }

    /// The statistics of a seat that acts in a position.
    fn statistics(
        &mut self,
        session: &mut dyn Session,
        seat: Seat,
    ) -> Result<SharedStatistics, BrokenRules> {
        let moves = session.legal_of(seat)?;
        if !self.is_hidden {
            return Ok(Rc::new(RefCell::new(Statistics::new(moves))));
        }
        // A seat knows its moves, so they are part of its information set.
        let key = format!("{seat} {} {}", session.observation(seat)?, moves.join("\n"));
        let known = self.by_observation.entry(key);
        let statistics = known.or_insert_with(|| Rc::new(RefCell::new(Statistics::new(moves))));
        Ok(statistics.clone())
    }

    /// One iteration: down to a new position, and a playout from there. With hidden information,
    /// only `learner` learns from it.
    pub(super) fn iterate(
        &mut self,
        root: &mut Node,
        learner: Option<Seat>,
    ) -> Result<(), BrokenRules> {
        let mut steps = Vec::new();
        let values = match self.select(root, &mut steps, learner, Playouts::Now) {
            Ok(Reached::Worth(values)) => Ok(values),
            Ok(Reached::New(session)) => playout(&*session, self.last_ply, self.rng),
            Err(broken) => Err(broken),
        };
        self.backpropagate(root, &steps, values.as_ref().ok(), learner);
        values.map(drop)
    }

    /// Several iterations: down to new positions, and playouts from all of them at once.
    pub(super) fn iterate_many(&mut self, root: &mut Node, count: u32) -> Result<(), BrokenRules> {
        let (mut lines, mut sessions) = (Vec::new(), Vec::new());
        let mut failed = None;
        for _ in 0..count {
            let mut steps = Vec::new();
            match self.select(root, &mut steps, None, Playouts::Later) {
                Ok(Reached::Worth(values)) => {
                    self.backpropagate(root, &steps, Some(&values), None);
                }
                Ok(Reached::New(session)) => {
                    lines.push(steps);
                    sessions.push(session);
                }
                Err(broken) => {
                    self.backpropagate(root, &steps, None, None);
                    failed = Some(broken);
                    break;
                }
            }
        }
        let seed = self.rng.next_u64();
        let played = match failed {
            None => root.session.playout_each(&sessions, self.last_ply, seed),
            Some(broken) => Err(broken),
        };
        // Without values, the tries are taken back.
        let (values, ended) = match played {
            Ok(values) => (values.unwrap_or_default(), Ok(())),
            Err(broken) => (Vec::new(), Err(broken)),
        };
        for (at, steps) in lines.iter().enumerate() {
            self.backpropagate(root, steps, values.get(at), None);
        }
        ended
    }

    /// Goes down to a position that is new or has a proven outcome. The steps are the places of the choices,
    /// which are begun; [`Tree::backpropagate`] ends them.
    fn select(
        &mut self,
        root: &mut Node,
        steps: &mut Vec<Vec<usize>>,
        learner: Option<Seat>,
        playouts: Playouts,
    ) -> Result<Reached, BrokenRules> {
        let left = self.question.plies_left;
        self.last_ply = left.map(|left| root.session.ply().saturating_add(left));
        self.path.clear();
        self.descend(root, steps, learner, playouts)
    }

    fn descend(
        &mut self,
        node: &mut Node,
        steps: &mut Vec<Vec<usize>>,
        learner: Option<Seat>,
        playouts: Playouts,
    ) -> Result<Reached, BrokenRules> {
        let depth = steps.len();
        self.depth = self.depth.max(depth);
        if let Some(worth) = &node.worth {
            return Ok(Reached::Worth(worth.clone()));
        }
        if depth > 0 && (is_new(node, learner) || depth == DEEPEST) {
            return match playouts {
                Playouts::Now => {
                    playout(&*node.session, self.last_ply, self.rng).map(Reached::Worth)
                }
                Playouts::Later => Ok(Reached::New(node.session.fork())),
            };
        }
        self.path.extend(node.identity.clone());
        let places: Vec<usize> = node
            .acting
            .iter()
            .map(|acting| choose(acting, learner, self.rng))
            .collect();
        for (acting, place) in node.acting.iter().zip(&places) {
            if let Acting::Seat(seat, statistics) = acting
                && learner.is_none_or(|learner| learner == *seat)
            {
                statistics.borrow_mut().begin(*place);
            }
        }
        steps.push(places.clone());
        if let Some(child) = node.children.get_mut(&places) {
            return self.descend(child, steps, learner, playouts);
        }
        let mut child = self.open_child(node, &places)?;
        let reached = self.descend(&mut child, steps, learner, playouts);
        if !self.is_full() {
            node.children.insert(places, child);
        }
        reached
    }

    /// Ends the steps that an iteration began, with its outcome for each seat, or takes them back.
    fn backpropagate(
        &self,
        node: &mut Node,
        steps: &[Vec<usize>],
        values: Option<&Vec<f64>>,
        learner: Option<Seat>,
    ) -> Option<Vec<f64>> {
        let Some((places, rest)) = steps.split_first() else {
            return values.cloned();
        };
        let mut values = match node.children.get_mut(places) {
            Some(child) => self.backpropagate(child, rest, values, learner),
            None => values.cloned(),
        };
        if self.can_prove && values.is_some() {
            node.prove(places);
            if let Some(worth) = &node.worth {
                values = Some(worth.clone());
            }
        }
        for (acting, place) in node.acting.iter().zip(places) {
            if let Acting::Seat(seat, statistics) = acting
                && learner.is_none_or(|learner| learner == *seat)
            {
                let mut statistics = statistics.borrow_mut();
                match &values {
                    Some(values) => statistics.end(*place, values[*seat]),
                    None => statistics.cancel(*place),
                }
            }
        }
        values
    }

    fn open_child(&mut self, node: &Node, places: &[usize]) -> Result<Node, BrokenRules> {
        let acting = node.acting.iter().zip(places);
        let step: Vec<String> = acting.map(|(acting, place)| acting.text(*place)).collect();
        let mut session = node.session.fork();
        make(&mut *session, &step)?;
        self.open(session)
    }
}

/// True if an actor visits this position for the first time.
fn is_new(node: &Node, learner: Option<Seat>) -> bool {
    let mut is_new = false;
    for acting in &node.acting {
        let Acting::Seat(seat, statistics) = acting else {
            continue;
        };
        let mut statistics = statistics.borrow_mut();
        if statistics.is_fresh() {
            is_new = true;
            if learner.is_none_or(|learner| learner == *seat) {
                statistics.visit();
            }
        }
    }
    is_new
}

/// The choice of one acting seat in an iteration: the learner explores, others play their average
/// strategy.
fn choose(acting: &Acting, learner: Option<Seat>, rng: &mut Rng) -> usize {
    match acting {
        Acting::Chance(chances) => draw_place(chances, rng),
        Acting::Seat(seat, statistics) => {
            let statistics = statistics.borrow();
            if learner.is_none_or(|learner| learner == *seat) {
                statistics.select(rng)
            } else {
                statistics.draw(rng)
            }
        }
    }
}

/// The place of an outcome that is drawn by the probabilities.
fn draw_place(chances: &[(String, f64)], rng: &mut Rng) -> usize {
    let all: f64 = chances.iter().map(|(_, probability)| probability).sum();
    let mut left = rng.unit() * all;
    let mut drawn = 0;
    for (place, (_, probability)) in chances.iter().enumerate() {
        // The last possible one, should rounding leave a rest.
        if *probability > 0.0 {
            drawn = place;
            left -= probability;
        }
        if left < 0.0 {
            break;
        }
    }
    drawn
}
