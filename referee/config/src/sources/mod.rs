//! Trees with places: every value keeps its source and line, also after trees were merged.

pub(crate) mod find;
mod tree;

use std::cell::OnceCell;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(crate) use tree::{Placed, Tree};

use crate::error::{At, ConfigError, Diagnostic, Place, Problem};

/// Owns texts while more are added: trees borrow from them.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    text: OnceCell<String>,
    next: OnceCell<Box<Texts>>,
}

impl Texts {
    fn add(&self, text: String) -> &str {
        let mut last = self;
        while last.text.get().is_some() {
            last = last.next.get_or_init(Box::default);
        }
        last.text.get_or_init(|| text)
    }
}

#[derive(Debug)]
pub(crate) struct Sources<'t> {
    texts: &'t Texts,
    list: Vec<Source<'t>>,
    /// Start of the next text.
    next: Place,
}

#[derive(Debug)]
struct Source<'t> {
    label: PathBuf,
    begin: Place,
    text: &'t str,
    /// True if its lines are worth naming.
    is_file: bool,
}

impl<'t> Sources<'t> {
    pub(crate) fn new(texts: &'t Texts) -> Self {
        Sources {
            texts,
            list: Vec::new(),
            next: 0,
        }
    }

    /// Parses a file's text.
    pub(crate) fn file(
        &mut self,
        label: &Path,
        text: String,
    ) -> Result<Spanned<Tree<'t>>, ConfigError> {
        let (begin, text) = self.add(label, text, true);
        let tree = DeTable::parse(text).map_err(|error| {
            let problem = Problem::Syntax(syntax(&error, text));
            match error.span() {
                Some(span) => self.error(Some(begin + span.start), problem),
                // The parser does not locate a value that is nested too deeply.
                None => ConfigError::new(label, problem),
            }
        })?;
        let shift = |span: Range<usize>| span.start + begin..span.end + begin;
        let span = shift(tree.span());
        Ok(Spanned::new(span, moved_table(tree.into_inner(), &shift)))
    }

    /// Parses a value from the command line. Anything but TOML is taken as a string, which saves
    /// quotes.
    pub(crate) fn argument(&mut self, label: &Path, text: &str) -> Placed<'t> {
        let (begin, text) = self.add(label, format!("value = {text}"), false);
        let table = DeTable::parse(text).ok().map(Spanned::into_inner);
        let value = table.filter(|table| table.len() == 1);
        let value = value.and_then(|mut table| table.remove("value"));
        let plain = || DeValue::String(text["value = ".len()..].into());
        let value = value.unwrap_or_else(|| Spanned::new(0..0, plain()));
        moved(value, &|_| begin..begin)
    }

    fn add(&mut self, label: &Path, text: String, is_file: bool) -> (Place, &'t str) {
        let (begin, text) = (self.next, self.texts.add(text));
        // One place more than there are bytes, for errors at the end.
        self.next += text.len() + 1;
        self.list.push(Source {
            label: label.to_owned(),
            begin,
            text,
            is_file,
        });
        (begin, text)
    }

    /// The only text, if it is a file.
    pub(crate) fn only(&self) -> Option<&'t str> {
        match &*self.list {
            [only] if only.is_file => Some(only.text),
            _ => None,
        }
    }

    /// The source and line of a problem of this tree.
    pub(crate) fn locate(&self, tree: &Tree<'_>, diagnostic: Diagnostic) -> ConfigError {
        let place = match diagnostic.at {
            At::Place(place) => Some(place),
            At::Key(keys) => find::place(tree, &keys),
        };
        self.error(place, diagnostic.problem)
    }

    /// A problem at this place, or else in a text that is no file.
    pub(crate) fn error(&self, place: Option<Place>, problem: Problem) -> ConfigError {
        match place.and_then(|place| self.find(place)) {
            Some((label, line)) => ConfigError::new(label, problem).at_line(line),
            None => ConfigError::of_text(problem),
        }
    }

    /// The name of the text at a place, and the line there, from 1; arguments have no lines.
    pub(crate) fn find(&self, place: Place) -> Option<(&Path, Option<usize>)> {
        let mut sources = self.list.iter().rev();
        let source = sources.find(|source| source.begin <= place)?;
        let line = || line_of(source.text, place - source.begin);
        Some((&source.label, source.is_file.then(line)))
    }
}

/// The parser's message, with the duplicate key, if there is one.
fn syntax(error: &toml::de::Error, text: &str) -> String {
    let message = one_line(error.message());
    let key = error.span().and_then(|span| text.get(span));
    match key {
        Some(key) if message == "duplicate key" => {
            format!("`{key}` is given twice; each key can be given only once")
        }
        _ => message,
    }
}

/// The line of a byte, from 1.
fn line_of(text: &str, byte: usize) -> usize {
    let before = &text.as_bytes()[..byte.min(text.len())];
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

/// Joins the lines of a message of the parser.
pub(crate) fn one_line(message: &str) -> String {
    message.lines().collect::<Vec<_>>().join(", ")
}

fn moved<'t>(value: Placed<'t>, to: &impl Fn(Range<usize>) -> Range<usize>) -> Placed<'t> {
    let span = to(value.span());
    let value = match value.into_inner() {
        DeValue::Array(list) => DeValue::Array(list.into_iter().map(|it| moved(it, to)).collect()),
        DeValue::Table(table) => DeValue::Table(moved_table(table, to)),
        plain => plain,
    };
    Spanned::new(span, value)
}

fn moved_table<'t>(table: Tree<'t>, to: &impl Fn(Range<usize>) -> Range<usize>) -> Tree<'t> {
    let entries = table.into_iter().map(|(key, value)| {
        let span = to(key.span());
        (Spanned::new(span, key.into_inner()), moved(value, to))
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_text_and_line() {
        let texts = Texts::default();
        let mut sources = Sources::new(&texts);
        let text = "a = 1\nb = [2, { c = 3 }]\n[t]\nd.e = 4\n[[u]]\nf = 5\n";
        let first = sources.file(Path::new("one"), text.to_owned()).unwrap();
        let second = sources.file(Path::new("two"), text.to_owned()).unwrap();
        let line = |value: &Placed<'_>| {
            let (label, line) = sources.find(value.span().start).unwrap();
            (label.display().to_string(), line.unwrap())
        };
        for (tree, label) in [(&first, "one"), (&second, "two")] {
            let at = |line| (label.to_owned(), line);
            let tree = tree.get_ref();
            assert_eq!(line(&tree["a"]), at(1));
            assert_eq!(line(&tree["b"].get_ref()[1].get_ref()["c"]), at(2));
            assert_eq!(line(&tree["t"].get_ref()["d"].get_ref()["e"]), at(4));
            assert_eq!(line(&tree["u"].get_ref()[0].get_ref()["f"]), at(6));
        }
    }

    #[test]
    fn arguments_are_toml_or_strings() {
        let texts = Texts::default();
        let mut sources = Sources::new(&texts);
        let mut read = |text: &str| sources.argument(Path::new("--set"), text).into_inner();
        assert!(read("12").is_integer() && read("[1, 2]").is_array());
        assert_eq!(read("1s").as_str(), Some("1s"));
        assert_eq!(read("1\nx = 2").as_str(), Some("1\nx = 2"));
    }
}
