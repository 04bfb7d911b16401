//! The texts that a model is sent: templates, and what is filled in for a match and a turn.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use games::kit::drawing;
use games::{BrokenRules, Entry, Rules, Seat, Session};
use protocol::{ClockState, Start, Turn, in_words};
use serde_json::Value;
use thiserror::Error;

/// A template that is larger than this is none, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The templates. A name in braces is replaced; a line that is empty after that is left out if it had
/// a name.
#[derive(Debug)]
pub(super) struct Prompts {
    system: String,
    turn: String,
    rethink: String,
}

/// A template: its file, its built-in text, the names that it may have in braces.
struct Template {
    file: &'static str,
    text: &'static str,
    names: &'static [&'static str],
}

const SYSTEM: Template = Template {
    file: "system.txt",
    text: include_str!("prompts/system.txt"),
    names: &[
        "game", "title", "role", "seat", "seats", "players", "options", "rules", "notation",
    ],
};
const TURN: Template = Template {
    file: "turn.txt",
    text: include_str!("prompts/turn.txt"),
    names: &[
        "role", "seat", "ply", "since", "seen", "board", "state", "clock", "examples", "legal",
    ],
};
const RETHINK: Template = Template {
    file: "rethink.txt",
    text: include_str!("prompts/rethink.txt"),
    names: &["problem", "kind", "move", "legal"],
};

/// The fault in a folder of templates.
#[derive(Debug, Error)]
pub enum PromptError {
    #[error("--prompt: `{path}` cannot be read: {error}")]
    Read {
        path: PathBuf,
        error: std::io::Error,
    },
    #[error("--prompt: `{path}` has more than {MOST_BYTES} bytes")]
    Long { path: PathBuf },
    #[error("--prompt: `{folder}` has none of the files {known}")]
    NoFile { folder: PathBuf, known: String },
    #[error("--prompt: `{path}` has `{{{name}}}`, but only {known} are filled in")]
    Name {
        path: PathBuf,
        name: String,
        known: String,
    },
}

impl Prompts {
    /// The built-in texts.
    pub(super) fn built_in() -> Self {
        Prompts {
            system: SYSTEM.text.to_owned(),
            turn: TURN.text.to_owned(),
            rethink: RETHINK.text.to_owned(),
        }
    }

    /// The texts of a folder; those that it lacks are the built-in ones.
    ///
    /// # Errors
    /// If it has no such file, one cannot be read, or one has an unknown name in braces.
    pub(super) fn of_folder(folder: &Path) -> Result<Self, PromptError> {
        let [system, turn, rethink] =
            [&SYSTEM, &TURN, &RETHINK].map(|template| template.read(folder));
        let (system, turn, rethink) = (system?, turn?, rethink?);
        if system.is_none() && turn.is_none() && rethink.is_none() {
            let files = [SYSTEM.file, TURN.file, RETHINK.file];
            return Err(PromptError::NoFile {
                folder: folder.to_owned(),
                known: games::kit::text::quoted(&files),
            });
        }
        let built_in = Self::built_in();
        Ok(Prompts {
            system: system.unwrap_or(built_in.system),
            turn: turn.unwrap_or(built_in.turn),
            rethink: rethink.unwrap_or(built_in.rethink),
        })
    }

    /// The system message of a match. `entry` is `None` for a game that the bot does not know.
    pub(super) fn system(&self, start: &Start, entry: Option<&Entry>) -> String {
        let info = entry.map(|entry| &entry.info);
        let title = info.map_or(&start.game, |info| &info.title);
        fill(
            &self.system,
            &[
                ("game", start.game.clone()),
                ("title", title.clone()),
                ("role", start.role.clone()),
                ("seat", start.seat.to_string()),
                ("seats", start.players.len().to_string()),
                ("players", players(start)),
                ("options", options(start)),
                ("rules", rules_text(entry)),
                ("notation", notation(entry)),
            ],
        )
    }

    /// The message of a turn. `listed` is the list of legal moves, or empty.
    pub(super) fn turn(&self, asked: &Asked<'_>, listed: &str) -> String {
        let Asked { turn, seat, .. } = asked;
        let state = asked.known.to_string();
        let title = match asked.is_hidden {
            true => "What you know, as JSON",
            false => "As JSON",
        };
        fill(
            &self.turn,
            &[
                ("role", asked.role.to_owned()),
                ("seat", seat.to_string()),
                ("ply", turn.ply.to_string()),
                ("since", since(turn, *seat)),
                ("seen", seen(asked.seen)),
                ("board", asked.board.clone()),
                ("state", format!("{title}: {state}")),
                ("clock", clock(&turn.clock, *seat)),
                ("examples", examples(asked.legal)),
                ("legal", listed.to_owned()),
            ],
        )
    }

