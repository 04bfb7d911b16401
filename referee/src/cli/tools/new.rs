//! `referee new-bot` and `referee new-rules`: starter projects.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli::common::format::{FormatArgs, print_json};
use crate::cli::scaffold::{BOTS, BRIDGES, Kind, Project, RULES};
use crate::cli::{CliError, print};

/// The command that plays a project's tournament.
const PLAY: &str = "referee tournament tournament.toml";

/// Starts a project for a bot: bot, tests, tournament
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee new-bot python mybot
  referee new-bot rust bots/second --name second
  referee new-bot --bridge uci fairy                seats an engine that speaks UCI
  referee new-bot                                   lists languages and bridges")]
pub(crate) struct NewBot {
    /// Instead of a language, a bridge to bots that speak another protocol: `uci` or `botzone`
    #[arg(long, value_name = "NAME", conflicts_with = "dir", requires = "lang")]
    bridge: Option<String>,
    #[command(flatten)]
    project: ProjectArgs,
}

impl NewBot {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let Some(bridge) = self.bridge else {
            return self.project.run(&[&BOTS, &BRIDGES]);
        };
        // The only word is the folder then.
        let dir = self.project.lang.map(PathBuf::from);
        let lang = Some(bridge);
        let project = ProjectArgs {
            lang,
            dir,
            ..self.project
        };
        project.run(&[&BRIDGES])
    }
}

/// Starts a project for a game: rules program, tests, tournament
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee new-rules python mygame
  referee new-rules c games/second --name second
  referee new-rules                                 lists the languages")]
pub(crate) struct NewRules {
    #[command(flatten)]
    project: ProjectArgs,
}

impl NewRules {
    pub(crate) fn run(self) -> Result<(), CliError> {
        self.project.run(&[&RULES])
    }
}

#[derive(Debug, clap::Args)]
struct ProjectArgs {
    /// The language; without one they are listed
    lang: Option<String>,
    /// The project's folder; if it exists, it must be empty apart from `.git`
    dir: Option<PathBuf>,
    /// The name; by default the folder's
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

impl ProjectArgs {
    /// Makes a project of the first kind and prints the next commands, or lists all languages.
    fn run(self, kinds: &[&'static Kind]) -> Result<(), CliError> {
        let kind = kinds[0];
        let (lang, dir) = match (&self.lang, &self.dir) {
            (Some(lang), Some(dir)) => (lang, dir),
            (Some(lang), None) => {
                let what = format!("a project in `{lang}` needs a folder: `{lang} DIR`");
                return Err(CliError::Usage(what));
            }
            (None, _) => return self.list(kinds),
        };
        let language = kind.language(lang)?;
        let name = match &self.name {
            Some(name) => name.clone(),
            None => folder_name(dir),
        };
        let project = Project::new(kind, language, &name)?;
        project.write(dir)?;
        let files: Vec<String> = project.files().into_iter().map(|file| file.path).collect();
        // An SDK is one thing for people.
        let mut shown: Vec<&str> = files.iter().map(|path| top(path)).collect();
        shown.dedup();
        let next = [
            change_dir(dir),
            language.check.to_owned(),
            PLAY.to_owned(),
            project.look(),
        ];
        if self.format.json() {
            return print_json(&json!({
                "language": language.id,
                "name": project.name(),
                "dir": dir,
                "files": files,
                "command": language.command,
                "next": next,
            }));
        }
        let mut text = format!(
            "`{name}`, a {} in {}, is in `{}`: {}.\nIt needs {}. Next:\n\n",
            kind.noun,
            language.title,
            dir.display(),
            shown.join(", "),
            language.needs
        );
        for command in next {
            let _ = writeln!(text, "    {command}");
        }
        print(&text)
    }

    fn list(&self, kinds: &[&Kind]) -> Result<(), CliError> {
        let all = kinds.iter().flat_map(|kind| {
            let languages = kind.languages.iter();
            languages.map(|language| (*kind, language))
        });
        if self.format.json() {
            let languages = all.map(|(kind, language)| {
                json!({
                    "kind": kind.word,
                    "id": language.id,
                    "aliases": language.aliases,
                    "title": language.title,
                    "needs": language.needs,
                })
            });
            return print_json(&languages.collect::<Vec<Value>>());
        }
        let lines = all.map(|(kind, language)| {
            let id = match kind.word {
                "bridge" => format!("--bridge {}", language.id),
                _ => language.id.to_owned(),
            };
            format!("{id:16}  {}\n", language.needs)
        });
        print(&lines.collect::<String>())
    }
}

/// A file, or the folder of an SDK, with its slash, in place of a file in it.
fn top(path: &str) -> &str {
    match path.split_once('/') {
        Some((folder, _)) if folder.starts_with("referee") => &path[..=folder.len()],
        _ => path,
    }
}

/// The name of the folder, also for `.`.
fn folder_name(dir: &Path) -> String {
    let absolute = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let name = absolute.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The command that changes to a folder.
fn change_dir(dir: &Path) -> String {
    format!("cd {}", shell_words::quote(&dir.to_string_lossy()))
}
