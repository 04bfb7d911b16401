//! The table of promises and results, as Markdown.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use super::judge::{Verdict, Verdicts};
use super::options::{Tier, User};
use super::promises::Promises;
use super::scenes::Scene;

/// Marks around the table in a document.
const BEGIN: &str = "<!-- red team: begin -->";
const END: &str = "<!-- red team: end -->";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    /// Promised, and nothing succeeded.
    Held,
    /// Promised, and something succeeded, or could not be tried.
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
    columns: Vec<Column>,
}

/// All outcomes for one tier and user.
struct Column {
    tier: Tier,
    user: User,
    /// In the order of the promises.
    tricks: Vec<Cell>,
    /// By the name of the scene.
    scenes: Vec<(&'static Scene, Cell)>,
}

impl<'a> Table<'a> {
    pub(super) fn new(promises: &'a Promises) -> Self {
        Table {
            promises,
            columns: Vec::new(),
        }
    }

    pub(super) fn add(
        &mut self,
        tier: Tier,
        user: User,
        verdicts: &Verdicts,
        scenes: Vec<(&'static Scene, Verdict)>,
    ) {
        let promises = self.promises.all.iter();
        let cells = promises.map(|promise| {
            let promised = self.promises.holds(&promise.id, tier, user);
            Cell::of(promised, verdicts.get(&promise.id))
        });
        let tricks = cells.collect();
        let scenes = scenes.into_iter().map(|(scene, verdict)| {
            let promised = (scene.promised)(tier, user);
            (scene, Cell::of(Some(promised), Some(&verdict)))
        });
        let scenes = scenes.collect();
        self.columns.push(Column {
            tier,
            user,
            tricks,
            scenes,
        });
    }

    /// Replaces the text between the marks of a document.
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

impl Table<'_> {
    fn head(&self, f: &mut fmt::Formatter<'_>, first: &str) -> fmt::Result {
        write!(f, "| {first} |")?;
        for column in &self.columns {
            write!(f, " {}, {} |", column.tier.name(), column.user.name())?;
        }
        writeln!(f)?;
        writeln!(f, "|---|{}", "---|".repeat(self.columns.len()))
    }
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.head(f, "a bot cannot …")?;
        for (row, promise) in self.promises.all.iter().enumerate() {
            write!(f, "| {} (`{}`) |", promise.words, promise.id)?;
            for column in &self.columns {
                write!(f, " {} |", column.tricks[row].name())?;
            }
            writeln!(f)?;
        }
        let scenes = self.columns.first().map_or(&[][..], |first| &first.scenes);
        if scenes.is_empty() {
            return Ok(());
        }
        writeln!(f)?;
        self.head(f, "others")?;
        for (row, (scene, _)) in scenes.iter().enumerate() {
            write!(
                f,
                "| {} cannot {} (`{}`) |",
                scene.by, scene.cannot, scene.name
            )?;
            for column in &self.columns {
                write!(f, " {} |", column.scenes[row].1.name())?;
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
