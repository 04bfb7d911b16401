//! The table of promises and results, as Markdown.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use super::judge::{Verdict, Verdicts};
use super::options::{Tier, User};
use super::promises::Promises;

/// What stands around the table in a document.
const BEGIN: &str = "<!-- red team: begin -->";
const END: &str = "<!-- red team: end -->";

/// How a promise fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    /// It is promised, and nothing succeeded.
    Held,
    /// It is promised, and something succeeded, or could not be tried.
    Broken,
    NotPromised,
    /// The program does not play like that.
    Refused,
    /// Not in this run.
    Untried,
}

impl Cell {
    fn of(promised: Option<bool>, verdict: Option<&Verdict>) -> Self {
        match (promised, verdict) {
            (_, None) => Cell::Untried,
            (_, Some(verdict)) if verdict.refused.is_some() => Cell::Refused,
            (Some(false) | None, _) => Cell::NotPromised,
            (Some(true), Some(verdict)) if verdict.is_quiet() => Cell::Held,
            (Some(true), Some(_)) => Cell::Broken,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Cell::Held => "held",
            Cell::Broken => "**broken**",
            Cell::NotPromised => "not promised",
            Cell::Refused => "refused",
            Cell::Untried => "not tried",
        }
    }
}

/// Rows are promises, columns are tiers and users.
pub(super) struct Table<'a> {
    promises: &'a Promises,
    columns: Vec<(Tier, User, Vec<Cell>)>,
}

impl<'a> Table<'a> {
    pub(super) fn new(promises: &'a Promises) -> Self {
        Table {
            promises,
            columns: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, tier: Tier, user: User, verdicts: &Verdicts) {
        let promises = self.promises.all.iter();
        let cells = promises.map(|promise| {
            let promised = self.promises.holds(&promise.id, tier, user);
            Cell::of(promised, verdicts.get(&promise.id))
        });
        let cells = cells.collect();
        self.columns.push((tier, user, cells));
    }

    /// Puts it into a document in place of what is between the marks.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let text = fs::read_to_string(path)?;
        let new = self.between_marks(&text);
        let new = new.ok_or_else(|| io::Error::other(format!("no `{BEGIN}` and `{END}`")))?;
        fs::write(path, new)
    }

    fn between_marks(&self, text: &str) -> Option<String> {
        let (before, rest) = text.split_once(BEGIN)?;
        let (_, after) = rest.split_once(END)?;
        Some(format!("{before}{BEGIN}\n\n{self}\n{END}{after}"))
    }
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| a bot cannot … |")?;
        for (tier, user, _) in &self.columns {
            write!(f, " {}, {} |", tier.name(), user.name())?;
        }
        writeln!(f)?;
        write!(f, "|---|")?;
        for _ in &self.columns {
            write!(f, "---|")?;
        }
        writeln!(f)?;
        for (row, promise) in self.promises.all.iter().enumerate() {
            write!(f, "| {} (`{}`) |", promise.words, promise.id)?;
            for (_, _, cells) in &self.columns {
                write!(f, " {} |", cells[row].name())?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_keeps_what_is_around_the_table() {
        let promises = Promises { all: Vec::new() };
        let table = Table::new(&promises);
        let document = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        let new = table.between_marks(&document).expect("marks");
        assert!(
            new.starts_with(&format!("before\n{BEGIN}\n\n| a bot cannot")),
            "{new}"
        );
        assert!(new.ends_with(&format!("\n{END}\nafter\n")), "{new}");
        assert!(!new.contains("old"), "{new}");
        assert_eq!(table.between_marks(&new).as_ref(), Some(&new));
        assert_eq!(table.between_marks("no marks"), None);
    }

    #[test]
    fn a_cell_says_held_only_if_nothing_succeeded_or_is_unknown() {
        let trick = || vec!["trick".to_owned()];
        let quiet = Verdict::default();
        let broken = Verdict {
            successes: trick(),
            ..Verdict::default()
        };
        let unknown = Verdict {
            unknown: trick(),
            ..Verdict::default()
        };
        let refused = Verdict {
            refused: Some("why".to_owned()),
            ..Verdict::default()
        };
        for (promised, verdict, cell) in [
            (Some(true), Some(&quiet), Cell::Held),
            (Some(true), Some(&broken), Cell::Broken),
            (Some(true), Some(&unknown), Cell::Broken),
            (Some(true), Some(&refused), Cell::Refused),
            (Some(true), None, Cell::Untried),
            (Some(false), Some(&quiet), Cell::NotPromised),
            (Some(false), Some(&broken), Cell::NotPromised),
        ] {
            assert_eq!(Cell::of(promised, verdict), cell, "{verdict:?}");
        }
    }
}
