//! A whole match, position by position: the value of each, and the loss of each ply.

use arbiter::adjudication::FORFEIT;
use protocol::{LoggedMove, MoveAnalysis, MoveText, Record};

use super::{AnalysedPosition, Thought};

/// A bot's analysis of a position of a match, and of the ply made there.
#[derive(Clone, Debug)]
pub struct PlyAnalysis {
    /// Plies made before.
    pub ply: usize,
    /// The seat to move and the bot's analysis, or why there is none.
    pub thought: Result<(usize, Thought), String>,
    /// The value of the best line minus what the seat could expect after its ply. `None` if that is
    /// unknown, or if nobody chose the ply.
    pub loss: Option<f64>,
}

impl PlyAnalysis {
    /// The expectation of a seat. With more than two seats, only that of the seat to move is known.
    pub fn value_for(&self, seat: usize, seats: usize) -> Option<f64> {
        let (mover, thought) = self.thought.as_ref().ok()?;
        let value = thought.best_value()?;
        match seats {
            _ if *mover == seat => Some(value),
            2 => Some(rounded(1.0 - value)),
            _ => None,
        }
    }
}

/// Bots report no more digits, and neither should differences.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Judges the plies of a match by a bot's analyses of its positions, which begin with the one after
/// `first` plies.
pub fn each_ply(
    record: &Record,
    first: usize,
    thoughts: Vec<Result<(usize, Thought), String>>,
) -> Vec<PlyAnalysis> {
    let unjudged = |(index, thought)| PlyAnalysis {
        ply: first + index,
        thought,
        loss: None,
    };
    let mut plies: Vec<PlyAnalysis> = thoughts.into_iter().enumerate().map(unjudged).collect();
    for index in 0..plies.len() {
        plies[index].loss = loss(record, &plies[index], plies.get(index + 1));
    }
    plies
}

/// The loss of the ply made in a position.
fn loss(record: &Record, here: &PlyAnalysis, next: Option<&PlyAnalysis>) -> Option<f64> {
    let (mover, thought) = here.thought.as_ref().ok()?;
    let made = record.moves.get(here.ply)?;
    if made.seat != Some(*mover) || made.forced {
        return None;
    }
    let best = thought.best_value()?;
    if thought.best_move() == Some(&made.mv) {
        return Some(0.0);
    }
    let after =
        value_after(record, here.ply, *mover, next).or_else(|| thought.value_of(&made.mv))?;
    Some(rounded((best - after).max(0.0)))
}

/// A seat's expectation after its ply: from the next position or, if the game was over, from the
/// result. The result of a match that was cut short by a fault or an agreement says nothing about its
/// last ply.
fn value_after(
    record: &Record,
    ply: usize,
    seat: usize,
    next: Option<&PlyAnalysis>,
) -> Option<f64> {
    let is_last = ply + 1 == record.moves.len();
    match next {
        Some(next) => next.value_for(seat, record.players.len()),
        None if is_last && record.result.reason != FORFEIT => {
            record.result.outcome.get(seat).copied()
        }
        None => None,
    }
}

