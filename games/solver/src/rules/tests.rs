//! Rules made for speed against the rules of the games.

use std::collections::HashMap;

use games::rules::amazons::Amazons;
use games::rules::paper_penguins::PaperPenguins;
use games::rules::penguins::Penguins;
use games::{Game, Options, Rng};
use serde_json::{Value, json};

use super::amazons::AmazonsRules;
use super::generic::GenericRules;
use super::penguins::PenguinsRules;
use super::{FromGame, Keyed};
use crate::engine::{Asked, HasEngine as _, Means};
use crate::keys::Keys;
use crate::search::Method;

fn rules<G: Game>(options: &Value) -> G {
    G::new(&Options::of::<G>(options).unwrap()).unwrap()
}

/// Checks that two kinds of keys distinguish the same positions.
#[derive(Default)]
struct SameKeys {
    to_fast: HashMap<u128, u128>,
    to_slow: HashMap<u128, u128>,
}

impl SameKeys {
    fn check(&mut self, slow: u128, fast: u128) {
        assert_eq!(*self.to_fast.entry(slow).or_insert(fast), fast);
        assert_eq!(*self.to_slow.entry(fast).or_insert(slow), slow);
    }
}

/// Both kinds of rules, and the keys seen so far.
struct Both<'g, G, R> {
    game: &'g G,
    fast: R,
    slow_keys: Keys,
    same: SameKeys,
}

impl<'g, G: Game, R: FromGame<G>> Both<'g, G, R>
where
    R::Position: PartialEq + std::fmt::Debug,
{
    fn new(game: &'g G, fast: R) -> Self {
        let slow_keys = Keys::new(game.solvable().unwrap().board);
        let same = SameKeys::default();
        Both {
            game,
            fast,
            slow_keys,
            same,
        }
    }

    fn next(&self, position: &G::Position) -> Vec<G::Position> {
        let mut moves = Vec::new();
        self.game.legal(position, &mut moves);
        let play = |mv| {
            let mut next = *position;
            self.game.play_unchecked(&mut next, mv);
            next
        };
        moves.into_iter().map(play).collect()
    }

    /// The moves, the keys, the margins and the end are the same.
    fn compare(&mut self, position: &G::Position) {
        let fast = self.fast.position(self.game, position);
        let margin = self.game.margin(position);
        let Some(seat) = self.game.to_move(position) else {
            assert_eq!(self.fast.quick_bounds(&fast), (margin, margin));
            return;
        };
        assert_eq!(self.fast.mover(&fast), seat);
        let (least, most) = self.fast.quick_bounds(&fast);
        assert!(least < most, "{fast:?} is not over");
        let mut ours = Vec::new();
        self.fast.successors(&fast, &mut ours).unwrap();
        let theirs = self.next(position);
        assert_eq!(ours.len() as u32, self.fast.mobility(&fast), "{fast:?}");
        assert_eq!(ours.len(), theirs.len(), "{fast:?}");
        for next in theirs {
            let expected = self.fast.position(self.game, &next);
            let found = ours.iter().find(|found| found.position == expected);
            let Keyed { key, .. } = found.unwrap();
            if self.game.to_move(&next).is_some() {
                assert_eq!(*key, self.fast.key(&expected));
                self.same.check(self.slow_keys.key(self.game, &next), *key);
            }
        }
    }

    fn random_game(&mut self, mut position: G::Position, seed: u64) {
        let mut rng = Rng::from_parts(&[seed, 0xfa57]);
        loop {
            self.compare(&position);
            if self.game.to_move(&position).is_none() {
                return;
            }
            let mv = self.game.random_move(&position, &mut rng, &mut Vec::new());
            self.game.play_unchecked(&mut position, mv);
        }
    }
}

/// A random state of the Amazons; the seats need not have the same number of them.
fn scattered(game: &Amazons, seed: u64) -> Option<<Amazons as Game>::Position> {
    let mut rng = Rng::from_parts(&[seed, 0x57a7e]);
    let mut cells: Vec<u8> = game.board().cells().collect();
    rng.shuffle(&mut cells);
    let mut take = |count: u64| {
        let taken = cells.split_off(cells.len() - count as usize);
        let names = taken.iter().map(|cell| game.board().name(*cell));
        Value::from_iter(names)
    };
    let amazons = [take(1 + rng.below(5)), take(1 + rng.below(5))];
    let arrows = take(rng.below(game.board().len() as u64 - 10));
    let state = json!({"ply": 7, "to_move": rng.below(2), "amazons": amazons, "arrows": arrows,
        "scores": [0, 0]});
    game.load(&state).ok()
}

