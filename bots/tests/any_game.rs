//! The reference bots in games whose rules are not compiled in: several seats at once, chance, hidden
//! information. Playouts are counted, so that the moves are the same on every machine.

#![allow(clippy::unwrap_used, reason = "these are tests")]

use std::collections::BTreeMap;
use std::sync::Arc;

use bots::level::Level;
use bots::sdk::{Bot, Choice};
use bots::{BotOptions, find};
use games::session::{Session, draw};
use games::test_games::{
    ConnectFour, Goofspiel, KuhnPoker, LiarsDice, Pig, Position, RockPaperScissors, entry,
};
use games::{Actor, BrokenRules, Catalog, Entry, Rng, Rules};
use protocol::{
    ClockState, Limits, Millis, MoveList, Opponent, PlayedMove, Start, TimeControl, Turn,
};
use serde_json::{Value, json};

/// A game that bots play here, with what a referee keeps of a match.
struct Table {
    entry: Arc<Entry>,
    rules: Arc<dyn Rules>,
    seed: u64,
    limits: Limits,
}

impl Table {
    fn of<P: Position>(start: P, seed: u64) -> Self {
        let entry = entry(start);
        Table {
            rules: entry.configure(&Value::Null).unwrap(),
            entry,
            seed,
            limits: Limits::default(),
        }
    }

    /// The built-in games, and this one.
    fn catalog(&self) -> Catalog {
        let mut catalog = Catalog::built_in();
        catalog.add(self.entry.clone()).unwrap();
        catalog
    }

    fn bot(&self, name: &str, playouts: u32) -> Box<dyn Bot> {
        self.bot_of(&self.catalog(), name, playouts)
    }

    fn bot_of(&self, catalog: &Catalog, name: &str, playouts: u32) -> Box<dyn Bot> {
        let options = BotOptions {
            seed: self.seed,
            playouts: Some(playouts),
            ..BotOptions::default()
        };
        find(name).unwrap().make(&options, catalog).unwrap()
    }

    fn start(&self, seat: usize, session: &dyn Session) -> Start {
        let hidden = self.rules.info().hidden;
        let players = self.rules.roles().iter().map(|role| Opponent {
            name: role.clone(),
            role: role.clone(),
        });
        Start {
            match_id: format!("m-{}", self.seed),
            game: self.rules.info().id.clone(),
            options: json!({}),
            seat,
            role: self.rules.roles()[seat].clone(),
            players: players.collect(),
            state: (!hidden).then(|| session.state().unwrap()),
            observation: hidden.then(|| session.observation(seat).unwrap()),
            time: TimeControl::default(),
            limits: self.limits,
            offers: false,
        }
    }

    /// The `turn` message to a seat with all features. `news` are the plies since its last turn.
    fn turn(&self, seat: usize, session: &mut dyn Session, news: &[PlayedMove]) -> Turn {
        let hidden = self.rules.info().hidden;
        let mut legal = MoveList::default();
        session.each_legal(seat, &mut |mv| legal.push(mv)).unwrap();
        let is_sent = |played: &&PlayedMove| !hidden || played.seat == Some(seat);
        Turn {
            ply: session.ply(),
            moves: news.iter().filter(is_sent).cloned().collect(),
            sees: hidden.then(Vec::new),
            state: (!hidden).then(|| session.state().unwrap().into()),
            observation: hidden.then(|| session.observation(seat).unwrap()),
            legal: Some(legal),
            clock: ClockState::default(),
            offers: Vec::new(),
            lines: None,
        }
    }

