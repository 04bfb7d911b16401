//! Starter projects in many languages: bots, bridges and rules programs. Their files come from the
//! repository's examples and templates, with other names.

mod bots;
mod bridges;
mod rules;

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::cli::common::embedded;

pub(crate) use bots::BOTS;
pub(crate) use bridges::BRIDGES;
pub(crate) use rules::RULES;

/// Matches go there.
const IGNORED: &str = "runs/\n";
/// Longest name, in bytes.
const LONGEST: usize = 40;

/// A project that cannot be made.
#[derive(Debug, Error)]
pub(crate) enum ScaffoldError {
    /// There are no projects in this language.
    #[error("there is no {word} `{language}`{hint}; there are {known}")]
    Language {
        word: &'static str,
        language: String,
        /// A similar one.
        hint: String,
        /// All languages.
        known: String,
    },
    #[error(
        "`{0}` is no name for a bot: it begins with a letter and has up to {LONGEST} letters, \
         digits, `-` and `_`; `--name` gives another one than the folder's"
    )]
    BotName(String),
    /// Two bots would have the same name.
    #[error("`{0}` is the name of the bot that it will play against; choose another --name")]
    Opponent(&'static str),
    #[error(
        "`{0}` is no id for a game: it begins with a letter and has up to {LONGEST} small letters, \
         digits and `-`; `--name` gives another one than the folder's"
    )]
    GameId(String),
    /// Two games would have the same id.
    #[error("`{0}` is the id of a game that is built in; choose another --name")]
    BuiltIn(String),
    /// The folder is not empty.
    #[error("`{path}` is not empty; a new {noun} needs a folder of its own")]
    Taken {
        path: PathBuf,
        /// The thing to make.
        noun: &'static str,
    },
    #[error("`{path}` cannot be written: {error}")]
    Write {
        /// The folder or file.
        path: PathBuf,
        error: io::Error,
    },
}

/// A kind of project.
#[derive(Debug)]
pub(crate) struct Kind {
    /// A word for what it makes.
    pub noun: &'static str,
    /// A word for what `languages` are.
    pub word: &'static str,
    /// In the order of lists.
    pub languages: &'static [Language],
    /// The README that all projects share.
    readme: &'static str,
    tournament: &'static str,
    /// Other files that all projects have, with their templates.
    more: &'static [(&'static str, &'static str)],
    /// The command with which the referee tests it.
    look: &'static str,
    check_name: fn(&str) -> Result<(), ScaffoldError>,
    /// A name for the package that is not taken in any language.
    package: fn(&str) -> String,
}

#[derive(Debug)]
pub(crate) struct Language {
    /// Its name on the command line.
    pub id: &'static str,
    pub aliases: &'static [&'static str],
    /// Its name for people.
    pub title: &'static str,
    /// Requirements to install.
    pub needs: &'static str,
    /// The command that builds a project, if necessary, and tests it.
    pub check: &'static str,
    /// The command that runs the program.
    pub command: &'static [&'static str],
    /// A description of the files.
    about: &'static str,
    /// Paths in the project, and texts.
    files: &'static [(&'static str, &'static str)],
    /// The embedded folder with the SDK, and the folder in the project to which it is copied.
    sdk: Option<(&'static str, &'static str)>,
    /// Replacements of names in a project, in this order.
    names: &'static [(&'static str, &'static str)],
    /// Generated files that do not belong to the project.
    ignored: &'static [&'static str],
}

impl Language {
    /// The key `build` of a submission, if there is anything to build: the steps of `check` before
    /// its tests.
    fn build_line(&self) -> String {
        let build = self.check.rsplit_once(" && ").map(|(build, _tests)| build);
        build.map_or(String::new(), |build| {
            format!("build = [\"sh\", \"-c\", \"{build}\"]\n")
        })
    }
}

impl Kind {
    /// The language with this id or alias.
    ///
    /// # Errors
    /// If there is none; the error lists them.
    pub(crate) fn language(&self, name: &str) -> Result<&'static Language, ScaffoldError> {
        let wanted = name.to_lowercase();
        let called = |known: &&Language| known.id == wanted || known.aliases.contains(&&*wanted);
        self.languages.iter().find(called).ok_or_else(|| {
            let ids: Vec<&str> = self.languages.iter().map(|known| known.id).collect();
            let nearest = games::kit::text::nearest(&wanted, &ids);
            ScaffoldError::Language {
                word: self.word,
                language: name.chars().take(LONGEST).collect(),
                hint: nearest.map_or(String::new(), |id| format!(" (did you mean `{id}`?)")),
                known: games::kit::text::quoted(&ids),
            }
        })
    }
}

