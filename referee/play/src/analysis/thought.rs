//! A bot's analysis of a position, as far as it is valid.

use std::time::Duration;

use games::BrokenRules;
use games::session::{MoveError, PlyByPly};
use protocol::{Failure, Millis, MoveText, SearchInfo, SearchLine, excerpt};
use serde_json::{Map, Value, json};

use super::AnalysedPosition;

/// Quoted moves are cut after this many characters.
const QUOTED: usize = 40;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thought {
    /// `None` while the bot thinks, or if it is at fault.
    pub mv: Option<MoveText>,
    /// The expectation of the bot's own seat.
    pub value: Option<f64>,
    pub depth: Option<u64>,
    pub nodes: Option<u64>,
    /// The bot's best lines, the best first, each as far as it is legal. A bot without support for
    /// lines has at most one, of its value and its principal variation.
    pub lines: Vec<SearchLine>,
    pub text: Option<String>,
    /// Explains what was dropped.
    pub remarks: Vec<String>,
    pub took: Duration,
    /// The bot's fault, if it did not move.
    pub fault: Option<Failure>,
}

impl Thought {
    /// Interprets fields of `info` for a position.
    ///
    /// # Errors
    /// If rules from outside do not work.
    pub(super) fn of(
        fields: &Map<String, Value>,
        mv: Option<&MoveText>,
        position: &AnalysedPosition<'_>,
        asked: usize,
    ) -> Result<Self, BrokenRules> {
        let (info, mut remarks) = SearchInfo::read(&Value::Object(fields.clone()), asked);
        let mut given = info.lines;
        if given.is_empty() && (info.value.is_some() || !info.pv.is_empty()) {
            given.push(SearchLine {
                value: info.value,
                pv: if info.pv.is_empty() {
                    mv.into_iter().cloned().collect()
                } else {
                    info.pv
                },
                depth: info.depth,
                nodes: None,
            });
        }
        let mut lines = Vec::new();
        for (index, mut line) in given.into_iter().enumerate() {
            let legal = legal_moves(position, &line.pv)?;
            if let Some(wrong) = line.pv.get(legal) {
                remarks.push(format!(
                    "line {}: its move {}, `{}`, is not legal there",
                    index + 1,
                    legal + 1,
                    excerpt(wrong.as_bytes(), QUOTED)
                ));
            }
            line.pv.truncate(legal);
            if !line.pv.is_empty() {
                lines.push(line);
            }
        }
        Ok(Thought {
            mv: mv.cloned(),
            value: info.value,
            depth: info.depth,
            nodes: info.nodes,
            text: info.text,
            lines,
            remarks,
            ..Thought::default()
        })
    }

    /// The expectation if the bot plays its best line.
    pub fn best_value(&self) -> Option<f64> {
        let best = self.lines.first().and_then(|line| line.value);
        best.or(self.value)
    }

    /// The first move of the best line or, if there is none, the bot's move.
    pub fn best_move(&self) -> Option<&MoveText> {
        let best = self.lines.first().and_then(|line| line.pv.first());
        best.or(self.mv.as_ref())
    }

    /// The expectation if the bot begins with this move, if one of its lines does.
    pub(crate) fn value_of(&self, mv: &str) -> Option<f64> {
        let mut lines = self.lines.iter();
        let line = lines.find(|line| line.pv.first().is_some_and(|first| first == mv))?;
        line.value
    }

    pub fn to_json(&self) -> Value {
        let fault = self.fault.as_ref();
        let fault = fault.map(|fault| json!({"code": fault.code, "message": fault.message}));
        json!({
            "move": self.mv, "value": self.best_value(), "depth": self.depth, "nodes": self.nodes,
            "ms": Millis(self.took), "lines": self.lines, "text": self.text,
            "remarks": self.remarks, "fault": fault,
        })
    }
}

/// The number of legal moves in a line. Where information is hidden or several seats act at once, only
/// the first move can be checked.
fn legal_moves(position: &AnalysedPosition<'_>, moves: &[MoveText]) -> Result<usize, BrokenRules> {
    let mut session = position.session.fork();
    let is_alone = session.to_move().alone().is_some();
    let only_first = position.of.rules.info().hidden || !is_alone;
    let mut step = PlyByPly::default();
    for (index, mv) in moves.iter().enumerate() {
        let tried = match index {
            0 if only_first => session.check_move(position.seat, mv),
            _ if only_first => Ok(()),
            _ => step.add(&mut *session, mv),
        };
        match tried {
            Ok(()) => {}
            Err(MoveError::Broken(broken)) => return Err(broken),
            Err(_) => return Ok(index),
        }
    }
    Ok(moves.len())
}

#[cfg(test)]
mod tests {
    use super::super::AnalysedMatch;
    use super::*;

    fn thought(info: Value) -> Thought {
        let rules = games::find("amazons").unwrap();
        let rules = rules.configure(&json!({"size": 5})).unwrap();
        let start = rules.start(1).unwrap();
        let of = AnalysedMatch::from(rules, start, 1);
        let position = of
            .position(0, None)
            .unwrap_or_else(|error| panic!("{error}"));
        let fields = info.as_object().unwrap();
        Thought::of(fields, Some(&"b1-b4/d4".into()), &position, 3).unwrap()
    }

    #[test]
    fn lines_are_shown_as_far_as_they_are_legal() {
        let thought = thought(json!({"lines": [
            {"value": 0.6, "pv": ["b1-b4/d4", "d5-b3/b2"]},
            {"value": 0.5, "pv": ["b1-b4/d4", "b1-b4/d4", "more"]},
            {"value": 0.4, "pv": ["z9"]},
        ]}));
        let lengths: Vec<usize> = thought.lines.iter().map(|line| line.pv.len()).collect();
        assert_eq!(lengths, [2, 1]);
        assert_eq!(thought.best_value(), Some(0.6));
        let [second, third] = &thought.remarks[..] else {
            panic!("{:?}", thought.remarks)
        };
        assert_eq!(second, "line 2: its move 2, `b1-b4/d4`, is not legal there");
        assert_eq!(third, "line 3: its move 1, `z9`, is not legal there");
    }

    #[test]
    fn a_bot_that_knows_nothing_of_lines_has_one() {
        let known = thought(json!({"value": 0.7, "depth": 4}));
        assert_eq!((known.lines.len(), known.best_value()), (1, Some(0.7)));
        assert_eq!(known.best_move().map(|mv| &**mv), Some("b1-b4/d4"));
        assert_eq!(known.value_of("b1-b4/d4"), Some(0.7));
        let silent = thought(json!({}));
        assert_eq!((silent.lines.len(), silent.best_value()), (0, None));
        assert_eq!(silent.best_move().map(|mv| &**mv), Some("b1-b4/d4"));
    }
}
