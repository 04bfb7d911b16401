//! Boards as pictures: facts that look like cells, as `(cell 1 2 white)`.

use games::View;
use games::kit::view::{Cell, Ground, Piece, Shape};

/// Words for a cell with nothing on it.
const EMPTY: [&str; 6] = ["b", "blank", "empty", "e", "none", "nil"];
/// The largest number of columns or rows that is drawn.
const MOST: usize = 40;

/// The columns and rows of a board.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    columns: Vec<String>,
    rows: Vec<String>,
    /// All cells that some fact names.
    cells: Vec<(String, String)>,
}

/// The parts of a fact about a cell: column, row, piece.
fn cell(fact: &str) -> Option<(&str, &str, &str)> {
    let inner = fact.strip_prefix('(')?.strip_suffix(')')?;
    let mut words = inner.split(' ');
    let name = words.next()?;
    if !name.eq_ignore_ascii_case("cell") {
        return None;
    }
    let found = (words.next()?, words.next()?, words.next()?);
    let plain = |word: &str| !word.contains(['(', ')']);
    let whole = words.next().is_none() && plain(found.0) && plain(found.1) && plain(found.2);
    whole.then_some(found)
}

impl Grid {
    /// The columns and rows that these facts name.
    pub(crate) fn of<'f>(facts: impl Iterator<Item = &'f String>) -> Self {
        let mut grid = Grid::default();
        for (column, row, _) in facts.filter_map(|fact| cell(fact)) {
            let both = (column.to_owned(), row.to_owned());
            if grid.cells.len() <= MOST * MOST && grid.cells.last() != Some(&both) {
                grid.cells.push(both);
            }
            for (list, word) in [(&mut grid.columns, column), (&mut grid.rows, row)] {
                if list.len() <= MOST && !list.iter().any(|known| known == word) {
                    list.push(word.to_owned());
                }
            }
        }
        let order = |word: &String| (word.parse::<i64>().unwrap_or(i64::MAX), word.clone());
        grid.columns.sort_by_key(order);
        grid.rows.sort_by_key(order);
        grid.cells.sort();
        grid.cells.dedup();
        grid
    }
}

/// The picture of a position; `None` if its facts do not look like a board.
pub(crate) fn of(facts: &[String], grid: &Grid, roles: &[String]) -> Option<View> {
    let drawable = |list: &Vec<String>| !list.is_empty() && list.len() <= MOST;
    if !drawable(&grid.columns) || !drawable(&grid.rows) {
        return None;
    }
    let mut view = View {
        shape: Shape::Square,
        cells: grid
            .cells
            .iter()
            .filter_map(|both| place(grid, both))
            .collect(),
        pieces: Vec::new(),
        notes: Vec::new(),
    };
    let mut said: Vec<String> = Vec::new();
    for fact in facts {
        let Some((column, row, piece)) = cell(fact) else {
            view.notes.push(fact.clone());
            continue;
        };
        let name = format!("{column},{row}");
        // Two facts about one cell are no board.
        if said.contains(&name) {
            return None;
        }
        said.push(name.clone());
        if !EMPTY.iter().any(|word| word.eq_ignore_ascii_case(piece)) {
            view.pieces.push(Piece {
                cell: name,
                kind: piece.to_owned().into(),
                seat: owner(piece, roles),
                glyph: piece.chars().next().unwrap_or('?'),
                facing: None,
            });
        }
    }
    (!view.cells.is_empty()).then_some(view)
}

fn place(grid: &Grid, (column, row): &(String, String)) -> Option<Cell> {
    let at = |list: &[String], word: &String| list.iter().position(|known| known == word);
    Some(Cell {
        name: format!("{column},{row}"),
        x: 2 * at(&grid.columns, column)? as i32,
        y: at(&grid.rows, row)? as i32,
        ground: Ground::Open,
        label: None,
    })
}

/// The seat whose piece this is, by its name: `white`, `x` of `xplayer`, `wp` of `white`.
fn owner(piece: &str, roles: &[String]) -> Option<usize> {
    let piece = piece.to_lowercase();
    let fits = |role: &String| {
        let role = role.to_lowercase();
        role == piece || role.starts_with(&piece) || piece.starts_with(&role)
    };
    let mut owners = (0..roles.len()).filter(|seat| fits(&roles[*seat]));
    owners.next().filter(|_| owners.next().is_none())
}
