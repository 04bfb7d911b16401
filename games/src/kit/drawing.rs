//! Boards as text, for any game that describes its board.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::Value;

use crate::kit::outcome::Seat;
use crate::kit::view::{Cell, Ground, Piece, View};
use crate::session::{BrokenRules, Session};

/// Columns of text for half a cell.
const HALF: i32 = 2;

/// The contents of a cell, for those who draw in colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// A piece, and its owner if it has one.
    Piece(Option<Seat>),
    /// Ground without a label.
    Ground,
    /// A label, or a cell that is gone.
    Label,
}

/// Writes two characters in the colour of their ink.
pub type Paint<'a> = &'a dyn Fn(Ink, &str) -> String;

/// Leaves all text as it is.
pub fn plain(_: Ink, text: &str) -> String {
    text.to_owned()
}

/// A position as text: its board, or its state if the rules draw none.
pub fn position(session: &dyn Session, marked: &[String], paint: Paint<'_>) -> String {
    if let Ok(Some(view)) = session.view() {
        return board(&view, marked, paint);
    }
    fields(session.state())
}

/// A position as text, as a seat knows it: without hidden information.
pub fn position_for(
    session: &dyn Session,
    seat: Seat,
    is_hidden: bool,
    paint: Paint<'_>,
) -> String {
    if is_hidden {
        fields(session.observation(seat))
    } else {
        position(session, &[], paint)
    }
}

/// JSON as text, a line for each field.
pub fn fields(value: Result<Value, BrokenRules>) -> String {
    match value {
        Ok(Value::Object(fields)) => {
            let lines = fields
                .iter()
                .map(|(name, value)| format!("  {name}: {value}\n"));
            lines.collect()
        }
        Ok(value) => format!("  {value}\n"),
        Err(broken) => format!("  {broken}\n"),
    }
}

/// Draws a board, each row from its first to its last cell with their names beside it. Cells in
/// `marked` (the last move's) are in brackets. Seats differ by letter, and by colour if `paint` has any.
pub fn board(view: &View, marked: &[String], paint: Paint<'_>) -> String {
    let pieces: HashMap<&str, &Piece> = view.pieces.iter().map(|p| (&*p.cell, p)).collect();
    let mut rows: Vec<i32> = view.cells.iter().map(|cell| cell.y).collect();
    rows.sort_unstable();
    rows.dedup();
    let mut text = String::new();
    for y in rows.into_iter().rev() {
        let mut row: Vec<&Cell> = view.cells.iter().filter(|cell| cell.y == y).collect();
        row.sort_by_key(|cell| cell.x);
        draw_row(&row, &pieces, marked, paint, &mut text);
    }
    for note in &view.notes {
        let _ = writeln!(text, "  {note}");
    }
    text
}

fn draw_row(
    row: &[&Cell],
    pieces: &HashMap<&str, &Piece>,
    marked: &[String],
    paint: Paint<'_>,
    text: &mut String,
) {
    let (Some(first), Some(last)) = (row.first(), row.last()) else {
        return;
    };
    let _ = write!(text, "{:>5}  ", first.name);
    let mut column = 0;
    for cell in row {
        let gap = (cell.x * HALF - column).max(0) as usize;
        let _ = write!(text, "{:gap$}", "");
        let (left, right) = match marked.contains(&cell.name) {
            true => ('[', ']'),
            false => (' ', ' '),
        };
        text.push(left);
        text.push_str(&draw_cell(cell, pieces.get(&*cell.name).copied(), paint));
        text.push(right);
        column = cell.x * HALF + 2 * HALF;
    }
    let _ = writeln!(text, "  {}", last.name);
}

/// Two characters: the piece or the ground of a cell, and its owner or mark.
fn draw_cell(cell: &Cell, piece: Option<&Piece>, paint: Paint<'_>) -> String {
    let label = cell.label.as_deref().and_then(|label| label.chars().next());
    let (glyph, detail, ink) = match piece {
        Some(piece) => {
            let detail = piece.facing.map(arrow).or(label);
            (piece.glyph, detail, Ink::Piece(piece.seat))
        }
        None => match (cell.ground, label) {
            (Ground::Gone, _) => (' ', None, Ink::Label),
            (_, Some(label)) => (label, None, Ink::Label),
            (Ground::Marked, None) => (':', None, Ink::Ground),
            (Ground::Open, None) => ('.', None, Ink::Ground),
        },
    };
    let detail = detail.unwrap_or(' ');
    paint(ink, &format!("{glyph}{detail}"))
}

fn arrow(facing: char) -> char {
    match facing {
        'n' => '↑',
        'e' => '→',
        's' => '↓',
        'w' => '←',
        other => other,
    }
}

/// The cells that a move names, for marking: every letter followed by a number.
pub fn cells_of(mv: &str) -> Vec<String> {
    let mut cells = Vec::new();
    let mut rest = mv;
    while let Some(start) = rest.find(|c: char| c.is_ascii_lowercase()) {
        let digits = rest[start + 1..]
            .bytes()
            .take_while(u8::is_ascii_digit)
            .count();
        if digits > 0 {
            cells.push(rest[start..start + 1 + digits].to_owned());
        }
        rest = &rest[start + 1 + digits..];
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_drawn_from_its_description() {
        let rules = crate::find("amazons")
            .unwrap()
            .configure(&serde_json::json!({"size": 5}));
        let mut session = rules.unwrap().start(0).unwrap();
        session.play("a2-a3/c3").unwrap();
        let view = session.view().unwrap().unwrap();
        let drawn = board(&view, &cells_of("a2-a3/c3"), &plain);
        let rows: Vec<&str> = drawn.lines().collect();
        assert_eq!(rows[2], "   a3  [L ] .  [x ] .   .    e3");
        assert_eq!(rows.len(), 5);
    }

    #[test]
    fn the_cells_of_a_move_are_found() {
        assert_eq!(cells_of("d1-d10/g7"), ["d1", "d10", "g7"]);
        assert_eq!(cells_of("+>c1n"), ["c1"]);
        assert_eq!(cells_of("cow@e2"), ["e2"]);
        assert_eq!(cells_of("c1-out"), ["c1"]);
        assert_eq!(cells_of("e4=3"), ["e4"]);
    }
}