    /// The message after an answer that is no legal move.
    pub(super) fn rethink(&self, kind: &str, problem: &str, mv: &str, listed: &str) -> String {
        fill(
            &self.rethink,
            &[
                ("kind", kind.to_owned()),
                ("problem", problem.to_owned()),
                ("move", mv.to_owned()),
                ("legal", listed.to_owned()),
            ],
        )
    }
}

impl Template {
    /// The text in a folder; `None` if it is not there.
    fn read(&self, folder: &Path) -> Result<Option<String>, PromptError> {
        let path = folder.join(self.file);
        let size = match fs::metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(PromptError::Read { path, error }),
            Ok(found) => found.len(),
        };
        if size > MOST_BYTES {
            return Err(PromptError::Long { path });
        }
        let text = match fs::read_to_string(&path) {
            Err(error) => return Err(PromptError::Read { path, error }),
            Ok(text) => text,
        };
        let unknown = names(&text).find(|name| !self.names.contains(name));
        match unknown {
            Some(name) => Err(PromptError::Name {
                name: name.to_owned(),
                known: in_braces(self.names),
                path,
            }),
            None => Ok(Some(text)),
        }
    }
}

fn in_braces(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{{{name}}}`")).collect();
    names.join(", ")
}

/// The facts of a turn.
pub(super) struct Asked<'a> {
    pub(super) turn: &'a Turn,
    pub(super) seat: Seat,
    pub(super) role: &'a str,
    pub(super) is_hidden: bool,
    /// The state, or the observation in games with hidden information.
    pub(super) known: Value,
    /// The drawing of the position; empty if there is none.
    pub(super) board: String,
    /// The perceptions of all steps so far, in games with hidden information.
    pub(super) seen: &'a [String],
    pub(super) legal: &'a [String],
}

/// The drawing of a position as its seat may see it; empty if the rules draw none, or hide something.
pub(super) fn board(rules: &dyn Rules, state: &Value, turn: &Turn) -> String {
    let Ok(session) = rules.load(state) else {
        return String::new();
    };
    drawn(&*session, turn)
}

fn drawn(session: &dyn Session, turn: &Turn) -> String {
    let marked = turn.moves.last();
    let marked = marked.map_or(Vec::new(), |last| drawing::cells_of(&last.mv));
    let view: Result<_, BrokenRules> = session.view();
    match view {
        Ok(Some(view)) => drawing::board(&view, &marked, &drawing::plain),
        _ => String::new(),
    }
}

/// The legal moves as each message lists them.
pub(super) fn listed(legal: &[String]) -> String {
    format!("Legal moves:\n{}", Value::from(legal))
}

/// The names in braces.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let after = text.split('{').skip(1);
    after.filter_map(|rest| name_at(rest))
}

/// The name that a text begins with, if a closing brace follows.
fn name_at(text: &str) -> Option<&str> {
    let (name, _) = text.split_once('}')?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
    is_name.then_some(name)
}

/// Replaces the names of a template, once: braces in the values stay.
fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut text = String::new();
    for line in template.lines() {
        let filled = fill_line(line, values);
        if filled.trim().is_empty() && names(line).next().is_some() {
            continue;
        }
        let is_second_gap = filled.is_empty() && (text.is_empty() || text.ends_with("\n\n"));
        if !is_second_gap {
            text.push_str(filled.trim_end());
            text.push('\n');
        }
    }
    text.truncate(text.trim_end().len());
    text
}

fn fill_line(line: &str, values: &[(&str, String)]) -> String {
    let mut filled = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let named = name_at(after);
        let value = named.and_then(|name| values.iter().find(|(known, _)| *known == name));
        rest = match (named, value) {
            (Some(name), Some((_, value))) => {
                filled.push_str(value);
                &after[name.len() + 1..]
            }
            _ => {
                filled.push('{');
                after
            }
        };
    }
    filled.push_str(rest);
    filled
}

fn players(start: &Start) -> String {
    let players = start.players.iter().enumerate();
    let others = players.filter(|(seat, _)| *seat != start.seat);
    let others: Vec<String> = others
        .map(|(seat, player)| format!("{} (seat {seat})", player.role))
        .collect();
    match &others[..] {
        [] => String::new(),
        others => format!("You play against {}.", others.join(", ")),
    }
}

fn options(start: &Start) -> String {
    match &start.options {
        Value::Object(options) if !options.is_empty() => {
            format!("The options of this match: {}", start.options)
        }
        _ => String::new(),
    }
}

fn rules_text(entry: Option<&Entry>) -> String {
    match entry {
        None => "The rules are not known here; the legal moves show what is possible.".to_owned(),
        Some(entry) if entry.guide.trim().is_empty() => entry.info.summary.clone(),
        // The guide of a sheet is the sheet: a program, not prose.
        Some(entry) if entry.guide.starts_with("```\n") => format!(
            "The rules in the Game Description Language:\n\n{}",
            entry.guide.trim_end()
        ),
        Some(entry) => format!("The rules:\n\n{}", entry.guide.trim_end()),
    }
}