    /// Plays a match to the end or the limit; the bots sit in seat order.
    fn play(&self, bots: &mut [Box<dyn Bot>]) -> (Vec<PlayedMove>, Vec<f64>) {
        let mut session = self.rules.start(self.seed).unwrap();
        let mut rng = Rng::new(self.seed);
        for (seat, bot) in bots.iter_mut().enumerate() {
            bot.start(&self.start(seat, &*session)).unwrap();
        }
        let mut moves: Vec<PlayedMove> = Vec::new();
        let mut sent = vec![0; bots.len()];
        let most = self.limits.max_plies.unwrap_or(u32::MAX);
        while !session.to_move().is_over() && session.ply() < most {
            let mut step = Vec::new();
            for actor in session.to_move().actors() {
                let Actor::Seat(seat) = actor else {
                    let outcome = draw(session.chances(), &mut rng).unwrap();
                    step.push((None, outcome));
                    continue;
                };
                let turn = self.turn(seat, &mut *session, &moves[sent[seat]..]);
                sent[seat] = moves.len();
                step.push((Some(seat), chosen(&mut *bots[seat], &turn).0));
            }
            let choices: Vec<&str> = step.iter().map(|(_, mv)| mv.as_str()).collect();
            session.play_step(&choices).unwrap();
            let played = step.into_iter().map(|(seat, mv)| PlayedMove {
                seat,
                mv: mv.into(),
            });
            moves.extend(played);
        }
        (moves, session.tally().unwrap().outcome)
    }
}

/// The move of a bot, and its `info`.
fn chosen(bot: &mut dyn Bot, turn: &Turn) -> (String, Value) {
    match bot.choose(turn).unwrap() {
        Choice::Move { mv, info, .. } => (mv, info.unwrap_or_default()),
        Choice::Resign | Choice::NoMove(_) => panic!("reference bots always move"),
    }
}

/// The mean outcome of one bot against another, each start from both seats.
fn duel<P: Position>(start: P, one: (&str, u32), other: (&str, u32), starts: u64) -> f64 {
    let mut total = 0.0;
    for seed in 0..starts {
        let table = Table::of(start.clone(), seed);
        for hero in 0..2 {
            let mut bots: Vec<Box<dyn Bot>> = (0..2)
                .map(|seat| if seat == hero { one } else { other })
                .map(|(name, playouts)| table.bot(name, playouts))
                .collect();
            total += table.play(&mut bots).1[hero];
        }
    }
    total / (2 * starts) as f64
}

#[test]
fn mcts_beats_random() {
    let mcts = |playouts| ("mcts", playouts);
    let random = ("random", 1);
    let rates = [
        (
            "connect-four",
            duel(ConnectFour::default(), mcts(60), random, 4),
            0.85,
        ),
        (
            "goofspiel",
            duel(Goofspiel::new(5), mcts(150), random, 25),
            0.6,
        ),
        ("pig", duel(Pig::new(20), mcts(100), random, 12), 0.65),
        (
            "liars-dice",
            duel(LiarsDice::new(2), mcts(150), random, 12),
            0.7,
        ),
        (
            "well",
            duel(RockPaperScissors::with_well(5), mcts(100), random, 40),
            0.5,
        ),
    ];
    for (game, rate, least) in rates {
        println!("{game}: {rate:.3}");
        assert!(rate > least, "{game}: {rate}");
    }
}

#[test]
fn greedy_beats_random() {
    let duel_of = |rate: f64, game| assert!(rate > 0.7, "{game}: {rate}");
    duel_of(
        duel(ConnectFour::default(), ("greedy", 1), ("random", 1), 6),
        "connect-four",
    );
    duel_of(
        duel(LiarsDice::new(2), ("greedy", 1), ("random", 1), 20),
        "liars-dice",
    );
}

/// The share of each of its moves at the first turn, over many matches.
fn first_moves<P: Position>(start: &P, playouts: u32, matches: u64) -> BTreeMap<String, f64> {
    let mut shares = BTreeMap::new();
    for seed in 0..matches {
        let table = Table::of(start.clone(), seed);
        let mut session = table.rules.start(seed).unwrap();
        let mut bot = table.bot("mcts", playouts);
        bot.start(&table.start(0, &*session)).unwrap();
        let (mv, _) = chosen(&mut *bot, &table.turn(0, &mut *session, &[]));
        *shares.entry(mv).or_insert(0.0) += 1.0 / matches as f64;
    }
    shares
}

