//! A configuration from several places: included files, the file itself, and `--set` from the
//! command line. Later ones are over earlier ones: tables are merged key by key, all else is
//! replaced.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::error::{ConfigError, Problem};
use super::keys;
use super::spans::{self, Step, find, steps_at};
use crate::files::{self, MOST_TEXT};

/// So many files may be read for a configuration, one that is included twice counted twice.
const MOST_FILES: usize = 1000;
/// Files may include each other so deep.
const DEEPEST: usize = 50;
/// A key that is set may have so many parts.
const MOST_PARTS: usize = 100;

/// One of the places.
#[derive(Debug)]
struct Layer {
    /// What it is called in errors.
    label: PathBuf,
    /// Its text, or the path of the one key that it sets.
    what: What,
}

#[derive(Debug)]
enum What {
    File(String),
    Set(Vec<Step>),
}

/// A configuration put together.
#[derive(Debug)]
pub(super) struct Layered {
    /// The whole as TOML; the text of the file as it is where there is nothing else.
    pub(super) text: String,
    /// The file itself is the last of the files.
    layers: Vec<Layer>,
    path: PathBuf,
}

/// A value in a text that cannot be.
#[derive(Debug)]
pub(super) struct Misfit {
    /// Where, in bytes.
    pub(super) at: Option<usize>,
    /// What is wrong.
    pub(super) message: String,
}

/// Reads a file with what it includes, and sets keys: texts like `time.per_move="1s"`.
pub(super) fn load(path: &Path, sets: &[String]) -> Result<Layered, ConfigError> {
    let mut reader = Reader::default();
    let mut table = reader.file(path, Path::new(""))?;
    let mut layers = reader.layers;
    let text = match (&*layers, sets) {
        (
            [
                Layer {
                    what: What::File(text),
                    ..
                },
            ],
            [],
        ) => text.clone(),
        _ => {
            for text in sets {
                layers.push(set(&mut table, text)?);
            }
            put_together(&table, &layers)
        }
    };
    Ok(Layered {
        text,
        layers,
        path: path.to_owned(),
    })
}

/// The whole as a text, with a remark where it comes from.
fn put_together(table: &Table, layers: &[Layer]) -> String {
    let places: Vec<String> = layers
        .iter()
        .map(|layer| layer.label.display().to_string())
        .collect();
    let places = places.join(", ").replace(protocol::steers, " ");
    // What was read as TOML can be written as TOML.
    let whole = toml::to_string(table).unwrap_or_default();
    format!("# Put together from {places}\n\n{whole}")
}

impl Layered {
    /// The error for a value of the whole: it names the last place that the value is from.
    pub(super) fn place(&self, misfit: Misfit) -> ConfigError {
        let Misfit { at, message } = misfit;
        let steps = at.map_or(Vec::new(), |at| steps_at(&self.text, at));
        let error = |label: &Path, line| ConfigError::new(label, Problem::Syntax { line, message });
        if let [only] = &*self.layers {
            let line = at.map(|at| spans::line_of(&self.text, at));
            return error(&only.label, line);
        }
        for layer in self.layers.iter().rev().filter(|_| !steps.is_empty()) {
            match &layer.what {
                What::File(text) => {
                    if let Some(at) = find(text, &steps) {
                        return error(&layer.label, Some(spans::line_of(text, at)));
                    }
                }
                What::Set(key) if steps.starts_with(key) => return error(&layer.label, None),
                What::Set(_) => {}
            }
        }
        error(&self.path, None)
    }
}

/// Reads files that include others.
#[derive(Default)]
struct Reader {
    layers: Vec<Layer>,
    /// The files that are being read, each included by the one before: as they are called, and
    /// as they really are.
    chain: Vec<(PathBuf, PathBuf)>,
    /// How many were read.
    read: usize,
    /// How many bytes they had together.
    bytes: u64,
}

