//! The reference bots in games whose rules are not compiled in: several seats at once, chance, hidden
//! information. Playouts are counted, so that the moves are the same on every machine.

use std::sync::Arc;

use bots::sdk::{Bot, Choice};
use bots::{BotOptions, find};
use games::session::{Session, draw};
use games::test_games::{
    ConnectFour, Goofspiel, KuhnPoker, LiarsDice, Pig, Position, RockPaperScissors, entry,
};
use games::{Actor, Catalog, Entry, Rng, Rules};
use protocol::{
    ClockState, Limits, MoveList, Opponent, PlayedMove, Start, TimeControl, Turn, Wants,
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
        find(name).unwrap().make(&options, catalog)
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
        }
    }

    /// What a seat that wants everything is sent. `news` are the plies since its last turn.
    fn turn(&self, seat: usize, session: &mut dyn Session, news: &[PlayedMove]) -> Turn {
        let hidden = self.rules.info().hidden;
        let mut legal = MoveList::default();
        session.each_legal(seat, &mut |mv| legal.push(mv));
        let is_sent = |played: &&PlayedMove| !hidden || played.seat == Some(seat);
        Turn {
            ply: session.ply(),
            moves: news.iter().filter(is_sent).cloned().collect(),
            sees: hidden.then(Vec::new),
            state: (!hidden).then(|| session.state().unwrap()),
            observation: hidden.then(|| session.observation(seat).unwrap()),
            legal: Some(legal),
            clock: ClockState::default(),
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
        Choice::Move { mv, info } => (mv, info.unwrap_or_default()),
        Choice::Resign => panic!("reference bots do not resign"),
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
fn explore() {
    for c in [100, 400] {
        let t = std::time::Instant::now();
        println!("c4 {c} {}", duel(ConnectFour::default(), ("mcts", c), ("random", 1), 10));
        println!("{:?}", t.elapsed());
        println!("c4 {c} vs greedy {}", duel(ConnectFour::default(), ("mcts", c), ("greedy", 1), 10));
        println!("goof {c} {}", duel(Goofspiel::new(5), ("mcts", c), ("random", 1), 40));
        println!("well {c} {}", duel(RockPaperScissors::with_well(9), ("mcts", c), ("random", 1), 40));
        println!("pig {c} {}", duel(Pig::new(30), ("mcts", c), ("random", 1), 40));
        println!("liar {c} {}", duel(LiarsDice::new(2), ("mcts", c), ("random", 1), 40));
        println!("{:?}", t.elapsed());
    }
    println!("greedy c4 {}", duel(ConnectFour::default(), ("greedy", 1), ("random", 1), 20));
    println!("greedy goof {}", duel(Goofspiel::new(5), ("greedy", 1), ("random", 1), 40));
    println!("greedy pig {}", duel(Pig::new(30), ("greedy", 1), ("random", 1), 40));
    println!("greedy liar {}", duel(LiarsDice::new(2), ("greedy", 1), ("random", 1), 40));
    println!("greedy kuhn {}", duel(KuhnPoker::default(), ("greedy", 1), ("random", 1), 40));
    let _ = Wants::default();
}
