//! Layers of a configuration: included files, the file itself, and `--set` from the command line.
//! Later ones override earlier ones: tables are merged key by key, everything else is replaced.

mod arguments;
mod includes;
mod paths;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use toml::{Spanned, Table};

use crate::error::{ConfigError, Diagnostic, Problem};
use crate::reading::submissions::{self, Names, Reason, Submissions};
use crate::schema::keys;
use crate::sources::find;
use crate::sources::{Sources, Texts, Tree, one_line};
use crate::tables::{ConfigFile, OnBroken};
use arguments::set;
use includes::Reader;

#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) file: ConfigFile,
    /// For comparisons.
    pub(crate) table: Table,
    /// As TOML: a single file's text, unchanged.
    pub(crate) text: String,
    /// A comment for the top if a part of `table` becomes the text.
    pub(crate) head: String,
    /// Results of reading submissions, if there are any: then broken ones are left out.
    pub(crate) submissions: Option<Submissions>,
}

/// Finds the place of a wrong value.
pub(crate) type Locate<'a> = &'a dyn Fn(Diagnostic) -> ConfigError;

/// Reads a file with its includes, sets keys (texts like `time.per_move="1s"`), and converts the
/// result with `make`, whose problems get the places of their values.
pub(crate) fn load<T>(
    path: &Path,
    sets: &[String],
    names: EarlierNames<'_>,
    make: impl FnOnce(Read, Locate<'_>) -> Result<T, Diagnostic>,
) -> Result<T, ConfigError> {
    let texts = Texts::default();
    let layers = Layers::of(&texts, path, sets, names)?;
    layers.make(make).map_err(|error| error.in_file(path))
}

/// Like [`load`], for the text of a configuration.
pub(crate) fn parse<T>(
    text: &str,
    make: impl FnOnce(Read, Locate<'_>) -> Result<T, Diagnostic>,
) -> Result<T, ConfigError> {
    let texts = Texts::default();
    let mut sources = Sources::new(&texts);
    let place = Path::new("");
    let made = sources.file(place, text.to_owned()).and_then(|tree| {
        keys::check(tree.get_ref())
            .map_err(|diagnostic| sources.locate(tree.get_ref(), diagnostic))?;
        let labels = Vec::new();
        let layers = Layers {
            sources,
            labels,
            tree,
            submissions: None,
        };
        layers.make(make)
    });
    made.map_err(ConfigError::without_path)
}

/// Several sources, merged.
struct Layers<'t> {
    sources: Sources<'t>,
    /// Names of the sources; each overrides those before it.
    labels: Vec<PathBuf>,
    tree: Spanned<Tree<'t>>,
    /// Results of reading submissions, if there are any.
    submissions: Option<Submissions>,
}

/// For a tournament that an earlier version started: maps its name to the names of its bots by
/// folder.
pub(crate) type EarlierNames<'a> = &'a dyn Fn(&str) -> BTreeMap<String, String>;

impl<'t> Layers<'t> {
    fn of(
        texts: &'t Texts,
        path: &Path,
        sets: &[String],
        names: EarlierNames<'_>,
    ) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(texts);
        let mut tree = reader.file(path, Path::new(""))?;
        let Reader {
            mut sources,
            mut labels,
            ..
        } = reader;
        let folder = path.parent().unwrap_or(Path::new(""));
        // Folders and their permissions first: other keys may be those of the bots in them.
        let names_folders = |text: &&String| {
            let key = text.trim_start();
            key.starts_with("bots_from") || key.starts_with("submissions")
        };
        let (folders, others): (Vec<_>, Vec<_>) = sets.iter().partition(names_folders);
        for text in folders {
            labels.push(set(&mut sources, tree.get_mut(), text)?);
        }
        let name = tree.get_ref().get("name");
        let name = name
            .and_then(|name| name.get_ref().as_str())
            .unwrap_or_default();
        let earlier = &names(name);
        let names = Names { earlier };
        let submissions = submissions::expand(&mut sources, tree.get_mut(), path, folder, &names)?;
        for text in others {
            labels.push(set(&mut sources, tree.get_mut(), text)?);
        }
        Ok(Layers {
            sources,
            labels,
            tree,
            submissions,
        })
    }

    fn make<T>(
        mut self,
        make: impl FnOnce(Read, Locate<'_>) -> Result<T, Diagnostic>,
    ) -> Result<T, ConfigError> {
        let submissions = self.submissions.take();
        let mut read = self.read(submissions)?;
        if let Some(error) = read.stopped_by() {
            return Err(error);
        }
        let locate = |diagnostic| self.sources.locate(self.tree.get_ref(), diagnostic);
        make(read, &locate).map_err(locate)
    }

    /// The tree as types, as values and as text.
    fn read(&self, submissions: Option<Submissions>) -> Result<Read, ConfigError> {
        let table = self.table()?;
        let file = self.typed()?;
        let head = self.head();
        // With submissions, the file's text is not the whole.
        let text = match self.sources.only().filter(|_| submissions.is_none()) {
            Some(text) => text.to_owned(),
            None => format!("{head}{table}"),
        };
        Ok(Read {
            file,
            table,
            text,
            head,
            submissions,
        })
    }

    fn typed<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        let tree = toml::Deserializer::from(self.tree.clone());
        T::deserialize(tree).map_err(|error| {
            // The root of the tree has no place of its own.
            let place = error.span().map(|span| span.start).filter(|at| *at != 0);
            let key = place.and_then(|place| find::key(self.tree.get_ref(), place));
            let key = key.map_or(String::new(), |key| format!("`{key}`: "));
            let message = one_line(error.message());
            self.sources
                .error(place, Problem::Syntax(format!("{key}{message}")))
        })
    }

    fn table(&self) -> Result<Table, ConfigError> {
        self.typed()
    }

    /// A comment about the sources.
    fn head(&self) -> String {
        let places = self.labels.iter().map(|label| label.display().to_string());
        let places: Vec<String> = places.collect();
        let places = places.join(", ").replace(protocol::steers, " ");
        format!("# Put together from {places}\n\n")
    }
}

impl Read {
    /// The error of the first submission that stops the tournament.
    fn stopped_by(&mut self) -> Option<ConfigError> {
        let submissions = self.submissions.as_mut()?;
        if self.file.on_broken != OnBroken::Stop {
            return None;
        }
        let mut left_out = submissions.left_out.iter();
        let at = left_out.position(|broken| matches!(broken.why, Reason::Invalid(_)))?;
        match submissions.left_out.swap_remove(at).why {
            Reason::Invalid(error) => Some(error),
            Reason::NoBot(_) => None,
        }
    }

    pub(crate) fn leave_out(&mut self, bots: &[usize]) {
        let mut at = 0..;
        self.file
            .bots
            .retain(|_| at.next().is_none_or(|at| !bots.contains(&at)));
        if let Some(toml::Value::Array(list)) = self.table.get_mut("bots") {
            let mut at = 0..;
            list.retain(|_| at.next().is_none_or(|at| !bots.contains(&at)));
        }
        self.text = format!("{}{}", self.head, self.table);
    }
}
