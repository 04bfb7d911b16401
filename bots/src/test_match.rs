//! Test matches: bots play each other in this process, message by message.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use games::{Catalog, GAMES, Rules, Session};
use protocol::{
    ClockState, FromBot, Limits, Millis, Opponent, PlayedMove, Start, TimeControl, ToBot, Turn,
};
use serde_json::{Value, json};

use crate::engine::level::Level;
use crate::sdk::{Bot, Choice};
use crate::{BotOptions, ReferenceBot, find, run_named};

/// A test match that was played.
pub(crate) struct PlayedMatch {
    pub(crate) moves: Vec<PlayedMove>,
    pub(crate) outcome: Vec<f64>,
}

#[derive(Clone)]
pub(crate) struct TestMatch {
    pub(crate) game: &'static str,
    pub(crate) options: Value,
    pub(crate) seed: u64,
    pub(crate) clock: ClockState,
}

impl TestMatch {
    pub(crate) fn new(game: &'static str, options: Value, seed: u64) -> Self {
        TestMatch {
            game,
            options,
            seed,
            clock: ClockState::default(),
        }
    }

    /// Plays the match; the bots sit in seat order.
    pub(crate) fn play(&self, bots: &mut [Box<dyn Bot>]) -> PlayedMatch {
        let rules = rules(self.game, &self.options);
        let mut session = rules.start(self.seed).unwrap();
        let limits = rules.info().limits;
        for (seat, bot) in bots.iter_mut().enumerate() {
            bot.start(&self.start(seat, session.state().unwrap()))
                .unwrap();
        }
        let mut moves: Vec<PlayedMove> = Vec::new();
        let mut sent = vec![0; bots.len()];
        let mut visits: HashMap<String, u32> = HashMap::new();
        while let Some(seat) = session.to_move().alone() {
            let visits = visits.entry(session.identity().unwrap()).or_default();
            *visits += 1;
            let at_limit = limits.max_plies.is_some_and(|most| session.ply() >= most);
            if at_limit || limits.repetition.is_some_and(|most| *visits >= most) {
                break;
            }
            let turn = turn(&*session, &moves[sent[seat]..], &self.clock);
            sent[seat] = moves.len();
            let Ok(Choice::Move { mv, .. }) = bots[seat].choose(&turn) else {
                panic!("no move in {} from {}", self.game, bots[seat].hello().name)
            };
            session.play(&mv).unwrap();
            let mv = mv.into();
            moves.push(PlayedMove {
                seat: Some(seat),
                mv,
            });
        }
        PlayedMatch {
            moves,
            outcome: session.tally().unwrap().outcome,
        }
    }

    fn start(&self, seat: usize, state: Value) -> Start {
        let rules = rules(self.game, &self.options);
        let limits = rules.info().limits;
        let opponent = |role: &String| Opponent {
            name: role.clone(),
            role: role.clone(),
        };
        Start {
            match_id: format!("m-{}", self.seed),
            game: self.game.to_owned(),
            options: rules.options().to_json(),
            seat,
            role: rules.roles()[seat].clone(),
            players: rules.roles().iter().map(opponent).collect(),
            state: Some(state),
            observation: None,
            time: TimeControl::default(),
            limits: Limits {
                max_plies: limits.max_plies,
                repetition: limits.repetition,
            },
            offers: false,
        }
    }
}

fn turn(session: &dyn Session, moves: &[PlayedMove], clock: &ClockState) -> Turn {
    Turn {
        ply: session.ply(),
        moves: moves.to_vec(),
        sees: None,
        state: None,
        observation: None,
        legal: None,
        clock: clock.clone(),
        offers: Vec::new(),
        lines: None,
    }
}

/// A reference bot, by counted playouts or nodes if a number is given.
pub(crate) fn bot(name: &str, seed: u64, playouts: Option<u32>) -> Box<dyn Bot> {
    let nodes = playouts.map(u64::from);
    let options = BotOptions {
        seed,
        playouts,
        nodes,
        ..BotOptions::default()
    };
    find(name)
        .unwrap()
        .make(&options, &Catalog::built_in())
        .unwrap()
}

