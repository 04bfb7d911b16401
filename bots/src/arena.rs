//! A tiny referee for tests: bots play each other in this process, message by message.

use std::collections::HashMap;

use games::{GAMES, Outcome, Session};
use protocol::{
    ClockState, FromBot, Limits, Opponent, PlayedMove, Start, TimeControl, ToBot, Turn,
};
use serde_json::{Value, json};

use crate::sdk::{Bot, Choice};
use crate::{BotOptions, find, run_named};

/// A match that was played.
pub(crate) struct Played {
    pub(crate) moves: Vec<PlayedMove>,
    pub(crate) outcome: Outcome,
}

/// A match to be played.
#[derive(Clone)]
pub(crate) struct Pairing {
    pub(crate) game: &'static str,
    pub(crate) options: Value,
    pub(crate) seed: u64,
    pub(crate) clock: ClockState,
}

impl Pairing {
    pub(crate) fn new(game: &'static str, options: Value, seed: u64) -> Self {
        Pairing {
            game,
            options,
            seed,
            clock: ClockState::default(),
        }
    }

    /// Plays the match; the bots sit in seat order.
    pub(crate) fn play(&self, bots: &mut [Box<dyn Bot>]) -> Played {
        let rules = games::find(self.game)
            .unwrap()
            .configure(&self.options)
            .unwrap();
        let mut session = rules.start(self.seed);
        let limits = rules.info().limits;
        for (seat, bot) in bots.iter_mut().enumerate() {
            bot.start(&self.start(seat, session.state())).unwrap();
        }
        let mut moves: Vec<PlayedMove> = Vec::new();
        let mut told = vec![0; bots.len()];
        let mut visits: HashMap<String, u32> = HashMap::new();
        while let Some(seat) = session.to_move() {
            let visits = visits.entry(session.identity()).or_default();
            *visits += 1;
            let stop = limits.max_plies.is_some_and(|most| session.ply() >= most);
            if stop || limits.repetition.is_some_and(|most| *visits >= most) {
                break;
            }
            let turn = turn(&*session, &moves[told[seat]..], &self.clock);
            told[seat] = moves.len();
            let Ok(Choice::Move { mv, .. }) = bots[seat].choose(&turn) else {
                panic!("no move in {} from {}", self.game, bots[seat].hello().name)
            };
            session.play(&mv).unwrap();
            moves.push(PlayedMove { seat, mv });
        }
        Played {
            moves,
            outcome: session.outcome(),
        }
    }

    fn start(&self, seat: usize, state: Value) -> Start {
        let rules = games::find(self.game)
            .unwrap()
            .configure(&self.options)
            .unwrap();
        let limits = rules.info().limits;
        let opponent = |role: &&str| Opponent {
            name: (*role).to_owned(),
            role: (*role).to_owned(),
        };
        Start {
            match_id: format!("m-{}", self.seed),
            game: self.game.to_owned(),
            options: rules.options().to_json(),
            seat,
            role: rules.roles()[seat].to_owned(),
            players: rules.roles().iter().map(opponent).collect(),
            state,
            time: TimeControl::default(),
            limits: Limits {
                max_plies: limits.max_plies,
                repetition: limits.repetition,
            },
        }
    }
}

fn turn(session: &dyn Session, moves: &[PlayedMove], clock: &ClockState) -> Turn {
    Turn {
        ply: session.ply(),
        moves: moves.to_vec(),
        state: None,
        legal: None,
        clock: clock.clone(),
    }
}

/// A bot of the catalogue.
pub(crate) fn bot(name: &str, seed: u64, playouts: Option<u32>) -> Box<dyn Bot> {
    find(name).unwrap().make(&BotOptions { seed, playouts })
}

/// Options that keep a game short enough for tests.
pub(crate) fn small(game: &str) -> Value {
    match game {
        "amazons" => json!({"size": 6}),
        "paper-penguins" => json!({"size": 6}),
        _ => json!({}),
    }
}

/// The mean outcome of a bot against another that fills all other seats, over matches in pairs:
/// each start is played from every seat.
pub(crate) fn duel(
    game: &'static str,
    options: &Value,
    one: &dyn Fn(u64) -> Box<dyn Bot>,
    other: &dyn Fn(u64) -> Box<dyn Bot>,
    clock: &ClockState,
    starts: u64,
) -> f64 {
    let seats = games::find(game)
        .unwrap()
        .configure(options)
        .unwrap()
        .seats();
    let mut sum = 0.0;
    for seed in 0..starts {
        let mut pairing = Pairing::new(game, options.clone(), seed);
        pairing.clock = clock.clone();
        for hero in 0..seats {
            let sit = |seat| if seat == hero { one(seed) } else { other(seed) };
            let mut bots: Vec<_> = (0..seats).map(sit).collect();
            sum += pairing.play(&mut bots).outcome[hero];
        }
    }
    sum / (starts * seats as u64) as f64
}

