//! The search tree: positions, statistics of the acting seats, and iterations.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::time::Instant;

use games::session::{Session, as_strs};
use games::{Actor, BrokenRules, Rng, Seat};
use smallvec::SmallVec;

use crate::any_game::{Known, SessionQuestion, outcome, playout, refused};
use crate::mcts::any_game::discarded::Discarded;
use crate::mcts::any_game::pace::{Games, Spent};
use crate::mcts::any_game::statistics::Statistics;
use crate::mcts::any_game::texts::Texts;

/// A tree does not grow beyond this many positions; the search then goes on in those that it has.
const MOST_NODES: usize = 200_000;
/// An iteration goes no deeper.
const DEEPEST: usize = 256;

/// The statistics of a seat, shared by the positions of an information set.
pub(super) type SharedStatistics = Rc<RefCell<Statistics>>;

pub(super) struct Node {
    pub(super) session: Box<dyn Session>,
    /// Those who act. Where nothing is hidden, they are listed when the position is visited again: most
    /// positions never are.
    acting: Vec<Acting>,
    is_visited: bool,
    /// Proven outcome for each seat; `None` while the position is unproven.
    worth: Option<Vec<f64>>,
    /// Identifies the position, if positions must not repeat.
    identity: Option<String>,
    children: BTreeMap<Places, Box<Node>>,
}

/// The places of the choices of a step, each among those of its actor.
type Places = SmallVec<[u32; 2]>;

/// An actor in a position.
enum Acting {
    Seat(Seat, SharedStatistics),
    Chance(Vec<(String, f64)>),
}

impl Acting {
    fn text(&self, place: u32) -> String {
        match self {
            Acting::Seat(_, statistics) => statistics.borrow().moves()[place as usize].to_string(),
            Acting::Chance(chances) => chances[place as usize].0.clone(),
        }
    }

    fn place(&self, text: &str) -> Option<u32> {
        let place = match self {
            Acting::Seat(_, statistics) => statistics
                .borrow()
                .moves()
                .iter()
                .position(|mv| **mv == *text),
            Acting::Chance(chances) => chances.iter().position(|(outcome, _)| outcome == text),
        };
        place.map(|place| place as u32)
    }
}

impl Node {
    pub(super) fn statistics_of(&self, seat: Seat) -> Option<SharedStatistics> {
        self.acting.iter().find_map(|acting| match acting {
            Acting::Seat(acts, statistics) if *acts == seat => Some(statistics.clone()),
            _ => None,
        })
    }

    fn places(&self, choices: &[String]) -> Option<Places> {
        if choices.len() != self.acting.len() {
            return None;
        }
        let acting = self.acting.iter().zip(choices);
        acting.map(|(acting, text)| acting.place(text)).collect()
    }

    /// The position after a step, if it was visited.
    pub(super) fn child(&self, choices: &[String]) -> Option<&Node> {
        let places = self.places(choices)?;
        self.children.get(&places).map(|child| &**child)
    }

    pub(super) fn remove_child(&mut self, choices: &[String]) -> Option<Node> {
        let places = self.places(choices)?;
        self.children.remove(&places).map(|child| *child)
    }

    pub(super) fn take_children(&mut self) -> impl Iterator<Item = Node> + use<> {
        let children = std::mem::take(&mut self.children);
        children.into_values().map(|child| *child)
    }

    pub(super) fn is_proven(&self) -> bool {
        self.worth.is_some()
    }

    /// Records the proven outcome of a step of a single seat, and proves this position if that
    /// decides it.
    fn prove(&mut self, places: &[u32]) {
        let [Acting::Seat(seat, statistics)] = &self.acting[..] else {
            return;
        };
        let worth = |places: &[u32]| self.children.get(places)?.worth.as_ref();
        let Some(after) = worth(places) else { return };
        let mut statistics = statistics.borrow_mut();
        statistics.prove(places[0] as usize, after[*seat]);
        let found = statistics.proof();
        let found = found.and_then(|place| worth(&[place as u32]));
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
        Some(statistics.moves()[place].to_string())
    }
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
    /// The random games that are played from a new position.
    pub(super) games: Games,
    /// How long those of the last iteration took.
    pub(super) spent: Spent,
    discarded: &'a mut Discarded,
    texts: &'a mut Texts,
    nodes: usize,
    depth: usize,
}