/// Every game, with options that keep it short, and one game with more than two seats.
fn short_games() -> Vec<(&'static str, Value)> {
    let options = |id| match id {
        "amazons" | "paper-penguins" => json!({"size": 6}),
        _ => json!({}),
    };
    let ids = GAMES.iter().map(|game| game.info.id.as_str());
    let mut games: Vec<_> = ids.map(|id| (id, options(id))).collect();
    games.push(("penguins", json!({"players": 3})));
    games
}

fn rules(game: &str, options: &Value) -> Arc<dyn Rules> {
    games::find(game).unwrap().configure(options).unwrap()
}

/// The mean outcome of a bot against another that fills all other seats, over matches in pairs:
/// each start is played from every seat. One entry for each seat of the first bot.
pub(crate) fn duel(
    game: &'static str,
    options: &Value,
    one: &dyn Fn(u64) -> Box<dyn Bot>,
    other: &dyn Fn(u64) -> Box<dyn Bot>,
    clock: &ClockState,
    starts: u64,
) -> Vec<f64> {
    let seats = rules(game, options).seats();
    let mut rates = vec![0.0; seats];
    for seed in 0..starts {
        let mut test_match = TestMatch::new(game, options.clone(), seed);
        test_match.clock = clock.clone();
        for (hero, rate) in rates.iter_mut().enumerate() {
            let sit = |seat| if seat == hero { one(seed) } else { other(seed) };
            let mut bots: Vec<_> = (0..seats).map(sit).collect();
            *rate += test_match.play(&mut bots).outcome[hero] / starts as f64;
        }
    }
    rates
}

fn engines() -> impl Iterator<Item = &'static ReferenceBot> {
    crate::BOTS.iter().filter(|bot| bot.is_engine())
}

fn all_bots() -> impl Iterator<Item = Box<dyn Fn() -> Box<dyn Bot>>> {
    engines().map(|entry| {
        let make: Box<dyn Fn() -> Box<dyn Bot>> = Box::new(|| bot(entry.name, 5, Some(20)));
        make
    })
}

#[test]
fn every_bot_plays_every_game_the_same_way_twice() {
    for (game, options) in short_games() {
        for make in all_bots() {
            let test_match = TestMatch::new(game, options.clone(), 3);
            let seats = rules(game, &options).seats();
            let all_seats = || (0..seats).map(|_| make()).collect::<Vec<_>>();
            let mut bots = all_seats();
            let first = test_match.play(&mut bots);
            // A process that played before chooses the same moves as a fresh one.
            assert_eq!(first.moves, test_match.play(&mut bots).moves);
            assert_eq!(first.moves, test_match.play(&mut all_seats()).moves);
            let other = TestMatch {
                seed: 4,
                ..test_match
            };
            assert_ne!(first.moves, other.play(&mut all_seats()).moves);
        }
    }
}

#[test]
fn every_bot_follows_the_protocol() {
    for (game, options) in short_games() {
        for entry in engines() {
            let test_match = TestMatch::new(game, options.clone(), 3);
            let seats = rules(game, &options).seats();
            let mut bots: Vec<_> = (0..seats).map(|_| bot(entry.name, 5, Some(20))).collect();
            let played = test_match.play(&mut bots);
            for quit in ["", "{\"type\":\"quit\"}\n"] {
                let script = script(&test_match, &played) + quit;
                let mut output = Vec::new();
                let games = Catalog::built_in();
                let options = BotOptions {
                    seed: 5,
                    playouts: Some(20),
                    nodes: Some(20),
                    ..BotOptions::default()
                };
                run_named(entry.name, &options, &games, script.as_bytes(), &mut output).unwrap();
                let mut lines = output.split_inclusive(|byte| *byte == b'\n');
                let mut next = || FromBot::from_line(lines.next().unwrap()).unwrap();
                assert!(matches!(next(), FromBot::Hello(hello) if hello.name == entry.name));
                assert_eq!(next(), FromBot::Ready {});
                for ply in played.moves.iter().filter(|ply| ply.seat == Some(0)) {
                    assert!(matches!(next(), FromBot::Move(answer) if answer.mv == ply.mv));
                }
                assert_eq!(lines.next(), None);
            }
        }
    }
}