impl Reader {
    /// A file with all that it includes. `from` is the way from the folder of the first file to
    /// the folder of this one.
    fn file(&mut self, path: &Path, from: &Path) -> Result<Table, ConfigError> {
        let at = |problem| ConfigError::new(path, problem);
        if self.read >= MOST_FILES {
            let reason =
                format!("at most {MOST_FILES} files are read, one that is there twice twice");
            return Err(self.broken(path, reason));
        }
        if self.chain.len() > DEEPEST {
            let reason = format!("files include each other at most {DEEPEST} deep");
            return Err(self.broken(path, reason));
        }
        let read = || -> io::Result<_> {
            // All of them together may be as long as one.
            let text = files::read(path, MOST_TEXT - self.bytes)?;
            Ok((text, fs::canonicalize(path)?))
        };
        let (text, real) = match (read(), self.chain.is_empty()) {
            (Ok(read), _) => read,
            (Err(error), true) => return Err(at(Problem::Read(error))),
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
        keys::check(&text).map_err(at)?;
        let mut table: Table = text.parse().map_err(|error: toml::de::Error| {
            at(Problem::Syntax {
                line: error.span().map(|span| spans::line_of(&text, span.start)),
                message: error.message().to_owned(),
            })
        })?;
        relocate(&mut table, from);
        let includes = match table.remove("include") {
            None => Vec::new(),
            Some(list) => list.try_into::<Vec<PathBuf>>().map_err(|_| {
                at(Problem::Value {
                    key: "include",
                    message: "a list of files is needed, as in [\"base.toml\"]".to_owned(),
                })
            })?,
        };
        self.chain.push((path.to_owned(), real));
        let mut whole = Table::new();
        let folder = path.parent().unwrap_or(Path::new(""));
        for include in includes {
            let way = from.join(&include);
            let way = way.parent().unwrap_or(Path::new(""));
            let below = self.file(&folder.join(&include), way)?;
            merge(&mut whole, below);
        }
        self.chain.pop();
        merge(&mut whole, table);
        self.layers.push(Layer {
            label: path.to_owned(),
            what: What::File(text),
        });
        Ok(whole)
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

/// Merges tables key by key; all else is replaced.
fn merge(whole: &mut Table, over: Table) {
    for (key, value) in over {
        match (whole.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(over)) => merge(below, over),
            (_, value) => {
                whole.insert(key, value);
            }
        }
    }
}

/// Makes relative paths of an included file relative to the folder of the first file.
fn relocate(table: &mut Table, from: &Path) {
    if from == Path::new("") {
        return;
    }
    let moved = |value: &mut Value| {
        if let Value::String(path) = value
            // What a variable begins with is not known yet; such paths should be absolute.
            && !path.starts_with("${")
        {
            *path = from.join(&*path).to_string_lossy().into_owned();
        }
    };
    let all = |table: &mut Table, key: &str| {
        let list = table.get_mut(key).and_then(Value::as_array_mut);
        list.into_iter().flatten().for_each(moved);
    };
    all(table, "readable");
    let opening = table.get_mut("opening").and_then(Value::as_table_mut);
    if let Some(book) = opening.and_then(|opening| opening.get_mut("book")) {
        moved(book);
    }
    let bots = table.get_mut("bots").and_then(Value::as_array_mut);
    for bot in bots.into_iter().flatten().filter_map(Value::as_table_mut) {
        all(bot, "readable");
        let here = Value::String(String::new());
        moved(bot.entry("dir").or_insert(here));
    }
}

/// Sets one key.
fn set(table: &mut Table, text: &str) -> Result<Layer, ConfigError> {
    let label = PathBuf::from(format!("--set {text}"));
    let wrong = |message: &str| {
        ConfigError::new(
            &label,
            Problem::Syntax {
                line: None,
                message: message.to_owned(),
            },
        )
    };
    let (key, value) = text
        .split_once('=')
        .ok_or_else(|| wrong("a key and a value are needed, as in `--set rounds=2`"))?;
    let keys: Vec<&str> = key.trim().split('.').collect();
    if keys.len() > MOST_PARTS {
        let label = Path::new("--set");
        let message = format!(
            "the key `{}…` has {} parts; at most {MOST_PARTS} are allowed",
            key.chars().take(20).collect::<String>(),
            keys.len()
        );
        return Err(ConfigError::new(
            label,
            Problem::Syntax {
                line: None,
                message,
            },
        ));
    }
    if keys.iter().any(|key| key.is_empty()) {
        return Err(wrong("the key is empty, or a part of it"));
    }
    let value = read_value(value.trim());
    let (bot, rest) = match keys.split_first() {
        Some((&"bots", rest)) if !rest.is_empty() => {
            let (bot, keys) = bot(table, rest).ok_or_else(|| {
                wrong("after `bots.` the name of a bot and a key of it are needed")
            })?;
            (Some(bot), keys)
        }
        _ => (None, keys),
    };
    check_keys(&label, bot.is_some(), &rest, &value)?;
    let mut place = table;
    let mut steps = Vec::new();
    if let Some(bot) = bot {
        steps.extend([Step::Key("bots".to_owned()), Step::Index(bot)]);
        let entry = place.get_mut("bots").and_then(|bots| bots.get_mut(bot));
        let entry = entry.and_then(Value::as_table_mut);
        place = entry.ok_or_else(|| wrong("there is no such bot"))?;
    }
    let (last, tables) = rest.split_last().ok_or_else(|| wrong("the key is empty"))?;
    for key in tables {
        let inner = place
            .entry(*key)
            .or_insert_with(|| Value::Table(Table::new()));
        place = inner
            .as_table_mut()
            .ok_or_else(|| wrong(&format!("`{key}` is no table")))?;
    }
    place.insert((*last).to_owned(), value);
    let rest = rest.iter().map(|key| Step::Key((*key).to_owned()));
    Ok(Layer {
        what: What::Set(steps.into_iter().chain(rest).collect()),
        label,
    })
}

/// A value as TOML; what is none is taken for a string, which saves quotes.
fn read_value(text: &str) -> Value {
    let table = format!("value = {text}").parse::<Table>();
    let value = table.ok().filter(|table| table.len() == 1);
    let value = value.and_then(|mut table| table.remove("value"));
    value.unwrap_or_else(|| Value::String(text.to_owned()))
}

/// The bot that the first of these parts of a key name, and the parts after it. Names may have
/// dots in them.
fn bot<'a>(table: &Table, keys: &[&'a str]) -> Option<(usize, Vec<&'a str>)> {
    let bots = table.get("bots")?.as_array()?;
    (1..keys.len()).find_map(|parts| {
        let name = keys[..parts].join(".");
        let has = |bot: &Value| bot.get("name").and_then(Value::as_str) == Some(&name);
        Some((bots.iter().position(has)?, keys[parts..].to_vec()))
    })
}

