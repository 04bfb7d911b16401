//! Results by opening: how the seats did from each start after its opening moves.

use std::collections::HashMap;

use serde::Serialize;

use super::digest::Digest;
use super::report::Results;

/// A start of a game with the moves that the referee made there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpeningReport {
    /// The game, as an index.
    pub game: usize,
    /// The number of the first match that began like this.
    pub first: u64,
    /// All bots together, a seat each.
    pub seats: Vec<Results>,
}

/// All openings, by game, then by their first matches.
pub(super) fn openings(digest: &Digest<'_>) -> Vec<OpeningReport> {
    let mut all: HashMap<u64, OpeningReport> = HashMap::new();
    for entry in digest.units().flatten() {
        let kept = entry.kept;
        let opening = all.entry(kept.opening).or_insert_with(|| OpeningReport {
            game: entry.placing.game as usize,
            first: kept.number,
            seats: vec![Results::default(); entry.seats],
        });
        opening.first = opening.first.min(kept.number);
        for (seat, results) in opening.seats.iter_mut().enumerate() {
            results.add(&entry, seat);
        }
    }
    let mut openings: Vec<OpeningReport> = all.into_values().collect();
    openings.sort_unstable_by_key(|opening| (opening.game, opening.first));
    openings
}
