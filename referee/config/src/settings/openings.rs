//! How matches begin, as the configuration says it.

use std::path::Path;
use std::sync::OnceLock;

use games::Catalog;

use crate::error::{Problem, WrongValue};
use crate::tables::book::{self, BookOpening};
use crate::tables::file::{OpeningOrder, OpeningTable};
use crate::tables::game::GameSetup;

/// How matches begin.
#[derive(Clone, Debug, Default)]
pub struct Openings {
    /// The number of random plies that the referee makes.
    pub random_plies: u32,
    /// How far from equal chances an opening may be, as the mean outcome of random games.
    pub balanced: Option<f64>,
    /// Who gets the same opening.
    pub order: OpeningOrder,
    /// The openings of each game; none where the book has none.
    pub book: Vec<Vec<BookOpening>>,
    /// Of each game: which openings of the book are balanced, once that was asked.
    pub judged: Vec<OnceLock<Judged>>,
}

/// Which openings of a book are balanced.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Their places in the book; the best one if none is.
    pub chosen: Vec<usize>,
    /// How far from equal the best one is, if that is too far.
    pub best: Option<f64>,
}

/// Reads the book, if there is one; its path starts at `folder`.
pub(crate) fn openings(
    table: &OpeningTable,
    games: &[GameSetup],
    catalog: &Catalog,
    folder: &Path,
) -> Result<Openings, WrongValue> {
    let unusable = |error| WrongValue::new("opening.book", Problem::Book(error));
    Ok(Openings {
        random_plies: table.random_plies,
        balanced: table.balanced,
        order: table.order,
        book: match &table.book {
            Some(path) => book::load(&folder.join(path), games, catalog).map_err(unusable)?,
            None => Vec::new(),
        },
        judged: games.iter().map(|_| OnceLock::new()).collect(),
    })
}
