//! Submissions: `bots_from = "submissions/*"` makes a bot of each folder with a `bot.toml`. The
//! contents of such a folder are untrusted data: a broken one is left out, and does not affect any
//! other.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use supervisor::bot::files::digest_of;
use toml::Spanned;
use toml::de::{DeArray, DeValue};

use crate::error::Place;
use crate::error::{ConfigError, Problem};
use crate::schema;
use crate::schema::keys;
use crate::sources::{Sources, Tree};

/// The file that describes a submission.
pub const BOT_FILE: &str = "bot.toml";
/// In bytes.
const LONGEST_FILE: u64 = 1 << 20;
/// Most folders that are searched.
const MOST_FOLDERS: usize = 10_000;

/// Results of reading submissions, besides bots.
#[derive(Debug, Default)]
pub(crate) struct Submissions {
    /// Folders that are not bots.
    pub(crate) left_out: Vec<BrokenSubmission>,
    /// Sentences about keys of their authors that are ignored.
    pub(crate) notes: Vec<String>,
}

/// A folder that is not a bot.
#[derive(Debug)]
pub(crate) struct BrokenSubmission {
    /// The name that the bot would have.
    pub(crate) name: String,
    /// Relative to the configuration's folder.
    pub(crate) folder: PathBuf,
    pub(crate) why: Reason,
}

#[derive(Debug)]
pub(crate) enum Reason {
    /// No bot in the folder, as a sentence.
    NoBot(String),
    /// Its file is wrong.
    Invalid(ConfigError),
}

/// Sources of bots' names besides their folders.
pub(crate) struct Names<'a> {
    /// Names by folder, of a tournament that continues and was begun by an earlier version.
    pub(crate) earlier: &'a BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default)]
struct Match {
    /// Relative to the configuration's folder.
    path: PathBuf,
    /// The first folder on that path that matches a `*`.
    top: Option<PathBuf>,
}

