//! What bots that ask language models report in the `info` of their turns, summed up.

use protocol::{Record, excerpt};
use serde_json::Value;

/// Characters of a model's name.
const LONGEST: usize = 100;
/// Distinct models of a bot: bots may write anything.
const MOST: usize = 3;

/// The use of language models by a bot.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct ModelUse {
    pub bot: String,
    /// The models as servers call them, escaped and shortened.
    pub models: Vec<String>,
    /// Those in which it asked a model.
    pub matches: u64,
    /// Those that a model chose.
    pub moves: u64,
    /// Requests to the server.
    pub calls: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Answers that were no legal move, by kind.
    pub illegal: u64,
    pub unparsable: u64,
    pub truncated: u64,
    pub refused: u64,
    /// Turns whose first answer was a legal move.
    pub legal_at_first: u64,
    /// Turns in which the model answered.
    pub turns: u64,
    /// The time of all calls together.
    pub latency_ms: f64,
}

impl ModelUse {
    /// All counts from `moves` to `refused`, in the order of the columns.
    pub fn counts(&self) -> [u64; 8] {
        [
            self.moves,
            self.calls,
            self.tokens_in,
            self.tokens_out,
            self.illegal,
            self.unparsable,
            self.truncated,
            self.refused,
        ]
    }

    /// The share of turns whose first answer was a legal move; `None` without any.
    pub fn share_legal_at_first(&self) -> Option<f64> {
        (self.turns > 0).then(|| self.legal_at_first as f64 / self.turns as f64)
    }

    /// The mean time of a call; `None` without any.
    pub fn mean_latency_ms(&self) -> Option<f64> {
        (self.calls > 0).then(|| self.latency_ms / self.calls as f64)
    }

    /// Adds a turn. False if its `info` says nothing about a model.
    pub fn add_turn(&mut self, info: &Value, is_move: bool) -> bool {
        let number = |name| whole(&info[name]);
        if number("calls").is_none() && number("tokens_in").is_none() {
            return false;
        }
        let add = |sum: &mut u64, name| {
            let more = number(name).unwrap_or(0);
            *sum = sum.saturating_add(more);
            more
        };
        add(&mut self.calls, "calls");
        add(&mut self.tokens_in, "tokens_in");
        add(&mut self.tokens_out, "tokens_out");
        let rejected = [
            add(&mut self.illegal, "illegal"),
            add(&mut self.unparsable, "unparsable"),
            add(&mut self.truncated, "truncated"),
            add(&mut self.refused, "refused"),
        ];
        let is_rejected = rejected.iter().any(|answers| *answers > 0);
        self.moves += u64::from(is_move);
        self.turns += u64::from(is_move || is_rejected);
        self.legal_at_first += u64::from(is_move && !is_rejected);
        let latency = info["latency_ms"].as_f64().filter(|ms| *ms >= 0.0);
        self.latency_ms += latency.unwrap_or(0.0);
        let model = info["model"]
            .as_str()
            .map(|model| excerpt(model.as_bytes(), LONGEST));
        if let Some(model) = model
            && self.models.len() < MOST
            && !self.models.contains(&model)
        {
            self.models.push(model);
        }
        true
    }
}

/// A whole number; 7.0 is one, too.
fn whole(value: &Value) -> Option<u64> {
    let float = || {
        value
            .as_f64()
            .filter(|n| n.fract() == 0.0 && (0.0..=1e15).contains(n))
    };
    value.as_u64().or_else(|| float().map(|n| n as u64))
}

/// The use of models in a match, by seat; `None` for seats that used none.
pub fn models_of(record: &Record) -> Vec<Option<ModelUse>> {
    let seats = record.players.iter().enumerate();
    let seats = seats.map(|(seat, player)| {
        let mut sum = ModelUse {
            bot: player.name.clone(),
            ..ModelUse::default()
        };
        let moves = record
            .moves
            .iter()
            .filter(|played| played.seat == Some(seat));
        let moves = moves.filter_map(|played| Some((played.info.as_ref()?, true)));
        let faults = record
            .result
            .faults
            .iter()
            .filter(|fault| fault.seat == seat);
        let faults = faults.filter_map(|fault| Some((fault.info.as_ref()?, false)));
        let mut is_used = false;
        for (info, is_move) in moves.chain(faults) {
            is_used |= sum.add_turn(info, is_move);
        }
        sum.matches = 1;
        is_used.then_some(sum)
    });
    seats.collect()
}

impl ModelUse {
    /// Adds what the same bot used elsewhere.
    pub fn add(&mut self, more: ModelUse) {
        for (sum, more) in [
            (&mut self.matches, more.matches),
            (&mut self.moves, more.moves),
            (&mut self.calls, more.calls),
            (&mut self.tokens_in, more.tokens_in),
            (&mut self.tokens_out, more.tokens_out),
            (&mut self.illegal, more.illegal),
            (&mut self.unparsable, more.unparsable),
            (&mut self.truncated, more.truncated),
            (&mut self.refused, more.refused),
            (&mut self.legal_at_first, more.legal_at_first),
            (&mut self.turns, more.turns),
        ] {
            *sum = sum.saturating_add(more);
        }
        self.latency_ms += more.latency_ms;
        self.bot = more.bot;
        for model in more.models {
            if self.models.len() < MOST && !self.models.contains(&model) {
                self.models.push(model);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn turns_are_summed_up_whatever_bots_write() {
        let mut sum = ModelUse::default();
        let legal = json!({"tokens_in": 10, "tokens_out": 2.0, "calls": 1, "latency_ms": 30.0, "model": "a"});
        assert!(sum.add_turn(&legal, true));
        let again = json!({"tokens_in": null, "calls": 3, "illegal": 1, "truncated": 1, "latency_ms": 10,
            "model": "b\u{1b}"});
        assert!(sum.add_turn(&again, true));
        let fault = json!({"calls": 4, "unparsable": 4, "refused": -1, "latency_ms": "x"});
        assert!(sum.add_turn(&fault, false));
        // Only the server was at fault.
        assert!(sum.add_turn(&json!({"calls": 2}), false));
        for other in [
            json!(null),
            json!(7),
            json!({"depth": 3}),
            json!({"calls": "many"}),
        ] {
            assert!(!sum.add_turn(&other, true), "{other}");
        }
        assert_eq!((sum.moves, sum.turns, sum.calls), (2, 3, 10));
        assert_eq!((sum.tokens_in, sum.tokens_out), (10, 2));
        assert_eq!(
            (sum.illegal, sum.unparsable, sum.truncated, sum.refused),
            (1, 4, 1, 0)
        );
        assert_eq!(sum.share_legal_at_first(), Some(1.0 / 3.0));
        assert_eq!(sum.mean_latency_ms(), Some(4.0));
        assert_eq!(sum.models, ["a", "b\\u001b"]);
        let mut both = ModelUse::default();
        both.add(sum.clone());
        both.add(sum.clone());
        assert_eq!((both.calls, both.models.len()), (20, 2));
    }
}
