//! Places in a TOML text: which value is at a byte, and where a value is.

use std::ops::Range;

use toml_edit::{Document, Item, Value};

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// To the value of a key.
    Key(String),
    /// To an element of a list.
    Index(usize),
}

/// The line of a byte, from 1.
pub(super) fn line_of(text: &str, byte: usize) -> usize {
    1 + text.as_bytes()[..byte.min(text.len())]
        .iter()
        .filter(|b| **b == b'\n')
        .count()
}

/// The steps to the innermost value at a byte; none if that is the whole.
pub(super) fn steps_at(text: &str, byte: usize) -> Vec<Step> {
    let Ok(document) = Document::parse(text) else {
        return Vec::new();
    };
    let mut steps = Vec::new();
    search(document.as_item(), byte, &mut steps);
    steps
}

/// Where the value at these steps begins, if it is there.
pub(super) fn find(text: &str, steps: &[Step]) -> Option<usize> {
    let document = Document::parse(text).ok()?;
    let span = follow(document.as_item(), steps)?;
    Some(span.start)
}

/// Adds the steps to the value at a byte; says whether it was found.
fn search(item: &Item, byte: usize, steps: &mut Vec<Step>) -> bool {
    if let Some(table) = item.as_table_like() {
        for (key, inner) in table.iter() {
            steps.push(Step::Key(key.to_owned()));
            if search(inner, byte, steps) {
                return true;
            }
            steps.pop();
        }
    }
    for (at, element) in elements(item).into_iter().enumerate() {
        steps.push(Step::Index(at));
        if search(&element, byte, steps) {
            return true;
        }
        steps.pop();
    }
    // The whole has no steps, so it is never what is looked for.
    !steps.is_empty() && item.span().is_some_and(|span| span.contains(&byte))
}

/// The elements of a list, of whichever kind.
fn elements(item: &Item) -> Vec<Item> {
    match item {
        Item::ArrayOfTables(tables) => tables.iter().cloned().map(Item::Table).collect(),
        Item::Value(Value::Array(list)) => list.iter().cloned().map(Item::Value).collect(),
        _ => Vec::new(),
    }
}

fn follow(item: &Item, steps: &[Step]) -> Option<Range<usize>> {
    let Some((step, rest)) = steps.split_first() else {
        return item.span();
    };
    match step {
        Step::Key(key) => follow(item.as_table_like()?.get(key)?, rest),
        Step::Index(at) => follow(elements(item).get(*at)?, rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a = 1\nb = [2, { c = 3 }]\n[t]\nd.e = 4\n[[u]]\nf = 5\n[[u]]\nf = 6\n";

    #[test]
    fn values_are_found_by_place_and_by_steps() {
        let key = |key: &str| Step::Key(key.to_owned());
        let places = [
            ('1', vec![key("a")]),
            ('2', vec![key("b"), Step::Index(0)]),
            ('3', vec![key("b"), Step::Index(1), key("c")]),
            ('4', vec![key("t"), key("d"), key("e")]),
            ('5', vec![key("u"), Step::Index(0), key("f")]),
            ('6', vec![key("u"), Step::Index(1), key("f")]),
        ];
        for (digit, steps) in places {
            let byte = TEXT.find(digit).unwrap();
            assert_eq!(steps_at(TEXT, byte), steps);
            assert_eq!(find(TEXT, &steps), Some(byte));
        }
        let table = [key("u"), Step::Index(1)];
        assert_eq!(line_of(TEXT, find(TEXT, &table).unwrap()), 7);
        assert_eq!(find(TEXT, &[key("x")]), None);
        assert_eq!(find(TEXT, &[key("a"), key("x")]), None);
    }
}
