//! A complete description of a position, for comparisons.

use games::{BrokenRules, Session};
use serde_json::{Value, json};

/// Findings quote at most this many bytes of an answer.
const MOST_QUOTED: usize = 300;
/// Smaller differences between probabilities of different rules are ignored.
const ROUNDING: f64 = 1e-9;

pub(super) struct Described {
    state: Value,
    /// The rest, by name.
    fields: Vec<(String, Value)>,
}

impl Described {
    /// Asks for everything that belongs to the position, however it was reached.
    ///
    /// # Errors
    /// If the rules do not work, in their words.
    pub(super) fn of(session: &mut dyn Session) -> Result<Self, String> {
        Self::asked(session).map_err(|broken| broken.to_string())
    }

    /// The same, with each seat's percepts of the last step.
    ///
    /// # Errors
    /// As [`Described::of`].
    pub(super) fn with_percepts(session: &mut dyn Session) -> Result<Self, String> {
        let mut described = Self::of(session)?;
        described.add("sees", json!(session.sees()));
        Ok(described)
    }

    fn asked(session: &mut dyn Session) -> Result<Self, BrokenRules> {
        let mut described = Described {
            state: session.state()?,
            fields: Vec::new(),
        };
        let mut legal = String::new();
        session.write_legal(&mut legal)?;
        let legal = serde_json::from_str(&legal).expect("what is legal is written as JSON");
        let tally = session.tally()?;
        described.add("ply", json!(session.ply()));
        described.add("to_move", json!(session.to_move().to_string()));
        described.add("legal", legal);
        described.add("result", json!(session.end()));
        described.add("key", json!(session.identity()?));
        described.add("scores", json!(tally));
        described.add("view", json!(session.view()?));
        for seat in 0..session.seats() {
            let observation = session.observation(seat)?;
            described.add(&format!("observation of seat {seat}"), observation);
        }
        Ok(described)
    }

    fn add(&mut self, name: &str, value: Value) {
        self.fields.push((name.to_owned(), value));
    }

    /// The part that other rules of the same game must share. Names and drawings of positions and the
    /// order of moves may differ; scores before the end are optional.
    pub(super) fn for_others(mut self, with_scores: bool) -> Self {
        self.fields.retain(|(name, _)| match name.as_str() {
            "key" | "view" => false,
            "scores" => with_scores,
            _ => true,
        });
        let mut fields = self.fields.iter_mut();
        if let Some((_, legal)) = fields.find(|(name, _)| name == "legal") {
            without_order(legal);
        }
        self
    }

    pub(super) fn state(&self) -> &Value {
        &self.state
    }

    /// The difference, as the rest of a sentence.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        let fields = self.fields.iter().zip(&other.fields);
        let fields = fields.map(|((name, ours), (_, theirs))| (name.as_str(), ours, theirs));
        let mut all = fields.chain([("state", &self.state, &other.state)]);
        let (name, ours, theirs) = all.find(|(_, ours, theirs)| ours != theirs)?;
        Some(format!("`{name}` is {}, then {}", cut(ours), cut(theirs)))
    }
}

/// Cuts an answer for a finding.
pub(super) fn cut(answer: &Value) -> String {
    protocol::excerpt(answer.to_string().as_bytes(), MOST_QUOTED)
}

/// Sorts moves, and rounds probabilities.
fn without_order(legal: &mut Value) {
    match legal {
        Value::Array(moves) => moves.sort_by(|a, b| a.as_str().cmp(&b.as_str())),
        Value::Object(by_actor) => by_actor.values_mut().for_each(without_order),
        Value::Number(probability) => {
            let rounded = probability.as_f64().map(|p| (p / ROUNDING).round());
            *legal = json!(rounded);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(fields: &[(&str, Value)]) -> Described {
        let fields = fields.iter().cloned();
        Described {
            state: json!({"ply": 1, "left": 2}),
            fields: fields
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        }
    }

    #[test]
    fn other_rules_may_list_in_another_order_and_have_keys_of_their_own() {
        let legal = |moves: [&str; 2], heads: f64| json!({"0": moves, "chance": {"heads": heads, "tails": 0.7}});
        let one = || described(&[("legal", legal(["a", "b"], 0.1 + 0.2)), ("key", json!("x"))]);
        let other = || described(&[("legal", legal(["b", "a"], 0.3)), ("key", json!("y"))]);
        assert!(one().difference(&other()).is_some());
        let (one, other) = (one().for_others(false), other().for_others(false));
        assert_eq!(one.difference(&other), None);
        let unlike = described(&[("legal", legal(["b", "a"], 0.4))]).for_others(false);
        assert!(one.difference(&unlike).unwrap().contains("`legal`"));
    }

    #[test]
    fn what_seats_know_and_the_state_are_compared_whatever_their_order_of_keys() {
        let knows = |what: Value| described(&[("observation of seat 1", what)]).for_others(true);
        let one = knows(json!({"a": 1, "b": 2}));
        assert_eq!(one.difference(&knows(json!({"b": 2, "a": 1}))), None);
        let what = one.difference(&knows(json!({"a": 1, "b": 3}))).unwrap();
        assert!(what.contains("`observation of seat 1`"), "{what}");
        let mut further = knows(json!({"a": 1, "b": 2}));
        further.state = json!({"left": 2, "ply": 2});
        assert!(one.difference(&further).unwrap().contains("`state`"));
        further.state = json!({"left": 2, "ply": 1});
        assert_eq!(one.difference(&further), None);
    }
}
