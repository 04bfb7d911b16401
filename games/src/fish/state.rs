//! Reading and writing states of the games with fish.

use serde_json::{Value, json};

use super::{Floe, MOST_FISH, Phase, Sea, Setup};
use crate::bits;
use crate::board::{Board, CellId};
use crate::game::Seat;
use crate::state::{self, Fields, StateError, require};

/// Rows of digits 0 to 3 as one number a cell.
pub(super) fn digits(board: &Board, rows: &[&str]) -> Result<Vec<u8>, String> {
    let digits = state::read_rows(board, rows, "0123")?;
    Ok(digits.into_iter().map(|digit| digit - b'0').collect())
}

impl Sea {
    /// Reads a state. `settle` makes a position of what was read and calls [`Sea::settle`];
    /// `floe` gives it back.
    ///
    /// # Errors
    /// If the state breaks the rules.
    pub fn load<P>(
        &self,
        state: &Value,
        settle: impl FnOnce(Floe) -> P,
        floe: impl FnOnce(&mut P) -> &mut Floe,
    ) -> Result<P, StateError> {
        let (unsettled, to_move, scores) = self.read(state)?;
        let mut position = settle(unsettled);
        let floe = floe(&mut position);
        require(
            to_move.is_some() || floe.phase == Phase::Over,
            "to_move",
            "null, but a seat can move",
        )?;
        self.put_scores(floe, &scores, to_move.is_none())?;
        Ok(position)
    }

    /// All but the scores.
    fn read(&self, state: &Value) -> Result<(Floe, Option<Seat>, Vec<i32>), StateError> {
        let mut fields = Fields::new(state)?;
        let mut floe = Floe::empty();
        floe.ply = fields.ply()?;
        let to_move = fields.to_move(self.seats)?;
        floe.phase = match fields.choice("phase", &["lay", "place", "move"])? {
            "lay" => Phase::Lay,
            "place" => Phase::Place,
            _ => Phase::Move,
        };
        let fish = fields.rows("fish", &self.board, "0123")?;
        let penguins = fields.cells_by_seat("penguins", &self.board, self.seats)?;
        let scores = fields.ints("scores", self.seats, 0, i64::from(u8::MAX))?;
        fields.end()?;
        for (cell, digit) in fish.iter().enumerate().filter(|(_, d)| **d > b'0') {
            floe.put_fish(cell as CellId, digit - b'0');
        }
        self.check_fish(&floe)?;
        self.put_penguins(&mut floe, &penguins)?;
        match floe.phase {
            Phase::Lay => self.check_laying(&floe)?,
            Phase::Place => self.check_placing(&floe)?,
            Phase::Move | Phase::Over => self.check_all_placed(&floe)?,
        }
        match to_move {
            Some(seat) => floe.seat = seat as u8,
            None => require(floe.phase == Phase::Move, "to_move", "null before the end")?,
        }
        self.check_turn(&floe)?;
        Ok((floe, to_move, scores))
    }

    /// No chip may be there that the start cannot have had.
    fn check_fish(&self, floe: &Floe) -> Result<(), StateError> {
        if let Setup::Given(given) = &self.setup {
            let wrong =
                bits::cells64(floe.cells()).find(|&cell| floe.fish(cell) != given[cell as usize]);
            return wrong.map_or(Ok(()), |cell| {
                let (name, given) = (self.board.name(cell), given[cell as usize]);
                Err(StateError::new(
                    "fish",
                    format!("{name} is neither 0 nor {given}, as the option `fish` has it"),
                ))
            });
        }
        for fish in 1..=MOST_FISH {
            let (count, supply) = (
                floe.cells_with(fish).count_ones(),
                self.supply[fish as usize - 1],
            );
            require(
                count <= supply,
                "fish",
                format!("{count} cells of {fish} fish where there are {supply}"),
            )?;
        }
        Ok(())
    }

    fn put_penguins(&self, floe: &mut Floe, penguins: &[Vec<CellId>]) -> Result<(), StateError> {
        for (seat, cells) in penguins.iter().enumerate() {
            let field = format!("penguins[{seat}]");
            require(
                cells.len() <= self.penguins,
                &*field,
                format!(
                    "{} penguins where {} are allowed",
                    cells.len(),
                    self.penguins
                ),
            )?;
            for &cell in cells {
                let name = self.board.name(cell);
                let free = floe.free() >> cell & 1 != 0;
                let problem = if floe.fish(cell) == 0 {
                    "has no fish"
                } else {
                    "is taken already"
                };
                require(free, &*field, format!("`{name}` {problem}"))?;
                floe.put_penguin(seat, cell);
            }
        }
        Ok(())
    }

