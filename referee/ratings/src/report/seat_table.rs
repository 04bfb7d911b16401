//! A sparse table of results by bot, game and seat.

use std::collections::BTreeMap;
use std::ops::Index;

use serde::ser::{Serialize, SerializeSeq as _, Serializer};

use crate::standings::Totals;

/// Tables of all games together are written as a whole up to this many rows.
const MOST_ROWS: usize = 1 << 20;

/// A row for each bot, with its results in each seat. In JSON it is a list; where there are very many
/// bots and games, it is an object with the rows of those that played the game, by the bot's index.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatTable {
    bots: usize,
    rows: BTreeMap<usize, Vec<Totals>>,
    /// The row of a bot that did not play.
    nothing: Vec<Totals>,
    is_whole: bool,
}

impl SeatTable {
    /// A table of this many bots in one of this many games.
    pub(super) fn new(
        rows: BTreeMap<usize, Vec<Totals>>,
        seats: usize,
        bots: usize,
        games: usize,
    ) -> Self {
        SeatTable {
            bots,
            rows,
            nothing: vec![Totals::default(); seats],
            is_whole: bots.saturating_mul(games) <= MOST_ROWS,
        }
    }

    /// The bots that played the game, with their rows.
    pub fn played(&self) -> impl Iterator<Item = (usize, &[Totals])> {
        self.rows.iter().map(|(bot, row)| (*bot, &**row))
    }
}

impl Index<usize> for SeatTable {
    type Output = [Totals];

    fn index(&self, bot: usize) -> &[Totals] {
        self.rows.get(&bot).unwrap_or(&self.nothing)
    }
}

impl Serialize for SeatTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.is_whole {
            return self.rows.serialize(serializer);
        }
        let mut rows = serializer.serialize_seq(Some(self.bots))?;
        for bot in 0..self.bots {
            rows.serialize_element(&self[bot])?;
        }
        rows.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_bots_that_did_not_play_are_left_out_where_there_are_many() {
        let rows = BTreeMap::from([(1, vec![Totals::default(); 2])]);
        let small = SeatTable::new(rows.clone(), 2, 3, 4);
        let value = serde_json::to_value(&small).expect("JSON");
        assert_eq!(value.as_array().map(Vec::len), Some(3));
        assert_eq!(value[0], value[1]);
        let large = SeatTable::new(rows, 2, 3, 1 << 20);
        let value = serde_json::to_value(&large).expect("JSON");
        assert_eq!(value.as_object().map(serde_json::Map::len), Some(1));
        assert_eq!(large[2].len(), 2);
    }
}
