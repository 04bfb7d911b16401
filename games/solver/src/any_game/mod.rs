//! Any game through its sessions, which only tell of a position when they are asked: sheets, rules
//! programs, and whatever else has no type here.

mod retrograde;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use games::{BrokenRules, Rules, Seat, Session, ToMove};
use thiserror::Error;

use crate::engine::{Asked, Engine, HasEngine, Means};
use crate::keys;
use crate::playable::{Facts, Keys, Playable, Successor, Unsolvable};
use crate::rules::{FromGame, Keyed, SearchRules};
use crate::search::{Method, Stopped};
use crate::solve::Question;
use retrograde::Retrograde;

/// Points beyond this are refused: the table has no room for larger margins.
const MOST_POINTS: i64 = 1 << 17;
/// Goals of a sheet are from 0 to this.
const MOST_GOAL: i32 = 100;

/// The reason why a search ended with [`Stopped::Rules`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoTurns {
    #[error(transparent)]
    Broken(#[from] BrokenRules),
    #[error(
        "it cannot be solved: after {ply} plies, {who} act at once; only games of turns can be"
    )]
    Together { ply: u32, who: ToMove },
    #[error("it cannot be solved: chance takes part in it after {ply} plies")]
    Chance { ply: u32 },
    #[error(
        "it cannot be solved by points: {points} are too many, {MOST_POINTS} is the most; `--question win` asks who wins"
    )]
    Points { points: i64 },
    #[error(
        "it cannot be solved by points: an end has the scores {scores:?} and the outcome {outcome:?}; `--question \
         win` asks who wins"
    )]
    Outcome { scores: Vec<i64>, outcome: String },
}

/// A position of any game.
#[derive(Clone)]
pub struct SessionPosition(Rc<Node>);

struct Node {
    session: Box<dyn Session>,
    mover: Option<Seat>,
    /// The final margin; 0 before the end.
    margin: i32,
    key: u128,
}

/// A game of two seats, known by nothing but its sessions.
pub struct SessionGame {
    name: String,
    seats: usize,
    hidden: bool,
    chance: bool,
    is_sheet: bool,
    question: Question,
    why: RefCell<Option<NoTurns>>,
    /// The points of both seats together at the first end that was seen.
    sum: Cell<Option<i64>>,
    /// True if those of another end were different.
    sums_differ: Cell<bool>,
}

impl SessionGame {
    /// The game of these rules. `is_sheet` says that its points are the goals of a GDL sheet.
    pub fn new(rules: &dyn Rules, is_sheet: bool, question: Question) -> Self {
        SessionGame {
            name: rules.info().id.clone(),
            seats: rules.seats(),
            hidden: rules.info().hidden,
            chance: rules.info().chance,
            is_sheet,
            question,
            why: RefCell::new(None),
            sum: Cell::new(None),
            sums_differ: Cell::new(false),
        }
    }

    /// The position of a session.
    ///
    /// # Errors
    /// If its rules do not work, or it is not the turn of one seat.
    pub fn position(&self, session: &dyn Session) -> Result<SessionPosition, NoTurns> {
        let to_move = session.to_move();
        if to_move.has_chance() {
            return Err(NoTurns::Chance { ply: session.ply() });
        }
        if to_move.count() > 1 {
            return Err(NoTurns::Together {
                ply: session.ply(),
                who: to_move,
            });
        }
        let mover = to_move.alone();
        let margin = match mover {
            Some(_) => 0,
            None => self.final_margin(session)?,
        };
        let mut identity = session.identity()?;
        if let Some(seat) = mover {
            identity.push_str(if seat == 0 { " 0" } else { " 1" });
        }
        Ok(SessionPosition(Rc::new(Node {
            session: session.fork(),
            mover,
            margin,
            key: keys::of_text(&identity),
        })))
    }

    fn final_margin(&self, session: &dyn Session) -> Result<i32, NoTurns> {
        let tally = session.tally()?;
        let by_outcome = match tally.outcome[..] {
            [first, second] if first > second => 1,
            [first, second] if first < second => -1,
            _ => 0,
        };
        if self.question == Question::Win {
            return Ok(by_outcome);
        }
        let first = tally.scores.first().copied().unwrap_or_default();
        let second = tally.scores.get(1).copied().unwrap_or_default();
        if let Some(points) = [first, second].into_iter().find(|p| p.abs() > MOST_POINTS) {
            return Err(NoTurns::Points { points });
        }
        let margin = (first - second) as i32;
        if margin.signum() != by_outcome {
            return Err(NoTurns::Outcome {
                scores: tally.scores,
                outcome: format!("{:?}", tally.outcome),
            });
        }
        let sum = first + second;
        if self.sum.get().is_some_and(|other| other != sum) {
            self.sums_differ.set(true);
        }
        self.sum.set(Some(sum));
        Ok(margin)
    }

