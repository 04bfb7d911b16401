//! A bot that answers at once. Its argument says what it wants: `none` (it follows the game by
//! itself and plays at random), `legal` or `all` (it plays the first legal move). Lines are taken
//! apart by hand, as little as possible.

use std::io::{self, BufRead, Write};

use games::{Rng, Session};
use serde_json::Value;

fn main() -> io::Result<()> {
    let wants = std::env::args().nth(1).unwrap_or_default();
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let (mut line, mut answer) = (String::new(), String::new());
    let mut session: Option<Box<dyn Session>> = None;
    let mut rng = Rng::new(1);
    loop {
        line.clear();
        answer.clear();
        if input.read_line(&mut line)? == 0 || line.starts_with(r#"{"type":"quit"#) {
            return Ok(());
        }
        if line.starts_with(r#"{"type":"turn"#) {
            let mv = match (&*wants, &mut session) {
                ("none", Some(session)) => {
                    follow(&mut **session, &line);
                    session.random_move(&mut rng).expect("a move")
                }
                _ => after(&line, r#""legal":[""#).to_owned(),
            };
            let ply = line.split(r#""ply":"#).nth(1).unwrap_or_default();
            let ply = ply.split([',', '}']).next().unwrap_or_default();
            answer.push_str(r#"{"type":"move","move":""#);
            answer.push_str(&mv);
            answer.push_str(r#"","ply":"#);
            answer.push_str(ply);
            answer.push_str("}\n");
        } else if line.starts_with(r#"{"type":"start"#) {
            session = (wants == "none").then(|| begin(&line));
            answer.push_str("{\"type\":\"ready\"}\n");
        } else if line.starts_with(r#"{"type":"hello"#) {
            let (state, legal) = (wants == "all", wants != "none");
            answer.push_str(&format!(
                "{{\"type\":\"hello\",\"protocol\":1,\"name\":\"instant\",\
                 \"wants\":{{\"state\":{state},\"legal\":{legal}}}}}\n"
            ));
        }
        output.write_all(answer.as_bytes())?;
        output.flush()?;
    }
}

fn begin(start: &str) -> Box<dyn Session> {
    let start: Value = serde_json::from_str(start).expect("the referee speaks JSON");
    let game = games::find(start["game"].as_str().expect("a game")).expect("a known game");
    let rules = game.configure(&start["options"]).expect("its options");
    rules.load(&start["state"]).expect("its state")
}

/// Plays what was played since.
fn follow(session: &mut dyn Session, turn: &str) {
    for piece in turn.split(r#""move":""#).skip(1) {
        let mv = piece.split('"').next().unwrap_or_default();
        session.play(mv).expect("a legal move");
    }
}

/// What follows a text up to the next quote.
fn after<'a>(line: &'a str, text: &str) -> &'a str {
    let rest = line.split(text).nth(1).unwrap_or_default();
    rest.split('"').next().unwrap_or_default()
}