#[test]
fn no_fixed_reply_gains_much_where_seats_act_at_once() {
    let plain = first_moves(&RockPaperScissors::new(1), 200, 150);
    println!("{plain:.2?}");
    assert!(
        plain.values().all(|share| (0.2..0.47).contains(share)),
        "{plain:?}"
    );
    // In equilibrium rock is never played, and the others are equally likely.
    let with_well = first_moves(&RockPaperScissors::with_well(1), 400, 150);
    println!("{with_well:.2?}");
    let share = |mv| with_well.get(mv).copied().unwrap_or(0.0);
    assert!(share("rock") < 0.12, "{with_well:?}");
    for mv in ["paper", "scissors", "well"] {
        assert!((0.17..0.52).contains(&share(mv)), "{with_well:?}");
    }
}

/// A strategy for Kuhn poker: the probability of a bet, given the card and the moves so far.
type Betting = dyn Fn(u8, &str) -> f64;

/// Expected gain of seat 0 per hand.
fn expected(first: &Betting, second: &Betting) -> f64 {
    fn after(hand: &KuhnPoker, strategies: [&Betting; 2]) -> f64 {
        if let Some(chips) = hand.winnings() {
            return chips as f64;
        }
        let seat = hand.moves.len() % 2;
        let bet = strategies[seat](hand.cards[seat], &hand.moves.join(" "));
        let value = |mv: &str| {
            let mut next = hand.clone();
            next.moves.push(mv.to_owned());
            after(&next, strategies)
        };
        bet * value("bet") + (1.0 - bet) * value("pass")
    }
    let deals = (0..3).flat_map(|one| (0..3).map(move |other| (one, other)));
    let deals = deals.filter(|(one, other)| one != other);
    let values = deals.map(|(one, other)| {
        let hand = KuhnPoker {
            cards: vec![one, other],
            moves: Vec::new(),
        };
        after(&hand, [first, second])
    });
    values.sum::<f64>() / 6.0
}

/// The equilibrium in which seat 0 bluffs as often as it can.
fn equilibrium(card: u8, moves: &str) -> f64 {
    match (moves, card) {
        ("", 0) => 1.0 / 3.0,
        ("", 2) => 1.0,
        ("pass bet", 1) => 2.0 / 3.0,
        ("pass", 0) | ("bet", 1) => 1.0 / 3.0,
        ("pass" | "bet" | "pass bet", 2) => 1.0,
        _ => 0.0,
    }
}

/// The most that an opponent who knows this strategy wins from the seat a hand.
fn best_reply(strategy: &Betting, seat: usize) -> f64 {
    let situations = match seat {
        0 => ["pass", "bet"],
        _ => ["", "pass bet"],
    };
    let replies = (0..64).map(|reply: u32| {
        let pure = move |card: u8, moves: &str| {
            let place = usize::from(moves == situations[1]);
            f64::from(reply >> (2 * usize::from(card) + place) & 1)
        };
        match seat {
            0 => -expected(strategy, &pure),
            _ => expected(&pure, strategy),
        }
    });
    replies.fold(f64::NEG_INFINITY, f64::max)
}

/// Frequency of bets by `mcts` in each situation of Kuhn poker.
fn betting(playouts: u32, matches: u64) -> BTreeMap<(u8, &'static str), f64> {
    let mut shares = BTreeMap::new();
    for card in 0..3 {
        for moves in ["", "pass", "bet", "pass bet"] {
            let words: Vec<String> = moves.split_whitespace().map(str::to_owned).collect();
            let seat = words.len() % 2;
            let mut cards = vec![(card + 1) % 3; 2];
            cards[seat] = card;
            let start = KuhnPoker {
                cards,
                moves: words,
            };
            let bets = (0..matches).filter(|seed| {
                let table = Table::of(start.clone(), *seed);
                let mut session = table.rules.start(*seed).unwrap();
                let mut bot = table.bot("mcts", playouts);
                bot.start(&table.start(seat, &*session)).unwrap();
                chosen(&mut *bot, &table.turn(seat, &mut *session, &[])).0 == "bet"
            });
            shares.insert((card, moves), bets.count() as f64 / matches as f64);
        }
    }
    shares
}

