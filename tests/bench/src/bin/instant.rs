//! A bot that answers at once. Its argument says what it wants: `none` (it follows a game of Paper
//! Pen-guins by itself and plays at random), `legal` or `all` (it plays the first legal move of any
//! game). Lines are taken apart by hand, as little as possible. With a second argument, such as `1ms`, each
//! move takes that much CPU time.

use std::hint::spin_loop;
use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

use games::rules::paper_penguins::PaperPenguins;
use games::{Game, Options, Rng};
use serde_json::Value;

/// The prefix of a `turn`; its ply follows.
const TURN: &str = r#"{"type":"turn","ply":"#;

/// The key before a move.
const MOVE: &str = r#""move":""#;

fn main() -> io::Result<()> {
    let wants = std::env::args().nth(1).unwrap_or_default();
    let milliseconds = std::env::args().nth(2);
    let milliseconds = milliseconds.map_or(0, |text| {
        let number = text
            .strip_suffix("ms")
            .and_then(|number| number.parse().ok());
        number.expect("milliseconds, as in `1ms`")
    });
    let think = Duration::from_millis(milliseconds);
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let (mut line, mut answer) = (String::new(), String::new());
    let mut follower = Follower::new();
    loop {
        line.clear();
        answer.clear();
        if input.read_line(&mut line)? == 0 || line.starts_with(r#"{"type":"quit"#) {
            return Ok(());
        }
        if let Some(turn) = line.strip_prefix(TURN) {
            if !think.is_zero() {
                let begin = Instant::now();
                while begin.elapsed() < think {
                    spin_loop();
                }
            }
            let ply = turn.split(',').next().unwrap_or_default();
            answer.push_str(r#"{"type":"move","move":""#);
            match &*wants {
                "none" => follower.answer(turn, &mut answer),
                _ => answer.push_str(first_legal(turn)),
            }
            answer.push_str(r#"","ply":"#);
            answer.push_str(ply);
            answer.push_str("}\n");
        } else if line.starts_with(r#"{"type":"start"#) {
            if wants == "none" {
                follower.begin(&line);
            }
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

fn first_legal(turn: &str) -> &str {
    let (_, list) = turn.split_once(r#""legal":[""#).unwrap_or_default();
    list.split('"').next().unwrap_or_default()
}

struct Follower {
    game: PaperPenguins,
    /// The game's; making a board takes as long as many moves.
    options: Value,
    position: <PaperPenguins as Game>::Position,
    rng: Rng,
    scratch: Vec<<PaperPenguins as Game>::Move>,
}

impl Follower {
    fn new() -> Self {
        let options = Options::defaults_of::<PaperPenguins>();
        let game = PaperPenguins::new(&options).expect("the defaults");
        let mut rng = Rng::new(1);
        Follower {
            position: game.start(&mut rng),
            game,
            options: Value::Null,
            rng,
            scratch: Vec::new(),
        }
    }

    fn begin(&mut self, start: &str) {
        let start: Value = serde_json::from_str(start).expect("the referee speaks JSON");
        if self.options != start["options"] {
            self.options = start["options"].clone();
            let options = Options::of::<PaperPenguins>(&self.options).expect("options");
            self.game = PaperPenguins::new(&options).expect("its options");
        }
        self.position = self.game.load(&start["state"]).expect("its state");
    }

    /// Follows the plies since the last turn, and appends a random move.
    fn answer(&mut self, turn: &str, out: &mut String) {
        let mut rest = turn;
        while let Some(begin) = rest.find(MOVE) {
            rest = &rest[begin + MOVE.len()..];
            let end = rest.find('"').unwrap_or(rest.len());
            let mv = self.game.parse_move(&rest[..end]).expect("a move");
            self.game.play_unchecked(&mut self.position, mv);
        }
        let mv = self
            .game
            .random_move(&self.position, &mut self.rng, &mut self.scratch);
        self.game.write_move(mv, out);
    }
}
