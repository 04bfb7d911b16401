//! Small projects of bots in many languages, to begin from. Each is made of the one-ply bot of the
//! language's examples (`bots/examples`), with names of its own.

mod languages;

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

pub(crate) use languages::{LANGUAGES, Language};

/// What all projects share.
const README: &str = include_str!("../../../bots/templates/README.md");
const TOURNAMENT: &str = include_str!("../../../bots/templates/tournament.toml");
/// What a project is played into.
const IGNORED: &str = "runs/\n";
/// Names are not longer.
const LONGEST: usize = 40;
/// The other bot of the tournament.
const OPPONENT: &str = "random";

/// A project that cannot be made.
#[derive(Debug, Error)]
pub(crate) enum NewBotError {
    /// There are no projects in this language.
    #[error("there is no language `{language}`{hint}; there are {known}")]
    Language {
        /// What was asked for.
        language: String,
        /// One that is much like it.
        hint: String,
        /// Those that there are.
        known: String,
    },
    /// The name does not do.
    #[error(
        "`{0}` is no name for a bot: it begins with a letter and has up to {LONGEST} letters, \
         digits, `-` and `_`; `--name` gives another one than the folder's"
    )]
    Name(String),
    /// Two bots would have one name.
    #[error("`{OPPONENT}` is the name of the bot that it will play against; choose another --name")]
    Opponent,
    /// There is something in the folder already.
    #[error("`{0}` is not empty; a new bot needs a folder of its own")]
    Taken(PathBuf),
    /// The folder or a file cannot be written.
    #[error("`{path}` cannot be written: {error}")]
    Write {
        /// The folder or file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
}

/// The language with this id or alias.
///
/// # Errors
/// If there is none; the error lists them.
pub(crate) fn find(language: &str) -> Result<&'static Language, NewBotError> {
    let wanted = language.to_lowercase();
    let called = |known: &&Language| known.id == wanted || known.aliases.contains(&&*wanted);
    LANGUAGES.iter().find(called).ok_or_else(|| {
        let ids: Vec<&str> = LANGUAGES.iter().map(|known| known.id).collect();
        let nearest = games::kit::text::nearest(&wanted, &ids);
        NewBotError::Language {
            language: language.chars().take(LONGEST).collect(),
            hint: nearest.map_or(String::new(), |id| format!(" (did you mean `{id}`?)")),
            known: games::kit::text::quoted(&ids),
        }
    })
}

/// A file of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    /// Where it lies in the project's folder.
    pub path: String,
    /// What is in it.
    pub text: String,
    /// Whether it can be run.
    pub executable: bool,
}

/// A project that has not been written yet.
#[derive(Debug)]
pub(crate) struct Project {
    language: &'static Language,
    name: String,
}

impl Project {
    /// A bot of this name.
    ///
    /// # Errors
    /// If the name does not do.
    pub(crate) fn new(language: &'static Language, name: &str) -> Result<Self, NewBotError> {
        let letters = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
        if !begins || name.len() > LONGEST || !name.chars().all(letters) {
            return Err(NewBotError::Name(name.to_owned()));
        }
        if name == OPPONENT {
            return Err(NewBotError::Opponent);
        }
        Ok(Project {
            language,
            name: name.to_owned(),
        })
    }

    /// The bot's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// All files.
    pub(crate) fn files(&self) -> Vec<File> {
        let file = |path: &str, text: String| File {
            path: path.to_owned(),
            executable: text.starts_with("#!"),
            text,
        };
        let sources = self.language.files.iter();
        let mut files: Vec<File> = sources
            .map(|(path, text)| file(path, self.rename(text)))
            .collect();
        files.push(file("README.md", self.fill(README)));
        files.push(file("tournament.toml", self.fill(TOURNAMENT)));
        let ignored = self.language.ignored.iter().map(|path| format!("{path}\n"));
        files.push(file(".gitignore", ignored.collect::<String>() + IGNORED));
        files
    }

