//! Bots from folders: `bots_from = "submissions/*"` makes a bot of each folder with a `bot.toml`.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use toml::Spanned;
use toml::de::{DeArray, DeValue};

use super::error::{ConfigError, Problem};
use super::sources::{Sources, Tree};
use super::{keys, schema};
use crate::files::{self, MOST_TEXT};

/// What describes a submission.
const BOT_FILE: &str = "bot.toml";
/// No more folders are looked at.
const MOST_FOLDERS: usize = 10_000;

/// Makes entries of `bots` of the folders in `bots_from`, which start at `folder`. `label` is what the
/// configuration is called.
pub(super) fn expand<'t>(
    sources: &mut Sources<'t>,
    tree: &mut Tree<'t>,
    label: &Path,
    folder: &Path,
) -> Result<(), ConfigError> {
    let Some(from) = tree.remove("bots_from") else {
        return Ok(());
    };
    let place = from.span().start;
    let patterns: Vec<String> = match from.get_ref() {
        DeValue::Array(list) => {
            let list = list.iter();
            list.filter_map(|pattern| pattern.get_ref().as_str().map(str::to_owned))
                .collect()
        }
        value => value.as_str().map(str::to_owned).into_iter().collect(),
    };
    let mut bots = match tree.remove("bots").map(Spanned::into_inner) {
        Some(DeValue::Array(bots)) => bots,
        _ => DeArray::new(),
    };
    for pattern in patterns {
        let found = matching(folder, Path::new(&pattern)).map_err(|error| {
            let message = format!("`{pattern}`: {error}");
            sources.error(Some(place), Problem::value("bots_from", message))
        })?;
        let with_file = found
            .into_iter()
            .filter(|inner| folder.join(inner).join(BOT_FILE).is_file());
        let found: Vec<PathBuf> = with_file.collect();
        if found.is_empty() {
            let message = format!(
                "there is no folder with a `{BOT_FILE}` that matches `{pattern}` (in `{}`)",
                label.parent().unwrap_or(Path::new("")).display()
            );
            return Err(sources.error(Some(place), Problem::value("bots_from", message)));
        }
        for inner in found {
            bots.push(bot(sources, folder, &inner)?);
        }
    }
    let key = Spanned::new(from.span(), "bots".into());
    tree.insert(key, Spanned::new(from.span(), DeValue::Array(bots)));
    Ok(())
}

/// The entry of `bots` for a folder.
fn bot<'t>(
    sources: &mut Sources<'t>,
    folder: &Path,
    inner: &Path,
) -> Result<Spanned<DeValue<'t>>, ConfigError> {
    let path = folder.join(inner).join(BOT_FILE);
    let text = files::read(&path, MOST_TEXT)
        .map_err(|error| ConfigError::new(&path, Problem::Read(error)))?;
    let tree = sources.file(&path, text)?;
    keys::check_against(tree.get_ref(), &schema::submission())
        .map_err(|mistake| sources.error(Some(mistake.place), mistake.problem))?;
    let span = tree.span();
    let mut bot = tree.into_inner();
    if let Some(DeValue::Array(list)) = bot.get_mut("readable").map(Spanned::get_mut) {
        for entry in list.iter_mut() {
            if let DeValue::String(path) = entry.get_mut() {
                *path = inner.join(&**path).to_string_lossy().into_owned().into();
            }
        }
    }
    let mut set = |key: &'static str, value: DeValue<'t>| {
        let key = Spanned::new(span.clone(), key.into());
        bot.insert(key, Spanned::new(span.clone(), value));
    };
    let text = |path: &Path| DeValue::String(path.to_string_lossy().into_owned().into());
    set("dir", text(inner));
    set("must_pass_check", DeValue::Boolean(true));
    if !bot.contains_key("name") {
        let name = inner.file_name().unwrap_or_default();
        let key = Spanned::new(span.clone(), "name".into());
        bot.insert(key, Spanned::new(span.clone(), text(Path::new(name))));
    }
    Ok(Spanned::new(span, DeValue::Table(bot)))
}

/// The folders below `folder` that match a pattern, by name; as paths that start there.
fn matching(folder: &Path, pattern: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let name = component.as_os_str().to_string_lossy();
        if !matches!(component, Component::Normal(_)) || !name.contains('*') {
            found.iter_mut().for_each(|path| path.push(component));
            continue;
        }
        let mut next = Vec::new();
        for path in found {
            let Ok(entries) = fs::read_dir(folder.join(&path)) else {
                continue;
            };
            for entry in entries {
                let entry = entry?;
                let text = entry.file_name().to_string_lossy().into_owned();
                if fits(&text, &name) && !text.starts_with('.') {
                    next.push(path.join(entry.file_name()));
                }
                if next.len() > MOST_FOLDERS {
                    let message = format!("more than {MOST_FOLDERS} folders match");
                    return Err(io::Error::other(message));
                }
            }
        }
        next.sort();
        found = next;
    }
    Ok(found)
}

/// Whether a name matches a pattern, in which a `*` stands for any text.
fn fits(name: &str, pattern: &str) -> bool {
    let Some((begin, rest)) = pattern.split_once('*') else {
        return name == pattern;
    };
    let Some(after) = name.strip_prefix(begin) else {
        return false;
    };
    let mut ends = after.char_indices().map(|(at, _)| at).chain([after.len()]);
    ends.any(|at| fits(&after[at..], rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        for (name, pattern, expected) in [
            ("anna", "*", true),
            ("anna", "a*a", true),
            ("anna", "*n*", true),
            ("anna", "anna", true),
            ("anna", "b*", false),
            ("anna", "*b", false),
            ("", "*", true),
        ] {
            assert_eq!(fits(name, pattern), expected, "{name} {pattern}");
        }
    }
}
