//! Game of the Amazons: queens that shoot arrows; who cannot move loses.

mod learning;
mod setup;

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::game::{Game, ParseError};
use crate::kit::board::bitboard::{Cells, Grid};
use crate::kit::board::sliding::lines::{Lines, Occupancy};
use crate::kit::board::sliding::shots::{self, Shot};
use crate::kit::board::wide::Wide;
use crate::kit::board::{Board, CellId};
use crate::kit::info::{Limits, StaticInfo};
use crate::kit::options::{OptionError, Options};
use crate::kit::outcome::{Scores, Seat, win_as_points};
use crate::kit::rng::Rng;
use crate::kit::solving::{CellSets, Movement, Solvable};
use crate::kit::state::{self, Fields, StateError, require};
use crate::kit::view::{Ground, Piece, View};
use crate::kit::zobrist;
use crate::settlement::{Budget, EndgameSolver, arrows};

use setup::OPTIONS;

/// The kind of an arrow in keys; the kinds below it are the seats.
const ARROW: usize = 2;
/// The fact in keys that dark is to move.
const DARK_TO_MOVE: usize = 0;
/// The fact in keys that the game is over.
const OVER: usize = 1;

/// The rules on a board of at most 128 cells: all squares, and all rectangles but three.
pub type Amazons = OnBoard<u128, 64>;

/// The rules on the rectangles of 11 by 12, 12 by 11, and 12 by 12 cells.
pub type LargeAmazons = OnBoard<Wide, 128>;

/// A position of [`Amazons`].
pub type Position = PositionOf<u128, 64>;

/// The rules for one board, with this kind of sets of cells and room for so many lines.
#[derive(Debug)]
pub struct OnBoard<S, const L: usize> {
    board: Board,
    start: [Vec<CellId>; 2],
    grid: Grid<S>,
    lines: Lines<4, L>,
}

/// Amazons and arrows on the board, and the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionOf<S, const L: usize> {
    /// Amazons and arrows.
    occupied: Occupancy<L>,
    amazons: [S; 2],
    key: u64,
    ply: u32,
    /// The seat to move or, in a finished game, the one that could not.
    seat: u8,
    over: bool,
}

impl<S: Cells, const L: usize> PositionOf<S, L> {
    /// The cells of a seat's amazons.
    pub fn amazons(&self, seat: Seat) -> impl Iterator<Item = CellId> + Clone + use<S, L> {
        self.amazons[seat].each()
    }

    /// The same cells, as a set.
    pub fn amazon_set(&self, seat: Seat) -> S {
        self.amazons[seat]
    }

    fn toggle(&mut self, seat: Seat, cell: CellId) {
        let (set, cell) = (self.amazons[seat], S::cell(cell));
        self.amazons[seat] = set.without(cell) | cell.without(set);
    }

    fn has(&self, seat: Seat, cell: CellId) -> bool {
        self.amazons[seat] & S::cell(cell) != S::NONE
    }

    /// Amazons and arrows.
    pub fn occupied(&self) -> &Occupancy<L> {
        &self.occupied
    }
}

impl<S: Cells, const L: usize> OnBoard<S, L> {
    fn empty(&self) -> PositionOf<S, L> {
        PositionOf {
            occupied: self.lines.free(),
            amazons: [S::NONE; 2],
            key: 0,
            ply: 0,
            seat: 0,
            over: false,
        }
    }

    fn put_amazon(&self, position: &mut PositionOf<S, L>, seat: Seat, cell: CellId) {
        self.lines.toggle(&mut position.occupied, cell);
        position.amazons[seat] = position.amazons[seat] | S::cell(cell);
        position.key ^= zobrist::piece(seat, cell as usize);
    }

    fn put_arrow(&self, position: &mut PositionOf<S, L>, cell: CellId) {
        self.lines.toggle(&mut position.occupied, cell);
        position.key ^= zobrist::piece(ARROW, cell as usize);
    }