/// Losses of `mcts` per hand of Kuhn poker, averaged over both seats: against the equilibrium, and
/// against the best response.
fn losses(playouts: u32, matches: u64) -> [f64; 2] {
    let shares = betting(playouts, matches);
    println!("{shares:.2?}");
    let mcts = move |card: u8, moves: &str| {
        let known = shares
            .iter()
            .find(|((of, after), _)| *of == card && *after == moves);
        *known.unwrap().1
    };
    let to_equilibrium = expected(&equilibrium, &mcts) - expected(&mcts, &equilibrium);
    let to_best = best_reply(&mcts, 0) + best_reply(&mcts, 1);
    [to_equilibrium / 2.0, to_best / 2.0]
}

#[test]
fn the_equilibrium_of_kuhn_poker_is_one() {
    assert!((expected(&equilibrium, &equilibrium) + 1.0 / 18.0).abs() < 1e-12);
    assert!((best_reply(&equilibrium, 0) - 1.0 / 18.0).abs() < 1e-12);
    assert!((best_reply(&equilibrium, 1) + 1.0 / 18.0).abs() < 1e-12);
}

/// In chips; the ante is one. A bot that moves at random loses about 0.2 to the equilibrium.
#[test]
fn mcts_loses_little_to_the_equilibrium_of_kuhn_poker() {
    let [to_equilibrium, to_best] = losses(400, 40);
    println!("{to_equilibrium:.4} to the equilibrium, {to_best:.4} to the best reply");
    assert!(to_equilibrium < 0.05, "{to_equilibrium}");
    assert!(to_best < 0.2, "{to_best}");
}

/// Prints what `mcts` loses a hand in Kuhn poker, by its number of playouts:
/// `cargo test -p referee-bots --test any_game kuhn_by_playouts -- --ignored --nocapture`.
#[test]
#[ignore = "measures strength, and takes a minute"]
fn kuhn_by_playouts() {
    for playouts in [100, 1000, 5000] {
        let [to_equilibrium, to_best] = losses(playouts, 100);
        println!(
            "{playouts:6} playouts: {to_equilibrium:.4} to the equilibrium, {to_best:.4} to the best reply"
        );
        assert!(to_equilibrium < 0.05 && to_best < 0.25);
    }
}

/// Prints the mean outcomes of `mcts` against `random` and `greedy`, by its number of playouts:
/// `cargo test -p referee-bots --test any_game rates_by_playouts -- --ignored --nocapture`.
#[test]
#[ignore = "measures strength, and takes minutes"]
fn rates_by_playouts() {
    for playouts in [100, 400] {
        for other in ["random", "greedy"] {
            let mcts = ("mcts", playouts);
            let rates = [
                duel(ConnectFour::default(), mcts, (other, 1), 20),
                duel(Goofspiel::new(5), mcts, (other, 1), 100),
                duel(Pig::new(30), mcts, (other, 1), 50),
                duel(LiarsDice::new(2), mcts, (other, 1), 50),
            ];
            println!(
                "{playouts} against {other}: connect-four, goofspiel, pig, liars-dice {rates:.3?}"
            );
            assert!(other != "random" || rates.iter().all(|&rate| rate > 0.6));
        }
    }
}

#[test]
fn every_bot_plays_every_game_the_same_way_twice() {
    fn check<P: Position>(start: P) {
        for name in ["random", "greedy", "mcts"] {
            let table = Table::of(start.clone(), 3);
            let both = || (0..2).map(|_| table.bot(name, 20)).collect::<Vec<_>>();
            let mut bots = both();
            let first = table.play(&mut bots);
            // A process that played before chooses the same moves as a fresh one.
            assert_eq!(first, table.play(&mut bots), "{} {name}", P::ID);
            assert_eq!(first, table.play(&mut both()), "{} {name}", P::ID);
        }
    }
    check(ConnectFour::default());
    check(Goofspiel::new(4));
    check(KuhnPoker::default());
    check(LiarsDice::new(1));
    check(Pig::new(10));
    check(RockPaperScissors::new(3));
}

