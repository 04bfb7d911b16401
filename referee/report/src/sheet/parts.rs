//! The parts of a report: headings, notes and tables.

use protocol::shown as clean;
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    Heading(String),
    Note(String),
    Table(Grid),
    /// Verbatim lines: commands, output of bots.
    Code(String),
    /// Verbatim lines that only pages have, folded.
    Fold {
        title: String,
        text: String,
    },
}

impl Part {
    /// Maps all texts but the links.
    pub fn map(self, change: impl Fn(String) -> String) -> Self {
        match self {
            Part::Heading(text) => Part::Heading(change(text)),
            Part::Note(text) => Part::Note(change(text)),
            Part::Code(text) => Part::Code(change(text)),
            Part::Fold { title, text } => Part::Fold {
                title: change(title),
                text: change(text),
            },
            Part::Table(mut grid) => {
                for cell in grid.rows.iter_mut().flatten() {
                    *cell = change(std::mem::take(cell));
                }
                Part::Table(grid)
            }
        }
    }
}

/// A table: one column has names, the others have figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Grid {
    pub header: Vec<String>,
    /// The index of the column with names.
    pub names: usize,
    /// The number of leading columns that say what a row is about.
    pub keys: usize,
    pub rows: Vec<Vec<String>>,
    /// Addresses of the names on a page, by row. Empty for names without one.
    pub links: Vec<String>,
}

impl Grid {
    pub fn new<'a>(header: impl IntoIterator<Item = &'a str>, names: usize) -> Self {
        Grid {
            header: header.into_iter().map(clean).collect(),
            names,
            keys: names + 1,
            rows: Vec::new(),
            links: Vec::new(),
        }
    }
}

pub fn heading(text: &str) -> Part {
    Part::Heading(text.to_owned())
}

/// A name in a note, in backquotes.
pub fn quoted(name: &str) -> String {
    format!("`{}`", clean(name).replace('`', "'"))
}