    /// Passes the turn to `seat`, or ends the game if it cannot move. An amazon that moves can
    /// always shoot back to where it was.
    fn settle(&self, position: &mut PositionOf<S, L>, seat: u8) {
        position.seat = seat;
        position.over = !self
            .lines
            .any(&position.occupied, position.amazons(seat as usize));
        if position.over {
            // Which seat lost shows in the scores, which keys leave out.
            position.key ^= zobrist::fact(OVER);
            if seat == 1 {
                position.key ^= zobrist::fact(DARK_TO_MOVE);
            }
        }
    }

    fn arrows(&self, position: &PositionOf<S, L>) -> impl Iterator<Item = CellId> {
        let amazons = position.amazons[0] | position.amazons[1];
        self.board.cells().filter(move |&cell| {
            self.lines.blocked(&position.occupied, cell) && amazons & S::cell(cell) == S::NONE
        })
    }

    /// Light's amazons, dark's amazons, and the arrows.
    fn sets(&self, position: &PositionOf<S, L>) -> [S; 3] {
        let [light, dark] = position.amazons;
        let arrows = self.arrows(position);
        let arrows = arrows.fold(S::NONE, |set, cell| set | S::cell(cell));
        [light, dark, arrows]
    }

    /// The cells with neither an amazon nor an arrow.
    pub fn empty_cells(&self, position: &PositionOf<S, L>) -> S {
        let blocked = self.lines.blocked_cells(&position.occupied);
        self.grid.all().without(blocked)
    }

    /// The board of the game.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The board as sets of cells.
    pub fn grid(&self) -> &Grid<S> {
        &self.grid
    }

    /// The position after the slide of a move and before its shot, for evaluations only: its key and turn
    /// mean nothing.
    #[inline]
    pub fn half_move(
        &self,
        position: &PositionOf<S, L>,
        from: CellId,
        to: CellId,
    ) -> PositionOf<S, L> {
        let mut next = *position;
        let seat = usize::from(position.has(1, from));
        self.lines.toggle(&mut next.occupied, from);
        self.lines.toggle(&mut next.occupied, to);
        next.toggle(seat, from);
        next.toggle(seat, to);
        next
    }

    /// The lines of the board, for evaluations.
    pub fn lines(&self) -> &Lines<4, L> {
        &self.lines
    }
}

impl<S: Cells, const L: usize> Game for OnBoard<S, L> {
    type Position = PositionOf<S, L>;
    type Move = Shot;

    const INFO: StaticInfo = StaticInfo {
        id: "amazons",
        title: "Game of the Amazons",
        summary: "Move an amazon like a chess queen, then shoot an arrow that blocks its cell for \
                  ever. A player who cannot move loses.",
        roles: &["light", "dark"],
        symmetric: true,
        options: &OPTIONS,
        notation: &[(
            "d1-d7/g7",
            "the amazon on d1 goes to d7 and shoots an arrow to g7",
        )],
        limits: Limits::NONE,
    };

    const GUIDE: &'static str = include_str!("amazons.md");
    const SETTLES: bool = true;

    fn fits(options: &Options) -> bool {
        setup::lines(options) <= L
    }

    fn new(options: &Options) -> Result<Self, OptionError> {
        let (board, start) = setup::read(options)?;
        Ok(OnBoard {
            lines: Lines::new(&board),
            grid: Grid::new(&board),
            board,
            start,
        })
    }

    fn start(&self, _rng: &mut Rng) -> Self::Position {
        let mut position = self.empty();
        for (seat, cells) in self.start.iter().enumerate() {
            for &cell in cells {
                self.put_amazon(&mut position, seat, cell);
            }
        }
        self.settle(&mut position, 0);
        position
    }

