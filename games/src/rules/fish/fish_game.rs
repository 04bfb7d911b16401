//! A whole game with fish, of the common rules and the way in which penguins move.

use std::fmt::Debug;
use std::hash::Hash;

use serde_json::Value;

use super::fish_rules::{FishRules, Move};
use super::position::{FishPosition, Phase};
use crate::game::{Game, ParseError};
use crate::kit::board::bitboard::Grid;
use crate::kit::board::{Board, CellId};
use crate::kit::info::StaticInfo;
use crate::kit::options::{OptionError, Options};
use crate::kit::outcome::{Scores, Seat};
use crate::kit::rng::Rng;
use crate::kit::solving::{CellSets, Solvable};
use crate::kit::state::StateError;
use crate::kit::view::View;
use crate::settlement::{Budget, PointBoard, Slides, Spears};

/// Which fish a move catches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Catch {
    /// Those under the penguin, on a cell that goes with it.
    Left,
    /// Those of the cell that it spears.
    Speared,
}

/// Moves of penguins once all are placed: the only difference between the games with fish.
///
/// Methods that take `pieces` mean the penguins of the seat to move.
pub trait PenguinMoves: Sized + Send + Sync + Debug + 'static {
    /// The cells that a penguin cannot enter, as the move generator needs them.
    type Blocked: Copy + Eq + Debug + Send + Sync + 'static;
    /// A move of a penguin.
    type Step: Copy + Eq + Hash + Debug + Send + Sync + 'static;

    /// Which fish a move catches.
    const CATCH: Catch;

    /// See [`Game::INFO`].
    const INFO: StaticInfo;
    /// See [`Game::GUIDE`].
    const GUIDE: &'static str;

    /// The common rules and the moves under these options.
    ///
    /// # Errors
    /// If the layout of fish does not fit the other options.
    fn new(options: &Options) -> Result<(FishRules, Self), OptionError>;

    /// A board on which nothing is blocked.
    fn nothing_blocked(&self) -> Self::Blocked;

    /// Blocks a cell, or opens it if it was blocked.
    fn toggle(&self, blocked: &mut Self::Blocked, cell: CellId);

    /// True if any penguin of this set can move.
    fn can_move(&self, blocked: &Self::Blocked, penguins: u64) -> bool;

    /// Every move on a board, whatever stands on it, in an order that never changes.
    fn every(board: &Board) -> Vec<Self::Step>;

    /// The places of a move in tables; see [`Learnable::places`](crate::learning::Learnable::places).
    fn places(step: Self::Step) -> [usize; 2];

    /// Calls `visit` with each move.
    fn each(
        &self,
        blocked: &Self::Blocked,
        pieces: impl Iterator<Item = CellId>,
        visit: impl FnMut(Self::Step),
    );

    /// The number of moves.
    fn count(&self, blocked: &Self::Blocked, pieces: impl Iterator<Item = CellId>) -> u64;

    /// A random move, all equally likely.
    ///
    /// # Panics
    /// If there is none.
    fn random(
        &self,
        blocked: &Self::Blocked,
        pieces: impl Iterator<Item = CellId> + Clone,
        rng: &mut Rng,
    ) -> Self::Step;

    /// The cell on which the penguin stands before the move.
    fn origin(step: Self::Step) -> CellId;

    /// True if a penguin that stands on the move's origin can make it.
    fn is_legal(&self, blocked: &Self::Blocked, step: Self::Step) -> bool;

    /// Moves the penguin and takes the fish; the turn stays where it is.
    fn play(&self, blocked: &mut Self::Blocked, common: &mut FishPosition, step: Self::Step);

    /// Reads a move.
    fn parse(board: &Board, text: &str) -> Option<Self::Step>;

    /// Appends a move to `out`.
    fn write(board: &Board, step: Self::Step, out: &mut String);
}

/// A game with fish, under fixed options.
#[derive(Debug)]
pub struct FishGame<M> {
    pub(super) fish_rules: FishRules,
    pub(in crate::rules) moves: M,
}

/// A position of a [`FishGame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FishGamePosition<B> {
    /// Cells with a penguin or without fish.
    pub(in crate::rules) blocked: B,
    pub(in crate::rules) common: FishPosition,
}

impl<B> FishGamePosition<B> {
    /// Fish, penguins and turn.
    #[inline]
    pub fn fish_position(&self) -> &FishPosition {
        &self.common
    }

    /// The cells with a penguin or without fish, as the move generator needs them.
    #[inline]
    pub fn blocked(&self) -> &B {
        &self.blocked
    }
}

impl<M: PenguinMoves> FishGame<M> {
    /// The board that the options choose.
    pub fn board(&self) -> &Board {
        self.fish_rules.board()
    }

    /// The board as sets of cells.
    pub fn grid(&self) -> &Grid<u64> {
        self.fish_rules.grid()
    }

    /// A position as far as fish matter, for counting.
    pub fn point_board(&self, position: &FishGamePosition<M::Blocked>) -> PointBoard<u64> {
        let common = &position.common;
        let mut board = PointBoard {
            seats: self.fish_rules.seats(),
            pieces: common.penguins,
            open: common.free(),
            worth: common.fish,
            points: common.scores.map(u32::from),
        };
        if M::CATCH == Catch::Left && common.phase != Phase::Over {
            // Whether they move on or stay, these are theirs.
            for seat in 0..board.seats {
                board.points[seat] += u32::from(common.fish_under(seat));
            }
        }
        board
    }

    fn position(&self, common: FishPosition) -> FishGamePosition<M::Blocked> {
        let mut blocked = self.moves.nothing_blocked();
        let free = common.free();
        for cell in self.board().cells().filter(|c| free >> c & 1 == 0) {
            self.moves.toggle(&mut blocked, cell);
        }
        let mut position = FishGamePosition { blocked, common };
        self.settle(&mut position);
        position
    }

