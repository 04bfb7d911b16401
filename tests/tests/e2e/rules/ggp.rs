//! Players over HTTP in tournaments, and our bots as such players.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tests::{Arena, assert_contains, good, referee, root, run, verified, wait_until};

use crate::rules::ggp_player::{GgpPlayer, Way, no_port};

const MCTS: &str = "[[bots]]\nname = \"mcts\"\ncommand = \"referee bot mcts --playouts 20\"\n";
const RANDOM: &str = "[[bots]]\nname = \"random\"\ncommand = \"referee bot random\"\n";

/// A configuration of these sheets; the bots come behind it.
fn sheets(ids: &[&str]) -> String {
    let rules = ids
        .iter()
        .map(|id| root().join(format!("games/sheets/{id}.kif")));
    let rules: Vec<_> = rules.collect();
    format!(
        "name = \"test\"\ngames = {ids:?}\nrules = {rules:?}\n[time]\nper_move = \"60s\"\n\
         startup = \"60s\"\n"
    )
}

fn bot(name: &str, lines: &str) -> String {
    format!("[[bots]]\nname = \"{name}\"\n{lines}\n")
}

#[test]
fn a_tournament_of_ggp_players_and_bots_is_played_to_its_end() {
    let plain = GgpPlayer::new(1, 0, Way::Plays);
    let scrambled = GgpPlayer::new(2, 0, Way::Busy);
    let python = root().join("bots/examples/python/random_bot.py");
    let bots = [
        bot("plain", &plain.key()),
        bot("scrambled", &(scrambled.key() + "\nscramble = true")),
        MCTS.to_owned(),
        bot("python", &format!("command = [\"python3\", {python:?}]")),
    ];
    let games = ["rock-paper-scissors", "chinese-checkers-3", "pig"];
    let arena = Arena::new(&format!(
        "concurrency = 2\n{}{}",
        sheets(&games),
        bots.concat()
    ));
    good(arena.play());
    let matches = arena.matches();
    for game in games {
        let of_game = matches.iter().filter(|record| record["game"] == game);
        assert_eq!(of_game.count(), 12, "{game}");
    }
    for record in &matches {
        assert_eq!(record["result"]["reason"], "terminal", "{record}");
        for player in record["players"].as_array().unwrap() {
            if player["name"] == "scrambled" {
                let url = format!("http://127.0.0.1:{}", scrambled.port);
                assert_eq!(
                    player["command"],
                    serde_json::json!(["ggp", url, "scramble"])
                );
                assert_eq!(player["version"], "Tester");
            }
        }
    }
    verified(arena.path("out"));
    let standings = run(["standings".as_ref(), arena.path("out").as_os_str()]);
    assert_contains(&standings.stdout, "scrambled");
    // Every match was begun and ended; the first one only after the busy player had left another one.
    let asked = plain.asked();
    let count = |asked: &[String], name: &str| {
        let named = asked.iter().filter(|body| body.starts_with(name));
        named.count()
    };
    let played = matches.iter().filter(|record| has(record, "plain")).count();
    assert_eq!(asked[0], "(INFO)");
    assert_eq!(count(&asked, "(INFO)"), 1);
    assert_eq!(
        (count(&asked, "(START"), count(&asked, "(STOP")),
        (played, played)
    );
    assert_eq!(count(&asked, "(ABORT"), 0);
    let asked = scrambled.asked();
    assert!(asked[2].starts_with("(ABORT m-"), "{}", asked[2]);
    assert!(asked[3].starts_with("(START m-"), "{}", asked[3]);
    let names = ["rock", "checker", "roll"];
    let leaked = asked
        .iter()
        .find(|body| names.iter().any(|name| body.contains(name)));
    assert_eq!(leaked, None, "names are replaced");
}