    fn load(&self, state: &Value) -> Result<Self::Position, StateError> {
        let mut fields = Fields::new(state)?;
        let ply = fields.ply()?;
        let to_move = fields.to_move(2)?;
        let amazons = fields.cells_by_seat("amazons", &self.board, 2)?;
        let arrows = fields.cells("arrows", &self.board)?;
        let scores = fields.ints("scores", 2, 0, 1)?;
        fields.end()?;
        state::require_distinct(
            &self.board,
            &[
                ("amazons[0]", &amazons[0]),
                ("amazons[1]", &amazons[1]),
                ("arrows", &arrows),
            ],
        )?;
        let mut position = self.empty();
        position.ply = ply;
        for (seat, cells) in amazons.iter().enumerate() {
            require(
                !cells.is_empty(),
                format!("amazons[{seat}]"),
                "at least one amazon is needed",
            )?;
            for &cell in cells {
                self.put_amazon(&mut position, seat, cell);
            }
        }
        for &cell in &arrows {
            self.put_arrow(&mut position, cell);
        }
        let seat = state::seat_or_loser(to_move, &scores)?;
        if seat == 1 {
            position.key ^= zobrist::fact(DARK_TO_MOVE);
        }
        self.settle(&mut position, seat);
        require(
            to_move.is_some() || position.over,
            "to_move",
            format!("null, but the seat that lost by `scores`, {seat}, can move"),
        )?;
        Ok(position)
    }

    fn save(&self, position: &Self::Position) -> Value {
        let amazons = [0, 1].map(|seat| state::names(&self.board, position.amazons(seat)));
        json!({
            "ply": position.ply,
            "to_move": self.to_move(position),
            "amazons": amazons,
            "arrows": state::names(&self.board, self.arrows(position)),
            "scores": self.scores(position).as_slice(),
        })
    }

    #[inline]
    fn to_move(&self, position: &Self::Position) -> Option<Seat> {
        (!position.over).then_some(position.seat as Seat)
    }

    #[inline]
    fn ply(&self, position: &Self::Position) -> u32 {
        position.ply
    }

    fn scores(&self, position: &Self::Position) -> Scores {
        win_as_points(position.over.then_some(1 - position.seat as Seat))
    }

    fn settled(&self, position: &Self::Position, budget: &mut Budget) -> Option<Scores> {
        let mover = self.to_move(position)?;
        let (empty, mut solver) = (self.empty_cells(position), EndgameSolver::default());
        let amazons = position.amazons;
        let moves_left = arrows::moves_left(&self.grid, &mut solver, amazons, empty, budget)?;
        arrows::winner(moves_left, mover).map(|winner| win_as_points(Some(winner)))
    }

