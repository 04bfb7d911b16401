//! The board and the start by the options: a square with the usual start, or a rectangle with its own.

use super::OnBoard;
use crate::game::Game;
use crate::kit::board::wide::Wide;
use crate::kit::board::{Board, CellId, cell_name};
use crate::kit::info::{StaticKind, StaticOption};
use crate::kit::options::{OptionError, Options};

/// The amazons of a side on a rectangle.
const MOST_AMAZONS: usize = 6;
/// Options that come together, and not with `size`.
const RECTANGLE: [&str; 4] = ["columns", "rows", "light", "dark"];
const SIDE: StaticKind = StaticKind::IntIfGiven { min: 3, max: 12 };

pub(super) const OPTIONS: [StaticOption; 5] = [
    StaticOption {
        name: "size",
        kind: StaticKind::Int {
            min: 5,
            max: 11,
            default: Some(10),
        },
        help: "Columns and rows of a square board with the usual start.",
        unless: Some("columns"),
    },
    StaticOption {
        name: "columns",
        kind: SIDE,
        help: "Columns of a rectangle, in place of `size`; needs `rows`, `light` and `dark`.",
        unless: None,
    },
    StaticOption {
        name: "rows",
        kind: SIDE,
        help: "Rows of the rectangle.",
        unless: None,
    },
    StaticOption {
        name: "light",
        kind: StaticKind::Cells,
        help: "Cells of light's amazons on the rectangle, 1 to 6.",
        unless: None,
    },
    StaticOption {
        name: "dark",
        kind: StaticKind::Cells,
        help: "Cells of dark's amazons, as many as light has.",
        unless: None,
    },
];

fn error(name: &str, message: impl Into<String>) -> OptionError {
    OptionError::new(OnBoard::<Wide, 128>::INFO.id, name, message)
}

/// The number of lines of the board: rows, columns and diagonals.
pub(super) fn lines(options: &Options) -> usize {
    let side = |name| options.int(name).and_then(|n| usize::try_from(n).ok());
    let size = side("size").unwrap_or_default();
    let (columns, rows) = (
        side("columns").unwrap_or(size),
        side("rows").unwrap_or(size),
    );
    (3 * (columns + rows)).saturating_sub(2)
}

/// The board, and the cells of each side's amazons.
pub(super) fn read(options: &Options) -> Result<(Board, [Vec<CellId>; 2]), OptionError> {
    let is_given = |name: &&str| options.int(name).is_some() || options.list(name).is_some();
    let given = RECTANGLE.iter().find(|name| is_given(name));
    let Some(given) = given else {
        return Ok(square(options.number("size")));
    };
    if let Some(missing) = RECTANGLE.iter().find(|name| !is_given(name)) {
        return Err(error(
            missing,
            format!("needed with `{given}`: a rectangle has `columns`, `rows`, `light` and `dark`"),
        ));
    }
    if options.int("size").is_some() {
        return Err(error(
            "size",
            format!("not allowed with `{given}`, which is in its place"),
        ));
    }
    let board = Board::square(options.number("columns"), options.number("rows"));
    let light = side(options, &board, "light")?;
    let dark = side(options, &board, "dark")?;
    if dark.len() != light.len() {
        let (light, dark) = (light.len(), dark.len());
        return Err(error(
            "dark",
            format!("{dark} amazons where light has {light}: both sides have as many"),
        ));
    }
    if let Some(cell) = dark.iter().find(|cell| light.contains(cell)) {
        let name = board.name(*cell);
        return Err(error(
            "dark",
            format!("`{name}` is taken already, by `light`"),
        ));
    }
    Ok((board, [light, dark]))
}

/// The cells of one side.
fn side(options: &Options, board: &Board, name: &str) -> Result<Vec<CellId>, OptionError> {
    let mut cells = Vec::new();
    for text in options.list(name).unwrap_or_default() {
        let cell = board.find(text).ok_or_else(|| {
            let text = crate::kit::text::shown(text);
            error(name, format!("`{text}` is not {}", board.describe()))
        })?;
        if cells.contains(&cell) {
            return Err(error(name, format!("`{text}` is there twice")));
        }
        cells.push(cell);
    }
    if !(1..=MOST_AMAZONS).contains(&cells.len()) {
        let count = cells.len();
        return Err(error(
            name,
            format!("{count} amazons where 1 to {MOST_AMAZONS} are allowed"),
        ));
    }
    Ok(cells)
}

fn square(n: usize) -> (Board, [Vec<CellId>; 2]) {
    let board = Board::square(n, n);
    let k = (n - 3) / 2;
    // Column and row from 0, for light; dark is the mirror image.
    let light = [(0, k), (n - 1, k), (k, 0), (n - 1 - k, 0)];
    let cell = |column, row| {
        board
            .find(&cell_name(column, row))
            .expect("a cell of the board")
    };
    let start = [
        light.map(|(column, row)| cell(column, row)).to_vec(),
        light
            .map(|(column, row)| cell(column, n - 1 - row))
            .to_vec(),
    ];
    (board, start)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::find;

    fn refused(options: Value) -> String {
        let made = find("amazons").unwrap().configure(&options);
        made.err().unwrap().to_string()
    }

    #[test]
    fn wrong_rectangles_are_refused_in_a_sentence() {
        let good = json!({"columns": 5, "rows": 4, "light": ["a1", "e1"], "dark": ["a4", "e4"]});
        assert!(find("amazons").unwrap().configure(&good).is_ok());
        let with = |key: &str, value: Value| {
            let mut options = good.clone();
            options[key] = value;
            refused(options)
        };
        let begins = |text: String, wanted: &str| assert!(text.contains(wanted), "{text}");
        begins(
            with("size", json!(6)),
            "`size` of amazons: not allowed with `columns`",
        );
        begins(
            with("rows", json!(2)),
            "`rows` of amazons: 2 is not a whole number from 3 to 12",
        );
        begins(
            with("rows", Value::Null),
            "`rows` of amazons: needed with `columns`",
        );
        begins(
            with("light", json!([])),
            "`light` of amazons: 0 amazons where 1 to 6 are allowed",
        );
        begins(
            with("light", json!(["a1", "a1"])),
            "`light` of amazons: `a1` is there twice",
        );
        begins(
            with("light", json!(["a1", "f1"])),
            "`light` of amazons: `f1` is not a cell",
        );
        begins(
            with("dark", json!(["a4"])),
            "`dark` of amazons: 1 amazons where light has 2",
        );
        begins(
            with("dark", json!(["a4", "e1"])),
            "`dark` of amazons: `e1` is taken already",
        );
        begins(with("dark", json!("a4")), "is not a list of cells");
        begins(
            refused(json!({"rows": 4})),
            "`columns` of amazons: needed with `rows`",
        );
        begins(
            refused(json!({"dark": ["a1"]})),
            "`columns` of amazons: needed with `dark`",
        );
    }

    #[test]
    fn a_rectangle_starts_as_given() {
        let options = json!({"columns": 12, "rows": 12, "light": ["a1"], "dark": ["l12"]});
        let rules = find("amazons").unwrap().configure(&options).unwrap();
        assert_eq!(rules.options().to_json(), options, "nothing is added");
        let mut session = rules.start(0).unwrap();
        assert_eq!(
            session.state().unwrap()["amazons"],
            json!([["a1"], ["l12"]])
        );
        session.play("a1-a12/k12").unwrap();
        assert_eq!(session.state().unwrap()["arrows"], json!(["k12"]));
    }
}
