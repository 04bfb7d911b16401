//! Maps keys to places in a tree, and back.

use toml::de::DeValue;

use crate::error::Place;
use crate::sources::tree::{Placed, Tree};

/// The place of the value with these keys, or else of the innermost table on the way to it; `None`
/// if not even the first key exists. In lists, numbers from 0 stand for keys.
pub(crate) fn place(tree: &Tree<'_>, keys: &str) -> Option<Place> {
    let (first, rest) = keys.split_once('.').unwrap_or((keys, ""));
    let (key, value) = tree.get_key_value(first)?;
    let inner = inside(value, rest);
    // The place of a table is that of its header.
    Some(inner.unwrap_or_else(|| {
        if value.get_ref().is_table() {
            key.span().start
        } else {
            value.span().start
        }
    }))
}

fn inside(value: &Placed<'_>, keys: &str) -> Option<Place> {
    match value.get_ref() {
        DeValue::Table(table) => place(table, keys),
        DeValue::Array(list) => {
            let (first, rest) = keys.split_once('.').unwrap_or((keys, ""));
            let entry = list.get(first.parse::<usize>().ok()?)?;
            Some(inside(entry, rest).unwrap_or(entry.span().start))
        }
        _ => None,
    }
}

/// The keys of the innermost value at this place, joined by dots; `None` for the tree itself.
/// Entries of lists have no keys of their own.
pub(crate) fn key(tree: &Tree<'_>, at: Place) -> Option<String> {
    tree.iter().find_map(|(key, value)| {
        let name = key.get_ref();
        let below = key_inside(value, at)?;
        Some(if below.is_empty() {
            name.to_string()
        } else {
            format!("{name}.{below}")
        })
    })
}

fn key_inside(value: &Placed<'_>, at: Place) -> Option<String> {
    let inner = match value.get_ref() {
        DeValue::Table(table) => key(table, at),
        DeValue::Array(list) => list.iter().find_map(|entry| key_inside(entry, at)),
        _ => None,
    };
    inner.or_else(|| (value.span().start == at).then(String::new))
}
