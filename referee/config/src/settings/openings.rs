//! The keys of openings.

use std::path::Path;
use std::sync::OnceLock;

use games::Catalog;

use crate::error::{Diagnostic, Problem};
use crate::setup::book::{self, BookOpening};
use crate::setup::game::GameSetup;
use crate::tables::{OpeningOrder, OpeningTable};

#[derive(Clone, Debug, Default)]
pub struct Openings {
    /// Random plies of the referee.
    pub random_plies: u32,
    /// Largest distance of an opening from equal chances, by the mean outcome of random games.
    pub balanced: Option<f64>,
    /// Determines the matches that share an opening.
    pub order: OpeningOrder,
    /// By game; empty for games that are not in the book.
    pub book: Vec<Vec<BookOpening>>,
    /// By game: its balanced openings in the book, once they were judged.
    pub judged: Vec<OnceLock<Judged>>,
}

/// The balanced openings of a book.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Indices in the book; the best one if none is balanced.
    pub chosen: Vec<usize>,
    /// Imbalance of the best one, if no opening is balanced.
    pub best: Option<f64>,
}

/// Reads the book, if there is one; its path starts at `folder`.
pub(crate) fn openings(
    table: &OpeningTable,
    games: &[GameSetup],
    catalog: &Catalog,
    folder: &Path,
) -> Result<Openings, Diagnostic> {
    let unusable = |error| Diagnostic::new("opening.book", Problem::Book(error));
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
