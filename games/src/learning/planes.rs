//! Observations as arrays.

use crate::kit::board::{Board, CellId};

/// What an observation consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planes {
    /// What each plane says, or each number of an observation that has no board.
    pub names: Vec<String>,
    /// The size of each plane.
    pub shape: Shape,
    /// The place of each cell of the board in a plane.
    places: Vec<u16>,
}

/// The size of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The rows and columns of a board.
    Board {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// A single number.
    Number,
}

impl Planes {
    /// Planes of a board with these names. The cell `c5` is at row 4 and column 2 of each plane, on
    /// every kind of board.
    pub fn of_board<S: Into<String>>(board: &Board, names: impl IntoIterator<Item = S>) -> Self {
        let coordinates = || board.cells().map(|cell| board.coordinates(cell));
        let columns = coordinates().map(|(letter, _)| letter + 1).max();
        let rows = coordinates().map(|(_, number)| number + 1).max();
        let (rows, columns) = (rows.unwrap_or(0), columns.unwrap_or(0));
        Planes {
            names: names.into_iter().map(Into::into).collect(),
            shape: Shape::Board { rows, columns },
            places: coordinates()
                .map(|(letter, number)| (number * columns + letter) as u16)
                .collect(),
        }
    }

    /// Single numbers with these names.
    pub fn of_numbers(names: Vec<String>) -> Self {
        Planes {
            names,
            shape: Shape::Number,
            places: Vec::new(),
        }
    }

    /// The lengths of the array's axes: planes, rows and columns, or only the number of numbers.
    pub fn axes(&self) -> Vec<usize> {
        match self.shape {
            Shape::Board { rows, columns } => vec![self.names.len(), rows, columns],
            Shape::Number => vec![self.names.len()],
        }
    }

    /// The number of values in an observation.
    #[expect(clippy::len_without_is_empty, reason = "no observation is empty")]
    pub fn len(&self) -> usize {
        self.axes().iter().product()
    }

    /// Writes an observation into an array of this length. The values are all 0 until they are written.
    pub fn writer<'a>(&'a self, values: &'a mut [f32]) -> Writer<'a> {
        values.fill(0.0);
        Writer {
            size: values.len() / self.names.len().max(1),
            rest: values,
            places: &self.places,
        }
    }
}

/// Writes the planes of an observation, one after the other.
pub struct Writer<'a> {
    rest: &'a mut [f32],
    size: usize,
    places: &'a [u16],
}

impl Writer<'_> {
    fn plane(&mut self) -> &mut [f32] {
        let (plane, rest) = std::mem::take(&mut self.rest).split_at_mut(self.size);
        self.rest = rest;
        plane
    }

    /// The next plane is 1 on these cells.
    #[inline]
    pub fn cells(&mut self, cells: impl IntoIterator<Item = CellId>) {
        let places = self.places;
        let plane = self.plane();
        for cell in cells {
            plane[places[cell as usize] as usize] = 1.0;
        }
    }

    /// The next plane has this value everywhere.
    #[inline]
    pub fn all(&mut self, value: f32) {
        self.plane().fill(value);
    }

    /// The next plane is 1 everywhere if this is true, else 0.
    #[inline]
    pub fn flag(&mut self, is: bool) {
        let plane = self.plane();
        if is {
            plane.fill(1.0);
        }
    }

    /// True if every plane is written.
    pub fn is_complete(&self) -> bool {
        self.rest.is_empty()
    }
}