fn notation(entry: Option<&Entry>) -> String {
    let forms = entry.map_or(&[][..], |entry| &entry.info.notation);
    if forms.is_empty() {
        return String::new();
    }
    let forms = forms.iter();
    let forms: Vec<String> = forms
        .map(|(form, meaning)| format!("- `{form}`: {meaning}"))
        .collect();
    format!("Moves are written like this:\n{}", forms.join("\n"))
}

/// What was played since the last turn.
fn since(turn: &Turn, seat: Seat) -> String {
    let plies = turn.moves.iter().map(|played| {
        let by = match played.seat {
            Some(by) if by == seat => "you".to_owned(),
            Some(by) => format!("seat {by}"),
            None => "chance".to_owned(),
        };
        format!("{by}: {}", played.mv)
    });
    let plies: Vec<String> = plies.collect();
    match &plies[..] {
        [] => String::new(),
        plies => format!("Played since your last turn: {}", plies.join(", ")),
    }
}

/// The perceptions of all steps, in games with hidden information.
fn seen(seen: &[String]) -> String {
    match seen {
        [] => String::new(),
        seen => format!(
            "What you have seen so far, a line for each step:\n{}",
            seen.join("\n")
        ),
    }
}

fn clock(clock: &ClockState, seat: Seat) -> String {
    let mut parts = Vec::new();
    if let Some(limit) = clock.move_ms {
        parts.push(format!("You have {} for this move.", in_words(limit.0)));
    }
    let left = clock
        .remaining_ms
        .as_ref()
        .and_then(|left| *left.get(seat)?);
    if let Some(left) = left {
        let more = clock.increment_ms.filter(|more| !more.0.is_zero());
        let more = more.map_or(String::new(), |more| {
            format!(", and {} more after each move", in_words(more.0))
        });
        parts.push(format!("Your clock has {} left{more}.", in_words(left.0)));
    }
    parts.join(" ")
}

/// Two legal moves, as examples of how moves are written here: from the middle and the end of the list.
fn examples(legal: &[String]) -> String {
    match legal {
        [] => String::new(),
        [only] => format!("`{only}` is the one legal move here."),
        legal => format!(
            "For example, `{}` and `{}` are legal moves here.",
            legal[legal.len() / 2 - 1],
            legal[legal.len() - 1]
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_filled_in_once_and_empty_lines_go() {
        let values = [
            ("a", "{b} {\"x\": 1}".to_owned()),
            ("b", String::new()),
            ("c", "two\nlines".to_owned()),
        ];
        let template = "First {a}.\n{b}\n\n{b}\n\n{\"move\": \"...\"} {c}\n{unknown}\n";
        assert_eq!(
            fill(template, &values),
            "First {b} {\"x\": 1}.\n\n{\"move\": \"...\"} two\nlines\n{unknown}"
        );
    }

    #[test]
    fn the_built_in_templates_use_known_names_only() {
        for template in [&SYSTEM, &TURN, &RETHINK] {
            for name in names(template.text) {
                assert!(template.names.contains(&name), "{}: {name}", template.file);
            }
            assert!(template.text.contains("\"move\""));
        }
    }

    #[test]
    fn a_folder_replaces_some_texts_and_its_faults_are_named() {
        let folder = std::env::temp_dir().join(format!("referee-prompts-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let error = Prompts::of_folder(&folder).unwrap_err().to_string();
        assert!(error.contains("none of the files `system.txt`"), "{error}");
        fs::write(folder.join("rethink.txt"), "{kind}! {legal}").unwrap();
        let prompts = Prompts::of_folder(&folder).unwrap();
        assert_eq!(prompts.turn, TURN.text);
        assert_eq!(prompts.rethink("illegal", "", "", "a"), "illegal! a");
        fs::write(folder.join("turn.txt"), "{position}").unwrap();
        let error = Prompts::of_folder(&folder).unwrap_err().to_string();
        assert!(
            error.contains("has `{position}`, but only `{role}`"),
            "{error}"
        );
        fs::remove_dir_all(folder).unwrap();
    }
}
