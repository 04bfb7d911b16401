//! Files that include others.

use std::path::{Path, PathBuf};
use std::{fs, io, mem};

use files::{self, MOST_TEXT};
use toml::Spanned;
use toml::de::DeValue;

use crate::error::{ConfigError, Problem};
use crate::reading::layers::paths::relocate;
use crate::schema::keys;
use crate::sources::{Placed, Sources, Texts, Tree};

/// Most files of a configuration; one that is included twice counts twice.
const MOST_FILES: usize = 1000;
/// Deepest chain of includes.
const DEEPEST: usize = 50;

pub(super) struct Reader<'t> {
    pub(super) sources: Sources<'t>,
    /// Each file after those that it includes.
    pub(super) labels: Vec<PathBuf>,
    /// The current chain of includes: paths as written, and real paths.
    chain: Vec<(PathBuf, PathBuf)>,
    read: usize,
    /// Their total size.
    bytes: u64,
}

impl<'t> Reader<'t> {
    pub(super) fn new(texts: &'t Texts) -> Self {
        Reader {
            sources: Sources::new(texts),
            labels: Vec::new(),
            chain: Vec::new(),
            read: 0,
            bytes: 0,
        }
    }

    /// Reads a file with its includes. `from` leads from the folder of the first file to the folder
    /// of this one.
    pub(super) fn file(
        &mut self,
        path: &Path,
        from: &Path,
    ) -> Result<Spanned<Tree<'t>>, ConfigError> {
        let (text, real) = self.text(path)?;
        let mut tree = self.sources.file(path, text)?;
        keys::check(tree.get_ref())
            .map_err(|diagnostic| self.sources.locate(tree.get_ref(), diagnostic))?;
        relocate(tree.get_mut(), from);
        let includes = match tree.get_mut().remove("include") {
            None => Vec::new(),
            Some(list) => paths(&list),
        };
        self.chain.push((path.to_owned(), real));
        let mut whole = Spanned::new(0..0, Tree::new());
        let folder = path.parent().unwrap_or(Path::new(""));
        for include in includes {
            let way = from.join(&include);
            let way = way.parent().unwrap_or(Path::new(""));
            let below = self.file(&folder.join(&include), way)?;
            merge(whole.get_mut(), below.into_inner());
        }
        self.chain.pop();
        merge(whole.get_mut(), tree.into_inner());
        self.labels.push(path.to_owned());
        Ok(whole)
    }

    /// The text of a file, and its real path.
    fn text(&mut self, path: &Path) -> Result<(String, PathBuf), ConfigError> {
        if self.read >= MOST_FILES {
            let reason = format!(
                "at most {MOST_FILES} files are read; one that is included twice counts twice"
            );
            return Err(self.broken(path, reason));
        }
        if self.chain.len() > DEEPEST {
            let reason = format!("files include each other at most {DEEPEST} deep");
            return Err(self.broken(path, reason));
        }
        let read = || -> io::Result<_> {
            // The limit holds for all files together.
            let text = files::read(path, MOST_TEXT - self.bytes)?;
            Ok((text, fs::canonicalize(path)?))
        };
        let (text, real) = match (read(), self.chain.is_empty()) {
            (Ok(read), _) => read,
            (Err(error), true) => return Err(ConfigError::new(path, Problem::Read(error))),
            (Err(error), false) => {
                let reason = format!("`{}` cannot be read: {error}", path.display());
                return Err(self.broken(path, reason));
            }
        };
        self.read += 1;
        self.bytes += text.len() as u64;
        if self.chain.iter().any(|(_, other)| *other == real) {
            return Err(self.broken(path, "a file includes itself".to_owned()));
        }
        Ok((text, real))
    }

    fn broken(&self, path: &Path, reason: String) -> ConfigError {
        let files = self.chain.iter().map(|(file, _)| &**file).chain([path]);
        let chain: Vec<String> = files.map(|file| file.display().to_string()).collect();
        let first = self.chain.first().map_or(path, |(file, _)| file);
        ConfigError::new(
            first,
            Problem::Include {
                chain: chain.join(" → "),
                reason,
            },
        )
    }
}

/// Left in the place of a value that was taken.
const NOTHING: DeValue<'static> = DeValue::Boolean(false);

/// Merges tables key by key; everything else is replaced.
fn merge<'t>(whole: &mut Tree<'t>, over: Tree<'t>) {
    for (key, value) in over {
        let Some(below) = whole.get_mut(&**key.get_ref()) else {
            whole.insert(key, value);
            continue;
        };
        let span = value.span();
        let both = match (mem::replace(below.get_mut(), NOTHING), value.into_inner()) {
            (DeValue::Table(mut both), DeValue::Table(over)) => {
                merge(&mut both, over);
                DeValue::Table(both)
            }
            (_, value) => value,
        };
        *below = Spanned::new(span, both);
    }
}

/// The paths in a list whose type was checked.
fn paths(value: &Placed<'_>) -> Vec<PathBuf> {
    let list = value.get_ref().as_array().into_iter().flatten();
    list.filter_map(|path| Some(path.get_ref().as_str()?.into()))
        .collect()
}
