//! Walks on random graphs, with and without circles, against the plain definition of a forced end.

use games::session::Tally;
use games::test_games::{Perceived, Position, RockPaperScissors, rules};
use games::{Rng, Seat, ToMove};
use serde::{Deserialize, Serialize};

use super::*;
use crate::search::Watch;
use crate::solve::{Solver, Value};

const NODES: u32 = 24;

/// A token on a graph that its seed describes: who moves it at a node, where to, and what the ends are
/// worth. Without circles, moves lead to nodes of higher numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Walk {
    seed: u64,
    circles: bool,
    node: u32,
}

impl Walk {
    fn at(&self, node: u32) -> Self {
        Walk {
            node,
            ..self.clone()
        }
    }

    fn rng(&self) -> Rng {
        Rng::from_parts(&[self.seed, u64::from(self.node)])
    }

    fn is_over(&self) -> bool {
        self.node + 4 >= NODES || self.node > 3 && self.rng().index(9) == 0
    }

    fn mover(&self) -> Seat {
        Rng::from_parts(&[self.seed, u64::from(self.node), 1]).index(2)
    }

    fn goals(&self) -> [i64; 2] {
        let first = Rng::from_parts(&[self.seed, u64::from(self.node), 2]).index(5) as i64;
        [first, 4 - first]
    }

    fn children(&self) -> Vec<u32> {
        let mut rng = self.rng();
        let lowest = if self.circles { 0 } else { self.node + 1 };
        let range = (NODES - lowest) as usize;
        let count = 1 + rng.index(3);
        let mut children: Vec<u32> = (0..count)
            .map(|_| lowest + rng.index(range) as u32)
            .collect();
        children.sort_unstable();
        children.dedup();
        children
    }
}

impl Position for Walk {
    const ID: &'static str = "walk";

    fn ply(&self) -> u32 {
        0
    }

    fn to_move(&self) -> ToMove {
        if self.is_over() {
            return ToMove::OVER;
        }
        ToMove::seat(self.mover())
    }

    fn legal(&self, _seat: Seat) -> Vec<String> {
        self.children().iter().map(u32::to_string).collect()
    }

    fn play(&mut self, choices: &[&str]) -> Perceived {
        self.node = choices[0].parse().expect("a node");
        Vec::new()
    }

    fn tally(&self) -> Tally {
        let goals = self.goals();
        Tally {
            scores: goals.to_vec(),
            outcome: games::rank(&goals),
        }
    }
}

/// True if a seat can force an end that is good for it from the start: the definition, over and over until
/// nothing changes.
fn forces(walk: &Walk, holder: Seat, good: impl Fn(i64) -> bool) -> bool {
    let mut forced = vec![false; NODES as usize];
    loop {
        let before = forced.clone();
        for node in 0..NODES {
            let here = walk.at(node);
            let children = || here.children().into_iter().map(|at| forced[at as usize]);
            let [first, second] = here.goals();
            forced[node as usize] = match here.is_over() {
                true => good(first - second),
                false if here.mover() == holder => children().any(|child| child),
                false => children().all(|child| child),
            };
        }
        if forced == before {
            return forced[0];
        }
    }
}

fn watch() -> Box<Watch<'static>> {
    Box::new(|_: &_| true)
}

/// The value by a method, with its line and its checked proof; or why there is none, with the bounds.
fn solve(walk: &Walk, question: Question, method: Method) -> (Result<Value, Stopped>, Value) {
    let rules = rules(walk.clone());
    let session = rules.start(0).unwrap();
    let game = SessionGame::new(&*rules, false, question);
    let start = game.position(&*session).unwrap();
    let mut solver = Solver::new(&game, start, question, Some(method), 1 << 20, watch()).unwrap();
    let mut found = solver.run();
    if let Ok(value) = found {
        match solver.line() {
            Ok(line) => {
                let mut at = walk.clone();
                for mv in &line {
                    at.play(&[mv]);
                }
                let [first, second] = at.goals();
                let margin = match question {
                    Question::Value => (first - second) as i32,
                    Question::Win => (first - second).signum() as i32,
                };
                assert!(at.is_over(), "{walk:?} {method:?} {line:?}");
                let (least, most) = value.bounds;
                assert!((least..=most).contains(&margin), "{walk:?} {line:?}");
                match solver.check(1000) {
                    Ok(checked) => assert!(checked.is_some()),
                    Err(stopped) => found = Err(stopped),
                }
            }
            Err(stopped) => found = Err(stopped),
        }
    }
    (found, solver.value())
}

