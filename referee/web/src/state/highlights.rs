//! Matches worth a look by the bot's author: faults, and the best and worst results.

use std::collections::BTreeMap;

use protocol::{Fault, Record};
use ratings::report::{Estimate, Report};
use ratings::sprt::expected;

/// The number of best and of worst matches.
const MOST_MATCHES: usize = 3;
const MOST_FAULTS: usize = 12;

/// A match of a bot, with its surplus over the score expected from ratings.
#[derive(Clone, Debug)]
pub(crate) struct Highlight {
    pub(crate) record: Record,
    pub(crate) seat: usize,
    /// Points above the expected score, from -1 to 1.
    pub(crate) surplus: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct FaultKind {
    /// The last one of them.
    pub(crate) fault: Fault,
    pub(crate) match_id: String,
    pub(crate) count: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Highlights {
    /// The best first.
    pub(crate) best: Vec<Highlight>,
    /// The worst first.
    pub(crate) worst: Vec<Highlight>,
    pub(crate) faults: Vec<FaultKind>,
    /// The number of faults that are not listed.
    pub(crate) other_faults: u64,
}

/// Strengths of the bots, by name.
pub(crate) struct Strengths(BTreeMap<String, f64>);

impl Strengths {
    pub(crate) fn new(report: &Report) -> Self {
        let bots = report.bots.iter().zip(&report.ratings.bots);
        let elo = |rating: &Option<Estimate>| rating.map_or(0.0, |rating| rating.elo);
        Strengths(bots.map(|(bot, it)| (bot.name.clone(), elo(it))).collect())
    }

    /// The score expected from ratings: the mean over the seat's opponents. Nothing is known of a bot that
    /// plays alone: half.
    fn expected(&self, record: &Record, seat: usize) -> f64 {
        let elo = |name: &str| self.0.get(name).copied().unwrap_or(0.0);
        let own = elo(&record.players[seat].name);
        let others = record.players.iter().enumerate();
        let others = others.filter(|(other, _)| *other != seat);
        let scores: Vec<f64> = others
            .map(|(_, player)| expected(own - elo(&player.name)))
            .collect();
        match scores.len() {
            0 => 0.5,
            others => scores.iter().sum::<f64>() / others as f64,
        }
    }
}

impl Highlights {
    /// Adds a match in which the bot had this seat.
    pub(crate) fn add(&mut self, record: &Record, seat: usize, strengths: &Strengths) {
        let faults = &record.result.faults;
        let own_fault = faults.iter().find(|it| it.seat == seat);
        if let Some(fault) = own_fault.filter(|fault| fault.code.is_fault()) {
            self.add_fault(fault, &record.match_id);
        }
        let Some(outcome) = record.result.outcome.get(seat) else {
            return;
        };
        let surplus = outcome - strengths.expected(record, seat);
        let highlight = || Highlight {
            record: record.clone(),
            seat,
            surplus,
        };
        // A win by another bot's fault is no achievement, and own faults have a list.
        if faults.is_empty() && surplus > 0.0 {
            insert(&mut self.best, highlight, -surplus, |it| -it.surplus);
        }
        if faults.is_empty() && surplus < 0.0 {
            insert(&mut self.worst, highlight, surplus, |it| it.surplus);
        }
    }

    fn add_fault(&mut self, fault: &Fault, match_id: &str) {
        let same = |kind: &&mut FaultKind| {
            kind.fault.code == fault.code && pattern(&kind.fault.message) == pattern(&fault.message)
        };
        if let Some(kind) = self.faults.iter_mut().find(same) {
            kind.count += 1;
            kind.fault = fault.clone();
            kind.match_id = match_id.to_owned();
        } else if self.faults.len() < MOST_FAULTS {
            self.faults.push(FaultKind {
                fault: fault.clone(),
                match_id: match_id.to_owned(),
                count: 1,
            });
        } else {
            self.other_faults += 1;
        }
    }
}

/// Inserts a match into a short list, sorted by a rising key.
fn insert(
    list: &mut Vec<Highlight>,
    highlight: impl FnOnce() -> Highlight,
    key: f64,
    key_of: impl Fn(&Highlight) -> f64,
) {
    let place = list.partition_point(|it| key_of(it) <= key);
    if place < MOST_MATCHES {
        list.insert(place, highlight());
        list.truncate(MOST_MATCHES);
    }
}

/// A message without its numbers, which vary.
fn pattern(message: &str) -> String {
    message.chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(number: usize, outcome: [f64; 2], faults: serde_json::Value) -> Record {
        serde_json::from_value(json!({
            "format": 1, "match": format!("m-{number}"), "game": "siam", "options": {}, "seed": 1,
            "start": {}, "players": [
                {"name": "a", "role": "x", "command": []}, {"name": "b", "role": "y", "command": []}
            ],
            "time": {"startup_ms": 1, "margin_ms": 1}, "limits": {}, "opening": 0, "moves": [],
            "result": {"scores": [1, 0], "outcome": outcome, "reason": "x", "faults": faults},
            "started": "", "duration_ms": 1, "referee": ""
        }))
        .expect("a match")
    }

    #[test]
    fn the_best_and_the_worst_are_kept() {
        let strengths = Strengths(BTreeMap::new());
        let mut highlights = Highlights::default();
        for (number, outcome) in [0.0, 0.5, 1.0, 0.75, 1.0, 0.8, 0.25]
            .into_iter()
            .enumerate()
        {
            let record = record(number, [outcome, 1.0 - outcome], json!([]));
            highlights.add(&record, 0, &strengths);
        }
        let ids = |list: &[Highlight]| -> Vec<String> {
            list.iter().map(|it| it.record.match_id.clone()).collect()
        };
        assert_eq!(ids(&highlights.best), ["m-2", "m-4", "m-5"]);
        assert_eq!(ids(&highlights.worst), ["m-0", "m-6"]);
    }

    #[test]
    fn faults_that_differ_in_numbers_only_are_one_kind() {
        let strengths = Strengths(BTreeMap::new());
        let mut highlights = Highlights::default();
        for (number, message) in ["no move after 5 ms", "no move after 17 ms", "gone"]
            .into_iter()
            .enumerate()
        {
            let fault = json!([{"seat": 0, "code": "timeout", "ply": 1, "message": message}]);
            highlights.add(&record(number, [0.0, 1.0], fault), 0, &strengths);
        }
        let kinds: Vec<(u64, &str)> = highlights
            .faults
            .iter()
            .map(|kind| (kind.count, &*kind.fault.message))
            .collect();
        assert_eq!(kinds, [(2, "no move after 17 ms"), (1, "gone")]);
        assert!(highlights.best.is_empty() && highlights.worst.is_empty());
    }
}
