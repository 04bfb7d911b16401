//! Reading and writing states of Elephant Run.

use serde_json::{Value, json};

use super::board::{ALL, cells};
use super::position::{Phase, Position};
use super::{ElephantRun, FARMERS_TO_MOVE};
use crate::game::Game;
use crate::kit::board::CellId;
use crate::kit::outcome::Seat;
use crate::kit::state::{self, Fields, StateError, require};
use crate::kit::zobrist;

impl ElephantRun {
    /// Reads a state; the turn passes on or the game ends if the seat to move cannot move.
    pub(super) fn read(&self, state: &Value) -> Result<Position, StateError> {
        let mut fields = Fields::new(state)?;
        let mut position = Position::empty();
        position.ply = fields.ply()?;
        let to_move = fields.to_move(2)?;
        let placing = fields.choice("phase", &["place", "move"])? == "place";
        let tiles = fields.rows("tiles", &self.board, "#.")?;
        let elephant = fields.optional_cell("elephant", &self.board)?;
        let farmers = fields.cells("farmers", &self.board)?;
        let scores = fields.ints("scores", 2, 0, i64::from(u8::MAX))?;
        fields.end()?;
        for cell in self.board.cells().filter(|c| tiles[*c as usize] == b'.') {
            position.eat(cell);
        }
        self.put_pieces(&mut position, elephant, &farmers)?;
        if placing {
            self.check_placing(&position, to_move)?;
        } else {
            require(elephant.is_some(), "elephant", "null after placing")?;
            let captured = self.farmers - position.farmers.count_ones();
            position.points = (captured + (position.tiles ^ ALL).count_ones()) as u8;
        }
        require(
            scores == [i32::from(position.points), 0],
            "scores",
            format!(
                "[{},0] is needed: a point for each hole and each captured farmer",
                position.points
            ),
        )?;
        if placing {
            position.seat = u8::from(elephant.is_some());
        } else {
            position.end_placing();
            self.settle(&mut position, to_move.unwrap_or_default() as u8);
        }
        if position.seat == 1 {
            position.key ^= zobrist::fact(FARMERS_TO_MOVE);
        }
        require(
            to_move.is_some() || position.phase != Phase::Move,
            "to_move",
            "null, but the elephant can move and farmers are left",
        )?;
        Ok(position)
    }

    fn put_pieces(
        &self,
        position: &mut Position,
        elephant: Option<CellId>,
        farmers: &[CellId],
    ) -> Result<(), StateError> {
        let lists = [("elephant", elephant.as_slice()), ("farmers", farmers)];
        state::require_distinct(&self.board, &lists)?;
        require(
            farmers.len() <= self.farmers as usize,
            "farmers",
            format!("at most {} are allowed", self.farmers),
        )?;
        if let Some(cell) = elephant {
            position.put_elephant(cell);
        }
        for &cell in farmers {
            require(
                position.tiles >> cell & 1 != 0,
                "farmers",
                format!("`{}` is a hole", self.board.name(cell)),
            )?;
            position.toggle_farmer(cell);
        }
        Ok(())
    }

    /// Checks a state in which pieces are still to be placed.
    fn check_placing(&self, position: &Position, to_move: Option<Seat>) -> Result<(), StateError> {
        let Position {
            elephant, farmers, ..
        } = *position;
        require(
            position.tiles == ALL,
            "tiles",
            "no tile is eaten while pieces are placed",
        )?;
        require(
            elephant != 0 || farmers == 0,
            "farmers",
            "the elephant is placed first",
        )?;
        require(
            farmers.count_ones() < self.farmers,
            "phase",
            "`place`, but all pieces are placed",
        )?;
        let turn = usize::from(elephant != 0);
        require(
            to_move == Some(turn),
            "to_move",
            format!("it is the turn of seat {turn} to place"),
        )
    }

    /// Writes a state.
    pub(super) fn write(&self, position: &Position) -> Value {
        let tile = |cell: CellId| {
            if position.tiles >> cell & 1 != 0 {
                '#'
            } else {
                '.'
            }
        };
        let phase = match position.phase {
            Phase::Place => "place",
            _ => "move",
        };
        json!({
            "ply": position.ply,
            "to_move": self.to_move(position),
            "phase": phase,
            "tiles": state::write_rows(&self.board, tile),
            "elephant": cells(position.elephant).next().map(|cell| self.board.name(cell)),
            "farmers": state::names(&self.board, cells(position.farmers)),
            "scores": self.scores(position).as_slice(),
        })
    }
}
