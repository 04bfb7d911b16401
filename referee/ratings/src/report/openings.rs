//! Totals by opening and seat.

use std::collections::HashMap;

use serde::Serialize;

use crate::evidence::{Ranks, outcome};
use crate::matches::Number;
use crate::results::SwappedPairs;
use crate::standings::Totals;

/// An opening: a start with the referee's moves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpeningReport {
    pub game: usize,
    /// The number of its first match.
    pub first: Number,
    /// The log of that match, from 0.
    pub log: Option<u64>,
    /// By seat, all bots together.
    pub seats: Vec<Totals>,
}

/// All openings, by game, then by their first matches.
pub(super) fn openings(pairs: &SwappedPairs<'_>) -> Vec<OpeningReport> {
    let mut all: HashMap<u64, OpeningReport> = HashMap::new();
    for entry in pairs.units().flatten() {
        let stored = entry.stored;
        let opening = all.entry(stored.opening).or_insert_with(|| OpeningReport {
            game: entry.game,
            first: stored.number,
            log: stored.number.log(),
            seats: vec![Totals::default(); entry.seats],
        });
        opening.first = opening.first.min(stored.number);
        opening.log = opening.first.log();
        let ranks: Ranks = entry.results.iter().map(|result| result.rank).collect();
        for (seat, results) in opening.seats.iter_mut().enumerate() {
            let fault = stored.at_fault >> seat & 1 == 1;
            let outcome = outcome(&ranks, seat);
            results.add(outcome, entry.results[seat].score.into(), fault);
        }
    }
    let mut openings: Vec<OpeningReport> = all.into_values().collect();
    openings.sort_unstable_by_key(|opening| (opening.game, opening.first));
    openings
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::matches::MatchSummary;
    use crate::report::Request;
    use crate::store::MatchStore;

    #[test]
    fn an_opening_is_a_start_with_its_first_moves_whoever_plays() {
        let mut matches = MatchStore::new();
        for (number, bots, start, moves, opening) in [
            (1, ["a", "b"], 0, ["x", "y"], 1),
            (2, ["b", "c"], 0, ["x", "z"], 1),
            (3, ["a", "b"], 0, ["w", "y"], 1),
            (4, ["a", "b"], 9, ["x", "y"], 1),
            (5, ["a", "b"], 0, ["x", "y"], 2),
        ] {
            let moves = moves.map(|mv| json!({"seat": 0, "move": mv}));
            let line = json!({
                "format": 1, "match": format!("m-{number}"), "game": "run", "options": {},
                "seed": number, "start": start, "opening": opening, "moves": moves,
                "players": bots.map(|name| json!({"name": name, "role": "r"})),
                "time": {"startup_ms": 1, "margin_ms": 1},
                "result": {"scores": [1, 0], "outcome": [1.0, 0.0], "faults": []},
            });
            let played: MatchSummary = serde_json::from_value(line).expect("a match");
            matches.add(&played);
        }
        let report = |openings| {
            let request = Request {
                openings,
                ..Request::default()
            };
            matches.report(&request).expect("a report").openings
        };
        let openings = report(true).expect("openings");
        let found: Vec<(u64, u64)> = openings
            .iter()
            .map(|opening| {
                (
                    opening.first.in_log().expect("a number"),
                    opening.seats[0].matches,
                )
            })
            .collect();
        assert_eq!(found, [(1, 2), (3, 1), (4, 1), (5, 1)]);
        assert_eq!(report(false), None);
    }
}
