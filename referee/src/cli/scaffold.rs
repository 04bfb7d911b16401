//! What the subcommands that make projects share: `referee new-bot` and `referee new-rules`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::format::{FormatArgs, print_json};
use super::{CliError, print};
use crate::scaffold::{Kind, Project};

/// How a project's tournament is played.
const PLAY: &str = "referee tournament tournament.toml";

/// Which project to make, and where.
#[derive(Debug, clap::Args)]
pub(super) struct ProjectArgs {
    /// The language; without one they are listed
    #[arg(requires = "dir")]
    lang: Option<String>,
    /// The project's folder, which must be empty if it is there, apart from `.git`
    dir: Option<PathBuf>,
    /// What it is called; by default what the folder is
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

impl ProjectArgs {
    /// Makes the project, or lists the languages, and says what to type next.
    pub(super) fn run(self, kind: &'static Kind) -> Result<(), CliError> {
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