#[test]
fn ggp_players_are_checked_but_not_asked_again() {
    let player = GgpPlayer::new(1, 0, Way::Plays);
    let wrong = GgpPlayer::new(2, 0, Way::Nil);
    let bots = [
        bot("fine", &player.key()),
        bot("wrong", &wrong.key()),
        bot(
            "absent",
            &format!("ggp = \"http://127.0.0.1:{}\"", no_port()),
        ),
    ];
    let top = "start_attempts = 1\nrounds = 1\n";
    let config = sheets(&["tic-tac-toe"]);
    let arena = Arena::new(&format!("{top}{config}{}", bots.concat()));
    let path = arena.path("t.toml");
    let ran = run(["check".as_ref(), "--config".as_ref(), path.as_os_str()]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    for line in [
        "fine: ggp/info",
        "fine: ggp/tic-tac-toe/xplayer",
        "fine: ggp/tic-tac-toe/oplayer",
        "illegal_move at ply 0: answered `PLAY` with `nil`, which is not legal here",
        "cannot be reached at 127.0.0.1:",
        "3 of 9 checks failed",
    ] {
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(all.contains(line), "{line} in {all}");
    }
    good(arena.play());
    let log = arena.path("out");
    let args = ["--match", "m-000001", "--bot", "fine"];
    let ran = run(["replay".as_ref(), log.as_os_str()]
        .into_iter()
        .chain(args.map(AsRef::as_ref)));
    tests::refused(&ran, 2, "was a player that was asked over HTTP");
}

fn has(record: &Value, bot: &str) -> bool {
    let players = record["players"].as_array().unwrap();
    players.iter().any(|player| player["name"] == bot)
}

#[test]
fn whatever_ggp_players_do_costs_them_their_match_alone() {
    let soon = "time = { per_move = \"1s\", startup = \"20s\" }";
    let ways = [
        (
            "silent",
            Way::Silent,
            soon,
            "timeout",
            "no move after|within 1050 ms",
        ),
        (
            "late",
            Way::Late(Duration::from_millis(1500)),
            soon,
            "timeout",
            "no move after|within 1050 ms",
        ),
        (
            "rubbish",
            Way::Rubbish,
            "",
            "protocol",
            "answered `PLAY` with `((mark`",
        ),
        (
            "nil",
            Way::Nil,
            "",
            "illegal_move",
            "answered `PLAY` with `nil`",
        ),
        (
            "closes",
            Way::Closes,
            "",
            "crash",
            "closed the connection before it answered `PLAY`",
        ),
        (
            "half",
            Way::BreaksOff,
            "",
            "crash",
            "closed the connection in the middle of its answer to `PLAY`",
        ),
    ];
    let players = ways.map(|(_, way, ..)| GgpPlayer::new(1, 1, way));
    let mut bots = bot(
        "absent",
        &format!("ggp = \"http://127.0.0.1:{}\"", no_port()),
    );
    for ((name, _, more, ..), player) in ways.iter().zip(&players) {
        bots += &bot(name, &format!("{}\n{more}", player.key()));
    }
    let config = sheets(&["tic-tac-toe", "rock-paper-scissors"]);
    let top =
        "format = \"gauntlet\"\nchallengers = [\"random\"]\nconcurrency = 4\nstart_attempts = 2\n";
    let arena = Arena::new(&format!("{top}{config}{bots}{RANDOM}"));
    good(arena.play());
    let matches = arena.matches();
    assert_eq!(matches.len(), 28);
    verified(arena.path("out"));
    let expected = ways.map(|(name, _, _, code, says)| (name, code, says));
    for (name, code, says) in
        expected
            .into_iter()
            .chain([("absent", "startup", "cannot be reached at")])
    {
        let own = matches.iter().filter(|record| has(record, name));
        let mut faults = Vec::new();
        for record in own {
            let seat = usize::from(record["players"][1]["name"] == name);
            for fault in record["result"]["faults"].as_array().unwrap() {
                assert_eq!(fault["seat"], seat, "{record}");
                assert_eq!(fault["code"], code, "{record}");
                let message = fault["message"].as_str().unwrap();
                assert!(says.split('|').any(|it| message.contains(it)), "{fault}");
                faults.push(fault.clone());
            }
        }
        // Rock, paper, scissors may be over before the second request.
        assert!(faults.len() >= 3, "{name}: {faults:?}");
    }
    let failures = fs::read_dir(arena.path("out/failures")).unwrap();
    assert!(failures.count() >= 20);
    let given_up = players.iter().map(|player| player.asked());
    for asked in given_up {
        let aborts = asked.iter().filter(|body| body.starts_with("(ABORT m-"));
        assert!(aborts.count() >= 3, "{asked:?}");
    }
}

/// One of our bots as a player, until dropped.
struct Served {
    child: Child,
    port: u16,
}

impl Served {
    fn new(args: &[&str]) -> Self {
        let mut child = Command::new(referee())
            .args(["ggp-player", "--port", "0"])
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("referee runs");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let port = line
            .trim()
            .rsplit(':')
            .next()
            .and_then(|port| port.parse().ok());
        let port = port.unwrap_or_else(|| panic!("an address in {line:?}"));
        Served { child, port }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let pid = nix::unistd::Pid::from_raw(self.child.id() as i32);
        let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM);
        let _ = self.child.wait();
    }
}

#[test]
fn our_bots_are_players_for_our_referee() {
    let mcts = Served::new(&[
        "--name",
        "our mcts",
        "--",
        "referee",
        "bot",
        "mcts",
        "--playouts",
        "50",
    ]);
    let random = Served::new(&["--", "referee", "bot", "random"]);
    let url = |served: &Served| format!("ggp = \"http://127.0.0.1:{}\"", served.port);
    let bots = [
        bot("mcts over http", &url(&mcts)),
        bot("random over http", &(url(&random) + "\nscramble = true")),
        MCTS.to_owned(),
    ];
    let games = [
        "tic-tac-toe",
        "rock-paper-scissors",
        "pig",
        "kuhn-poker",
        "chinese-checkers-3",
    ];
    let arena = Arena::new(&format!(
        "concurrency = 2\n{}{}",
        sheets(&games),
        bots.concat()
    ));
    good(arena.play());
    for record in arena.matches() {
        assert_eq!(record["result"]["reason"], "terminal", "{record}");
        for player in record["players"].as_array().unwrap() {
            if player["name"] == "mcts over http" {
                assert_eq!(player["version"], "our-mcts");
            }
        }
    }
    verified(arena.path("out"));
}