/// Sorts the analyses of positions, in which the bots alternate, by bot.
pub fn by_bot(
    positions: &[Result<AnalysedPosition<'_>, String>],
    thoughts: Vec<Thought>,
    bots: usize,
) -> Vec<Vec<Result<(usize, Thought), String>>> {
    let mut thoughts = thoughts.into_iter();
    let mut by_bot = vec![Vec::new(); bots];
    for position in positions {
        for plies in &mut by_bot {
            plies.push(match position {
                Ok(position) => Ok((position.seat, thoughts.next().unwrap_or_default())),
                Err(why) => Err(why.clone()),
            });
        }
    }
    by_bot
}

/// A copy of a match with the bots' analyses of each ply.
pub fn with_analysis(record: &Record, bots: &[(&str, &[PlyAnalysis])]) -> Record {
    let mut copy = record.clone();
    for (ply, made) in copy.moves.iter_mut().enumerate() {
        let entries = bots.iter().filter_map(|(bot, plies)| {
            let here = plies.iter().find(|here| here.ply == ply)?;
            entry(bot, here, made)
        });
        made.analysis = entries.collect();
    }
    copy
}

fn entry(bot: &str, here: &PlyAnalysis, made: &LoggedMove) -> Option<MoveAnalysis> {
    let (mover, thought) = here.thought.as_ref().ok()?;
    let is_known = thought.best_value().is_some() || thought.best_move().is_some();
    if made.seat != Some(*mover) || !is_known {
        return None;
    }
    let line = thought.lines.first().map(|line| line.pv.clone());
    let own = || thought.mv.iter().cloned().collect::<Vec<MoveText>>();
    Some(MoveAnalysis {
        bot: bot.to_owned(),
        value: thought.best_value(),
        line: line.unwrap_or_else(own),
        loss: here.loss,
    })
}

#[cfg(test)]
mod tests {
    use protocol::SearchLine;
    use serde_json::json;

    use super::*;

    /// A match of these plies, each by the given seat, won by seat 0.
    fn record(seats: usize, plies: &[(usize, &str)], reason: &str) -> Record {
        let player = json!({"name": "x", "role": "y", "command": []});
        let moves = plies
            .iter()
            .map(|(seat, mv)| json!({"seat": seat, "move": mv}));
        let mut outcome = vec![0.0; seats];
        outcome[0] = 1.0;
        let record = json!({
            "format": 1, "match": "m-000001", "game": "x", "options": {}, "seed": 1, "start": {},
            "players": vec![player; seats],
            "time": {"startup_ms": 1, "margin_ms": 1}, "limits": {}, "opening": 0,
            "moves": moves.collect::<Vec<_>>(),
            "result": {"scores": vec![0; seats], "outcome": outcome, "reason": reason},
            "started": "", "duration_ms": 1, "referee": "",
        });
        serde_json::from_value(record).unwrap()
    }

    fn thinks(seat: usize, lines: &[(f64, &str)]) -> Result<(usize, Thought), String> {
        let line = |(value, mv): &(f64, &str)| SearchLine {
            value: Some(*value),
            pv: vec![(*mv).into()],
            ..SearchLine::default()
        };
        let lines = lines.iter().map(line).collect();
        Ok((
            seat,
            Thought {
                lines,
                ..Thought::default()
            },
        ))
    }

    fn losses(record: &Record, thoughts: Vec<Result<(usize, Thought), String>>) -> Vec<String> {
        let plies = each_ply(record, 0, thoughts);
        let in_words = |loss: Option<f64>| loss.map_or("?".to_owned(), |loss| format!("{loss:.2}"));
        plies.into_iter().map(|ply| in_words(ply.loss)).collect()
    }

    #[test]
    fn a_loss_is_seen_from_the_seat_that_made_the_ply() {
        let match_of_two = record(2, &[(0, "a"), (1, "b"), (1, "c"), (0, "d")], "won");
        let thoughts = vec![
            thinks(0, &[(0.9, "x")]),
            // Seat 0 keeps 0.4 of its 0.9.
            thinks(1, &[(0.6, "b")]),
            // The best move loses nothing by definition, even if later analysis disagrees. The same
            // seat is to move again.
            thinks(1, &[(0.7, "x")]),
            // Seat 1 keeps 0.2 of 0.7. The last ply wins, and 0.8 is not more than 1.
            thinks(0, &[(0.8, "x")]),
        ];
        assert_eq!(
            losses(&match_of_two, thoughts),
            ["0.50", "0.00", "0.50", "0.00"]
        );
    }

    #[test]
    fn the_result_says_nothing_of_the_last_ply_if_the_game_was_not_over() {
        let won = record(2, &[(1, "a")], "won");
        assert_eq!(losses(&won, vec![thinks(1, &[(0.5, "x")])]), ["0.50"]);
        let forfeit = record(2, &[(1, "a")], "forfeit");
        assert_eq!(losses(&forfeit, vec![thinks(1, &[(0.5, "x")])]), ["?"]);
        let thoughts = vec![thinks(1, &[(0.5, "x")]), thinks(0, &[(0.75, "x")])];
        assert_eq!(losses(&forfeit, thoughts.clone()), ["0.25", "?"]);
        // They agreed that seat 0 won, and the game was not over.
        assert_eq!(losses(&won, thoughts), ["0.25", "?"]);
    }

    #[test]
    fn with_three_seats_the_lines_of_the_position_say_what_was_lost() {
        let three = record(3, &[(0, "b"), (1, "z"), (2, "a")], "won");
        let thoughts = vec![
            thinks(0, &[(0.9, "a"), (0.6, "b")]),
            thinks(1, &[(0.9, "a"), (0.6, "b")]),
            Err("nobody thought".to_owned()),
        ];
        assert_eq!(losses(&three, thoughts), ["0.30", "?", "?"]);
    }

    #[test]
    fn plies_that_nobody_chose_lose_nothing() {
        let mut forced = record(2, &[(0, "a"), (1, "b")], "won");
        forced.moves[0].forced = true;
        forced.moves[1].seat = None;
        let thoughts = vec![thinks(0, &[(0.9, "x")]), thinks(1, &[(0.9, "x")])];
        assert_eq!(losses(&forced, thoughts), ["?", "?"]);
    }

    #[test]
    fn a_copy_has_what_all_bots_thought() {
        let played = record(2, &[(0, "a"), (1, "b")], "won");
        let one = each_ply(
            &played,
            0,
            vec![thinks(0, &[(0.9, "a")]), Err("no".to_owned())],
        );
        let other = each_ply(&played, 1, vec![thinks(1, &[(0.1, "c")])]);
        let copy = with_analysis(&played, &[("one", &one), ("other", &other)]);
        let bots = |ply: usize| -> Vec<&str> {
            copy.moves[ply]
                .analysis
                .iter()
                .map(|entry| &*entry.bot)
                .collect()
        };
        assert_eq!((bots(0), bots(1)), (vec!["one"], vec!["other"]));
        let line: serde_json::Value = serde_json::from_str(&copy.to_line()).unwrap();
        let expected = json!([{"bot": "one", "value": 0.9, "line": ["a"], "loss": 0.0}]);
        assert_eq!(line["moves"][0]["analysis"], expected);
    }
}
