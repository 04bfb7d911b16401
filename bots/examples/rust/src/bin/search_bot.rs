//! Plays every game without knowing a rule: a best-first search on the referee's forward model, which
//! says in one answer what all moves lead to and what that is worth. (With the crates `games` and
//! `bots` a bot in Rust can have the rules themselves.)

use std::env;
use std::error::Error;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use ladder::json::Json;

/// Exploration constant: larger values favour moves that were tried less.
const CURIOSITY: f64 = 0.1;

type Done<T> = Result<T, Box<dyn Error>>;

/// `referee model` as a child process, which holds one position.
struct Model {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Model {
    /// The referee passes its own path in REFEREE; otherwise it must be on the PATH.
    fn start() -> Done<Self> {
        let program = env::var_os("REFEREE").unwrap_or("referee".into());
        let mut process = Command::new(program)
            .arg("model")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let requests = process.stdin.take().ok_or("no stdin")?;
        let answers = BufReader::new(process.stdout.take().ok_or("no stdout")?);
        Ok(Model {
            process,
            requests,
            answers,
        })
    }

    /// Sends one or more requests, a line each.
    fn send(&mut self, requests: &str) -> Done<()> {
        Ok(self.requests.write_all(requests.as_bytes())?)
    }

    /// Hands the next answer on.
    fn receive<T>(&mut self, read: impl FnOnce(&Json) -> Option<T>) -> Done<T> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let answer = Json::parse(&line).ok_or("the forward model has ended")?;
        let ok = answer.get("ok").and_then(read);
        Ok(ok.ok_or_else(|| format!("the forward model says {line}"))?)
    }

