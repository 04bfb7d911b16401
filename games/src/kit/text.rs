//! Texts for messages: words in quotes, numbers of things, values and moves cut short and made fit for a
//! terminal.

use serde_json::Value;

/// The candidate that a misspelt word most likely stands for, if one is close enough.
pub fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let similarity = |c: &str| strsim::jaro_winkler(word, c);
    candidates
        .iter()
        .copied()
        .max_by(|a, b| similarity(a).total_cmp(&similarity(b)))
        .filter(|best| similarity(best) > 0.7)
}

/// A list of words for an error message, each in backquotes.
pub fn quoted(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    words.join(", ")
}

/// A number and what there are of it.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A value for an error message: as JSON, at most 60 characters of it.
pub(crate) fn brief(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

/// The first 40 characters of a text that is not a move. Moves are printable ASCII, so all other
/// characters are escaped and cannot control a terminal.
pub fn shown(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars().take(40) {
        match c {
            ' '..='~' => shown.push(c),
            _ => shown.extend(c.escape_unicode()),
        }
    }
    shown
}
