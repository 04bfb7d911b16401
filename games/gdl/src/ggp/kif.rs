//! KIF as data: what players and managers of games in GDL send each other.

use std::fmt;

use crate::error::SheetError;
use crate::read::{self, Node, Tree};

/// A word, or a list of words and lists.
///
/// ```
/// use gdl::Kif;
///
/// let play = Kif::read("(PLAY m-1 ((mark 1 3)\n noop)) ; the first step").unwrap();
/// assert_eq!(play.head(), Some("PLAY"));
/// assert_eq!(play.to_string(), "(PLAY m-1 ((mark 1 3) noop))");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kif {
    /// A word, spelled as it was read.
    Word(String),
    /// A list in parentheses.
    List(Vec<Kif>),
}

impl Kif {
    /// Reads a text that is one word or one list; comments are left out.
    ///
    /// # Errors
    /// If parentheses do not match, or there is nothing or more than one thing.
    pub fn read(text: &str) -> Result<Self, SheetError> {
        let mut all = Self::read_all(text)?;
        match (all.pop(), all.is_empty()) {
            (Some(only), true) => Ok(only),
            (None, _) => Err(SheetError::at_start("there is nothing to read")),
            _ => Err(SheetError::at_start("this is more than one word or list")),
        }
    }

    /// Reads all words and lists of a text.
    ///
    /// # Errors
    /// If parentheses do not match.
    pub fn read_all(text: &str) -> Result<Vec<Self>, SheetError> {
        Ok(read::trees(text)?.into_iter().map(Self::of).collect())
    }

    fn of(tree: Tree) -> Self {
        match tree.node {
            Node::Word(word) => Kif::Word(word),
            Node::List(list) => Kif::List(list.into_iter().map(Self::of).collect()),
        }
    }

    pub fn new_word(word: impl Into<String>) -> Self {
        Kif::Word(word.into())
    }

    pub fn word(&self) -> Option<&str> {
        match self {
            Kif::Word(word) => Some(word),
            Kif::List(_) => None,
        }
    }

    pub fn list(&self) -> Option<&[Kif]> {
        match self {
            Kif::Word(_) => None,
            Kif::List(list) => Some(list),
        }
    }

    /// The first word: of a list its head, of a word itself.
    pub fn head(&self) -> Option<&str> {
        match self {
            Kif::Word(word) => Some(word),
            Kif::List(list) => list.first()?.word(),
        }
    }

    /// The same with other words. `None` if one of them has none.
    pub(crate) fn renamed(&self, rename: &mut impl FnMut(&str) -> Option<String>) -> Option<Self> {
        match self {
            Kif::Word(word) => rename(word).map(Kif::Word),
            Kif::List(list) => {
                let list = list.iter().map(|item| item.renamed(rename));
                list.collect::<Option<_>>().map(Kif::List)
            }
        }
    }

    /// Calls `see` with each word, from left to right.
    pub(crate) fn each_word(&self, see: &mut impl FnMut(&str)) {
        match self {
            Kif::Word(word) => see(word),
            Kif::List(list) => list.iter().for_each(|item| item.each_word(see)),
        }
    }
}

impl fmt::Display for Kif {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = match self {
            Kif::Word(word) => return f.write_str(word),
            Kif::List(list) => list,
        };
        f.write_str("(")?;
        for (index, item) in list.iter().enumerate() {
            let blank = if index == 0 { "" } else { " " };
            write!(f, "{blank}{item}")?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::Kif;

    #[test]
    fn one_thing_is_read_and_nothing_else() {
        assert_eq!(Kif::read(" ( A ( b)c ) ").unwrap().to_string(), "(A (b) c)");
        assert_eq!(Kif::read("NIL;x").unwrap(), Kif::new_word("NIL"));
        for text in ["", "; a", "a b", "(a", "a)", "(a) (b)", "\u{7}"] {
            assert!(Kif::read(text).is_err(), "{text}");
        }
    }
}
