//! Reads the usual requests to the forward model, of which there is one a ply, without serde.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

use crate::json::scanner::Scanner;
use crate::model::{Op, StepMoves, Want};

/// Reads a request to play moves, each of one seat, or to say something about the position, if it is
/// plain and has nothing unusual: its id and the operation. `None` for anything else, be it right or wrong.
#[must_use]
pub fn plain_request(line: &[u8]) -> Option<(u64, Op)> {
    let mut scanner = Scanner::of_line(line)?;
    let (mut id, mut op) = (None, None);
    let (mut moves, mut want) = (None, None);
    scanner.object(|scanner, key| {
        let is_first = match key {
            "id" => id.replace(scanner.number()?).is_none(),
            "op" => op.replace(scanner.text()?).is_none(),
            "moves" => moves.replace(read_moves(scanner)?).is_none(),
            "want" => want.replace(read_want(scanner)?).is_none(),
            _ => false,
        };
        is_first.then_some(())
    })?;
    scanner.end()?;
    let want = want.unwrap_or_default();
    let op = match (op?, moves) {
        ("play", Some(moves)) => Op::Play { moves, want },
        ("get", None) => Op::Get { seat: None, want },
        _ => return None,
    };
    Some((id?, op))
}

fn read_moves(scanner: &mut Scanner<'_>) -> Option<Vec<StepMoves>> {
    let mut moves = Vec::new();
    scanner.list(|scanner| {
        moves.push(StepMoves::One(scanner.text()?.to_owned()));
        Some(())
    })?;
    Some(moves)
}

fn read_want(scanner: &mut Scanner<'_>) -> Option<Vec<Want>> {
    let mut want = Vec::with_capacity(2);
    scanner.list(|scanner| {
        let word = IntoDeserializer::<Error>::into_deserializer(scanner.text()?);
        want.push(Want::deserialize(word).ok()?);
        Some(())
    })?;
    Some(want)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Request;

    #[test]
    fn plain_requests_are_read() {
        for (line, is_plain) in [
            (
                r#"{"id":3,"op":"play","moves":["a1","b2-c3"],"want":["legal","state"]}"#,
                true,
            ),
            (r#"{ "moves":[], "op":"play", "id":0 }"#, true),
            (r#"{"id":7,"op":"get"}"#, true),
            (r#"{"id":7,"op":"get","want":[]}"#, true),
            (r#"{"id":7,"op":"get","want":["all"]}"#, false),
            (r#"{"id":7,"op":"get","moves":[]}"#, false),
            (r#"{"id":7,"op":"get","as":0}"#, false),
            (r#"{"op":"get"}"#, false),
            (r#"{"id":"x","op":"get"}"#, false),
            (r#"{"id":1,"op":"undo"}"#, false),
            (r#"{"id":1,"op":"play","moves":[{"0":"a"}]}"#, false),
        ] {
            let read = plain_request(line.as_bytes());
            assert_eq!(read.is_some(), is_plain, "{line}");
        }
    }

    /// Serde reads all accepted lines in the same way. Tried with all lines that differ from a request
    /// in one byte.
    #[test]
    fn nothing_is_read_that_serde_would_not_read() {
        let lines = [
            r#"{"id":10,"op":"play","moves":["a1","b2"],"want":["legal","state"]}"#,
            r#"{"op": "get", "want": ["key", "view"], "id": 4}"#,
            r#"{"id":1,"id":1,"op":"get"}"#,
        ];
        let (mut plain, mut all) = (0, 0);
        for line in lines.map(str::as_bytes) {
            for at in 0..line.len() {
                for byte in 0..=255 {
                    all += 1;
                    let mut changed = line.to_vec();
                    changed[at] = byte;
                    if let Some((id, op)) = plain_request(&changed) {
                        plain += 1;
                        let slow: Request = serde_json::from_slice(&changed).unwrap();
                        assert_eq!((slow.id, slow.op), (id.into(), op));
                    }
                }
            }
        }
        assert!(plain > 500 && all > 10 * plain, "{plain} of {all}");
    }
}