#[test]
fn amazons_move_as_in_the_rules() {
    for size in 5..=8 {
        let game: Amazons = rules(&json!({"size": size}));
        let mut both = Both::new(&game, AmazonsRules::new(game.board()));
        for seed in 0..3 {
            both.random_game(game.start(&mut Rng::new(0)), seed);
        }
        let states: Vec<_> = (0..30).filter_map(|seed| scattered(&game, seed)).collect();
        assert!(states.len() > 15, "{}", states.len());
        for (position, seed) in states.into_iter().zip(0..) {
            both.random_game(position, seed);
        }
    }
}

#[test]
fn penguins_move_as_in_the_rules() {
    for size in 4..=8 {
        let game: PaperPenguins = rules(&json!({"size": size}));
        let pieces = if size < 6 { 2 } else { 4 };
        let mut both = Both::new(&game, PenguinsRules::new(game.board(), pieces, false));
        for seed in 0..4 {
            both.random_game(game.start(&mut Rng::new(seed)), seed);
            // Keys do not distinguish the points of cells, which are fixed on one board.
            both.same = SameKeys::default();
        }
    }
    for placement in ["one-fish", "any"] {
        let game: Penguins = rules(&json!({"placement": placement}));
        let fast = PenguinsRules::new(game.board(), 4, placement == "one-fish");
        let mut both = Both::new(&game, fast);
        for seed in 0..6 {
            both.random_game(game.start(&mut Rng::new(seed)), seed);
        }
    }
}

/// Few cells with one fish, so that most penguins are placed on others.
#[test]
fn penguins_are_placed_elsewhere_if_no_cell_with_one_fish_is_left() {
    let fish = [
        "23222322", "0000000", "33333333", "2222222", "12222221", "3333333", "00000000", "2222221",
    ];
    let game: Penguins = rules(&json!({"setup": "given", "fish": fish}));
    let mut both = Both::new(&game, PenguinsRules::new(game.board(), 4, true));
    for seed in 0..4 {
        both.random_game(game.start(&mut Rng::new(seed)), seed);
    }
}

/// The position this many plies before the end of a random game, or its start.
fn late<G: Game>(game: &G, mut position: G::Position, seed: u64, plies: usize) -> G::Position {
    let mut rng = Rng::from_parts(&[seed, 0x1a7e]);
    let mut positions = vec![position];
    while game.to_move(&position).is_some() {
        let mv = game.random_move(&position, &mut rng, &mut Vec::new());
        game.play_unchecked(&mut position, mv);
        positions.push(position);
    }
    positions[positions.len().saturating_sub(plies + 1)]
}

/// Positions have the same value in both implementations of the moves.
fn compare_values<G: Game>(game: &G, position: &G::Position, needs: &[i32]) {
    if game.to_move(position).is_none() {
        return;
    }
    let about = game.solvable().unwrap();
    assert!(about.movement.is_some());
    let means = |method| Means {
        method,
        bytes: 1 << 18,
        watch: Box::new(|_: &_| true),
    };
    let slow_rules = GenericRules::new(game, about.board);
    let mut slow = Asked::boxed(game, slow_rules, means(Method::ProofNumber));
    for &need in needs {
        let answer = slow.bound(position, need).unwrap() >= need;
        for method in [Method::ProofNumber, Method::AlphaBeta] {
            let mut fast = game.engine(means(method)).unwrap();
            let ours = fast.bound(position, need).unwrap() >= need;
            assert_eq!(ours, answer, "{} {need} {method:?}", game.save(position));
        }
    }
}

#[test]
fn values_of_late_positions_are_the_same() {
    for size in 5..=8 {
        let game: Amazons = rules(&json!({"size": size}));
        for seed in 0..20 {
            let start = game.start(&mut Rng::new(0));
            compare_values(&game, &late(&game, start, seed, 5), &[1]);
            if let Some(start) = scattered(&game, seed) {
                compare_values(&game, &late(&game, start, seed, 5), &[1]);
            }
        }
    }
    for size in [4, 5, 6, 8] {
        let game: PaperPenguins = rules(&json!({"size": size}));
        for seed in 0..10 {
            let start = game.start(&mut Rng::new(seed));
            compare_values(&game, &late(&game, start, seed, 6), &[-2, 0, 1, 4]);
        }
    }
    let game: Penguins = rules(&json!({}));
    for seed in 0..10 {
        let start = game.start(&mut Rng::new(seed));
        compare_values(&game, &late(&game, start, seed, 6), &[-2, 0, 1, 4]);
    }
}
