//! Monte Carlo tree search for games that are compiled in, with any number of seats.
//! [`session`] searches all others.
//!
//! Every seat is assumed to play for its own outcome (max^n). A playout ends at a position whose
//! moves are not yet evaluated: the game's evaluation judges each of them, and the value of the
//! position follows from that. Evaluations also say which moves to try first (PUCT). What is proven
//! (a forced win, a certain draw) is kept apart from what is only likely.

pub(crate) mod any_game;
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

use games::{Game, Rng, Seat};
use protocol::SearchLine;
use serde_json::{Value, json};

use crate::any_game::SessionSearch;
use crate::engine::{self, Decision, Engine, Question, Search};
use crate::mcts::any_game::SessionMcts;
use crate::turn::analysis;
use crate::turn::analysis::Analysis;
use budget::PlayoutBudget;
use graph::SearchGraph;
use worker::{Worker, lock};

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mcts {
    /// The number of playouts a move; `None` for as many as there is time for.
    pub playouts: Option<u32>,
    /// Ignore the clock.
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
        let budget = self.budget(question);
        self.prepare(question, &moves, &budget, rng);
        self.search(question, &budget);
        let graph = lock(&self.graph);
        Decision {
            mv: graph.best(0).map_or(moves[0], |edge| edge.mv),
            info: self.info(question, &graph, budget.playouts()),
        }
    }

    fn analyse(
        &mut self,
        question: &Question<'_, G>,
        analysis: &mut Analysis<'_>,
        rng: &mut Rng,
    ) -> Decision<G> {
        let mut moves = Vec::new();
        question.game.legal(question.position, &mut moves);
        let mut budget = self.budget(question);
        budget.pause_at(analysis.next());
        self.prepare(question, &moves, &budget, rng);
        loop {
            self.search(question, &budget);
            let graph = lock(&self.graph);
            let info = self.lines_info(question, &graph, budget.playouts(), analysis.lines);
            if budget.is_over(&graph) {
                let mv = graph.best(0).map_or(moves[0], |edge| edge.mv);
                return Decision { mv, info };
            }
            drop(graph);
            analysis.report(info);
            budget.pause_at(analysis.next());
        }
    }

    fn played(&mut self, mv: G::Move) {
        lock(&self.graph).advance(mv);
    }
}

impl<G: Game> MctsSearch<G> {
    fn budget(&self, question: &Question<'_, G>) -> PlayoutBudget {
        let Mcts {
            playouts, untimed, ..
        } = self.options;
        let deadline = question.deadline.filter(|_| !untimed);
        PlayoutBudget::new(playouts, deadline, question.can_save_time)
    }

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
        let exploration = self.workers[0].evaluator.exploration();
        graph.set_root(question.game.seats(), exploration, &root);
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
        let depth = self.depth();
        let pv = variation.iter().map(|mv| engine::text(question.game, *mv));
        let pv: Vec<String> = pv.collect();
        let value = analysis::rounded(f64::from(graph.value(question.seat)));
        let mut info = json!({"depth": depth, "nodes": playouts, "value": value, "pv": pv});
        add_proof(&mut info, graph, question.seat);
        Some(info)
    }

    /// The `info` with the best lines; `None` if there was no time for any search.
    fn lines_info(
        &self,
        question: &Question<'_, G>,
        graph: &SearchGraph<G::Move>,
        playouts: u32,
        most: usize,
    ) -> Option<Value> {
        let lines = graph.best_lines(most).into_iter().map(|line| {
            let moves = line.variation.iter();
            SearchLine {
                value: Some(analysis::rounded(f64::from(line.value))),
                depth: Some(line.variation.len() as u64),
                nodes: Some(u64::from(line.visits)),
                pv: moves
                    .map(|mv| engine::text(question.game, *mv).into())
                    .collect(),
            }
        });
        let mut info = analysis::info(self.depth(), u64::from(playouts), lines.collect())?;
        add_proof(&mut info, graph, question.seat);
        Some(info)
    }

    fn depth(&self) -> usize {
        let depths = self.workers.iter().map(|worker| worker.depth);
        depths.max().unwrap_or_default()
    }
}

/// Adds the proven value of a seat to `info`, if there is one.
fn add_proof<M: Copy + Eq>(info: &mut Value, graph: &SearchGraph<M>, seat: Seat) {
    if let Some(sure) = graph.settled(seat) {
        let text = match sure {
            1.0 => "proven win",
            0.0 => "proven loss",
            _ => "proven",
        };
        info["text"] = text.into();
    }
}