impl<'a> Tree<'a> {
    pub(super) fn new(
        question: &'a SessionQuestion<'a>,
        discarded: &'a mut Discarded,
        texts: &'a mut Texts,
        rng: &'a mut Rng,
    ) -> Self {
        Tree {
            is_hidden: matches!(question.known, Known::Observation(_)),
            can_prove: matches!(question.known, Known::Position(_)) && question.rules.seats() <= 2,
            question,
            rng,
            by_observation: HashMap::new(),
            path: Vec::new(),
            last_ply: None,
            games: Games::Single,
            spent: Spent::default(),
            discarded,
            texts,
            nodes: 0,
            depth: 0,
        }
    }

    /// Counts the positions of a tree that was kept.
    pub(super) fn count(&mut self, root: &Node) {
        fn size(node: &Node) -> usize {
            1 + node
                .children
                .values()
                .map(|child| size(child))
                .sum::<usize>()
        }
        self.nodes = size(root);
    }

    /// Gives up a position and those after it.
    pub(super) fn discard(&mut self, node: Node) {
        self.discarded.add(node);
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn is_full(&self) -> bool {
        self.nodes >= MOST_NODES
    }

    /// Creates the node of a position.
    pub(super) fn open(&mut self, session: Box<dyn Session>) -> Result<Node, BrokenRules> {
        if !self.is_full() {
            self.discarded.free_one();
        }
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
        let mut node = Node {
            session,
            acting: Vec::new(),
            is_visited: false,
            worth,
            identity,
            children: BTreeMap::new(),
        };
        if self.is_hidden {
            self.list_acting(&mut node)?;
        }
        Ok(node)
    }

    /// Lists those who act in a position, unless that is done.
    pub(super) fn list_acting(&mut self, node: &mut Node) -> Result<(), BrokenRules> {
        if node.worth.is_some() || !node.acting.is_empty() {
            return Ok(());
        }
        for actor in node.session.to_move().actors() {
            node.acting.push(match actor {
                Actor::Chance => Acting::Chance(node.session.chances()),
                Actor::Seat(seat) => {
                    let statistics = self.statistics(&mut *node.session, seat)?;
                    if node.is_visited {
                        statistics.borrow_mut().visit();
                    }
                    Acting::Seat(seat, statistics)
                }
            });
        }
        Ok(())
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
        let mut moves = Vec::new();
        session.each_legal(seat, &mut |mv| moves.push(self.texts.shared(mv)))?;
        if !self.is_hidden {
            return Ok(Rc::new(RefCell::new(Statistics::new(moves))));
        }
        // A seat knows its moves, so they are part of its information set.
        let key = format!("{seat} {} {}", session.observation(seat)?, moves.join("\n"));
        let known = self.by_observation.entry(key);
        let statistics = known.or_insert_with(|| Rc::new(RefCell::new(Statistics::new(moves))));
        Ok(statistics.clone())
    }

    /// One iteration: down to a new position, and random games from there. With hidden information, only
    /// `learner` learns from it.
    pub(super) fn iterate(
        &mut self,
        root: &mut Node,
        learner: Option<Seat>,
    ) -> Result<(), BrokenRules> {
        let left = self.question.plies_left;
        self.last_ply = left.map(|left| root.session.ply().saturating_add(left));
        self.path.clear();
        self.spent = Spent::default();
        let mut steps = Vec::new();
        let values = self.descend(root, &mut steps, learner);
        self.backpropagate(root, &steps, values.as_ref().ok(), learner);
        values.map(drop)
    }

    /// Goes down to a position that is new or has a proven outcome, and returns its value. The steps are the
    /// places of the choices, which are begun; [`Tree::backpropagate`] ends them.
    fn descend(
        &mut self,
        node: &mut Node,
        steps: &mut Vec<Places>,
        learner: Option<Seat>,
    ) -> Result<Vec<f64>, BrokenRules> {
        let depth = steps.len();
        self.depth = self.depth.max(depth);
        if let Some(worth) = &node.worth {
            return Ok(worth.clone());
        }
        let was_visited = std::mem::replace(&mut node.is_visited, true);
        let is_new = match self.is_hidden {
            true => is_new(node, learner),
            false => !was_visited,
        };
        if depth > 0 && (is_new || depth == DEEPEST) {
            return self.play_out(node);
        }
        self.list_acting(node)?;
        self.path.extend(node.identity.clone());
        let acting = node.acting.iter();
        let places: Places = acting
            .map(|acting| choose(acting, learner, self.rng) as u32)
            .collect();
        for (acting, place) in node.acting.iter().zip(&places) {
            if let Acting::Seat(seat, statistics) = acting
                && learner.is_none_or(|learner| learner == *seat)
            {
                statistics.borrow_mut().begin(*place as usize);
            }
        }
        steps.push(places.clone());
        if let Some(child) = node.children.get_mut(&places) {
            return self.descend(child, steps, learner);
        }
        let mut child = Box::new(self.open_child(node, &places)?);
        let values = self.descend(&mut child, steps, learner);
        if !self.is_full() {
            node.children.insert(places, child);
        }
        values
    }

    /// The value of a position by random games: a single one, or many that also give a first impression of
    /// each of its moves. If both are played, the many count.
    fn play_out(&mut self, node: &mut Node) -> Result<Vec<f64>, BrokenRules> {
        let by_many = match self.games {
            Games::Single => None,
            Games::Many | Games::Both => self.play_out_each_move(node)?,
        };
        match by_many {
            Some(values) if self.games == Games::Many => Ok(values),
            Some(values) => self.play_out_once(node).map(|_| values),
            None => self.play_out_once(node),
        }
    }

    fn play_out_once(&mut self, node: &Node) -> Result<Vec<f64>, BrokenRules> {
        let began = Instant::now();
        let values = playout(&*node.session, self.last_ply, self.rng);
        self.spent.single = began.elapsed();
        values
    }

    /// The same by many games; `None` if not one seat alone acts, or the rules have no faster way.
    fn play_out_each_move(&mut self, node: &mut Node) -> Result<Option<Vec<f64>>, BrokenRules> {
        if node.session.to_move().alone().is_none() {
            return Ok(None);
        }
        let began = Instant::now();
        self.list_acting(node)?;
        let [Acting::Seat(seat, statistics)] = &node.acting[..] else {
            return Ok(None);
        };
        let mut statistics = statistics.borrow_mut();
        let moves = statistics.moves().len();
        let (first, seed) = (self.rng.index(moves), self.rng.next_u64());
        let session = &node.session;
        let games = session.games_at_once();
        let Some(outcomes) = session.playouts_by_move(games, first, self.last_ply, seed)? else {
            return Ok(None);
        };
        let mut values = vec![0.0; session.seats()];
        let mut by_move = vec![(0, 0.0); moves];
        for (game, outcome) in outcomes.iter().enumerate() {
            let (count, sum) = &mut by_move[(first + game) % moves];
            *count += 1;
            *sum += outcome[*seat];
            for (value, outcome) in values.iter_mut().zip(outcome) {
                *value += outcome / outcomes.len() as f64;
            }
        }
        statistics.expect(values[*seat], &by_move);
        self.spent.many = began.elapsed();
        Ok(Some(values))
    }

    /// Ends the steps that an iteration began, with its outcome for each seat, or takes them back.
    fn backpropagate(
        &self,
        node: &mut Node,
        steps: &[Places],
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
                    Some(values) => statistics.end(*place as usize, values[*seat]),
                    None => statistics.cancel(*place as usize),
                }
            }
        }
        values
    }

    fn open_child(&mut self, node: &Node, places: &[u32]) -> Result<Node, BrokenRules> {
        let acting = node.acting.iter().zip(places);
        let step: Vec<String> = acting.map(|(acting, place)| acting.text(*place)).collect();
        let session = node.session.child(&as_strs(&step)).map_err(refused)?;
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A position with one child, which has one, and so on: this many positions.
    pub(in crate::mcts::any_game) fn line(positions: usize, session: &dyn Session) -> Node {
        let after = (1..positions).last();
        let child = after.map(|rest| Box::new(line(rest, session)));
        Node {
            session: session.fork(),
            acting: Vec::new(),
            is_visited: true,
            worth: None,
            identity: None,
            children: child
                .into_iter()
                .map(|child| (Places::new(), child))
                .collect(),
        }
    }
}
