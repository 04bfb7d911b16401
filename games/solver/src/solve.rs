//! Solves a position by asking a search for one margin after the other.

use games::Game;
use games::kit::solving::Solvable;
use thiserror::Error;

use crate::engine::{self, Engine};
use crate::search::{Method, Progress, State, Stopped, Watch};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    Win,
    /// By how much: the points of best play.
    Value,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unsolvable {
    #[error("only games of two seats can be solved, and {game} has {seats} under these options")]
    Seats { game: &'static str, seats: usize },
    /// It has cycles.
    #[error(
        "{game} cannot be solved: its positions can come back, so what one is worth depends on the plies \
         before it and on the limits of a match; `referee solve` takes games in which every move is \
         final"
    )]
    Cycles { game: &'static str },
    /// Its sets of cells do not fit into integers.
    #[error("{game} cannot be solved on a board of {cells} cells: {most} is the most")]
    Large {
        game: &'static str,
        cells: usize,
        most: u32,
    },
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

/// The exact value of one position.
pub struct Solver<'w, G: Game> {
    pub(crate) game: &'w G,
    pub(crate) engine: Box<dyn Engine<'w, G> + 'w>,
    pub(crate) about: Solvable<'w>,
    position: G::Position,
    question: Question,
    method: Method,
    /// The answer to the last question about a margin.
    pub(crate) last: Option<bool>,
}

impl<'w, G: Game> Solver<'w, G> {
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
        let name = G::INFO.id;
        let seats = game.seats();
        if seats != 2 {
            return Err(Unsolvable::Seats { game: name, seats });
        }
        let about = game.solvable().ok_or(Unsolvable::Cycles { game: name })?;
        let (cells, most) = (about.board.len(), u128::BITS);
        if cells > most as usize {
            let game = name;
            return Err(Unsolvable::Large { game, cells, most });
        }
        let question = if about.points {
            question
        } else {
            Question::Win
        };
        let method = method.unwrap_or(match question {
            Question::Win => Method::ProofNumber,
            Question::Value => Method::AlphaBeta,
        });
        let mut state = State::new(bytes, watch);
        state.progress.bounds = seen(game, &position);
        Ok(Solver {
            game,
            engine: engine::for_game(game, &about, state),
            about,
            position,
            question,
            method,
            last: None,
        })
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
        let bounds = self.engine.state().progress.bounds;
        let (least, most) = bounds;
        let Solvable { win, draw, .. } = self.about;
        let winner = match () {
            () if least >= win => Some(Winner::Seat(0)),
            () if most < draw => Some(Winner::Seat(1)),
            () if least >= draw && most < win => Some(Winner::Draw),
            () => None,
        };
        Value { winner, bounds }
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
            let bound = self.engine.bound(&self.position, need, self.method)?;
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
        let position = self.position;
        self.decide(&position, need)
    }

    /// The margin to test next.
    fn next_need(&self) -> Option<i32> {
        let (least, most) = self.engine.state().progress.bounds;
        let open = |need: i32| (least < need && most >= need).then_some(need);
        match self.question {
            Question::Win => open(self.about.win).or_else(|| open(self.about.draw)),
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
            (_, Some(Winner::Seat(0))) => (Some(self.about.win), None),
            (_, Some(Winner::Seat(_))) => (None, Some(self.about.draw)),
            (_, Some(Winner::Draw)) => (Some(self.about.draw), Some(self.about.win)),
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
        let mut position = self.position;
        while let Some(seat) = self.game.to_move(&position) {
            let mv = self.best(&position, seat)?;
            position = after(self.game, &position, mv);
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
        let text = |mv| {
            let mut text = String::new();
            self.game.write_move(mv, &mut text);
            text
        };
        Ok(line.into_iter().map(text).collect())
    }

    fn best(&mut self, position: &G::Position, seat: usize) -> Result<G::Move, Stopped> {
        let (seat_0, seat_1) = self.holds();
        let moves = legal(self.game, position);
        let (mine, others) = if seat == 0 {
            (seat_0, seat_1)
        } else {
            (seat_1, seat_0)
        };
        let Some(need) = mine else {
            let need = others.unwrap_or_default();
            let work = |mv: &G::Move| {
                let next = after(self.game, position, *mv);
                self.engine.work(&next, need)
            };
            return Ok(*moves.iter().max_by_key(|mv| work(mv)).expect("a move"));
        };
        self.holding_move(position, seat, need)
    }

    /// A move with which the seat holds this margin, which it can.
    pub(crate) fn holding_move(
        &mut self,
        position: &G::Position,
        seat: usize,
        need: i32,
    ) -> Result<G::Move, Stopped> {
        let moves = legal(self.game, position);
        for &mv in &moves {
            let next = after(self.game, position, mv);
            if self.known(&next, need) == Some(seat == 0) {
                return Ok(mv);
            }
        }
        for &mv in &moves {
            let next = after(self.game, position, mv);
            if self.decide(&next, need)? == (seat == 0) {
                return Ok(mv);
            }
        }
        unreachable!("a seat that holds a margin has a move that holds it")
    }

    /// True if the final margin is at least `need`, if that is known without a search.
    fn known(&mut self, position: &G::Position, need: i32) -> Option<bool> {
        self.engine.known(position, need, self.method)
    }

    /// True if the final margin of best play is at least `need`.
    fn decide(&mut self, position: &G::Position, need: i32) -> Result<bool, Stopped> {
        Ok(self.engine.bound(position, need, self.method)? >= need)
    }
}

/// Between which margins the final one is, as far as the rules see that.
fn seen<G: Game>(game: &G, position: &G::Position) -> (i32, i32) {
    match game.to_move(position) {
        None => (game.margin(position), game.margin(position)),
        Some(_) => game.margin_bounds(position),
    }
}

pub(crate) fn legal<G: Game>(game: &G, position: &G::Position) -> Vec<G::Move> {
    let mut moves = Vec::new();
    game.legal(position, &mut moves);
    moves
}

/// The position after a legal move.
pub(crate) fn after<G: Game>(game: &G, position: &G::Position, mv: G::Move) -> G::Position {
    let mut next = *position;
    game.play_unchecked(&mut next, mv);
    next
}