fn ask(port: u16, body: &str) -> (u32, String) {
    use std::io::{Read as _, Write as _};
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).expect("a player");
    let length = body.len();
    // As game managers of the community write it.
    let request = format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: GAMESERVER\r\nReceiver: x\r\n\
         Content-type: text/acl\r\nContent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    (status.expect("a status"), body.to_owned())
}

#[test]
fn game_managers_get_legal_moves_or_nothing() {
    let served = Served::new(&["--name", "mine", "--", "referee", "bot", "random"]);
    let said = |body: &str| {
        let (status, text) = ask(served.port, body);
        (status == 200).then_some(text)
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(said("(INFO)"), some("((name mine) (status available))"));
    // What cannot be read has no answer, and harms nothing.
    assert_eq!(said("(START m1 me ((role me) (legal me)) 10 10)"), None);
    assert_eq!(said("(START m1 you ((role me)) 10 10)"), None);
    assert_eq!(said("(START m1 me"), None);
    assert_eq!(said("(PLAY m1 NIL)"), some("busy"));
    let sheet = fs::read_to_string(root().join("games/sheets/tic-tac-toe.kif")).unwrap();
    let plain: Vec<&str> = sheet
        .lines()
        .map(|line| line.split(';').next().unwrap())
        .collect();
    let start = format!("( start m2 OPLAYER ({}) 20 20 )", plain.join("\n"));
    assert_eq!(said(&start), some("ready"));
    assert_eq!(said("(INFO)"), some("((name mine) (status busy))"));
    assert_eq!(said(&start.replace("m2", "m3")), some("busy"));
    assert_eq!(said("(PLAY m2 NIL)"), some("noop"));
    assert_eq!(said("(PLAY m2 ((mark 9 9) noop))"), None);
    let moved = said("( Play M2 ((MARK 1 1)\n NOOP) )").unwrap();
    assert!(
        moved.starts_with("(mark ") && moved != "(mark 1 1)",
        "{moved}"
    );
    assert_eq!(said(&format!("(PLAY m2 (noop {moved}))")), some("noop"));
    assert_eq!(said("(ABORT m3)"), some("busy"));
    assert_eq!(said("(ABORT m2)"), some("aborted"));
    assert_eq!(said("(INFO)"), some("((name mine) (status available))"));
}

/// A short sheet whose first position takes years to compute: no 17 pigeons have a hole each of 16.
fn heavy() -> String {
    let holes: String = (0..16).map(|hole| format!("(hole {hole})")).collect();
    let mut pigeons = String::new();
    for pigeon in 0..17 {
        let _ = write!(pigeons, "(hole ?p{pigeon})");
        for other in 0..pigeon {
            let _ = write!(pigeons, "(distinct ?p{pigeon} ?p{other})");
        }
    }
    format!(
        "(role me) (init go) (legal me a) (legal me b) (<= (legal me d) h) (goal me 50) \
         (<= (next done) (does me ?m)) (<= terminal (true done)) (<= h {pigeons}) {holes}"
    )
}

#[test]
fn clocks_and_aborts_hold_whatever_a_sheet_takes() {
    let served = Served::new(&["--", "referee", "bot", "mcts"]);
    let port = served.port;
    let begun = Instant::now();
    assert_eq!(
        ask(port, &format!("(START m1 me ({}) 2 2)", heavy())),
        (200, "ready".to_owned())
    );
    assert_eq!(ask(port, "(PLAY m1 NIL)").0, 400, "there is nothing to say");
    assert_eq!(ask(port, "(ABORT m1)"), (200, "aborted".to_owned()));
    // With time for everything else, but not for the years.
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
    let waits = thread::spawn(move || ask(port, &format!("(START m2 me ({}) 1000 1000)", heavy())));
    wait_until("the match", || ask(port, "(INFO)").1.contains("busy"));
    assert_eq!(ask(port, "(ABORT m2)"), (200, "aborted".to_owned()));
    assert_eq!(waits.join().unwrap().0, 400);
    // It is as good as new.
    let sheet = "(role me) (legal me a) (legal me b) (<= (next done) (does me ?m)) \
                 (<= terminal (true done)) (<= (goal me 100) (true done)) (goal me 0)";
    assert_eq!(
        ask(port, &format!("(START m3 me ({sheet}) 30 30)")),
        (200, "ready".to_owned())
    );
    let moved = ask(port, "(PLAY m3 NIL)");
    assert!(
        moved == (200, "a".to_owned()) || moved == (200, "b".to_owned()),
        "{moved:?}"
    );
    assert_eq!(ask(port, "(STOP m3 (a))"), (200, "done".to_owned()));
}