/// The messages that seat 0 gets in a match.
fn script(test_match: &TestMatch, played: &PlayedMatch) -> String {
    let mut session = rules(test_match.game, &test_match.options)
        .start(test_match.seed)
        .unwrap();
    let hello = ToBot::Hello {
        protocol: 1,
        referee: "test".to_owned(),
    };
    let start = ToBot::Start(Box::new(test_match.start(0, session.state().unwrap())));
    let mut script = hello.to_line() + &start.to_line();
    let mut sent = 0;
    for (ply, played_move) in played.moves.iter().enumerate() {
        if played_move.seat == Some(0) {
            let turn = turn(&*session, &played.moves[sent..ply], &test_match.clock);
            script += &ToBot::Turn(Box::new(turn)).to_line();
            sent = ply;
        }
        session.play(&played_move.mv).unwrap();
    }
    script
}

#[test]
fn greedy_beats_random() {
    let make = |seed| bot("greedy", seed, None);
    beats_random(&make, 10, 0.6);
}

#[test]
fn alphabeta_beats_random() {
    // The giants hold little even against random halogai at 200 nodes a move.
    let make = |seed| bot("alphabeta", seed, Some(200));
    beats_random(&make, 4, 0.65);
}

#[test]
fn mcts_beats_random() {
    let make = |seed| bot("mcts", seed, Some(200));
    beats_random(&make, 4, 0.75);
}

/// The mean outcome of a bot at one level against the same bot at another.
fn level_duel(
    name: &str,
    game: &'static str,
    options: &Value,
    levels: [u8; 2],
    starts: u64,
) -> f64 {
    let make = |level| {
        move |seed| {
            let options = BotOptions {
                seed,
                // Full strength is limited, too, to keep the test short.
                playouts: Some(600),
                nodes: Some(4000),
                level: Level::new(level),
                ..BotOptions::default()
            };
            find(name)
                .unwrap()
                .make(&options, &Catalog::built_in())
                .unwrap()
        }
    };
    let clock = ClockState::default();
    let [one, other] = levels.map(make);
    let rates = duel(game, options, &one, &other, &clock, starts);
    rates.iter().sum::<f64>() / rates.len() as f64
}

#[test]
fn higher_levels_beat_lower_ones() {
    for name in ["greedy", "alphabeta", "mcts"] {
        for levels in [[5, 1], [10, 2]] {
            let small = json!({"size": 5});
            let rate = level_duel(name, "paper-penguins", &small, levels, 6)
                + level_duel(name, "amazons", &small, levels, 6);
            assert!(rate > 1.4, "{name} {levels:?}: {rate} of 2");
        }
    }
}

/// By counted nodes and fixed seeds, not by the clock, so that the rates are the same on every machine.
/// Above these levels, too few random moves are left to show a difference in so small a game.
#[test]
fn every_level_beats_the_one_two_below() {
    let small = json!({"size": 5});
    for (name, starts, highest) in [("greedy", 40, 7), ("alphabeta", 12, 4)] {
        for below in 1..=highest {
            let levels = [below + 2, below];
            let rate = level_duel(name, "paper-penguins", &small, levels, starts);
            assert!(rate > 0.5, "{name} {levels:?}: {rate}");
        }
    }
}

/// Holds even in games in which one seat is much better off, so that half of the matches are decided
/// by the seats.
fn beats_random(make: &dyn Fn(u64) -> Box<dyn Bot>, starts: u64, least: f64) {
    let random = |seed| bot("random", seed, None);
    let clock = ClockState::default();
    for (game, options) in short_games() {
        let rates = duel(game, &options, make, &random, &clock, starts);
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        assert!(mean > least, "{game} {options}: {rates:?}");
    }
}

#[test]
fn every_search_gives_a_move_even_without_any_time() {
    for (game, options) in short_games() {
        let mut test_match = TestMatch::new(game, options.clone(), 1);
        test_match.clock.move_ms = Some(Millis::default());
        let seats = rules(game, &options).seats();
        for name in ["alphabeta", "mcts"] {
            let mut bots: Vec<_> = (0..seats).map(|_| bot(name, 1, None)).collect();
            assert!(!test_match.play(&mut bots).moves.is_empty());
        }
    }
}

