//! Each move of a position on its own, on several threads, with more positions from try to try.

use std::io::{Read, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use games::Game;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::checkpoint::{CheckpointError, restore_value, save_value};
use crate::playable::{Facts, Playable, Unsolvable};
use crate::search::{Method, Stopped};
use crate::solve::{Question, Solver, Value, seen};

/// The first bytes of every such checkpoint.
const MAGIC: &[u8; 16] = b"referee moves 1\n";

/// The positions of a move's first try: most moves of a position that is nearly decided need no more.
const FIRST_TRY: u64 = 10_000;
/// Each further try has this many times as many, so that little is done again.
const MORE: u64 = 4;

/// What is known about the position after a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveValue {
    #[serde(rename = "move")]
    pub text: String,
    /// True if the question is answered.
    pub decided: bool,
    /// Between which margins the final one is, both ends included.
    pub bounds: (i32, i32),
    /// The positions searched for it in all tries.
    pub positions: u64,
    /// The positions that its last try was allowed.
    pub tried: u64,
    /// The positions of its whole proof, if that was checked.
    pub checked: Option<u64>,
}

/// The resources of the search.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub threads: usize,
    /// The bytes of all tables together.
    pub bytes: usize,
    /// The most positions of a try.
    pub positions: u64,
    /// Check proofs of at most this many positions.
    pub verify: Option<u64>,
}

/// Called now and then with what is known; `false` stops the search.
pub type WatchMoves<'w> = dyn FnMut(&[MoveValue]) -> bool + Send + 'w;

/// Each move of a position of a built-in game, with its value as far as that is known.
pub struct EachMove<'g, G: Game> {
    game: &'g G,
    facts: Facts,
    question: Question,
    method: Option<Method>,
    /// The positions after the moves.
    after: Vec<G::Position>,
    moves: Vec<MoveValue>,
}

/// What the threads share.
struct Shared<'w> {
    moves: Vec<MoveValue>,
    /// The moves that a thread searches at present.
    taken: Vec<bool>,
    stopped: bool,
    watch: &'w mut WatchMoves<'w>,
}

impl Shared<'_> {
    fn go_on(&mut self) -> bool {
        self.stopped = self.stopped || !(self.watch)(&self.moves);
        !self.stopped
    }

    /// The move to try next, and the positions for that: the one that was tried least.
    fn take(&mut self, most: u64) -> Option<(usize, u64)> {
        let open = |at: &usize| {
            let mv = &self.moves[*at];
            !self.taken[*at] && !mv.decided && mv.tried < most
        };
        let all = 0..self.moves.len();
        let at = all.filter(open).min_by_key(|at| self.moves[*at].tried)?;
        self.taken[at] = true;
        let tried = self.moves[at].tried;
        Some((at, tried.saturating_mul(MORE).max(FIRST_TRY).min(most)))
    }
}

