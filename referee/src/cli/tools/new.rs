//! `referee new-bot` and `referee new-rules`: starter projects.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli::common::format::{FormatArgs, print_json};
use crate::cli::scaffold::{BOTS, Kind, Project, RULES};
use crate::cli::{CliError, print};

/// The command that plays a project's tournament.
const PLAY: &str = "referee tournament tournament.toml";

/// Makes a small starter project for a bot: a bot, its tests, a tournament against `random`
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee new-bot python mybot
  referee new-bot rust bots/second --name second
  referee new-bot                                   lists the languages")]
pub(crate) struct NewBot {
    #[command(flatten)]
    project: ProjectArgs,
}

impl NewBot {
    pub(crate) fn run(self) -> Result<(), CliError> {
        self.project.run(&BOTS)
    }
}

/// Makes a small starter project for a game: a rules program, its tests, a tournament of it
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
        self.project.run(&RULES)
    }
}

#[derive(Debug, clap::Args)]
struct ProjectArgs {
    /// The language; without one they are listed
    #[arg(requires = "dir")]
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
    /// Makes the project, or lists the languages, and prints the next commands.
    fn run(self, kind: &'static Kind) -> Result<(), CliError> {
        let (Some(lang), Some(dir)) = (&self.lang, &self.dir) else {
            return self.list(kind);
        };
        let language = kind.language(lang)?;
        let name = match &self.name {
            Some(name) => name.clone(),
            None => folder_name(dir),
        };
        let project = Project::new(kind, language, &name)?;
        project.write(dir)?;
        let files: Vec<String> = project.files().into_iter().map(|file| file.path).collect();
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
            files.join(", "),
            language.needs
        );
        for command in next {
            let _ = writeln!(text, "    {command}");
        }
        print(&text)
    }

    fn list(&self, kind: &Kind) -> Result<(), CliError> {
        if self.format.json() {
            let languages = kind.languages.iter().map(|language| {
                json!({
                    "id": language.id,
                    "aliases": language.aliases,
                    "title": language.title,
                    "needs": language.needs,
                })
            });
            return print_json(&languages.collect::<Vec<Value>>());
        }
        let lines = kind
            .languages
            .iter()
            .map(|language| format!("{:10}  {}\n", language.id, language.needs));
        print(&lines.collect::<String>())
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
