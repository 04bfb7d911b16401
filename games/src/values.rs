//! Positions whose value is proven, from the files in `games/values`: one a game, each with a list of
//! positions, what best play of both sides leads to, and a line of best play. Every position on such a
//! line has the same value.

use serde::Deserialize;
use serde_json::Value;

use crate::session::{BrokenRules, Rules, Session};

/// The files, by game.
const FILES: [(&str, &str); 4] = [
    ("amazons", include_str!("../values/amazons.json")),
    ("elephant-run", include_str!("../values/elephant-run.json")),
    (
        "paper-penguins",
        include_str!("../values/paper-penguins.json"),
    ),
    ("penguins", include_str!("../values/penguins.json")),
];

/// What a position is worth if both sides play best.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ProvenValue {
    /// The game's options; those that are not given have their defaults.
    pub options: Value,
    /// The position, as JSON.
    pub state: Value,
    /// The outcome of each seat, as in a match's result.
    pub outcome: Vec<f64>,
    /// The points at the end, if they are proven as well.
    #[serde(default)]
    pub scores: Option<Vec<i64>>,
    /// Best play to the end of the game, as moves.
    pub line: Vec<String>,
    /// The command that proves it.
    pub by: String,
}

impl ProvenValue {
    /// All proven positions of a game that is compiled in.
    ///
    /// # Panics
    /// If a file of the program is broken, which its tests exclude.
    fn all(game: &str) -> Vec<Self> {
        let file = FILES.iter().find(|(id, _)| *id == game);
        file.map_or(Vec::new(), |(id, text)| {
            serde_json::from_str(text).unwrap_or_else(|error| panic!("values of {id}: {error}"))
        })
    }

    /// Who wins, and the points, in words: `win for farmers, 9–0 points`.
    pub fn in_words(&self, roles: &[String]) -> String {
        let best = self.outcome.iter().copied().fold(0.0, f64::max);
        let winners = roles.iter().zip(&self.outcome);
        let winners = winners.filter(|(_, outcome)| **outcome == best);
        let winners: Vec<&str> = winners.map(|(role, _)| &**role).collect();
        let who = match &winners[..] {
            all if all.len() == roles.len() => "draw".to_owned(),
            all => format!("win for {}", all.join(" and ")),
        };
        match &self.scores {
            Some(scores) => {
                let scores: Vec<String> = scores.iter().map(i64::to_string).collect();
                format!("{who}, {} points", scores.join("–"))
            }
            None => who,
        }
    }

    /// Those of a game with the same options.
    fn of(rules: &dyn Rules) -> Vec<Self> {
        let id = &rules.info().id;
        let built_in = crate::find(id).filter(|_| rules.description().origin.is_none());
        let Some(entry) = built_in else {
            return Vec::new();
        };
        let mut all = Self::all(id);
        all.retain(|proven| {
            let same = entry.configure(&proven.options);
            same.is_ok_and(|same| same.options().to_json() == rules.options().to_json())
        });
        all
    }

    /// The position and all those after it on the line of best play.
    ///
    /// # Errors
    /// If it is no position of the game, or a move of the line is illegal.
    pub fn positions(&self, rules: &dyn Rules) -> Result<Vec<Box<dyn Session>>, String> {
        let start = rules.load(&self.state).map_err(|error| error.to_string())?;
        let mut positions = vec![start];
        for mv in &self.line {
            let mut next = positions[positions.len() - 1].fork();
            next.play(mv).map_err(|error| format!("{mv}: {error}"))?;
            positions.push(next);
        }
        Ok(positions)
    }
}

/// The values of some positions of one game. Empty for rules from outside.
pub struct ProvenValues(Vec<(Value, ProvenValue)>);

impl ProvenValues {
    /// All that is known of a game with these options.
    ///
    /// # Errors
    /// If rules from outside do not work.
    pub fn of(rules: &dyn Rules) -> Result<Self, BrokenRules> {
        let mut known = Vec::new();
        for proven in ProvenValue::of(rules) {
            for position in proven.positions(rules).unwrap_or_default() {
                known.push((position.state()?, proven.clone()));
            }
        }
        Ok(ProvenValues(known))
    }

    /// The value of a position, if it is known.
    ///
    /// # Errors
    /// If rules from outside do not work.
    pub fn find(&self, session: &dyn Session) -> Result<Option<&ProvenValue>, BrokenRules> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let state = session.state()?;
        let found = self.0.iter().find(|(known, _)| *known == state);
        Ok(found.map(|(_, proven)| proven))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_best_play_end_as_their_values_say() {
        for (id, _) in FILES {
            let all = ProvenValue::all(id);
            assert!(!all.is_empty(), "{id}");
            for proven in all {
                let rules = crate::find(id).unwrap().configure(&proven.options).unwrap();
                let positions = proven.positions(&*rules).unwrap();
                let end = positions.last().unwrap();
                assert!(end.end().is_some(), "{id}: {:?}", proven.line);
                let tally = end.tally().unwrap();
                assert_eq!(
                    tally.outcome.to_vec(),
                    proven.outcome,
                    "{id}: {}",
                    proven.by
                );
                if let Some(scores) = &proven.scores {
                    assert_eq!(&tally.scores.to_vec(), scores, "{id}: {}", proven.by);
                }
                let known = ProvenValues::of(&*rules).unwrap();
                let middle = &positions[positions.len() / 2];
                let found = known.find(&**middle).unwrap().expect("on the line");
                assert_eq!(found.outcome, proven.outcome);
            }
        }
    }

    #[test]
    fn other_options_and_positions_are_not_known() {
        let rules = crate::find("amazons").unwrap();
        let small = rules.configure(&serde_json::json!({"size": 5})).unwrap();
        let large = rules.configure(&serde_json::json!({"size": 6})).unwrap();
        let known = ProvenValues::of(&*small).unwrap();
        let mut start = small.start(1).unwrap();
        assert!(known.find(&*start).unwrap().is_some());
        let last = start.legal().unwrap().pop().unwrap();
        start.play(&last).unwrap();
        assert!(known.find(&*start).unwrap().is_none());
        let known = ProvenValues::of(&*large).unwrap();
        assert!(known.find(&*large.start(1).unwrap()).unwrap().is_none());
    }
}