    #[inline]
    fn settle(&self, position: &mut FishGamePosition<M::Blocked>) {
        let FishGamePosition { blocked, common } = position;
        let can_move = |penguins| self.moves.can_move(blocked, penguins);
        self.fish_rules.settle(common, can_move);
    }
}

impl<M: PenguinMoves> Game for FishGame<M> {
    type Position = FishGamePosition<M::Blocked>;
    type Move = Move<M::Step>;

    const INFO: StaticInfo = M::INFO;
    const GUIDE: &'static str = M::GUIDE;
    const SETTLES: bool = true;

    fn new(options: &Options) -> Result<Self, OptionError> {
        let (fish_rules, moves) = M::new(options)?;
        Ok(FishGame { fish_rules, moves })
    }

    fn seats(&self) -> usize {
        self.fish_rules.seats()
    }

    fn start(&self, rng: &mut Rng) -> Self::Position {
        self.position(self.fish_rules.start(rng))
    }

    fn load(&self, state: &Value) -> Result<Self::Position, StateError> {
        self.fish_rules
            .load(state, |common| self.position(common), |p| &mut p.common)
    }

    fn save(&self, position: &Self::Position) -> Value {
        self.fish_rules.save(&position.common)
    }

    #[inline]
    fn to_move(&self, position: &Self::Position) -> Option<Seat> {
        position.common.to_move()
    }

    #[inline]
    fn ply(&self, position: &Self::Position) -> u32 {
        position.common.ply()
    }

    fn scores(&self, position: &Self::Position) -> Scores {
        self.fish_rules.scores(&position.common)
    }

    fn settled(&self, position: &Self::Position, budget: &mut Budget) -> Option<Scores> {
        if position.common.phase() != Phase::Move {
            return None;
        }
        let (grid, board) = (self.grid(), self.point_board(position));
        let worth = board.worth;
        match M::CATCH {
            Catch::Left => board.settled(grid, &Slides { grid, worth }, budget),
            Catch::Speared => board.settled(grid, &Spears { grid, worth }, budget),
        }
    }

    fn reason(&self, position: &Self::Position) -> Option<&'static str> {
        position.common.reason()
    }

    fn legal(&self, position: &Self::Position, moves: &mut Vec<Self::Move>) {
        let FishGamePosition { blocked, common } = position;
        moves.clear();
        if common.phase() == Phase::Move {
            let take = |step| moves.push(Move::Go(step));
            self.moves.each(blocked, common.movers(), take);
        } else {
            self.fish_rules.list(common, moves);
        }
    }

    fn count_legal(&self, position: &Self::Position) -> u64 {
        let FishGamePosition { blocked, common } = position;
        if common.phase() == Phase::Move {
            self.moves.count(blocked, common.movers())
        } else {
            self.fish_rules.count(common)
        }
    }

    fn random_move(
        &self,
        position: &Self::Position,
        rng: &mut Rng,
        _scratch: &mut Vec<Self::Move>,
    ) -> Self::Move {
        let FishGamePosition { blocked, common } = position;
        if common.phase() == Phase::Move {
            Move::Go(self.moves.random(blocked, common.movers(), rng))
        } else {
            self.fish_rules.random(common, rng)
        }
    }

    fn is_legal(&self, position: &Self::Position, mv: Self::Move) -> bool {
        let FishGamePosition { blocked, common } = position;
        match (common.phase(), mv) {
            (Phase::Move, Move::Go(step)) => {
                let own = common.movers().any(|cell| cell == M::origin(step));
                own && self.moves.is_legal(blocked, step)
            }
            _ => self.fish_rules.is_legal(common, mv),
        }
    }

    fn play_unchecked(&self, position: &mut Self::Position, mv: Self::Move) {
        let FishGamePosition { blocked, common } = position;
        match mv {
            Move::Go(step) => {
                self.moves.play(blocked, common, step);
                self.fish_rules.turn(common);
            }
            Move::Lay { cell, fish } => {
                self.moves.toggle(blocked, cell);
                self.fish_rules.lay(common, cell, fish);
            }
            Move::Place(cell) => {
                self.moves.toggle(blocked, cell);
                self.fish_rules.place(common, cell);
            }
        }
        self.settle(position);
    }

    fn parse_move(&self, text: &str) -> Result<Self::Move, ParseError> {
        self.fish_rules
            .parse(text, |text| M::parse(self.board(), text))
            .ok_or_else(|| ParseError::new(&Self::INFO, text))
    }

    fn write_move(&self, mv: Self::Move, out: &mut String) {
        let write_step = |step, out: &mut String| M::write(self.board(), step, out);
        self.fish_rules.write(mv, out, write_step);
    }

    fn key(&self, position: &Self::Position) -> u64 {
        position.common.key()
    }

    fn write_identity(&self, position: &Self::Position, out: &mut String) {
        position.common.write_identity(out);
    }

    fn solvable(&self) -> Option<Solvable<'_>> {
        (self.seats() == 2).then(|| match M::CATCH {
            Catch::Left => self.fish_rules.sliding_solvable(),
            Catch::Speared => Solvable::by_points(self.board()),
        })
    }

    fn cell_sets(&self, position: &Self::Position, sets: &mut CellSets) {
        let FishPosition { fish, penguins, .. } = position.common;
        let all = fish.into_iter().chain(penguins.into_iter().take(2));
        sets.extend(all.map(u128::from));
    }

    fn margin_bounds(&self, position: &Self::Position) -> (i32, i32) {
        self.fish_rules.margin_bounds(&position.common)
    }

    fn view(&self, position: &Self::Position) -> View {
        self.fish_rules.view(&position.common)
    }
}
