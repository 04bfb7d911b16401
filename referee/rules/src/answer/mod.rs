//! Answers of a rules program about a position: read, and checked against themselves.

pub(crate) mod plain;
pub(crate) mod repeated;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use games::kit::to_move::CHANCE;
use games::session::{End, Tally};
use games::{Actor, ToMove, View, rank};
use protocol::MoveList;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::position::{LONGEST_MOVE, Legal, Position, cell};

/// The largest distance of a sum of probabilities from 1.
const ROUNDING: f64 = 1e-6;

/// The fields of an answer about a position.
#[derive(Deserialize)]
pub(super) struct PositionFields<'a> {
    ply: u32,
    to_move: ToMove,
    #[serde(default)]
    result: Option<ResultFields>,
    #[serde(default)]
    legal: Option<LegalFields>,
    #[serde(default)]
    state: Option<Value>,
    #[serde(default, borrow)]
    key: Option<Cow<'a, str>>,
    #[serde(default)]
    view: Option<View>,
    #[serde(default)]
    scores: Option<Vec<i64>>,
    #[serde(default)]
    outcome: Option<Vec<f64>>,
    #[serde(default)]
    roles: Option<Vec<String>>,
    #[serde(default)]
    sees: Option<Vec<Vec<Vec<Value>>>>,
}

/// The legal choices, in one of their forms.
enum LegalFields {
    /// The moves of one seat.
    Moves(MoveList),
    /// Moves by seat, or outcomes of chance with their probabilities.
    ByActor(Map<String, Value>),
}

impl<'de> Deserialize<'de> for LegalFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Form;

        impl<'de> Visitor<'de> for Form {
            type Value = LegalFields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`legal` as a list of moves, or an object")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, moves: A) -> Result<LegalFields, A::Error> {
                MoveList::deserialize(SeqAccessDeserializer::new(moves)).map(LegalFields::Moves)
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<LegalFields, A::Error> {
                Map::deserialize(MapAccessDeserializer::new(fields)).map(LegalFields::ByActor)
            }
        }

        deserializer.deserialize_any(Form)
    }
}

/// The end of a game, in a program's answer.
#[derive(Deserialize)]
struct ResultFields {
    scores: Vec<i64>,
    #[serde(default)]
    outcome: Option<Vec<f64>>,
    reason: String,
}

impl Position {
    /// Reads what stands in `ok`; the game has this many seats, if that is known.
    ///
    /// # Errors
    /// The fault, as part of a sentence whose subject is the program.
    pub(super) fn read(text: &str, seats: Option<usize>) -> Result<Self, String> {
        match plain::read(text, seats) {
            Some(position) => Ok(position),
            None => Self::read_any(text, seats),
        }
    }

    /// The same in any form.
    fn read_any(text: &str, seats: Option<usize>) -> Result<Self, String> {
        let fields: PositionFields<'_> = serde_json::from_str(text)
            .map_err(|error| format!("gave an answer that cannot be read ({error})"))?;
        let to_move = fields.to_move;
        let seats = fields.roles.as_ref().map(Vec::len).or(seats);
        if let Some(seats) = seats
            && let Some(seat) = to_move.seats().find(|seat| *seat >= seats)
        {
            return Err(format!(
                "says that seat {seat} is to move, but has {seats} seats"
            ));
        }
        let end = fields.result.map(|result| result.end(seats)).transpose()?;
        match (&end, to_move.is_over()) {
            (Some(_), false) => {
                return Err(format!(
                    "gives a result, but says that {to_move} is to move"
                ));
            }
            (None, true) => {
                return Err("says that nobody is to move, but gives no result".to_owned());
            }
            _ => {}
        }
        let legal = fields.legal.map(|legal| read_legal(legal, to_move));
        let tally = match fields.scores {
            Some(scores) => Some(tally(scores, fields.outcome, seats)?),
            None => None,
        };
        Ok(Position {
            ply: fields.ply,
            legal: cell(legal.transpose()?),
            to_move,
            tally: cell(end.as_ref().map(|end| end.tally.clone()).or(tally)),
            end,
            state: cell(fields.state.map(|state| Arc::from(state.to_string()))),
            key: cell(fields.key.map(Cow::into_owned)),
            view: cell(fields.view.map(Some)),
            roles: fields.roles,
            sees: fields.sees.unwrap_or_default(),
            asked: AtomicU8::new(0),
        })
    }
}

impl ResultFields {
    fn end(self, seats: Option<usize>) -> Result<End, String> {
        Ok(End {
            tally: tally(self.scores, self.outcome, seats)?,
            reason: self.reason,
        })
    }
}