    fn reason(&self, position: &Self::Position) -> Option<&'static str> {
        position.over.then_some("no_moves")
    }

    fn legal(&self, position: &Self::Position, moves: &mut Vec<Shot>) {
        moves.clear();
        let amazons = position.amazons(position.seat as Seat);
        shots::list(&self.lines, &position.occupied, amazons, moves);
    }

    fn count_legal(&self, position: &Self::Position) -> u64 {
        let amazons = position.amazons(position.seat as Seat);
        shots::count(&self.lines, &position.occupied, amazons)
    }

    fn random_move(
        &self,
        position: &Self::Position,
        rng: &mut Rng,
        _scratch: &mut Vec<Shot>,
    ) -> Shot {
        let amazons = position.amazons(position.seat as Seat);
        shots::random(&self.lines, &position.occupied, amazons, rng)
    }

    fn is_legal(&self, position: &Self::Position, mv: Shot) -> bool {
        position.has(position.seat as Seat, mv.from)
            && shots::is_legal(&self.lines, &position.occupied, mv)
    }

    fn play_unchecked(&self, position: &mut Self::Position, mv: Shot) {
        let seat = position.seat as usize;
        self.lines.toggle(&mut position.occupied, mv.from);
        self.lines.toggle(&mut position.occupied, mv.to);
        position.toggle(seat, mv.from);
        position.toggle(seat, mv.to);
        position.key ^= zobrist::piece(seat, mv.from as usize)
            ^ zobrist::piece(seat, mv.to as usize)
            ^ zobrist::fact(DARK_TO_MOVE);
        self.put_arrow(position, mv.target);
        position.ply = state::next_count(position.ply);
        self.settle(position, 1 - position.seat);
    }

    fn parse_move(&self, text: &str) -> Result<Shot, ParseError> {
        shots::parse(&self.board, text).ok_or_else(|| ParseError::new(&Self::INFO, text))
    }

    fn write_move(&self, mv: Shot, out: &mut String) {
        shots::write(&self.board, mv, out);
    }

    fn key(&self, position: &Self::Position) -> u64 {
        position.key
    }

    fn write_identity(&self, position: &Self::Position, out: &mut String) {
        let seat = if position.over { 2 } else { position.seat };
        let _ = write!(out, "{seat}");
        for set in self.sets(position) {
            match set.narrow() {
                Some(set) => {
                    let _ = write!(out, ".{set:x}");
                }
                None => {
                    let cells: Vec<String> = set.each().map(|cell| cell.to_string()).collect();
                    let _ = write!(out, ".{}", cells.join(","));
                }
            }
        }
    }

    fn solvable(&self) -> Option<Solvable<'_>> {
        Some(Solvable {
            board: &self.board,
            win: 1,
            draw: 1,
            points: false,
            movement: Some(Movement::SlideAndShoot),
        })
    }

    fn cell_sets(&self, position: &Self::Position, sets: &mut CellSets) {
        sets.extend(self.sets(position).into_iter().filter_map(Cells::narrow));
    }

    fn margin_bounds(&self, _position: &Self::Position) -> (i32, i32) {
        (-1, 1)
    }

    fn view(&self, position: &Self::Position) -> View {
        let mut pieces = Vec::new();
        for (seat, glyph) in [(0, 'L'), (1, 'D')] {
            pieces.extend(position.amazons(seat).map(|cell| Piece {
                cell: self.board.name(cell).to_owned(),
                kind: "amazon".into(),
                seat: Some(seat),
                glyph,
                facing: None,
            }));
        }
        pieces.extend(self.arrows(position).map(|cell| Piece {
            cell: self.board.name(cell).to_owned(),
            kind: "arrow".into(),
            seat: None,
            glyph: 'x',
            facing: None,
        }));
        View {
            shape: self.board.shape(),
            cells: self.board.draw_all(|_| Ground::Open),
            pieces,
            notes: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::conformance!(Amazons, [
        {},
        {"size": 5},
        {"size": 6},
        {"size": 11},
        {"columns": 5, "rows": 4, "light": ["a1", "e1"], "dark": ["a4", "e4"]},
        {"columns": 3, "rows": 12, "light": ["b1"], "dark": ["b12"]},
        {"columns": 12, "rows": 10, "light": ["a4", "d1", "i1", "l4"], "dark": ["a7", "d10", "i10", "l7"]}
    ]);

    mod large {
        use super::*;

        crate::conformance!(LargeAmazons, [
            {"columns": 12, "rows": 11, "light": ["a4", "l4"], "dark": ["a8", "l8"]},
            {"columns": 12, "rows": 12, "light": ["a4", "d1", "i1", "l4", "f6", "g6"],
             "dark": ["a9", "d12", "i12", "l9", "f7", "g7"]}
        ]);
    }

    fn start(options: Value) -> Value {
        let game = Amazons::new(&Options::of::<Amazons>(&options).unwrap()).unwrap();
        game.save(&game.start(&mut Rng::new(0)))
    }

    #[test]
    fn the_starts_are_those_of_the_rules() {
        assert_eq!(
            start(json!({})),
            json!({"ply": 0, "to_move": 0,
                   "amazons": [["a4", "d1", "g1", "j4"], ["a7", "d10", "g10", "j7"]],
                   "arrows": [], "scores": [0, 0]})
        );
        assert_eq!(
            start(json!({"size": 6}))["amazons"],
            json!([["a2", "b1", "e1", "f2"], ["a5", "b6", "e6", "f5"]])
        );
    }

    #[test]
    fn who_lost_is_not_in_keys() {
        let options = Options::of::<Amazons>(&json!({"size": 5})).unwrap();
        let game = Amazons::new(&options).unwrap();
        let ends = [[0, 1], [1, 0]].map(|scores| {
            let state = json!({"ply": 9, "to_move": null, "amazons": [["a1"], ["a2"]],
                "arrows": ["a3", "b1", "b2", "b3"], "scores": scores});
            let position = game.load(&state).unwrap();
            let mut identity = String::new();
            game.write_identity(&position, &mut identity);
            (game.key(&position), identity)
        });
        assert_eq!(ends[0], ends[1]);
    }
}
