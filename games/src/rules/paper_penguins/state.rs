//! Reading and writing states of Paper Pen-guins.

use serde_json::{Value, json};

use super::{HIGHEST, PaperPenguins, Phase, Position};
use crate::game::Game;
use crate::kit::board::CellId;
use crate::kit::outcome::Seat;
use crate::kit::state::{self, Fields, StateError, require};

impl PaperPenguins {
    /// Reads a state; the turn passes on or the game ends if the seat to move cannot move.
    pub(super) fn read(&self, state: &Value) -> Result<Position, StateError> {
        let mut fields = Fields::new(state)?;
        let mut position = self.empty();
        position.ply = fields.ply()?;
        let to_move = fields.to_move(2)?;
        let placing = fields.choice("phase", &["place", "move"])? == "place";
        let points = fields.rows("points", &self.board, "0123")?;
        let pieces = fields.cells_by_seat("pieces", &self.board, 2)?;
        let scores = fields.ints("scores", 2, 0, i64::from(u16::MAX))?;
        fields.end()?;
        for (cell, digit) in self.board.cells().zip(points).filter(|(_, d)| *d > b'0') {
            self.open(&mut position, cell, digit - b'0');
        }
        self.check_points(&position)?;
        self.put_pieces(&mut position, &pieces)?;
        if placing {
            self.check_placing(&position, to_move)?;
            position.seat = (position.placed() % 2) as u8;
        } else {
            self.check_all_placed(&position)?;
            position.phase = Phase::Move;
            self.settle(&mut position, to_move.unwrap_or_default() as u8);
            require(
                to_move.is_some() || position.phase == Phase::Over,
                "to_move",
                "null, but a seat can move",
            )?;
        }
        self.put_scores(&mut position, &scores)?;
        Ok(position)
    }

    /// Refuses points that the start cannot have had.
    fn check_points(&self, position: &Position) -> Result<(), StateError> {
        if let Some(given) = &self.given {
            let wrong = self.board.cells().zip(given).find(|(cell, given)| {
                let points = position.points(*cell);
                points != 0 && points != **given
            });
            return wrong.map_or(Ok(()), |(cell, given)| {
                let name = self.board.name(cell);
                Err(StateError::new(
                    "points",
                    format!("{name} is neither 0 nor {given}, as the option `points` has it"),
                ))
            });
        }
        for (points, supply) in (1..=HIGHEST).zip(self.supply()) {
            let cells = self.board.cells();
            let count = cells.filter(|c| position.points(*c) == points).count();
            require(
                count <= supply,
                "points",
                format!("{count} cells with {points} where there are {supply}"),
            )?;
        }
        Ok(())
    }

    fn put_pieces(
        &self,
        position: &mut Position,
        pieces: &[Vec<CellId>],
    ) -> Result<(), StateError> {
        for (seat, cells) in pieces.iter().enumerate() {
            let field = format!("pieces[{seat}]");
            require(
                cells.len() <= self.pieces,
                &*field,
                format!("{} pieces where {} are allowed", cells.len(), self.pieces),
            )?;
            for &cell in cells {
                let name = self.board.name(cell);
                require(
                    position.points(cell) == 0,
                    &*field,
                    format!("`{name}` is claimed, but `points` has a number there"),
                )?;
                require(
                    position.pieces[0] >> cell & 1 == 0,
                    &*field,
                    format!("`{name}` is taken already"),
                )?;
                position.toggle_piece(seat, cell);
            }
        }
        Ok(())
    }

    fn check_placing(&self, position: &Position, to_move: Option<Seat>) -> Result<(), StateError> {
        let placed = position.placed();
        require(
            placed < 2 * self.pieces,
            "phase",
            "`place`, but all pieces are placed",
        )?;
        let claimed = self.board.len() - position.unclaimed().count_ones() as usize;
        require(
            claimed == placed,
            "points",
            format!("{claimed} cells are 0, but {placed} pieces are placed and none moved yet"),
        )?;
        for seat in 0..2 {
            let in_turn = (placed + 1 - seat) / 2;
            require(
                position.pieces(seat).count() == in_turn,
                format!("pieces[{seat}]"),
                format!("{in_turn} of the {placed} pieces are this seat's: they go in turn"),
            )?;
        }
        let turn = placed % 2;
        require(
            to_move == Some(turn),
            "to_move",
            format!("it is the turn of seat {turn} to place"),
        )
    }

    fn check_all_placed(&self, position: &Position) -> Result<(), StateError> {
        for seat in 0..2 {
            let count = position.pieces(seat).count();
            require(
                count == self.pieces,
                format!("pieces[{seat}]"),
                format!("{count} pieces where {} are needed", self.pieces),
            )?;
        }
        Ok(())
    }

    /// Checks the scores and adopts them: all points gone from the board were scored, and what is
    /// under a piece by the seat of that piece.
    fn put_scores(&self, position: &mut Position, scores: &[i32]) -> Result<(), StateError> {
        let start: usize = match &self.given {
            Some(given) => given.iter().map(|n| *n as usize).sum(),
            None => (1..).zip(self.supply()).map(|(n, count)| n * count).sum(),
        };
        let left: usize = self
            .board
            .cells()
            .map(|c| position.points(c) as usize)
            .sum();
        let gone = start - left;
        let sum: i32 = scores.iter().sum();
        require(
            sum as usize == gone,
            "scores",
            format!("{sum} points in all, but {gone} are gone from the board"),
        )?;
        for (seat, &score) in scores.iter().enumerate() {
            let cells = position.pieces(seat);
            let least: u16 = match &self.given {
                Some(given) => cells.map(|cell| u16::from(given[cell as usize])).sum(),
                None => cells.count() as u16,
            };
            require(
                score >= i32::from(least),
                "scores",
                format!("seat {seat} has {score}, but at least {least} from where its pieces are"),
            )?;
            position.scores[seat] = score as u16;
        }
        Ok(())
    }

    /// Writes a state.
    pub(super) fn write(&self, position: &Position) -> Value {
        let phase = match position.phase {
            Phase::Place => "place",
            Phase::Move | Phase::Over => "move",
        };
        let digit = |cell| char::from(b'0' + position.points(cell));
        let pieces = [0, 1].map(|seat| state::names(&self.board, position.pieces(seat)));
        json!({
            "ply": position.ply,
            "to_move": self.to_move(position),
            "phase": phase,
            "points": state::write_rows(&self.board, digit),
            "pieces": pieces,
            "scores": position.scores,
        })
    }
}
