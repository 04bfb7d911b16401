//! The state reader: takes the fields of a state by name and type, and refuses what is left over.

use serde_json::{Map, Value};
use thiserror::Error;

use crate::kit::board::{Board, CellId};
use crate::kit::outcome::Seat;
use crate::kit::text::{brief, quoted};

/// The largest value of a counter in a state (`ply`, Siam's `exits`). A counter that gets there stays
/// there, so that every state can be read again.
pub const LARGEST_COUNT: u32 = i32::MAX as u32;

/// The value of a counter after one more step.
#[inline]
pub fn next_count(count: u32) -> u32 {
    count.saturating_add(1).min(LARGEST_COUNT)
}

/// A state that breaks the rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("state field `{field}`: {message}")]
pub struct StateError {
    /// The field that breaks them; `amazons[0]` for a part of a field.
    pub field: String,
    /// The fault, and what is allowed.
    pub message: String,
}

impl StateError {
    /// An error about a field.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        StateError {
            field: field.into(),
            message: message.into(),
        }
    }
}

/// Returns an error with this field and message unless `holds`.
pub fn require(
    holds: bool,
    field: impl Into<String>,
    message: impl Into<String>,
) -> Result<(), StateError> {
    if holds {
        Ok(())
    } else {
        Err(StateError::new(field, message))
    }
}

