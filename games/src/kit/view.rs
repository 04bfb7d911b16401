//! Views of boards, for anything that draws: terminals, pages, pictures.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A board with its pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// The shape of the cells.
    pub shape: Shape,
    /// Every cell of the board, holes included.
    pub cells: Vec<Cell>,
    /// The pieces on the cells, at most one a cell.
    #[serde(default)]
    pub pieces: Vec<Piece>,
    /// Facts off the board (reserves, phases), one line each.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The shape of a board's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Squares with four sides and four corners to neighbours.
    Square,
    /// Hexagons that stand on a point, so that rows are horizontal.
    Hex,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Its name in moves.
    pub name: String,
    /// The centre's column, in half widths of a cell.
    pub x: i32,
    /// The row, counted from the bottom.
    pub y: i32,
    /// The kind of ground.
    pub ground: Ground,
    /// The text on it, such as a number of fish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// The ground of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ground {
    /// An ordinary cell.
    Open,
    /// A cell that marks something: an edge, a home row, a closed middle.
    Marked,
    /// No ground any more: eaten, removed, crossed out.
    Gone,
}

/// One piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The cell that it stands on.
    pub cell: String,
    /// Its kind, in a word.
    pub kind: Cow<'static, str>,
    /// Its owner; `None` for what belongs to nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<usize>,
    /// One letter for it.
    pub glyph: char,
    /// The way it faces: `n`, `e`, `s` or `w`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facing: Option<char>,
}