impl Match {
    /// The first folder that matches a `*`: the one that the organiser named after an author.
    fn name(&self) -> String {
        let named = self.top.as_ref().unwrap_or(&self.path);
        let name = named.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

/// Turns the folders of `bots_from`, relative to `folder`, into entries of `bots`. `label` is the
/// name of the configuration. `None` without `bots_from`.
pub(crate) fn expand<'t>(
    sources: &mut Sources<'t>,
    tree: &mut Tree<'t>,
    label: &Path,
    folder: &Path,
    names: &Names<'_>,
) -> Result<Option<Submissions>, ConfigError> {
    let Some(from) = tree.remove("bots_from") else {
        return Ok(None);
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
    let may_choose = may_choose_names(tree);
    let mut bots = match tree.remove("bots").map(Spanned::into_inner) {
        Some(DeValue::Array(bots)) => bots,
        _ => DeArray::new(),
    };
    let mut submissions = Submissions::default();
    for pattern in patterns {
        let found = matching(folder, Path::new(&pattern)).map_err(|error| {
            let message = format!("`{pattern}`: {error}");
            sources.error(Some(place), Problem::value("bots_from", message))
        })?;
        let mut holding_bots = Vec::new();
        for found in found {
            match lacks_bot(folder, &found) {
                None => holding_bots.push(found),
                Some(why) => submissions.left_out.push(BrokenSubmission {
                    name: found.name(),
                    folder: found.path,
                    why: Reason::NoBot(why),
                }),
            }
        }
        if holding_bots.is_empty() {
            let deeper = submissions
                .left_out
                .iter()
                .find_map(|broken| match &broken.why {
                    Reason::NoBot(why) if why.contains(TOO_DEEP) => {
                        Some(format!("; in `{}`, {why}", broken.folder.display()))
                    }
                    _ => None,
                });
            let message = format!(
                "there is no folder with a `{BOT_FILE}` that matches `{pattern}` (in `{}`){}",
                label.parent().unwrap_or(Path::new("")).display(),
                deeper.unwrap_or_default(),
            );
            return Err(sources.error(Some(place), Problem::value("bots_from", message)));
        }
        for found in holding_bots {
            let reader = Reader {
                folder,
                found: &found,
                may_choose,
                names,
            };
            match reader.bot(sources, &mut submissions.notes) {
                Ok(bot) => bots.push(bot),
                Err(error) => submissions.left_out.push(BrokenSubmission {
                    name: found.name(),
                    folder: found.path.clone(),
                    why: Reason::Invalid(error),
                }),
            }
        }
    }
    let key = Spanned::new(from.span(), "bots".into());
    tree.insert(key, Spanned::new(from.span(), DeValue::Array(bots)));
    Ok(Some(submissions))
}

/// True if authors may choose the names of their bots.
fn may_choose_names(tree: &Tree<'_>) -> bool {
    let names = tree
        .get("submissions")
        .and_then(|table| table.get_ref().get("names"));
    names.and_then(|names| names.get_ref().as_bool()) == Some(true)
}

/// Continues a sentence about a misplaced file.
const TOO_DEEP: &str = "is one folder too deep";

/// The reason why a folder holds no bot; `None` if it holds one.
fn lacks_bot(folder: &Path, found: &Match) -> Option<String> {
    let whole = folder.join(&found.path);
    if !whole.is_dir() {
        let top = found.top.as_deref().unwrap_or(Path::new(""));
        let rest = found.path.strip_prefix(top).unwrap_or(&found.path);
        return Some(format!("there is no folder `{}` in it", rest.display()));
    }
    // Folders below the first `*` were named by an author.
    if let Some(top) = &found.top
        && !leads_inside(&whole, &folder.join(top))
    {
        return Some("it is a link that leads out of the author's folder".to_owned());
    }
    if whole.join(BOT_FILE).symlink_metadata().is_ok() {
        return None;
    }
    let mut deeper: Vec<String> = fs::read_dir(&whole)
        .into_iter()
        .flatten()
        .flatten()
        .take(MOST_FOLDERS)
        .filter(|entry| entry.path().join(BOT_FILE).is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    deeper.sort();
    Some(match deeper.first() {
        Some(inner) => format!(
            "its `{BOT_FILE}` {TOO_DEEP}: it is in `{inner}`, and what is there has to be moved up"
        ),
        None => format!("there is no `{BOT_FILE}` in its folder"),
    })
}

fn leads_inside(path: &Path, top: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    match (real(path), real(top)) {
        (Some(path), Some(top)) => path.starts_with(top),
        _ => false,
    }
}

struct Reader<'a> {
    folder: &'a Path,
    found: &'a Match,
    may_choose: bool,
    names: &'a Names<'a>,
}

impl Reader<'_> {
    /// The entry of `bots` for the folder.
    fn bot<'t>(
        &self,
        sources: &mut Sources<'t>,
        notes: &mut Vec<String>,
    ) -> Result<Spanned<DeValue<'t>>, ConfigError> {
        let inner = &self.found.path;
        let path = self.folder.join(inner).join(BOT_FILE);
        let text = files::read_no_link(&path, LONGEST_FILE)
            .map_err(|error| ConfigError::new(&path, Problem::Read(error)))?;
        let digest = digest_of(text.as_bytes());
        let tree = sources.file(&path, text)?;
        keys::check_against(tree.get_ref(), &schema::submission())
            .map_err(|diagnostic| sources.locate(tree.get_ref(), diagnostic))?;
        let span = tree.span();
        let mut bot = tree.into_inner();
        if let Some(DeValue::Array(list)) = bot.get_mut("readable").map(Spanned::get_mut) {
            for entry in list.iter_mut() {
                if let DeValue::String(path) = entry.get_mut() {
                    *path = inner.join(&**path).to_string_lossy().into_owned().into();
                }
            }
        }
        let name = self.name(&bot, sources, notes);
        let mut set = |key: &'static str, value: DeValue<'t>| {
            let place = bot.get(key).map_or(span.clone(), Spanned::span);
            let key = Spanned::new(place.clone(), key.into());
            bot.insert(key, Spanned::new(place, value));
        };
        let dir = inner.to_string_lossy();
        // The name of a folder may look like a variable.
        let dir = if dir.contains('$') {
            dir.replace('$', "$$")
        } else {
            dir.into_owned()
        };
        set("name", DeValue::String(name.into()));
        set("dir", DeValue::String(dir.into()));
        set("must_pass_check", DeValue::Boolean(true));
        set("submission", DeValue::String(digest.into()));
        Ok(Spanned::new(span, DeValue::Table(bot)))
    }

    fn name(&self, bot: &Tree<'_>, sources: &Sources<'_>, notes: &mut Vec<String>) -> String {
        let inner = self.found.path.to_string_lossy();
        if let Some(earlier) = self.names.earlier.get(&*inner) {
            return earlier.clone();
        }
        let own = self.found.name();
        let Some(chosen) = bot.get("name") else {
            return own;
        };
        let text = chosen.get_ref().as_str().unwrap_or_default();
        if self.may_choose || text.trim() == own {
            return text.to_owned();
        }
        let line = line(sources, chosen.span().start);
        notes.push(format!(
            "`{inner}/{BOT_FILE}`{line}: the name {text:?} is ignored: a submission is called as its \
             folder, unless `[submissions] names = true`"
        ));
        own
    }
}

fn line(sources: &Sources<'_>, place: Place) -> String {
    let line = sources.find(place).and_then(|(_, line)| line);
    line.map_or(String::new(), |line| format!(", line {line}"))
}

/// The folders below `folder` that match a pattern, sorted by name, relative to `folder`.
fn matching(folder: &Path, pattern: &Path) -> io::Result<Vec<Match>> {
    let mut found = vec![Match::default()];
    for component in pattern.components() {
        let name = component.as_os_str().to_string_lossy();
        if !matches!(component, Component::Normal(_)) || !name.contains('*') {
            found
                .iter_mut()
                .for_each(|found| found.path.push(component));
            continue;
        }
        let mut next = Vec::new();
        for Match { path, top } in found {
            let Ok(entries) = fs::read_dir(folder.join(&path)) else {
                continue;
            };
            for entry in entries {
                let entry = entry?;
                let text = entry.file_name().to_string_lossy().into_owned();
                if fits(&text, &name) && !text.starts_with('.') && entry.path().is_dir() {
                    let path = path.join(entry.file_name());
                    let top = top.clone().or_else(|| Some(path.clone()));
                    next.push(Match { path, top });
                }
                if next.len() > MOST_FOLDERS {
                    let message = format!("more than {MOST_FOLDERS} folders match");
                    return Err(io::Error::other(message));
                }
            }
        }
        next.sort_by(|one, other| one.path.cmp(&other.path));
        found = next;
    }
    // Behind a `*`, an author may have put a file in the place of a folder.
    found.retain(|found| found.top.is_some() || folder.join(&found.path).is_dir());
    Ok(found)
}

/// True if a name matches a pattern, in which `*` stands for any text.
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