/// A file of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    /// Relative to the project's folder.
    pub path: String,
    pub text: String,
    pub executable: bool,
}

/// A project that is not written yet.
#[derive(Debug)]
pub(crate) struct Project {
    kind: &'static Kind,
    language: &'static Language,
    name: String,
}

impl Project {
    /// A bot or game of this name.
    ///
    /// # Errors
    /// If the name does not do.
    pub(crate) fn new(
        kind: &'static Kind,
        language: &'static Language,
        name: &str,
    ) -> Result<Self, ScaffoldError> {
        (kind.check_name)(name)?;
        let name = name.to_owned();
        Ok(Project {
            kind,
            language,
            name,
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The command with which the referee tests it.
    pub(crate) fn look(&self) -> String {
        self.fill(self.kind.look)
    }

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
        if let Some((from, to)) = self.language.sdk {
            let sdk = embedded::below(from);
            files.extend(sdk.map(|(path, text)| file(&format!("{to}/{path}"), text.to_owned())));
        }
        files.push(file("README.md", self.fill(self.kind.readme)));
        let tournament = self.rename(self.kind.tournament);
        files.push(file("tournament.toml", self.fill(&tournament)));
        let more = self.kind.more.iter();
        files.extend(more.map(|(path, text)| file(path, self.fill(text))));
        let ignored = self.language.ignored.iter().map(|path| format!("{path}\n"));
        files.push(file(".gitignore", ignored.collect::<String>() + IGNORED));
        files
    }

    /// Writes it into a folder, which is created if necessary.
    ///
    /// # Errors
    /// If there is something in the folder, or it cannot be written.
    pub(crate) fn write(&self, dir: &Path) -> Result<(), ScaffoldError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            |error| ScaffoldError::Write { path, error }
        };
        let files = self.files();
        if !is_free(dir, &files) {
            let (path, noun) = (dir.to_owned(), self.kind.noun);
            return Err(ScaffoldError::Taken { path, noun });
        }
        for file in files {
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

    /// A source's text with the project's names.
    fn rename(&self, text: &str) -> String {
        let renamed = |text: String, (from, to): &(&str, &str)| text.replace(from, &self.fill(to));
        self.language.names.iter().fold(text.to_owned(), renamed)
    }

    /// A template's text with everything that differs between projects.
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
        let package = (self.kind.package)(&self.name);
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
            ("{{build_line}}", &self.language.build_line()),
        ]
        .iter()
        .fold(text.to_owned(), |text, (key, value)| {
            text.replace(key, value)
        })
    }
}