#[test]
fn hello_says_what_a_bot_plays_and_wants() {
    let table = Table::of(Pig::new(10), 0);
    for (name, plays_all) in [
        ("random", true),
        ("greedy", true),
        ("alphabeta", false),
        ("mcts", true),
    ] {
        let hello = table.bot(name, 1).hello();
        assert!(hello.wants.state && hello.wants.legal, "{name}");
        let built_in: Vec<String> = games::GAMES
            .iter()
            .map(|game| game.info.id.clone())
            .collect();
        assert_eq!(hello.games, (!plays_all).then_some(built_in), "{name}");
        let hello = table.bot_of(&Catalog::built_in(), name, 1).hello();
        assert!(
            !hello.wants.state && !hello.wants.legal && hello.games.is_none(),
            "{name}"
        );
    }
    let session = table.rules.start(0).unwrap();
    let refused = table.bot("alphabeta", 1).start(&table.start(0, &*session));
    let message = refused.unwrap_err().to_string();
    assert_eq!(
        message,
        "`alphabeta` plays only games that are compiled in, and `pig` is not"
    );
}

/// Siam under another id, as a rules source that is this very program has it.
fn far_siam() -> Arc<Entry> {
    let siam = games::find("siam").unwrap();
    let mut info = siam.info.clone();
    info.id = "far-siam".to_owned();
    let entry = Entry::new(info, String::new(), |options| {
        games::find("siam").unwrap().configure(options)
    });
    Arc::new(entry.played_as("siam"))
}

#[test]
fn a_game_that_is_compiled_in_is_played_alike_under_any_id() {
    let mut catalog = Catalog::built_in();
    catalog.add(far_siam()).unwrap();
    for name in ["random", "greedy", "alphabeta", "mcts"] {
        let first_move = |id: &str| {
            let siam = catalog.find(id).unwrap().clone();
            assert_eq!(siam.builtin(), Some("siam"));
            let table = Table {
                rules: siam.configure(&Value::Null).unwrap(),
                entry: siam,
                seed: 5,
                limits: Limits::default(),
            };
            let mut session = table.rules.start(5).unwrap();
            let options = BotOptions {
                playouts: Some(50),
                nodes: Some(50),
                ..BotOptions::default()
            };
            let mut bot = find(name).unwrap().make(&options, &catalog).unwrap();
            let mut start = table.start(0, &*session);
            start.game = id.to_owned();
            start.options = table.rules.options().to_json();
            bot.start(&start).unwrap();
            assert!(!bot.hello().wants.legal, "all are compiled in");
            chosen(&mut *bot, &table.turn(0, &mut *session, &[]))
        };
        assert_eq!(first_move("siam"), first_move("far-siam"), "{name}");
    }
}

#[test]
fn games_that_nobody_knows_or_whose_rules_fail_are_played_by_what_is_legal() {
    let table = Table::of(Pig::new(10), 0);
    let mut failing = Catalog::built_in();
    let info = table.entry.info.clone();
    let entry = Entry::new(info, String::new(), |_| {
        Err(BrokenRules::new("the rules do not answer").into())
    });
    failing.add(Arc::new(entry)).unwrap();
    let mut other = Catalog::built_in();
    other
        .add(games::test_games::entry(KuhnPoker::default()))
        .unwrap();
    let mut session = table.rules.start(0).unwrap();
    let start = table.start(0, &*session);
    for catalog in [failing, other] {
        for name in ["random", "greedy", "mcts"] {
            let mut bot = table.bot_of(&catalog, name, 10);
            bot.start(&start).unwrap();
            let (mv, _) = chosen(&mut *bot, &table.turn(0, &mut *session, &[]));
            assert!(["roll", "hold"].contains(&mv.as_str()), "{name}: {mv}");
        }
    }
    let mut bot = table.bot_of(&Catalog::built_in(), "random", 10);
    let error = bot.start(&start).unwrap_err().to_string();
    assert!(error.contains("unknown game `pig`"), "{error}");
}

