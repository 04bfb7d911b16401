//! Positions in lanes against positions one by one, step by step, and the games of both kinds.

use games::playout::{PlayoutBudget, PlayoutRequest};
use games::{Rng, Session};

use super::positions::{LanePositions, LegalLanes};
use super::word::{Word, is_none, lanes_of, none, set, without};
use super::{Lanes, play};
use crate::engine::{Engine, Series};
use crate::ground::Ground;
use crate::limits::GroundLimits;
use crate::network::{Network, NetworkPosition};
use crate::read::Sheet;
use crate::{Names, SheetGame};

#[path = "../../../tests/against_oracle/generator.rs"]
mod generator;

/// More steps than most games have.
const MOST_STEPS: usize = 150;

fn network(text: &str) -> Network {
    let ground = Ground::new(Sheet::read(text).unwrap(), &GroundLimits::DEFAULT).unwrap();
    Network::new(&ground, GroundLimits::DEFAULT.change).unwrap()
}

/// The sheets of the project but for those that are very large.
fn sheets() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../sheets");
    let files = std::fs::read_dir(folder).unwrap();
    let mut sheets = Vec::new();
    for file in files {
        let path = file.unwrap().path();
        let id = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if !["amazons-6x6", "othello"].contains(&&*id) {
            sheets.push((id, std::fs::read_to_string(path).unwrap()));
        }
    }
    sheets.sort();
    sheets
}

fn start(id: &str, text: &str) -> Box<dyn Session> {
    let game = SheetGame::new(&Names { id, own_id: id }, text).unwrap();
    game.rules.start(0).unwrap()
}

/// Steps in all lanes, and the same one by one.
struct Both<'n, const N: usize> {
    network: &'n Network,
    lanes: LanePositions<'n, N>,
    single: Vec<NetworkPosition>,
    rng: Rng,
}

impl<const N: usize> Both<'_, N> {
    /// Compares all positions and makes a step in those that are not over; `false` if all are.
    fn step(&mut self) -> bool {
        self.lanes.look();
        let over = self.lanes.over();
        let mut going: Word<N> = none();
        for lane in 0..N * 64 {
            set(&mut going, lane);
        }
        going = without(going, over);
        for (lane, single) in self.single.iter().enumerate() {
            let is_over = self.network.is_over(single);
            assert_eq!(lanes_of(over).any(|other| other == lane), is_over);
            let facts = self.lanes.facts(lane);
            assert_eq!(facts[..], single.live.inputs[..facts.len()]);
        }
        self.compare_goals(over);
        if is_none(going) {
            return false;
        }
        let roles = self.network.roles().len();
        let mut indices = vec![Vec::new(); N * 64];
        self.lanes.begin_step();
        for role in 0..roles {
            let mut legal = LegalLanes::default();
            let stuck = self.lanes.legal(role, going, &mut legal);
            let single = &self.single;
            let network = self.network;
            for lane in lanes_of(going) {
                let is_stuck = network.count_legal(&single[lane], role) == 0;
                assert_eq!(lanes_of(stuck).any(|other| other == lane), is_stuck);
            }
            if !is_none(stuck) {
                return false;
            }
            let rng = &mut self.rng;
            // A single legal move is not drawn.
            indices.iter_mut().for_each(|chosen| chosen.push(0));
            self.lanes.choose(role, &legal, going, |lane, count| {
                assert_eq!(count, network.count_legal(&single[lane], role));
                indices[lane][role] = rng.index(count);
                indices[lane][role]
            });
        }
        for lane in lanes_of(going) {
            let mut legal = Vec::new();
            let joint = (0..roles).map(|role| {
                self.network.legal(&self.single[lane], role, &mut legal);
                legal[indices[lane][role]]
            });
            let joint: Vec<u32> = joint.collect();
            let single = &mut self.single[lane];
            self.network.step(single, &joint, None).unwrap();
        }
        self.lanes.step(going);
        true
    }

    fn compare_goals(&mut self, over: Word<N>) {
        let roles: Vec<usize> = (0..self.network.roles().len()).collect();
        let (network, single) = (self.network, &self.single);
        let compare = |lane: usize, goals: &[i64]| {
            let mut expected = Vec::new();
            let take = &mut |goal: Option<i64>| expected.push(goal.unwrap_or(0));
            network.each_goal(&single[lane], &roles, take).unwrap();
            assert_eq!(goals, expected);
        };
        if self.lanes.each_goal(&roles, over, compare).is_err() {
            let mut all = lanes_of(over);
            let ignore = &mut |_: Option<i64>| {};
            assert!(all.any(|lane| network.each_goal(&single[lane], &roles, ignore).is_err()));
        }
    }
}

