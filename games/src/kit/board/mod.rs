//! Boards of square or hexagonal cells, which have names, coordinates and neighbours.

pub mod bitboard;
pub mod bitset;
pub mod sliding;
pub mod wide;

use std::collections::HashMap;

use crate::kit::view::{Cell, Ground, Shape};

/// The index of a cell on its board: row by row from the bottom, each from left to right.
pub type CellId = u8;

/// Means "no cell" in tables of cells.
pub const NO_CELL: CellId = u8::MAX;

const LETTERS: usize = 12;
const NUMBERS: usize = 12;

/// The cells of a board, in rows from the bottom up, each from left to right.
#[derive(Clone, Debug)]
pub struct Board {
    shape: Shape,
    names: Vec<String>,
    /// Column in half widths of a cell, and row from the bottom.
    spots: Vec<(i32, i32)>,
    steps: Vec<[CellId; 8]>,
    by_name: [[CellId; NUMBERS]; LETTERS],
    rows: Vec<Vec<CellId>>,
}

/// The (half column, row) steps of the eight directions of square boards, clockwise from
/// north; the opposite of direction d is d + 4 modulo 8.
const SQUARE_STEPS: [(i32, i32); 8] = [
    (0, 1),
    (2, 1),
    (2, 0),
    (2, -1),
    (0, -1),
    (-2, -1),
    (-2, 0),
    (-2, 1),
];

/// The same for the six directions of hexagonal boards, clockwise from north-east; the opposite
/// of direction d is d + 3 modulo 6.
const HEX_STEPS: [(i32, i32); 6] = [(1, 1), (2, 0), (1, -1), (-1, -1), (-2, 0), (-1, 1)];

impl Board {
    /// A board from its cells, each with a name (a letter `a`–`l` and a number 1–12), a half
    /// column and a row.
    ///
    /// # Panics
    /// If a name is not of that form, which is a bug in a game.
    pub fn new(shape: Shape, mut cells: Vec<(String, i32, i32)>) -> Self {
        cells.sort_by_key(|(_, x, y)| (*y, *x));
        let at: HashMap<(i32, i32), CellId> = cells
            .iter()
            .enumerate()
            .map(|(id, (_, x, y))| ((*x, *y), id as CellId))
            .collect();
        let directions: &[(i32, i32)] = match shape {
            Shape::Square => &SQUARE_STEPS,
            Shape::Hex => &HEX_STEPS,
        };
        let mut by_name = [[NO_CELL; NUMBERS]; LETTERS];
        let mut steps = Vec::new();
        let mut rows: Vec<Vec<CellId>> = Vec::new();
        for (id, (name, x, y)) in cells.iter().enumerate() {
            let (letter, number) = coordinates(name).expect("a cell's name");
            by_name[letter][number] = id as CellId;
            let mut around = [NO_CELL; 8];
            for (step, (dx, dy)) in around.iter_mut().zip(directions) {
                *step = at.get(&(x + dx, y + dy)).copied().unwrap_or(NO_CELL);
            }
            steps.push(around);
            match rows.last_mut() {
                Some(row) if cells[row[0] as usize].2 == *y => row.push(id as CellId),
                _ => rows.push(vec![id as CellId]),
            }
        }
        let spots = cells.iter().map(|(_, x, y)| (*x, *y)).collect();
        let names = cells.into_iter().map(|(name, ..)| name).collect();
        Board {
            shape,
            names,
            spots,
            steps,
            by_name,
            rows,
        }
    }

    /// A square board with `columns` a, b, … and `rows` 1, 2, … from the bottom.
    pub fn square(columns: usize, rows: usize) -> Self {
        let cells = (0..rows).flat_map(|row| {
            (0..columns).map(move |column| (cell_name(column, row), 2 * column as i32, row as i32))
        });
        Board::new(Shape::Square, cells.collect())
    }

