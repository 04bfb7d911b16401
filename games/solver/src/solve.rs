//! Solves a position by asking a search for one margin after the other.

use crate::engine::{Engine, Means};
use crate::playable::{Facts, Playable, Successor, Unsolvable};
use crate::search::{Method, Progress, Stopped, Watch};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    Win,
    /// By how much: the points of best play.
    Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winner {
    Seat(usize),
    Draw,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// `None` if it is not known.
    pub winner: Option<Winner>,
    /// Between which margins the final one is, both ends included.
    pub bounds: (i32, i32),
}

/// The longest line of play. Only one that goes in circles is longer.
const MOST_LINE: usize = 10_000;

/// The exact value of one position.
pub struct Solver<'w, G: Playable> {
    pub(crate) game: &'w G,
    pub(crate) engine: Box<dyn Engine<'w, G> + 'w>,
    facts: Facts,
    position: G::Position,
    question: Question,
    method: Method,
    /// The answer to the last question about a margin.
    pub(crate) last: Option<bool>,
}

impl<'w, G: Playable> Solver<'w, G> {
    /// A solver whose table takes at most `bytes`. `watch` is called now and then and can stop it.
    ///
    /// # Errors
    /// If the game cannot be solved.
    pub fn new(
        game: &'w G,
        position: G::Position,
        question: Question,
        method: Option<Method>,
        bytes: usize,
        watch: Box<Watch<'w>>,
    ) -> Result<Self, Unsolvable> {
        let facts = game.facts()?;
        let question = facts.question(question);
        let method = method.unwrap_or(match question {
            Question::Win => Method::ProofNumber,
            Question::Value => Method::AlphaBeta,
        });
        let means = Means {
            method,
            bytes,
            watch,
        };
        let mut engine = game.engine(means)?;
        engine.state_mut().progress.bounds = seen(game, &position);
        Ok(Solver {
            game,
            engine,
            facts,
            position,
            question,
            method,
            last: None,
        })
    }

    /// Turns to another position of the same game, of which these bounds are known. What the table knows
    /// stays.
    pub(crate) fn turn_to(&mut self, position: G::Position, bounds: (i32, i32)) {
        self.position = position;
        self.engine.state_mut().progress.bounds = bounds;
        self.last = None;
    }

    /// Searches at most this many positions.
    pub fn limit(&mut self, positions: u64) {
        self.engine.state_mut().most = Some(positions);
    }

    pub(crate) fn position(&self) -> &G::Position {
        &self.position
    }

    /// Without points, always who wins.
    pub fn question(&self) -> Question {
        self.question
    }

    pub fn method(&self) -> Method {
        self.method
    }

    pub fn progress(&self) -> Progress {
        let state = self.engine.state();
        Progress {
            table: state.table.filled(),
            ..state.progress
        }
    }

    pub fn value(&self) -> Value {
        self.facts.value(self.engine.state().progress.bounds)
    }

    pub fn is_solved(&self) -> bool {
        self.next_need().is_none()
    }

    /// Searches until the position is solved, or goes on after a stop.
    ///
    /// # Errors
    /// If the watch or the limit stops it.
    pub fn run(&mut self) -> Result<Value, Stopped> {
        while let Some(need) = self.next_need() {
            self.engine.state_mut().progress.asks = need;
            let bound = self.engine.bound(&self.position, need)?;
            let (least, most) = &mut self.engine.state_mut().progress.bounds;
            self.last = Some(bound >= need);
            if bound >= need {
                *least = bound.max(*least)
            } else {
                *most = bound.min(*most)
            }
        }
        Ok(self.value())
    }

    /// Forgets the bounds, but not the table.
    #[doc(hidden)]
    pub fn ask_again(&mut self) {
        self.engine.state_mut().progress.bounds = seen(self.game, &self.position);
        self.last = None;
    }

    /// True if the final margin of best play is at least `need`: one query, independent of others.
    ///
    /// # Errors
    /// If the watch or the limit stops it.
    pub fn at_least(&mut self, need: i32) -> Result<bool, Stopped> {
        let position = self.position.clone();
        self.decide(&position, need)
    }

