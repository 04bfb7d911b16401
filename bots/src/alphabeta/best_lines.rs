//! Several best lines: the root is searched again without the moves that are known to be better.

use games::Game;
use protocol::SearchLine;
use serde_json::Value as Json;

use super::search::TurnSearch;
use super::value::{self, INFINITE, Value};
use super::{DEEPEST, RootMove};
use crate::engine;
use crate::order::sort_best_first;
use crate::turn::analysis;
use crate::turn::analysis::Analysis;

/// A move of the root with its exact value, to a depth, and what follows.
#[derive(Clone)]
pub(super) struct BestLine<M> {
    value: Value,
    variation: Vec<M>,
}

/// The best lines, the best first, all of them to the same depth.
pub(super) struct BestLines<M> {
    depth: i32,
    lines: Vec<BestLine<M>>,
}

impl<G: Game> TurnSearch<'_, G> {
    /// Finds the best lines to growing depths, and reports them at each, until the budget is spent or
    /// all values are proven. The best move comes to the front of `root`.
    pub(super) fn best_lines(
        &mut self,
        position: &G::Position,
        root: &mut [RootMove<G::Move>],
        analysis: &mut Analysis<'_>,
    ) -> BestLines<G::Move> {
        let count = analysis.lines.min(root.len());
        let evaluated = root[..count].iter().map(|root| BestLine {
            value: root.value,
            variation: vec![root.mv],
        });
        let mut found = BestLines {
            depth: 1,
            lines: evaluated.collect(),
        };
        let mut best_first = root.to_vec();
        for depth in 2..=DEEPEST {
            let Some(lines) = self.lines_at(position, &mut best_first, depth, &found.lines) else {
                break;
            };
            root.copy_from_slice(&best_first);
            found = BestLines { depth, lines };
            analysis.report(self.lines_info(&found));
            let is_proven = |line: &BestLine<G::Move>| value::is_proven(line.value);
            if found.lines.iter().all(is_proven) {
                break;
            }
        }
        found
    }

    /// The best lines to a depth, which come to the front of `root`; `None` if the budget was spent
    /// before the end.
    fn lines_at(
        &mut self,
        position: &G::Position,
        root: &mut [RootMove<G::Move>],
        depth: i32,
        before: &[BestLine<G::Move>],
    ) -> Option<Vec<BestLine<G::Move>>> {
        let mut lines = Vec::with_capacity(before.len());
        for (rank, before) in before.iter().enumerate() {
            let rest = &mut root[rank..];
            let value = self.exact_value(position, rest, depth, before.value)?;
            rest[0].value = value;
            // At once: the search of the next line may replace entries of the transposition table.
            let variation = self.principal_variation(position, rest[0].mv);
            lines.push(BestLine { value, variation });
        }
        // A later search may know more, and find a line to be better than one before it.
        sort_best_first(&mut root[..lines.len()], |root| root.value);
        sort_best_first(&mut lines, |line| line.value);
        Some(lines)
    }

    pub(super) fn lines_info(&self, found: &BestLines<G::Move>) -> Option<Json> {
        let depth = found.depth as u64;
        let lines = found.lines.iter().map(|line| {
            let moves = line.variation.iter();
            let is_evaluated = line.value > -INFINITE;
            SearchLine {
                value: is_evaluated.then(|| analysis::rounded(value::expected(line.value))),
                pv: moves
                    .map(|mv| engine::text(self.game, *mv).into())
                    .collect(),
                depth: Some(depth),
                nodes: None,
            }
        });
        analysis::info(depth as usize, self.budget.nodes(), lines.collect())
    }
}
