//! Plays every game one ply ahead, from nothing but `state` and `legal`.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, BufRead, Write};

use ladder::json::Json;

/// The cells that a move names: a letter and a number each.
fn cells(mv: &str) -> Vec<&str> {
    let bytes = mv.as_bytes();
    let starts = (1..bytes.len())
        .filter(|&i| bytes[i - 1].is_ascii_lowercase() && bytes[i].is_ascii_digit());
    let cell = |i: usize| {
        let digits = bytes[i..].iter().take_while(|b| b.is_ascii_digit());
        &mv[i - 1..i + digits.count()]
    };
    starts.map(cell).collect()
}

/// The fish or points of a cell, in games that have them: rows of digits, the top row first.
fn points(state: &Json, cell: &str) -> u32 {
    let rows = state.get("fish").or(state.get("points"));
    let rows = rows.map_or(&[][..], Json::items);
    let column = usize::from(cell.as_bytes()[0] - b'a');
    let number = cell[1..].parse().ok();
    let row = number.and_then(|number| rows.len().checked_sub(number));
    let row = row.and_then(|row| rows.get(row)?.text());
    let digit = row.and_then(|row| row.chars().nth(column));
    digit.and_then(|digit| digit.to_digit(10)).unwrap_or(0)
}

/// The merits of a move, most important first.
fn worth(state: &Json, mv: &str, named: &HashMap<&str, i32>) -> (usize, u32, i32) {
    let cells = cells(mv);
    // A move names the cell that it begins on, if there is one, then that where it goes.
    let target = cells.get(1).or(cells.first());
    let shot = if mv.contains('/') { cells.last() } else { None };
    (
        mv.matches(['x', '>']).count(),
        target.map_or(0, |cell| points(state, cell)),
        shot.map_or(0, |cell| -named[cell]),
    )
}

/// First what captures (`x`) or pushes (`>`) most, then the cell with the most points, then the
/// shot (`/`) at the cell that matters to the fewest moves. `None` where there is no move.
fn choose<'a>(state: &Json, legal: &[&'a str], random: usize) -> Option<&'a str> {
    let mut named = HashMap::new();
    for cell in legal.iter().flat_map(|mv| cells(mv)) {
        *named.entry(cell).or_default() += 1;
    }
    let worths: Vec<_> = legal.iter().map(|mv| worth(state, mv, &named)).collect();
    let highest = worths.iter().max()?;
    let equal = legal
        .iter()
        .zip(&worths)
        .filter(|(_, worth)| *worth == highest);
    let best: Vec<&str> = equal.map(|(mv, _)| *mv).collect();
    Some(best[random % best.len()])
}

/// A random number: hash maps have the standard library's one source of them.
fn random() -> usize {
    RandomState::new().build_hasher().finish() as usize
}

/// Answers the referee's messages until `quit` or the end of the input.
fn play(input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    for line in input.lines() {
        let line = line?;
        let Some(message) = Json::parse(&line) else {
            continue;
        };
        let text = |key| message.get(key).and_then(Json::text).unwrap_or_default();
        match text("type") {
            "hello" => writeln!(
                output,
                r#"{{"type":"hello","protocol":1,"name":"one-ply-rust"}}"#
            )?,
            "start" => writeln!(output, r#"{{"type":"ready"}}"#)?,
            "turn" => {
                let (Some(state), Some(legal)) = (message.get("state"), message.get("legal"))
                else {
                    continue;
                };
                let legal: Vec<&str> = legal.items().iter().filter_map(Json::text).collect();
                let mv = choose(state, &legal, random()).unwrap_or_default();
                let ply = message.get("ply").map_or("0", |ply| ply.raw);
                writeln!(output, r#"{{"type":"move","move":"{mv}","ply":{ply}}}"#)?;
            }
            "error" => eprintln!("lost by {}: {}", text("code"), text("message")),
            "quit" => break,
            _ => {}
        }
        // Not a detail: a message that waits in a buffer is a timeout.
        output.flush()?;
    }
    Ok(())
}

fn main() -> io::Result<()> {
    play(io::stdin().lock(), io::stdout().lock())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(state: &str, legal: &[&str], expected: &str) {
        let state = Json::parse(state).unwrap();
        assert_eq!(choose(&state, legal, random()), Some(expected));
    }

    #[test]
    fn captures_and_pushes_come_first() {
        check("{}", &["c1-c2", "c3xe3", "c3xe3xg5"], "c3xe3xg5");
        check("{}", &["+c1n", "c1-out", "c2>c3"], "c2>c3");
    }

    #[test]
    fn then_the_most_fish() {
        let fish = r#"{"fish": ["132", "11", "12."]}"#;
        check(fish, &["a1-b1", "a1-c3", "a1-b3", "a1-c1"], "a1-b3");
        check(fish, &["a1", "b1", "c1"], "b1");
    }

    #[test]
    fn then_the_loneliest_shot() {
        check("{}", &["a1-b1/b2", "a1-b2/b1", "a1-b1/c7"], "a1-b1/c7");
    }

    #[test]
    fn a_match_is_answered() {
        let input = r#"{"type":"hello","protocol":1,"referee":"referee 0.1.0"}
{"type":"start","match":"m-000001","game":"run","seat":0}
{"type":"turn","ply":4,"moves":[],"state":{},"legal":["e4-e5"],"clock":{}}
{"type":"end","moves":[],"result":{}}
{"type":"quit"}
"#;
        let mut output = Vec::new();
        play(input.as_bytes(), &mut output).unwrap();
        let output = String::from_utf8(output).unwrap();
        let answers: Vec<&str> = output.lines().collect();
        assert_eq!(answers.len(), 3);
        assert_eq!(answers[1], r#"{"type":"ready"}"#);
        assert_eq!(answers[2], r#"{"type":"move","move":"e4-e5","ply":4}"#);
    }
}