    /// The margin to test next.
    fn next_need(&self) -> Option<i32> {
        let (least, most) = self.engine.state().progress.bounds;
        let open = |need: i32| (least < need && most >= need).then_some(need);
        match self.question {
            Question::Win => open(self.facts.win).or_else(|| open(self.facts.draw)),
            Question::Value if least == most => None,
            Question::Value => Some(match self.last {
                Some(true) => least + 1,
                Some(false) => most,
                None => self.game.margin(&self.position).clamp(least + 1, most),
            }),
        }
    }

    /// Guaranteed bounds: seat 0 reaches a margin of at least the first, seat 1 keeps it below the
    /// second.
    pub(crate) fn holds(&self) -> (Option<i32>, Option<i32>) {
        let Value { winner, bounds } = self.value();
        match (self.question, winner) {
            (Question::Value, _) => (Some(bounds.0), Some(bounds.1.saturating_add(1))),
            (_, Some(Winner::Seat(0))) => (Some(self.facts.win), None),
            (_, Some(Winner::Seat(_))) => (None, Some(self.facts.draw)),
            (_, Some(Winner::Draw)) => (Some(self.facts.draw), Some(self.facts.win)),
            (_, None) => (None, None),
        }
    }

    /// The line of play that shows the value, up to the end of the game: best moves or, of a seat that has
    /// lost, those that took the most work to refute. Empty before the position is solved.
    ///
    /// # Errors
    /// If the watch or the limit stops it: what the table has lost is searched again.
    pub fn line(&mut self) -> Result<Vec<G::Move>, Stopped> {
        let mut line = Vec::new();
        if !self.is_solved() {
            return Ok(line);
        }
        let mut position = self.position.clone();
        while let Some(seat) = self.game.mover(&position) {
            if line.len() >= MOST_LINE {
                return Err(Stopped::Endless);
            }
            let (mv, next) = self.best(&position, seat)?;
            position = next;
            line.push(mv);
        }
        Ok(line)
    }

    /// [`Solver::line`] as text.
    ///
    /// # Errors
    /// As there.
    pub fn written_line(&mut self) -> Result<Vec<String>, Stopped> {
        let line = self.line()?;
        Ok(line.iter().map(|mv| self.game.text(mv)).collect())
    }

    fn best(&mut self, position: &G::Position, seat: usize) -> Result<Successor<G>, Stopped> {
        let (seat_0, seat_1) = self.holds();
        let (mine, others) = if seat == 0 {
            (seat_0, seat_1)
        } else {
            (seat_1, seat_0)
        };
        let Some(need) = mine else {
            let need = others.unwrap_or_default();
            let successors = self.game.successors(position)?.into_iter();
            let hardest = successors.max_by_key(|(_, next)| self.engine.work(next, need));
            return Ok(hardest.expect("a move"));
        };
        self.holding_move(position, seat, need)
    }

    /// A move with which the seat holds this margin, which it can; where that is known, the one that
    /// brings the end nearer.
    pub(crate) fn holding_move(
        &mut self,
        position: &G::Position,
        seat: usize,
        need: i32,
    ) -> Result<Successor<G>, Stopped> {
        let mut successors = self.game.successors(position)?;
        let mut nearest = None;
        for (at, (_, next)) in successors.iter().enumerate() {
            if self.engine.known(next, need) != Some(seat == 0) {
                continue;
            }
            let Some(left) = self.engine.moves_left(next, need) else {
                return Ok(successors.swap_remove(at));
            };
            if nearest.is_none_or(|(least, _)| left < least) {
                nearest = Some((left, at));
            }
        }
        if let Some((_, at)) = nearest {
            return Ok(successors.swap_remove(at));
        }
        for (mv, next) in successors {
            if self.decide(&next, need)? == (seat == 0) {
                return Ok((mv, next));
            }
        }
        unreachable!("a seat that holds a margin has a move that holds it")
    }

    /// True if the final margin of best play is at least `need`.
    fn decide(&mut self, position: &G::Position, need: i32) -> Result<bool, Stopped> {
        Ok(self.engine.bound(position, need)? >= need)
    }
}

/// Between which margins the final one is, as far as the rules see that.
pub(crate) fn seen<G: Playable>(game: &G, position: &G::Position) -> (i32, i32) {
    match game.mover(position) {
        None => (game.margin(position), game.margin(position)),
        Some(_) => game.margin_bounds(position),
    }
}