fn compare<const N: usize>(text: &str) -> usize {
    compare_network::<N>(&network(text))
}

/// Returns the number of steps.
fn compare_network<const N: usize>(network: &Network) -> usize {
    let lanes = Lanes::new(&network.circuit).unwrap();
    let start = network.start().unwrap();
    let mut both = Both::<N> {
        network,
        lanes: LanePositions::new(&lanes),
        single: vec![start.clone(); N * 64],
        rng: Rng::new(3),
    };
    let mut every = none();
    (0..N * 64).for_each(|lane| set(&mut every, lane));
    both.lanes.put(&start.live.inputs, every);
    (0..MOST_STEPS).take_while(|_| both.step()).count()
}

#[test]
fn lanes_are_positions() {
    for (id, text) in sheets() {
        assert!(compare::<1>(&text) > 0 && compare::<2>(&text) > 0, "{id}");
    }
    // One with very many gates that wait for moves.
    let othello = concat!(env!("CARGO_MANIFEST_DIR"), "/../sheets/othello.kif");
    assert!(compare::<1>(&std::fs::read_to_string(othello).unwrap()) > 50);
}

#[test]
fn lanes_of_generated_sheets_are_positions() {
    let count = std::env::var("GDL_SHEETS")
        .ok()
        .and_then(|count| count.parse().ok());
    let mut steps = 0;
    for seed in 0..count.unwrap_or(150) {
        let text = generator::sheet(&mut Rng::from_parts(&[seed, 23]));
        let Ok(ground) = Ground::new(Sheet::read(&text).unwrap(), &GroundLimits::DEFAULT) else {
            continue;
        };
        if let Ok(network) = Network::new(&ground, GroundLimits::DEFAULT.change) {
            steps += compare_network::<1>(&network);
        }
    }
    assert!(steps > 300, "{steps} steps are too few to show anything");
}

/// What is connected is found by going round and round, also where it depends on the moves.
#[test]
fn circles_are_evaluated_in_lanes() {
    let text = "
        (role r) (node 1) (node 2) (node 3) (node 4)
        (init (link 1 2)) (init (step 0))
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
        (<= (legal r (join ?a ?b)) (node ?a) (node ?b) (distinct ?a ?b))
        (<= (legal r (cut ?a ?b)) (true (link ?a ?b)))
        (<= (linked ?a ?b) (true (link ?a ?b)) (not (does r (cut ?a ?b))))
        (<= (linked ?a ?b) (does r (join ?a ?b)))
        (<= (reaches ?a ?b) (linked ?a ?b))
        (<= (reaches ?a ?c) (reaches ?a ?b) (linked ?b ?c))
        (<= (next (link ?a ?b)) (linked ?a ?b))
        (<= (next (round ?a)) (reaches ?a ?a))
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (<= (path ?a ?b) (true (link ?a ?b)))
        (<= (path ?a ?c) (path ?a ?b) (path ?b ?c))
        (<= terminal (path 1 4) (path 4 1))
        (<= terminal (true (step 4)))
        (<= (goal r 100) (path 1 1))
        (<= (goal r 50) (true (round 2)) (not (path 1 1)))";
    assert!(compare::<1>(text) > 1);
}

