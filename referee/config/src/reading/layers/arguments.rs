//! Keys that are set on the command line, by `--set`.

use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::error::{ConfigError, Problem};
use crate::schema::keys;
use crate::sources::{Placed, Sources, Tree};

/// Most parts of a key in `--set`.
const MOST_PARTS: usize = 100;

/// Sets one key; returns the label of the argument.
pub(super) fn set<'t>(
    sources: &mut Sources<'t>,
    tree: &mut Tree<'t>,
    text: &str,
) -> Result<PathBuf, ConfigError> {
    let label = PathBuf::from(format!("--set {text}"));
    let wrong = |message: &str| wrong_argument(&label, message.to_owned());
    let (key, value) = split(tree, text)
        .ok_or_else(|| wrong("a key and a value are needed, as in `--set rounds=2`"))?;
    let keys: Vec<&str> = key.trim().split('.').collect();
    if keys.len() > MOST_PARTS {
        let message = format!(
            "the key `{}…` has {} parts; at most {MOST_PARTS} are allowed",
            key.chars().take(20).collect::<String>(),
            keys.len()
        );
        return Err(wrong_argument(Path::new("--set"), message));
    }
    if keys.iter().any(|key| key.is_empty()) {
        return Err(wrong("the key is empty, or a part of it"));
    }
    let value = sources.argument(&label, value.trim());
    let (bot, keys) = match keys.split_first() {
        Some((&"bots", rest)) if !rest.is_empty() => {
            let (bot, keys) = bot(tree, rest).ok_or_else(|| {
                wrong("after `bots.` the name of a bot and a key of it are needed")
            })?;
            (Some(bot), keys)
        }
        _ => (None, keys),
    };
    check_keys(&label, bot.is_some(), &keys, &value)?;
    let place = match bot {
        Some(bot) => bot_table(tree, bot).ok_or_else(|| wrong("there is no such bot"))?,
        None => tree,
    };
    put(place, &keys, value).map_err(|key| wrong(&format!("`{key}` is no table")))?;
    Ok(label)
}

/// Splits an argument into key and value. Names of bots may contain `=`.
fn split<'a>(tree: &Tree<'_>, text: &'a str) -> Option<(&'a str, &'a str)> {
    let all = text.match_indices('=');
    let all = all.map(|(at, _)| (&text[..at], &text[at + 1..]));
    let is_of_bot = |(key, _): &(&str, &str)| {
        let parts: Vec<&str> = key.trim().split('.').collect();
        parts[0] == "bots" && parts.len() <= MOST_PARTS && bot(tree, &parts[1..]).is_some()
    };
    all.clone().find(is_of_bot).or_else(|| all.clone().next())
}

fn wrong_argument(label: &Path, message: String) -> ConfigError {
    ConfigError::new(label, Problem::Syntax(message))
}

/// The table of a bot, by its index.
fn bot_table<'a, 't>(tree: &'a mut Tree<'t>, bot: usize) -> Option<&'a mut Tree<'t>> {
    let DeValue::Array(bots) = tree.get_mut("bots")?.get_mut() else {
        return None;
    };
    match bots.get_mut(bot)?.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

/// Puts a value at these keys; the error is the key of something that is not a table.
fn put<'t>(mut place: &mut Tree<'t>, keys: &[&str], value: Placed<'t>) -> Result<(), String> {
    let (span, (last, tables)) = match keys.split_last() {
        Some(keys) => (value.span(), keys),
        None => return Ok(()),
    };
    for key in tables {
        if !place.contains_key(*key) {
            let empty = Spanned::new(span.clone(), DeValue::Table(DeTable::new()));
            place.insert(owned(key, &value), empty);
        }
        place = match place.get_mut(*key).map(Spanned::get_mut) {
            Some(DeValue::Table(table)) => table,
            _ => return Err((*key).to_owned()),
        };
    }
    place.insert(owned(last, &value), value);
    Ok(())
}

/// A key at the place of a value.
fn owned<'t>(key: &str, value: &Placed<'_>) -> Spanned<DeString<'t>> {
    Spanned::new(value.span(), key.to_owned().into())
}

/// The bot that a key starts with, and the parts after its name, which may contain dots.
fn bot<'a>(tree: &Tree<'_>, keys: &[&'a str]) -> Option<(usize, Vec<&'a str>)> {
    let bots = tree.get("bots")?.get_ref().as_array()?;
    let name_of =
        |bot: &Placed<'_>| Some(bot.get_ref().get("name")?.get_ref().as_str()?.to_owned());
    let names: Vec<Option<String>> = bots.iter().map(name_of).collect();
    (1..keys.len()).find_map(|parts| {
        let name = Some(keys[..parts].join("."));
        let bot = names.iter().position(|other| *other == name)?;
        Some((bot, keys[parts..].to_vec()))
    })
}

/// Refuses unknown keys.
fn check_keys(
    label: &Path,
    of_bot: bool,
    keys: &[&str],
    value: &Placed<'_>,
) -> Result<(), ConfigError> {
    let mut whole = Tree::new();
    let put = put(&mut whole, keys, value.clone());
    debug_assert!(put.is_ok(), "there was nothing in the way");
    if of_bot {
        let span = value.span();
        let bot = Spanned::new(span.clone(), DeValue::Table(whole));
        let list = DeValue::Array([bot].into_iter().collect());
        whole = Tree::from_iter([(owned("bots", value), Spanned::new(span, list))]);
    }
    keys::check(&whole).map_err(|diagnostic| ConfigError::new(label, diagnostic.problem))
}