fn all_bots() -> impl Iterator<Item = Box<dyn Fn() -> Box<dyn Bot>>> {
    crate::BOTS.iter().map(|entry| {
        let make: Box<dyn Fn() -> Box<dyn Bot>> = Box::new(|| bot(entry.name, 5, Some(20)));
        make
    })
}

#[test]
fn every_bot_plays_every_game_the_same_way_twice() {
    for game in GAMES {
        for make in all_bots() {
            let pairing = Pairing::new(game.info.id, small(game.info.id), 3);
            let rules = game.configure(&pairing.options).unwrap();
            let table = || (0..rules.seats()).map(|_| make()).collect::<Vec<_>>();
            let mut bots = table();
            let first = pairing.play(&mut bots);
            // A process that played before moves as a fresh one does.
            assert_eq!(first.moves, pairing.play(&mut bots).moves);
            assert_eq!(first.moves, pairing.play(&mut table()).moves);
            let other = Pairing { seed: 4, ..pairing };
            assert_ne!(first.moves, other.play(&mut table()).moves);
        }
    }
}

#[test]
fn every_bot_talks_as_the_protocol_says() {
    for game in GAMES {
        for entry in crate::BOTS {
            let pairing = Pairing::new(game.info.id, small(game.info.id), 3);
            let seats = game.configure(&pairing.options).unwrap().seats();
            let mut bots: Vec<_> = (0..seats).map(|_| bot(entry.name, 5, Some(20))).collect();
            let played = pairing.play(&mut bots);
            for quit in ["", "{\"type\":\"quit\"}\n"] {
                let script = script(&pairing, &played) + quit;
                let mut output = Vec::new();
                let options = BotOptions {
                    seed: 5,
                    playouts: Some(20),
                };
                run_named(entry.name, &options, script.as_bytes(), &mut output).unwrap();
                let mut lines = output.split_inclusive(|byte| *byte == b'\n');
                let mut next = || FromBot::from_line(lines.next().unwrap()).unwrap();
                assert!(matches!(next(), FromBot::Hello(hello) if hello.name == entry.name));
                assert_eq!(next(), FromBot::Ready {});
                for ply in played.moves.iter().filter(|ply| ply.seat == 0) {
                    assert!(matches!(next(), FromBot::Move(answer) if answer.mv == ply.mv));
                }
                assert_eq!(lines.next(), None);
            }
        }
    }
}

/// What seat 0 is told in a match.
fn script(pairing: &Pairing, played: &Played) -> String {
    let rules = games::find(pairing.game)
        .unwrap()
        .configure(&pairing.options)
        .unwrap();
    let mut session = rules.start(pairing.seed);
    let hello = ToBot::Hello {
        protocol: 1,
        referee: "test".to_owned(),
    };
    let start = ToBot::Start(Box::new(pairing.start(0, session.state())));
    let mut script = hello.to_line() + &start.to_line();
    let mut told = 0;
    for (ply, played_move) in played.moves.iter().enumerate() {
        if played_move.seat == 0 {
            let turn = turn(&*session, &played.moves[told..ply], &pairing.clock);
            script += &ToBot::Turn(Box::new(turn)).to_line();
            told = ply;
        }
        session.play(&played_move.mv).unwrap();
    }
    script
}

#[test]
fn greedy_beats_random() {
    for game in GAMES {
        let id = game.info.id;
        let (greedy, random) = (
            |seed| bot("greedy", seed, None),
            |seed| bot("random", seed, None),
        );
        let rate = duel(id, &small(id), &greedy, &random, &ClockState::default(), 10);
        assert!(rate > 0.7, "{id}: {rate}");
    }
}

/// Prints how the bots do against each other: `cargo test --release -p bots win_rates -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn win_rates() {
    use protocol::Millis;
    let clock = ClockState {
        move_ms: Some(Millis(std::time::Duration::from_millis(50))),
        ..ClockState::default()
    };
    let only = std::env::var("GAMES").unwrap_or_default();
    let starts = std::env::var("STARTS")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(3);
    for game in GAMES {
        let id = game.info.id;
        if !only.is_empty() && !only.split(',').any(|o| o == id) {
            continue;
        }
        let begin = std::time::Instant::now();
        let make = |name: &'static str| move |seed| bot(name, seed, None);
        let g = duel(id, &json!({}), &make("greedy"), &make("random"), &clock, 20);
        let gt = begin.elapsed().as_secs_f64();
        let begin = std::time::Instant::now();
        let m = duel(
            id,
            &json!({}),
            &make("mcts"),
            &make("greedy"),
            &clock,
            starts,
        );
        println!(
            "{id}: greedy-random {g:.2} ({gt:.1} s), mcts-greedy {m:.2} ({:.0} s)",
            begin.elapsed().as_secs_f64()
        );
    }
}
