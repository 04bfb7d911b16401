//! Connect Four on seven columns of six.

use serde::{Deserialize, Serialize};

use super::{Perceived, Position, number, ranked};
use crate::kit::outcome::Seat;
use crate::kit::to_move::ToMove;
use crate::session::Tally;

const COLUMNS: usize = 7;
const ROWS: usize = 6;

/// Four discs in a line win; a full board is a draw. A move is a column, `1` to `7`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ConnectFour {
    /// The seats of the discs in each column, from below.
    columns: [Vec<u8>; COLUMNS],
    winner: Option<Seat>,
}

impl ConnectFour {
    fn disc(&self, column: i32, row: i32) -> Option<u8> {
        let column = self.columns.get(usize::try_from(column).ok()?)?;
        column.get(usize::try_from(row).ok()?).copied()
    }

    /// True if a line of four goes through the disc on top of a column.
    fn is_won_at(&self, column: usize) -> bool {
        let row = self.columns[column].len() as i32 - 1;
        let column = column as i32;
        let mine = self.disc(column, row);
        let count = |dx: i32, dy: i32| {
            (1..4)
                .take_while(|n| self.disc(column + n * dx, row + n * dy) == mine)
                .count()
        };
        [(1, 0), (0, 1), (1, 1), (1, -1)]
            .into_iter()
            .any(|(dx, dy)| count(dx, dy) + count(-dx, -dy) >= 3)
    }
}

impl Position for ConnectFour {
    const ID: &'static str = "connect-four";

    fn ply(&self) -> u32 {
        self.columns.iter().map(|column| column.len() as u32).sum()
    }

    fn to_move(&self) -> ToMove {
        if self.winner.is_some() || self.ply() as usize == COLUMNS * ROWS {
            return ToMove::OVER;
        }
        ToMove::seat(self.ply() as Seat % 2)
    }

    fn legal(&self, _seat: Seat) -> Vec<String> {
        let open = (0..COLUMNS).filter(|column| self.columns[*column].len() < ROWS);
        open.map(|column| (column + 1).to_string()).collect()
    }

    fn play(&mut self, choices: &[&str]) -> Perceived {
        let seat = self.ply() as Seat % 2;
        let column = usize::from(number(choices[0])) - 1;
        self.columns[column].push(seat as u8);
        if self.is_won_at(column) {
            self.winner = Some(seat);
        }
        Vec::new()
    }

    fn tally(&self) -> Tally {
        ranked([0, 1].map(|seat| i64::from(self.winner == Some(seat))))
    }
}
