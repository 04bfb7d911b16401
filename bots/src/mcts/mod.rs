//! Monte Carlo tree search for games that are compiled in, with any number of seats.
//! [`any_game::mcts`](crate::any_game::mcts) plays all others.
//!
//! Every seat is assumed to play for its own outcome (max^n). A playout ends at a position whose
//! moves are not yet evaluated: the game's evaluation judges each of them, and the value of the
//! position follows from that. Evaluations also say which moves to try first (PUCT). What is proven
//! (a forced win, a certain draw) is kept apart from what is only likely.

mod bounds;
mod budget;
mod candidate;
mod evaluator;
mod graph;
mod node;
mod odds;
mod worker;

#[cfg(test)]
mod tests;

use std::sync::Mutex;
use std::thread;

use games::{Game, Rng};
use serde_json::{Value, json};

use crate::any_game::SessionSearch;
use crate::any_game::mcts::SessionMcts;
use crate::engine::{self, Decision, Engine, Question, Search};
use budget::PlayoutBudget;
use graph::SearchGraph;
use worker::{Worker, lock};

/// The engine of the bot `mcts`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mcts {
    /// The number of playouts a move; `None` for as many as there is time for.
    pub playouts: Option<u32>,
    /// Whether to ignore the clock.
    pub untimed: bool,
    /// The number of threads; 0 means 1. With one thread and a number of playouts, moves are
    /// reproducible.
    pub threads: usize,
}

impl Engine for Mcts {
    fn name(&self) -> &'static str {
        "mcts"
    }

    fn new_search<G: Game>(&self) -> Box<dyn Search<G>> {
        Box::new(MctsSearch::<G> {
            options: *self,
            graph: Mutex::new(SearchGraph::empty()),
            workers: Vec::new(),
        })
    }

    fn new_session_search(&self) -> Option<Box<dyn SessionSearch>> {
        let Mcts {
            playouts, untimed, ..
        } = *self;
        Some(Box::new(SessionMcts::new(playouts, untimed)))
    }
}

/// The search of one match, which keeps its graph from turn to turn.
struct MctsSearch<G: Game> {
    options: Mcts,
    graph: Mutex<SearchGraph<G::Move>>,
    workers: Vec<Worker<G>>,
}

impl<G: Game> Search<G> for MctsSearch<G> {
    fn choose(&mut self, question: &Question<'_, G>, rng: &mut Rng) -> Decision<G> {
        let mut moves = Vec::new();
        question.game.legal(question.position, &mut moves);
        if let [mv] = moves[..] {
            return Decision { mv, info: None };
        }
        let Mcts {
            playouts, untimed, ..
        } = self.options;
        let deadline = question.deadline.filter(|_| !untimed);
        let budget = PlayoutBudget::new(playouts, deadline, question.can_save_time);
        self.prepare(question, &moves, &budget, rng);
        self.search(question, &budget);
        let graph = lock(&self.graph);
        Decision {
            mv: graph.best(0).map_or(moves[0], |edge| edge.mv),
            info: self.info(question, &graph, budget.playouts()),
        }
    }

    fn played(&mut self, mv: G::Move) {
        lock(&self.graph).advance(mv);
    }
}

impl<G: Game> MctsSearch<G> {
    /// Makes the position the root of the graph and adds its moves.
    fn prepare(
        &mut self,
        question: &Question<'_, G>,
        moves: &[G::Move],
        budget: &PlayoutBudget,
        rng: &mut Rng,
    ) {
        let threads = self.options.threads.max(1);
        while self.workers.len() < threads {
            let own = Rng::from_parts(&[rng.next_u64(), self.workers.len() as u64]);
            self.workers.push(Worker::new(own));
        }
        for worker in &mut self.workers {
            worker.evaluator.prepare(question, moves.len());
            worker.depth = 0;
        }
        let mut graph = lock(&self.graph);
        let root = worker::position_id(question, question.position);
        graph.set_root(question.game.seats(), &root);
        if let Some(limit) = question.repetition {
            graph.apply_history(|key| worker::occurrences(question, key), limit);
        }
        let factors = self
            .workers
            .iter_mut()
            .map(|worker| worker.evaluator.center(question));
        if let Some(factor) = factors.last().filter(|factor| *factor != 1.0) {
            graph.multiply_odds(factor);
        }
        self.workers[0].expand_root(question, &mut graph, moves, budget);
    }

    /// Searches with all threads.
    fn search(&mut self, question: &Question<'_, G>, budget: &PlayoutBudget) {
        let graph = &self.graph;
        if let [worker] = &mut self.workers[..] {
            worker.search(question, graph, budget);
            return;
        }
        thread::scope(|scope| {
            for worker in &mut self.workers {
                scope.spawn(|| worker.search(question, graph, budget));
            }
        });
    }

    /// The `info` of the move, for the log; `None` if there was no time for any search.
    fn info(
        &self,
        question: &Question<'_, G>,
        graph: &SearchGraph<G::Move>,
        playouts: u32,
    ) -> Option<Value> {
        let variation = graph.principal_variation();
        if variation.is_empty() {
            return None;
        }
        let depth = self.workers.iter().map(|worker| worker.depth).max();
        let pv = variation.iter().map(|mv| engine::text(question.game, *mv));
        let pv: Vec<String> = pv.collect();
        let value = f64::from(graph.value(question.seat));
        let value = (value * 1000.0).round() / 1000.0;
        let mut info = json!({"depth": depth, "nodes": playouts, "value": value, "pv": pv});
        if let Some(sure) = graph.settled(question.seat) {
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