    /// The reason for [`Stopped::Rules`].
    pub fn why(&self) -> Option<NoTurns> {
        self.why.borrow().clone()
    }

    /// True if two ends were seen whose points add up to different numbers. Then a seat that plays for
    /// its own points may choose otherwise than one that plays for the difference, as solvers do.
    pub fn sums_differ(&self) -> bool {
        self.sums_differ.get()
    }

    fn each_successor(
        &self,
        position: &SessionPosition,
        mut take: impl FnMut(&str, SessionPosition),
    ) -> Result<(), Stopped> {
        let mut wrong = None;
        let all =
            position
                .0
                .session
                .each_child(&mut |step, child| match (step, self.position(child)) {
                    ([mv], Ok(next)) => take(mv, next),
                    (_, Ok(_)) => {}
                    (_, Err(why)) => wrong = wrong.take().or(Some(why)),
                });
        let wrong = all.err().map(NoTurns::from).or(wrong);
        match wrong {
            None => Ok(()),
            Some(why) => {
                *self.why.borrow_mut() = Some(why);
                Err(Stopped::Rules)
            }
        }
    }
}

impl Playable for SessionGame {
    type Position = SessionPosition;
    type Move = String;

    fn facts(&self) -> Result<Facts, Unsolvable> {
        let game = || self.name.clone();
        match () {
            () if self.seats != 2 => Err(Unsolvable::Seats {
                game: game(),
                seats: self.seats,
            }),
            () if self.hidden => Err(Unsolvable::Hidden { game: game() }),
            () if self.chance => Err(Unsolvable::Chance { game: game() }),
            () => Ok(Facts {
                win: 1,
                draw: 0,
                points: self.question == Question::Value,
            }),
        }
    }

    fn keys<'g>(&'g self) -> Keys<'g, Self> {
        Box::new(|position| position.0.key)
    }

    fn mover(&self, position: &SessionPosition) -> Option<Seat> {
        position.0.mover
    }

    fn margin(&self, position: &SessionPosition) -> i32 {
        position.0.margin
    }

    fn margin_bounds(&self, _position: &SessionPosition) -> (i32, i32) {
        self.range()
    }

    fn range(&self) -> (i32, i32) {
        match self.question {
            Question::Win => (-1, 1),
            Question::Value if self.is_sheet => (-MOST_GOAL, MOST_GOAL),
            Question::Value => (i32::MIN, i32::MAX),
        }
    }

    fn successors(&self, position: &SessionPosition) -> Result<Vec<Successor<Self>>, Stopped> {
        let mut all = Vec::new();
        self.each_successor(position, |mv, next| all.push((mv.to_owned(), next)))?;
        Ok(all)
    }

    fn text(&self, mv: &String) -> String {
        mv.clone()
    }
}

impl HasEngine for SessionGame {
    fn engine<'w>(
        &'w self,
        means: Means<'w>,
    ) -> Result<Box<dyn Engine<'w, Self> + 'w>, Unsolvable> {
        Ok(match means.method {
            Method::Retrograde => Box::new(Retrograde::new(self, means)),
            Method::AlphaBeta | Method::ProofNumber => {
                Asked::boxed(self, SessionRules(self), means)
            }
        })
    }
}

/// A [`SessionGame`] as rules of a search.
struct SessionRules<'w>(&'w SessionGame);

impl SearchRules for SessionRules<'_> {
    type Position = SessionPosition;

    const MAY_COME_BACK: bool = true;

    fn mover(&self, position: &SessionPosition) -> Seat {
        position.0.mover.unwrap_or_default()
    }

    fn margin(&self, position: &SessionPosition) -> i32 {
        position.0.margin
    }

    fn quick_bounds(&self, position: &SessionPosition) -> (i32, i32) {
        match position.0.mover {
            None => (position.0.margin, position.0.margin),
            Some(_) => self.0.range(),
        }
    }

    fn counted_bounds(&mut self, _position: &SessionPosition, _need: i32) -> (i32, i32) {
        (i32::MIN, i32::MAX)
    }

    fn mobility(&self, _position: &SessionPosition) -> u32 {
        // To count them takes as long as to search one of them.
        1
    }

    fn outlook(&self, position: &SessionPosition) -> i32 {
        position.0.margin
    }

    fn key(&self, position: &SessionPosition) -> u128 {
        position.0.key
    }

    fn successors(
        &self,
        position: &SessionPosition,
        out: &mut Vec<Keyed<SessionPosition>>,
    ) -> Result<(), Stopped> {
        self.0.each_successor(position, |_, position| {
            let key = position.0.key;
            out.push(Keyed { position, key });
        })
    }
}

impl FromGame<SessionGame> for SessionRules<'_> {
    fn position(&self, _game: &SessionGame, position: &SessionPosition) -> SessionPosition {
        position.clone()
    }
}