/// Points and what they are worth, which follows from them if the program does not say it.
fn tally(
    scores: Vec<i64>,
    outcome: Option<Vec<f64>>,
    seats: Option<usize>,
) -> Result<Tally, String> {
    let seats = seats.unwrap_or(scores.len());
    let outcome = outcome.unwrap_or_else(|| rank(&scores));
    if scores.len() != seats || outcome.len() != seats {
        return Err(format!(
            "gives `scores` or an `outcome` that are not {seats} numbers, one a seat"
        ));
    }
    if outcome.iter().any(|value| !(0.0..=1.0).contains(value)) {
        return Err("gives an `outcome` outside of 0 to 1".to_owned());
    }
    Ok(Tally { scores, outcome })
}

/// Reads `legal` in the form that belongs to who is to move.
fn read_legal(fields: LegalFields, to_move: ToMove) -> Result<Legal, String> {
    let mut by_actor = match (fields, to_move.alone()) {
        (LegalFields::Moves(moves), Some(seat)) => {
            check_moves(seat, &moves)?;
            return Ok(Legal {
                moves: vec![(seat, moves)],
                chances: Vec::new(),
            });
        }
        (LegalFields::Moves(moves), None) if to_move.is_over() && moves.is_empty() => {
            return Ok(Legal::default());
        }
        _ if to_move.is_over() => {
            return Err("says that the game is over, but that there are legal moves".to_owned());
        }
        (LegalFields::ByActor(_), Some(seat)) => {
            return Err(format!(
                "gives a `legal` that is no list of moves, where seat {seat} acts alone"
            ));
        }
        (LegalFields::Moves(_), None) => {
            return Err(format!(
                "gives a `legal` that is no object, where {to_move} act"
            ));
        }
        (LegalFields::ByActor(by_actor), None) => by_actor,
    };
    if to_move == ToMove::CHANCE {
        return Ok(Legal {
            moves: Vec::new(),
            chances: read_chances(&by_actor)?,
        });
    }
    let mut legal = Legal::default();
    for actor in to_move.actors() {
        match actor {
            Actor::Chance => match by_actor.remove(CHANCE) {
                Some(Value::Object(chances)) => legal.chances = read_chances(&chances)?,
                _ => return Err("does not say in `legal` what chance may bring".to_owned()),
            },
            Actor::Seat(seat) => {
                let moves = by_actor.remove(&seat.to_string());
                let moves =
                    moves.and_then(|moves| serde_json::from_value::<Vec<String>>(moves).ok());
                let moves = moves
                    .ok_or_else(|| format!("does not say in `legal` what seat {seat} may do"))?;
                let moves: MoveList = moves.iter().map(String::as_str).collect();
                check_moves(seat, &moves)?;
                legal.moves.push((seat, moves));
            }
        }
    }
    match by_actor.keys().next() {
        Some(other) => Err(format!("has `{other}` in `legal`, which does not act")),
        None => Ok(legal),
    }
}

/// Refuses lists that no seat can choose from.
fn check_moves(seat: usize, moves: &MoveList) -> Result<(), String> {
    if moves.is_empty() {
        return Err(format!(
            "says that seat {seat} is to move, but lists no move for it"
        ));
    }
    moves.iter().try_for_each(check_text)?;
    match repeated::find(moves) {
        Some(mv) => Err(format!("lists the move `{mv}` twice")),
        None => Ok(()),
    }
}

fn check_text(text: &str) -> Result<(), String> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
    let has_control = !is_plain && text.contains(char::is_control);
    if text.is_empty() || text.len() > LONGEST_MOVE || has_control {
        let shown = protocol::excerpt(text.as_bytes(), LONGEST_MOVE);
        return Err(format!(
            "lists the move `{shown}`, which is not a text of 1 to {LONGEST_MOVE} bytes without \
             control characters"
        ));
    }
    Ok(())
}

