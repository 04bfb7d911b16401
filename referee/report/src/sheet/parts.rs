//! What a report consists of: headings, notes and tables.

use protocol::shown as clean;
use serde::Serialize;

/// A part of what is shown to people.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    Heading(String),
    Note(String),
    Table(Grid),
    /// Lines as they are: commands, what bots printed.
    Code(String),
    /// Lines that only a page has, and shows when they are asked for.
    Fold {
        title: String,
        text: String,
    },
}

impl Part {
    /// The same with other texts; links stay.
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
    /// The column with names.
    pub names: usize,
    /// How many columns at the left say what a row is about.
    pub keys: usize,
    pub rows: Vec<Vec<String>>,
    /// Where the names lead to on a page, row by row; empty if to nowhere.
    pub links: Vec<String>,
}

impl Grid {
    /// A table without rows.
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

/// A name in a note, marked as one.
pub fn quoted(name: &str) -> String {
    format!("`{}`", clean(name).replace('`', "'"))
}
