//! Alpha-beta search for two seats: iterative deepening, with the evaluation of the game.
//!
//! With more seats it is the paranoid search: all others are assumed to play against the one, by
//! moves that are also good for themselves.

mod best_lines;
mod budget;
#[cfg(test)]
pub(crate) mod fit;
mod move_list;
mod move_ordering;
mod node;
mod search;
mod transposition_table;
mod value;

use games::{Game, Rng};
use serde_json::{Value as Json, json};

use crate::any_game::SessionSearch;
use crate::engine::{self, Decision, Engine, Question, Search};
use crate::evaluation;
use crate::order::sort_best_first;
use crate::turn::analysis;
use crate::turn::analysis::Analysis;
use budget::NodeBudget;
use move_list::MoveList;
use move_ordering::{LONGEST, MoveOrdering};
use node::{Node, Window};
use search::{Memory, TurnSearch};
use transposition_table::TranspositionTable;
use value::{INFINITE, UNIT, Value};

/// The binary logarithm of the number of entries of the transposition table.
const TABLE_BITS: u32 = 19;
/// The first half-width of the window around the last value.
const ASPIRATION: Value = UNIT / 3;
/// At most this many moves of the root are searched.
const WIDEST: usize = 120;
/// The depth of the last iteration.
const DEEPEST: i32 = 60;
/// At most this many moves of the principal variation are logged.
const LONGEST_LOGGED: usize = 12;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AlphaBeta {
    /// The number of nodes a move; `None` for as many as there is time for.
    pub nodes: Option<u64>,
    /// Ignore the clock.
    pub untimed: bool,
}

impl Engine for AlphaBeta {
    fn name(&self) -> &'static str {
        "alphabeta"
    }

    fn new_search<G: Game>(&self) -> Box<dyn Search<G>> {
        Box::new(AlphaBetaSearch::<G> {
            nodes: self.nodes,
            untimed: self.untimed,
            memory: Memory {
                table: TranspositionTable::new(TABLE_BITS),
                ordering: MoveOrdering::new(),
                evaluation: evaluation::evaluation::<G>(),
                lists: vec![MoveList::default(); LONGEST],
                noisy: vec![Vec::new(); LONGEST],
                scratch: Vec::new(),
            },
        })
    }
    /// Its evaluations and its move ordering need the type of the game.
    fn new_session_search(&self) -> Option<Box<dyn SessionSearch>> {
        None
    }
}

struct AlphaBetaSearch<G: Game> {
    nodes: Option<u64>,
    untimed: bool,
    memory: Memory<G>,
}

/// A move of the position that is searched, kept from one iteration to the next.
#[derive(Clone, Copy, Debug)]
struct RootMove<M> {
    mv: M,
    /// Only updated when a search proves more than that the move is not the best.
    value: Value,
}

#[derive(Clone, Copy, Debug, Default)]
struct Iteration {
    depth: i32,
    value: Value,
}

impl<G: Game> Search<G> for AlphaBetaSearch<G> {
    fn choose(&mut self, question: &Question<'_, G>, rng: &mut Rng) -> Decision<G> {
        let mut moves = Vec::new();
        question.game.legal(question.position, &mut moves);
        if let [mv] = moves[..] {
            return Decision { mv, info: None };
        }
        rng.shuffle(&mut moves);
        let mut search = self.begin(question);
        let mut root = search.root_moves(question.position, &moves);
        let result = search.iterative_deepening(question.position, &mut root);
        let best = root[0];
        Decision {
            mv: best.mv,
            info: Some(search.info(question.position, best.mv, result)),
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
        rng.shuffle(&mut moves);
        let mut search = self.begin(question);
        let mut root = search.root_moves(question.position, &moves);
        let found = search.best_lines(question.position, &mut root, analysis);
        Decision {
            mv: root[0].mv,
            info: search.lines_info(&found),
        }
    }
}

impl<G: Game> AlphaBetaSearch<G> {
    fn begin<'a>(&'a mut self, question: &'a Question<'_, G>) -> TurnSearch<'a, G> {
        self.memory.table.begin_turn();
        self.memory.evaluation.asked_by(question.seat);
        self.memory.ordering.begin_turn();
        let game = question.game;
        TurnSearch {
            game,
            memory: &mut self.memory,
            seat: question.seat,
            max_plies: question.max_plies,
            history: question.history,
            repetition: question.repetition,
            path: vec![game.key(question.position)],
            budget: NodeBudget::new(self.nodes, question.deadline.filter(|_| !self.untimed)),
            ply_matters: TurnSearch::near_end(game, question.position, question.max_plies),
        }
    }
}

