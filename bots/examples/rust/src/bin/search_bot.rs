//! Plays every game without knowing a rule: Monte Carlo tree search on the referee's forward
//! model. (With the crates `games` and `bots` a bot in Rust can have the rules themselves.)

use std::env;
use std::error::Error;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use ladder::json::Json;

/// Random games stop after this many plies: longer ones say less.
const HORIZON: f64 = 80.0;
/// Random games at a time.
const BATCH: f64 = 4.0;
/// After this many games with a move, the replies to it are searched, too.
const READY: f64 = 8.0;
/// How much moves that were tried less are preferred.
const CURIOSITY: f64 = 0.4;

type Done<T> = Result<T, Box<dyn Error>>;

/// `referee model` as a child process, which holds one position.
struct Model {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Model {
    /// The referee gives its bots its own path in REFEREE; otherwise it must be on the PATH.
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

    /// Asks something after these moves, and takes them back. Gives the seat to move there, too.
    /// All is sent before anything is read, which saves waiting.
    fn after<T>(
        &mut self,
        moves: &[String],
        request: &str,
        read: impl FnOnce(&Json) -> Option<T>,
    ) -> Done<(usize, T)> {
        let (count, quoted) = (moves.len(), moves.join("\",\""));
        let list = if count == 0 {
            String::new()
        } else {
            format!("\"{quoted}\"")
        };
        self.send(&format!(
            "{{\"op\":\"play\",\"moves\":[{list}]}}\n{request}\n{{\"op\":\"undo\",\"count\":{count}}}\n"
        ))?;
        // If nobody is to move, the game is over.
        let seat = |position: &Json| Some(position.get("to_move")?.number().unwrap_or(0.0));
        let seat = self.receive(seat)? as usize;
        let answer = self.receive(read)?;
        self.receive(|_| Some(()))?;
        Ok((seat, answer))
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn outcome(value: &Json) -> Vec<f64> {
    value.items().iter().filter_map(Json::number).collect()
}

/// A move, what games after it came to for the seat that made it, and the answers to it.
struct Node {
    mv: String,
    seat: usize,
    sum: f64,
    games: f64,
    children: Vec<Node>,
}

impl Node {
    /// The child to try next: a good one, or one that is not known well (UCB1).
    fn pick(&self) -> usize {
        let total: f64 = self.children.iter().map(|child| child.games).sum();
        let total = (total + 1.0).ln();
        self.best(|child| {
            // As if half a game more had been won and half a game lost.
            let mean = (child.sum + 0.5) / (child.games + 1.0);
            mean + CURIOSITY * (total / child.games).sqrt()
        })
    }

    /// The child that is worth most.
    fn best(&self, worth: impl Fn(&Node) -> f64) -> usize {
        let worths = self.children.iter().map(worth).enumerate();
        let best = worths.max_by(|(_, a), (_, b)| a.total_cmp(b));
        best.map_or(0, |(index, _)| index)
    }

    /// Gives the node its children, each of which begins with one random game.
    fn expand(&mut self, model: &mut Model, moves: &[String]) -> Done<()> {
        let request = format!(r#"{{"op":"playouts","count":1,"seed":{}}}"#, self.games);
        let (seat, means) = model.after(moves, &request, |answer| {
            let fields = answer.get("moves")?.fields().iter();
            let means = fields.map(|(mv, value)| (mv.clone(), outcome(value)));
            Some(means.collect::<Vec<_>>())
        })?;
        let child = |(mv, outcome): (String, Vec<f64>)| Node {
            mv,
            seat,
            sum: outcome[seat],
            games: 1.0,
            children: Vec::new(),
        };
        self.children = means.into_iter().map(child).collect();
        Ok(())
    }

    /// Follows the most promising moves, plays on at random, and remembers what that gave.
    fn try_line(
        &mut self,
        model: &mut Model,
        moves: &mut Vec<String>,
        seed: f64,
    ) -> Done<Vec<f64>> {
        let outcome = if self.children.is_empty() {
            if self.games >= READY {
                self.expand(model, moves)?;
            }
            let request = format!(r#"{{"op":"playout","count":{BATCH},"seed":{seed}}}"#);
            let read = |answer: &Json| Some(outcome(answer.get("outcome")?));
            model.after(moves, &request, read)?.1
        } else {
            let next = self.pick();
            let child = &mut self.children[next];
            moves.push(child.mv.clone());
            child.try_line(model, moves, seed)?
        };
        self.sum += BATCH * outcome[self.seat];
        self.games += BATCH;
        Ok(outcome)
    }
}

/// What `start` said.
struct Match {
    game: String,
    options: String,
    seat: usize,
    max_plies: f64,
}

impl Match {
    fn read(start: &Json) -> Option<Self> {
        let limit = start
            .get("limits")
            .and_then(|limits| limits.get("max_plies"));
        Some(Match {
            game: start.get("game")?.text()?.to_owned(),
            options: start
                .get("options")
                .map_or("{}", |value| value.raw)
                .to_owned(),
            seat: start.get("seat")?.number()? as usize,
            max_plies: limit.and_then(Json::number).unwrap_or(f64::INFINITY),
        })
    }

    /// What to spend on a move: a safe part of what is allowed.
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
            "{{\"op\":\"new\",\"game\":\"{}\",\"options\":{},\"state\":{},\"max_plies\":{}}}\n",
            self.game,
            self.options,
            field("state")?.raw,
            self.max_plies.min(ply + HORIZON)
        ))?;
        model.receive(|_| Some(()))?;
        let mut root = Node {
            mv: String::new(),
            seat: self.seat,
            sum: 0.0,
            games: 0.0,
            children: Vec::new(),
        };
        root.expand(model, &[])?;
        let mut playouts = root.children.len() as f64;
        while root.children.len() > 1 && Instant::now() < end {
            root.try_line(model, &mut Vec::new(), playouts)?;
            playouts += BATCH;
        }
        let best = &root.children[root.best(|child| child.games)];
        let (mv, value) = (&best.mv, best.sum / best.games);
        let info = format!(r#"{{"value":{value},"nodes":{playouts}}}"#);
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
