//! KIF as lists in lists, each with its place.

use crate::error::{Place, SheetError};
use crate::limits::{DEEPEST, MOST_BYTES};
use crate::terms::{Term, Terms};

/// A word or a list.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(super) place: Place,
    /// Range in the text, in bytes.
    pub(super) span: (usize, usize),
    pub(crate) node: Node,
}

#[derive(Clone, Debug)]
pub(crate) enum Node {
    Word(String),
    List(Vec<Tree>),
}

impl Tree {
    /// The first word: of a list its head, of a word itself.
    pub(super) fn head(&self) -> Option<&str> {
        match &self.node {
            Node::Word(word) => Some(word),
            Node::List(list) => match &list.first()?.node {
                Node::Word(word) => Some(word),
                Node::List(_) => None,
            },
        }
    }

    /// The rest of a list.
    pub(super) fn arguments(&self) -> &[Tree] {
        match &self.node {
            Node::Word(_) => &[],
            Node::List(list) => list.get(1..).unwrap_or_default(),
        }
    }
}

struct Open {
    place: Place,
    start: usize,
    items: Vec<Tree>,
}

pub(crate) fn read(text: &str) -> Result<Vec<Tree>, SheetError> {
    if text.len() > MOST_BYTES {
        let message = format!(
            "the sheet has {} bytes; at most {MOST_BYTES} are read",
            text.len()
        );
        return Err(SheetError::new(Place { line: 1, column: 1 }, message));
    }
    let mut reader = Reader {
        text,
        at: 0,
        place: Place { line: 1, column: 1 },
    };
    let mut all = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    while let Some(c) = reader.skip_blanks() {
        let (place, start) = (reader.place, reader.at);
        if c == '(' {
            reader.next();
            if open.len() == DEEPEST {
                let message = format!("parentheses are nested deeper than {DEEPEST} times");
                return Err(SheetError::new(place, message));
            }
            let items = Vec::new();
            open.push(Open {
                place,
                start,
                items,
            });
            continue;
        }
        let tree = if c == ')' {
            reader.next();
            let Some(list) = open.pop() else {
                return Err(SheetError::new(
                    place,
                    "a `)` too many: no `(` is open here",
                ));
            };
            Tree {
                place: list.place,
                span: (list.start, reader.at),
                node: Node::List(list.items),
            }
        } else {
            Tree {
                place,
                node: Node::Word(reader.word()?),
                span: (start, reader.at),
            }
        };
        match open.last_mut() {
            Some(list) => list.items.push(tree),
            None => all.push(tree),
        }
    }
    match open.last() {
        Some(list) => Err(SheetError::new(
            list.place,
            format!(
                "this `(` is never closed: the sheet ends at {} where `)` was expected",
                reader.place
            ),
        )),
        None => Ok(all),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    place: Place,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        if c == '\n' {
            self.place.line += 1;
            self.place.column = 1;
        } else {
            self.place.column += 1;
        }
        Some(c)
    }

    /// Skips blanks and comments. Returns the next character; `None` at the end.
    fn skip_blanks(&mut self) -> Option<char> {
        loop {
            match self.peek()? {
                ';' => while self.next().is_some_and(|c| c != '\n') {},
                c if c.is_whitespace() || c == '\u{feff}' => {
                    self.next();
                }
                c => return Some(c),
            }
        }
    }

    fn word(&mut self) -> Result<String, SheetError> {
        let start = self.at;
        let place = self.place;
        while let Some(c) = self.peek() {
            if c.is_whitespace() || matches!(c, '(' | ')' | ';') {
                break;
            }
            if c.is_control() || matches!(c, '"' | '\\' | '`') {
                let message = format!("names cannot have the character {c:?}");
                return Err(SheetError::new(self.place, message));
            }
            self.next();
        }
        let word = &self.text[start..self.at];
        if word == "?" {
            let message = "a `?` alone is no variable; a name was expected behind it";
            return Err(SheetError::new(place, message));
        }
        Ok(word.to_owned())
    }
}

/// Trees as text, a line for each.
pub(crate) fn kif(trees: &[Tree]) -> String {
    fn write(tree: &Tree, out: &mut String) {
        match &tree.node {
            Node::Word(word) => out.push_str(word),
            Node::List(list) => {
                out.push('(');
                for (index, item) in list.iter().enumerate() {
                    if index > 0 {
                        out.push(' ');
                    }
                    write(item, out);
                }
                out.push(')');
            }
        }
    }

    let mut out = String::new();
    for tree in trees {
        write(tree, &mut out);
        out.push('\n');
    }
    out
}

/// A term in its canonical form and in small letters: single blanks, `p` for `(p)`. `None` if the text
/// is not one term without variables.
pub fn canonical(text: &str) -> Option<String> {
    let trees = read(text).ok()?;
    let [tree] = &trees[..] else {
        return None;
    };
    let mut out = String::new();
    write(tree, &mut out)?;
    Some(out)
}

fn write(tree: &Tree, out: &mut String) -> Option<()> {
    match &tree.node {
        Node::Word(word) if word.starts_with('?') => None,
        Node::Word(word) => {
            out.push_str(&word.to_lowercase());
            Some(())
        }
        Node::List(list) => {
            tree.head()?;
            if let [only] = &list[..] {
                return write(only, out);
            }
            for (index, item) in list.iter().enumerate() {
                out.push(if index == 0 { '(' } else { ' ' });
                write(item, out)?;
            }
            out.push(')');
            Some(())
        }
    }
}

/// The ground term that a text stands for.
pub(crate) fn term(terms: &mut Terms, text: &str) -> Option<Term> {
    fn of(terms: &mut Terms, tree: &Tree) -> Option<Term> {
        let name = tree.head().filter(|name| !name.starts_with('?'))?;
        let arguments = tree.arguments().iter().map(|tree| of(terms, tree));
        let arguments: Vec<Term> = arguments.collect::<Option<_>>()?;
        let symbol = terms.symbol(name);
        Some(terms.term(symbol, &arguments))
    }
    match &read(text).ok()?[..] {
        [tree] => of(terms, tree),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn terms_have_one_form() {
        let same = |text: &str, form: &str| assert_eq!(canonical(text).as_deref(), Some(form));
        same("( Mark\t1 (2) ) ; comment", "(mark 1 2)");
        same("(noop)", "noop");
        same("NOOP", "noop");
        for text in ["", "(", "a b", "(mark ?x)", "()", "((f x) y)", "a)"] {
            assert_eq!(canonical(text), None, "{text}");
        }
    }
}
