//! The decisive move of a match, from a fault, an analysis, or the bots' own expectations; `None`
//! if unclear.

use protocol::Record;
use serde::Serialize;

/// Smaller changes are ignored.
const LEAST: f64 = 0.1;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Decisive {
    /// The position after this many plies: the last of them is the move.
    pub(crate) ply: usize,
    /// The seat that lost by it.
    pub(crate) seat: usize,
    pub(crate) why: Why,
    /// The part of a whole point that it lost, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) loss: Option<f64>,
}

/// The evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Why {
    /// A fault of the seat.
    Fault,
    /// According to a bot that analysed the match.
    Analysis,
    /// The largest change of the bots' expectations.
    Values,
}

pub(crate) fn of(record: &Record) -> Option<Decisive> {
    let outcome = &record.result.outcome;
    let best = outcome.iter().copied().fold(f64::MIN, f64::max);
    let is_even = outcome.iter().all(|share| *share >= best) && outcome.len() > 1;
    let has_lost = |seat: usize| is_even || outcome.get(seat).is_some_and(|share| *share < best);
    let fault = record
        .result
        .faults
        .iter()
        .find(|fault| fault.code.is_fault());
    if let Some(fault) = fault {
        return Some(Decisive {
            ply: (fault.ply as usize).min(record.moves.len()),
            seat: fault.seat,
            why: Why::Fault,
            loss: None,
        });
    }
    let seats = (0..record.players.len()).filter(|seat| has_lost(*seat));
    let seats: Vec<usize> = seats.collect();
    by_analysis(record, &seats).or_else(|| by_values(record, &seats))
}

fn largest(found: impl Iterator<Item = Decisive>) -> Option<Decisive> {
    found
        .filter(|it| it.loss.is_some_and(|loss| loss >= LEAST))
        .reduce(|one, other| if other.loss > one.loss { other } else { one })
}

fn by_analysis(record: &Record, seats: &[usize]) -> Option<Decisive> {
    let plies = record.moves.iter().enumerate();
    largest(plies.filter_map(|(at, played)| {
        let seat = played.seat.filter(|seat| seats.contains(seat))?;
        let loss = played.analysis.iter().find_map(|entry| entry.loss)?;
        Some(Decisive {
            ply: at + 1,
            seat,
            why: Why::Analysis,
            loss: Some(loss),
        })
    }))
}

/// The last own move before the largest fall of a loser's expectation.
fn by_values(record: &Record, seats: &[usize]) -> Option<Decisive> {
    largest(seats.iter().filter_map(|&seat| {
        let mut known: Vec<(usize, f64)> = Vec::new();
        for (at, played) in record.moves.iter().enumerate() {
            let value = played
                .info
                .as_ref()
                .and_then(|info| info.get("value")?.as_f64());
            let Some(value) = value.filter(|value| (0.0..=1.0).contains(value)) else {
                continue;
            };
            match played.seat {
                Some(mover) if mover == seat => known.push((at, value)),
                Some(_) if record.players.len() == 2 => known.push((at, 1.0 - value)),
                _ => {}
            }
        }
        largest(known.windows(2).filter_map(|two| {
            let [(_, before), (to, after)] = [two[0], two[1]];
            let own = record.moves[..to]
                .iter()
                .rposition(|it| it.seat == Some(seat))?;
            Some(Decisive {
                ply: own + 1,
                seat,
                why: Why::Values,
                loss: Some(((before - after) * 1e3).round() / 1e3),
            })
        }))
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn record(moves: Value, faults: Value) -> Record {
        let player = |name: &str| json!({"name": name, "role": name, "command": []});
        serde_json::from_value(json!({
            "format": 1, "match": "m-000001", "game": "x", "options": {}, "seed": 7,
            "start": {}, "players": [player("a"), player("b")],
            "time": {"startup_ms": 1, "margin_ms": 1}, "limits": {}, "opening": 0, "moves": moves,
            "result": {"scores": [1, 0], "outcome": [1.0, 0.0], "reason": "won", "faults": faults},
            "started": "", "duration_ms": 1, "referee": ""
        }))
        .unwrap()
    }

    fn valued(values: &[f64]) -> Value {
        let moves = values.iter().enumerate();
        moves
            .map(|(at, value)| json!({"seat": at % 2, "move": "m", "info": {"value": value}}))
            .collect()
    }

    #[test]
    fn it_is_the_last_own_move_before_expectations_fell() {
        // Seat 1 thinks 0.6, then seat 0 finds a win: the move at ply 2 was it.
        let found = of(&record(valued(&[0.4, 0.6, 0.95, 0.1, 0.99]), json!([]))).unwrap();
        assert_eq!((found.ply, found.seat, found.why), (2, 1, Why::Values));
        assert_eq!(found.loss, Some(0.55));
        // Seat 1 finds out by itself, two plies later.
        let found = of(&record(valued(&[0.4, 0.6, 0.45, 0.1]), json!([]))).unwrap();
        assert_eq!(found.ply, 2);
        assert_eq!(of(&record(valued(&[0.5, 0.5]), json!([]))), None);
        assert_eq!(of(&record(json!([]), json!([]))), None);
    }

    #[test]
    fn faults_and_analyses_know_better() {
        let fault = json!([{"seat": 1, "code": "timeout", "ply": 3, "message": "late"}]);
        let found = of(&record(valued(&[0.4, 0.6, 0.95]), fault)).unwrap();
        assert_eq!((found.ply, found.why), (3, Why::Fault));
        let mut moves = valued(&[0.4, 0.6, 0.95, 0.1]);
        moves[3]["analysis"] = json!([{"bot": "x", "value": 0.5, "line": ["m"], "loss": 0.4}]);
        moves[2]["analysis"] = json!([{"bot": "x", "value": 0.5, "line": ["m"], "loss": 0.9}]);
        let found = of(&record(moves, json!([]))).unwrap();
        assert_eq!((found.ply, found.why), (4, Why::Analysis), "of who lost");
    }
}
