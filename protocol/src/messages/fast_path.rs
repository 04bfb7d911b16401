//! The fast path for `turn` and `move`, of which there is one a ply: in their usual form they are written
//! and read without serde, in a fraction of the time. Everything else is left to serde.

use serde::Serialize;

use crate::json::scanner;
use crate::json::scanner::Scanner;
use crate::json::state::StateJson;
use crate::messages::{BotMove, Turn};

/// Appends a `turn` as a line, with the same bytes as serde would write.
pub(crate) fn write_turn(turn: &Turn, out: &mut Vec<u8>) {
    let mut digits = itoa::Buffer::new();
    out.extend_from_slice(br#"{"type":"turn","ply":"#);
    out.extend_from_slice(digits.format(turn.ply).as_bytes());
    out.extend_from_slice(br#","moves":["#);
    for (index, played) in turn.moves.iter().enumerate() {
        out.extend_from_slice(if index > 0 {
            br#",{"seat":"#
        } else {
            br#"{"seat":"#
        });
        match played.seat {
            Some(seat) => out.extend_from_slice(digits.format(seat).as_bytes()),
            None => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(br#","move":"#);
        if is_plain(played.mv.as_bytes()) {
            quote(&played.mv, out);
        } else {
            write_json(&played.mv, out);
        }
        out.push(b'}');
    }
    out.push(b']');
    if let Some(sees) = &turn.sees {
        out.extend_from_slice(br#","sees":"#);
        write_json(sees, out);
    }
    if let Some(state) = &turn.state {
        out.extend_from_slice(br#","state":"#);
        match state {
            StateJson::Tree(state) => write_json(state, out),
            StateJson::Text(state) => out.extend_from_slice(state.as_bytes()),
        }
    }
    if let Some(observation) = &turn.observation {
        out.extend_from_slice(br#","observation":"#);
        write_json(observation, out);
    }
    if let Some(legal) = &turn.legal {
        out.extend_from_slice(br#","legal":"#);
        if is_plain(legal.text().as_bytes()) {
            out.push(b'[');
            for (index, mv) in legal.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                quote(mv, out);
            }
            out.push(b']');
        } else {
            write_json(legal, out);
        }
    }
    out.extend_from_slice(br#","clock":"#);
    write_json(&turn.clock, out);
    if !turn.offers.is_empty() {
        out.extend_from_slice(br#","offers":"#);
        write_json(&turn.offers, out);
    }
    if let Some(lines) = turn.lines {
        out.extend_from_slice(br#","lines":"#);
        out.extend_from_slice(digits.format(lines).as_bytes());
    }
    out.extend_from_slice(b"}\n");
}

fn write_json<T: Serialize>(value: &T, out: &mut Vec<u8>) {
    serde_json::to_writer(out, value).expect("messages have text keys only");
}

fn quote(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

/// True if JSON has a text as it is.
fn is_plain(text: &[u8]) -> bool {
    text.iter().all(|byte| scanner::is_plain(*byte))
}

/// Reads a `move` without `info` whose texts are plain. `None` for anything else, be it right or wrong.
pub(crate) fn read_move(line: &[u8]) -> Option<BotMove> {
    let mut scanner = Scanner::of_line(line)?;
    let (mut kind, mut mv, mut ply) = (None, None, None);
    scanner.object(|scanner, key| {
        let is_first = match key {
            "type" => kind.replace(scanner.text()?).is_none(),
            "move" => mv.replace(scanner.text()?).is_none(),
            "ply" => {
                let number = u32::try_from(scanner.number()?).ok()?;
                ply.replace(number).is_none()
            }
            _ => false,
        };
        is_first.then_some(())
    })?;
    scanner.end()?;
    let mv = mv.filter(|_| kind == Some("move"))?.into();
    let info = None;
    Some(BotMove { mv, ply, info })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::near_misses::near_misses;
    use crate::{ClockState, FromBot, Millis, Offer, PlayedMove, SeatOffer, ToBot};
    use serde_json::json;
    use std::time::Duration;

    fn in_both_forms(turn: u32, state: serde_json::Value) -> StateJson {
        if turn.is_multiple_of(2) {
            StateJson::Text(state.to_string().into())
        } else {
            state.into()
        }
    }

    #[test]
    fn turns_are_written_as_serde_does() {
        let plies = |moves: &[&str]| -> Vec<PlayedMove> {
            let plies = moves.iter().enumerate();
            let plies = plies.map(|(at, mv)| PlayedMove {
                // The third one is a draw of chance.
                seat: (at != 2).then_some(at),
                mv: (*mv).into(),
            });
            plies.collect()
        };
        let clock = ClockState {
            move_ms: Some(Millis(Duration::from_micros(1500))),
            remaining_ms: Some(vec![None, Some(Millis(Duration::from_secs(3)))]),
            increment_ms: None,
        };
        let mut turns = 0;
        let draw = SeatOffer {
            seat: 1,
            offer: Offer::Draw {},
        };
        let offers = [vec![], vec![draw]];
        for moves in [&[][..], &["a1"], &["a1-b2", "pass", "\"", "é\u{7}\\"]] {
            for legal in [None, Some(&[][..]), Some(&["a1", "b2"]), Some(&["a", "ö"])] {
                for state in [None, Some(json!({"ply": 3, "board": ["\"x", null]}))] {
                    for clock in [ClockState::default(), clock.clone()] {
                        let turn = ToBot::Turn(Box::new(Turn {
                            ply: 120 + turns,
                            moves: plies(moves),
                            sees: state.clone().map(|seen| vec![vec![seen], vec![]]),
                            state: state.clone().map(|state| in_both_forms(turns, state)),
                            observation: state.clone(),
                            legal: legal.map(|legal| legal.iter().copied().collect()),
                            clock,
                            offers: offers[turns as usize % 2].clone(),
                            lines: (turns % 3 > 0).then_some(turns),
                        }));
                        let line = serde_json::to_string(&turn).unwrap() + "\n";
                        assert_eq!(turn.to_line(), line);
                        turns += 1;
                    }
                }
            }
        }
        assert_eq!(turns, 48);
    }

    #[test]
    fn plain_moves_are_read() {
        for (line, mv, ply) in [
            (
                r#"{"type":"move","move":"d1-d7/g7","ply":0}"#,
                "d1-d7/g7",
                Some(0),
            ),
            (
                "{\"ply\" :\t12 , \"move\":\"\",\"type\": \"move\"} \r",
                "",
                Some(12),
            ),
            (r#"{"type":"move","move":"a1"}"#, "a1", None),
        ] {
            let read = read_move(line.as_bytes()).filter(|read| read.info.is_none());
            assert_eq!(
                read.map(|read| (read.mv, read.ply)),
                Some((mv.into(), ply)),
                "{line}"
            );
        }
    }

    /// Serde reads all accepted lines in the same way. Tried with all lines that are nearly moves.
    #[test]
    fn nothing_is_read_that_serde_would_not_read() {
        let lines = [
            r#"{"type":"move","move":"a1","ply":10}"#,
            r#"{"move": "c2>c3", "ply": 4294967295, "type": "move"}"#,
            r#"{"type":"move","ply":0,"ply":0,"move":"a"}"#,
            r#"{"type":"move","move":"a","info":{}}"#,
        ];
        let (mut fast, mut all) = (0, 0);
        let mut check = |line: &[u8]| {
            all += 1;
            if let Some(read) = read_move(line) {
                fast += 1;
                let slow = serde_json::from_slice::<FromBot>(line);
                let text = String::from_utf8_lossy(line);
                assert_eq!(slow.ok(), Some(FromBot::Move(read)), "{text}");
            }
        };
        for line in lines.map(str::as_bytes) {
            near_misses(line, &mut check);
        }
        assert!(fast > 1000 && all > 10 * fast, "{fast} of {all}");
    }
}