    fn check_laying(&self, floe: &Floe) -> Result<(), StateError> {
        require(
            self.setup == Setup::Laid,
            "phase",
            "`lay` only with the option `setup` `laid`",
        )?;
        require(
            self.empty_cells(floe) != 0,
            "phase",
            "`lay`, but all chips lie",
        )?;
        for seat in 0..self.seats {
            require(
                floe.penguins[seat] == 0,
                format!("penguins[{seat}]"),
                "no penguin is placed while chips are laid",
            )?;
        }
        Ok(())
    }

    fn check_placing(&self, floe: &Floe) -> Result<(), StateError> {
        require(
            self.lost(floe) == 0,
            "fish",
            "fish are missing, though no penguin moved yet",
        )?;
        let placed = floe.all_penguins().count_ones() as usize;
        require(
            placed < self.seats * self.penguins,
            "phase",
            "`place`, but all penguins are placed",
        )?;
        let one_fish_left = floe.free() & floe.cells_with(1) != 0;
        for (seat, set) in floe.penguins[..self.seats].iter().enumerate() {
            let in_turn = (placed + self.seats - 1 - seat) / self.seats;
            require(
                set.count_ones() as usize == in_turn,
                format!("penguins[{seat}]"),
                format!("{in_turn} of the {placed} penguins are this seat's: they go in turn"),
            )?;
            require(
                !(self.one_fish && one_fish_left) || set & !floe.cells_with(1) == 0,
                format!("penguins[{seat}]"),
                "penguins start on cells with one fish while there are any",
            )?;
        }
        Ok(())
    }

    fn check_all_placed(&self, floe: &Floe) -> Result<(), StateError> {
        for (seat, set) in floe.penguins[..self.seats].iter().enumerate() {
            require(
                set.count_ones() as usize == self.penguins,
                format!("penguins[{seat}]"),
                format!(
                    "{} penguins where {} are needed",
                    set.count_ones(),
                    self.penguins
                ),
            )?;
        }
        Ok(())
    }

    /// Before penguins move, what was laid or placed says whose turn it is.
    fn check_turn(&self, floe: &Floe) -> Result<(), StateError> {
        let done = match floe.phase {
            Phase::Lay => floe.cells().count_ones(),
            Phase::Place => floe.all_penguins().count_ones(),
            Phase::Move | Phase::Over => return Ok(()),
        };
        let turn = done as usize % self.seats;
        require(
            floe.seat as usize == turn,
            "to_move",
            format!("{} where it is the turn of seat {turn}", floe.seat),
        )
    }

    /// Checks the scores and takes them over. Those of a state that was `finished` have the fish
    /// under the penguins in them, those of one that is over only now get them.
    fn put_scores(
        &self,
        floe: &mut Floe,
        scores: &[i32],
        finished: bool,
    ) -> Result<(), StateError> {
        let under = floe.scores;
        let mut taken = 0;
        for (seat, &score) in scores.iter().enumerate() {
            let under = i32::from(under[seat]);
            let before = if finished { score - under } else { score };
            require(
                before >= 0,
                "scores",
                format!("seat {seat} has {score}, but {under} fish under its penguins alone"),
            )?;
            taken += before as u32;
            floe.scores[seat] = u8::try_from(before + under).unwrap_or(u8::MAX);
        }
        let lost = match floe.phase {
            Phase::Lay | Phase::Place => 0,
            Phase::Move | Phase::Over => self.lost(floe),
        };
        let less = if finished {
            ", less those under penguins"
        } else {
            ""
        };
        require(
            taken == lost,
            "scores",
            format!("{taken} fish in all{less}, but {lost} are gone from the board"),
        )
    }

    /// How many fish are gone since the start.
    fn lost(&self, floe: &Floe) -> u32 {
        let start: u32 = match &self.setup {
            Setup::Given(given) => given.iter().map(|n| u32::from(*n)).sum(),
            _ => (1..).zip(self.supply).map(|(fish, n)| fish * n).sum(),
        };
        let [low, high] = floe.fish.map(u64::count_ones);
        start - (low + 2 * high)
    }

    /// Writes the state.
    pub fn save(&self, floe: &Floe) -> Value {
        let phase = match floe.phase {
            Phase::Lay => "lay",
            Phase::Place => "place",
            Phase::Move | Phase::Over => "move",
        };
        let digit = |cell| char::from(b'0' + floe.fish(cell));
        let penguins = floe.penguins[..self.seats].iter();
        let penguins: Vec<_> = penguins
            .map(|set| state::names(&self.board, bits::cells64(*set)))
            .collect();
        json!({
            "ply": floe.ply,
            "to_move": floe.to_move(),
            "phase": phase,
            "fish": state::write_rows(&self.board, digit),
            "penguins": penguins,
            "scores": self.scores(floe).as_slice(),
        })
    }
}