/// The fields of an object that is being read. Each method reads one field; [`Fields::end`] refuses
/// fields that were not read.
#[derive(Debug)]
pub struct Fields<'a> {
    /// The prefix of field names in errors: `black.` in `black.cows`.
    prefix: String,
    map: &'a Map<String, Value>,
    asked: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// The fields of a state.
    ///
    /// # Errors
    /// If it is not an object.
    pub fn new(state: &'a Value) -> Result<Self, StateError> {
        Self::under("", state)
    }

    fn under(prefix: &str, value: &'a Value) -> Result<Self, StateError> {
        let map = value.as_object().ok_or_else(|| {
            let name = if prefix.is_empty() { "state" } else { prefix };
            StateError::new(name, format!("{} is not an object", brief(value)))
        })?;
        let dot = if prefix.is_empty() { "" } else { "." };
        Ok(Fields {
            prefix: format!("{prefix}{dot}"),
            map,
            asked: Vec::new(),
        })
    }

    /// The full name of a field, for errors.
    pub fn path(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn wrong(&self, name: &str, value: &Value, allowed: &str) -> StateError {
        StateError::new(
            self.path(name),
            format!("{} is not {allowed}", brief(value)),
        )
    }

    /// A field of any type.
    pub fn value(&mut self, name: &'static str) -> Result<&'a Value, StateError> {
        self.asked.push(name);
        self.map
            .get(name)
            .ok_or_else(|| StateError::new(self.path(name), "this field is missing"))
    }

    /// A field that is an object itself.
    pub fn object(&mut self, name: &'static str) -> Result<Fields<'a>, StateError> {
        let value = self.value(name)?;
        Fields::under(&self.path(name), value)
    }

    /// A whole number from `min` to `max`.
    pub fn int(&mut self, name: &'static str, min: i64, max: i64) -> Result<i64, StateError> {
        let value = self.value(name)?;
        value
            .as_i64()
            .filter(|n| (min..=max).contains(n))
            .ok_or_else(|| self.wrong(name, value, &format!("a whole number from {min} to {max}")))
    }

    /// The common field `ply`.
    pub fn ply(&mut self) -> Result<u32, StateError> {
        Ok(self.int("ply", 0, i64::from(LARGEST_COUNT))? as u32)
    }

    /// The common field `to_move`.
    pub fn to_move(&mut self, seats: usize) -> Result<Option<Seat>, StateError> {
        let value = self.value("to_move")?;
        if value.is_null() {
            return Ok(None);
        }
        let seat = value.as_u64().filter(|n| *n < seats as u64);
        seat.map(|n| Some(n as Seat)).ok_or_else(|| {
            self.wrong(
                "to_move",
                value,
                &format!("null or a seat from 0 to {}", seats - 1),
            )
        })
    }

    /// A list of `length` whole numbers from `min` to `max`, such as `scores`.
    pub fn ints(
        &mut self,
        name: &'static str,
        length: usize,
        min: i64,
        max: i64,
    ) -> Result<Vec<i32>, StateError> {
        let value = self.value(name)?;
        let allowed = || format!("a list of {length} whole numbers from {min} to {max}");
        let list = value
            .as_array()
            .filter(|list| list.len() == length)
            .ok_or_else(|| self.wrong(name, value, &allowed()))?;
        list.iter()
            .map(|item| {
                let number = item.as_i64().filter(|n| (min..=max).contains(n));
                number
                    .map(|n| n as i32)
                    .ok_or_else(|| self.wrong(name, value, &allowed()))
            })
            .collect()
    }

    /// One of several words.
    pub fn choice(
        &mut self,
        name: &'static str,
        words: &[&'static str],
    ) -> Result<&'static str, StateError> {
        let value = self.value(name)?;
        let found = words.iter().find(|w| value.as_str() == Some(w));
        found
            .copied()
            .ok_or_else(|| self.wrong(name, value, &format!("one of {}", quoted(words))))
    }

    /// A cell, or `None` for null.
    pub fn optional_cell(
        &mut self,
        name: &'static str,
        board: &Board,
    ) -> Result<Option<CellId>, StateError> {
        let value = self.value(name)?;
        if value.is_null() {
            return Ok(None);
        }
        cell(board, value, &self.path(name)).map(Some)
    }

    /// A list of distinct cells in any order; the result is in the order of the board.
    pub fn cells(&mut self, name: &'static str, board: &Board) -> Result<Vec<CellId>, StateError> {
        let value = self.value(name)?;
        cells(board, value, &self.path(name))
    }

    /// A list of lists of cells, one list a seat.
    pub fn cells_by_seat(
        &mut self,
        name: &'static str,
        board: &Board,
        seats: usize,
    ) -> Result<Vec<Vec<CellId>>, StateError> {
        let value = self.value(name)?;
        let lists = value
            .as_array()
            .filter(|lists| lists.len() == seats)
            .ok_or_else(|| {
                self.wrong(name, value, &format!("{seats} lists of cells, one a seat"))
            })?;
        lists
            .iter()
            .enumerate()
            .map(|(seat, list)| cells(board, list, &format!("{}[{seat}]", self.path(name))))
            .collect()
    }

    /// The entries of an object whose keys are cells: `{"c1":"n"}`.
    pub fn cell_map(
        &mut self,
        name: &'static str,
        board: &Board,
    ) -> Result<Vec<(CellId, &'a Value)>, StateError> {
        let value = self.value(name)?;
        let map = value
            .as_object()
            .ok_or_else(|| self.wrong(name, value, "an object with cells as keys"))?;
        map.iter()
            .map(|(key, item)| match board.find(key) {
                Some(cell) => Ok((cell, item)),
                None => Err(StateError::new(
                    self.path(name),
                    format!("`{key}` is not {}", board.describe()),
                )),
            })
            .collect()
    }

    /// Rows of characters from `allowed`, the top row first; the result is one character a cell of the
    /// board.
    pub fn rows(
        &mut self,
        name: &'static str,
        board: &Board,
        allowed: &str,
    ) -> Result<Vec<u8>, StateError> {
        let value = self.value(name)?;
        let rows: Option<Vec<&str>> = value
            .as_array()
            .and_then(|rows| rows.iter().map(Value::as_str).collect());
        let rows = rows.ok_or_else(|| self.wrong(name, value, "a list of strings"))?;
        read_rows(board, &rows, allowed)
            .map_err(|bad| StateError::new(self.path(name), bad.to_string()))
    }

    /// Refuses fields that were not read.
    pub fn end(self) -> Result<(), StateError> {
        match self.map.keys().find(|key| !self.asked.contains(&&***key)) {
            None => Ok(()),
            Some(unknown) => Err(StateError::new(
                self.path(unknown),
                format!(
                    "there is no such field; allowed are {}",
                    quoted(&self.asked)
                ),
            )),
        }
    }
}

fn cell(board: &Board, value: &Value, path: &str) -> Result<CellId, StateError> {
    value
        .as_str()
        .and_then(|name| board.find(name))
        .ok_or_else(|| {
            StateError::new(
                path,
                format!("{} is not {}", brief(value), board.describe()),
            )
        })
}

fn cells(board: &Board, value: &Value, path: &str) -> Result<Vec<CellId>, StateError> {
    let list = value
        .as_array()
        .ok_or_else(|| StateError::new(path, format!("{} is not a list of cells", brief(value))))?;
    let mut cells = list
        .iter()
        .map(|item| cell(board, item, path))
        .collect::<Result<Vec<_>, _>>()?;
    cells.sort_unstable();
    match cells.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(StateError::new(
            path,
            format!("`{}` is there twice", board.name(pair[0])),
        )),
        None => Ok(cells),
    }
}

/// Rows of characters that do not fit a board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RowsError {
    /// There are too many rows, or too few.
    #[error("{given} rows where {needed} are needed")]
    Count {
        /// The number of rows given.
        given: usize,
        /// The number of rows of the board.
        needed: usize,
    },
    /// A row is too long or too short, or has other characters.
    #[error("row {number} from the top, `{start}`, is not {length} characters out of `{allowed}`")]
    Row {
        /// Counted from 1.
        number: usize,
        /// At most 20 characters of it.
        start: String,
        /// The number of characters that the row needs.
        length: usize,
        /// All allowed characters.
        allowed: String,
    },
}

