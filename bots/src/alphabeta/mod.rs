//! Alpha-beta search for two seats: deeper and deeper, by the evaluation of the game.
//!
//! With more seats it is the paranoid search: all others are taken to play against the one, by
//! moves that are also good for themselves.

mod order;
mod search;
mod stop;
mod table;
mod value;

use games::{Game, Rng};
use serde_json::{Value as Json, json};

use crate::evaluate;
use crate::thinker::{self, Mind, Question, Thinker, Thought};
use order::{LONGEST, Order};
use search::{Memory, Search};
use stop::Stop;
use table::Table;
use value::{INFINITE, UNIT, Value};

/// The table has two to this power entries.
const TABLE_BITS: u32 = 19;
/// How far from the last value the next one is looked for at first.
const WINDOW: Value = UNIT / 3;
/// The most moves of the root that are searched.
const WIDEST: usize = 120;
/// The deepest search.
const DEEPEST: i32 = 60;
/// The most moves of the expected line that are told.
const MOST_TOLD: usize = 12;

/// Searches.
#[derive(Clone, Copy, Debug, Default)]
pub struct AlphaBeta {
    /// So many nodes a move; `None` for as many as there is time.
    pub nodes: Option<u64>,
    /// Whether they count alone, whatever the clock says.
    pub untimed: bool,
}

impl Thinker for AlphaBeta {
    fn name(&self) -> &'static str {
        "alphabeta"
    }

    fn mind<G: Game>(&self) -> Box<dyn Mind<G>> {
        Box::new(Searcher::<G> {
            nodes: self.nodes,
            untimed: self.untimed,
            memory: Memory {
                table: Table::new(TABLE_BITS),
                order: Order::new(),
                evaluation: evaluate::evaluation::<G>(),
                lists: vec![Vec::new(); LONGEST],
                scratch: Vec::new(),
            },
        })
    }
}

/// The search of one match.
struct Searcher<G: Game> {
    nodes: Option<u64>,
    untimed: bool,
    memory: Memory<G>,
}

/// A move of the root.
#[derive(Clone, Copy, Debug)]
struct RootMove<M> {
    mv: M,
    /// By the last search that told more than that it is not the best.
    value: Value,
}

/// What a search to some depth has found.
#[derive(Clone, Copy, Debug, Default)]
struct Result {
    depth: i32,
    value: Value,
}

impl<G: Game> Mind<G> for Searcher<G> {
    fn choose(&mut self, question: &Question<'_, G>, rng: &mut Rng) -> Thought<G> {
        let mut moves = Vec::new();
        question.game.legal(question.position, &mut moves);
        if let [mv] = moves[..] {
            return Thought { mv, info: None };
        }
        rng.shuffle(&mut moves);
        self.memory.table.grow_older();
        self.memory.evaluation.asked_by(question.seat);
        self.memory.order.grow_older();
        let game = question.game;
        let mut search = Search {
            game,
            memory: &mut self.memory,
            seat: question.seat,
            max_plies: question.max_plies,
            history: question.history,
            repetition: question.repetition,
            path: vec![game.key(question.position)],
            stop: Stop::new(self.nodes, question.deadline.filter(|_| !self.untimed)),
            ply_matters: Search::near_end(game, question.position, question.max_plies),
        };
        let mut root = search.root(question.position, &moves);
        let result = search.deepen(question.position, &mut root);
        let best = root[0];
        Thought {
            mv: best.mv,
            info: Some(search.info(question.position, best.mv, result)),
        }
    }
}

