//! `referee new-bot`: a small project to begin a bot from.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::format::{FormatArgs, print_json};
use super::{CliError, print};
use crate::new_bot::{self, LANGUAGES, Project};

/// How a project's tournament is played.
const PLAY: &str = "referee tournament tournament.toml";

/// Makes a small project to begin a bot from: a bot, its tests, a tournament against `random`
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee new-bot python mybot
  referee new-bot rust bots/second --name second
  referee new-bot                                   lists the languages")]
pub(super) struct Args {
    /// The language; without one they are listed
    #[arg(requires = "dir")]
    lang: Option<String>,
    /// The project's folder, which must be empty if it is there, apart from `.git`
    dir: Option<PathBuf>,
    /// What the bot is called; by default what the folder is
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        let (Some(lang), Some(dir)) = (&self.lang, &self.dir) else {
            return self.list();
        };
        let language = new_bot::find(lang)?;
        let name = match &self.name {
            Some(name) => name.clone(),
            None => folder_name(dir),
        };
        let project = Project::new(language, &name)?;
        project.write(dir)?;
        let files: Vec<String> = project.files().into_iter().map(|file| file.path).collect();
        let next = [
            change_dir(dir),
            language.check.to_owned(),
            PLAY.to_owned(),
            format!("referee check -- {}", language.command.join(" ")),
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
            "`{name}`, a bot in {}, is in `{}`: {}.\nIt needs {}. Next:\n\n",
            language.title,
            dir.display(),
            files.join(", "),
            language.needs
        );
        for command in next {
            let _ = writeln!(text, "    {command}");
        }
        print(&text)
    }

    fn list(&self) -> Result<(), CliError> {
        if self.format.json() {
            let languages = LANGUAGES.iter().map(|language| {
                json!({
                    "id": language.id,
                    "aliases": language.aliases,
                    "title": language.title,
                    "needs": language.needs,
                })
            });
            return print_json(&languages.collect::<Vec<Value>>());
        }
        let lines = LANGUAGES
            .iter()
            .map(|language| format!("{:10}  {}\n", language.id, language.needs));
        print(&lines.collect::<String>())
    }
}

/// What the folder is called, also where that is only `.`.
fn folder_name(dir: &Path) -> String {
    let absolute = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let name = absolute.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The command that goes into a folder.
fn change_dir(dir: &Path) -> String {
    format!("cd {}", shell_words::quote(&dir.to_string_lossy()))
}