/// Checks rows of characters, the top row first, and returns one character for each cell of the board.
///
/// # Errors
/// If the rows do not fit the board or have other characters.
pub fn read_rows(board: &Board, rows: &[&str], allowed: &str) -> Result<Vec<u8>, RowsError> {
    let lengths: Vec<usize> = board.rows().iter().rev().map(Vec::len).collect();
    if rows.len() != lengths.len() {
        return Err(RowsError::Count {
            given: rows.len(),
            needed: lengths.len(),
        });
    }
    for (i, (row, length)) in rows.iter().zip(&lengths).enumerate() {
        if row.chars().count() != *length || !row.chars().all(|c| allowed.contains(c)) {
            return Err(RowsError::Row {
                number: i + 1,
                start: row.chars().take(20).collect(),
                length: *length,
                allowed: allowed.to_owned(),
            });
        }
    }
    Ok(rows.iter().rev().flat_map(|row| row.bytes()).collect())
}

/// Reads rows of digits like [`read_rows`], and returns one number for each cell.
///
/// # Errors
/// See [`read_rows`].
pub fn read_digits(board: &Board, rows: &[&str], allowed: &str) -> Result<Vec<u8>, RowsError> {
    let digits = read_rows(board, rows, allowed)?;
    Ok(digits.into_iter().map(|digit| digit - b'0').collect())
}

/// The opposite of [`read_rows`].
pub fn write_rows(board: &Board, character: impl Fn(CellId) -> char) -> Vec<String> {
    let rows = board.rows().iter().rev();
    rows.map(|row| row.iter().map(|&cell| character(cell)).collect())
        .collect()
}

/// For games without points: checks `scores` against `to_move` and returns the seat to move or, in a
/// finished game, the seat that lost.
pub fn seat_or_loser(to_move: Option<Seat>, scores: &[i32]) -> Result<u8, StateError> {
    match (to_move, scores) {
        (Some(seat), [0, 0]) => Ok(seat as u8),
        (None, [1, 0]) => Ok(1),
        (None, [0, 1]) => Ok(0),
        (Some(_), _) => Err(StateError::new(
            "scores",
            "[0,0] is needed while the game goes on",
        )),
        (None, _) => Err(StateError::new(
            "scores",
            "[1,0] or [0,1] is needed where `to_move` is null, in a finished game",
        )),
    }
}

/// The names of cells, sorted byte by byte as in states.
pub fn names(board: &Board, cells: impl IntoIterator<Item = CellId>) -> Vec<&str> {
    let mut names: Vec<&str> = cells.into_iter().map(|cell| board.name(cell)).collect();
    names.sort_unstable();
    names
}

/// Refuses a cell that is listed twice; `lists` are pairs of a field's name and its cells.
pub fn require_distinct(board: &Board, lists: &[(&str, &[CellId])]) -> Result<(), StateError> {
    let mut taken: Vec<Option<&str>> = vec![None; board.len()];
    for (field, cells) in lists {
        for &cell in *cells {
            if let Some(other) = taken[cell as usize].replace(field) {
                let name = board.name(cell);
                return Err(StateError::new(
                    *field,
                    format!("`{name}` is taken already, by `{other}`"),
                ));
            }
        }
    }
    Ok(())
}
