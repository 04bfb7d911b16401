//! A bot that plays the first legal move, but misbehaves as its argument says. All its processes
//! end by themselves after a while, so that a failing referee does not block the machine.

mod assumptions;
mod foreseer;
mod forger;
mod lines;
mod onlooker;
mod processes;
mod redteam;
mod resources;
mod spy;

use std::io::{self, BufRead, Write};
use std::process::exit;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getppid};
use serde_json::{Value, json};

/// Misbehaviour during play starts with the bot's second turn, so that the fault has a ply.
const TURN: u32 = 2;
/// Maximum lifetime of any process.
const LIFETIME: Duration = Duration::from_secs(900);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let how = one_of(&arguments.next().unwrap_or_default());
    thread::spawn(|| {
        thread::sleep(LIFETIME);
        exit(99);
    });
    match how.as_str() {
        "exit-at-start" => exit(3),
        "deaf" => sleep_for_ever(),
        "ignores-term" => return processes::without_sigterm("stays"),
        "stops-supervisor-at-start" => signal_parent(Signal::SIGSTOP),
        "outside" => {
            let targets = arguments.next().expect("a file with targets");
            let command: Vec<String> = arguments.collect();
            let ran = redteam::outside::run(targets.as_ref(), &command);
            return ran.expect("what stands around a tournament");
        }
        "redteam-beside" => {
            let trick = arguments.next().expect("a trick");
            redteam::Raid::new(&trick).turn(&Value::Null);
            let error = processes::become_other(&arguments.collect::<Vec<_>>());
            panic!("no other bot: {error}");
        }
        "tricks" => return redteam::words().for_each(|word| println!("{word}")),
        "redteam" => {
            let trick = arguments.next().expect("a trick");
            return Bot::with_trick(&trick).run();
        }
        _ if processes::child(&how, arguments.next()) => return,
        _ => {}
    }
    Bot::new(how).run();
}

/// One of the comma-separated words, at random.
fn one_of(words: &str) -> String {
    let words: Vec<&str> = words.split(',').collect();
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let number = now.map_or(0, |now| now.subsec_micros() as usize) + std::process::id() as usize;
    words[number % words.len()].to_owned()
}

struct Bot {
    how: String,
    turns: u32,
    matches: u32,
    begun: Value,
    ponder: Option<resources::Ponder>,
    raid: Option<redteam::Raid>,
    witness: Option<redteam::witness::Witness>,
}

impl Bot {
    fn new(how: String) -> Self {
        Bot {
            ponder: (how == "ponders").then(resources::Ponder::start),
            raid: None,
            witness: (how == "witness").then(redteam::witness::Witness::new),
            how,
            turns: 0,
            matches: 0,
            begun: Value::Null,
        }
    }

    fn with_trick(trick: &str) -> Self {
        Bot {
            raid: Some(redteam::Raid::new(trick)),
            ..Bot::new("redteam".to_owned())
        }
    }