impl<G: Game> TurnSearch<'_, G> {
    /// The moves of the root, the most promising first.
    fn root_moves(&mut self, position: &G::Position, moves: &[G::Move]) -> Vec<RootMove<G::Move>> {
        let mut root = Vec::with_capacity(moves.len());
        for &mv in moves {
            let mut next = *position;
            self.game.play_unchecked(&mut next, mv);
            // If there is no time for more, one of the moves evaluated so far is taken.
            let value = if self.budget.count() || self.budget.is_spent() {
                -INFINITE
            } else if self.is_over(&next) {
                self.outcome(&next, 0, 1)
            } else {
                self.evaluate(&next, 0)
            };
            root.push(RootMove { mv, value });
        }
        sort_best_first(&mut root, |root| root.value);
        root.truncate(WIDEST);
        root
    }

    /// Searches to growing depths until the budget is spent or the value is proven. The best move comes
    /// to the front of `root`.
    fn iterative_deepening(
        &mut self,
        position: &G::Position,
        root: &mut [RootMove<G::Move>],
    ) -> Iteration {
        let mut result = Iteration {
            depth: 1,
            value: root[0].value,
        };
        for depth in 2..=DEEPEST {
            if let Some(value) = self.exact_value(position, root, depth, result.value) {
                result = Iteration { depth, value };
            }
            if self.budget.is_spent() || value::is_proven(result.value) {
                break;
            }
        }
        result
    }

    /// Searches the moves of the root to a depth, in windows around an expected value that grow until
    /// the value is within, and brings the best move to the front. `None` if the budget was spent
    /// before the end.
    fn exact_value(
        &mut self,
        position: &G::Position,
        root: &mut [RootMove<G::Move>],
        depth: i32,
        expected: Value,
    ) -> Option<Value> {
        let width = if depth < 4 { INFINITE } else { ASPIRATION };
        let (mut below, mut above) = (width, width);
        loop {
            let window = Window {
                alpha: expected.saturating_sub(below).max(-INFINITE),
                beta: expected.saturating_add(above).min(INFINITE),
            };
            let Window { alpha, beta } = window;
            let value = self.root_value(position, root, depth, window)?;
            if value <= alpha && alpha > -INFINITE {
                below = below.saturating_mul(6).min(2 * INFINITE);
            } else if value >= beta && beta < INFINITE {
                above = above.saturating_mul(6).min(2 * INFINITE);
            } else {
                return Some(value);
            }
        }
    }

    /// Searches the moves of the root to a depth, within a window, and brings the best one to the
    /// front. `None` if the budget was spent before the end.
    fn root_value(
        &mut self,
        position: &G::Position,
        root: &mut [RootMove<G::Move>],
        depth: i32,
        mut window: Window,
    ) -> Option<Value> {
        let node = Node {
            side: 0,
            depth,
            ply: 0,
        };
        let mut best = -INFINITE;
        for index in 0..root.len() {
            let mut next = *position;
            self.game.play_unchecked(&mut next, root[index].mv);
            let value = self.search_move(&next, index, node, window);
            if self.budget.is_spent() {
                return None;
            }
            if value > best {
                best = value;
                if value > window.alpha || index == 0 {
                    root[index].value = value;
                    root[..=index].rotate_right(1);
                }
                window.alpha = window.alpha.max(value);
                if value >= window.beta {
                    break;
                }
            }
        }
        Some(best)
    }

    /// The `info` of the move, for the log.
    fn info(&self, position: &G::Position, first: G::Move, result: Iteration) -> Json {
        let variation = self.principal_variation(position, first);
        let variation: Vec<String> = variation
            .iter()
            .map(|mv| engine::text(self.game, *mv))
            .collect();
        json!({
            "depth": result.depth,
            "nodes": self.budget.nodes(),
            "value": analysis::rounded(value::expected(result.value)),
            "pv": variation,
        })
    }

    /// The principal variation, as far as the transposition table has it.
    fn principal_variation(&self, position: &G::Position, first: G::Move) -> Vec<G::Move> {
        let mut variation = vec![first];
        let mut position = *position;
        self.game.play_unchecked(&mut position, first);
        while variation.len() < LONGEST_LOGGED && !self.is_over(&position) {
            let entry = self.memory.table.find(self.key(&position));
            let mv = entry.and_then(|entry| entry.mv);
            let Some(mv) = mv.filter(|mv| self.game.is_legal(&position, *mv)) else {
                break;
            };
            variation.push(mv);
            self.game.play_unchecked(&mut position, mv);
        }
        variation
    }
}

#[cfg(test)]
mod tests;
