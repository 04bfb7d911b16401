//! Monte Carlo tree search (UCT) for any game and any number of seats.
//!
//! Every seat is taken to play for its own outcome (max^n). Moves are tried in the order of their
//! one-ply rating, which is all that keeps a game with thousands of moves in reach.

mod tree;

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use games::playout::playout;
use games::{Game, Outcome, Rng};
use serde_json::{Value, json};

use crate::rating::{self, Rating, Strengths};
use crate::thinker::{self, Mind, Question, Thinker, Thought};
use tree::{NodeId, Tree};

/// A position gets a node of its own when it is reached for the time after this one.
const LEAF_VISITS: u32 = 1;
/// Positions below the root with more moves than this only get so many, drawn at random.
const SAMPLE: usize = 40;
/// All nodes together have no more moves than this, which is some 50 MB.
const MOST_EDGES: usize = 1 << 20;
/// Random play goes on until it has had about so many moves to choose from: the more there are,
/// the less a random one tells.
const REACH: usize = 6000;
/// Random play that would be shorter than this is left out.
const SHORTEST: u32 = 8;
/// What a guess at a position weighs against random play from there. Alone, the one is short of
/// sight and the other one blind to anything that takes care.
const GUESS: f64 = 0.6;
/// The time for a move where no clock runs.
const UNHURRIED: Duration = Duration::from_secs(1);
/// How many moves are rated between two looks at the clock.
const BATCH: usize = 64;

/// Searches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mcts {
    /// So many playouts a move, whatever the clock says; `None` for as many as there is time.
    pub playouts: Option<u32>,
}

impl Thinker for Mcts {
    fn name(&self) -> &'static str {
        "mcts"
    }

    fn mind<G: Game>(&self) -> Box<dyn Mind<G>> {
        Box::new(Searcher::<G> {
            playouts: self.playouts,
            tree: Tree::empty(),
            path: Vec::new(),
            reach: 0,
            first: None,
            scratch: Vec::new(),
        })
    }
}

/// The search of one match, which keeps its tree from turn to turn.
struct Searcher<G: Game> {
    playouts: Option<u32>,
    tree: Tree<G::Move>,
    /// The moves of the tree that the current playout made.
    path: Vec<(NodeId, usize)>,
    /// How many plies random play goes on for in this turn.
    reach: u32,
    /// How the seats stood when the bot was asked for its first move. What they have gained since
    /// tells more than what they have: a giant never has the moves of twenty halogai.
    first: Option<Strengths>,
    /// Reused for lists of moves.
    scratch: Vec<G::Move>,
}

impl<G: Game> Mind<G> for Searcher<G> {
    fn choose(&mut self, question: &Question<'_, G>, rng: &mut Rng) -> Thought<G> {
        let mut moves = Vec::new();
        question.game.legal(question.position, &mut moves);
        if let [mv] = moves[..] {
            return Thought { mv, info: None };
        }
        let stop = Stop::new(self.playouts, question.deadline);
        order(question.game, question.position, &mut moves, &stop, rng);
        self.reach = (REACH / moves.len()) as u32;
        let first = || rating::mean_strengths(question.game, question.position, rng);
        self.first.get_or_insert_with(first);
        self.tree.root(question.seat, &moves);
        let mut playouts = 0;
        let mut depth = 0;
        while !stop.now(playouts) {
            self.playout(question, rng);
            playouts += 1;
            depth = depth.max(self.path.len());
        }
        Thought {
            mv: self.tree.best(0).map_or(moves[0], |edge| edge.mv),
            info: self.info(question.game, playouts, depth),
        }
    }

    fn played(&mut self, mv: G::Move) {
        self.tree.advance(mv);
    }
}

impl<G: Game> Searcher<G> {
    /// Follows the tree to its end, makes it a little larger there, and counts what comes of it.
    fn playout(&mut self, question: &Question<'_, G>, rng: &mut Rng) {
        let Question {
            game, max_plies, ..
        } = *question;
        let mut position = *question.position;
        self.path.clear();
        let mut node = Some(0);
        while let Some(id) = node {
            let step = self.tree.select(id);
            self.path.push(step);
            let edge = self.tree.edge(step);
            game.play(&mut position, edge.mv);
            node = if over(game, &position, max_plies) {
                None
            } else if edge.child.is_none() && edge.visits >= LEAF_VISITS {
                self.grow(game, &position, step, rng)
            } else {
                edge.child
            };
        }
        let outcome = self.evaluate(game, &mut position, max_plies, rng);
        self.tree.record(&self.path, &outcome);
    }