    /// The 60 hexagons of Penguins: eight rows, seven cells in the odd ones, which sit half a
    /// cell to the right, and eight in the even ones.
    pub fn hex60() -> Self {
        let cells = (0..8).flat_map(|row| {
            let (length, shift) = if row % 2 == 0 { (7, 1) } else { (8, 0) };
            (0..length).map(move |i| (cell_name(i, row), 2 * i as i32 + shift, row as i32))
        });
        Board::new(Shape::Hex, cells.collect())
    }

    /// The shape of the cells.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The number of directions: 8 on square boards, 6 on hexagonal ones.
    pub fn directions(&self) -> usize {
        match self.shape {
            Shape::Square => SQUARE_STEPS.len(),
            Shape::Hex => HEX_STEPS.len(),
        }
    }

    /// The number of cells.
    #[expect(clippy::len_without_is_empty, reason = "no board is empty")]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// All cells.
    pub fn cells(&self) -> impl Iterator<Item = CellId> + use<> {
        0..self.names.len() as CellId
    }

    /// The rows from the bottom up, each from left to right.
    pub fn rows(&self) -> &[Vec<CellId>] {
        &self.rows
    }

    /// A cell's name.
    #[inline]
    pub fn name(&self, cell: CellId) -> &str {
        &self.names[cell as usize]
    }

    /// The cell with this name.
    #[inline]
    pub fn find(&self, name: &str) -> Option<CellId> {
        let (letter, number) = coordinates(name)?;
        let cell = self.by_name[letter][number];
        (cell != NO_CELL).then_some(cell)
    }

    /// The letter and the number of a cell's name, both counted from 0.
    pub fn coordinates(&self, cell: CellId) -> (usize, usize) {
        coordinates(self.name(cell)).expect("a cell's name")
    }

    /// The cells on the lines from a cell: direction by direction, clockwise from north, the nearest first.
    pub fn lines_from(&self, cell: CellId) -> impl Iterator<Item = CellId> + '_ {
        (0..self.directions()).flat_map(move |direction| {
            std::iter::successors(self.step(cell, direction), move |next| {
                self.step(*next, direction)
            })
        })
    }

    /// The neighbour in a direction.
    #[inline]
    pub fn step(&self, cell: CellId, direction: usize) -> Option<CellId> {
        let next = self.steps[cell as usize][direction];
        (next != NO_CELL).then_some(next)
    }

    /// All neighbours.
    pub fn neighbours(&self, cell: CellId) -> impl Iterator<Item = CellId> + '_ {
        (0..self.directions()).filter_map(move |d| self.step(cell, d))
    }

    /// The symmetries of the board but for the identity: for each, the image of every cell. Lines stay
    /// lines.
    pub fn symmetries(&self) -> Vec<Vec<CellId>> {
        // Twice the distance from the middle, in half columns and rows.
        let last = |axis: fn(&(i32, i32)) -> i32| self.spots.iter().map(axis).max().unwrap_or(0);
        let first = |axis: fn(&(i32, i32)) -> i32| self.spots.iter().map(axis).min().unwrap_or(0);
        let middle_x = first(|spot| spot.0) + last(|spot| spot.0);
        let middle_y = first(|spot| spot.1) + last(|spot| spot.1);
        let image = |turned: bool, flip_x: i32, flip_y: i32| -> Option<Vec<CellId>> {
            let to = |(x, y): (i32, i32)| {
                let (x, y) = (2 * x - middle_x, 2 * y - middle_y);
                // A square's column is two half columns wide.
                let (x, y) = if turned { (2 * y, x / 2) } else { (x, y) };
                let spot = ((flip_x * x + middle_x) / 2, (flip_y * y + middle_y) / 2);
                self.spots.iter().position(|other| *other == spot)
            };
            let to = self
                .spots
                .iter()
                .map(|spot| to(*spot).map(|id| id as CellId));
            to.collect()
        };
        let turns: &[bool] = match self.shape {
            Shape::Square if self.rows.len() == self.rows[0].len() => &[false, true],
            _ => &[false],
        };
        let flips = [(1, 1), (-1, 1), (1, -1), (-1, -1)];
        let all = turns
            .iter()
            .flat_map(|turned| flips.map(|(x, y)| image(*turned, x, y)));
        let other = |image: &Vec<CellId>| image.iter().zip(0..).any(|(to, cell)| *to != cell);
        all.flatten().filter(other).collect()
    }

    /// The cell as a picture shows it.
    pub fn draw(&self, cell: CellId, ground: Ground, label: Option<String>) -> Cell {
        let (x, y) = self.spots[cell as usize];
        Cell {
            name: self.name(cell).to_owned(),
            x,
            y,
            ground,
            label,
        }
    }

    /// All cells as a picture shows them, without labels.
    pub(crate) fn draw_all(&self, ground: impl Fn(CellId) -> Ground) -> Vec<Cell> {
        self.cells()
            .map(|cell| self.draw(cell, ground(cell), None))
            .collect()
    }

    /// Says for error messages what the cells of the board are called.
    pub fn describe(&self) -> String {
        let (first, last) = (&self.names[0], &self.names[self.names.len() - 1]);
        format!(
            "a cell of the board, whose {} cells go from {first} to {last}",
            self.len()
        )
    }
}

