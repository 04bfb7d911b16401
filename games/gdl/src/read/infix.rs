//! The infix notation of sheets, as courses print it: `legal(W,mark(M,N)) :- true(cell(M,N,b)) & ~true(done)`.
//! It becomes the same trees as the usual notation. Words that begin with a capital letter are variables.

use super::tree::{Node, Tree};
use crate::error::{Place, SheetError};
use crate::limits::{DEEPEST, MOST_BYTES};

/// True if a text is a sheet in this notation: sheets in the usual one begin with a parenthesis.
pub(super) fn is_infix(text: &str) -> bool {
    let first = text
        .lines()
        .map(|line| line.trim_start_matches('\u{feff}').trim())
        .find(|line| !line.is_empty() && !line.starts_with([';', '%']));
    first.is_some_and(|line| line.starts_with(char::is_alphabetic) && line.contains('('))
}

/// The facts and rules of a sheet.
pub(super) fn read(text: &str) -> Result<Vec<Tree>, SheetError> {
    if text.len() > MOST_BYTES {
        let message = format!(
            "the sheet has {} bytes; at most {MOST_BYTES} are read",
            text.len()
        );
        return Err(SheetError::at_start(message));
    }
    let mut reader = Reader::new(text)?;
    let mut all = Vec::new();
    while reader.token != Token::End {
        all.push(reader.rule()?);
        // Some end each rule with a full stop.
        reader.take(Token::Stop)?;
    }
    Ok(all)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// A name or a variable: its range in the text.
    Word(usize, usize),
    Open,
    Close,
    Comma,
    If,
    And,
    Or,
    Not,
    Stop,
    End,
}

impl Token {
    fn name(self, text: &str) -> String {
        match self {
            Token::Word(from, to) => format!("`{}`", crate::error::shortened(&text[from..to])),
            Token::Open => "`(`".to_owned(),
            Token::Close => "`)`".to_owned(),
            Token::Comma => "`,`".to_owned(),
            Token::If => "`:-`".to_owned(),
            Token::And => "`&`".to_owned(),
            Token::Or => "`|`".to_owned(),
            Token::Not => "`~`".to_owned(),
            Token::Stop => "`.`".to_owned(),
            Token::End => "the end of the sheet".to_owned(),
        }
    }
}