#[test]
fn values_are_those_of_the_definition() {
    let (mut endless, mut solved) = (0, 0);
    for seed in 0..150 {
        for circles in [false, true] {
            let walk = Walk {
                seed,
                circles,
                node: 0,
            };
            let margins = [-4, -2, 0, 2, 4];
            let least = margins
                .into_iter()
                .rev()
                .find(|margin| forces(&walk, 0, |found| found >= *margin));
            let most = margins
                .into_iter()
                .find(|margin| forces(&walk, 1, |found| found <= *margin));
            let is_decided = least.is_some() && least == most;
            for method in [Method::AlphaBeta, Method::ProofNumber, Method::Retrograde] {
                let (found, value) = solve(&walk, Question::Value, method);
                match found {
                    Ok(found) => {
                        assert_eq!(
                            Some(i64::from(found.bounds.0)),
                            least,
                            "{walk:?} {method:?}"
                        );
                        assert_eq!(Some(i64::from(found.bounds.1)), most, "{walk:?} {method:?}");
                        solved += 1;
                    }
                    Err(stopped) => {
                        assert_eq!(stopped, Stopped::Endless);
                        assert!(circles, "{walk:?} {method:?}");
                        endless += 1;
                    }
                }
                if method == Method::Retrograde {
                    assert_eq!(found.is_ok(), is_decided, "{walk:?}");
                    let expected = (
                        least.map_or(i32::MIN, |least| least as i32),
                        most.map_or(i32::MAX, |most| most as i32),
                    );
                    assert_eq!(value.bounds, expected, "{walk:?}");
                }
            }
            let (found, value) = solve(&walk, Question::Win, Method::Retrograde);
            let forced = |holder, good: fn(i64) -> bool| forces(&walk, holder, good);
            let winner = match () {
                () if forced(0, |margin| margin > 0) => Some(crate::Winner::Seat(0)),
                () if forced(1, |margin| margin < 0) => Some(crate::Winner::Seat(1)),
                () if forced(0, |margin| margin >= 0) && forced(1, |margin| margin <= 0) => {
                    Some(crate::Winner::Draw)
                }
                () => None,
            };
            assert_eq!(value.winner, winner, "{walk:?}");
            assert_eq!(found.is_ok(), winner.is_some());
        }
    }
    assert!(endless > 50 && solved > 500, "{endless} {solved}");
}

#[test]
fn games_without_turns_are_refused() {
    let rules = rules(RockPaperScissors::new(1));
    let session = rules.start(0).unwrap();
    let game = SessionGame::new(&*rules, false, Question::Win);
    let refused = game.position(&*session).err().unwrap().to_string();
    assert_eq!(
        refused,
        "it cannot be solved: after 0 plies, seat 0 and seat 1 act at once; only games of turns can be"
    );
}

#[test]
fn positions_beyond_the_memory_end_the_analysis() {
    let walk = Walk {
        seed: 1,
        circles: true,
        node: 0,
    };
    let rules = rules(walk);
    let session = rules.start(0).unwrap();
    let game = SessionGame::new(&*rules, false, Question::Win);
    let start = game.position(&*session).unwrap();
    let method = Some(Method::Retrograde);
    let mut solver = Solver::new(&game, start, Question::Win, method, 100, watch()).unwrap();
    assert_eq!(solver.run(), Err(Stopped::Memory));
}