/// Means and lengths of games at once and one by one differ by no more than chance.
#[test]
fn games_at_once_are_distributed_as_games_one_by_one() {
    const GAMES: u32 = 3_000;
    for (id, text) in sheets() {
        let session = start(&id, &text);
        let at_once = session
            .playout_means(&PlayoutRequest::new(GAMES, 1))
            .unwrap();
        // One by one: a request for fewer games at a time is not worth the lanes.
        let single: Vec<_> = (0..u64::from(GAMES))
            .map(|seed| {
                session
                    .playout_means(&PlayoutRequest::new(1, seed))
                    .unwrap()
            })
            .collect();
        let mean = |of: &dyn Fn(usize) -> f64| {
            let (sum, squares) = (0..single.len()).fold((0.0, 0.0), |(sum, squares), at| {
                (sum + of(at), squares + of(at) * of(at))
            });
            let mean = sum / f64::from(GAMES);
            let variance = squares / f64::from(GAMES) - mean * mean;
            (mean, (2.0 * variance.max(0.0) / f64::from(GAMES)).sqrt())
        };
        let check = |what: &str, found: f64, (mean, error): (f64, f64)| {
            assert!(
                (found - mean).abs() <= 5.0 * error + 1e-9,
                "{id}: {what} {found}, one by one {mean} ± {error}"
            );
        };
        check("plies", at_once.plies, mean(&|at| single[at].plies));
        for seat in 0..at_once.outcome.len() {
            let outcome = mean(&|at| single[at].outcome[seat]);
            check("outcome", at_once.outcome[seat], outcome);
        }
    }
}

#[test]
fn games_count_in_the_order_in_which_they_began() {
    let (id, text) = &sheets()[1];
    let session = start(id, text);
    let request = PlayoutRequest::new(1_000, 7);
    let whole = session.playout_means(&request).unwrap();
    let plies = (1_000.0 * whole.plies).round() as u64;
    let within = |plies| {
        session
            .playouts(&request, PlayoutBudget::Plies(plies))
            .unwrap()
    };
    assert_eq!(within(plies).unwrap().means, whole);
    assert_eq!(within(plies - 1), None);
    // What is played until some moment is the beginning of what would be played.
    let network = network(text);
    let lanes = Lanes::new(&network.circuit).unwrap();
    let start = network.start().unwrap();
    let seats: Vec<usize> = (0..network.roles().len()).collect();
    let series = |count| Series {
        seats: &seats,
        from: start.live.inputs.clone(),
        ply: 0,
        last: u32::MAX,
        count,
        first: None,
    };
    let games = |most: usize| {
        let mut games = Vec::new();
        let mut rng = Rng::new(5);
        let mut take = |plies: u32, goals: &[i64]| {
            games.push((plies, goals.to_vec()));
            games.len() < most
        };
        play::<1>(&lanes, &series(500), &mut rng, &mut take).unwrap();
        games
    };
    let all = games(usize::MAX);
    assert_eq!(all.len(), 500);
    assert_eq!(games(123), all[..123]);
}

/// Games that begin with each move in turn have the outcomes of games after that move.
#[test]
fn games_by_first_move_are_those_after_each_move() {
    const TIMES: u64 = 60;
    let mut tested = 0;
    for (id, text) in sheets() {
        let session = start(&id, &text);
        // Elsewhere chance begins, or several act.
        let Some(seat) = session.to_move().alone() else {
            continue;
        };
        tested += 1;
        let moves = session.fork().legal_of(seat).unwrap();
        let mut sums = vec![(0.0, 0.0, 0); moves.len()];
        for seed in 0..TIMES {
            let first = seed as usize * 7;
            let games = session.playouts_by_move(64, first, None, seed).unwrap();
            for (game, outcome) in games.unwrap().iter().enumerate() {
                let (sum, _, count) = &mut sums[(first + game) % moves.len()];
                *sum += outcome[seat];
                *count += 1;
            }
        }
        for (mv, (sum, single, count)) in moves.iter().zip(&mut sums) {
            let child = session.child(&[mv]).unwrap();
            for seed in 0..*count {
                let played = child.playout_means(&PlayoutRequest::new(1, seed)).unwrap();
                *single += played.outcome[seat];
            }
            assert!(*count > 0 || moves.len() > 64, "{id} {mv}");
            // Five standard deviations of the difference at most.
            let most = 5.0 * (2.0 * *count as f64).sqrt() / 2.0;
            assert!(
                (*sum - *single).abs() <= most,
                "{id} {mv}: {sum} {single} of {count}"
            );
        }
    }
    assert!(tested >= 8, "{tested}");
}