    fn run(&mut self) {
        assumptions::at_once(&self.how);
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            assumptions::read(&self.how, &line);
            let message: Value = serde_json::from_str(&line).expect("the referee speaks JSON");
            match message["type"].as_str() {
                Some("hello") if self.how == "speaks-first" => {}
                Some("hello") => self.hello(),
                Some("start") => {
                    self.begun = message.clone();
                    self.turns = 0;
                    self.matches += 1;
                    self.start();
                }
                Some("turn") => {
                    self.turns += 1;
                    self.turn(&message);
                }
                Some("end") => self.end(),
                Some("quit") => self.quit(),
                Some("error") if self.how == "answers-error" => say(&json!({"type": "ready"})),
                Some(kind) => assumptions::unknown(&self.how, kind),
                None => {}
            }
        }
        if ["stays", "close-stdin"].contains(&&*self.how) {
            sleep_for_ever();
        }
    }

    fn hello(&self) {
        let hello = json!({"type": "hello", "protocol": 1, "name": "hostile", "version": self.how});
        let with = |name: &str, value: Value| {
            let mut hello = hello.clone();
            hello[name] = value;
            say(&hello);
        };
        match self.how.as_str() {
            "no-hello" => sleep_for_ever(),
            "wrong-protocol" => with("protocol", json!(99)),
            "python-repr" => print(b"{'type': 'hello', 'protocol': 1, 'name': 'x'}\n"),
            "only-chess" => with("games", json!(["chess"])),
            "reads-what-it-refuses" => with("wants", json!({"state": false, "legal": false})),
            "only-siam" => with("games", json!(["siam"])),
            "giant-games" => with("games", json!(["x".repeat(900 << 10)])),
            "giant-version" => with("version", json!("1.\u{1b}[2J".repeat(90 << 10))),
            "hello-twice" => {
                say(&hello);
                say(&hello);
            }
            "exit-after-hello" => {
                say(&hello);
                exit(7);
            }
            _ => say(&hello),
        }
    }

    fn start(&self) {
        match self.how.as_str() {
            "no-ready" => sleep_for_ever(),
            "exit-before-ready" => exit(4),
            "exit-before-second-ready" if self.matches > 1 => exit(4),
            "ready-twice" => {
                say(&json!({"type": "ready"}));
                say(&json!({"type": "ready"}));
            }
            _ => say(&json!({"type": "ready"})),
        }
    }

    fn turn(&mut self, turn: &Value) {
        if let Some(witness) = &self.witness {
            witness.turn();
        }
        let mut answer = json!({"type": "move", "move": turn["legal"][0], "ply": turn["ply"]});
        if let Some(mv) = assumptions::instead(&self.how, &self.begun, turn, self.turns) {
            answer["move"] = mv;
        }
        if let Some(mv) = onlooker::instead(&self.how) {
            answer["move"] = mv;
        }
        if self.turns >= TURN {
            if let Some(text) = lines::instead(&self.how, &answer) {
                return print(&text);
            }
            self.misbehave(turn);
        }
        let reported = onlooker::info(&self.how, turn);
        if let Some(info) = reported.or_else(|| self.report()) {
            answer["info"] = info;
        }
        say(&answer);
        if self.turns >= TURN {
            self.afterwards(&answer);
        }
        if let Some(ponder) = &mut self.ponder {
            ponder.pause();
        }
    }

    fn misbehave(&self, turn: &Value) {
        match self.how.as_str() {
            "crash" => exit(5),
            "signal" => std::process::abort(),
            "hang" => sleep_for_ever(),
            "late" => thread::sleep(Duration::from_millis(1500)),
            "noisy" => eprintln!("ply {}", turn["ply"]),
            "close-stdout" => {
                nix::unistd::close(1).expect("stdout is open");
                sleep_for_ever();
            }
            "close-stdin" => nix::unistd::close(0).expect("stdin is open"),
            "kills-its-group" => signal_group(Signal::SIGKILL),
            "stops-its-group" => signal_group(Signal::SIGSTOP),
            "stops-itself" => kill(Pid::this(), Signal::SIGSTOP).expect("own process"),
            "kills-supervisor" => {
                signal_parent(Signal::SIGKILL);
                // Who dies with it does so meanwhile.
                thread::sleep(Duration::from_secs(1));
            }
            "daemons-and-kills-supervisor" => {
                processes::start("daemons");
                // So that they are on their own.
                thread::sleep(Duration::from_millis(300));
                signal_parent(Signal::SIGKILL);
                thread::sleep(Duration::from_secs(1));
            }
            "stops-supervisor" => signal_parent(Signal::SIGSTOP),
            how => {
                lines::before(how);
                processes::start(how);
                resources::waste(how);
            }
        }
    }

    fn report(&mut self) -> Option<Value> {
        match self.how.as_str() {
            "forges-log" if self.turns >= TURN => Some(forger::forge()),
            "foresees" => Some(foreseer::report(&self.begun)),
            "spy" => Some(spy::look_around()),
            "cores" => Some(json!({"cores": spy::status("Cpus_allowed_list")})),
            "descriptors" => Some(json!({"descriptors": spy::descriptors()})),
            "fills-disk" => Some(json!({"written": resources::fill_disk()})),
            "ponders" => self.ponder.as_mut().map(resources::Ponder::since_pause),
            "redteam" => {
                let seat = &self.begun["seat"];
                self.raid.as_mut().map(|raid| raid.turn(seat))
            }
            how => lines::info(how),
        }
    }

    /// Runs after each move.
    fn afterwards(&self, answer: &Value) {
        match self.how.as_str() {
            "exit-after-turn" => exit(6),
            "twice" => {
                let mut again = answer.clone();
                again.as_object_mut().expect("an object").remove("ply");
                say(&again);
            }
            "twice-with-ply" => say(answer),
            "floods-later" => lines::flood(&json!({"type": "info", "depth": 1})),
            _ => {}
        }
    }

    fn end(&self) {
        match self.how.as_str() {
            "exit-at-end" => exit(0),
            "expects-a-turn" if self.turns == 0 => exit(8),
            "garbage-at-end" => print(b"good game\n"),
            _ => {}
        }
    }

    fn quit(&self) {
        match self.how.as_str() {
            "stays" => sleep_for_ever(),
            "abort-at-quit" => std::process::abort(),
            "sorry-at-quit" => exit(3),
            _ => exit(0),
        }
    }
}

fn signal_parent(signal: Signal) {
    kill(getppid(), signal).expect("a parent");
}

/// Signals all processes of the own group.
fn signal_group(signal: Signal) {
    kill(Pid::from_raw(0), signal).expect("an own group");
}

fn say(message: &Value) {
    print(format!("{message}\n").as_bytes());
}

/// Prints, and ignores errors.
fn print(text: &[u8]) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text).and_then(|()| out.flush());
}

/// Sleeps without ever waking: this process must always be found asleep.
fn sleep_for_ever() -> ! {
    loop {
        thread::park();
    }
}