/// Refuses keys that a configuration may not have.
fn check_keys(label: &Path, of_bot: bool, keys: &[&str], value: &Value) -> Result<(), ConfigError> {
    let nested = keys.iter().rev().fold(value.clone(), |inner, key| {
        Value::Table(Table::from_iter([((*key).to_owned(), inner)]))
    });
    let whole = match (of_bot, nested) {
        (true, bot) => Table::from_iter([("bots".to_owned(), Value::Array(vec![bot]))]),
        (false, Value::Table(whole)) => whole,
        (false, _) => Table::new(),
    };
    let text = toml::to_string(&whole).unwrap_or_default();
    keys::check(&text).map_err(|mut problem| {
        if let Problem::UnknownKey { line, .. } | Problem::Syntax { line, .. } = &mut problem {
            *line = None;
        }
        ConfigError::new(label, problem)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let layered = load(&folder.path().join("t.toml"), &sets).unwrap();
        layered.text.parse().unwrap()
    }

    fn error(files: &[(&str, &str)], sets: &[&str]) -> String {
        let folder = folder(files);
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let error = load(&folder.path().join("t.toml"), &sets).unwrap_err();
        let here = folder.path().display().to_string() + "/";
        error.to_string().replace(&here, "")
    }

    fn table(text: &str) -> Table {
        text.parse().unwrap()
    }

    #[test]
    fn a_file_alone_stays_as_it_is() {
        let text = "# mine\nname  = 'x'\n";
        let folder = folder(&[("t.toml", text)]);
        let layered = load(&folder.path().join("t.toml"), &[]).unwrap();
        assert_eq!(layered.text, text);
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
        assert!(list.contains("a list of files is needed"), "{list}");
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
        let folder = folder(&[
            ("t.toml", "include = [\"a.toml\"]\nseed = 1\n"),
            (
                "a.toml",
                "seed = 3\n\nrounds = \"many\"\n[[bots]]\nname = -7\n",
            ),
        ]);
        let sets = ["time.base=1s".to_owned()];
        let layered = load(&folder.path().join("t.toml"), &sets).unwrap();
        let place = |what: &str| {
            let at = layered.text.find(what);
            let message = "m".to_owned();
            let error = layered.place(Misfit { at, message }).to_string();
            error.replace(&(folder.path().display().to_string() + "/"), "")
        };
        assert_eq!(place("\"many\""), "a.toml: line 3: m");
        assert_eq!(place("1\n"), "t.toml: line 2: m");
        assert_eq!(place("-7"), "a.toml: line 5: m");
        assert_eq!(place("\"1s\""), "--set time.base=1s: m");
        assert_eq!(place("not there"), "t.toml: m");
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
        assert!(refused("seed.x=1").contains("`seed` is no table"));
    }
}
