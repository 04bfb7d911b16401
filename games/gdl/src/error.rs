//! Faults in sheets, with their places.

use std::fmt;

use thiserror::Error;

/// A place in the text of a sheet, counted from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// A sheet that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {message}{}", in_rule(rule.as_deref()))]
pub struct SheetError {
    pub place: Place,
    pub message: String,
    /// The erroneous rule, cut short; `None` if the error is in none.
    pub rule: Option<String>,
}

/// The most characters of a rule in a message.
const MOST_SHOWN: usize = 90;

fn in_rule(rule: Option<&str>) -> String {
    rule.map_or_else(String::new, |rule| format!(", in the rule `{rule}`"))
}

impl SheetError {
    /// An error that is in no rule.
    pub(crate) fn new(place: Place, message: impl Into<String>) -> Self {
        SheetError {
            place,
            message: message.into(),
            rule: None,
        }
    }

    /// An error of a text as a whole.
    pub(crate) fn at_start(message: impl Into<String>) -> Self {
        Self::new(Place { line: 1, column: 1 }, message)
    }

    #[must_use]
    pub(crate) fn in_rule(self, text: &str) -> Self {
        SheetError {
            rule: Some(shortened(text)),
            ..self
        }
    }
}

/// A text on one line, cut short and fit for a terminal.
pub(crate) fn shortened(text: &str) -> String {
    let mut short = String::new();
    for word in text.split_whitespace() {
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
    }
    let mut shown: String = short
        .chars()
        .take(MOST_SHOWN)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    if short.chars().count() > MOST_SHOWN {
        shown.push('…');
    }
    shown
}