/// Prints the win rates of each bot against the next weaker one, for each seat:
/// `cargo test --profile campaign -p referee-bots win_rates -- --ignored --nocapture`. Playouts are counted, not timed,
/// so that the rates are the same on a busy machine.
#[test]
#[ignore = "measures strength, and takes minutes"]
fn win_rates() {
    let clock = ClockState::default();
    let make = |name: &'static str| move |seed| bot(name, seed, Some(3000));
    for game in GAMES.iter() {
        let id = game.info.id.as_str();
        let rate =
            |one, other, starts| duel(id, &json!({}), &make(one), &make(other), &clock, starts);
        let greedy = rate("greedy", "random", 20);
        let mcts = rate("mcts", "greedy", 8);
        println!("{id:16} greedy-random {greedy:.2?}  mcts-greedy {mcts:.2?}");
        let mean = greedy.iter().sum::<f64>() / greedy.len() as f64;
        assert!(mean > 0.5, "{id}: `greedy` is weaker than `random`");
    }
}

/// Prints how `alphabeta` does against another bot by the clock, for each seat:
/// `DUEL=mcts:50:10 cargo test --profile campaign -p referee-bots by_the_clock -- --ignored --nocapture` for 50 ms a
/// move and 10 starts; `DUEL_GAME` for one game only.
#[test]
#[ignore = "measures strength, and takes minutes"]
fn by_the_clock() {
    let text = std::env::var("DUEL").unwrap_or_else(|_| "greedy:50:5".to_owned());
    let [other, ms, starts] = text.split(':').collect::<Vec<_>>()[..] else {
        panic!("BOT:MS:STARTS is needed, not {text}");
    };
    let only = std::env::var("DUEL_GAME").ok();
    let clock = ClockState {
        move_ms: Some(Millis(Duration::from_millis(ms.parse().unwrap()))),
        ..ClockState::default()
    };
    let make = |name: &str| {
        let entry = find(name).unwrap();
        move |seed| {
            let seeded = BotOptions {
                seed,
                ..BotOptions::default()
            };
            entry.make(&seeded, &Catalog::built_in()).unwrap()
        }
    };
    for game in GAMES.iter() {
        let id = game.info.id.as_str();
        if only.as_deref().is_some_and(|only| only != id) {
            continue;
        }
        let (hero, foe) = (make("alphabeta"), make(other));
        let rates = duel(id, &json!({}), &hero, &foe, &clock, starts.parse().unwrap());
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        println!("{id:16} {mean:.3} {rates:.2?}");
    }
}

#[test]
fn every_bot_answers_with_lines_when_asked_and_only_then() {
    for (game, options) in short_games() {
        for entry in engines() {
            let test_match = TestMatch::new(game, options.clone(), 3);
            let session = rules(game, &options).start(3).unwrap();
            let mover = session.to_move().alone().unwrap();
            let ask = |lines: Option<u32>| {
                let mut asked = bot(entry.name, 5, Some(400));
                asked
                    .start(&test_match.start(mover, session.state().unwrap()))
                    .unwrap();
                let turn = Turn {
                    lines,
                    ..turn(&*session, &[], &test_match.clock)
                };
                let mut reports = 0;
                let choice = asked.think(&turn, &mut |_| reports += 1).unwrap();
                let Choice::Move { mv, info, .. } = choice else {
                    panic!("{} resigns", entry.name)
                };
                assert!(session.fork().check_move(mover, &mv).is_ok());
                (info.unwrap_or_default(), reports)
            };
            let (info, reports) = ask(None);
            assert_eq!(
                (&info["lines"], reports),
                (&Value::Null, 0),
                "{}",
                entry.name
            );
            let (info, _) = ask(Some(2));
            let (read, complaints) = protocol::SearchInfo::read(&info, 2);
            assert_eq!(complaints, [""; 0]);
            let expected = if entry.name == "random" { 0 } else { 2 };
            assert_eq!(
                read.lines.len(),
                expected,
                "{} in {game}: {info}",
                entry.name
            );
            assert!(
                read.lines
                    .iter()
                    .all(|line| line.value.is_some() && !line.pv.is_empty())
            );
        }
    }
}