fn read_chances(chances: &Map<String, Value>) -> Result<Vec<(String, f64)>, String> {
    let mut read = Vec::new();
    for (outcome, probability) in chances {
        check_text(outcome)?;
        let probability = probability.as_f64().filter(|p| (0.0..=1.0).contains(p));
        let probability =
            probability.ok_or_else(|| format!("gives `{outcome}` no probability from 0 to 1"))?;
        read.push((outcome.clone(), probability));
    }
    let sum: f64 = read.iter().map(|(_, probability)| probability).sum();
    if (sum - 1.0).abs() > ROUNDING {
        return Err(format!(
            "gives chance probabilities whose sum is {sum}, not 1"
        ));
    }
    // So that draws do not depend on the order in which a program happens to list them.
    read.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> String {
        let read = Position::read(text, Some(2));
        read.and_then(Position::listed).unwrap_err()
    }

    #[test]
    fn contradictions_are_named() {
        for (text, part) in [
            (
                r#"{"ply":0,"to_move":2,"result":null,"legal":["a"]}"#,
                "seat 2 is to move, but has 2 seats",
            ),
            (
                r#"{"ply":0,"to_move":0,"result":null,"legal":[]}"#,
                "lists no move for it",
            ),
            (
                r#"{"ply":0,"to_move":0,"result":null,"legal":["a","b","a"]}"#,
                "lists the move `a` twice",
            ),
            (
                r#"{"ply":0,"to_move":0,"result":null,"legal":[""]}"#,
                "1 to 200 bytes",
            ),
            (r#"{"ply":0,"to_move":0,"result":null}"#, "gives no `legal`"),
            (
                r#"{"ply":0,"to_move":0,"result":null,"legal":{"0":["a"]}}"#,
                "no list of moves, where seat 0 acts alone",
            ),
            (
                r#"{"ply":0,"to_move":[0,1],"result":null,"legal":["a"]}"#,
                "no object, where",
            ),
            (
                r#"{"ply":0,"to_move":0,"result":null,"legal":7}"#,
                "expected `legal` as a list of moves, or an object",
            ),
            (
                r#"{"ply":0,"to_move":null,"result":null,"legal":[]}"#,
                "gives no result",
            ),
            (
                r#"{"ply":0,"to_move":0,"result":{"scores":[1,0],"reason":"x"},"legal":["a"]}"#,
                "gives a result",
            ),
            (
                r#"{"ply":0,"to_move":null,"result":{"scores":[1,0],"reason":"x"},"legal":["a"]}"#,
                "there are legal moves",
            ),
            (
                r#"{"ply":0,"to_move":null,"result":{"scores":[1],"reason":"x"},"legal":[]}"#,
                "not 2 numbers",
            ),
            (
                r#"{"ply":0,"to_move":null,"result":{"scores":[1,0],"outcome":[2,0],"reason":"x"},"legal":[]}"#,
                "outside of 0 to 1",
            ),
            (
                r#"{"ply":0,"to_move":"chance","result":null,"legal":{"a":0.5,"b":0.4}}"#,
                "whose sum is 0.9",
            ),
            (
                r#"{"ply":0,"to_move":"chance","result":null,"legal":{"a":-1}}"#,
                "no probability",
            ),
            (
                r#"{"ply":0,"to_move":[0,1],"result":null,"legal":{"0":["a"]}}"#,
                "what seat 1 may do",
            ),
            (
                r#"{"ply":0,"to_move":[0,1],"result":null,"legal":{"0":["a"],"1":["b"],"2":["c"]}}"#,
                "`2` in `legal`",
            ),
            (
                r#"{"ply":0,"to_move":[0,"chance"],"result":null,"legal":{"0":["a"]}}"#,
                "what chance may bring",
            ),
            (
                r#"{"ply":0,"to_move":[1,0],"result":null,"legal":{}}"#,
                "cannot be read",
            ),
        ] {
            let what = wrong(text);
            assert!(what.contains(part), "`{part}` in `{what}`");
        }
    }

    /// Serde reads all answers that are parsed without it in the same way. Tried with all answers that
    /// differ from some in one byte.
    #[test]
    fn both_ways_of_reading_agree() {
        let answers = [
            r#"{"ply":9,"to_move":1,"result":null,"legal":["a1","b2-c3"],"state":{"ply":9,"rows":["x."]},"key":"k"}"#,
            r#"{"ply": 0, "legal": ["a", "b"], "to_move": 0, "more": 1}"#,
            r#"{"ply":9,"to_move":1,"result":null,"legal":["a","b","a"],"state":[1.5]}"#,
        ];
        let (mut plain, mut all) = (0, 0);
        for answer in answers {
            for at in 0..answer.len() {
                for byte in 0..128 {
                    all += 1;
                    let mut changed = answer.as_bytes().to_vec();
                    changed[at] = byte;
                    let changed = String::from_utf8(changed).unwrap();
                    if let Some(read) = plain::read(&changed, Some(2)) {
                        plain += 1;
                        let any = Position::read_any(&changed, Some(2)).unwrap();
                        assert_eq!(format!("{any:?}"), format!("{read:?}"), "{changed}");
                    }
                }
            }
        }
        assert!(plain > 1000 && all > 5 * plain, "{plain} of {all}");
    }

    #[test]
    fn outcomes_follow_from_scores() {
        let text =
            r#"{"ply":9,"to_move":null,"result":{"scores":[3,3],"reason":"full"},"legal":[]}"#;
        let end = Position::read(text, Some(2)).unwrap().end.unwrap();
        assert_eq!(
            (end.tally.outcome, end.reason),
            (vec![0.5, 0.5], "full".to_owned())
        );
    }

    #[test]
    fn chances_are_in_the_order_of_their_texts() {
        let text =
            r#"{"ply":0,"to_move":"chance","result":null,"legal":{"tails":0.5,"heads":0.5}}"#;
        let position = Position::read(text, Some(2)).unwrap();
        assert_eq!(
            position.legal.get().unwrap().chances,
            [("heads".to_owned(), 0.5), ("tails".to_owned(), 0.5)]
        );
    }
}