fn lock<'s, 'w>(shared: &'s Mutex<Shared<'w>>) -> MutexGuard<'s, Shared<'w>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'g, G: Game> EachMove<'g, G> {
    /// # Errors
    /// If the game cannot be solved.
    pub fn new(
        game: &'g G,
        position: &G::Position,
        question: Question,
        method: Option<Method>,
    ) -> Result<Self, Unsolvable> {
        let facts = game.facts()?;
        if method == Some(Method::Retrograde) {
            let game = G::INFO.id.to_owned();
            return Err(Unsolvable::Retrograde { game });
        }
        let mut moves = Vec::new();
        game.legal(position, &mut moves);
        let after = |mv: &G::Move| {
            let mut next = *position;
            game.play_unchecked(&mut next, *mv);
            next
        };
        let after: Vec<G::Position> = moves.iter().map(after).collect();
        let unknown = |(mv, after): (&G::Move, &G::Position)| MoveValue {
            text: game.text(mv),
            decided: false,
            bounds: seen(game, after),
            positions: 0,
            tried: 0,
            checked: None,
        };
        Ok(EachMove {
            game,
            facts,
            question: facts.question(question),
            method,
            moves: moves.iter().zip(&after).map(unknown).collect(),
            after,
        })
    }

    /// Without points, always who wins.
    pub fn question(&self) -> Question {
        self.question
    }

    pub fn moves(&self) -> &[MoveValue] {
        &self.moves
    }

    /// The value of the position after a move.
    pub fn value_after(&self, mv: &MoveValue) -> Value {
        self.facts.value(mv.bounds)
    }

    /// The value of the position as far as its moves say: the best one for the seat to move.
    pub fn value(&self, mover: usize) -> Value {
        let bounds = self.moves.iter().map(|mv| mv.bounds);
        let best = bounds.reduce(|a, b| match mover {
            0 => (a.0.max(b.0), a.1.max(b.1)),
            _ => (a.0.min(b.0), a.1.min(b.1)),
        });
        self.facts.value(best.unwrap_or((i32::MIN, i32::MAX)))
    }

    /// Tries each move that is not decided, until all of them are or had as many positions as they may
    /// have. What is known then is in [`EachMove::moves`], also if it was stopped.
    ///
    /// # Errors
    /// If the watch stops it.
    ///
    /// # Panics
    /// If a proof is checked and wrong, which is a bug of the program.
    pub fn run<'w>(
        &mut self,
        effort: Effort,
        watch: &'w mut WatchMoves<'w>,
    ) -> Result<(), Stopped> {
        let shared = Mutex::new(Shared {
            taken: vec![false; self.moves.len()],
            moves: std::mem::take(&mut self.moves),
            stopped: false,
            watch,
        });
        let threads = effort.threads.max(1);
        let work = || self.work(effort, effort.bytes / threads, &shared);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.moves = shared.moves;
        if shared.stopped {
            return Err(Stopped::Told);
        }
        Ok(())
    }

    /// The work of one thread: its table knows more from move to move.
    fn work(&self, effort: Effort, bytes: usize, shared: &Mutex<Shared<'_>>) {
        let Some(first) = self.after.first() else {
            return;
        };
        let watch = Box::new(|_: &_| lock(shared).go_on());
        let mut solver = Solver::new(self.game, *first, self.question, self.method, bytes, watch)
            .expect("the facts and the method were looked at");
        loop {
            let (at, positions, bounds) = {
                let mut shared = lock(shared);
                let next = shared.take(effort.positions);
                let Some((at, positions)) = next.filter(|_| !shared.stopped) else {
                    return;
                };
                (at, positions, shared.moves[at].bounds)
            };
            let before = solver.progress().positions;
            solver.turn_to(self.after[at], bounds);
            solver.limit(before + positions);
            let mut ended = solver.run().map(|_| None);
            let bounds = solver.value().bounds;
            if let (Ok(checked), Some(most)) = (&mut ended, effort.verify) {
                solver.limit(u64::MAX);
                match solver.check(most) {
                    Ok(positions) => *checked = positions,
                    Err(stopped) => ended = Err(stopped),
                }
            }
            let mut shared = lock(shared);
            let mv = &mut shared.moves[at];
            mv.positions += solver.progress().positions - before;
            // A proof that was not checked to its end is found and checked again.
            if ended.is_ok() || effort.verify.is_none() {
                mv.bounds = bounds;
            }
            match ended {
                Ok(checked) => {
                    mv.decided = true;
                    mv.checked = checked;
                }
                Err(Stopped::Positions) => mv.tried = positions,
                Err(_) => {}
            }
            shared.taken[at] = false;
            if !shared.go_on() {
                return;
            }
        }
    }

    /// Reads what [`save_moves`] wrote, to go on from there.
    ///
    /// # Errors
    /// If it cannot be read, or is about something else.
    pub fn restore(
        &mut self,
        about: &Map<String, Json>,
        from: impl Read,
    ) -> Result<(), CheckpointError> {
        let moves: Vec<MoveValue> = restore_value(MAGIC, about, from)?;
        let same = |(a, b): (&MoveValue, &MoveValue)| a.text == b.text;
        if moves.len() != self.moves.len() || !moves.iter().zip(&self.moves).all(same) {
            return Err(CheckpointError::Damaged);
        }
        self.moves = moves;
        Ok(())
    }
}

/// Writes what is known about the moves. `about` says of which position; [`EachMove::restore`] must be
/// given the same. What searches have found on their way is not in it.
///
/// # Errors
/// If it cannot be written.
pub fn save_moves(
    about: &Map<String, Json>,
    moves: &[MoveValue],
    out: impl Write,
) -> Result<(), CheckpointError> {
    save_value(MAGIC, about, moves, out)
}