/// Reads tokens, one ahead.
struct Reader<'t> {
    text: &'t str,
    /// The end of the token that is ahead.
    at: usize,
    place: Place,
    token: Token,
    /// Where the token that is ahead begins.
    start: (Place, usize),
    /// The end of the token before it.
    end: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Result<Self, SheetError> {
        let place = Place { line: 1, column: 1 };
        let mut reader = Reader {
            text,
            at: 0,
            place,
            token: Token::End,
            start: (place, 0),
            end: 0,
        };
        reader.advance()?;
        Ok(reader)
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next_char(&mut self) -> Option<char> {
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

    fn skip_blanks(&mut self) {
        while let Some(c) = self.peek() {
            match c {
                '%' | ';' => while self.next_char().is_some_and(|c| c != '\n') {},
                c if c.is_whitespace() || c == '\u{feff}' => {
                    self.next_char();
                }
                _ => return,
            }
        }
    }

    /// Goes on to the next token.
    fn advance(&mut self) -> Result<(), SheetError> {
        self.end = self.at;
        self.skip_blanks();
        self.start = (self.place, self.at);
        let from = self.at;
        let Some(c) = self.next_char() else {
            self.token = Token::End;
            return Ok(());
        };
        self.token = match c {
            '(' => Token::Open,
            ')' => Token::Close,
            ',' => Token::Comma,
            '&' => Token::And,
            '|' => Token::Or,
            '~' => Token::Not,
            '.' => Token::Stop,
            ':' if self.peek() == Some('-') => {
                self.next_char();
                Token::If
            }
            c if is_part(c) => {
                while self.peek().is_some_and(is_part) {
                    self.next_char();
                }
                Token::Word(from, self.at)
            }
            c => {
                let message = format!("the character {c:?} is no part of the infix notation");
                return Err(SheetError::new(self.start.0, message));
            }
        };
        Ok(())
    }

    /// Passes over a token if it is ahead.
    fn take(&mut self, token: Token) -> Result<bool, SheetError> {
        let is_ahead = self.token == token;
        if is_ahead {
            self.advance()?;
        }
        Ok(is_ahead)
    }

    fn expected(&self, what: &str) -> SheetError {
        let found = self.token.name(self.text);
        SheetError::new(self.start.0, format!("{what} was expected, not {found}"))
    }

    fn list(&self, (place, start): (Place, usize), items: Vec<Tree>) -> Tree {
        Tree {
            place,
            span: (start, self.end),
            node: Node::List(items),
        }
    }

    fn word(&self, (place, start): (Place, usize), word: &str) -> Tree {
        Tree {
            place,
            span: (start, start),
            node: Node::Word(word.to_owned()),
        }
    }

    /// `HEAD` or `HEAD :- CONDITION & …`.
    fn rule(&mut self) -> Result<Tree, SheetError> {
        let start = self.start;
        let head = self.term(0)?;
        if !self.take(Token::If)? {
            return Ok(head);
        }
        let mut items = vec![self.word(start, "<="), head];
        loop {
            items.push(self.alternatives(0)?);
            // A comma joins conditions as well.
            if !self.take(Token::And)? && !self.take(Token::Comma)? {
                return Ok(self.list(start, items));
            }
        }
    }

    /// `CONDITION | CONDITION …`, which binds more closely than `&` does.
    fn alternatives(&mut self, depth: usize) -> Result<Tree, SheetError> {
        let start = self.start;
        let first = self.condition(depth)?;
        if self.token != Token::Or {
            return Ok(first);
        }
        let mut items = vec![self.word(start, "or"), first];
        while self.take(Token::Or)? {
            items.push(self.condition(depth)?);
        }
        Ok(self.list(start, items))
    }

    /// A relation, `~` and a condition, or conditions in parentheses.
    fn condition(&mut self, depth: usize) -> Result<Tree, SheetError> {
        self.check_depth(depth)?;
        let start = self.start;
        if self.take(Token::Not)? {
            let inner = self.condition(depth + 1)?;
            return Ok(self.list(start, vec![self.word(start, "not"), inner]));
        }
        if !self.take(Token::Open)? {
            return self.term(depth);
        }
        let mut items = vec![self.word(start, "and"), self.alternatives(depth + 1)?];
        while self.take(Token::And)? || self.take(Token::Comma)? {
            items.push(self.alternatives(depth + 1)?);
        }
        if !self.take(Token::Close)? {
            return Err(self.expected("`)`"));
        }
        Ok(self.list(start, items))
    }

    /// A name, a variable, or `NAME(TERM, …)`.
    fn term(&mut self, depth: usize) -> Result<Tree, SheetError> {
        self.check_depth(depth)?;
        let start = self.start;
        let Token::Word(from, to) = self.token else {
            return Err(self.expected("a name"));
        };
        self.advance()?;
        let name = &self.text[from..to];
        let is_variable = name.starts_with(|c: char| c.is_uppercase() || c == '_');
        let name = if is_variable {
            format!("?{name}")
        } else {
            name.to_owned()
        };
        let word = Tree {
            place: start.0,
            span: (from, to),
            node: Node::Word(name),
        };
        if !self.take(Token::Open)? {
            return Ok(word);
        }
        let mut items = vec![word];
        loop {
            items.push(self.term(depth + 1)?);
            if self.take(Token::Close)? {
                return Ok(self.list(start, items));
            }
            if !self.take(Token::Comma)? {
                return Err(self.expected("`,` or `)`"));
            }
        }
    }

    fn check_depth(&self, depth: usize) -> Result<(), SheetError> {
        if depth < DEEPEST {
            return Ok(());
        }
        let message = format!("parentheses are nested deeper than {DEEPEST} times");
        Err(SheetError::new(self.start.0, message))
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(
            c,
            '_' | '-' | '+' | '*' | '/' | '<' | '>' | '=' | '!' | '$' | '#'
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::tree::kif;

    fn as_kif(text: &str) -> String {
        kif(&read(text).unwrap())
    }

    #[test]
    fn rules_become_those_of_the_usual_notation() {
        for (infix, usual) in [
            ("role(white)", "(role white)"),
            ("terminal", "terminal"),
            (
                "next(cell(M,N,x)) :- does(white,mark(M,N)) & true(cell(M,N,b))",
                "(<= (next (cell ?M ?N x)) (does white (mark ?M ?N)) (true (cell ?M ?N b)))",
            ),
            (
                "open :- ~line(x) & distinct(A,B), p(A) | q(B).",
                "(<= open (not (line x)) (distinct ?A ?B) (or (p ?A) (q ?B)))",
            ),
            ("a :- ~(p & q) % why", "(<= a (not (and p q)))"),
        ] {
            assert!(is_infix(&format!("; a comment\n\n{infix}(")), "{infix}");
            assert_eq!(as_kif(infix).trim_end(), usual);
        }
        assert_eq!(as_kif("a(b)\n  c(d)\n"), "(a b)\n(c d)\n");
        assert!(!is_infix("; x(\n (role a)"));
    }

    #[test]
    fn faults_have_places() {
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(
            error("role(white)\nlegal(W,"),
            "line 2, column 9: a name was expected, not the end of the sheet"
        );
        assert_eq!(
            error("a(b c)"),
            "line 1, column 5: `,` or `)` was expected, not `c`"
        );
        assert_eq!(
            error("a :- \"x\""),
            "line 1, column 6: the character '\"' is no part of the infix notation"
        );
        let deep = "f(".repeat(DEEPEST + 1);
        assert!(error(&deep).contains("nested deeper"), "{}", error(&deep));
    }
}