    /// Writes it into a folder, which is made if need be.
    ///
    /// # Errors
    /// If there is something in the folder, or it cannot be written.
    pub(crate) fn write(&self, dir: &Path) -> Result<(), NewBotError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            |error| NewBotError::Write { path, error }
        };
        let taken = match fs::read_dir(dir) {
            // A repository may have been made for it first.
            Ok(entries) => entries.flatten().any(|entry| entry.file_name() != ".git"),
            Err(_) => dir.exists(),
        };
        if taken {
            return Err(NewBotError::Taken(dir.to_owned()));
        }
        for file in self.files() {
            let path = dir.join(&file.path);
            let folder = path.parent().unwrap_or(dir);
            fs::create_dir_all(folder).map_err(failed(folder))?;
            fs::write(&path, &file.text).map_err(failed(&path))?;
            if file.executable {
                let mode = fs::Permissions::from_mode(0o755);
                fs::set_permissions(&path, mode).map_err(failed(&path))?;
            }
        }
        Ok(())
    }

    /// An example's text with the project's names.
    fn rename(&self, text: &str) -> String {
        let renamed = |text: String, (from, to): &(&str, &str)| text.replace(from, &self.fill(to));
        self.language.names.iter().fold(text.to_owned(), renamed)
    }

    /// A template's text with all that differs between projects.
    fn fill(&self, text: &str) -> String {
        let Language {
            id,
            title,
            needs,
            check,
            command,
            about,
            ..
        } = self.language;
        let package = self.package();
        let words: Vec<String> = command.iter().map(|word| format!("\"{word}\"")).collect();
        [
            ("{{name}}", &*self.name),
            ("{{package}}", &package),
            ("{{crate}}", &package.replace('-', "_")),
            ("{{id}}", id),
            ("{{title}}", title),
            ("{{needs}}", needs),
            ("{{check}}", check),
            ("{{files}}", about),
            ("{{command}}", &command.join(" ")),
            ("{{command_list}}", &format!("[{}]", words.join(", "))),
        ]
        .iter()
        .fold(text.to_owned(), |text, (key, value)| {
            text.replace(key, value)
        })
    }

    /// A name for the package that no language has another use for.
    fn package(&self) -> String {
        let name = self.name.to_lowercase();
        if name.contains("bot") && name != "bot" {
            name
        } else {
            format!("{name}-bot")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_examples_is_left() {
        let unfilled = |text: &str| {
            let mut braces = text.match_indices("{{").map(|(at, _)| &text[at + 2..]);
            braces.any(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
        };
        for language in LANGUAGES {
            for file in Project::new(language, "gyre").unwrap().files() {
                let name = format!("{} {}", language.id, file.path);
                let text = file.text.to_lowercase().replace("bots/examples/", "");
                for trace in ["one-ply", "one_ply", "oneply", "ladder", "example"] {
                    assert!(!text.contains(trace), "{name}: {trace}");
                }
                assert!(!unfilled(&file.text), "{name}");
                assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{name}");
            }
        }
    }

    #[test]
    fn every_bot_says_its_name_and_has_a_test() {
        for language in LANGUAGES {
            let files = Project::new(language, "gyre").unwrap().files();
            let names = |text: &str| text.contains("\"gyre\"") || text.contains("\\\"gyre\\\"");
            let sources = &files[..language.files.len()];
            assert!(
                sources.iter().any(|file| names(&file.text)),
                "{}",
                language.id
            );
            let tests = |file: &File| file.path.to_lowercase().contains("test");
            let inside = |file: &File| file.text.contains("#[test]");
            assert!(
                files.iter().any(|file| tests(file) || inside(file)),
                "{}",
                language.id
            );
        }
    }

    #[test]
    fn projects_are_written_into_empty_folders_only() {
        for language in LANGUAGES {
            let folder = tempfile::tempdir().unwrap();
            let project = Project::new(language, "gyre").unwrap();
            fs::create_dir(folder.path().join(".git")).unwrap();
            project.write(folder.path()).unwrap();
            let config = fs::read_to_string(folder.path().join("tournament.toml")).unwrap();
            let config: toml::Table = config.parse().unwrap();
            let command = config["bots"][0]["command"].as_array().unwrap();
            let words: Vec<&str> = command.iter().filter_map(toml::Value::as_str).collect();
            assert_eq!(words, language.command);
            let error = project.write(folder.path()).unwrap_err().to_string();
            assert!(error.contains("is not empty"), "{error}");
        }
    }

    #[test]
    fn languages_are_found_by_any_name() {
        for (name, id) in [("C++", "cpp"), ("js", "javascript"), ("golang", "go")] {
            assert_eq!(find(name).unwrap().id, id);
        }
        let error = find("pyton").unwrap_err().to_string();
        assert!(
            error.contains("did you mean `python`?") && error.contains("`sh`"),
            "{error}"
        );
    }

    #[test]
    fn names_are_looked_at() {
        let make = |name: &str| Project::new(&LANGUAGES[0], name);
        for bad in ["", "7up", "a b", "a/b", "ä", &"x".repeat(41)] {
            assert!(matches!(make(bad), Err(NewBotError::Name(_))), "{bad}");
        }
        assert!(matches!(make("random"), Err(NewBotError::Opponent)));
        assert_eq!(make("bot").unwrap().package(), "bot-bot");
        assert_eq!(make("MyBot").unwrap().package(), "mybot");
    }
}