    /// All legal moves after these moves, which are taken back, with what they lead to. All is sent
    /// before anything is read, which saves waiting.
    fn children_after(&mut self, moves: &[String], seat: usize) -> Done<Vec<Node>> {
        let count = moves.len();
        let list: Vec<String> = moves.iter().map(|mv| format!("\"{mv}\"")).collect();
        let list = list.join(",");
        self.send(&format!(
            "{{\"op\":\"play\",\"moves\":[{list}]}}\n\
             {{\"op\":\"children\",\"want\":[\"value\"]}}\n\
             {{\"op\":\"undo\",\"count\":{count}}}\n"
        ))?;
        self.receive(|_| Some(()))?;
        let children = self.receive(|answer| {
            let children = answer.get("children")?.items().iter();
            children
                .map(|child| Node::read(child.get("move")?.text()?, seat, child))
                .collect()
        })?;
        self.receive(|_| Some(()))?;
        Ok(children)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A move of a seat, the position after it, and the answers to it.
struct Node {
    mv: String,
    seat: usize,
    /// `None` when the game is over.
    to_move: Option<usize>,
    /// Expected outcome for each seat.
    values: Vec<f64>,
    /// Sum over all visits of the outcome for the seat that moves there.
    sum: f64,
    looks: f64,
    children: Vec<Node>,
}

impl Node {
    fn read(mv: &str, seat: usize, position: &Json) -> Option<Self> {
        let values = position.get("value")?.items().iter();
        let values: Vec<f64> = values.filter_map(Json::number).collect();
        let to_move = position.get("to_move")?.number();
        Some(Node {
            mv: mv.to_owned(),
            seat,
            to_move: to_move.map(|seat| seat as usize),
            sum: *values.get(seat)?,
            values,
            looks: 1.0,
            children: Vec::new(),
        })
    }

    /// The child to try next: a good one, or one that is not known well (UCB1).
    fn pick(&self) -> usize {
        let total: f64 = self.children.iter().map(|child| child.looks).sum();
        let total = (total + 1.0).ln();
        self.best(|child| child.sum / child.looks + CURIOSITY * (total / child.looks).sqrt())
    }

    /// The child that is worth most.
    fn best(&self, worth: impl Fn(&Node) -> f64) -> usize {
        let worths = self.children.iter().map(worth).enumerate();
        let best = worths.max_by(|(_, a), (_, b)| a.total_cmp(b));
        best.map_or(0, |(index, _)| index)
    }

    /// Follows the most promising moves, looks at all answers to the last one, and remembers what the
    /// best of them leads to.
    fn try_line(&mut self, model: &mut Model, moves: &mut Vec<String>) -> Done<Vec<f64>> {
        let values = match (self.children.is_empty(), self.to_move) {
            (true, None) => self.values.clone(),
            (true, Some(seat)) => {
                self.children = model.children_after(moves, seat)?;
                self.children[self.best(|child| child.sum)].values.clone()
            }
            (false, _) => {
                let next = self.pick();
                let child = &mut self.children[next];
                moves.push(child.mv.clone());
                child.try_line(model, moves)?
            }
        };
        self.sum += values[self.seat];
        self.looks += 1.0;
        Ok(values)
    }
}

/// The match, as the `start` message describes it.
struct Match {
    game: String,
    options: String,
    seat: usize,
}

impl Match {
    fn read(start: &Json) -> Option<Self> {
        Some(Match {
            game: start.get("game")?.text()?.to_owned(),
            options: start
                .get("options")
                .map_or("{}", |value| value.raw)
                .to_owned(),
            seat: start.get("seat")?.number()? as usize,
        })
    }

    /// Time to spend on a move: a safe part of the clock.
    fn budget(&self, clock: &Json) -> Duration {
        let number = |key| clock.get(key).and_then(Json::number);
        let usable = |limit: f64| (0.8 * limit - 10.0).max(0.0);
        let left = clock
            .get("remaining_ms")
            .and_then(|left| left.items().get(self.seat)?.number());
        let increment = 0.8 * number("increment_ms").unwrap_or(0.0);
        // As if 25 moves were still to come.
        let part = |left: f64| (usable(left) / 25.0 + increment).min(usable(left));
        let limits = [number("move_ms").map(usable), left.map(part)];
        let budget = limits.into_iter().flatten().reduce(f64::min);
        Duration::from_secs_f64(budget.unwrap_or(1000.0) / 1000.0)
    }

    /// The answer to a turn.
    fn choose(&self, model: &mut Model, turn: &Json, began: Instant) -> Done<String> {
        let field = |key| turn.get(key).ok_or("a turn without all its fields");
        let end = began + self.budget(field("clock")?);
        let ply = field("ply")?.number().unwrap_or(0.0);
        model.send(&format!(
            "{{\"op\":\"new\",\"game\":\"{}\",\"options\":{},\"state\":{},\"want\":[\"value\"]}}\n",
            self.game,
            self.options,
            field("state")?.raw,
        ))?;
        let mut root = model.receive(|position| Node::read("", self.seat, position))?;
        root.try_line(model, &mut Vec::new())?;
        let mut tried = 0;
        while root.children.len() > 1 && Instant::now() < end {
            root.try_line(model, &mut Vec::new())?;
            tried += 1;
        }
        // Of those that were looked at as often, the better one.
        let best = root.best(|child| child.looks + child.sum / child.looks / 2.0);
        let best = &root.children[best];
        let (mv, value) = (&best.mv, best.sum / best.looks);
        let info = format!(r#"{{"value":{value},"nodes":{tried}}}"#);
        Ok(format!(
            r#"{{"type":"move","move":"{mv}","ply":{ply},"info":{info}}}"#
        ))
    }
}

fn main() -> Done<()> {
    let mut model = Model::start()?;
    let mut game = None;
    for line in io::stdin().lines() {
        let (line, began) = (line?, Instant::now());
        let message = Json::parse(&line).ok_or("the referee sent a line that is not JSON")?;
        let text = |key| message.get(key).and_then(Json::text).unwrap_or_default();
        match (text("type"), &game) {
            ("hello", _) => println!(
                r#"{{"type":"hello","protocol":1,"name":"search-rust","wants":{{"state":true,"legal":false}}}}"#
            ),
            ("start", _) => {
                game = Match::read(&message);
                println!(r#"{{"type":"ready"}}"#);
            }
            ("turn", Some(game)) => println!("{}", game.choose(&mut model, &message, began)?),
            ("error", _) => eprintln!("lost by {}: {}", text("code"), text("message")),
            ("quit", _) => break,
            _ => {}
        }
    }
    Ok(())
}
