//! Terminal output: the program's own colours and line ends pass, all other control sequences are
//! escaped, wherever they come from.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use protocol::{push_escaped, steers};

/// Columns of the terminal at stdout. `None` if stdout is no terminal, so that nothing needs to fit.
pub fn width() -> Option<usize> {
    let stdout = io::stdout();
    let size = terminal_size::terminal_size_of(&stdout).filter(|_| stdout.is_terminal());
    size.map(|(width, _)| usize::from(width.0).max(1))
}

/// Escapes control characters but line ends and colours, in the syntax of JSON, so JSON stays as it is.
pub fn fit(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(unfit) else {
        return Cow::Borrowed(text);
    };
    let (done, mut rest) = text.split_at(first);
    let mut fit = done.to_owned();
    while let Some(c) = rest.chars().next() {
        let length = match colour(rest) {
            Some(length) => {
                fit.push_str(&rest[..length]);
                length
            }
            None if unfit(c) => {
                push_escaped(&mut fit, c);
                c.len_utf8()
            }
            None => {
                fit.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    Cow::Owned(fit)
}

fn unfit(c: char) -> bool {
    steers(c) && !matches!(c, '\n' | '\t')
}

/// The length of the leading escape sequence, if all it does is to choose colours.
fn colour(text: &str) -> Option<usize> {
    let inside = text.strip_prefix("\u{1b}[")?;
    let end = inside.find(|c: char| !(c.is_ascii_digit() || matches!(c, ';' | ':')))?;
    inside[end..].starts_with('m').then_some(2 + end + 1)
}

/// A writer for the program's own log messages.
#[derive(Debug)]
pub struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        io::stderr().lock().write_all(fit(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_line_ends_go_through() {
        for text in [
            "",
            "plain\n\ttext é",
            "\u{1b}[1;31mred\u{1b}[0m\n",
            "\u{1b}[38:5:1mx\u{1b}[m",
        ] {
            assert_eq!(fit(text), text);
        }
    }

    #[test]
    fn all_else_that_steers_is_escaped() {
        for (text, expected) in [
            ("\u{1b}[2J\u{1b}[31mx", "\\u001b[2J\u{1b}[31mx"),
            ("\u{1b}]0;title\u{7}", "\\u001b]0;title\\u0007"),
            ("a\u{9b}31mb\u{202e}c\r\n", "a\\u009b31mb\\u202ec\\u000d\n"),
            ("\u{1b}[31", "\\u001b[31"),
            ("\u{1b}", "\\u001b"),
        ] {
            assert_eq!(fit(text), expected);
        }
    }

    #[test]
    fn json_keeps_its_meaning() {
        let value = serde_json::json!({"a\u{9b}": "\u{202e}\u{7f} \u{1b}\n"});
        let text = fit(&value.to_string()).into_owned();
        assert!(!text.contains(steers));
        let read: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read, value);
    }
}