/// The name of a square board's cell, from column and row counted from 0.
pub fn cell_name(column: usize, row: usize) -> String {
    format!("{}{}", (b'a' + column as u8) as char, row + 1)
}

/// Letter and number of a cell's name, both counted from 0.
#[inline]
fn coordinates(name: &str) -> Option<(usize, usize)> {
    let (letter, digits) = match *name.as_bytes() {
        [letter, n @ b'1'..=b'9'] => (letter, n - b'0'),
        [letter, b'1', n @ b'0'..=b'2'] => (letter, 10 + n - b'0'),
        _ => return None,
    };
    let letter = letter.checked_sub(b'a')? as usize;
    (letter < LETTERS).then_some((letter, digits as usize - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_others_are_not() {
        let board = Board::square(11, 11);
        for cell in board.cells() {
            assert_eq!(board.find(board.name(cell)), Some(cell));
        }
        for wrong in [
            "", "a", "a0", "a12", "a01", "l1", "A1", "a1 ", "1a", "é1", "a111",
        ] {
            assert_eq!(board.find(wrong), None, "{wrong}");
        }
        assert_eq!(Board::square(5, 5).find("a6"), None);
    }

    #[test]
    fn opposite_directions_lead_back() {
        for board in [Board::square(6, 4), Board::hex60()] {
            let n = board.directions();
            for cell in board.cells() {
                for d in 0..n {
                    if let Some(next) = board.step(cell, d) {
                        assert_eq!(board.step(next, (d + n / 2) % n), Some(cell));
                    }
                }
            }
        }
    }

    #[test]
    fn symmetries_keep_neighbours() {
        let boards = [
            (Board::square(5, 5), 7),
            (Board::square(6, 4), 3),
            // Its lowest row is shorter than its highest one.
            (Board::hex60(), 1),
        ];
        for (board, count) in boards {
            let images = board.symmetries();
            assert_eq!(images.len(), count);
            for image in images {
                for cell in board.cells() {
                    let mut mapped: Vec<CellId> = board
                        .neighbours(cell)
                        .map(|next| image[next as usize])
                        .collect();
                    let mut around: Vec<CellId> = board.neighbours(image[cell as usize]).collect();
                    mapped.sort_unstable();
                    around.sort_unstable();
                    assert_eq!(mapped, around);
                }
            }
        }
    }

    #[test]
    fn the_sixty_hexagons_touch_as_the_rules_say() {
        let board = Board::hex60();
        assert_eq!(board.len(), 60);
        let names = |cell: &str| {
            let cell = board.find(cell).unwrap();
            let mut names: Vec<&str> = board.neighbours(cell).map(|c| board.name(c)).collect();
            names.sort_unstable();
            names
        };
        assert_eq!(names("c3"), ["b3", "c2", "c4", "d2", "d3", "d4"]);
        assert_eq!(names("a2"), ["a1", "a3", "b2"]);
        assert_eq!(names("h8"), ["g7", "g8"]);
    }
}
