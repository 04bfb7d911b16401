//! Layers of a configuration: included files, the file itself, and `--set` from the command line.
//! Later ones override earlier ones: tables are merged key by key, everything else is replaced.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::mem;
use std::path::{Path, PathBuf};

use files::{self, MOST_TEXT};
use serde::Deserialize as _;
use toml::de::{DeString, DeTable, DeValue};
use toml::{Spanned, Table};

use crate::error::{ConfigError, Problem, WrongValue};
use crate::reading::submissions;
use crate::reading::submissions::{HandedIn, Names, Why};
use crate::schema::keys;
use crate::sources::find;
use crate::sources::{Place, Placed, Sources, Texts, Tree, one_line};
use crate::tables::file::{ConfigFile, OnBroken};

/// Most files of a configuration; one that is included twice counts twice.
const MOST_FILES: usize = 1000;
/// Deepest chain of includes.
const DEEPEST: usize = 50;
/// Most parts of a key in `--set`.
const MOST_PARTS: usize = 100;

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
    pub(crate) handed_in: Option<HandedIn>,
}

/// Finds the place of a wrong value.
pub(crate) type Locate<'a> = &'a dyn Fn(WrongValue) -> ConfigError;

/// Reads a file with its includes, sets keys (texts like `time.per_move="1s"`), and converts the
/// result with `make`, whose problems get the places of their values.
pub(crate) fn load<T>(
    path: &Path,
    sets: &[String],
    names: EarlierNames<'_>,
    make: impl FnOnce(Read, Locate<'_>) -> Result<T, WrongValue>,
) -> Result<T, ConfigError> {
    let texts = Texts::default();
    let layers = Layers::of(&texts, path, sets, names)?;
    layers.make(make).map_err(|error| error.in_file(path))
}

/// Like [`load`], for the text of a configuration.
pub(crate) fn parse<T>(
    text: &str,
    make: impl FnOnce(Read, Locate<'_>) -> Result<T, WrongValue>,
) -> Result<T, ConfigError> {
    let texts = Texts::default();
    let mut sources = Sources::new(&texts);
    let place = Path::new("");
    let made = sources.file(place, text.to_owned()).and_then(|tree| {
        keys::check(tree.get_ref())
            .map_err(|mistake| sources.error(Some(mistake.place), mistake.problem))?;
        let labels = Vec::new();
        let layers = Layers {
            sources,
            labels,
            tree,
            handed_in: None,
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
    handed_in: Option<HandedIn>,
}

/// For a tournament that continues and was begun by an earlier version: maps its name to the names
/// of its bots by folder.
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
        let handed_in = submissions::expand(&mut sources, tree.get_mut(), path, folder, &names)?;
        for text in others {
            labels.push(set(&mut sources, tree.get_mut(), text)?);
        }
        Ok(Layers {
            sources,
            labels,
            tree,
            handed_in,
        })
    }

    fn make<T>(
        mut self,
        make: impl FnOnce(Read, Locate<'_>) -> Result<T, WrongValue>,
    ) -> Result<T, ConfigError> {
        let handed_in = self.handed_in.take();
        let had_folders = handed_in.is_some();
        let read = self.read(handed_in).map_err(|Misfit { at, message }| {
            // The root of the tree has no place of its own.
            let at = at.filter(|at| *at != 0);
            let key = at.and_then(|at| find::key(self.tree.get_ref(), at));
            let key = key.map_or(String::new(), |key| format!("`{key}`: "));
            self.sources
                .error(at, Problem::Syntax(format!("{key}{message}")))
        })?;
        let mut read = read;
        if let Some(error) = read.stopped_by() {
            return Err(error);
        }
        let locate = |WrongValue { at, problem }: WrongValue| {
            let place = find::place(self.tree.get_ref(), &at);
            self.sources.error(place, problem)
        };
        debug_assert_eq!(had_folders, read.handed_in.is_some());
        make(read, &locate).map_err(locate)
    }

    /// The tree as types, as values and as text.
    fn read(&self, handed_in: Option<HandedIn>) -> Result<Read, Misfit> {
        let table = self.table()?;
        let file = ConfigFile::deserialize(toml::Deserializer::from(self.tree.clone()))?;
        let head = self.head();
        // With submissions, the file's text is not the whole.
        let text = match self.sources.only().filter(|_| handed_in.is_none()) {
            Some(text) => text.to_owned(),
            None => {
                let whole = toml::to_string(&table).map_err(|error| Misfit {
                    at: None,
                    message: error.to_string(),
                })?;
                format!("{head}{whole}")
            }
        };
        Ok(Read {
            file,
            table,
            text,
            head,
            handed_in,
        })
    }

    fn table(&self) -> Result<Table, Misfit> {
        let tree = toml::Deserializer::from(self.tree.clone());
        Ok(Table::deserialize(tree)?)
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
    /// Takes the error of a submission that stops the tournament, if one does.
    fn stopped_by(&mut self) -> Option<ConfigError> {
        let handed_in = self.handed_in.as_mut()?;
        if self.file.on_broken != OnBroken::Stop {
            return None;
        }
        let mut left_out = handed_in.left_out.iter();
        let at = left_out.position(|unfit| matches!(unfit.why, Why::Wrong(_)))?;
        match handed_in.left_out.swap_remove(at).why {
            Why::Wrong(error) => Some(error),
            Why::NoBot(_) => None,
        }
    }

    /// Removes these bots, by index.
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

#[derive(Debug)]
struct Misfit {
    at: Option<Place>,
    message: String,
}

impl From<toml::de::Error> for Misfit {
    fn from(error: toml::de::Error) -> Self {
        Misfit {
            at: error.span().map(|span| span.start),
            message: one_line(error.message()),
        }
    }
}

/// Reads files that include others.
struct Reader<'t> {
    sources: Sources<'t>,
    /// Each file after those that it includes.
    labels: Vec<PathBuf>,
    /// The current chain of includes: paths as written, and real paths.
    chain: Vec<(PathBuf, PathBuf)>,
    /// Files read.
    read: usize,
    /// Their total size.
    bytes: u64,
}

impl<'t> Reader<'t> {
    fn new(texts: &'t Texts) -> Self {
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
    fn file(&mut self, path: &Path, from: &Path) -> Result<Spanned<Tree<'t>>, ConfigError> {
        let (text, real) = self.text(path)?;
        let mut tree = self.sources.file(path, text)?;
        keys::check(tree.get_ref())
            .map_err(|mistake| self.sources.error(Some(mistake.place), mistake.problem))?;
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

    /// An include that cannot be followed.
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

/// Makes relative paths of an included file relative to the folder of the first file.
fn relocate(tree: &mut Tree<'_>, from: &Path) {
    if from == Path::new("") {
        return;
    }
    let moved = |value: &mut Placed<'_>| {
        if let DeValue::String(path) = value.get_mut()
            // The value of a variable is unknown; such paths should be absolute.
            && !path.starts_with("${")
        {
            *path = from.join(&**path).to_string_lossy().into_owned().into();
        }
    };
    match tree.get_mut("bots_from").map(Spanned::get_mut) {
        Some(DeValue::Array(list)) => list.iter_mut().for_each(moved),
        Some(_) => {
            tree.get_mut("bots_from").map(moved);
        }
        None => {}
    }
    let all = |tree: &mut Tree<'_>, key: &str| {
        if let Some(DeValue::Array(list)) = tree.get_mut(key).map(Spanned::get_mut) {
            list.iter_mut().for_each(moved);
        }
    };
    all(tree, "readable");
    if let Some(DeValue::Table(submissions)) = tree.get_mut("submissions").map(Spanned::get_mut) {
        all(submissions, "readable");
    }
    if let Some(DeValue::Array(rules)) = tree.get_mut("rules").map(Spanned::get_mut) {
        rules
            .iter_mut()
            .for_each(|source| relocate_rules(source, from));
    }
    if let Some(DeValue::Table(opening)) = tree.get_mut("opening").map(Spanned::get_mut)
        && let Some(book) = opening.get_mut("book")
    {
        moved(book);
    }
    let Some(DeValue::Array(bots)) = tree.get_mut("bots").map(Spanned::get_mut) else {
        return;
    };
    for bot in bots.iter_mut() {
        let span = bot.span();
        if let DeValue::Table(bot) = bot.get_mut() {
            all(bot, "readable");
            if !bot.contains_key("dir") {
                let here = Spanned::new(span.clone(), DeValue::String("".into()));
                bot.insert(Spanned::new(span, "dir".into()), here);
            }
            bot.get_mut("dir").map(moved);
        }
    }
}

/// Makes a source of rules relative to the folder of the first file: a sheet, or a program's
/// folder.
fn relocate_rules(source: &mut Placed<'_>, from: &Path) {
    let is_sheet = |text: &str| text.trim_end().ends_with(".kif");
    let here = || DeValue::String(from.to_string_lossy().into_owned().into());
    let span = source.span();
    match source.get_mut() {
        DeValue::String(text) if text.starts_with("${") => {}
        DeValue::String(text) if is_sheet(text) => {
            *text = from.join(&**text).to_string_lossy().into_owned().into();
        }
        DeValue::String(text) => {
            let command = Spanned::new(span.clone(), DeValue::String(text.clone()));
            let mut table = DeTable::new();
            table.insert(Spanned::new(span.clone(), "command".into()), command);
            let dir = Spanned::new(span.clone(), here());
            table.insert(Spanned::new(span, "dir".into()), dir);
            *source = Spanned::new(source.span(), DeValue::Table(table));
        }
        DeValue::Table(table) => {
            let dir = table.get_mut("dir").map(Spanned::get_mut);
            match dir {
                Some(DeValue::String(dir)) if !dir.starts_with("${") => {
                    *dir = from.join(&**dir).to_string_lossy().into_owned().into();
                }
                Some(_) => {}
                None => {
                    let dir = Spanned::new(span.clone(), here());
                    table.insert(Spanned::new(span, "dir".into()), dir);
                }
            }
        }
        _ => {}
    }
}

/// Sets one key; returns the label of the argument.
fn set<'t>(
    sources: &mut Sources<'t>,
    tree: &mut Tree<'t>,
    text: &str,
) -> Result<PathBuf, ConfigError> {
    let label = PathBuf::from(format!("--set {text}"));
    let wrong = |message: &str| wrong_argument(&label, message.to_owned());
    let (key, value) = split(tree, text)
        .ok_or_else(|| wrong("a key and a value are needed, as in `--set rounds=2`"))?;
    let keys: Vec<&str> = key.trim().split('.').collect();
    if keys.len() > MOST_PARTS {
        let message = format!(
            "the key `{}…` has {} parts; at most {MOST_PARTS} are allowed",
            key.chars().take(20).collect::<String>(),
            keys.len()
        );
        return Err(wrong_argument(Path::new("--set"), message));
    }
    if keys.iter().any(|key| key.is_empty()) {
        return Err(wrong("the key is empty, or a part of it"));
    }
    let value = sources.argument(&label, value.trim());
    let (bot, keys) = match keys.split_first() {
        Some((&"bots", rest)) if !rest.is_empty() => {
            let (bot, keys) = bot(tree, rest).ok_or_else(|| {
                wrong("after `bots.` the name of a bot and a key of it are needed")
            })?;
            (Some(bot), keys)
        }
        _ => (None, keys),
    };
    check_keys(&label, bot.is_some(), &keys, &value)?;
    let place = match bot {
        Some(bot) => bot_table(tree, bot).ok_or_else(|| wrong("there is no such bot"))?,
        None => tree,
    };
    put(place, &keys, value).map_err(|key| wrong(&format!("`{key}` is no table")))?;
    Ok(label)
}

/// Splits an argument into key and value. Names of bots may contain `=`.
fn split<'a>(tree: &Tree<'_>, text: &'a str) -> Option<(&'a str, &'a str)> {
    let all = text.match_indices('=');
    let all = all.map(|(at, _)| (&text[..at], &text[at + 1..]));
    let is_of_bot = |(key, _): &(&str, &str)| {
        let parts: Vec<&str> = key.trim().split('.').collect();
        parts[0] == "bots" && parts.len() <= MOST_PARTS && bot(tree, &parts[1..]).is_some()
    };
    all.clone().find(is_of_bot).or_else(|| all.clone().next())
}

/// An argument that cannot be used.
fn wrong_argument(label: &Path, message: String) -> ConfigError {
    ConfigError::new(label, Problem::Syntax(message))
}

/// The table of a bot, by its index.
fn bot_table<'a, 't>(tree: &'a mut Tree<'t>, bot: usize) -> Option<&'a mut Tree<'t>> {
    let DeValue::Array(bots) = tree.get_mut("bots")?.get_mut() else {
        return None;
    };
    match bots.get_mut(bot)?.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

/// Puts a value at these keys; the error is the key of something that is not a table.
fn put<'t>(mut place: &mut Tree<'t>, keys: &[&str], value: Placed<'t>) -> Result<(), String> {
    let (span, (last, tables)) = match keys.split_last() {
        Some(keys) => (value.span(), keys),
        None => return Ok(()),
    };
    for key in tables {
        if !place.contains_key(*key) {
            let empty = Spanned::new(span.clone(), DeValue::Table(DeTable::new()));
            place.insert(owned(key, &value), empty);
        }
        place = match place.get_mut(*key).map(Spanned::get_mut) {
            Some(DeValue::Table(table)) => table,
            _ => return Err((*key).to_owned()),
        };
    }
    place.insert(owned(last, &value), value);
    Ok(())
}

/// A key at the place of a value.
fn owned<'t>(key: &str, value: &Placed<'_>) -> Spanned<DeString<'t>> {
    Spanned::new(value.span(), key.to_owned().into())
}

/// The bot that a key starts with, and the parts after its name, which may contain dots.
fn bot<'a>(tree: &Tree<'_>, keys: &[&'a str]) -> Option<(usize, Vec<&'a str>)> {
    let bots = tree.get("bots")?.get_ref().as_array()?;
    let name_of =
        |bot: &Placed<'_>| Some(bot.get_ref().get("name")?.get_ref().as_str()?.to_owned());
    let names: Vec<Option<String>> = bots.iter().map(name_of).collect();
    (1..keys.len()).find_map(|parts| {
        let name = Some(keys[..parts].join("."));
        let bot = names.iter().position(|other| *other == name)?;
        Some((bot, keys[parts..].to_vec()))
    })
}

/// Refuses unknown keys.
fn check_keys(
    label: &Path,
    of_bot: bool,
    keys: &[&str],
    value: &Placed<'_>,
) -> Result<(), ConfigError> {
    let mut whole = Tree::new();
    let put = put(&mut whole, keys, value.clone());
    debug_assert!(put.is_ok(), "there was nothing in the way");
    if of_bot {
        let span = value.span();
        let bot = Spanned::new(span.clone(), DeValue::Table(whole));
        let list = DeValue::Array([bot].into_iter().collect());
        whole = Tree::from_iter([(owned("bots", value), Spanned::new(span, list))]);
    }
    keys::check(&whole).map_err(|mistake| ConfigError::new(label, mistake.problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_names(_: &str) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// A folder with these files.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn whole(files: &[(&str, &str)], sets: &[&str]) -> Table {
        let folder = folder(files);
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let texts = Texts::default();
        let layers = Layers::of(&texts, &folder.path().join("t.toml"), &sets, &no_names).unwrap();
        layers.table().unwrap()
    }

    fn error(files: &[(&str, &str)], sets: &[&str]) -> String {
        let folder = folder(files);
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let error = load(
            &folder.path().join("t.toml"),
            &sets,
            &no_names,
            |read, _| Ok(read),
        )
        .unwrap_err();
        let here = folder.path().display().to_string() + "/";
        error.to_string().replace(&here, "")
    }

    fn table(text: &str) -> Table {
        text.parse().unwrap()
    }

    #[test]
    fn a_file_alone_stays_as_it_is() {
        let text = "# mine\nname  = 'x'\ngames = []\nbots=[]";
        let folder = folder(&[("t.toml", text)]);
        let read = load(&folder.path().join("t.toml"), &[], &no_names, |read, _| {
            Ok(read)
        })
        .unwrap();
        assert_eq!(read.text, text);
    }

    #[test]
    fn later_files_are_over_earlier_ones() {
        let found = whole(
            &[
                (
                    "a.toml",
                    "rounds = 1\ngames = [\"run\", \"siam\"]\n[time]\nper_move = \"1s\"\nbase = \"9s\"\n",
                ),
                (
                    "b.toml",
                    "rounds = 2\nseed = 5\n[time]\nper_move = \"2s\"\n",
                ),
                (
                    "t.toml",
                    "include = [\"a.toml\", \"b.toml\"]\nseed = 7\ngames = [\"amazons\"]\n",
                ),
            ],
            &[],
        );
        let expected = "rounds = 2\nseed = 7\ngames = [\"amazons\"]\n\
                        [time]\nper_move = \"2s\"\nbase = \"9s\"\n";
        assert_eq!(found, table(expected));
    }

    #[test]
    fn paths_are_relative_to_their_files() {
        let bots = "readable = [\"r\"]\nopening.book = \"book\"\n\
                    [[bots]]\nname = \"a\"\ndir = \"d\"\n[[bots]]\nname = \"b\"\n\
                    [[bots]]\nname = \"c\"\ndir = \"/abs\"\nreadable = [\"x\", \"${HOME}\"]\n";
        let found = whole(
            &[
                ("deep/more/bots.toml", bots),
                ("deep/base.toml", "include = [\"more/bots.toml\"]\n"),
                ("t.toml", "include = [\"deep/base.toml\"]\n"),
            ],
            &[],
        );
        let expected = "readable = [\"deep/more/r\"]\nopening.book = \"deep/more/book\"\n\
             [[bots]]\nname = \"a\"\ndir = \"deep/more/d\"\n\
             [[bots]]\nname = \"b\"\ndir = \"deep/more/\"\n\
             [[bots]]\nname = \"c\"\ndir = \"/abs\"\nreadable = [\"deep/more/x\", \"${HOME}\"]\n";
        assert_eq!(found, table(expected));
    }

    #[test]
    fn includes_that_lead_nowhere_are_named_with_their_chain() {
        let cycle = error(
            &[
                ("t.toml", "include = [\"a.toml\"]"),
                ("a.toml", "include = [\"t.toml\"]"),
            ],
            &[],
        );
        let expected = "t.toml: `include`: a file includes itself (t.toml → a.toml → t.toml)";
        assert_eq!(cycle, expected);
        let missing = error(
            &[
                ("t.toml", "include = [\"a.toml\"]"),
                ("a.toml", "include = [\"b.toml\"]"),
            ],
            &[],
        );
        assert!(missing.contains("`b.toml` cannot be read: "), "{missing}");
        assert!(missing.contains("(t.toml → a.toml → b.toml)"), "{missing}");
        let twice = [
            ("t.toml", "include = [\"a.toml\", \"a.toml\"]"),
            ("a.toml", "seed = 3"),
        ];
        assert_eq!(whole(&twice, &[]), table("seed = 3"));
        let list = error(&[("t.toml", "include = \"a.toml\"")], &[]);
        assert_eq!(
            list,
            "t.toml: line 1: `include`: \"a.toml\" is not a list of strings; write a list: [\"a.toml\"]"
        );
    }

    #[test]
    fn includes_without_end_are_refused() {
        let level = |n: usize| format!("include = [\"{n}.toml\", \"{n}.toml\"]\n");
        let names: Vec<String> = (0..=25).map(|n| format!("{n}.toml")).collect();
        let texts: Vec<String> = (1..=26).map(level).collect();
        let mut files: Vec<(&str, &str)> = vec![("t.toml", "include = [\"0.toml\"]\n")];
        files.extend(
            names
                .iter()
                .zip(&texts)
                .map(|(name, text)| (&**name, &**text)),
        );
        files.push(("26.toml", "seed = 1\n"));
        let doubled = error(&files, &[]);
        assert!(doubled.contains("at most 1000 files are read"), "{doubled}");
        let names: Vec<String> = (0..60).map(|n| format!("{n}.toml")).collect();
        let next = |n: usize| format!("include = [\"{}.toml\"]\n", n + 1);
        let texts: Vec<String> = (0..60).map(next).collect();
        let chain = names
            .iter()
            .zip(&texts)
            .map(|(name, text)| (&**name, &**text));
        let mut files: Vec<(&str, &str)> = vec![("t.toml", "include = [\"0.toml\"]\n")];
        files.extend(chain);
        let deep = error(&files, &[]);
        assert!(deep.contains("at most 50 deep"), "{deep}");
        let long = format!("#{}\n", "x".repeat(9 << 20));
        let files = [
            ("t.toml", "include = [\"a.toml\", \"b.toml\"]\n"),
            ("a.toml", &long),
            ("b.toml", &long),
        ];
        let long = error(&files, &[]);
        assert!(
            long.contains("`b.toml` cannot be read: it has more than"),
            "{long}"
        );
    }

    #[test]
    fn keys_without_end_are_refused() {
        let deep = format!("{}=1", vec!["a"; 60_000].join("."));
        let told = error(&[("t.toml", "seed = 1\n")], &[&deep]);
        assert!(
            told.contains("--set: the key `a.a.a.") && told.len() < 200,
            "{told}"
        );
        assert!(told.contains("has 60000 parts; at most 100"), "{told}");
    }

    #[test]
    fn problems_name_the_place_that_they_are_from() {
        let files = [
            ("t.toml", "name = \"x\"\ninclude = [\"a.toml\"]\n"),
            ("a.toml", "\n\n[time]\nper_mvoe = \"1s\"\n"),
        ];
        assert!(error(&files, &[]).starts_with("a.toml: line 4: unknown key `time.per_mvoe`"));
        let main = ("t.toml", "include = [\"a.toml\"]\nseed = 1\n");

        let name = "seed = 3\nname = \"x\"\ngames = []\n";
        let told = |text: &str, sets: &[&str]| error(&[main, ("a.toml", text)], sets);
        let rounds = told(&format!("{name}\nrounds = \"many\"\nbots = []"), &[]);
        assert!(
            rounds.starts_with("a.toml: line 5: `rounds`: \"many\" is not a whole number"),
            "{rounds}"
        );
        let bot = told(&format!("{name}[[bots]]\nname = -7\n"), &[]);
        assert!(
            bot.starts_with("a.toml: line 5: `bots.name`: -7 is not a string"),
            "{bot}"
        );
        let set = told(&format!("{name}bots = []"), &["rounds=many"]);
        assert!(
            set.starts_with("--set rounds=many: `rounds`: \"many\" is not"),
            "{set}"
        );
        let missing = told(name, &[]);
        assert_eq!(missing, "t.toml: missing field `bots`");
        let over = [
            ("t.toml", "include = [\"a.toml\"]\n\nseed = \"one\"\n"),
            ("a.toml", "seed = 3\n"),
        ];
        assert!(error(&over, &[]).starts_with("t.toml: line 3: "));
    }

    #[test]
    fn keys_are_set_from_the_command_line() {
        let base = "seed = 1\n[time]\nper_move = \"1s\"\n\
                    [[bots]]\nname = \"a\"\ncommand = \"x\"\n[[bots]]\nname = \"b.c\"\n";
        let sets = [
            "seed = 2",
            "time.per_move=200ms",
            "opening.random_plies=3",
            "bots.b.c.command=[\"y\", \"z\"]",
            "bots.a.env.KEY=\"1=2\"",
            "games=[\"run\"]",
        ];
        let expected = "seed = 2\n[time]\nper_move = \"200ms\"\n\
             [[bots]]\nname = \"a\"\ncommand = \"x\"\nenv = { KEY = \"1=2\" }\n\
             [[bots]]\nname = \"b.c\"\ncommand = [\"y\", \"z\"]\n\
             [opening]\nrandom_plies = 3\n";
        let expected = Table::from_iter(
            table(expected)
                .into_iter()
                .chain(table("games = [\"run\"]")),
        );
        assert_eq!(whole(&[("t.toml", base)], &sets), expected);
    }

    #[test]
    fn keys_that_cannot_be_set_are_named() {
        let refused =
            |set: &str| error(&[("t.toml", "seed = 1\n[[bots]]\nname = \"a\"\n")], &[set]);
        let near = refused("ronds=2");
        assert!(
            near.starts_with("--set ronds=2: unknown key `ronds`, did you mean `rounds`?"),
            "{near}"
        );
        assert!(refused("bots.a.comand=x").contains("`bots.comand`, did you mean `command`?"));
        assert!(refused("rounds").contains("a key and a value are needed"));
        assert!(refused("bots.b.command=x").contains("the name of a bot"));
        assert!(refused("time..base=x").contains("empty"));
        assert!(refused("seed.x=1").contains("`seed`: a table is not a whole number"));
    }
}