/// True if a project can be written to this folder: it is empty, or holds only a part of this very
/// project, left by a kill or a full disk.
fn is_free(dir: &Path, files: &[File]) -> bool {
    let Ok(entries) = fs::read_dir(dir) else {
        return !dir.exists();
    };
    // It may be a new repository.
    let mut left: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_name() != ".git")
        .map(|entry| entry.path())
        .collect();
    let is_new = left.is_empty();
    let mut whole = 0;
    while let Some(path) = left.pop() {
        let Ok(about) = path.symlink_metadata() else {
            return false;
        };
        let of_project = |file: &&File| dir.join(&file.path) == path;
        if about.is_dir() {
            let is_ours = files
                .iter()
                .any(|file| dir.join(&file.path).starts_with(&path));
            let Ok(below) = fs::read_dir(&path) else {
                return false;
            };
            if !is_ours {
                return false;
            }
            left.extend(below.flatten().map(|entry| entry.path()));
        } else if let Some(file) = files.iter().find(of_project)
            && about.is_file()
            && about.len() <= file.text.len() as u64
            && fs::read(&path).is_ok_and(|text| file.text.as_bytes().starts_with(&text))
        {
            whole += usize::from(about.len() == file.text.len() as u64);
        } else {
            return false;
        }
    }
    // A complete project was not left unfinished.
    is_new || whole < files.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All projects that there are, under the name `gyre`.
    fn all() -> impl Iterator<Item = Project> {
        [&BOTS, &BRIDGES, &RULES].into_iter().flat_map(|kind| {
            let languages = kind.languages.iter();
            languages.map(move |language| Project::new(kind, language, "gyre").unwrap())
        })
    }

    #[test]
    fn nothing_of_the_sources_is_left() {
        let unfilled = |text: &str| {
            let mut braces = text.match_indices("{{").map(|(at, _)| &text[at + 2..]);
            braces.any(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
        };
        for project in all() {
            for file in project.files() {
                let name = format!("{} {}", project.language.id, file.path);
                let text = file.text.to_lowercase();
                // A command and its folder, which the texts name.
                let text = text
                    .replace("referee examples", "")
                    .replace("games/examples", "");
                // The SDKs have an example of their own.
                if !file.path.starts_with("referee") {
                    for trace in [
                        "one-ply",
                        "one_ply",
                        "oneply",
                        "ladder",
                        "example",
                        "templates",
                    ] {
                        assert!(!text.contains(trace), "{name}: {trace}");
                    }
                    assert!(!file.text.contains("\"nim\""), "{name}");
                }
                assert!(!unfilled(&file.text), "{name}");
                assert!(text.is_empty() || text.ends_with('\n'), "{name}");
                assert!(!text.ends_with("\n\n"), "{name}");
            }
        }
    }

    #[test]
    fn everything_says_its_name_and_has_a_test() {
        for project in all() {
            let files = project.files();
            let id = project.language.id;
            let names = |text: &str| text.contains("\"gyre\"") || text.contains("\\\"gyre\\\"");
            let sources = &files[..project.language.files.len()];
            assert!(sources.iter().any(|file| names(&file.text)), "{id}");
            let tests = |file: &File| file.path.to_lowercase().contains("test");
            let inside = |file: &File| file.text.contains("#[test]");
            assert!(files.iter().any(|file| tests(file) || inside(file)), "{id}");
        }
    }

    #[test]
    fn projects_are_written_into_empty_folders_only() {
        for project in all() {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join(".git")).unwrap();
            project.write(folder.path()).unwrap();
            let config = fs::read_to_string(folder.path().join("tournament.toml")).unwrap();
            let config: toml::Table = config.parse().unwrap();
            let programs = match config.get("rules") {
                Some(rules) => rules,
                None => &config["bots"],
            };
            let command = programs[0]["command"].as_array().unwrap();
            let words: Vec<&str> = command.iter().filter_map(toml::Value::as_str).collect();
            assert_eq!(words, project.language.command);
            let error = project.write(folder.path()).unwrap_err().to_string();
            let expected = format!("is not empty; a new {}", project.kind.noun);
            assert!(error.contains(&expected), "{error}");
        }
    }

    #[test]
    fn a_project_that_was_killed_half_way_is_written_again() {
        let project = all().next().unwrap();
        let files = project.files();
        for whole in 0..files.len() {
            for share in [0, 1, 2] {
                let folder = tempfile::tempdir().unwrap();
                for file in &files[..=whole] {
                    let path = folder.path().join(&file.path);
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, &file.text).unwrap();
                }
                let cut = folder.path().join(&files[whole].path);
                let text = files[whole].text.as_bytes();
                fs::write(&cut, &text[..text.len() * share / 3]).unwrap();
                project.write(folder.path()).unwrap();
                for file in &files {
                    let there = fs::read_to_string(folder.path().join(&file.path)).unwrap();
                    assert_eq!(there, file.text);
                }
            }
        }
        // A user's file is not taken for a part.
        for (name, text) in [(&*files[0].path, "my own"), ("other.txt", "")] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(name), text).unwrap();
            assert!(project.write(folder.path()).is_err(), "{name}");
            let there = fs::read_to_string(folder.path().join(name)).unwrap();
            assert_eq!(there, text);
        }
    }

    #[test]
    fn languages_are_found_by_any_name() {
        for (name, id) in [("C++", "cpp"), ("js", "javascript"), ("golang", "go")] {
            assert_eq!(BOTS.language(name).unwrap().id, id);
        }
        assert_eq!(RULES.language("py").unwrap().id, "python");
        let error = BOTS.language("pyton").unwrap_err().to_string();
        assert!(
            error.contains("did you mean `python`?") && error.contains("`sh`"),
            "{error}"
        );
    }
}
