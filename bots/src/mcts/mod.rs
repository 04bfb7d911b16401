//! Monte Carlo tree search for any game and any number of seats.
//!
//! Every seat is taken to play for its own outcome (max^n). A playout ends at a position whose
//! moves were not looked at yet: each of them is judged by the game's evaluation, and that is what
//! the position is worth. Evaluations also say which moves to try first (PUCT). What is proven
//! (a forced win, a sure draw) is kept apart from what is only likely.

mod bounds;
mod judge;
mod stop;
mod tree;
mod worker;

#[cfg(test)]
mod tests;

use std::sync::Mutex;
use std::thread;

use games::{Game, Rng};
use serde_json::{Value, json};

use crate::thinker::{self, Mind, Question, Thinker, Thought};
use stop::Stop;
use tree::Tree;
use worker::{Worker, lock};

/// Searches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mcts {
    /// So many playouts a move; `None` for as many as there is time.
    pub playouts: Option<u32>,
    /// Whether they count alone, whatever the clock says.
    pub untimed: bool,
    /// So many threads; 0 is 1. With one, a number of playouts gives the same moves always.
    pub threads: usize,
}

impl Thinker for Mcts {
    fn name(&self) -> &'static str {
        "mcts"
    }

    fn mind<G: Game>(&self) -> Box<dyn Mind<G>> {
        Box::new(Searcher::<G> {
            options: *self,
            tree: Mutex::new(Tree::empty()),
            workers: Vec::new(),
        })
    }
}

/// The search of one match, which keeps its graph from turn to turn.
struct Searcher<G: Game> {
    options: Mcts,
    tree: Mutex<Tree<G::Move>>,
    workers: Vec<Worker<G>>,
}

impl<G: Game> Mind<G> for Searcher<G> {
    fn choose(&mut self, question: &Question<'_, G>, rng: &mut Rng) -> Thought<G> {
        let mut moves = Vec::new();
        question.game.legal(question.position, &mut moves);
        if let [mv] = moves[..] {
            return Thought { mv, info: None };
        }
        let Mcts {
            playouts, untimed, ..
        } = self.options;
        let deadline = question.deadline.filter(|_| !untimed);
        let stop = Stop::new(playouts, deadline, question.saves);
        self.prepare(question, &moves, &stop, rng);
        self.search(question, &stop);
        let tree = lock(&self.tree);
        Thought {
            mv: tree.best(0).map_or(moves[0], |edge| edge.mv),
            info: self.info(question, &tree, stop.playouts()),
        }
    }

    fn played(&mut self, mv: G::Move) {
        lock(&self.tree).advance(mv);
    }
}

impl<G: Game> Searcher<G> {
    /// Makes the position the root, with all its moves.
    fn prepare(
        &mut self,
        question: &Question<'_, G>,
        moves: &[G::Move],
        stop: &Stop,
        rng: &mut Rng,
    ) {
        let threads = self.options.threads.max(1);
        while self.workers.len() < threads {
            let own = Rng::from_parts(&[rng.next_u64(), self.workers.len() as u64]);
            self.workers.push(Worker::new(own));
        }
        for worker in &mut self.workers {
            worker.judge.prepare(question, moves.len());
            worker.depth = 0;
        }
        let mut tree = lock(&self.tree);
        let spot = worker::spot(question, question.position);
        tree.root(question.game.seats(), &spot);
        if let Some(limit) = question.repetition {
            tree.remember(|key| worker::times(question, key), limit);
        }
        let factors = self
            .workers
            .iter_mut()
            .map(|worker| worker.judge.center(question));
        if let Some(factor) = factors.last().filter(|factor| *factor != 1.0) {
            tree.shift(factor);
        }
        self.workers[0].open(question, &mut tree, moves, stop);
    }

    /// Searches with all threads.
    fn search(&mut self, question: &Question<'_, G>, stop: &Stop) {
        let tree = &self.tree;
        if let [worker] = &mut self.workers[..] {
            worker.search(question, tree, stop);
            return;
        }
        thread::scope(|scope| {
            for worker in &mut self.workers {
                scope.spawn(|| worker.search(question, tree, stop));
            }
        });
    }

    /// What the log should say about the search; nothing if there was no time for any.
    fn info(
        &self,
        question: &Question<'_, G>,
        tree: &Tree<G::Move>,
        playouts: u32,
    ) -> Option<Value> {
        let line = tree.line();
        if line.is_empty() {
            return None;
        }
        let depth = self.workers.iter().map(|worker| worker.depth).max();
        let pv = line.iter().map(|mv| thinker::text(question.game, *mv));
        let pv: Vec<String> = pv.collect();
        let value = f64::from(tree.value(question.seat));
        let value = (value * 1000.0).round() / 1000.0;
        let mut info = json!({"depth": depth, "nodes": playouts, "value": value, "pv": pv});
        if let Some(sure) = tree.settled(question.seat) {
            let text = match sure {
                1.0 => "proven win",
                0.0 => "proven loss",
                _ => "proven",
            };
            info["text"] = text.into();
        }
        Some(info)
    }
}