impl<G: Game> Search<'_, G> {
    /// The moves of the root, the most promising first.
    fn root(&mut self, position: &G::Position, moves: &[G::Move]) -> Vec<RootMove<G::Move>> {
        let mut root = Vec::with_capacity(moves.len());
        for &mv in moves {
            let mut next = *position;
            self.game.play(&mut next, mv);
            // Without time for more, what was looked at first is taken.
            let value = if self.stop.count() || self.stop.stopped() {
                -INFINITE
            } else if self.is_over(&next) {
                self.outcome(&next, 0, 1)
            } else {
                self.guess(&next, 0)
            };
            root.push(RootMove { mv, value });
        }
        root.sort_by_key(|root| -root.value);
        root.truncate(WIDEST);
        root
    }

    /// Searches deeper and deeper until the end; the best move is the first one then.
    fn deepen(&mut self, position: &G::Position, root: &mut [RootMove<G::Move>]) -> Result {
        let mut result = Result {
            depth: 1,
            value: root[0].value,
        };
        for depth in 2..=DEEPEST {
            let width = if depth < 4 { INFINITE } else { WINDOW };
            let (mut below, mut above) = (width, width);
            loop {
                let alpha = result.value.saturating_sub(below).max(-INFINITE);
                let beta = result.value.saturating_add(above).min(INFINITE);
                let found = self.root_value(position, root, depth, alpha, beta);
                let Some(value) = found else {
                    break;
                };
                if value <= alpha && alpha > -INFINITE {
                    below = below.saturating_mul(6).min(2 * INFINITE);
                } else if value >= beta && beta < INFINITE {
                    above = above.saturating_mul(6).min(2 * INFINITE);
                } else {
                    result = Result { depth, value };
                    break;
                }
            }
            if self.stop.stopped() || value::is_proven(result.value) {
                break;
            }
        }
        result
    }

    /// Searches all moves of the root to a depth, within a window, and moves the best one to
    /// the front. `None` if it could not be finished.
    fn root_value(
        &mut self,
        position: &G::Position,
        root: &mut [RootMove<G::Move>],
        depth: i32,
        mut alpha: Value,
        beta: Value,
    ) -> Option<Value> {
        let mut best = -INFINITE;
        for index in 0..root.len() {
            let mut next = *position;
            self.game.play(&mut next, root[index].mv);
            let full = depth - 1;
            let reduced = full - search::reduction(depth, index);
            let mut value = alpha + 1;
            if index > 0 {
                value = self.after(&next, 0, reduced, 1, alpha, alpha + 1);
                if value > alpha && reduced < full {
                    value = self.after(&next, 0, full, 1, alpha, alpha + 1);
                }
            }
            if index == 0 || value > alpha && value < beta {
                value = self.after(&next, 0, full, 1, alpha, beta);
            }
            if self.stop.stopped() {
                return None;
            }
            if value > best {
                best = value;
                if value > alpha || index == 0 {
                    root[index].value = value;
                    root[..=index].rotate_right(1);
                }
                alpha = alpha.max(value);
                if value >= beta {
                    break;
                }
            }
        }
        Some(best)
    }

    /// What the log should say about the search.
    fn info(&self, position: &G::Position, first: G::Move, result: Result) -> Json {
        let line = self.line(position, first);
        let line: Vec<String> = line
            .iter()
            .map(|mv| thinker::text(self.game, *mv))
            .collect();
        let expected = (value::expected(result.value) * 1000.0).round() / 1000.0;
        json!({
            "depth": result.depth,
            "nodes": self.stop.nodes(),
            "value": expected,
            "pv": line,
        })
    }

    /// The expected line, as far as the table remembers it.
    fn line(&self, position: &G::Position, first: G::Move) -> Vec<G::Move> {
        let mut line = vec![first];
        let mut position = *position;
        self.game.play(&mut position, first);
        while line.len() < MOST_TOLD && !self.is_over(&position) {
            let entry = self.memory.table.find(self.key(&position));
            let mv = entry.and_then(|entry| entry.mv);
            let Some(mv) = mv.filter(|mv| self.game.is_legal(&position, *mv)) else {
                break;
            };
            line.push(mv);
            self.game.play(&mut position, mv);
        }
        line
    }
}

#[cfg(test)]
mod tests;