#[test]
fn a_search_ends_where_the_match_does() {
    let mut table = Table::of(Pig::new(50), 0);
    table.limits.max_plies = Some(3);
    let mut session = table.rules.start(0).unwrap();
    for step in ["roll", "5"] {
        session.play(step).unwrap();
    }
    for name in ["greedy", "mcts"] {
        let mut bot = table.bot(name, 50);
        bot.start(&table.start(0, &*session)).unwrap();
        let (mv, _) = chosen(&mut *bot, &table.turn(0, &mut *session, &[]));
        assert_eq!(mv, "hold", "{name}: with this ply the points decide");
    }
}

#[test]
fn there_is_a_move_even_without_any_time() {
    fn check<P: Position>(start: P) {
        let table = Table::of(start, 1);
        let mut session = table.rules.start(1).unwrap();
        for name in ["greedy", "mcts"] {
            let options = BotOptions::default();
            let mut bot = find(name)
                .unwrap()
                .make(&options, &table.catalog())
                .unwrap();
            bot.start(&table.start(0, &*session)).unwrap();
            let mut turn = table.turn(0, &mut *session, &[]);
            turn.clock.move_ms = Some(Millis::default());
            let (mv, _) = chosen(&mut *bot, &turn);
            session.check_move(0, &mv).unwrap();
        }
    }
    check(ConnectFour::default());
    check(RockPaperScissors::new(3));
    check(KuhnPoker {
        cards: vec![1, 0],
        moves: Vec::new(),
    });
}

#[test]
fn low_levels_play_random_moves_in_any_game() {
    let table = Table::of(ConnectFour::default(), 2);
    let options = BotOptions {
        level: Level::new(1),
        ..BotOptions::default()
    };
    let mut session = table.rules.start(0).unwrap();
    for (name, expected) in [("greedy", 28..40), ("mcts", 3..20)] {
        let mut bot = find(name)
            .unwrap()
            .make(&options, &table.catalog())
            .unwrap();
        bot.start(&table.start(0, &*session)).unwrap();
        let turn = table.turn(0, &mut *session, &[]);
        let random = (0..40).filter(|_| {
            let (_, info) = chosen(&mut *bot, &turn);
            info["text"] == "a move at random"
        });
        assert!(expected.contains(&random.count()), "{name}");
    }
}

#[test]
fn best_lines_are_told_in_games_of_every_kind() {
    fn ask<P: Position>(game: P, seat: usize) {
        let table = Table::of(game, 1);
        let mut session = table.rules.start(1).unwrap();
        while session.to_move().alone().is_none() && session.to_move().has_chance() {
            let outcome = session.chances().remove(0).0;
            session.play(&outcome).unwrap();
        }
        for name in ["greedy", "mcts"] {
            let mut bot = table.bot(name, 200);
            bot.start(&table.start(seat, &*session)).unwrap();
            let turn = Turn {
                lines: Some(2),
                ..table.turn(seat, &mut *session, &[])
            };
            let Choice::Move { mv, info, .. } = bot.choose(&turn).unwrap() else {
                panic!("{name} resigns")
            };
            let info = info.unwrap();
            let (read, complaints) = protocol::SearchInfo::read(&info, 2);
            assert_eq!(
                (read.lines.len(), complaints.len()),
                (2, 0),
                "{name}: {info}"
            );
            assert!(
                read.lines.iter().all(|line| line.value.is_some()),
                "{name}: {info}"
            );
            assert!(turn.legal.unwrap().iter().any(|legal| legal == mv));
        }
    }
    ask(ConnectFour::default(), 0);
    ask(Pig::new(10), 0);
    ask(RockPaperScissors::new(2), 1);
    ask(KuhnPoker::default(), 0);
}
