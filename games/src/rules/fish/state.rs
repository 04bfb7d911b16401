//! Reading and writing states of the games with fish.

use serde_json::{Value, json};

use super::fish_rules::{FishRules, Setup};
use super::position::{FishPosition, MOST_FISH, Phase};
use crate::kit::board::{CellId, bitset};
use crate::kit::outcome::Seat;
use crate::kit::state::{self, Fields, StateError, require};

impl FishRules {
    /// Reads a state. `settle` makes a position of the game from what was read and calls
    /// [`FishRules::settle`]; `common` returns the common part of that position.
    ///
    /// # Errors
    /// If the state breaks the rules.
    pub fn load<P>(
        &self,
        state: &Value,
        settle: impl FnOnce(FishPosition) -> P,
        common: impl FnOnce(&mut P) -> &mut FishPosition,
    ) -> Result<P, StateError> {
        let (unsettled, to_move, scores) = self.read(state)?;
        let mut position = settle(unsettled);
        let common = common(&mut position);
        require(
            to_move.is_some() || common.phase == Phase::Over,
            "to_move",
            "null, but a seat can move",
        )?;
        self.put_scores(common, &scores, to_move.is_none())?;
        Ok(position)
    }

    /// All but the scores.
    fn read(&self, state: &Value) -> Result<(FishPosition, Option<Seat>, Vec<i32>), StateError> {
        let mut fields = Fields::new(state)?;
        let mut position = FishPosition::empty();
        position.ply = fields.ply()?;
        let to_move = fields.to_move(self.seats)?;
        position.phase = match fields.choice("phase", &["lay", "place", "move"])? {
            "lay" => Phase::Lay,
            "place" => Phase::Place,
            _ => Phase::Move,
        };
        let fish = fields.rows("fish", &self.board, "0123")?;
        let penguins = fields.cells_by_seat("penguins", &self.board, self.seats)?;
        let scores = fields.ints("scores", self.seats, 0, i64::from(u8::MAX))?;
        fields.end()?;
        for (cell, digit) in fish.iter().enumerate().filter(|(_, d)| **d > b'0') {
            position.put_fish(cell as CellId, digit - b'0');
        }
        self.check_fish(&position)?;
        self.put_penguins(&mut position, &penguins)?;
        match position.phase {
            Phase::Lay => self.check_laying(&position)?,
            Phase::Place => self.check_placing(&position)?,
            Phase::Move | Phase::Over => self.check_all_placed(&position)?,
        }
        match to_move {
            Some(seat) => position.seat = seat as u8,
            None => require(
                position.phase == Phase::Move,
                "to_move",
                "null before the end",
            )?,
        }
        self.check_turn(&position)?;
        Ok((position, to_move, scores))
    }

    /// Refuses chips that the start cannot have had.
    fn check_fish(&self, position: &FishPosition) -> Result<(), StateError> {
        if let Setup::Given(given) = &self.setup {
            let wrong = bitset::cells64(position.cells())
                .find(|&cell| position.fish(cell) != given[cell as usize]);
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
                position.cells_with(fish).count_ones(),
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

    fn put_penguins(
        &self,
        position: &mut FishPosition,
        penguins: &[Vec<CellId>],
    ) -> Result<(), StateError> {
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
                let free = position.free() >> cell & 1 != 0;
                let problem = if position.fish(cell) == 0 {
                    "has no fish"
                } else {
                    "is taken already"
                };
                require(free, &*field, format!("`{name}` {problem}"))?;
                position.put_penguin(seat, cell);
            }
        }
        Ok(())
    }

    fn check_laying(&self, position: &FishPosition) -> Result<(), StateError> {
        require(
            self.setup == Setup::Laid,
            "phase",
            "`lay` only with the option `setup` `laid`",
        )?;
        require(
            self.empty_cells(position) != 0,
            "phase",
            "`lay`, but all chips lie",
        )?;
        for seat in 0..self.seats {
            require(
                position.penguins[seat] == 0,
                format!("penguins[{seat}]"),
                "no penguin is placed while chips are laid",
            )?;
        }
        Ok(())
    }

    fn check_placing(&self, position: &FishPosition) -> Result<(), StateError> {
        require(
            self.lost(position) == 0,
            "fish",
            "fish are missing, though no penguin moved yet",
        )?;
        let placed = position.all_penguins().count_ones() as usize;
        require(
            placed < self.seats * self.penguins,
            "phase",
            "`place`, but all penguins are placed",
        )?;
        let one_fish_left = position.free() & position.cells_with(1) != 0;
        for (seat, set) in position.penguins[..self.seats].iter().enumerate() {
            let in_turn = (placed + self.seats - 1 - seat) / self.seats;
            require(
                set.count_ones() as usize == in_turn,
                format!("penguins[{seat}]"),
                format!("{in_turn} of the {placed} penguins are this seat's: they go in turn"),
            )?;
            require(
                !(self.one_fish && one_fish_left) || set & !position.cells_with(1) == 0,
                format!("penguins[{seat}]"),
                "penguins start on cells with one fish while there are any",
            )?;
        }
        Ok(())
    }

    fn check_all_placed(&self, position: &FishPosition) -> Result<(), StateError> {
        for (seat, set) in position.penguins[..self.seats].iter().enumerate() {
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

    /// Before penguins move, the number of chips or penguins says whose turn it is.
    fn check_turn(&self, position: &FishPosition) -> Result<(), StateError> {
        let done = match position.phase {
            Phase::Lay => position.cells().count_ones(),
            Phase::Place => position.all_penguins().count_ones(),
            Phase::Move | Phase::Over => return Ok(()),
        };
        let turn = done as usize % self.seats;
        require(
            position.seat as usize == turn,
            "to_move",
            format!("{} where it is the turn of seat {turn}", position.seat),
        )
    }

    /// Checks the scores and adopts them. If the state was `finished`, they include the fish under the
    /// penguins; if the game ends only on loading, these are added now.
    fn put_scores(
        &self,
        position: &mut FishPosition,
        scores: &[i32],
        finished: bool,
    ) -> Result<(), StateError> {
        let under = position.scores;
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
            position.scores[seat] = u8::try_from(before + under).unwrap_or(u8::MAX);
        }
        let lost = match position.phase {
            Phase::Lay | Phase::Place => 0,
            Phase::Move | Phase::Over => self.lost(position),
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

    /// The number of fish that are gone since the start.
    fn lost(&self, position: &FishPosition) -> u32 {
        let start: u32 = match &self.setup {
            Setup::Given(given) => given.iter().map(|n| u32::from(*n)).sum(),
            _ => (1..).zip(self.supply).map(|(fish, n)| fish * n).sum(),
        };
        let [low, high] = position.fish.map(u64::count_ones);
        start - (low + 2 * high)
    }

    /// Writes the state.
    pub fn save(&self, position: &FishPosition) -> Value {
        let phase = match position.phase {
            Phase::Lay => "lay",
            Phase::Place => "place",
            Phase::Move | Phase::Over => "move",
        };
        let digit = |cell| char::from(b'0' + position.fish(cell));
        let penguins = position.penguins[..self.seats].iter();
        let penguins: Vec<_> = penguins
            .map(|set| state::names(&self.board, bitset::cells64(*set)))
            .collect();
        json!({
            "ply": position.ply,
            "to_move": position.to_move(),
            "phase": phase,
            "fish": state::write_rows(&self.board, digit),
            "penguins": penguins,
            "scores": self.scores(position).as_slice(),
        })
    }
}