    /// Makes a node of a position, if there is room.
    fn grow(
        &mut self,
        game: &G,
        position: &G::Position,
        step: (NodeId, usize),
        rng: &mut Rng,
    ) -> Option<NodeId> {
        let mover = game.to_move(position)?;
        if self.tree.edges() >= MOST_EDGES {
            return None;
        }
        let mut moves = Vec::new();
        if game.count_legal(position) as usize <= SAMPLE {
            game.legal(position, &mut moves);
        } else {
            let draws = (0..SAMPLE).map(|_| game.random_move(position, rng, &mut self.scratch));
            for mv in draws {
                if !moves.contains(&mv) {
                    moves.push(mv);
                }
            }
        }
        order(game, position, &mut moves, &Stop::NEVER, rng);
        Some(self.tree.grow(step, mover, &moves))
    }

    /// What a position is worth to each seat: a guess, corrected by random play.
    fn evaluate(
        &mut self,
        game: &G,
        position: &mut G::Position,
        max_plies: Option<u32>,
        rng: &mut Rng,
    ) -> Outcome {
        let guess = self.guess(game, position, max_plies, rng);
        if self.reach < SHORTEST || over(game, position, max_plies) {
            return guess;
        }
        let stop = game.ply(position).saturating_add(self.reach);
        let stop = max_plies.map_or(stop, |most| most.min(stop));
        playout(game, position, Some(stop), rng, &mut self.scratch);
        let later = self.guess(game, position, max_plies, rng);
        let mix = |(guess, later)| GUESS * guess + (1.0 - GUESS) * later;
        guess.into_iter().zip(later).map(mix).collect()
    }

    /// The outcome of a finished game, else an estimate of it.
    fn guess(
        &mut self,
        game: &G,
        position: &G::Position,
        max_plies: Option<u32>,
        rng: &mut Rng,
    ) -> Outcome {
        if over(game, position, max_plies) {
            game.outcome(position)
        } else {
            let now = rating::strengths(game, position, rng, &mut self.scratch);
            let first = self.first.unwrap_or_default();
            rating::estimate(game.seats(), &first, &now)
        }
    }

    /// What the log should say about the search; nothing if there was no time for any.
    fn info(&self, game: &G, playouts: u32, depth: usize) -> Option<Value> {
        let best = self.tree.best(0).filter(|edge| edge.visits > 0)?;
        let line = self.tree.line();
        let pv: Vec<String> = line.iter().map(|mv| thinker::text(game, *mv)).collect();
        let value = (best.mean() * 1000.0).round() / 1000.0;
        Some(json!({"depth": depth, "nodes": playouts, "value": value, "pv": pv}))
    }
}

/// Whether play stops here.
fn over<G: Game>(game: &G, position: &G::Position, max_plies: Option<u32>) -> bool {
    max_plies.is_some_and(|most| game.ply(position) >= most) || game.to_move(position).is_none()
}

/// Puts moves into the order in which to try them: the best rated first, equal ones at random,
/// and at the end those for whose rating there is no time.
fn order<G: Game>(
    game: &G,
    position: &G::Position,
    moves: &mut [G::Move],
    stop: &Stop,
    rng: &mut Rng,
) {
    let Some(seat) = game.to_move(position) else {
        return;
    };
    rng.shuffle(moves);
    let mut rated: Vec<(Option<Rating>, G::Move)> = Vec::with_capacity(moves.len());
    for batch in moves.chunks(BATCH) {
        let late = !rated.is_empty() && stop.late();
        rated.extend(batch.iter().map(|&mv| {
            let rating = (!late).then(|| rating::rate(game, position, seat, mv));
            (rating, mv)
        }));
    }
    rated.sort_by_key(|(rating, _)| Reverse(*rating));
    for (place, (_, mv)) in moves.iter_mut().zip(rated) {
        *place = mv;
    }
}

/// When a search ends.
struct Stop {
    playouts: Option<u32>,
    deadline: Option<Instant>,
}

impl Stop {
    const NEVER: Stop = Stop {
        playouts: None,
        deadline: None,
    };

    /// A fixed number of playouts does without the clock, so that it gives the same moves always.
    fn new(playouts: Option<u32>, deadline: Option<Instant>) -> Self {
        let deadline = deadline.unwrap_or_else(|| Instant::now() + UNHURRIED);
        Stop {
            playouts,
            deadline: playouts.is_none().then_some(deadline),
        }
    }

    fn late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn now(&self, playouts: u32) -> bool {
        self.playouts.is_some_and(|most| playouts >= most) || self.late()
    }
}
